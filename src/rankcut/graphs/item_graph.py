"""The item graph: symmetric, non-negative weights between items."""

from collections.abc import Hashable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import InputError, Setting, amount
from rankcut.graphs.weights import Weights, check_weights
from rankcut.rankings import Rankings, as_frame
from rankcut.rankings.labels import check_same_labels, labels_beside, order_by_name, some_of

if TYPE_CHECKING:
    import narwhals as nw


class ItemGraph:
    """A weighted undirected graph over n items; edges have positive weights.

    Build one with :meth:`complete`, :func:`as_item_graph`, or a recipe such as
    :class:`~rankcut.SimilarityGraph`.

    Parameters
    ----------
    weights : array-like, sparse matrix, Weights or None
        Symmetric, finite, not negative; the diagonal is ignored. None: all pairs have weight 1.
        :class:`~rankcut.graphs.Weights` add a constant to a sparse matrix.
    n_items : int
        Number of items.
    items : tuple or None
        The items' labels.
    ordered : bool
        Whether the order of the items matters. The order of networkx nodes does not: such a graph
        is matched to rankings by labels only.

    Examples
    --------
    >>> ItemGraph.complete(4)
    ItemGraph(4 items, 6 edges)
    >>> as_item_graph([[0, 2, 0], [2, 0, 1], [0, 1, 0]]).degrees
    array([2., 3., 1.])
    """

    def __init__(
        self,
        weights: Any,
        n_items: int,
        items: tuple[Hashable, ...] | None = None,
        *,
        ordered: bool = True,
    ) -> None:
        self.weights: Weights = Weights.complete(n_items)
        if weights is not None:
            self.weights = check_weights(weights, items)
            if self.weights.n_items != n_items:
                raise InputError(
                    f"is {n_items}, but the weights are of {self.weights.n_items} items",
                    parameter="n_items",
                )
        self.items = items
        self.ordered = ordered

    @classmethod
    def complete(cls, n_items: int) -> "ItemGraph":
        """Connect every pair of items with weight 1; nothing is stored."""
        return cls(None, n_items)

    @classmethod
    def trusted(
        cls, weights: Weights, items: tuple[Hashable, ...] | None, *, ordered: bool = True
    ) -> "ItemGraph":
        """A graph from weights that need no check."""
        graph = cls(None, weights.n_items, items, ordered=ordered)
        graph.weights = weights
        return graph

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.weights.n_items

    @property
    def is_complete(self) -> bool:
        """Whether every pair has weight 1."""
        return self.weights.kind == "complete"

    @property
    def n_edges(self) -> int:
        """Number of pairs with a positive weight."""
        return self.weights.n_edges()

    @property
    def degrees(self) -> NDArray[np.float64]:
        """Sum of the weights at each item."""
        return self.weights.degrees()

    def to_dense(self) -> NDArray[np.float64]:
        """The weights as a dense array."""
        return self.weights.to_dense()

    def aligned(self, n_items: int, items: tuple[Hashable, ...] | None) -> "ItemGraph":
        """The graph with its items in the order of the rankings' columns."""
        ours, theirs = labels_beside(self.items, items), labels_beside(items, self.items)
        if ours is not None and theirs is not None:
            order = order_by_name(ours, theirs, "the graph", "the rankings")
            if order is None:
                return self
            return ItemGraph.trusted(self.weights.permuted(order), theirs)
        if self.n_items != n_items:
            raise InputError(
                f"the graph has {amount(self.n_items, 'item')}, but the rankings have {n_items}",
                remedy="both must have the same items in the same order, or labels to match them",
            )
        if not self.ordered:
            raise InputError(
                f"the graph names its items ({some_of(self.items or ())}) and the rankings do "
                "not, so they cannot be matched",
                remedy=["pass the rankings as a frame, or the labels as ", Setting("items")],
            )
        if items is None:
            return self
        return ItemGraph.trusted(self.weights, items)

    def among(self, order: NDArray[np.int64]) -> "ItemGraph":
        """The graph with its items in another order."""
        items = None if self.items is None else tuple(self.items[i] for i in order.tolist())
        return ItemGraph.trusted(self.weights.permuted(order), items)

    def reweighted(self, weights: Weights) -> "ItemGraph":
        """A graph over the same items with other weights, which need no check."""
        return ItemGraph.trusted(weights, self.items, ordered=self.ordered)

    def __repr__(self) -> str:
        return f"ItemGraph({amount(self.n_items, 'item')}, {amount(self.n_edges, 'edge')})"

    def _repr_html_(self) -> str:
        """What notebooks show: the sizes, and the items with the largest degrees."""
        lines = [escape(repr(self))]
        if self.items is not None:
            degrees = self.degrees
            largest = np.argsort(-degrees, kind="stable")[:5].tolist()
            named = ", ".join(f"{escape(str(self.items[i]))} {degrees[i]:.3g}" for i in largest)
            more = ", …" if self.n_items > len(largest) else ""
            lines.append(f"largest degrees: {named}{more}")
        return "<br>".join(lines)


@runtime_checkable
class GraphRecipe(Protocol):
    """Anything that builds an item graph, such as :class:`~rankcut.SimilarityGraph`."""

    def build(self) -> ItemGraph:
        """The graph."""
        ...


@runtime_checkable
class LearnedGraph(Protocol):
    """Anything that learns an item graph from rankings, such as :class:`~rankcut.CoListingGraph`.

    If it also has :meth:`GraphRecipe.build`, ``needs_rankings`` says whether it needs rankings.
    """

    def build_from(self, X: Any, items: Sequence[Hashable] | None = None) -> ItemGraph:
        """Learn the graph from a rank matrix; its items are in the order of the columns."""
        ...


def is_learned(graph: Any) -> bool:
    """Whether a graph is a recipe that learns from rankings."""
    if isinstance(graph, type) or not isinstance(graph, LearnedGraph):
        return False
    return bool(getattr(graph, "needs_rankings", not isinstance(graph, GraphRecipe)))


def as_item_graph(graph: Any) -> ItemGraph:
    """Make an item graph from a matrix, a recipe, a networkx graph or a frame.

    Parameters
    ----------
    graph : ItemGraph, recipe, array-like, sparse matrix, networkx.Graph or frame
        A square matrix of weights must be symmetric, finite and non-negative. Its diagonal is
        ignored, since no cut contains a loop. A frame's columns name the items; so does the
        index of a pandas frame, which may list them in another order.

    Examples
    --------
    >>> import networkx as nx
    >>> as_item_graph(nx.cycle_graph(["toro", "uni", "ika", "ebi"]))
    ItemGraph(4 items, 4 edges)
    """
    if isinstance(graph, ItemGraph):
        return graph
    if isinstance(graph, type):
        raise InputError(
            f"the graph is the class {graph.__name__}, not a graph",
            remedy=f"pass {graph.__name__}(...)",
        )
    if isinstance(graph, GraphRecipe):
        return graph.build()
    if is_learned(graph):
        raise InputError(
            f"{type(graph).__name__} is learned from rankings",
            remedy="call build_from(rankings), or pass it to an estimator, which learns it in fit",
        )
    if hasattr(graph, "nodes") and hasattr(graph, "adjacency"):
        return _from_networkx(graph)
    frame = as_frame(graph)
    if frame is not None:
        return _from_frame(frame)
    return ItemGraph.trusted(check_weights(graph), None)


def fit_graph(graph: Any, rankings: Rankings) -> ItemGraph:
    """The user's graph, matched with the columns of the rankings, or learned from them.

    None is the complete graph.
    """
    if is_learned(graph):
        learned: ItemGraph = graph.build_from(rankings)
        return learned
    n_items = rankings.shape[1]
    built = ItemGraph.complete(n_items) if graph is None else as_item_graph(graph)
    return built.aligned(n_items, rankings.items)


def plain_graph(graph: Any) -> Any:
    """The graph as any file can hold it: a frame or a networkx graph becomes an ItemGraph."""
    foreign = hasattr(graph, "nodes") or (graph is not None and as_frame(graph) is not None)
    return as_item_graph(graph) if foreign else graph


def _from_networkx(graph: Any) -> ItemGraph:
    import networkx as nx

    if graph.is_directed():
        raise InputError(
            "the graph is directed, but a cut needs an undirected one",
            remedy="pass graph.to_undirected()",
        )
    nodes = list(graph.nodes)
    if not nodes:
        raise InputError("the graph has no nodes; it needs one for each item")
    if set(nodes) == set(range(len(nodes))):
        # Nodes that count from 0 are the columns' positions, in whatever order they were added.
        nodes.sort()
        labels = None
    else:
        labels = tuple(nodes)
    try:
        weights = nx.to_scipy_sparse_array(graph, nodes, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise InputError(f"the edges' weights are not all numbers: {problem}") from None
    return ItemGraph.trusted(check_weights(weights, labels), labels, ordered=labels is None)


def _from_frame(frame: "nw.DataFrame[Any]") -> ItemGraph:
    import narwhals as nw

    columns: tuple[Hashable, ...] = tuple(frame.columns)
    index = nw.maybe_get_index(frame)
    rows = tuple(index) if index is not None else columns
    if rows == tuple(range(len(rows))):
        rows = columns
    weights = frame.to_numpy()
    if len(rows) == len(columns) and rows != columns:
        check_same_labels(rows, columns, "the rows of the graph", "its columns")
        position = {label: i for i, label in enumerate(rows)}
        weights = weights[[position[label] for label in columns]]
    labels = None if columns == tuple(range(len(columns))) else columns
    return ItemGraph.trusted(check_weights(weights, labels), labels)
