"""Slopes of lists with unranked items, without making a completion or filling a row.

With unranked items anywhere, these are the exact means over completions of the slopes before
pooling; with unranked items tied last, they are the pooled slopes themselves.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.closed_form import expect_rows, row_lengths, spread_rows
from rankcut._loops.top_lists import pool_top_lists
from rankcut._loops.types import Floats, Indices, Links
from rankcut.graphs import ItemGraph
from rankcut.rankings import Rankings
from rankcut.rankings.value import Partitions

# Entries computed at once; short lists of a large catalogue have few each.
_MOST_ENTRIES = 1 << 20


@dataclass(frozen=True, eq=False)
class Entries:
    """Slopes of a block: ``values`` for some items of a row, a constant for the others."""

    n_items: int
    items: Indices
    values: Floats
    ends: Indices
    constants: Floats

    def write(self, out: NDArray[Any], *, normalize: bool, noise: float = 0.0) -> None:
        """As dense rows. With ``normalize``, a vector within ``noise`` of 0 is 0."""
        spread_rows(self.items, self.values, self.ends, self.constants, normalize, noise, out)

    def above_constants(
        self, dtype: np.dtype[Any], *, normalize: bool, noise: float = 0.0
    ) -> tuple[sparse.csr_array, Floats]:
        """Sparse rows S, and a number c for each of them: the vector is S + c.

        With ``normalize``, a vector within ``noise`` of 0 is 0.
        """
        starts = np.concatenate([[0], self.ends]).astype(np.int32)
        sizes = np.diff(starts)
        data = self.values - np.repeat(self.constants, sizes)
        constants = self.constants.copy()
        if normalize:
            lengths = np.empty(len(constants))
            row_lengths(self.values, self.ends, self.constants, self.n_items, noise, lengths)
            data /= np.repeat(lengths, sizes)
            constants /= lengths
        shape = (len(self.constants), self.n_items)
        rows = sparse.csr_array(
            (data.astype(dtype), self.items.astype(np.int32), starts), shape=shape
        )
        rows.sort_indices()
        return rows, constants


def as_links(weights: Any) -> Links:
    """A sparse matrix of weights for compiled loops."""
    rows = sparse.csr_array(weights)
    return Links(
        rows.indptr.astype(np.uint32), rows.indices.astype(np.uint32), rows.data.astype(np.float64)
    )


class ExpectedSlopes:
    """Mean slopes on one graph.

    Attributes
    ----------
    sparse : bool
        Whether most items share a constant: not on a dense graph, nor with factors, where each
        item has a value of its own.
    """

    def __init__(self, graph: ItemGraph) -> None:
        n = graph.n_items
        weights = graph.weights.to_structured()
        self._n_items = n
        self._constant = float(weights.constant)
        self._links = as_links(weights.sparse)
        self._factors = np.ascontiguousarray(weights.factors)
        self._signed = np.ascontiguousarray(weights.factors * weights.signs)
        self.sparse = graph.weights.kind != "dense" and not weights.factors.shape[1]
        # The most entries that come from ranking an item: itself and its neighbours.
        self._reach = np.diff(weights.sparse.indptr) + 1

    def entries(
        self, partitions: Partitions, unlisted_weights: Floats, *, shared: bool = True
    ) -> Entries:
        """Mean slopes of a block of partitions whose unranked items are in no group.

        ``unlisted_weights`` has the weight of comparisons with them, for each partition. Tied items
        have the mean slope of their group if ``shared``, otherwise each its own.
        """
        n_rows = len(partitions)
        capacity = int(self._capacities(partitions).sum())
        items = np.empty(capacity, dtype=np.uint32)
        values = np.empty(capacity)
        entry_ends = np.empty(n_rows, dtype=np.uint32)
        constants = np.empty(n_rows)
        expect_rows(
            partitions.chains,
            unlisted_weights,
            shared,
            self._constant,
            self._links,
            self._factors,
            self._signed,
            items,
            values,
            entry_ends,
            constants,
        )
        used = int(entry_ends[-1])
        return Entries(self._n_items, items[:used], values[:used], entry_ends, constants)

    def top_list_entries(self, partitions: Partitions, unlisted_weights: Floats) -> Entries:
        """Pooled slopes of a block of lists, with unranked items tied last; on sparse weights.

        Partitions and weights are those of :meth:`entries`.
        """
        n_rows, capacity = len(partitions), int(partitions.n_ranked().sum())
        found = Entries(
            self._n_items,
            np.empty(capacity, dtype=np.uint32),
            np.empty(capacity),
            np.empty(n_rows, dtype=np.uint32),
            np.empty(n_rows),
        )
        pool_top_lists(
            self._n_items,
            partitions.chains,
            unlisted_weights,
            self._constant,
            self._links,
            found.items,
            found.values,
            found.ends,
            found.constants,
        )
        return found

    def read(self, rankings: Rankings, start: int, stop: int) -> Iterator[tuple[int, Partitions]]:
        """Blocks of rankings with a bounded number of entries."""
        for first, block in rankings.listed_blocks(start, stop):
            ends = np.cumsum(self._capacities(block))
            at = 0
            while at < len(block):
                before = ends[at - 1] if at else 0
                full = int(np.searchsorted(ends, before + _MOST_ENTRIES, side="right"))
                end = max(at + 1, full)
                yield first + at, block[at:end]
                at = end

    def _capacities(self, partitions: Partitions) -> NDArray[np.int64]:
        """How many entries each row has at most."""
        if not self.sparse:
            return np.full(len(partitions), self._n_items)
        n_ranked = partitions.n_ranked()
        if not self._links.weights.size:
            return n_ranked
        order = partitions.order
        ranked = np.arange(order.shape[1]) < n_ranked[:, None]
        reach = np.where(ranked, self._reach[np.where(ranked, order, 0)], 0).sum(axis=1)
        return np.asarray(np.minimum(reach, self._n_items))
