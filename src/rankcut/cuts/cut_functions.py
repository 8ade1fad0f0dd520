"""The cut function of an item graph, F(B) = Σ_{i∈B, j∉B} W_ij.

:class:`GraphCut` computes increments along chains in the way that suits its graph:

==============  =====================================  ==============================
algorithm       for                                    cost of a ranking of n items
==============  =====================================  ==============================
``complete``    all weights 1                          n
``table``       few items: F of all subsets, tabulated n (and 2ⁿ once for the graph)
``dense``       many edges                             n²
``sparse``      few edges                              n + number of edges
``structured``  all pairs of many items, in parts: a   n·(1 + rank) + number of edges
                constant, a sparse and a low-rank one
==============  =====================================  ==============================

For a top-k list the last three cost k/n of that, if k is small. All agree to rounding.
"""

from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.cut_increments import (
    dense_increments,
    in_lines,
    sparse_increments,
    structured_increments,
    table_increments,
    tabulate_cut,
)
from rankcut._loops.set_increments import cardinality_increments, hypergraph_increments
from rankcut._loops.types import Floats
from rankcut.cuts.expected_slopes import ExpectedSlopes, as_links
from rankcut.cuts.set_function import MOST_TABULATED, SetFunction, as_lists, nonnegative_array
from rankcut.errors import InputError
from rankcut.graphs import ItemGraph, as_item_graph
from rankcut.parameters import check_choice
from rankcut.rankings.value import Partitions

Algorithm: TypeAlias = Literal["auto", "complete", "table", "dense", "sparse", "structured"]

# A loop along chains, and what it needs to know of the graph.
_Loop: TypeAlias = tuple[Callable[..., None], tuple[Any, ...]]

# Measured by benchmarks/features.py. With more items the table outgrows the cache that makes it
# fast. The others are the costs of an item of a sparse graph, and of each of its edges, or of its
# factors in a low-rank graph, in entries of a dense matrix.
TABLE_ITEMS = 16
ENTRIES_PER_ITEM = 130
ENTRIES_PER_EDGE = 7.5
ENTRIES_PER_FACTOR = 4.0


def fastest_algorithm(graph: ItemGraph) -> Algorithm:
    """The cheapest way for this graph.

    It depends only on the graph, never on the rankings, so a ranking's features are the same
    bits in any batch.
    """
    if graph.is_complete:
        return "complete"
    if graph.n_items <= TABLE_ITEMS:
        return "table"
    n = graph.n_items
    if graph.weights.kind == "structured":
        weights = graph.weights.to_structured()
        per_item = ENTRIES_PER_ITEM + ENTRIES_PER_FACTOR * weights.rank
        cost = per_item * n + ENTRIES_PER_EDGE * weights.sparse.nnz
        return "structured" if cost < n * n else "dense"
    sparse_cost = ENTRIES_PER_ITEM * n + ENTRIES_PER_EDGE * 2 * graph.n_edges
    return "sparse" if sparse_cost < n * n else "dense"


def _loop_for(algorithm: Algorithm, graph: ItemGraph) -> _Loop:
    """The loop of an algorithm, prepared for one graph."""
    if algorithm == "table":
        return table_increments, (tabulate_cut(graph.to_dense()),)
    if algorithm == "dense":
        return dense_increments, (
            in_lines(2.0 * graph.to_dense()),
            in_lines(graph.degrees[None])[0],
        )
    if algorithm == "sparse":
        return sparse_increments, (as_links(2.0 * graph.weights.to_csr()), graph.degrees)
    weights = graph.weights.to_structured()
    return structured_increments, (
        float(weights.constant),
        as_links(2.0 * weights.sparse),
        np.ascontiguousarray(weights.factors),
        np.ascontiguousarray(weights.factors * weights.signs),
        graph.degrees,
    )


class GraphCut(SetFunction):
    """F(B) = Σ_{i∈B, j∉B} W_ij: the weight of the edges between B and the other items.

    Parameters
    ----------
    graph : ItemGraph, recipe, array, sparse matrix, networkx.Graph or frame
        The item graph.
    algorithm : {"auto", "complete", "table", "dense", "sparse", "structured"}
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
        if algorithm == "structured" and self.graph.weights.kind in ("dense", "sparse"):
            raise InputError(
                'algorithm="structured" is for weights in parts, such as those of '
                "DissimilarityGraph and LowRankGraph"
            )
        if algorithm == "table" and self.n_items > MOST_TABULATED:
            raise InputError(
                f'algorithm="table" needs 2**n numbers, too many for {self.n_items} items; '
                'leave algorithm at "auto"'
            )
        self.algorithm = algorithm

    # What a loop needs may be large, and closed forms do not need it.
    @cached_property
    def _loop(self) -> _Loop | None:
        chosen = fastest_algorithm(self.graph) if self.algorithm == "auto" else self.algorithm
        return None if chosen == "complete" else _loop_for(chosen, self.graph)

    @cached_property
    def _by_size(self) -> Floats:
        """F of sets of each size, in the complete graph."""
        sizes = np.arange(self.n_items + 1.0)
        return sizes * (self.n_items - sizes)

    def __getstate__(self) -> dict[str, Any]:
        """Everything except what is faster to make than to copy."""
        made = ("_loop", "_by_size")
        return {name: value for name, value in vars(self).items() if name not in made}

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
            cardinality_increments(partitions.ends, partitions.n_groups, self._by_size, out)
            return
        loop, known = self._loop
        loop(partitions.chains, *known, out)

    @cached_property
    def magnitude(self) -> float:
        """No vector on this graph is longer than the vector of its degrees."""
        return float(np.hypot.reduce(self.graph.degrees))


class HypergraphCut(SetFunction):
    """F(A) = Σ w_e over the hyperedges e with items in A and items outside.

    With hyperedges of two items it is the cut of a graph.

    Parameters
    ----------
    hyperedges : list of collections of items
        Which items each hyperedge joins.
    n_items : int
        Number of items.
    weights : array of numbers or None
        Weight of each hyperedge, not negative; None is 1 for each.

    Examples
    --------
    >>> menu = HypergraphCut([{0, 1, 2}, {2, 3}], 4)
    >>> menu({0}), menu({0, 2}), menu({0, 1, 2})
    (1.0, 2.0, 1.0)
    """

    symmetric = True
    submodular = True

    def __init__(
        self,
        hyperedges: Iterable[Iterable[int]],
        n_items: int,
        weights: ArrayLike | None = None,
    ) -> None:
        self.n_items = n_items
        edges = [sorted(set(edge)) for edge in hyperedges]
        for number, edge in enumerate(edges):
            if edge and (edge[0] < 0 or edge[-1] >= n_items):
                raise InputError(
                    f"hyperedge {number} joins {edge}, but the items are 0 to {n_items - 1}"
                )
        self.weights = nonnegative_array(
            np.ones(len(edges)) if weights is None else weights, 1, "the weights of hyperedges"
        )
        if len(self.weights) != len(edges):
            raise InputError(
                f"there are {len(edges)} hyperedges and {len(self.weights)} weights; each "
                "hyperedge needs one"
            )
        of_item: list[list[int]] = [[] for _ in range(n_items)]
        for number, edge in enumerate(edges):
            for item in edge:
                of_item[item].append(number)
        self._starts, self._edges = as_lists(of_item)
        self._sizes = np.array([len(edge) for edge in edges], dtype=np.int32)

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One walk over the hyperedges of each item placed."""
        hypergraph_increments(
            partitions.chains,
            self._starts,
            self._edges,
            self._sizes,
            self.weights,
            out,
        )
