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
or a :class:`~rankcut.RankingSet`; verbs make others of it. Loops take it block by block, as
:class:`~rankcut.rankings.partitions.Partitions`.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.partitions import NOWHERE, close_rows, group_rows
from rankcut._loops.types import Floats, Indices, Longs
from rankcut.parameters import KEPT, check_total
from rankcut.rankings.labels import order_by_name
from rankcut.rankings.merging import distinct_rows
from rankcut.rankings.partitions import (
    BLOCK,
    FEW_ENTRIES,
    Partitions,
    block_rows,
    order_rows,
    order_stored,
)
from rankcut.rankings.stored import dense_ranks
from rankcut.threads import over_rows
from rankcut.vocabulary import Unranked as Unranked


def is_nearly_full(lengths: NDArray[Any], counts: NDArray[Any], n_items: int) -> bool:
    """Whether nearly all rankings of some items, by how many each lists, list all of them.

    >>> is_nearly_full(np.array([3, 3, 2, 0]), np.array([30, 7, 4, 5]), 3)
    True
    """
    full, filled = counts @ (lengths == n_items), counts @ (lengths > 0)
    # If one in ten leaves out items, it hardly matters what that means.
    return bool(full >= 0.9 * filled)


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rankings of any kind, read and checked once."""

    #: The ranks as they came; in a CSR array, absent entries are unranked. If ``grouped``, the
    #: group of each item instead, 0 the best; the largest number of the type is unranked.
    stored: Any
    items: tuple[Hashable, ...] | None = None  #: labels, in the order of the columns
    unranked: Unranked = "error"
    weights: Floats | None = None  #: how much each ranking counts; None: all alike
    counted: bool = True  #: whether weights count people; otherwise each row is one person
    people: Longs | None = None  #: whose ranking it is, as a number; None: each is someone else's
    grouped: bool = False
    #: Which items someone lists, where ``stored`` no longer says so
    listed_items: NDArray[np.bool_] | None = None
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
        """How much each ranking counts: how often, or its survey weight."""
        return np.ones(self.shape[0]) if self.weights is None else self.weights

    def item(self, column: int) -> Hashable:
        """The item of a column: its label, or its position if items have no labels."""
        return column if self.items is None else self.items[column]

    def rows(self, which: Any) -> "Rankings":
        """Some of the rankings: a mask, a slice, or their numbers, which may repeat."""
        return replace(
            self,
            stored=self.stored[which],
            weights=None if self.weights is None else self.weights[which],
            people=None if self.people is None else self.people[which],
        )

    def filled(self) -> "Rankings":
        """The rankings that list an item."""
        filled = self.filled_rows()
        return self if filled.all() else self.rows(filled)

    def filled_rows(self) -> NDArray[np.bool_]:
        """Which rankings list an item; a merged top-k list that ties all items lists none."""
        if self.unranked == "error":
            return np.ones(self.shape[0], dtype=bool)
        if self.sparse is not None:
            return np.asarray(np.diff(self.sparse.indptr) > 0)
        if self.listed_items is not None:
            return np.asarray(self.stored.any(axis=1))
        unranked = np.iinfo(self.stored.dtype).max if self.grouped else np.nan
        there = self.stored != unranked if self.grouped else ~np.isnan(self.stored)
        return np.asarray(there.any(axis=1))

    def nearly_full(self) -> bool:
        """Whether nearly all rankings that list an item list all of them."""
        lengths = np.concatenate([block.n_ranked() for _, block in self.listed_blocks()])
        return is_nearly_full(lengths, self.counts, self.shape[1])

    def among(self, columns: NDArray[Any]) -> "Rankings":
        """What they say of some of the items, or of all in another order.

        >>> Rankings(np.array([[3.0, 1.0, 2.0]]), ("a", "b", "c")).among(np.array([2, 0])).items
        ('c', 'a')
        """
        if np.array_equal(columns, np.arange(self.shape[1])):
            return self
        ranks = self.read(0, self.shape[0]) if self.sparse is None else self.sparse
        items = tuple(self.item(column) for column in columns.tolist())
        return replace(
            self,
            stored=ranks[:, columns],
            # Positions in their order are no labels.
            items=None if items == tuple(range(self.shape[1])) else items,
            grouped=False,
            listed_items=None,
        )

    def matched(
        self, items: tuple[Hashable, ...] | None, they: str = "those that were fitted"
    ) -> "Rankings":
        """The rankings with their columns in the order of these items, by name.

        Other items are refused. Where one side has no names, columns are matched by position, and
        names hold for both.
        """
        order = order_by_name(self.items, items, "these rankings", they)
        if order is not None:
            return self.among(order)
        return self if self.items is not None or items is None else self.with_items(items)

    def meaning(self, unranked: Unranked) -> "Rankings":
        """The rankings with another meaning of unranked items."""
        if unranked == self.unranked:
            return self
        if self.listed_items is not None:
            raise TypeError("top-k lists were merged with unranked items last: merge as_listed")
        return replace(self, unranked=unranked)

    def with_items(self, items: tuple[Hashable, ...] | None) -> "Rankings":
        """The rankings with labels for their columns."""
        return replace(self, items=items)

    def with_weights(self, weights: Floats | None, *, counted: bool | None = None) -> "Rankings":
        """The rankings with other weights, which count people or not; None: as theirs did."""
        return replace(self, weights=weights, counted=self.counted if counted is None else counted)

    def without_weights(self) -> "Rankings":
        """The rankings, each of which counts once."""
        return replace(self, weights=None, counted=True)

    def with_people(self, people: Longs | None) -> "Rankings":
        """The rankings with the number of the person of each row; None: each is someone else's."""
        return replace(self, people=people)

    def reversed(self) -> "Rankings":
        """The rankings with the worst item first, as those of scores."""
        ranks = self.read(0, self.shape[0]) if self.sparse is None else self.sparse
        return replace(self, stored=-ranks.astype(np.float64), grouped=False, listed_items=None)

    def dense(self) -> "Rankings":
        """The rankings as an array, NaN where unranked."""
        if self.sparse is None:
            return self
        return replace(self, stored=dense_ranks(self.sparse))

    def as_lists(self) -> "Rankings":
        """The rankings as a sparse matrix of what they list."""
        if self.sparse is not None:
            return self
        ranks = self.read(0, self.shape[0])
        row, item = np.nonzero(~np.isnan(ranks))
        starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(ranks)))])
        lists = csr_array((ranks[row, item], item, starts), shape=self.shape)
        return replace(self, stored=lists, grouped=False)

    def merged(self, *, as_listed: bool = False) -> "Merged":
        """Each different ranking once, with the sum of its weights.

        They are sorted by contents alone: rows that are counted and rows that are repeated, in any
        order, give the same value to the last bit. With ``as_listed``, a list that ends in a tie
        and a shorter one differ although unranked items come last.

        >>> rankings = Rankings(np.array([[2.0, 1.0], [1.0, 9.0], [5.0, 3.0]]))
        >>> merged = rankings.merged()
        >>> merged.rankings.groups().tolist(), merged.rankings.weights.tolist()
        ([[1, 0], [0, 1]], [2.0, 1.0])
        >>> merged.which.tolist()
        [0, 1, 0]
        """
        weights = self.counts
        check_total(float(weights.sum()))
        counting = np.flatnonzero(weights > 0)
        if len(counting) < len(weights):
            inner = self.rows(counting).merged(as_listed=as_listed)
            which = np.full(len(weights), -1, dtype=np.int64)
            which[counting] = inner.which
            return Merged(inner.rankings, which)
        n_rows, n_items = self.shape
        if self.sparse is not None and n_rows * n_items > KEPT:
            return Merged(replace(self, weights=weights, people=None), np.arange(n_rows))
        groups, listed = self._small_groups(close=self.unranked == "last" and not as_listed)
        rows, which, sums = distinct_rows(groups, weights)
        different = replace(
            self,
            stored=groups[rows],
            weights=sums,
            people=None,
            grouped=True,
            listed_items=listed,
        )
        return Merged(different, which)

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
            wide: Indices = rows.astype(np.uint32)
            wide[rows == np.iinfo(rows.dtype).max] = NOWHERE
            if close:
                close_rows(wide)
            return wide
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
        if self.listed_items is not None:
            return self.listed_items
        counting = self.counts > 0
        listed = np.zeros(self.shape[1], dtype=bool)
        if self.sparse is not None:
            there = np.repeat(counting, np.diff(self.sparse.indptr)) & ~np.isnan(self.sparse.data)
            listed[self.sparse.indices[there]] = True
            return listed
        step = block_rows(self.shape[1])
        for start in range(0, self.shape[0], step):
            rows = self.read(start, min(start + step, self.shape[0]))
            listed |= ~np.isnan(rows[counting[start : start + step]]).all(axis=0)
        return listed

    def _small_groups(self, *, close: bool) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """The group of each item, and which items are listed if groups do not say so."""
        if self.grouped:
            if close and self.listed_items is None:
                closed = self.groups(close=True).astype(self.stored.dtype)
                return closed, self.listed()
            return self.stored, self.listed_items
        n_rows, n_items = self.shape
        small = np.empty((n_rows, n_items), dtype=np.min_scalar_type(n_items))
        listed = np.zeros(n_items, dtype=bool)
        step = block_rows(n_items)
        for start in range(0, n_rows, step):
            groups = self.groups(start, min(start + step, n_rows), close=False)
            if close:
                listed |= (groups != NOWHERE).any(axis=0)
                close_rows(groups)
            # NOWHERE is all ones in any number of bits.
            small[start : start + step] = groups.astype(small.dtype)
        return small, listed if close else None


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
