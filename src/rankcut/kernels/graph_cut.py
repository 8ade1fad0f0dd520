"""Kernels of graph cuts: inner products of graph cut features; on the complete graph, Spearman's.

The Lovász–Bregman divergence compares rankings with scores by the same function.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankcut._loops.closed_form import spread_rows
from rankcut._loops.pairs import ALL, TWINS, UPPER
from rankcut._loops.types import Floats
from rankcut.cuts.cut_functions import ExpectedSlopes
from rankcut.cuts.feature_map import FeatureMap, fit_map
from rankcut.cuts.offset_rows import (
    Vectors,
    check_centred,
    inner_products,
    largest_entry,
    row_squares,
)
from rankcut.cuts.options import Completions, MapOptions, Method, Smoothing, UnlistedWeight
from rankcut.errors import InputError, Setting
from rankcut.graphs import as_item_graph
from rankcut.graphs.item_graph import fit_graph
from rankcut.graphs.recipes import joining_like_items
from rankcut.kernels.ranking_kernel import Encoder, Features, RankingKernel, with_same_labels
from rankcut.rankings import Rankings, Unranked, read_rankings


class _CutKernel(RankingKernel):
    """Compares rankings by the vectors of a graph, which are scaled to unit length if asked."""

    graph: Any = None

    @property
    def to_scale(self) -> bool:
        """False: vectors are of unit length already, because weights may be of any scale."""
        return False

    def encoder(self, *, derivative: bool = False) -> Encoder:
        """Encode rankings as vectors."""
        return GraphCutEncoder(self.graph, MapOptions.of(self))


class GraphCutKernel(_CutKernel):
    """k(A, A') = ⟨φ(A), φ(A')⟩ with graph cut features φ.

    Parameters
    ----------
    graph : None, ItemGraph, recipe, array, sparse matrix, networkx.Graph or frame
        The item graph. None means the complete graph.
    unranked, unlisted_weight, completions, smoothing
        As in :class:`~rankcut.GraphCutFeatures`. The vectors of sparse rankings in closed form
        stay sparse.
    normalize : bool
        Values from −1 to 1; on the complete graph they are Spearman's correlation. A ranking that
        ties all items has k = 0.
    items : sequence or None
        Labels of the columns, if the rankings are not frames.
    n_jobs : int or None
        Number of threads.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from rankcut import GraphCutKernel, SimilarityGraph, make_food
    >>> food = make_food(200, noise=0.3, random_state=0)
    >>> kernel = GraphCutKernel(SimilarityGraph(food.item_features), normalize=True)
    >>> model = SVC(kernel=kernel).fit(food.ranks[:150], food.target[:150])
    >>> model.score(food.ranks[150:], food.target[150:]) > 0.9
    True
    """

    def __init__(
        self,
        graph: Any = None,
        *,
        unranked: Unranked = "error",
        unlisted_weight: UnlistedWeight = 1.0,
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        completions: Method | Completions = "auto",
        smoothing: float | Smoothing = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(unranked=unranked, normalize=normalize, items=items, n_jobs=n_jobs)
        self.graph = graph
        self.unlisted_weight = unlisted_weight
        self.completions = completions
        self.smoothing = smoothing


class SpearmanKernel(_CutKernel):
    """k(A, A') = Σ_i φ_i φ'_i, where φ_i = n + 1 − 2·(average rank of i).

    This is the graph cut kernel of the complete graph; with ``normalize=True`` it is Spearman's
    correlation, ties included. The vectors φ are those of :class:`~rankcut.GraphCutFeatures` with
    its default graph.

    The vector of an incomplete ranking is the exact mean over its completions: on the complete
    graph there is nothing to pool, so the mean has a closed form.

    Parameters
    ----------
    unranked, normalize, items, n_jobs
        As in :class:`KendallKernel`.

    Examples
    --------
    >>> from rankcut.kernels import SpearmanKernel
    >>> SpearmanKernel(normalize=True)([[1, 2, 3]], [[1, 3, 2]])
    array([[0.5]])
    """


class GraphCutVectors:
    """Graph cut features, or any other vectors, compared by their inner products."""

    side = Features.side
    blas = True

    def __init__(self, vectors: Vectors) -> None:
        check_centred(vectors)
        self._vectors = vectors

    def __len__(self) -> int:
        return int(self._vectors.shape[0])

    def compare(
        self, rows: slice, other: "GraphCutVectors", columns: slice, pairs: int, out: Any
    ) -> None:
        """Inner products."""
        left = self._vectors[rows]
        if pairs == TWINS:
            out[:, 0] = row_squares(left)
            return
        right = left if pairs != ALL else other._vectors[columns]
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            np.matmul(left, right.T, out=out)
            return
        out[:] = inner_products(left, right)
        if pairs == UPPER:
            # The sparse sums of (A, A') and (A', A) may be in different orders.
            out[:] = (out + out.T) / 2.0


class GraphCutEncoder:
    """Encodes rankings as vectors.

    The graph of a recipe is built once, for X and Y and all their blocks. Recipes that learn from
    rankings are refused: they would give different graphs for the two sides of a Gram matrix.
    """

    def __init__(self, graph: Any, options: MapOptions) -> None:
        smoothing = options.smoothing
        self._graph = None if graph is None else as_item_graph(graph)
        if smoothing.steps:
            walked = joining_like_items(graph if smoothing.graph is None else smoothing.graph)
            if walked is not None:
                walked = self._graph if walked is graph else as_item_graph(walked)
            options = replace(options, smoothing=Smoothing(smoothing.steps, walked))
        self.options = options
        self._known: Any = None
        self._map: FeatureMap | None = None

    def __call__(self, rankings: Rankings, dtype: np.dtype[Any]) -> GraphCutVectors:
        """The vectors; they are normalised here, because weights may be of any scale."""
        key = (rankings.shape[1], rankings.items, dtype)
        if self._map is None or self._known != key:
            self._map = fit_map(self._graph, rankings, replace(self.options, dtype=dtype))
            self._known = key
        vectors = self._map.compact(rankings)
        if not self.options.normalize:
            check_squares(vectors, dtype, self._map.function.magnitude)
        return GraphCutVectors(vectors)


def check_squares(vectors: Vectors, dtype: np.dtype[Any], magnitude: float) -> None:
    """Refuse vectors whose inner products are too large or too small for a float.

    By Cauchy and Schwarz, no product exceeds the largest square. If all squares are normal
    numbers, underflow costs no more than rounding. No coordinate exceeds ``magnitude``.
    """
    limits = np.finfo(dtype)
    with np.errstate(all="ignore"):
        squares = row_squares(vectors)
    wrong = ~(squares <= float(limits.max))
    # No coordinate of a zero vector, as rounding leaves it, is larger than this.
    noise = vectors.shape[1] * float(limits.eps) * magnitude
    if noise < float(limits.tiny) ** 0.5:
        for row in np.flatnonzero(squares < float(limits.tiny)).tolist():
            wrong[row] = largest_entry(vectors[row : row + 1]) > noise
    if wrong.any():
        row = int(np.argmax(wrong))
        size = "small" if squares[row] < 1 else "large"
        raise InputError(
            f"k(A, A) is too {size} for {dtype}",
            row=row,
            remedy=["pass ", Setting("normalize", True), " or rescale the weights"],
        )


def lovasz_bregman_divergence(
    X: Any,
    Y: Any,
    *,
    graph: Any = None,
    unranked: Unranked = "error",
    items: Sequence[Hashable] | None = None,
) -> Floats:
    """d(x ‖ σ) = ⟨x, φ°(σ_x) − φ°(σ)⟩ of scores x and a ranking σ; σ_x is the ranking by x.

    The Lovász extension of the cut function, f(x) = Σ_{i<j} W_ij·|x_i − x_j|, is the largest
    ⟨x, φ°(σ)⟩ over all rankings σ, where φ°_i(σ) is the weight from item i to worse items minus
    that to better ones. The ranking by the scores themselves attains it, and the divergence is how
    far another falls short. It is not a kernel: its two arguments are of different kinds.

    d ≥ 0, and d = 0 if σ orders the items as the scores do; rounding may make it slightly
    negative. For a ranking with ties, or a top-k list, it is the mean over all ways to break the
    ties, in closed form: in φ°, tied items do not count for each other.

    Parameters
    ----------
    X : array or frame of shape (n_scores, n_items)
        Finite scores. Larger is better, unlike ranks.
    Y : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix over the same items; the result has a column for each ranking.
    graph, items
        As in :class:`GraphCutKernel`.
    unranked : {"error", "last"}
        What an unranked item of Y means. The divergence is not defined for incomplete rankings.

    References
    ----------
    R. Iyer, J. Bilmes. The Lovász-Bregman divergence and connections to rank aggregation,
    clustering, and web ranking. UAI 2013.

    Examples
    --------
    >>> lovasz_bregman_divergence([[0.9, 0.8, 0.1]], [[1, 2, 3], [2, 1, 3], [3, 2, 1]]).round(3)
    array([[0. , 0.2, 3.2]])
    """
    if unranked == "anywhere":
        raise InputError(
            "the Lovász–Bregman divergence is not defined for incomplete rankings",
            remedy=[
                "pass ",
                Setting("unranked", "last"),
                " if unranked items come after all ranked ones",
            ],
        )
    scores, rankings = with_same_labels(
        read_rankings(X, items, unranked="anywhere", number="score"),
        read_rankings(Y, items, unranked=unranked),
    )
    values = _finite_scores(scores)
    slopes = ExpectedSlopes(fit_graph(graph, rankings))
    products = np.einsum("ri,ri->r", values, _item_slopes(read_rankings(-values), slopes))
    return np.asarray(products[:, None] - values @ _item_slopes(rankings, slopes).T)


def _finite_scores(scores: Rankings) -> Floats:
    if scores.sparse is not None:
        raise InputError(
            "scores must be a dense matrix, because each item has one", remedy="pass X.toarray()"
        )
    values = scores.read(0, scores.shape[0])
    bad = ~np.isfinite(values)
    if bad.any():
        row, item = divmod(int(np.argmax(bad)), values.shape[1])
        raise InputError(
            f"has score {values[row, item]}; scores must be finite",
            row=row,
            item=scores.item(item),
            remedy="fill the gaps, or drop the row",
        )
    return values


def _item_slopes(rankings: Rankings, slopes: ExpectedSlopes) -> Floats:
    """φ° of each ranking: tied items do not count for each other."""
    slopes_of_items = np.empty(rankings.shape)
    for first, block in rankings.blocks(close=True):
        rows = slopes_of_items[first : first + len(block)]
        spread_rows(slopes.entries(block, np.ones(len(block)), shared=False), rows)
    return slopes_of_items
