"""The cut function of an item graph, along the chain of prefixes of an ordered partition.

F(B) = Σ_{i∈B, j∉B} W_ij. A feature vector needs nothing of F but its increments
F(B_t) − F(B_{t−1}) along B_t = G_1 ∪ … ∪ G_t. Each class here computes them for a block of
partitions, in the way that suits its graph:

==================  =====================================  ==============================
class               for                                    cost of a ranking of n items
==================  =====================================  ==============================
:class:`CompleteCut`  all weights 1                          n
:class:`TableCut`     few items: F of all subsets, tabulated n (and 2ⁿ once for the graph)
:class:`DenseCut`     many edges                             n², contiguous
:class:`SparseCut`    few edges                              n + number of edges
==================  =====================================  ==============================

For a top-k list the last two cost k/n of that. All agree to rounding.
"""

from typing import Literal, Protocol, TypeAlias

import numpy as np
from scipy import sparse

from rankcut._loops.cutting import (
    complete_increments,
    dense_increments,
    sparse_increments,
    table_increments,
    tabulate_cut,
)
from rankcut._loops.types import Floats
from rankcut.graphs import ItemGraph
from rankcut.partitions import Partitions

Algorithm: TypeAlias = Literal["auto", "complete", "table", "dense", "sparse"]

# Measured by benchmarks/features.py. With more items the table outgrows the cache that makes it
# fast. In a sparse graph, an item costs as much as so many entries of a dense matrix, and each of
# its edges as much as so many.
TABLE_ITEMS = 16
ENTRIES_PER_ITEM = 100
ENTRIES_PER_EDGE = 4.5

# The columns of a dense graph are cut into tiles of at most this many entries (8 MB), no
# narrower than a few hundred columns, so that a block of rankings shares what it loads.
_TILE = 1 << 20
_NARROWEST = 256


class Cut(Protocol):
    """A set function that knows its increments along chains of prefixes."""

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """Write F(B_t) − F(B_{t−1}) of partition r to ``out[r, t]``."""


class CompleteCut:
    """F(B) = |B|·(n − |B|)."""

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """From sizes alone, in whole numbers."""
        complete_increments(partitions.ends, partitions.n_groups, partitions.n_items, out)


class TableCut:
    """F looked up by the bit mask of B."""

    def __init__(self, graph: ItemGraph) -> None:
        self._values = tabulate_cut(graph.to_dense())

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One look-up for each group."""
        table_increments(partitions.order, partitions.ends, partitions.n_groups, self._values, out)


class DenseCut:
    """Gains of all items kept up to date by subtracting the row of each item placed."""

    def __init__(self, graph: ItemGraph) -> None:
        n = graph.n_items
        width = min(n, max(_NARROWEST, _TILE // n))
        n_tiles = -(-n // width)
        twice = np.zeros((n, n_tiles * width))
        twice[:, :n] = 2.0 * graph.to_dense()
        degrees = np.zeros(n_tiles * width)
        degrees[:n] = graph.degrees
        self._tiles = np.ascontiguousarray(twice.reshape(n, n_tiles, width).swapaxes(0, 1))
        self._degrees = degrees.reshape(n_tiles, width)

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One row of weights for each item placed."""
        dense_increments(
            partitions.order,
            partitions.ends,
            partitions.n_groups,
            self._tiles,
            self._degrees,
            np.empty((len(partitions), partitions.n_items)),
            out,
        )


class SparseCut:
    """The same, touching the neighbours of each item placed and nothing else."""

    def __init__(self, graph: ItemGraph) -> None:
        weights = sparse.csr_array(graph.to_dense() if graph.weights is None else graph.weights)
        self._starts = weights.indptr.astype(np.uint32)
        self._neighbours = weights.indices.astype(np.uint32)
        self._twice = 2.0 * weights.data
        self._degrees = graph.degrees

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One walk over the neighbours of each item placed."""
        sparse_increments(
            partitions.order,
            partitions.ends,
            partitions.n_groups,
            self._starts,
            self._neighbours,
            self._twice,
            self._degrees,
            out,
        )


def fastest_algorithm(graph: ItemGraph) -> Algorithm:
    """The cheapest way for this graph.

    It depends on the graph alone, never on the rankings: so a ranking's features are the same
    bits in whichever batch it comes.
    """
    if graph.weights is None:
        return "complete"
    if graph.n_items <= TABLE_ITEMS:
        return "table"
    n = graph.n_items
    sparse_cost = ENTRIES_PER_ITEM * n + ENTRIES_PER_EDGE * 2 * graph.n_edges
    return "sparse" if sparse_cost < n * n else "dense"


def cut_function(graph: ItemGraph, algorithm: Algorithm = "auto") -> Cut:
    """The cut function of a graph, by the fastest algorithm or by the one asked for."""
    if algorithm == "auto":
        algorithm = fastest_algorithm(graph)
    if algorithm == "complete":
        if graph.weights is not None:
            raise ValueError('algorithm="complete" is for the complete graph with weights 1')
        return CompleteCut()
    if algorithm == "table":
        if graph.n_items > 24:
            raise ValueError(
                f'algorithm="table" needs 2**n numbers, too many for {graph.n_items} items; '
                'leave algorithm at "auto"'
            )
        return TableCut(graph)
    if algorithm == "dense":
        return DenseCut(graph)
    return SparseCut(graph)
