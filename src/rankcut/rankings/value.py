"""The one value that every answer takes, rankings that were read and checked, and its loop arrays.

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
or a :class:`~rankcut.RankingSet`. Loops take it block by block, as :class:`Partitions`.
:func:`merge_rankings` has each different ranking once, sorted by contents alone: rows that are
counted and rows that are repeated, in any order, give the same value to the last bit.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.increments import SHARING
from rankcut._loops.partitions import (
    NOWHERE,
    close_rows,
    group_rows,
    order_other_rows,
    order_permutations,
    order_sparse_rows,
    pool_rows,
)
from rankcut._loops.types import Chains, Floats, Indices, Ints, Longs, Words
from rankcut.errors import InputError
from rankcut.parameters import KEPT, check_total
from rankcut.threads import over_rows

Unranked: TypeAlias = Literal["error", "last", "anywhere"]

# Computed numbers that differ by less than this share of the largest are equal up to rounding.
ROUNDING = 1e-9

# A block has about this many entries: few enough that a core's cache holds what is made from them,
# and enough that the time Python needs for each block does not matter.
BLOCK = 1 << 16

# With many items, rankings share what is loaded of a dense graph: up to this many in a block, as
# long as it is no more than four times as large for that.
_SHARING = 4 * SHARING

# NumPy makes up to this many entries in less time than a compiled loop takes to load.
FEW_ENTRIES = BLOCK // 4


@dataclass(frozen=True, eq=False)
class Partitions:
    """A block of ordered partitions of the same n items.

    The arrays ``order`` and ``ends`` have one spare column, which the loops may overwrite, and
    fewer than n others if they list only ranked items.
    """

    n_items: int
    order: Indices
    ends: Ints
    n_groups: Ints

    @classmethod
    def empty(cls, n_rows: int, n_items: int) -> "Partitions":
        """Room for ``n_rows`` partitions."""
        return cls(
            n_items,
            np.empty((n_rows, n_items + 1), dtype=np.uint32),
            np.empty((n_rows, n_items + 1), dtype=np.int32),
            np.empty(n_rows, dtype=np.int32),
        )

    @classmethod
    def of_groups(cls, chains: Sequence[Sequence[Sequence[int]]], n_items: int) -> "Partitions":
        """Ordered partitions written as lists of groups, best first; each holds all items."""
        block = cls.empty(len(chains), n_items)
        for row, groups in enumerate(chains):
            items = [item for group in groups for item in group]
            if sorted(items) != list(range(n_items)) or not all(map(len, groups)):
                raise InputError(
                    f"{[list(group) for group in groups]} is not an ordered partition of {n_items} "
                    f"items; each item from 0 to {n_items - 1} belongs to exactly one group, and "
                    "no group is empty"
                )
            block.order[row, :n_items] = items
            block.ends[row, : len(groups)] = np.cumsum([len(group) for group in groups])
            block.n_groups[row] = len(groups)
        return block

    @classmethod
    def of_orders(cls, orders: NDArray[Any]) -> "Partitions":
        """Full rankings, each row an order of all items, best first."""
        n_rows, n_items = orders.shape
        block = cls.empty(n_rows, n_items)
        block.order[:, :n_items] = orders
        block.ends[:, :n_items] = np.arange(1, n_items + 1)
        block.n_groups[:] = n_items
        return block

    @classmethod
    def of_sets(cls, inside: NDArray[np.bool_]) -> "Partitions":
        """The chain A, V of each set A, a row of truth values; for ∅ and V it is just V."""
        n_rows, n_items = inside.shape
        block = cls.empty(n_rows, n_items)
        block.order[:, :n_items] = np.argsort(~inside, axis=1, kind="stable")
        sizes = inside.sum(axis=1)
        proper = (sizes > 0) & (sizes < n_items)
        block.ends[:, 0] = np.where(proper, sizes, n_items)
        block.ends[:, 1] = n_items
        block.n_groups[:] = np.where(proper, 2, 1)
        return block

    def __len__(self) -> int:
        return len(self.n_groups)

    @property
    def chains(self) -> Chains:
        """The arrays, for compiled loops."""
        return Chains(self.order, self.ends, self.n_groups)

    def n_ranked(self) -> NDArray[np.int64]:
        """How many items of each partition are in a group."""
        last = np.maximum(self.n_groups - 1, 0)
        ends = self.ends[np.arange(len(self)), last]
        return np.where(self.n_groups > 0, ends, 0).astype(np.int64)

    def __getitem__(self, rows: Any) -> "Partitions":
        """Some rows: a slice shares memory, numbers of rows copy them."""
        return Partitions(self.n_items, self.order[rows], self.ends[rows], self.n_groups[rows])

    def pool(self, increments: Floats, out: NDArray[Any]) -> None:
        """Slopes of each item's group, made non-increasing by pooling neighbouring groups.

        ``increments`` has the rise of the set function at each group; ``out`` has a column for each
        item. Items in no group have 0.
        """
        pool_rows(self.chains, increments, out)

    def reversed(self) -> "Partitions":
        """The same partitions of all items, worst group first."""
        n = self.n_items
        block = Partitions.empty(len(self), n)
        block.order[:, :n] = self.order[:, :n][:, ::-1]
        block.n_groups[:] = self.n_groups
        # Group t ends where, from the other end, the group before its mirror image did.
        mirror = self.n_groups[:, None] - 2 - np.arange(n + 1)
        ends = np.take_along_axis(self.ends, np.maximum(mirror, 0), axis=1)
        block.ends[:] = np.where(mirror >= 0, n - ends, n)
        return block


def block_rows(n_items: int) -> int:
    """How many rankings of ``n_items`` items make a block."""
    rows = max(1, BLOCK // n_items, min(_SHARING, 4 * BLOCK // n_items))
    return rows if rows < _SHARING else rows // _SHARING * _SHARING


def order_rows(rows: Floats, block: Partitions, *, close: bool) -> None:
    """Fill a block with the order of some rows of ranks; ``close`` ties unranked items last."""
    # The loops are compiled once, for arrays of this kind.
    if not rows.flags.carray:
        rows = rows.copy()
    if order_permutations(rows, block.chains):
        order_other_rows(rows, close, block.chains)


def order_stored(
    matrix: Any, first: int, block: Partitions, *, close: bool, everything: bool
) -> None:
    """As :func:`order_rows` for rows of a CSR matrix; with ``everything``, unranked items too."""
    starts = matrix.indptr[first : first + len(block) + 1]
    entries = slice(starts[0], starts[-1])
    order_sparse_rows(
        (starts - starts[0]).astype(np.uint32),
        matrix.indices[entries].astype(np.uint32),
        matrix.data[entries].astype(np.float64),
        block.n_items,
        close,
        everything,
        block.chains,
    )


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rankings of any kind, read and checked once."""

    #: The ranks as they were given; in a CSR array, absent entries are unranked. If ``grouped``,
    #: the group of each item instead, 0 the best; the largest number of the type is unranked.
    stored: Any
    items: tuple[Hashable, ...] | None = None  #: labels, in the order of the columns
    unranked: Unranked = "error"
    weights: Floats | None = None  #: how much each ranking counts; None: all alike
    counted: bool = True  #: whether weights count people; otherwise each row is one person
    people: Longs | None = None  #: whose ranking it is, as a number; None: each is someone else's
    grouped: bool = False
    #: Which items someone lists, where ``stored`` no longer says so
    known_listed: NDArray[np.bool_] | None = None
    asked_ties: bool = True  #: whether people said that tied items are equal

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

    def among(self, columns: NDArray[Any]) -> "Rankings":
        """What they say of some of the items."""
        ranks = self.stored if self.sparse is not None else self.read(0, self.shape[0])
        items = tuple(self.item(column) for column in columns.tolist())
        return replace(
            self, stored=ranks[:, columns], items=items, grouped=False, known_listed=None
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

    def says_something(self) -> NDArray[np.bool_]:
        """Which rankings list an item; a top-k list that ties all items says nothing."""
        if self.unranked == "error":
            return np.ones(self.shape[0], dtype=bool)
        if self.sparse is not None:
            return np.asarray(np.diff(self.sparse.indptr) > 0)
        if self.grouped and self.unranked == "last":
            return np.asarray(self.stored.any(axis=1))
        unranked = np.iinfo(self.stored.dtype).max if self.grouped else np.nan
        there = self.stored != unranked if self.grouped else ~np.isnan(self.stored)
        return np.asarray(there.any(axis=1))

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
