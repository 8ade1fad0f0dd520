"""Recipes that make a graph from another one."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut.errors import InputError, Setting
from rankcut.graphs.item_graph import ItemGraph, as_item_graph, is_learned
from rankcut.graphs.recipes import DistanceGraph
from rankcut.parameters import ROUNDING, WithParameters, is_real


class _DerivedGraph(WithParameters, ABC):
    """A recipe that makes a graph from another one."""

    graph: Any

    @property
    def needs_rankings(self) -> bool:
        """Whether the inner graph is learned from rankings."""
        return is_learned(self.graph)

    def build(self) -> ItemGraph:
        """Build the graph."""
        if self.graph is None:
            raise InputError("is missing; this graph is built from another one", parameter="graph")
        return self._derived(as_item_graph(self.graph))

    def build_from(
        self,
        X: Any,
        items: Sequence[Hashable] | None = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> ItemGraph:
        """Learn the inner graph from rankings, and build this one from it."""
        if not self.needs_rankings:
            return self.build()
        counted = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._derived(self.graph.build_from(X, items, **counted))

    @abstractmethod
    def _derived(self, graph: ItemGraph) -> ItemGraph:
        """Derive the graph from the inner one."""


class DissimilarityGraph(_DerivedGraph):
    """Connect dissimilar items strongly: W_ij = c − S_ij, with S_ij the similarity of two items.

    With a similarity graph, a swap of near-identical items changes a ranking's vector most; with
    this graph, it changes it least. If the similarity graph is sparse, such as a
    :class:`~rankcut.NeighborGraph`, most pairs have the weight c, and nothing more is stored: see
    :class:`~rankcut.graphs.Weights`.

    Parameters
    ----------
    graph : recipe, ItemGraph, array, sparse matrix, networkx.Graph or frame
        The similarity graph.
    ceiling : float or "largest"
        c, at least as large as every similarity; "largest" is the largest similarity.

    Examples
    --------
    >>> from rankcut import SimilarityGraph
    >>> like = SimilarityGraph([[0.0], [1.0], [3.0]], kernel="exponential", lengthscale=2)
    >>> DissimilarityGraph(like).build().to_dense().round(2)
    array([[0.  , 0.39, 0.78],
           [0.39, 0.  , 0.63],
           [0.78, 0.63, 0.  ]])
    """

    def __init__(self, graph: Any = None, *, ceiling: float | Literal["largest"] = 1.0) -> None:
        self.graph = graph
        self.ceiling = ceiling

    def _derived(self, graph: ItemGraph) -> ItemGraph:
        if graph.is_complete:
            raise InputError(
                "in the complete graph all items are alike, so there is no dissimilarity",
                remedy="pass a similarity graph",
            )
        ceiling = self._checked_ceiling(graph.weights.largest())
        return graph.reweighted(graph.weights.subtracted_from(ceiling))

    def _checked_ceiling(self, largest: float) -> float:
        if self.ceiling == "largest":
            return largest
        if not (is_real(self.ceiling) and self.ceiling > 0):
            raise InputError(
                f'must be "largest" or above 0; got {self.ceiling!r}', parameter="ceiling"
            )
        ceiling = float(self.ceiling)
        if largest > ceiling * (1 + ROUNDING):
            raise InputError(
                f"is {ceiling:g}, below the largest similarity {largest:g}, so weights would be "
                "negative",
                parameter="ceiling",
                remedy=["pass ", Setting("ceiling", "largest")],
            )
        return max(ceiling, largest)


class NormalizedGraph(_DerivedGraph):
    """Weights divided by the degrees of both ends: W_ij/√(d_i d_j).

    An item counts for about as much as any other, however many neighbours it has. Items without
    neighbours stay unconnected.

    Parameters
    ----------
    graph : recipe, ItemGraph, array, sparse matrix, networkx.Graph or frame
        The graph to normalise.

    Examples
    --------
    >>> star = [[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    >>> NormalizedGraph(star).build().to_dense().round(2)
    array([[0.  , 0.71, 0.71, 0.  ],
           [0.71, 0.  , 0.  , 0.  ],
           [0.71, 0.  , 0.  , 0.  ],
           [0.  , 0.  , 0.  , 0.  ]])
    """

    def __init__(self, graph: Any = None) -> None:
        self.graph = graph

    def _derived(self, graph: ItemGraph) -> ItemGraph:
        return graph.reweighted(graph.weights.scaled(degree_scales(graph)))


def degree_scales(graph: ItemGraph) -> NDArray[np.float64]:
    """1/√d_i of each item, and 0 for an item without neighbours.

    >>> degree_scales(as_item_graph([[0, 4, 0], [4, 0, 0], [0, 0, 0]]))
    array([0.5, 0.5, 0. ])
    """
    degrees = graph.degrees
    scales = np.zeros(graph.n_items)
    joined = degrees > ROUNDING * float(degrees.max())
    scales[joined] = 1.0 / np.sqrt(degrees[joined])
    return scales


def joining_like_items(graph: Any) -> Any:
    """The graph that connects similar items, given one that may connect dissimilar ones."""
    if isinstance(graph, DissimilarityGraph):
        return graph.graph
    if isinstance(graph, NormalizedGraph):
        inner = joining_like_items(graph.graph)
        return graph if inner is graph.graph else inner
    if isinstance(graph, DistanceGraph):
        raise InputError(
            "a DistanceGraph connects dissimilar items, but smoothing needs similar ones connected",
            remedy="pass a SimilarityGraph of the same features",
        )
    return graph
