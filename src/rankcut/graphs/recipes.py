"""Recipes for item graphs, from item features or another graph, with parameters as estimators have.

A recipe can be passed instead of a graph, as in ``GraphCutFeatures(SimilarityGraph(table))``. It is
built at each fit, and its parameters are nested ones that a grid search reaches, such as
``graph__lengthscale``.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

from rankcut._loops.types import Floats
from rankcut.errors import InputError, Setting
from rankcut.graphs.item_features import FeatureRecipe
from rankcut.graphs.item_graph import ItemGraph, as_item_graph, is_learned
from rankcut.graphs.learned import strongest_products
from rankcut.graphs.weights import Weights
from rankcut.parameters import (
    EQUAL_WITHIN,
    MOST_COMPARED,
    MOST_HELD,
    ROUNDING,
    ROWS_AT_ONCE,
    WithParameters,
    check_choice,
    is_real,
    is_whole,
)

Similarity: TypeAlias = Literal["squared_exponential", "exponential"]


class SimilarityGraph(FeatureRecipe):
    """Connect similar items strongly: W_ij = exp(−½ d_ij²/ℓ²), or exp(−d_ij/ℓ).

    Parameters
    ----------
    item_features : array, frame or dict of columns, of shape (n_items, n_features)
        In a frame or a dict, as loaders give it, numeric columns are scaled, text becomes the
        TF-IDF of its words and others are one-hot encoded. The index of a pandas frame labels the
        items, and so do the names in a table from :func:`~rankcut.read_items`.
    kernel : {"squared_exponential", "exponential"}
        How similarity decreases with the Euclidean distance d.
    lengthscale : float or "median"
        ℓ; "median" is the median distance between two items.
    keep : float
        Fraction of the edges to keep, strongest first; edges that tie with the weakest one kept
        are kept too.
    scale : bool
        Whether a frame's numeric columns are scaled to variance 1.
    items : str or None
        The column of the frame that labels the items.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> SimilarityGraph(points, kernel="exponential", lengthscale=2).build().to_dense().round(2)
    array([[0.  , 0.61, 0.22],
           [0.61, 0.  , 0.37],
           [0.22, 0.37, 0.  ]])
    >>> from rankcut.datasets import load_lunch
    >>> SimilarityGraph(load_lunch().item_features).build()
    ItemGraph(8 items, 28 edges)
    """

    def __init__(
        self,
        item_features: Any = None,
        *,
        kernel: Similarity = "squared_exponential",
        lengthscale: float | Literal["median"] = "median",
        keep: float = 1.0,
        scale: bool = True,
        items: str | None = None,
    ) -> None:
        self.item_features = item_features
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.keep = keep
        self.scale = scale
        self.items = items

    def build(self) -> ItemGraph:
        """Build the graph."""
        if not (is_real(self.keep, most=1.0) and self.keep > 0):
            raise InputError(
                f"is the fraction of edges to keep, above 0 and at most 1; got {self.keep!r}",
                parameter="keep",
            )
        from scipy.spatial.distance import squareform

        points, items = self.points()
        n = len(points)
        distances = _all_distances(points)
        weights = similarity(distances, self.kernel, self.lengthscale)
        if self.keep == 1 or n < 3:
            return ItemGraph.trusted(Weights(squareform(weights)), items)
        weakest = max(0, round(self.keep * len(distances)) - 1)
        near = distances <= np.partition(distances, weakest)[weakest]
        first, second = (side[near] for side in np.triu_indices(n, 1))
        return _sparse_graph(first, second, weights[near], n, items)


class DistanceGraph(FeatureRecipe):
    """Connect dissimilar items strongly: W_ij = d_ij, the Euclidean distance of their features.

    Parameters
    ----------
    item_features : array or frame of shape (n_items, n_features)
        As for :class:`SimilarityGraph`, and so are the other parameters.

    See Also
    --------
    DissimilarityGraph : 1 − similarity, also for catalogues too large for all pairs.

    Examples
    --------
    >>> import numpy as np
    >>> DistanceGraph(np.array([[0.0], [1.0], [3.0]])).build().to_dense()
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """

    def __init__(
        self, item_features: Any = None, *, scale: bool = True, items: str | None = None
    ) -> None:
        self.item_features = item_features
        self.scale = scale
        self.items = items

    def build(self) -> ItemGraph:
        """Build the graph."""
        from scipy.spatial.distance import squareform

        points, items = self.points()
        distances = _all_distances(points)
        return ItemGraph.trusted(Weights(squareform(distances)), items)


class NeighborGraph(FeatureRecipe):
    """Connect each item to its nearest neighbours; for catalogues too large for all pairs.

    Two items are connected if either is among the k nearest of the other, or as near as the last of
    these (unless a thousand are). With the lengthscale
    ``"median"``, ℓ is the median distance between connected items.

    Parameters
    ----------
    item_features : array or frame of shape (n_items, n_features)
        As for :class:`SimilarityGraph`, and so are the parameters not listed here.
    n_neighbors : int
        k, less than the number of items.
    metric : {"euclidean", "cosine"}
        The distance between two items; ``"cosine"`` is 1 − the cosine of their angle. Sparse
        features, such as TF-IDF of tags, need ``"cosine"``: they stay sparse, all neighbours are
        found, and items that share no feature are not connected.
    kernel : {"squared_exponential", "exponential", "constant"}
        How the weight of an edge decreases with its length; ``"constant"`` is weight 1.

    Examples
    --------
    >>> import numpy as np
    >>> NeighborGraph(np.array([[0.0], [1.0], [3.0], [3.5]]), n_neighbors=1).build()
    ItemGraph(4 items, 2 edges)
    """

    def __init__(
        self,
        item_features: Any = None,
        *,
        n_neighbors: int = 20,
        metric: Literal["euclidean", "cosine"] = "euclidean",
        kernel: Similarity | Literal["constant"] = "squared_exponential",
        lengthscale: float | Literal["median"] = "median",
        scale: bool = True,
        items: str | None = None,
    ) -> None:
        self.item_features = item_features
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.scale = scale
        self.items = items

    def build(self) -> ItemGraph:
        """Build the graph."""
        from sklearn.neighbors import NearestNeighbors

        check_choice(self.metric, ("euclidean", "cosine"), "metric")
        if self.item_features is not None and sparse.issparse(self.item_features.matrix):
            return self._build_sparse(self.item_features.matrix)
        points, items = self.points()
        n = len(points)
        self._check_n_neighbors(n)
        if self.metric == "cosine":
            # Between unit vectors the squared distance is twice that by the cosine.
            from sklearn.preprocessing import normalize

            points = normalize(_near_one(points))
        k = int(self.n_neighbors)
        search = NearestNeighbors(n_neighbors=min(k + 1, n - 1)).fit(points)
        with threadpool_limits(1):
            lengths, near = search.kneighbors()
        # With all that are as near as the last: the order of the items does not matter.
        distances, one, other = _with_ties(lengths, near, k, points)
        # Each pair once, whether one of its ends chose it or both.
        pairs, at = np.unique(
            np.minimum(one, other) * n + np.maximum(one, other), return_index=True
        )
        if self.metric == "cosine":
            distances = distances**2 / 2.0
        weights = similarity(distances[at], self.kernel, self.lengthscale)
        return _sparse_graph(pairs // n, pairs % n, weights, n, items)

    def _check_n_neighbors(self, n: int) -> None:
        if not is_whole(self.n_neighbors, 1, n - 1):
            raise InputError(
                f"is {self.n_neighbors!r}, but an item of {n} has from 1 to {n - 1} neighbours",
                parameter="n_neighbors",
            )

    def _build_sparse(self, features: Any) -> ItemGraph:
        if self.metric != "cosine":
            raise InputError(
                "the item features are sparse, and Euclidean distances would make them dense",
                remedy=["pass ", Setting("metric", "cosine")],
            )
        from sklearn.preprocessing import normalize
        from sklearn.utils import check_array

        points = sparse.csr_array(check_array(features, accept_sparse="csr", dtype=np.float64))
        n = points.shape[0]
        self._check_n_neighbors(n)
        points.data = _near_one(points.data)
        points = normalize(points)
        near = strongest_products(points, points.T, int(self.n_neighbors))
        near = sparse.coo_array(sparse.triu(near.maximum(near.T)))
        cosines = np.minimum(near.data, 1.0)
        weights = similarity(1.0 - cosines, self.kernel, self.lengthscale)
        first, second = near.coords
        return _sparse_graph(first, second, weights, n, None)


def _with_ties(
    lengths: Floats, near: NDArray[Any], k: int, points: Floats
) -> tuple[Floats, NDArray[Any], NDArray[Any]]:
    """Distances of the k nearest and all as near as the last; of a crowd of these, none."""
    from scipy.spatial.distance import cdist

    last = lengths[:, k - 1]
    ties = lengths[:, -1] <= (1.0 + EQUAL_WITHIN) * last
    ties &= lengths.shape[1] > k
    others = np.flatnonzero(~ties)
    parts = [(lengths[others, :k].ravel(), others.repeat(k), near[others, :k].ravel())]
    for start in range(0, int(ties.sum()), ROWS_AT_ONCE):
        rows = np.flatnonzero(ties)[start : start + ROWS_AT_ONCE]
        apart = cdist(points[rows], points)
        apart[np.arange(len(rows)), rows] = np.inf
        nearer = apart < (1.0 - EQUAL_WITHIN) * last[rows, np.newaxis]
        chosen = apart <= (1.0 + EQUAL_WITHIN) * last[rows, np.newaxis]
        crowds = (chosen & ~nearer).sum(axis=1) > MOST_COMPARED
        chosen[crowds] = nearer[crowds]
        at, other = np.nonzero(chosen)
        parts.append((apart[at, other], rows[at], other))
    distances, one, other = (np.concatenate(part) for part in zip(*parts, strict=True))
    return distances, one, other


def _near_one(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values over a power of 2: scikit-learn takes lengths below 1e-15 for 0."""
    return np.asarray(np.ldexp(values, -np.frexp(np.abs(values).max(initial=0.0))[1]))


def _all_distances(points: NDArray[np.float64]) -> NDArray[np.float64]:
    n = len(points)
    if n * (n - 1) // 2 > MOST_HELD:
        raise InputError(
            f"the graph compares all pairs of its {n:,} items, which needs "
            f"{n * (n - 1) * 4 / 1e9:.0f} GB",
            remedy="use NeighborGraph, which connects nearest neighbours only, or "
            "DissimilarityGraph(NeighborGraph(...)) to connect dissimilar items",
        )
    from scipy.spatial.distance import pdist

    return np.asarray(pdist(points))


def _sparse_graph(
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    weights: NDArray[np.float64],
    n_items: int,
    items: tuple[Hashable, ...] | None,
) -> ItemGraph:
    half = sparse.coo_array((weights, (first, second)), shape=(n_items, n_items))
    symmetric = sparse.csr_array(half + half.T)
    symmetric.eliminate_zeros()
    symmetric.sort_indices()
    return ItemGraph.trusted(Weights(symmetric), items)


def similarity(
    distances: NDArray[np.float64],
    kernel: Similarity | Literal["constant"],
    lengthscale: float | Literal["median"],
) -> NDArray[np.float64]:
    """Weights of edges of these lengths.

    Where over half of the distances are 0, "median" means the median of the others.
    """
    if kernel == "constant":
        return np.ones_like(distances)
    check_choice(kernel, ("squared_exponential", "exponential"), "kernel")
    if lengthscale == "median":
        scale = float(np.median(distances)) if distances.size else 1.0
        if scale == 0.0:
            apart = distances[distances > 0]
            scale = float(np.median(apart)) if apart.size else 1.0
    elif is_real(lengthscale) and lengthscale > 0:
        scale = float(lengthscale)
    else:
        raise InputError(
            f'must be "median" or above 0; got {lengthscale!r}', parameter="lengthscale"
        )
    if kernel == "exponential":
        return np.exp(-distances / scale)
    return np.exp(-0.5 * (distances / scale) ** 2)


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

    def build_from(self, X: Any, *args: Any, **options: Any) -> ItemGraph:
        """Learn the inner graph from rankings, as it says, and build this one from it."""
        if not self.needs_rankings:
            return self.build()
        return self._derived(self.graph.build_from(X, *args, **options))

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
    """1/√d_i of each item, and 0 for an item without neighbours."""
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
