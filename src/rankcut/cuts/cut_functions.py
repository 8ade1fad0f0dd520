"""The cut function of an item graph, F(B) = Σ_{i∈B, j∉B} W_ij.

:class:`GraphCut` computes increments along chains in the way that suits its graph:

==============  =====================================  ==============================
algorithm       for                                    cost of a ranking of n items
==============  =====================================  ==============================
``complete``    all weights 1                          n
``table``       few items: F of all subsets, tabulated n (and 2ⁿ once for the graph)
``dense``       many edges                             n²
``sparse``      few edges, or few whose weight differs n + number of edges
==============  =====================================  ==============================

For a top-k list the last two cost k/n of that, if k is small. All agree to rounding.

:class:`ExpectedSlopes` has the slopes of lists with unranked items without making a completion or
filling a row.
"""

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.closed_form import expect_rows, pool_top_lists
from rankcut._loops.increments import dense_increments, sparse_increments, table_increments
from rankcut._loops.partitions import increments_by_size
from rankcut._loops.types import Entries, Floats, Links
from rankcut.cuts.offset_rows import OffsetRows
from rankcut.cuts.set_function import MOST_TABULATED, SetFunction
from rankcut.errors import InputError
from rankcut.graphs import ItemGraph, as_item_graph
from rankcut.parameters import check_choice
from rankcut.rankings import Rankings
from rankcut.rankings.partitions import BLOCK, Partitions

Algorithm: TypeAlias = Literal["auto", "complete", "table", "dense", "sparse"]

# A loop along chains, and what it needs to know of the graph.
_Loop: TypeAlias = tuple[Callable[..., None], tuple[Any, ...]]

# By benchmarks/cuts/features.py. With more items the table outgrows the cache that makes it fast.
# The others are the costs of an item of a sparse graph, and of each of its edges, in entries
# of a dense matrix.
TABLE_ITEMS, ENTRIES_PER_ITEM, ENTRIES_PER_EDGE = 16, 130, 7.5


def fastest_algorithm(graph: ItemGraph) -> Algorithm:
    """The cheapest way for this graph.

    It depends only on the graph, never on the rankings, so a ranking's features are the same
    bits in any batch.
    """
    if graph.is_complete:
        return "complete"
    if graph.n_items <= TABLE_ITEMS:
        return "table"
    n, stored = graph.n_items, graph.weights.matrix
    n_links = stored.nnz if sparse.issparse(stored) else 2 * graph.n_edges
    return "sparse" if ENTRIES_PER_ITEM * n + ENTRIES_PER_EDGE * n_links < n * n else "dense"


def tabulate_cut(weights: Floats) -> Floats:
    """F of every subset of a few items, indexed by the subset's bit mask.

    The subsets with i as their last item follow from those without it, all at once.
    """
    n = weights.shape[0]
    values = np.zeros(1 << n)
    for i in range(n):
        # The weight of i to each subset of the items before it, highest first.
        linked = np.zeros(1)
        for j in range(i - 1, -1, -1):
            linked = np.repeat(linked, 2)
            linked[1::2] += weights[i, j]
        degree = 0.0
        for weight in weights[i]:
            degree += weight
        values[1 << i : 2 << i] = values[: 1 << i] + (degree - 2.0 * linked)
    values[(1 << n) - 1] = 0.0
    return values


def above_constants(entries: Entries, n_items: int) -> OffsetRows:
    """Sparse rows S, and a number c for each of them: the vector is S + c."""
    starts = np.concatenate([[0], entries.ends]).astype(np.int32)
    data = entries.values - np.repeat(entries.constants, np.diff(starts))
    rows = sparse.csr_array(
        (data, entries.items.astype(np.int32), starts), shape=(len(starts) - 1, n_items)
    )
    rows.sort_indices()
    return OffsetRows(rows, entries.constants, np.ones(n_items))


def as_links(weights: Any) -> Links:
    """A matrix of weights for compiled loops; each pair of a dense one is a link."""
    if isinstance(weights, np.ndarray):
        n = len(weights)
        starts, neighbours = np.arange(n + 1, dtype=np.uint32), np.arange(n, dtype=np.uint32)
        return Links(n * starts, np.tile(neighbours, n), weights.ravel())
    return Links(
        weights.indptr.astype(np.uint32),
        weights.indices.astype(np.uint32),
        weights.data.astype(np.float64),
    )


class ExpectedSlopes:
    """Slopes of lists on one graph."""

    sparse: bool  #: whether most items share a constant: not on a dense graph

    def __init__(self, graph: ItemGraph) -> None:
        weights = graph.weights
        self._n_items = graph.n_items
        self._constant = float(weights.constant)
        self._links = as_links(weights.matrix)
        self.sparse = weights.kind != "dense"
        # The most entries that come from ranking an item: itself and its neighbours.
        self._reach = np.diff(self._links.starts.astype(np.int64)) + 1

    def entries(
        self, partitions: Partitions, unlisted_weights: Floats, *, shared: bool = True
    ) -> Entries:
        """Mean slopes of a block of partitions whose unranked items are in no group.

        ``unlisted_weights`` has the weight of comparisons with them, for each partition. Tied items
        have the mean slope of their group if ``shared``, otherwise each its own.
        """
        found = _empty_entries(len(partitions), int(self._capacities(partitions).sum()))
        arguments = self._constant, self._links, found
        expect_rows(self._n_items, partitions.chains, unlisted_weights, shared, *arguments)
        n_entries = int(found.ends[-1])
        return found._replace(items=found.items[:n_entries], values=found.values[:n_entries])

    def top_list_entries(self, partitions: Partitions, unlisted_weights: Floats) -> Entries:
        """Pooled slopes of a block of lists, with unranked items tied last.

        Partitions and weights are those of :meth:`entries`.
        """
        entries = _empty_entries(len(partitions), int(partitions.n_ranked().sum()))
        arguments = self._constant, self._links, entries
        pool_top_lists(self._n_items, partitions.chains, unlisted_weights, *arguments)
        return entries

    def read(self, rankings: Rankings, start: int, stop: int) -> Iterator[tuple[int, Partitions]]:
        """Blocks of rankings with a bounded number of entries."""
        for first, block in rankings.listed_blocks(start, stop):
            ends = np.cumsum(self._capacities(block))
            at = 0
            while at < len(block):
                before = ends[at - 1] if at else 0
                full = int(np.searchsorted(ends, before + BLOCK, side="right"))
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


def _empty_entries(n_rows: int, capacity: int) -> Entries:
    return Entries(
        np.empty(capacity, dtype=np.uint32),
        np.empty(capacity),
        np.empty(n_rows, dtype=np.uint32),
        np.empty(n_rows),
    )


class GraphCut(SetFunction):
    """F(B) = Σ_{i∈B, j∉B} W_ij: the weight of the edges between B and the other items.

    Parameters
    ----------
    graph : ItemGraph, recipe, array, sparse matrix, networkx.Graph or frame
        The item graph.
    algorithm : {"auto", "complete", "table", "dense", "sparse"}
        How increments are computed; the fastest way for the graph unless another is named.

    Examples
    --------
    >>> path = GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    >>> path({1}), path({0, 1}), path({0, 1, 2})
    (3.0, 2.0, 0.0)
    """

    symmetric = True
    submodular = True

    def __init__(self, graph: Any, algorithm: Algorithm = "auto") -> None:
        self.graph = as_item_graph(graph)
        self.n_items = self.graph.n_items
        self.nothing_to_pool = self.graph.is_complete
        check_choice(algorithm, get_args(Algorithm), "algorithm")
        if algorithm == "complete" and not self.graph.is_complete:
            raise InputError('algorithm="complete" is for the complete graph with weights 1')
        if algorithm == "table" and self.n_items > MOST_TABULATED:
            raise InputError(
                f'algorithm="table" needs 2**n numbers, too many for {self.n_items} items; '
                'leave algorithm at "auto"'
            )
        self.algorithm = algorithm

    # What a loop needs may be large, and closed forms do not need it.
    @cached_property
    def _loop(self) -> _Loop | None:
        graph = self.graph
        algorithm = fastest_algorithm(graph) if self.algorithm == "auto" else self.algorithm
        if algorithm == "complete":
            return None
        if algorithm == "table":
            return table_increments, (tabulate_cut(graph.to_dense()),)
        if algorithm == "dense":
            return dense_increments, (2.0 * graph.to_dense(), graph.degrees)
        twice = as_links(sparse.csr_array(2.0 * graph.weights.matrix))
        return sparse_increments, (graph.weights.constant, twice, graph.degrees)

    @cached_property
    def _by_size(self) -> Floats:
        """F of sets of each size, in the complete graph."""
        sizes = np.arange(self.n_items + 1.0)
        return sizes * (self.n_items - sizes)

    def __getstate__(self) -> dict[str, Any]:
        """Everything except what is faster to make than to copy."""
        cached = ("_loop", "_by_size")
        return {name: value for name, value in vars(self).items() if name not in cached}

    def aligned(self, n_items: int, items: tuple[Hashable, ...] | None) -> "GraphCut":
        """The cut of the same graph, its items matched by name if it names them."""
        graph = self.graph.aligned(n_items, items)
        return self if graph is self.graph else GraphCut(graph, self.algorithm)

    def prepare(self) -> None:
        """Make the table or the arrays that the loop needs, once."""
        self._loop  # noqa: B018

    def expected_slopes(self) -> ExpectedSlopes:
        """Mean slopes before pooling, in closed form."""
        return ExpectedSlopes(self.graph)

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """By the algorithm chosen; of the complete graph, |B|·(n − |B|) in whole numbers."""
        if self._loop is None:
            increments_by_size(partitions.chains, self._by_size, out)
            return
        loop, arguments = self._loop
        loop(partitions.chains, *arguments, out)

    @cached_property
    def magnitude(self) -> float:
        """No vector on this graph is longer than the vector of its degrees."""
        return float(np.hypot.reduce(self.graph.degrees))
