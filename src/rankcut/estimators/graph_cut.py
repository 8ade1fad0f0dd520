"""The graph cut feature map as a scikit-learn transformer."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from rankcut.estimators.base import RankingFeatures
from rankcut.features.completions import Method
from rankcut.features.feature_map import FeatureMap, SparseOutput
from rankcut.features.graph_cut import check_learnable, fit_graph, fit_smoothing_graph
from rankcut.features.sampled import Sampler
from rankcut.features.smoothing import Smoother
from rankcut.features.unlisted import UnlistedWeight
from rankcut.rankings import RankMatrix, Unranked
from rankcut.setfunctions import Algorithm, GraphCut


class GraphCutFeatures(RankingFeatures):
    """Turn rankings into vectors by cuts of the item graph.

    Each ranking becomes one vector with a coordinate for each item: the slopes of the least
    concave majorant of (|B_t|, F(B_t)), where B_t are the best t groups of items and F(B) is the
    weight of the edges between B and the other items. A larger coordinate means more preferred.
    The inner product of two vectors is the graph cut kernel; on the complete graph, and with
    vectors of unit length, it is Spearman's correlation. See :mod:`rankcut.features.feature_map`.

    Parameters
    ----------
    graph : None, recipe, ItemGraph, array, sparse matrix, networkx.Graph or frame, default=None
        The item graph. None is the complete graph. A recipe, such as
        :class:`~rankcut.SimilarityGraph`, is built when fitted, and its parameters can be
        searched as ``graph__lengthscale`` and so on. A graph with labels is matched by name
        with rankings that have labels. Some recipes, such as :class:`~rankcut.CoListingGraph`,
        learn the graph from the rankings that are fitted.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an item means that a ranking does not rank: that is an error, it is tied with the
        others of its kind after all ranked items (top-k lists), or its place is unknown.
    unlisted_weight : float or "balanced", default=1.0
        Weight of comparisons with unranked items, beside 1 for those among ranked ones: a small
        one keeps the order of a short list from being swamped by a large catalogue. "balanced"
        is k/n for a ranking of k of n items; see :mod:`rankcut.features.unlisted`.
    normalize : bool, default=False
        Scale each vector to unit length. A ranking that ties all items, whose vector is 0,
        keeps it.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.
    completions : {"auto", "exact", "sampled", "closed_form"}, default="auto"
        With ``unranked="anywhere"``: how the mean over the completions of a ranking is found.
        See :mod:`rankcut.features.completions`.
    sampler : {"controlled", "stratified", "antithetic", "independent"}, default="controlled"
        How completions are drawn; see :mod:`rankcut.features.sampled`.
    n_draws : int or None, default=None
        How many completions are drawn, if sampled.
    tolerance : float or None, default=None
        Draw until the standard error of a vector, relative to its length, is at most this; 0.01
        if ``n_draws`` is None too.
    random_state : int, RandomState or None, default=0
        Seed of the draws. With the same seed the same ranking has the same vector, whichever
        rankings come with it; None draws a seed at each fit.
    smoothing : float, default=0.0
        Steps of a lazy random walk over the items by which vectors are smoothed, so that like
        items have like values and lists that share no item can be compared: φ·p(L) in the place
        of φ, as by :class:`~rankcut.GraphSmoothing`. 0 is none, 1.5 is a step and a half.
        Vectors have unit length after it, and errors are reported of what comes before it.
    smoothing_graph : graph or recipe, default=None
        The graph to walk on, in which like items are joined strongly; None is ``graph`` itself.
        Of a :class:`~rankcut.DissimilarityGraph` it is the similarity graph that it is made of.
        Its parameters can be searched as ``smoothing_graph__n_neighbors`` and so on.
    algorithm : {"auto", "complete", "table", "dense", "sparse", "structured"}, default="auto"
        How cuts are computed; see :mod:`rankcut.setfunctions.cuts`. All agree to rounding.
    dtype : float32, float64 or None, default=None
        Type of the vectors; None is float32 for ranks in float32, and float64 otherwise.
    sparse_output : bool or "auto", default="auto"
        In closed form, return a CSR array of what each item has above the constant that most
        items of the vector share; "auto" does so for sparse rankings, unless the graph has a
        low-rank part, with which no items share any. A vector adds up to 0, so
        φ = S − (sum of S)/n for a row S, and :func:`~rankcut.graph_cut_kernel` takes that into
        account. A model should see S or φ, not the one in training and the other later. With
        smoothing on a sparse graph it is S·p(L), and on another graph vectors are dense.
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
    GraphSmoothing : Smoothing alone, of any vectors over the items.
    SubmodularFeatures : The same with any set function in the place of the cut.

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
        completions: Method = "auto",
        sampler: Sampler = "controlled",
        n_draws: int | None = None,
        tolerance: float | None = None,
        random_state: int | np.random.RandomState | None = 0,
        smoothing: float = 0.0,
        smoothing_graph: Any = None,
        algorithm: Algorithm = "auto",
        dtype: DTypeLike | None = None,
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            unranked=unranked,
            normalize=normalize,
            items=items,
            completions=completions,
            sampler=sampler,
            n_draws=n_draws,
            tolerance=tolerance,
            random_state=random_state,
            dtype=dtype,
            sparse_output=sparse_output,
            n_jobs=n_jobs,
        )
        self.graph = graph
        self.unlisted_weight = unlisted_weight
        self.smoothing = smoothing
        self.smoothing_graph = smoothing_graph
        self.algorithm = algorithm

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Match the graph with the items of the rankings, or learn it from them.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix. Of a Dask array or DataFrame only the columns are looked at; its
            rankings are checked when they are computed.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        check_learnable(self.graph, X)
        check_learnable(self.smoothing_graph, X)
        return super().fit(X, y)

    def _fit_function(self, rankings: RankMatrix) -> None:
        self.graph_ = fit_graph(self.graph, rankings)
        walked = fit_smoothing_graph(
            self.smoothing, self.smoothing_graph, self.graph, self.graph_, rankings
        )
        self.smoothing_graph_ = walked
        self._smoother = None if walked is None else Smoother(walked, self.smoothing)

    def _set_function(self) -> GraphCut:
        return GraphCut(self.graph_, self.algorithm)

    def _feature_map(self) -> FeatureMap:
        return replace(
            super()._feature_map(),
            unlisted_weight=self.unlisted_weight,
            smoother=self._smoother,
        )

    def _labels(self) -> tuple[Hashable, ...] | None:
        return super()._labels() or self.graph_.items
