"""What each method sees of rankings: vectors, or a Gram matrix.

``graph cut`` is the method of the text: squared-exponential weights, own completions. The names
after the comma are what the published experiments did instead.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from rankcut.cuts import Completions
from rankcut.cuts.feature_map import graph_cut_features
from rankcut.graphs import ItemGraph, as_item_graph
from rankcut.graphs.recipes import SimilarityGraph
from rankcut.graphs.similarities import Similarity
from rankcut.kernels.kendall import kendall_features, kendall_kernel
from rankcut.kernels.mallows import mallows_kernel, median_lambda
from rankcut.rankings import Unranked, read_rankings
from rankcut.regression.cross_validation import presence

Floats = NDArray[np.float64]

CUT = "graph cut"
EXPONENTIAL = "graph cut, exp(−d/ℓ)"
UNWEIGHTED = "graph cut, unweighted"
UNIT = "graph cut, unit length"
OWN_DRAWS = "graph cut, 600 draws"
SAME_DRAWS = "graph cut, 600 draws, the same for all"
KENDALL = "Kendall"
MALLOWS = "Mallows"
MALLOWS_EXACT = "Mallows, exactly"
MALLOWS_DRAWS = "Mallows, 4 draws"
BORDA = "Borda"
PRESENCE = "presence"
DUMMY = "dummy"
CONSTANT = "constant"

N_DRAWS = 600
PER_LIST = 4

# With more pairs of items than that, Kendall's kernel is used through its Gram matrix.
_MOST_PAIRS = 500

# Rankings to complete at once if all have the same completions.
_AT_ONCE = 64


@dataclass(frozen=True)
class Cut:
    """A variant of the graph cut kernel."""

    kernel: Similarity = "squared_exponential"
    weighted: bool = True
    normalize: bool = False
    draws: Literal["tolerance", "own", "same"] = "tolerance"


CUTS = {
    CUT: Cut(),
    EXPONENTIAL: Cut(kernel="exponential"),
    UNWEIGHTED: Cut(weighted=False),
    UNIT: Cut(normalize=True),
    OWN_DRAWS: Cut(draws="own"),
    SAME_DRAWS: Cut(draws="same"),
}

KERNELS = (CUT, KENDALL, MALLOWS)
"""Those that the paper compares."""

LOGISTIC = (BORDA, PRESENCE)
"""Baselines of a practitioner, for logistic regression."""


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rankings with what is known about their items.

    Attributes
    ----------
    ranks : array or CSR array
        Rank matrix.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means.
    points : ndarray of shape (n_items, n_features)
        The items' features.
    keep : float
        The share of edges that the graph keeps, the strongest.
    tolerance : float
        Relative standard error of sampled vectors.
    """

    ranks: Any
    unranked: Unranked
    points: Floats
    keep: float = 1.0
    tolerance: float = 0.01


class Encoded(NamedTuple):
    """Vectors of the rankings, or their Gram matrix."""

    features: Floats | None = None
    gram: Floats | None = None


def encode(method: str, rankings: Rankings, *, seed: int = 0) -> Encoded:
    """What the method sees. ``seed`` is that of drawn completions.

    Examples
    --------
    >>> rankings = Rankings(np.array([[1.0, 2.0, 3.0]]), "error", np.array([[0.0], [1.0], [2.0]]))
    >>> encode("Borda", rankings).features
    array([[ 2.,  0., -2.]])
    """
    if method in CUTS:
        return Encoded(features=cut_features(CUTS[method], rankings, seed))
    if method == KENDALL:
        n_items = rankings.ranks.shape[1]
        if n_items * (n_items - 1) // 2 <= _MOST_PAIRS:
            return Encoded(kendall_features(rankings.ranks, unranked=rankings.unranked))
        return Encoded(gram=kendall_kernel(rankings.ranks, unranked=rankings.unranked))
    if method in (MALLOWS, MALLOWS_EXACT):
        rate = median_lambda(rankings.ranks, unranked=rankings.unranked)
        return Encoded(gram=mallows_kernel(rankings.ranks, lam=rate, unranked=rankings.unranked))
    if method == MALLOWS_DRAWS:
        return Encoded(gram=_drawn_mallows(rankings, seed))
    if method == BORDA:
        # If nothing is known about an unlisted item, its mean position counts.
        points = graph_cut_features(rankings.ranks, unranked=rankings.unranked, sparse_output=False)
        return Encoded(np.asarray(points))
    if method == PRESENCE:
        return Encoded(presence(rankings.ranks))
    raise ValueError(f"there is no method {method!r}")


def item_graph(points: Floats, kernel: Similarity, keep: float = 1.0) -> ItemGraph:
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
    if cut.draws == "own" and rankings.unranked == "anywhere":
        return drawn_means(rankings.ranks, graph, N_DRAWS, seed)
    completions = Completions(tolerance=rankings.tolerance, random_state=seed)
    vectors = graph_cut_features(
        rankings.ranks,
        graph,
        unranked=rankings.unranked,
        normalize=cut.normalize,
        sparse_output=False,
        completions=completions if rankings.unranked == "anywhere" else "auto",
    )
    return np.asarray(vectors)


def drawn_means(
    ranks: Any, graph: ItemGraph, n_draws: int, seed: int, *, mirrored: bool = False
) -> Floats:
    """Mean vectors over completions drawn independently, as in the text, for each ranking.

    If ``mirrored``, every second draw is the mirror image of the one before it.
    """
    groups = read_rankings(ranks, unranked="anywhere").groups(close=False).astype(np.float64)
    unknown = groups >= groups.shape[1]
    last = np.where(unknown, -1.0, groups).max(axis=1, keepdims=True) + 1.0
    rng = np.random.default_rng(seed)
    total = np.zeros(groups.shape)
    for draw in range(n_draws):
        if not (mirrored and draw % 2):
            gaps = np.floor(rng.random(groups.shape) * (last + 1.0))
        else:
            gaps = last - gaps
        total += graph_cut_features(np.where(unknown, gaps - 0.5, groups), graph)
    return total / n_draws


def _same_completions(ranks: Any, graph: ItemGraph, seed: int) -> Floats:
    """Mean vectors over draws of gaps that are the same for every ranking.

    Draw d puts the j-th unranked item into gap ``gaps[d, j]`` of each ranking, whichever item
    that is. All rankings list the same number of items.
    """
    dense = ranks.toarray() if hasattr(ranks, "toarray") else np.asarray(ranks)
    # In a sparse rank matrix, ranks begin at 1 and absent entries read as 0.
    listed = (dense > 0) & ~np.isnan(dense)
    n_items, n_listed = dense.shape[1], int(listed[0].sum())
    rng = np.random.RandomState(seed)
    gaps = rng.randint(0, n_listed + 1, (N_DRAWS, n_items - n_listed))
    means = np.empty(dense.shape)
    for first in range(0, len(dense), _AT_ONCE):
        block = slice(first, first + _AT_ONCE)
        known = listed[block]
        completed = np.empty((len(known), N_DRAWS, n_items))
        for row, (ranked, places) in enumerate(zip(known, dense[block], strict=True)):
            # Listed items have even ranks 2, 4, …; gap g is between 2g and 2g + 2.
            completed[row, :, ranked] = 2.0 * places[ranked][:, None]
            completed[row][:, ~ranked] = 2.0 * gaps + 1.0
        vectors = graph_cut_features(completed.reshape(-1, n_items), graph)
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


def _drawn_mallows(rankings: Rankings, seed: int) -> Floats:
    """The mean of the kernel over four random full rankings for each list, as in the text."""
    full = draw_full_rankings(np.asarray(rankings.ranks), PER_LIST, seed)
    rate = median_lambda(rankings.ranks, unranked=rankings.unranked)
    n = len(rankings.ranks)
    gram = np.empty((n, n))
    step = max(1, 2_000 // PER_LIST)
    for first in range(0, n, step):
        rows = full[first * PER_LIST : (first + step) * PER_LIST]
        values = mallows_kernel(rows, full, lam=rate)
        gram[first : first + step] = values.reshape(-1, PER_LIST, n, PER_LIST).mean(axis=(1, 3))
    return 0.5 * (gram + gram.T)
