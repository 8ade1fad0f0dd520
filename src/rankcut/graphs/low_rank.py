"""Low-rank graphs: the weights of all pairs of items as inner products of short vectors."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import InputError, Setting
from rankcut.graphs.item_features import FeatureRecipe
from rankcut.graphs.item_graph import ItemGraph
from rankcut.graphs.similarities import median_lengthscale, similarity
from rankcut.graphs.weights import AT_ONCE, ROUNDING, StructuredWeights, sampled_pairs
from rankcut.parameters import check_choice, check_count, check_number


class LowRankGraph(FeatureRecipe):
    """Connect all pairs of many items: W_ij = ⟨z_i, z_j⟩, with a short vector z_i for each.

    With vectors of r numbers, a ranking of n items costs n·r instead of n², and a top-k list k·r.
    The vectors approximate the squared exponential similarity of :class:`SimilarityGraph`, or
    they are an embedding of the items that you already have.

    Approximate weights may be slightly negative. Features are still defined, by pooling, but the
    cut function is then not quite submodular. The graph's ``approximation_error`` is the root mean
    square error of its weights; a higher rank reduces it.

    Parameters
    ----------
    item_features : array or frame of shape (n_items, n_features)
        As for :class:`SimilarityGraph`; or the embedding.
    method : {"nystroem", "embedding"}
        Nyström's method, from the similarities to some of the items; or the item features are the
        vectors z themselves, and no inner product may be negative.
    rank : int
        r. Nyström's method uses at most the number of items; an embedding has its own number of
        columns.
    lengthscale : float or "median"
        As for :class:`SimilarityGraph`; the median is over at most a million pairs.
    offset : float
        A constant to add to all weights, such as 1 for an embedding whose inner products are
        cosines, from −1 to 1.
    scale, items
        As for :class:`SimilarityGraph`.
    random_state : int
        Seed for drawing items, and pairs to measure the error on.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.random.default_rng(0).random((500, 3))
    >>> graph = LowRankGraph(points, rank=40).build()
    >>> graph
    ItemGraph(500 items, rank 40, error 0.00014)
    >>> LowRankGraph([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], method="embedding").build().to_dense()
    array([[0. , 0.6, 0. ],
           [0.6, 0. , 0.8],
           [0. , 0.8, 0. ]])
    """

    def __init__(
        self,
        item_features: Any = None,
        *,
        method: Literal["nystroem", "embedding"] = "nystroem",
        rank: int = 100,
        lengthscale: float | Literal["median"] = "median",
        offset: float = 0.0,
        scale: bool = True,
        items: str | None = None,
        random_state: int = 0,
    ) -> None:
        self.item_features = item_features
        self.method = method
        self.rank = rank
        self.lengthscale = lengthscale
        self.offset = offset
        self.scale = scale
        self.items = items
        self.random_state = random_state

    def build(self) -> ItemGraph:
        """Build the graph."""
        check_choice(self.method, ("nystroem", "embedding"), "method")
        check_number(self.offset, "offset")
        is_embedding = self.method == "embedding"
        points, items = self.points(scale=self.scale and not is_embedding)
        pairs = sampled_pairs(len(points), self.random_state)
        if is_embedding:
            weights = StructuredWeights.of_factors(points, float(self.offset))
            _check_embedding(weights, pairs, items)
            return ItemGraph.trusted(weights, items)
        distances = distances_between(points, *pairs)
        lengthscale = median_lengthscale(distances, self.lengthscale)
        factors = self._approximate(points, lengthscale)
        weights = StructuredWeights.of_factors(factors, float(self.offset))
        expected = similarity(distances, "squared_exponential", lengthscale) + self.offset
        squares = (weights.pairs(*pairs) - expected) ** 2
        error = float(np.sqrt(squares.mean())) if squares.size else 0.0
        return ItemGraph.trusted(weights, items, approximation_error=error)

    def _approximate(self, points: NDArray[np.float64], lengthscale: float) -> NDArray[np.float64]:
        from sklearn.kernel_approximation import Nystroem

        check_count(self.rank, "rank")
        approximate = Nystroem(
            gamma=0.5 / max(lengthscale**2, float(np.finfo(np.float64).tiny)),
            n_components=min(int(self.rank), len(points)),
            random_state=self.random_state,
        )
        return np.ascontiguousarray(approximate.fit_transform(points), dtype=np.float64)


def distances_between(
    points: NDArray[np.float64], first: NDArray[Any], second: NDArray[Any]
) -> NDArray[np.float64]:
    """Between some pairs of points, a block of them at a time.

    >>> distances_between(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([0, 1]), np.array([1, 1]))
    array([5., 0.])
    """
    step = max(1, AT_ONCE // points.shape[1])
    found = np.empty(len(first))
    for start in range(0, len(first), step):
        block = slice(start, start + step)
        found[block] = np.linalg.norm(points[first[block]] - points[second[block]], axis=1)
    return found


def _check_embedding(
    weights: StructuredWeights,
    pairs: tuple[NDArray[Any], NDArray[Any]],
    items: tuple[Any, ...] | None,
) -> None:
    """Refuse negative weights, and name an offset that lifts them."""
    found = weights.pairs(*pairs)
    longest = float((weights.factors**2).sum(axis=1).max())
    if found.min(initial=0.0) >= -ROUNDING * longest:
        return
    at = int(np.argmin(found))
    one, other = (repr(int(side[at]) if items is None else items[side[at]]) for side in pairs)
    raise InputError(
        f"the weight between items {one} and {other} is {found[at]:.3g}, but weights must not "
        "be negative",
        remedy=["pass ", Setting("offset", float(f"{longest:.3g}")), " to make all positive"],
    )
