"""Equal rows, put together in the order of their contents."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats, Longs, Words
from rankcut.rankings.partitions import block_rows


class DistinctRows(NamedTuple):
    """Different rows, in the order of what is in them."""

    rows: Longs  #: a row for each different one
    which: Longs  #: which of them each row is
    sums: Floats  #: the sum of their weights


def distinct_rows(groups: NDArray[Any], weights: Floats) -> DistinctRows:
    """Each different row of groups once; weights are added up in an order that they decide alone.

    >>> distinct_rows(np.array([[1, 0], [0, 1], [1, 0]], dtype=np.uint8), np.ones(3)).sums
    array([2., 1.])
    """
    words = _pack(groups)
    order = _order(words, weights)
    new = np.ones(len(words), dtype=bool)
    new[1:] = (words[order[1:]] != words[order[:-1]]).any(axis=1)
    first = np.flatnonzero(new)
    which = np.empty(len(words), dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    return DistinctRows(order[first], which, np.add.reduceat(weights[order], first))


def _pack(groups: NDArray[Any]) -> Words:
    """Rows of groups in as few words as possible: from 1, and 0 where unranked."""
    n_rows, n_items = groups.shape
    bits = int(n_items).bit_length()
    each = 64 // bits
    shifts = (bits * (np.arange(n_items) % each)).astype(np.uint64)
    firsts = np.arange(0, n_items, each)
    words = np.empty((n_rows, len(firsts)), dtype=np.uint64)
    step = block_rows(n_items)
    nowhere = np.iinfo(groups.dtype).max
    for start in range(0, n_rows, step):
        block = groups[start : start + step]
        codes = np.where(block == nowhere, np.uint64(0), block.astype(np.uint64) + np.uint64(1))
        np.bitwise_or.reduceat(codes << shifts, firsts, axis=1, out=words[start : start + step])
    return words


def _order(words: Words, weights: Floats) -> Longs:
    """Rows sorted by their words, equal ones by weight."""
    if words.shape[1] == 1 and (weights == weights[0]).all():
        return np.argsort(words[:, 0], kind="stable")
    return np.lexsort((weights, *words.T[::-1]))
