"""The graph cut feature map as a scikit-learn transformer."""

from collections.abc import Hashable, Sequence
from typing import Any

from numpy.typing import ArrayLike, DTypeLike

from rankcut.cuts.completions import Completions, Method
from rankcut.cuts.feature_map import FeatureMap
from rankcut.cuts.graph_cut import fit_smoothing_graph, make_map
from rankcut.cuts.smoothing import Smoothing
from rankcut.cuts.transformers import RankingFeatures
from rankcut.cuts.unlisted import UnlistedWeight
from rankcut.graphs.item_graph import fit_graph
from rankcut.rankings import Rankings, Unranked


class GraphCutFeatures(RankingFeatures):
    """Turn rankings into vectors by cuts of the item graph.

    Each ranking becomes one vector with a coordinate for each item: the slopes of the least
    concave majorant of (|B_t|, F(B_t)), where B_t are the best t groups of items and F(B) is the
    weight of the edges between B and the other items. A larger coordinate means more preferred.
    The inner product of two vectors is the graph cut kernel; on the complete graph, and with
    vectors of unit length, it is Spearman's correlation. See :mod:`rankcut.cuts.feature_map`.

    Parameters
    ----------
    graph : None, recipe, ItemGraph, array, sparse matrix, networkx.Graph or frame, default=None
        The item graph. None is the complete graph. A recipe, such as
        :class:`~rankcut.SimilarityGraph`, is built when fitted, and its parameters can be
        searched as ``graph__lengthscale`` and so on. A graph with labels is matched by name
        with rankings that have labels. Some recipes, such as :class:`~rankcut.CoListingGraph`,
        learn the graph from the rankings that are fitted.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means: an error; it is tied with the other unranked ones after all
        ranked items (a top-k list); or its place is unknown.
    unlisted_weight : float or "balanced", default=1.0
        Weight of comparisons with unranked items, where those among ranked ones have weight 1. A
        small one keeps the order of a short list from being swamped by a large catalogue.
        "balanced" is k/n for a ranking of k of n items; see :mod:`rankcut.cuts.unlisted`.
    normalize : bool, default=False
        Scale each vector to unit length. The zero vector of a ranking that ties all items
        stays zero.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.
    completions : {"auto", "exact", "sampled", "closed_form"} or Completions, default="auto"
        With ``unranked="anywhere"``: how the mean over the completions of a ranking is found.
        :class:`~rankcut.Completions` also holds the tolerance, or the number of draws, and the
        seed.
    smoothing : float or Smoothing, default=0.0
        Steps of a lazy random walk on the item graph that smooths the vectors, so that similar
        items have similar values and lists that share no item can be compared: φ·p(L), not φ;
        see :mod:`rankcut.cuts.smoothing`. 0 is no smoothing, 1.5 is a step and a half.
        :class:`~rankcut.Smoothing` also names another graph to walk on. With ``normalize``, the
        smoothed vectors have unit length; reported errors are for vectors before smoothing.
    dtype : float32, float64 or None, default=None
        Type of the vectors; None is float32 for ranks in float32, and float64 otherwise.
    sparse_output : bool, default=True
        Return sparse vectors where they are small: for CSR rankings on a sparse or complete graph,
        with ``unranked="last"`` or in closed form. These are
        :class:`~rankcut.cuts.UncentredRows`, which leave out a constant of each row;
        everything else gives a dense array. False always gives a dense array, for estimators that
        take no sparse input and for ``set_output``.
    n_jobs : int or None, default=None
        Number of threads. The vectors are the same bits for any number.

    Attributes
    ----------
    graph_ : ItemGraph
        The graph, its items in the order of the columns.
    smoothing_graph_ : ItemGraph or None
        The graph to walk on, if there is smoothing.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    See Also
    --------
    graph_cut_features : The same as a plain function.
    graph_cut_kernel : The inner products of the vectors.
    SubmodularFeatures : The same with any set function instead of the cut.

    References
    ----------
    M. Conserva, M. P. Deisenroth, K. S. Sesh Kumar. The Graph Cut Kernel for Ranked Data.
    Transactions on Machine Learning Research, 2022.

    Examples
    --------
    >>> from rankcut import GraphCutFeatures, SimilarityGraph, make_food
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> food = make_food(n_rankings=200, noise=0.3, random_state=0)
    >>> graph = SimilarityGraph(food.item_features)
    >>> model = make_pipeline(GraphCutFeatures(graph), LogisticRegression())
    >>> model.fit(food.ranks[:150], food.target[:150]).score(food.ranks[150:], food.target[150:])
    0.96
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
        dtype: DTypeLike | None = None,
        sparse_output: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.graph = graph
        self.unranked = unranked
        self.unlisted_weight = unlisted_weight
        self.normalize = normalize
        self.items = items
        self.completions = completions
        self.smoothing = smoothing
        self.dtype = dtype
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs

    def _fit(self, rankings: Rankings, sample_weight: ArrayLike | None) -> None:
        self.graph_ = fit_graph(self.graph, rankings, sample_weight)
        self.smoothing_graph_ = fit_smoothing_graph(
            self.graph, self.graph_, rankings, self._options(), sample_weight
        )

    def _make_map(self, seed: int | None) -> FeatureMap:
        return make_map(self.graph_, self.smoothing_graph_, self._options(), seed)

    def _labels(self) -> tuple[Hashable, ...] | None:
        return super()._labels() or self.graph_.items
