"""Strengths by terms: η = Zφ, a design of one column of each term for each entry (ranking, item).

============ ====================================== ==============================================
term         column of an entry                     prior, if the evidence is asked
============ ====================================== ==============================================
items        its item                               the item graph's
covariate    its item, times what the ranking's     the item graph's, with a variance of its own
             row says
feature      one for all, times what was shown      none
contexts     its item and context, beside items     always: contexts alike, or along their graph
over         its item and period                    always: :mod:`rankcut.strengths.chains`
============ ====================================== ==============================================

Strengths and coefficients of items are those about their mean: nothing changes if all rise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from rankcut._loops.types import Floats, Longs
from rankcut.errors import InputError
from rankcut.graphs.item_graph import ItemGraph
from rankcut.parameters import ROUNDING, check_size
from rankcut.strengths.choices import Choices, Ties
from rankcut.strengths.likelihood import ChoiceLikelihood
from rankcut.strengths.periods import Periods

#: What an entry has: from numbers of rankings and items to numbers.
Entries: TypeAlias = Callable[[Longs, Longs], Any]


class NoMaximumError(InputError):
    """The likelihood has no maximum, or several."""


@dataclass(frozen=True, eq=False)
class Term:
    """One term, made by one of the functions below."""

    name: str
    kind: Literal["items", "covariate", "feature", "contexts", "over"]
    values: Entries  #: by which a column counts for an entry
    #: Of each ranking: its context, −1 if it has none
    codes: Longs | None = None  #: or its period
    labels: tuple[Any, ...] = ()  #: of contexts, or of periods
    graph: ItemGraph | None = None  #: of contexts
    times: Floats | None = None  #: of periods
    #: Over time: items times the number of periods, plus the period, of each column
    cells: Longs | None = None

    def n_columns(self, n_items: int) -> int:
        """How many coefficients there are."""
        if self.cells is not None:
            return len(self.cells)
        return {"feature": 1, "contexts": n_items * len(self.labels)}.get(self.kind, n_items)

    def placed(self, choices: Choices) -> "Term":
        """The term with its columns: over time, each item has some of the periods."""
        if self.kind != "over":
            return self
        assert self.codes is not None
        n_periods = len(self.labels)
        cells = choices.items.astype(np.int64) * n_periods + self.codes[choices.owners()]
        absent = np.setdiff1d(np.arange(choices.n_items), choices.items)
        return replace(self, cells=np.union1d(cells, absent * n_periods))

    def of_rows(self, rows: Longs) -> "Term":
        """The term for some of the rankings, which may repeat."""
        values = self.values
        codes = None if self.codes is None else self.codes[rows]
        return replace(self, values=lambda some, items: values(rows[some], items), codes=codes)

    def entries(self, rows: Longs, items: Longs, n_items: int) -> tuple[Longs, Floats]:
        """The column of each entry, and what it counts for."""
        values = np.asarray(self.values(rows, items), dtype=np.float64)
        if self.kind == "feature":
            return np.zeros(len(rows), dtype=np.int64), values
        if self.codes is None:
            return items, values
        if self.cells is not None:
            return np.searchsorted(self.cells, items * len(self.labels) + self.codes[rows]), values
        codes = self.codes[rows]
        return np.maximum(codes, 0) * n_items + items, values * (codes >= 0)


def items() -> Term:
    """The strengths of items."""
    return Term("strength", "items", lambda rows, _: np.ones(len(rows)))


def covariate(name: str, values: Floats) -> Term:
    """What a person's covariate adds to each item; ``values`` has a number for each ranking."""
    return Term(name, "covariate", lambda rows, _: values[rows])


def feature(name: str, values: Floats | Entries) -> Term:
    """A feature of what was shown, with one coefficient.

    ``values`` are an array with a row for each ranking and a column for each item, or a function of
    numbers of rankings and items.
    """
    if callable(values):
        return Term(name, "feature", values)
    return Term(name, "feature", lambda rows, items: values[rows, items])


def contexts(
    name: str, codes: Longs, labels: Sequence[Any], graph: ItemGraph | None = None
) -> Term:
    """Items by context, beside their common part; −1 is no context."""
    if not labels:
        raise InputError(f"{name!r} has no value for any ranking", parameter="by")
    ones: Entries = lambda rows, _: np.ones(len(rows))  # noqa: E731 - as in items()
    return Term(name, "contexts", ones, codes, tuple(labels), graph)


def over(name: str, periods: Periods) -> Term:
    """Items over time: a strength for each period in which an item was at choice."""
    ones: Entries = lambda rows, _: np.ones(len(rows))  # noqa: E731 - as in items()
    return Term(name, "over", ones, periods.codes, periods.labels, times=periods.times)


@dataclass(frozen=True, eq=False)
class TermDesign:
    """The likelihood of terms: different rankings, and what each of their entries counts for."""

    likelihood: ChoiceLikelihood
    which: Longs  #: the different ranking of each row
    places: list[slice]  #: where the columns of each term are
    #: Of each column, by which its values are divided, so that steps and bounds suit all alike
    sizes: Floats

    @classmethod
    def of(
        cls, choices: Choices, terms: Sequence[Term], ties: Ties, n_jobs: int | None
    ) -> "TermDesign":
        """The design of terms; strengths of items alone need none."""
        ends = np.cumsum([0] + [term.n_columns(choices.n_items) for term in terms]).tolist()
        places = [slice(a, b) for a, b in pairwise(ends)]
        if [term.kind for term in terms] == ["items"]:
            distinct, which, _ = choices.merged()
            return cls(ChoiceLikelihood(distinct, ties, n_jobs), which, places, np.ones(ends[-1]))
        choices = choices.with_others_as_entries()
        columns, values, sizes = _columns(choices, terms, places)
        distinct, which, entries = choices.merged(columns, values)
        starts = np.arange(len(entries) + 1) * len(terms)
        cells = (
            values.take(entries, axis=0).ravel(),
            columns.take(entries, axis=0).ravel(),
            starts,
        )
        design = csr_array(cells, shape=(len(entries), ends[-1]))
        return cls(ChoiceLikelihood(distinct, ties, n_jobs, design), which, places, sizes)


def _columns(
    choices: Choices, terms: Sequence[Term], places: Sequence[slice]
) -> tuple[Longs, Floats, Floats]:
    """Columns and values of each entry, a pair for each term; and the size of each coefficient.

    Features are taken about their mean in each ranking: nothing else of them counts.
    """
    owners = choices.owners()
    lengths = np.maximum(np.diff(choices.starts), 1)
    share = (choices.weights * choices.informative / lengths)[owners]
    columns = np.empty((len(owners), len(terms)), dtype=np.int64)
    values = np.empty((len(owners), len(terms)))
    sizes = np.ones(places[-1].stop)
    for k, (term, place) in enumerate(zip(terms, places, strict=True)):
        column, raw = term.entries(owners, choices.items.astype(np.int64), choices.n_items)
        value = raw
        check_size(raw, f"the values of {term.name!r}")
        if term.kind == "feature":
            value = raw - (np.bincount(owners, raw, choices.n_rankings) / lengths)[owners]
        size = 1.0
        if term.kind in ("covariate", "feature"):
            size = float(np.sqrt(share @ value**2 / (share.sum() or 1.0)))
            if size <= ROUNDING * float(np.abs(raw).max(initial=0.0)):
                size = 1.0
                if term.kind == "feature":
                    raise NoMaximumError(
                        f"{term.name!r} never differs between the items of a choice",
                        remedy="leave it out",
                    )
        columns[:, k], values[:, k], sizes[place] = place.start + column, value / size, size
    return columns, values, sizes
