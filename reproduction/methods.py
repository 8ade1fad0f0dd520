"""What each method sees of rankings: vectors, or a Gram matrix.

``graph cut`` is the method of the text: squared-exponential weights, own completions. Unweighted
cuts on a complete graph give the Borda count: the item graph plays no part then.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from rankcut import Completions, ItemGraph, SimilarityGraph, graph_cut_features
from rankcut.graphs import as_item_graph
from rankcut.kernels import KendallFeatures, KendallKernel, MallowsKernel, median_lambda

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

CUT = "graph cut"
DRAWN = "graph cut, 600 draws"
KENDALL = "Kendall"
MALLOWS = "Mallows"
MALLOWS_DRAWS = "Mallows, 4 draws"
DUMMY = "uniform dummy"
CONSTANT = "one class for all"
BLIND = (DUMMY, CONSTANT)

# Completions of a ranking in the paper, and full rankings for a list in its Mallows kernel.
N_DRAWS, PER_LIST = 600, 4

# With more items, Kendall's kernel is used through its Gram matrix.
_MOST_ITEMS = 30

# Rankings to complete at once if all have the same completions.
_AT_ONCE = 64


@dataclass(frozen=True)
class Cut:
    """A variant of the graph cut kernel."""

    kernel: Literal["squared_exponential", "exponential"] = "squared_exponential"
    weighted: bool = True
    normalize: bool = False
    draws: Literal["tolerance", "own", "same"] = "tolerance"


CUTS = {CUT: Cut(), DRAWN: Cut(draws="own")}


@dataclass(frozen=True, eq=False)
class Rankings:
    """A rank matrix, what unranked items mean, and what is known about the items.

    ``keep`` is the share of edges that the graph keeps, ``tolerance`` the relative standard error
    of sampled vectors.
    """

    ranks: Floats
    unranked: Any
    points: Floats
    keep: float = 1.0
    tolerance: float = 0.01


class Seen(NamedTuple):
    """Vectors of all rankings, or their Gram matrix."""

    features: Floats | None = None
    gram: Floats | None = None

    def select(self, rows: Rows) -> "Seen":
        """Some of the rankings."""
        if self.features is not None:
            return Seen(self.features[rows])
        return Seen(gram=self.gram[np.ix_(rows, rows)])


def see(method: str, rankings: Rankings, *, seed: int = 0) -> Seen:
    """What the method sees. ``seed`` is that of drawn completions.

    Examples
    --------
    >>> rankings = Rankings(np.array([[1.0, 2.0, 3.0]]), "error", np.array([[0.0], [1.0], [2.0]]))
    >>> see("Kendall", rankings).features.round(2)
    array([[0.58, 0.58, 0.58]])
    """
    ranks, unranked = rankings.ranks, rankings.unranked
    if method in CUTS:
        return Seen(cut_features(CUTS[method], rankings, seed))
    if method == KENDALL:
        return see_kendall(ranks, unranked)
    rate = median_lambda(ranks, unranked=unranked)
    if method == MALLOWS:
        return Seen(gram=MallowsKernel(rate, unranked=unranked)(ranks))
    # Four random full rankings for each list, as in the text.
    full, n = draw_full_rankings(ranks, PER_LIST, seed), len(ranks)
    gram = MallowsKernel(rate)(full).reshape(n, PER_LIST, n, PER_LIST).mean(axis=(1, 3))
    return Seen(gram=gram)


def see_kendall(ranks: Floats, unranked: Any) -> Seen:
    """The signs of all pairs of items, or the Gram matrix where there are many."""
    if ranks.shape[1] > _MOST_ITEMS:
        return Seen(gram=KendallKernel(unranked=unranked)(ranks))
    return Seen(KendallFeatures(unranked=unranked).fit_transform(ranks))


def sushi_points(sushi: Any) -> Floats:
    """The items' features as the published experiments take them: codes, each over its maximum."""
    columns = []
    for name, values in sushi.item_features.items():
        if name != "minor group":
            # One number distinguishes both categories: 1 for "other".
            number = values == "other" if values.dtype == object else values
            columns.append(number / number.max())
    return np.stack(columns, axis=1)


def item_graph(points: Floats, kernel: Any, keep: float = 1.0) -> ItemGraph:
    """Similarities of items; ℓ is the median over the whole distance matrix, as published."""
    scale = float(np.median(squareform(pdist(points))))
    return SimilarityGraph(points, kernel=kernel, lengthscale=scale, keep=keep).build()


def cut_features(cut: Cut, rankings: Rankings, seed: int) -> Floats:
    """Vectors of a variant of the graph cut kernel; ``seed`` is that of drawn completions."""
    graph = item_graph(rankings.points, cut.kernel, rankings.keep)
    if not cut.weighted:
        joined = (graph.to_dense() > 0).astype(np.float64)
        n_items = len(joined)
        complete = joined.sum() == n_items * (n_items - 1)
        graph = ItemGraph.complete(n_items) if complete else as_item_graph(joined)
    if cut.draws == "same":
        return _same_completions(rankings.ranks, graph, seed)
    if cut.draws == "own":
        return drawn_means(rankings.ranks, graph, N_DRAWS, seed)
    options: dict[str, Any] = {"unranked": rankings.unranked, "normalize": cut.normalize}
    if rankings.unranked == "anywhere":
        options["completions"] = Completions(tolerance=rankings.tolerance, random_state=seed)
    return np.asarray(graph_cut_features(rankings.ranks, graph, **options))


def drawn_means(
    ranks: Floats, graph: ItemGraph, n_draws: int, seed: int, *, mirrored: bool = False
) -> Floats:
    """Mean vectors of lists over completions drawn independently, as in the text.

    If ``mirrored``, every second draw is the mirror image of the one before it.
    """
    unknown = np.isnan(ranks)
    place = np.argsort(np.argsort(ranks, axis=1), axis=1) + 1.0
    n_gaps = (~unknown).sum(axis=1, keepdims=True) + 1
    rng = np.random.default_rng(seed)
    total, gaps = np.zeros(ranks.shape), np.zeros(ranks.shape)
    for draw in range(n_draws):
        if mirrored and draw % 2:
            gaps = n_gaps - 1 - gaps
        else:
            gaps = np.floor(rng.random(ranks.shape) * n_gaps)
        total += graph_cut_features(np.where(unknown, gaps + 0.5, place), graph)
    return total / n_draws


def _same_completions(ranks: Floats, graph: ItemGraph, seed: int) -> Floats:
    """Mean vectors over draws of gaps that are the same for every ranking.

    Draw d puts the j-th unranked item into gap ``gaps[d, j]`` of each ranking, whichever item
    that is. All rankings list the same number of items.
    """
    listed = ~np.isnan(ranks)
    n_items, n_listed = ranks.shape[1], int(listed[0].sum())
    gaps = np.random.RandomState(seed).randint(0, n_listed + 1, (N_DRAWS, n_items - n_listed))
    means = np.empty(ranks.shape)
    for first in range(0, len(ranks), _AT_ONCE):
        block = slice(first, first + _AT_ONCE)
        completed = np.repeat(ranks[block, None], N_DRAWS, axis=1)
        for row, known in zip(completed, listed[block], strict=True):
            row[:, ~known] = gaps + 0.5
        vectors = np.asarray(graph_cut_features(completed.reshape(-1, n_items), graph))
        means[block] = vectors.reshape(completed.shape).mean(axis=1)
    return means


def draw_full_rankings(ranks: Floats, draws: int, seed: int) -> Floats:
    """Random full rankings that agree with each list: unlisted items come last, in any order.

    >>> draw_full_rankings(np.array([[2.0, 1.0, np.nan]]), 2, seed=0)
    array([[2., 1., 3.],
           [2., 1., 3.]])
    """
    rng = np.random.RandomState(seed)
    repeated = np.repeat(ranks, draws, axis=0)
    last = np.where(np.isnan(repeated), np.inf, repeated)
    order = np.lexsort((rng.random_sample(repeated.shape), last))
    full = np.empty_like(repeated)
    np.put_along_axis(full, order, np.arange(1.0, ranks.shape[1] + 1), axis=1)
    return full
