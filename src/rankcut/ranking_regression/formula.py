"""A formula by columns: terms, and how their columns become numbers.

``age`` is a covariate of the ranking: each item has a coefficient of its own. ``price``, a feature
of items, has one coefficient for all. ``age:price`` is their product. ``C(region)`` takes numbers
for categories. Numbers are centred at their mean, so that strengths are those of an average person;
categories are compared with a reference.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.label_ranking.covariates import is_number, numbers_of, objects_of
from rankcut.parameters import check_size
from rankcut.rankings import as_frame
from rankcut.saved_arrays import Saved
from rankcut.strengths.designs import Entries, covariate, feature, items
from rankcut.strengths.designs import Term as LikelihoodTerm

Units: TypeAlias = Literal["deviation"] | Mapping[str, Any] | None

# The name of the constant column, whose coefficients are the strengths themselves.
STRENGTH = "strength"

_CATEGORY = re.compile(r"C\((.+)\)")


@dataclass(frozen=True, eq=False)
class Coding:
    """How a column becomes numbers."""

    name: str  #: the column
    mean: float = 0.0  #: of a number: what is subtracted
    unit: float = 1.0  #: and what it is counted in
    levels: tuple[Any, ...] | None = None  #: of categories: those that have an indicator
    reference: Any = None  #: the one that has none

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        if self.levels is None:
            return [self.name if self.unit == 1 else f"{self.name} per {self.unit:.3g}"]
        return [f"{self.name}={_shown(level)}" for level in self.levels]

    @property
    def changes(self) -> list[str]:
        """What one more of each column means, in words."""
        if self.levels is None:
            return [f"{self.name} {self.unit:.3g} higher"]
        other = _shown(self.reference)
        return [f"{self.name} {_shown(level)} rather than {other}" for level in self.levels]

    @property
    def origin(self) -> str:
        """Where all columns are 0, in words."""
        zero = f"{self.mean:.4g}" if self.levels is None else _shown(self.reference)
        return f"{self.name} {zero}"

    def example(self) -> NDArray[Any]:
        """A value where all columns are 0."""
        if self.levels is None:
            return np.array([self.mean])
        return np.array([self.reference], dtype=object)

    def encode(self, values: NDArray[Any]) -> Floats:
        """The columns as numbers, of shape (n_rows, n_columns)."""
        is_category = self.levels is not None
        missing = np.array([v is None for v in values]) if is_category else np.isnan(values)
        if missing.any():
            raise InputError(
                f"column {self.name!r} has no value",
                row=int(missing.argmax()),
                remedy="leave such rows out",
            )
        if self.levels is None:
            return np.asarray((values[:, None] - self.mean) / self.unit)
        allowed = (self.reference, *self.levels)
        matches = np.array([values == level for level in allowed], dtype=np.float64)
        if not matches.any(axis=0).all():
            row = int(matches.any(axis=0).argmin())
            raise InputError(
                f"column {self.name!r} has {_shown(values[row])!r}, which is not among "
                f"{', '.join(map(_shown, allowed))}",
                row=row,
            )
        return matches[1:].T


def fit_coding(
    name: str, values: NDArray[Any], weights: Floats, unit: Any, reference: Any
) -> Coding:
    """The coding of a column; ``unit`` and ``reference`` None are the defaults."""
    if values.dtype == object:
        counts: dict[Any, float] = {}
        for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
            if value is not None:
                counts[value] = counts.get(value, 0.0) + weight
        numbers = all(isinstance(value, int | float) for value in counts)
        levels = sorted(counts, key=None if numbers else _shown)
        if reference is None and levels:
            reference = max(levels, key=lambda level: counts[level])
        baseline = [level for level in levels if _shown(level) == _shown(reference)]
        if levels and not baseline:
            raise InputError(
                f"{reference!r} is not a value of column {name!r}, such as {levels[0]!r}",
                parameter="reference",
            )
        others = tuple(level for level in levels if level not in baseline)
        return Coding(name, levels=others, reference=baseline[0] if baseline else None)
    mean = float(np.average(values, weights=weights)) if weights.sum() > 0 else 0.0
    if unit == "deviation":
        unit = float(np.sqrt(np.average((values - mean) ** 2, weights=weights))) or 1.0
    unit = 1.0 if unit is None else unit
    if not isinstance(unit, int | float) or not unit > 0:
        raise InputError(f"{unit} is no unit of column {name!r}", parameter="units")
    return Coding(name, mean, float(unit))


@dataclass(frozen=True)
class FormulaTerm:
    """A term of the formula: the product of covariates and of features of items."""

    name: str
    covariates: tuple[str, ...]
    features: tuple[str, ...]


def parse_terms(
    on: Sequence[str], covariates: Sequence[str], features: Sequence[str]
) -> tuple[list[FormulaTerm], set[str]]:
    """The terms, and the columns that they take for categories."""
    terms, categories = [], set()
    for text in dict.fromkeys(on):
        parts = [text] if text in (*covariates, *features) else text.split(":")
        names = []
        for part in map(str.strip, parts):
            category = None if part in (*covariates, *features) else _CATEGORY.fullmatch(part)
            names.append(category[1].strip() if category else part)
            categories |= {names[-1]} if category else set()
        for name in names:
            if (name in covariates) == (name in features):
                columns = ", ".join(map(repr, (*covariates, *features)))
                both = "a covariate and a feature of items" if name in covariates else "no column"
                raise InputError(
                    f"names {name!r}, which is {both}; the columns are {columns}", parameter="on"
                )
        parts_of = (tuple(n for n in names if n in table) for table in (covariates, features))
        terms.append(FormulaTerm(text, *parts_of))
    return terms, categories


def names_in(term: str) -> list[str]:
    """The columns that a term names, if no name has a colon.

    >>> names_in("C(region):price")
    ['region', 'price']
    """
    parts = map(str.strip, term.split(":"))
    return [match[1].strip() if (match := _CATEGORY.fullmatch(p)) else p for p in parts]


def column_names(table: Any, letter: str) -> list[str]:
    """The names of a table's columns; those of an array are x0, x1, …"""
    if isinstance(table, Mapping):
        return [str(name) for name in table]
    frame = as_frame(table)
    if frame is not None:
        return [str(name) for name in frame.columns]
    return [f"{letter}{i}" for i in range(np.shape(table)[1])]


def read_column(table: Any, name: str, letter: str, *, category: bool | None) -> NDArray[Any]:
    """A column as numbers or, if it holds categories, objects; None: as its type says."""
    frame = as_frame(table)
    if frame is not None:
        series = list(frame.iter_columns())[column_names(table, letter).index(name)]
        if is_number(series.dtype) if category is None else not category:
            return numbers_of(series, name)
        return objects_of(series)
    if isinstance(table, Mapping):
        values = np.asarray(table[name])
    else:
        values = np.asarray(table)[:, column_names(table, letter).index(name)]
    if values.dtype.kind in "iuf" and not category:
        check_size(values, f"the numbers of {name!r}")
        return values.astype(np.float64)
    objects = np.empty(len(values), dtype=object)
    objects[:] = [None if value is None or value != value else value for value in values.tolist()]
    return objects


@dataclass(frozen=True, eq=False)
class DesignColumn:
    """A column of the design."""

    term: FormulaTerm  #: that it belongs to
    name: str
    change: str  #: what one more of it means in words
    #: (n_items, n_features): features of items, about their mean, with a coefficient each
    basis: Annotated[Floats, Saved("items", "*")]
    #: the names of these features; empty: each item has a coefficient of its own
    features: list[str]

    def terms(self, values: Floats) -> list[LikelihoodTerm]:
        """The terms of the likelihood, for rankings with these values of the column."""
        if not self.features:
            return [items() if self.name == STRENGTH else covariate(self.name, values)]
        names = [each if self.name == STRENGTH else f"{self.name}:{each}" for each in self.features]

        def times(column: Floats) -> Entries:
            return lambda rows, which: values[rows] * column[which]

        pairs = zip(names, self.basis.T, strict=True)
        return [feature(name, times(column)) for name, column in pairs]


@dataclass(frozen=True, eq=False)
class Formula:
    """Terms whose columns are coded: it makes the design of any table."""

    codings: dict[str, Coding]  #: of each covariate and feature of items
    columns: list[DesignColumn]  #: of the design; constant ones first

    def design(self, table: Any, n_rows: int) -> Floats:
        """The design, of shape (n_rows, n_columns)."""
        terms = list(dict.fromkeys(column.term for column in self.columns))
        encoded = {
            name: self.codings[name].encode(
                read_column(table, name, "x", category=self.codings[name].levels is not None)
            )
            for name in dict.fromkeys(name for term in terms for name in term.covariates)
        }
        return np.hstack([multiply([encoded[n] for n in t.covariates], n_rows) for t in terms])


def fit_formula(
    on: Sequence[str] | None,
    table: Any,
    weights: Floats,
    items: Any,
    n_items: int,
    *,
    units: Units,
    reference: Mapping[str, Any],
) -> Formula:
    """Read a formula, and code the columns of the table and of features of items."""
    covariates = column_names(table, "x")
    features = [] if items is None else column_names(items, "z")
    terms, categories = parse_terms(covariates if on is None else on, covariates, features)
    terms.sort(key=lambda term: bool(term.covariates))
    if not terms or terms[0].covariates:
        terms.insert(0, FormulaTerm(STRENGTH, (), ()))
    names = {name for term in terms for name in (*term.covariates, *term.features)}
    for name in {*(units if isinstance(units, Mapping) else ()), *reference} - names:
        raise InputError(
            f"column {name!r} has a unit or a reference, but is in no term", parameter="on"
        )
    codings: dict[str, Coding] = {}
    encoded: dict[str, Floats] = {}
    for name in sorted(names):
        source, letter = (table, "x") if name in covariates else (items, "z")
        values = read_column(source, name, letter, category=True if name in categories else None)
        counts = weights if name in covariates else np.ones(len(values))
        unit = units.get(name) if isinstance(units, Mapping) else units
        codings[name] = fit_coding(name, values, counts, unit, reference.get(name))
        if name in features:
            encoded[name] = codings[name].encode(values)
            if len(values) != n_items:
                raise InputError(
                    f"has {len(values)} rows for {n_items} items", parameter="item_features"
                )
    columns = []
    for term in terms:
        basis = multiply([encoded[name] for name in term.features], n_items)
        basis = basis - basis.mean(axis=0) if term.features else np.empty((n_items, 0))
        own_features = _joined(term.features, codings, "names") if term.features else []
        names_of = _joined(term.covariates, codings, "names")
        changes = _joined(term.covariates, codings, "changes", " and ")
        for column, change in zip(names_of, changes, strict=True):
            columns.append(DesignColumn(term, column or STRENGTH, change, basis, own_features))
    return Formula(codings, columns)


def _joined(
    names: Sequence[str], codings: Mapping[str, Coding], field: str, between: str = ":"
) -> list[str]:
    """The names of products, in the order of :func:`multiply`."""
    return [
        between.join(names_of) for names_of in product(*(getattr(codings[n], field) for n in names))
    ]


def multiply(columns: Sequence[Floats], n_rows: int) -> Floats:
    """Products of one column of each matrix, in all ways; without any, a column of ones."""
    product = np.ones((n_rows, 1))
    for column in columns:
        product = (product[:, :, None] * column[:, None, :]).reshape(n_rows, -1)
    return product


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
