"""Covariates as numbers for forests and kernels, from arrays or frames with categories.

Numbers are scaled to mean 0 and deviation 1. A missing number becomes the median, and an indicator
says that it was missing. A column of texts, categories or truth values becomes an indicator for
each frequent value; all are 0 for a missing or new value.

Covariates are the same for all items of a ranking: what is about one of the two sides of a vote, or
their difference, is none.
"""

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats
from rankcut.errors import InputError, Setting
from rankcut.files.columns import tokens_of
from rankcut.parameters import check_size
from rankcut.rankings import as_frame
from rankcut.rankings.ranking_set import RankingSet
from rankcut.sample import weighted_median


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
    middle = weighted_median(values[~missing], weights[~missing])
    filled = np.where(missing, middle, values)
    mean = float(np.average(filled, weights=weights))
    deviation = float(np.sqrt(np.average((filled - mean) ** 2, weights=weights)))
    return NumberColumn(middle, bool(missing.any()), mean, deviation if deviation > 0 else 1.0)


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


def check_no_side(covariates: Any, rankings: Any) -> None:
    """Refuse covariates of votes that say something of one side, such as a difference of lengths.

    A covariate is the same for both items of a vote. Whatever differs between them would move no
    item, because each stands on either side.

    >>> votes = RankingSet(np.array([[1, 2], [2, 1.0]]), ("uni", "ika"),
    ...     columns={"a": np.array(["uni", "uni"]), "b": np.array(["ika", "ika"]),
    ...              "size_a": np.array([3.0, 1]), "size_b": np.array([1.0, 2])},
    ...     details={"sides": ("a", "b")})
    >>> check_no_side(np.array([[2.0], [-1.0]]), votes)
    Traceback (most recent call last):
        ...
    rankcut.errors.InputError: covariate 0 is 'size_a' minus 'size_b', and differs between the two \
items of a vote; features within a choice are for BradleyTerry or PlackettLuce: adjust="size"
    """
    sides = rankings.details.get("sides") if isinstance(rankings, RankingSet) else None
    if not sides or sides[0] not in rankings.columns:
        return
    pairs = _sided_columns(rankings, [tokens_of(side)[-1] for side in sides])
    first = rankings.columns[sides[0]]
    for name, values in _numbers(covariates).items():
        for feature, (one, other) in pairs.items():
            ours, theirs = (np.asarray(rankings.columns[each], float) for each in (one, other))
            for numbers, words in (
                (ours, "is of one side"),
                (theirs, "is of one side"),
                (ours - theirs, f"is {one!r} minus {other!r}"),
                (theirs - ours, f"is {other!r} minus {one!r}"),
            ):
                if np.array_equal(values, numbers, equal_nan=True):
                    raise _refusal(name, words, feature)
        if values.min() < 0 < values.max() and _goes_with_winner(values, first, rankings):
            raise _refusal(
                name,
                "goes with the side that wins",
                str(name),
                f", with its values in a column '{name}_a' and 0 in '{name}_b'",
            )


def _sided_columns(rankings: RankingSet, ends: list[str]) -> dict[str, tuple[str, str]]:
    """Columns of numbers whose names differ by their side alone, by what they share."""
    by_side: list[dict[str, str]] = [{}, {}]
    for name, values in rankings.columns.items():
        words = tokens_of(str(name))
        if len(words) > 1 and words[-1] in ends and values.dtype.kind == "f":
            by_side[ends.index(words[-1])]["_".join(words[:-1])] = name
    return {
        stem: (name, by_side[1][stem]) for stem, name in by_side[0].items() if stem in by_side[1]
    }


def _numbers(covariates: Any) -> dict[Any, Floats]:
    frame = as_frame(covariates)
    if frame is None:
        return dict(enumerate(np.asarray(covariates, dtype=np.float64).T))
    return {
        column.name: np.asarray(column.to_numpy(), dtype=np.float64)
        for column in frame.iter_columns()
        if is_number(column.dtype)
    }


def _goes_with_winner(values: Floats, first: Any, rankings: RankingSet) -> bool:
    """Whether a number is clearly correlated with the side that is ahead."""
    ranks = rankings.sparse()
    rows = np.repeat(np.arange(len(rankings)), np.diff(ranks.indptr))
    labels = np.array([str(item) for item in rankings.items], dtype=object)[ranks.indices]
    ours = labels == np.array([str(item) for item in first], dtype=object)[rows]
    ahead = np.bincount(rows, np.where(ours, -ranks.data, ranks.data), len(rankings))
    if np.ptp(ahead) == 0:
        return False
    correlation = np.corrcoef(values, ahead)[0, 1]
    # Five standard errors: by chance, one covariate in two million has as many.
    return bool(abs(correlation) * len(values) ** 0.5 > 5.0)


def _refusal(name: Any, problem: str, feature: str, more: str = "") -> InputError:
    return InputError(
        f"covariate {name!r} {problem}, and differs between the two items of a vote",
        remedy=[
            "features within a choice are for BradleyTerry or PlackettLuce: ",
            Setting("adjust", feature),
            more,
        ],
    )
