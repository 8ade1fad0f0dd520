"""The mean over completions of the slopes before pooling: exact, without making a completion."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.expecting import expect_complete_rows, expect_rows, length, spread_rows
from rankcut._loops.types import Floats, Indices
from rankcut.completions.unlisted import UnlistedWeight, unlisted_weights
from rankcut.graphs import ItemGraph
from rankcut.partitions import Partitions


@dataclass(frozen=True, eq=False)
class Entries:
    """Mean slopes of a block: ``values`` for some ``items`` of a row, a constant for the rest."""

    n_items: int
    items: Indices
    values: Floats
    ends: Indices
    constants: Floats

    def write(self, out: NDArray[Any], *, normalize: bool) -> None:
        """As dense rows."""
        spread_rows(self.items, self.values, self.ends, self.constants, normalize, out)

    def to_csr(self, dtype: np.dtype[Any], *, normalize: bool) -> sparse.csr_array:
        """As sparse rows of what each item has above the constant of its row.

        A vector φ adds up to 0, so the constant is not lost: φ = S − (sum of S)/n for a row S.
        """
        starts = np.concatenate([[0], self.ends]).astype(np.int32)
        sizes = np.diff(starts)
        data = self.values - np.repeat(self.constants, sizes)
        if normalize:
            lengths = [
                prod(length(self.values[a:b], constant, self.n_items))
                for a, b, constant in zip(starts, starts[1:], self.constants, strict=False)
            ]
            data /= np.repeat(lengths, sizes)
        shape = (len(self.constants), self.n_items)
        rows = sparse.csr_array(
            (data.astype(dtype), self.items.astype(np.int32), starts), shape=shape
        )
        rows.sort_indices()
        return rows


class ExpectedSlopes:
    """Mean slopes on one graph."""

    def __init__(self, graph: ItemGraph, unlisted_weight: UnlistedWeight = 1.0) -> None:
        self._unlisted_weight = unlisted_weight
        self._n_items = graph.n_items
        self._complete = graph.weights is None
        if not self._complete:
            weights = sparse.csr_array(graph.weights)
            self._starts = weights.indptr.astype(np.uint32)
            self._neighbours = weights.indices.astype(np.uint32)
            self._weights = weights.data
            # At most so many entries come from ranking an item: itself and its neighbours.
            self._reach = np.diff(weights.indptr) + 1

    def entries(self, partitions: Partitions) -> Entries:
        """Mean slopes of a block of partitions whose unranked items are in no group."""
        n_rows = len(partitions)
        order, ends, n_groups = partitions.order, partitions.ends, partitions.n_groups
        n_ranked = partitions.n_ranked()
        weights = unlisted_weights(self._unlisted_weight, partitions)
        if self._complete:
            capacity = int(n_ranked.sum())
        else:
            ranked = np.arange(order.shape[1]) < n_ranked[:, None]
            reach = np.where(ranked, self._reach[np.where(ranked, order, 0)], 0).sum(axis=1)
            capacity = int(np.minimum(reach, self._n_items).sum())
        items = np.empty(capacity, dtype=np.uint32)
        values = np.empty(capacity)
        entry_ends = np.empty(n_rows, dtype=np.uint32)
        constants = np.empty(n_rows)
        out = (items, values, entry_ends, constants)
        if self._complete:
            expect_complete_rows(order, ends, n_groups, weights, self._n_items, *out)
        else:
            expect_rows(
                order,
                ends,
                n_groups,
                weights,
                self._n_items,
                self._starts,
                self._neighbours,
                self._weights,
                *out,
            )
        used = int(entry_ends[-1])
        return Entries(self._n_items, items[:used], values[:used], entry_ends, constants)
