"""Covariates as numbers for forests and kernels, from arrays or frames with categories.

Numbers are scaled to mean 0 and deviation 1. A missing number becomes the median, and an indicator
says that it was missing. A column of texts, categories or truth values becomes an indicator for
each frequent value; all are 0 for a missing or new value.
"""

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.parameters import check_size
from rankcut.rankings import as_frame


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of numbers: its scale, what replaces a missing one, and whether one is marked."""

    middle: float
    has_missing: bool
    mean: float
    deviation: float

    def encode(self, values: Floats) -> list[Floats]:
        """The encoded columns."""
        missing = np.isnan(values)
        scaled = (np.where(missing, self.middle, values) - self.mean) / self.deviation
        return [scaled, missing.astype(np.float64)] if self.has_missing else [scaled]


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of categories: the values that have an indicator."""

    values: list[Any]

    def encode(self, values: NDArray[np.object_]) -> list[Floats]:
        """The encoded columns."""
        return [
            np.fromiter((value == category for value in values), np.float64, len(values))
            for category in self.values
        ]


@dataclass(frozen=True, eq=False)
class CovariateEncoder:
    """From a table of covariates to a matrix of numbers.

    >>> table = np.array([[1.0, 5.0], [np.nan, 7.0], [3.0, 9.0]])
    >>> fit_encoder(table, np.ones(3)).encode(table).round(1)
    array([[-1.2,  0. , -1.2],
           [ 0. ,  1. ,  0. ],
           [ 1.2,  0. ,  1.2]])
    """

    columns: list[NumberColumn | CategoryColumn]

    def encode(self, table: Any) -> Floats:
        """Encode rows of the columns that were fitted."""
        n_rows = len(table)
        kinds = [isinstance(column, CategoryColumn) for column in self.columns]
        encoded = [
            part
            for column, values in zip(self.columns, _columns(table, kinds), strict=True)
            for part in column.encode(values)
        ]
        return np.column_stack(encoded) if encoded else np.zeros((n_rows, 0))


def fit_encoder(table: Any, weights: Floats) -> CovariateEncoder:
    """Learn scales, medians and categories of a table: a 2D array of numbers or a frame."""
    frame = as_frame(table)
    kinds = [False] * np.shape(table)[1]
    if frame is not None:
        kinds = [not is_number(series.dtype) for series in frame.iter_columns()]
    return CovariateEncoder(
        [
            _fit_category(values, weights) if is_category else _fit_number(values, weights)
            for is_category, values in zip(kinds, _columns(table, kinds), strict=True)
        ]
    )


def _fit_number(values: Floats, weights: Floats) -> NumberColumn:
    missing = np.isnan(values)
    middle = 0.0 if missing.all() else _median(values[~missing], weights[~missing])
    filled = np.where(missing, middle, values)
    mean = float(np.average(filled, weights=weights))
    deviation = float(np.sqrt(np.average((filled - mean) ** 2, weights=weights)))
    return NumberColumn(middle, bool(missing.any()), mean, deviation if deviation > 0 else 1.0)


def _median(values: Floats, weights: Floats) -> float:
    """The median of values that count so often."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    middle = [np.searchsorted(below, below[-1] / 2, side) for side in ("left", "right")]
    return float(values[order[np.minimum(middle, len(order) - 1)]].mean())


def _fit_category(values: NDArray[np.object_], weights: Floats) -> CategoryColumn:
    counts: dict[Any, float] = {}
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        if value is not None:
            counts[value] = counts.get(value, 0.0) + weight
    frequent = sorted(counts, key=lambda value: (-counts[value], str(value)))[:30]
    return CategoryColumn(frequent)


def _columns(table: Any, kinds: list[bool]) -> list[Any]:
    """The columns, categories as objects with None where missing, the others as numbers."""
    frame = as_frame(table)
    if frame is None:
        return list(np.asarray(table, dtype=np.float64).T)
    return [
        objects_of(series) if is_category else numbers_of(series, series.name)
        for series, is_category in zip(frame.iter_columns(), kinds, strict=True)
    ]


def is_number(dtype: Any) -> bool:
    """Whether a column of this type holds numbers, dates or times."""
    return bool(dtype.is_numeric() or dtype.is_temporal())


def numbers_of(series: nw.Series[Any], name: Any) -> Floats:
    """A column as numbers, NaN where missing."""
    if series.dtype.is_temporal():
        missing = series.is_null().to_numpy().astype(bool)
        # Dates and times by their number since the epoch, in the column's own unit.
        numbers = np.asarray(series.to_numpy()).astype("datetime64[us]").astype(np.float64)
        return np.where(missing, np.nan, numbers)
    values = np.empty(len(series))
    for row, value in enumerate(series.to_list()):
        try:
            values[row] = np.nan if value is None else float(value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"column {name!r} had numbers when the model was fitted, but here is {value!r}",
                row=row,
                remedy="correct it, or leave it empty if it is unknown",
            ) from None
    if np.isinf(values).any():
        raise InputError(f"column {name!r} contains infinity", row=int(np.isinf(values).argmax()))
    check_size(values, f"the numbers of column {name!r}")
    return values


def objects_of(series: nw.Series[Any]) -> NDArray[np.object_]:
    """A column as objects, None where missing."""
    values = np.empty(len(series), dtype=object)
    values[:] = [None if value is None or value != value else value for value in series.to_list()]
    return values
