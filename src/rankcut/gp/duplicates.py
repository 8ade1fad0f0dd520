"""Merge repeated rows into one row with the sum of their weights.

The bound is the same, and the smaller problem costs less. The distinct rows are sorted by their
contents only. Weights and repeated rows are then the same problem to the last bit, in any order
of the rows.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.equal_rows import find_rows, hash_rows
from rankcut._loops.types import Floats

# Features with more distinct numbers than this are not merged: the copy would cost memory.
_FEW = 1 << 20

# Rows are read in blocks of about this many numbers.
_BLOCK = 1 << 16


class Distinct(NamedTuple):
    """The distinct rows, sorted by their contents, and the weight of each."""

    rows: NDArray[np.int64]
    weight: Floats


def few_distinct(
    features: NDArray[np.floating], codes: NDArray[np.intp], weight: Floats | None
) -> Distinct | None:
    """The distinct pairs of a row and its code, or None if there are too many to copy."""
    limit = most_distinct(features.shape[1])
    return _distinct(features, codes, weight, min(limit, len(codes)))


def most_distinct(n_features: int) -> int:
    """The largest number of distinct rows that is worth copying."""
    return _FEW // max(1, n_features)


def few_hashes(features: NDArray[np.floating], weight: Floats) -> NDArray[np.uint64] | None:
    """Hashes of the distinct rows of positive weight, or None if there are too many."""
    rows = _bits(features[weight > 0])
    hashes = np.unique(_hashes(rows, np.zeros(len(rows), dtype=np.intp)))
    return hashes if len(hashes) <= most_distinct(features.shape[1]) else None


def distinct_rows(X: Any, codes: NDArray[np.intp], weight: Floats | None) -> Distinct:
    """The distinct pairs of a row and its code, for rows passed to a kernel.

    Rows that are not an array or a frame of numbers all count as distinct.
    """
    values = np.asarray(X) if hasattr(X, "__array__") else np.empty(0)
    if values.ndim == 2 and values.dtype.kind in "fiub":
        found = _distinct(values, codes, weight, len(codes))
        if found is not None:
            return found
    everything = np.ones(len(codes)) if weight is None else weight
    weighty = np.flatnonzero(everything > 0)
    return Distinct(weighty, everything[weighty])


def distinct_points(
    gram: NDArray[np.floating], codes: NDArray[np.intp], weight: Floats | None
) -> Distinct:
    """The distinct pairs of a row of a Gram matrix and its code.

    A row of a Gram matrix depends on the order of the points and on which are repeated. Once
    merged and sorted, it does not.
    """
    rows, totals = distinct_rows(gram, codes, weight)
    left = np.sort(gram[np.ix_(rows, rows)], axis=1)
    order = np.argsort(_hashes(_bits(left), codes[rows]), kind="stable")
    return Distinct(rows[order], totals[order])


def _distinct(
    values: NDArray[Any], codes: NDArray[np.intp], weight: Floats | None, limit: int
) -> Distinct | None:
    n_columns = values.shape[1]
    known = np.empty((limit, n_columns), dtype=np.uint64)
    known_codes, first = np.empty(limit, dtype=np.int64), np.empty(limit, dtype=np.int64)
    known_hashes = np.empty(limit, dtype=np.uint64)
    totals = np.zeros(limit)
    slots = np.full(1 << (2 * limit + 1).bit_length(), -1, dtype=np.int64)
    n_known = 0
    size = max(64, _BLOCK // max(1, n_columns))
    for start in range(0, len(codes), size):
        block = slice(start, min(start + size, len(codes)))
        weights = np.ones(block.stop - start) if weight is None else weight[block]
        weighty = np.flatnonzero(weights > 0)
        rows, labels = _bits(values[block][weighty]), codes[block][weighty]
        index = np.empty(len(rows), dtype=np.int64)
        table = known, known_codes, known_hashes, slots
        n_now = find_rows(rows, labels, _hashes(rows, labels), n_known, *table, index)
        if n_now < 0:
            return None
        # Backwards, so that the first occurrence of each row is written last and stays.
        fresh = index >= n_known
        first[index[fresh][::-1]] = start + weighty[fresh][::-1]
        n_known = n_now
        totals[:n_known] += np.bincount(index, weights[weighty], minlength=n_known)
    order = np.argsort(known_hashes[:n_known], kind="stable")
    return Distinct(first[:n_known][order], totals[:n_known][order])


def _bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Equal numbers as equal bits: adding 0 turns −0 into 0."""
    return (np.asarray(values, dtype=np.float64, order="C") + 0.0).view(np.uint64)


def _hashes(bits: NDArray[np.uint64], codes: NDArray[np.intp]) -> NDArray[np.uint64]:
    hashes = np.empty(len(bits), dtype=np.uint64)
    hash_rows(bits, codes, hashes)
    return hashes
