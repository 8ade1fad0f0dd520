"""Attributes of items and profiles: utilities that are sums of part-worths.

A column of numbers has one coefficient; a column of categories has one for each level, about their
mean. A missing value is worth as much as the average.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import linalg

from rankcut._loops.types import Flags, Floats
from rankcut.errors import InputError
from rankcut.graphs.item_features import as_item_features
from rankcut.parameters import ROUNDING
from rankcut.rankings.labels import order_by_name

# What the coefficient of a profile without attributes is called.
NONE = "none"


@dataclass(frozen=True, eq=False)
class Attribute:
    """How the values of an attribute become columns."""

    name: str
    levels: tuple[str, ...]  #: none of a number
    centre: float = 0.0  #: of numbers
    size: float = 1.0  #: their standard deviation
    ends: tuple[float, float] = (0.0, 0.0)  #: the lowest and the highest of them

    @classmethod
    def of(cls, name: str, values: Any) -> "Attribute":
        """The attribute with these values: numbers with NaN, or anything else with None."""
        if np.asarray(values).dtype.kind in "fiub":
            numbers = np.asarray(values, dtype=np.float64)
            numbers = numbers[~np.isnan(numbers)]
            if not numbers.size:
                return cls(name, ())
            size, ends = float(numbers.std()) or 1.0, (float(numbers.min()), float(numbers.max()))
            return cls(name, (), float(numbers.mean()), size, ends)
        return cls(name, tuple(sorted({str(value) for value in values if value is not None})))

    @property
    def coefficients(self) -> list[str]:
        """A name for each coefficient."""
        return [f"{self.name}: {level}" for level in self.levels] or [self.name]

    def code(self, values: Any) -> Floats:
        """A column for each coefficient, of mean 0 over levels; 0 where a value is missing."""
        if not self.levels:
            try:
                numbers = np.asarray(values, dtype=np.float64)
            except (TypeError, ValueError):
                raise InputError(f"{self.name!r} is a number", parameter="profiles") from None
            return np.nan_to_num((numbers - self.centre) / self.size, nan=0.0)[:, None]
        numbers_of = {level: number for number, level in enumerate(self.levels)}
        codes = [-1 if value is None else numbers_of.get(str(value), -2) for value in values]
        if -2 in codes:
            raise InputError(
                f"{values[codes.index(-2)]!r} is not among the levels of {self.name!r}, such as "
                f"{self.levels[0]!r}",
                parameter="profiles",
            )
        n = len(self.levels)
        return np.asarray(np.vstack([np.eye(n) - 1.0 / n, np.zeros(n)])[codes])

    @property
    def extremes(self) -> Floats:
        """The columns of each level, or of the lowest and the highest number."""
        return self.code(self.levels or self.ends)


@dataclass(frozen=True, eq=False)
class Attributes:
    """A row for each item, a column for each coefficient."""

    each: tuple[Attribute, ...]
    design: Floats
    has_none: bool = False  #: whether the last coefficient is that of a profile without attributes

    @classmethod
    def of_items(cls, table: Any, items: tuple[Hashable, ...] | None, n_items: int) -> "Attributes":
        """The attributes of a frame, mapping, array or ItemTable with a row for each item."""
        columns, labels = columns_of(table)
        n_rows = len(next(iter(columns.values()))) if columns else 0
        if n_rows != n_items:
            raise InputError(
                f"has {n_rows:,} rows for {n_items:,} items",
                parameter="attributes",
                remedy="give a table with a row for each item",
            )
        order = order_by_name(labels, items, "the attributes", "the rankings")
        if order is not None:
            columns = {name: values[order] for name, values in columns.items()}
        for name, values in columns.items():
            if values.dtype.kind == "f" and not np.isfinite(values).all():
                row = int(np.argmin(np.isfinite(values)))
                item = row if items is None else items[row]
                raise InputError(f"has no number in column {name!r} of its attributes", item=item)
        return cls.of(columns)

    @classmethod
    def of(cls, columns: Mapping[str, Any], is_none: Flags | None = None) -> "Attributes":
        """The attributes of columns, and which rows have none of them."""
        each = tuple(Attribute.of(name, values) for name, values in columns.items())
        has_none = is_none is not None and bool(is_none.any())
        blank = cls(each, np.zeros((0, 0)), has_none)
        return cls(each, blank.code(columns, is_none), has_none)

    def code(self, columns: Mapping[str, Any], is_none: Flags | None = None) -> Floats:
        """The columns of other profiles."""
        blocks = [attribute.code(columns[attribute.name]) for attribute in self.each]
        if self.has_none:
            none = np.zeros(len(blocks[0])) if is_none is None else is_none
            blocks.append(np.asarray(none, dtype=np.float64)[:, None])
        return np.concatenate(blocks, axis=1)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(attribute.name for attribute in self.each)

    @property
    def coefficients(self) -> list[str]:
        """A name for each coefficient."""
        names = [name for attribute in self.each for name in attribute.coefficients]
        return [*names, NONE] if self.has_none else names

    @property
    def sizes(self) -> Floats:
        """What coefficients are divided by, to be those of a unit."""
        sizes = [attribute.size for attribute in self.each for _ in attribute.coefficients]
        return np.array([*sizes, 1.0] if self.has_none else sizes)

    @property
    def places(self) -> list[slice]:
        """The coefficients of each attribute."""
        ends = np.cumsum([0, *(len(attribute.coefficients) for attribute in self.each)]).tolist()
        return [slice(a, b) for a, b in pairwise(ends)]

    @cached_property
    def constants(self) -> Floats:
        """Directions of coefficients that no utility depends on, orthonormal."""
        about = self.design - self.design.mean(axis=0)
        _, sizes, directions = linalg.svd(about, full_matrices=len(about) < about.shape[1])
        sizes = np.append(sizes, np.zeros(len(directions) - len(sizes)))
        # What moves all items alike, or none, is not to be learned.
        return np.asarray(directions[sizes <= ROUNDING * sizes.max(initial=1.0)].T)

    def importance(self, coefficients: Floats) -> Floats:
        """The range of part-worths of each attribute, as a share of all ranges."""
        parts = [
            coefficients[:, place] @ attribute.extremes.T
            for place, attribute in zip(self.places, self.each, strict=True)
        ]
        spans = np.stack([np.ptp(part, axis=1) for part in parts], axis=1)
        return np.asarray(spans / np.maximum(spans.sum(axis=1, keepdims=True), 1e-300))


def columns_of(table: Any) -> tuple[dict[str, Any], tuple[Hashable, ...] | None]:
    """The columns of a frame, mapping, array or ItemTable by name, and the names of its rows."""
    features = as_item_features(table)
    assert features is not None
    if features.matrix is None:
        return dict(zip(map(str, features.names), features.columns, strict=True)), features.labels
    matrix = np.asarray(features.matrix)
    n_columns = matrix.shape[1] if matrix.ndim == 2 else 0
    return {f"x{i}": matrix[:, i] for i in range(n_columns)}, None
