"""Merge repeated rows into one row with the sum of their weights.

The bound is the same, and the smaller problem costs less. The distinct rows are sorted by their
contents only. Weights and repeated rows are then the same problem to the last bit, in any order
of the rows.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.equal_rows import hash_rows
from rankcut._loops.types import Floats
from rankcut.gp.weight_space import blocks

# Features with more distinct numbers than this (8 MB) are not merged: the copy would cost memory.
_FEW = 1 << 20


class Distinct(NamedTuple):
    """The distinct rows, sorted by their contents, and the weight of each."""

    rows: NDArray[np.int64]
    weight: Floats


def few_distinct(
    features: NDArray[np.floating], codes: NDArray[np.intp], weight: Floats | None
) -> Distinct | None:
    """The distinct pairs of a row and its code, or None if there are too many to copy."""
    return _distinct(features, codes, weight, _FEW // max(1, features.shape[1]))


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
    """Rows with the same hash, checked to be equal; None if there are more than ``limit``."""
    kept = np.arange(len(codes)) if weight is None else np.flatnonzero(weight > 0)
    parts = blocks(len(kept), values.shape[1])
    hashes = np.empty(len(kept), dtype=np.uint64)
    known = np.empty(0, dtype=np.uint64)
    for part in parts:
        some = _hashes(_bits(values[kept[part]]), codes[kept[part]])
        hashes[part] = some
        beside = known.take(np.searchsorted(known, some), mode="clip") if len(known) else ~some
        if (beside != some).any():
            known = np.union1d(known, some[beside != some])
        if len(known) > limit:
            return None
    index = np.searchsorted(known, hashes)
    first = np.empty(len(known), dtype=np.int64)
    # Backwards, so that the first occurrence of each row is written last and stays.
    first[index[::-1]] = kept[::-1]
    for part in parts:
        rows, same = kept[part], first[index[part]]
        equal = _bits(values[rows]) == _bits(values[same])
        if not (equal.all() and (codes[rows] == codes[same]).all()):
            return None  # two rows with one hash, which happens about once in 2**64 pairs
    totals = np.bincount(index, None if weight is None else weight[kept], minlength=len(known))
    return Distinct(first, totals.astype(np.float64))


def _bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Equal numbers as equal bits: adding 0 turns −0 into 0."""
    return (np.asarray(values, dtype=np.float64, order="C") + 0.0).view(np.uint64)


def _hashes(bits: NDArray[np.uint64], codes: NDArray[np.intp]) -> NDArray[np.uint64]:
    hashes = np.empty(len(bits), dtype=np.uint64)
    hash_rows(bits, codes, hashes)
    return hashes
