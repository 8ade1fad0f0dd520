"""The one value that every answer takes: rankings that were read and checked.

Rows are rankings, columns are items, 1 = best. Only the order within a row matters, so any finite
numbers are ranks. Equal values are tied. An unranked item is NaN, or absent in a sparse matrix;
``unranked`` says what that means:

``"error"``
    every item must be ranked (the default everywhere);
``"last"``
    unranked items are tied after all ranked ones: a top-k list;
``"anywhere"``
    their place is unknown: an incomplete ranking.

:func:`rankcut.rankings.read_rankings` makes a :class:`Rankings` of an array, a frame, a CSR array
or a :class:`~rankcut.RankingSet`.

:func:`merge_rankings` makes each different ranking one row. The different rankings are sorted by
their contents alone. So rows that are counted and rows that are repeated give the same value to
the last bit, in any order of the rows.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.partitions import NOWHERE, close_rows, group_rows
from rankcut._loops.types import Floats, Indices, Longs, Words
from rankcut.errors import InputError
from rankcut.rankings.partitions import BLOCK, Partitions, block_rows, order_rows, order_stored
from rankcut.threads import over_rows

Unranked: TypeAlias = Literal["error", "last", "anywhere"]

# Whole numbers up to this are exact in float64.
EXACT = 1 << 53

# A sparse matrix with more cells than this, ranked or not, is left as it is: groups are stored for
# each item, and would take this many bytes or more.
_MOST_CELLS = 1 << 27

# NumPy makes up to this many entries in less time than a compiled loop takes to load.
FEW_ENTRIES = 1 << 14


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rankings of any kind, read and checked once.

    Attributes
    ----------
    stored : ndarray or csr_array of shape (n_rankings, n_items)
        The ranks as they were given; in a CSR array, absent entries are unranked. If ``grouped``,
        the group of each item instead, 0 the best, where the largest number of the type is
        unranked.
    items : tuple or None
        The labels of the items, in the order of the columns; None without labels.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means.
    weights : ndarray of float64 or None
        How often each ranking counts; None: once.
    people : ndarray of int64 or None
        Whose ranking it is, as a number; None: each is someone else's.
    grouped : bool
        Whether groups are stored rather than ranks.
    known_listed : ndarray of bool or None
        Which items someone lists, where ``stored`` no longer says so.
    """

    stored: Any
    items: tuple[Hashable, ...] | None = None
    unranked: Unranked = "error"
    weights: Floats | None = None
    people: Longs | None = None
    grouped: bool = False
    known_listed: NDArray[np.bool_] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rankings, number of items."""
        shape: tuple[int, int] = self.stored.shape
        return shape

    @property
    def sparse(self) -> csr_array | None:
        """The ranks, if they are a sparse matrix."""
        return None if isinstance(self.stored, np.ndarray) else self.stored

    @property
    def single(self) -> bool:
        """Whether the ranks are float32; vectors are then float32 too."""
        return bool(self.stored.dtype == np.float32)

    @property
    def counts(self) -> Floats:
        """How often each ranking counts."""
        return np.ones(self.shape[0]) if self.weights is None else self.weights

    @property
    def counted(self) -> bool:
        """Whether weights are whole numbers, and so say how many people a row stands for."""
        return self.weights is None or bool((self.weights == np.floor(self.weights)).all())

    def item(self, column: int) -> Hashable:
        """The item of a column: its label, or its position if items have no labels."""
        return column if self.items is None else self.items[column]

    def rows(self, chosen: Any) -> "Rankings":
        """Some of the rankings: a mask, a slice, or their numbers, which may repeat."""
        return replace(
            self,
            stored=self.stored[chosen],
            weights=None if self.weights is None else self.weights[chosen],
            people=None if self.people is None else self.people[chosen],
        )

    def read(self, start: int, stop: int) -> Floats:
        """Some rows of dense ranks as float64, NaN where unranked; do not write to them."""
        if self.sparse is not None:
            raise TypeError("read sparse rankings by their blocks or their stored entries")
        rows = self.stored[start:stop]
        if not self.grouped:
            return np.asarray(rows, dtype=np.float64)
        return np.where(rows == np.iinfo(rows.dtype).max, np.nan, rows.astype(np.float64))

    def blocks(
        self, start: int = 0, stop: int | None = None, *, close: bool | None = None
    ) -> Iterator[tuple[int, Partitions]]:
        """Ordered partitions block by block, each with the number of its first row.

        ``close`` ties the unranked items of a ranking in one last group; None: unless they may be
        anywhere. The blocks share memory: use one before asking for the next.
        """
        stop = self.shape[0] if stop is None else min(stop, self.shape[0])
        close = self.unranked != "anywhere" if close is None else close
        n_items = self.shape[1]
        step = min(block_rows(n_items), stop - start)
        room = Partitions.empty(step, n_items)
        for first in range(start, stop, step):
            block = room if stop - first >= step else room[: stop - first]
            if self.sparse is None:
                order_rows(self.read(first, first + len(block)), block, close=close)
            else:
                order_stored(self.sparse, first, block, close=close, everything=True)
            yield first, block

    def listed_blocks(
        self, start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, Partitions]]:
        """As :meth:`blocks`, left open; those of a sparse matrix have only the listed items.

        Their memory grows with the stored entries, not with the number of items.
        """
        stop = self.shape[0] if stop is None else min(stop, self.shape[0])
        matrix = self.sparse
        if matrix is None:
            yield from self.blocks(start, stop, close=False)
            return
        lengths = np.diff(matrix.indptr[start : stop + 1])
        first = start
        while first < stop:
            # As many rows as fill a block, unless a long one among them would waste room.
            full = np.searchsorted(matrix.indptr, matrix.indptr[first] + BLOCK, side="right") - 1
            n_rows = max(1, min(int(full) - first, stop - first, BLOCK))
            longest = int(lengths[first - start : first - start + n_rows].max())
            while n_rows > 1 and n_rows * longest > 2 * BLOCK:
                n_rows = -(-n_rows // 2)
                longest = int(lengths[first - start : first - start + n_rows].max())
            room = Partitions.empty(n_rows, max(1, longest))
            block = Partitions(self.shape[1], *room.chains)
            order_stored(matrix, first, block, close=False, everything=False)
            yield first, block
            first += n_rows

    def groups(
        self,
        start: int = 0,
        stop: int | None = None,
        *,
        close: bool | None = None,
        n_jobs: int | None = None,
    ) -> Indices:
        """``groups[r, i]``: the group of item i in ranking r, 0 the best; NOWHERE if unranked.

        ``close`` is as in :meth:`blocks`.

        >>> Rankings(np.array([[1, 7, 7, 3.5]])).groups()
        array([[0, 2, 2, 1]], dtype=uint32)
        """
        stop = self.shape[0] if stop is None else min(stop, self.shape[0])
        close = self.unranked != "anywhere" if close is None else close
        if self.grouped:
            rows = self.stored[start:stop]
            known: Indices = rows.astype(np.uint32)
            known[rows == np.iinfo(rows.dtype).max] = NOWHERE
            if close:
                close_rows(known)
            return known
        if self.sparse is None and (stop - start) * self.shape[1] <= FEW_ENTRIES:
            few = _groups_of_few(self.read(start, stop))
            if close:
                close_rows(few)
            return few
        groups = np.empty((stop - start, self.shape[1]), dtype=np.uint32)

        def fill(first: int, last: int) -> None:
            for row, block in self.blocks(start + first, start + last, close=close):
                rows = groups[row - start : row - start + len(block)]
                group_rows(block.chains, rows)

        over_rows(fill, stop - start, block_rows(self.shape[1]), n_jobs)
        return groups

    def listed(self) -> NDArray[np.bool_]:
        """Which items are listed by a ranking that counts."""
        if self.known_listed is not None:
            return self.known_listed
        used = self.counts > 0
        listed = np.zeros(self.shape[1], dtype=bool)
        if self.sparse is not None:
            there = np.repeat(used, np.diff(self.sparse.indptr)) & ~np.isnan(self.sparse.data)
            listed[self.sparse.indices[there]] = True
            return listed
        step = block_rows(self.shape[1])
        for start in range(0, self.shape[0], step):
            rows = self.read(start, min(start + step, self.shape[0]))
            listed |= ~np.isnan(rows[used[start : start + step]]).all(axis=0)
        return listed


class Merged(NamedTuple):
    """Different rankings, and which of them each row was.

    Attributes
    ----------
    rankings : Rankings
        Each different ranking once, sorted, with its weight; nobody's in particular.
    which : ndarray of shape (n_rows,)
        Which of them each row is; −1 for a row that counts 0 times.
    """

    rankings: Rankings
    which: Longs


def merge_rankings(rankings: Rankings) -> Merged:
    """Each different ranking once, with the sum of its weights.

    >>> from rankcut.rankings import read_rankings
    >>> merged = merge_rankings(read_rankings([[2, 1], [1, 9], [5, 3]]))
    >>> merged.rankings.groups().tolist(), merged.rankings.weights.tolist(), merged.which.tolist()
    ([[1, 0], [0, 1]], [2.0, 1.0], [0, 1, 0])
    """
    weights = rankings.counts
    if float(weights.sum()) > EXACT:
        raise InputError("adds up to more than 2**53", parameter="sample_weight")
    kept = np.flatnonzero(weights > 0)
    if len(kept) < len(weights):
        inner = merge_rankings(rankings.rows(kept))
        which = np.full(len(weights), -1, dtype=np.int64)
        which[kept] = inner.which
        return Merged(inner.rankings, which)
    n_rows, n_items = rankings.shape
    if rankings.sparse is not None and n_rows * n_items > _MOST_CELLS:
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


def _groups_of_few(ranks: Floats) -> Indices:
    """The group of each item by NumPy: numbers of the different ranks of a row, in their order."""
    order = np.argsort(ranks, axis=1)
    ordered = np.take_along_axis(ranks, order, axis=1)
    later = np.zeros(ranks.shape, dtype=np.uint32)
    np.cumsum(ordered[:, 1:] > ordered[:, :-1], axis=1, out=later[:, 1:])
    groups = np.empty_like(later)
    np.put_along_axis(groups, order, later, axis=1)
    groups[np.isnan(ranks)] = NOWHERE
    return groups
