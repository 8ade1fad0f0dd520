"""Each different ranking as one row, with how often it counts.

The different rankings are sorted by their contents alone. So rows that are counted and rows that
are repeated give the same value to the last bit, in any order of the rows.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.partitions import NOWHERE, close_rows
from rankcut._loops.types import Floats, Longs, Words
from rankcut.parameters import KEPT, check_total
from rankcut.rankings.value import Rankings, block_rows


class Merged(NamedTuple):
    """Different rankings, and which of them each row was."""

    rankings: Rankings  #: each different one once, sorted, with its weight; nobody's in particular
    which: Longs  #: which of them each row is; −1 for a row that counts 0 times


def merge_rankings(rankings: Rankings) -> Merged:
    """Each different ranking once, with the sum of its weights.

    >>> from rankcut.rankings import read_rankings
    >>> merged = merge_rankings(read_rankings([[2, 1], [1, 9], [5, 3]]))
    >>> merged.rankings.groups().tolist(), merged.rankings.weights.tolist(), merged.which.tolist()
    ([[1, 0], [0, 1]], [2.0, 1.0], [0, 1, 0])
    """
    weights = rankings.counts
    check_total(float(weights.sum()))
    kept = np.flatnonzero(weights > 0)
    if len(kept) < len(weights):
        inner = merge_rankings(rankings.rows(kept))
        which = np.full(len(weights), -1, dtype=np.int64)
        which[kept] = inner.which
        return Merged(inner.rankings, which)
    n_rows, n_items = rankings.shape
    if rankings.sparse is not None and n_rows * n_items > KEPT:
        return Merged(replace(rankings, weights=weights, people=None), np.arange(n_rows))
    groups, listed = _small_groups(rankings)
    words = _pack(groups)
    order = _order(words, weights)
    new = np.ones(n_rows, dtype=bool)
    new[1:] = (words[order[1:]] != words[order[:-1]]).any(axis=1)
    first = np.flatnonzero(new)
    which = np.empty(n_rows, dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    different = replace(
        rankings,
        stored=groups[order[first]],
        weights=np.add.reduceat(weights[order], first),
        people=None,
        grouped=True,
        known_listed=listed,
    )
    return Merged(different, which)


def joined(blocks: Sequence[Rankings]) -> Rankings:
    """Rankings of the same items by their groups, one block after the other.

    Each comes from :func:`merge_rankings` or :func:`by_groups`.
    """
    first = blocks[0]
    if len(blocks) == 1:
        return first
    return replace(
        first,
        stored=np.concatenate([block.stored for block in blocks]),
        weights=np.concatenate([block.counts for block in blocks]),
        known_listed=(
            None
            if first.known_listed is None
            else np.any([block.listed() for block in blocks], axis=0)
        ),
    )


def by_groups(rankings: Rankings) -> Rankings:
    """The rankings that count, by the groups of their items in as few bytes as possible."""
    rankings = rankings.rows(rankings.counts > 0)
    groups, listed = _small_groups(rankings)
    return replace(rankings, stored=groups, grouped=True, known_listed=listed)


def _small_groups(rankings: Rankings) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The group of each item, and which items are listed if groups do not say so."""
    if rankings.grouped:
        return rankings.stored, rankings.known_listed
    n_rows, n_items = rankings.shape
    small = np.empty((n_rows, n_items), dtype=np.min_scalar_type(n_items))
    last = rankings.unranked == "last"
    listed = np.zeros(n_items, dtype=bool)
    step = block_rows(n_items)
    for start in range(0, n_rows, step):
        groups = rankings.groups(start, min(start + step, n_rows), close=False)
        if last:
            listed |= (groups != NOWHERE).any(axis=0)
            close_rows(groups)
        # NOWHERE is all ones in any number of bits.
        small[start : start + step] = groups.astype(small.dtype)
    return small, listed if last else None


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
