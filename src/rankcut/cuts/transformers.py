"""Transformers from rankings to vectors of a set function."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils import Tags

from rankcut.cuts.completions import CompletionReport
from rankcut.cuts.cut_functions import GraphCut
from rankcut.cuts.feature_map import FeatureMap, fit_map
from rankcut.cuts.offset_rows import OffsetRows
from rankcut.cuts.options import Completions, MapOptions, Method, Smoothing, UnlistedWeight
from rankcut.cuts.set_function import SetFunction
from rankcut.cuts.submodularity import check_submodular
from rankcut.estimators import NamesItems, TakesRankings
from rankcut.graphs import ItemGraph
from rankcut.rankings import Rankings, Unranked


class RankingFeatures(NamesItems, TransformerMixin, TakesRankings, ABC):
    """Rankings in, vectors of a set function out; subclasses choose the function."""

    dtype: DTypeLike | None
    _map: FeatureMap

    @abstractmethod
    def _fit_map(self, rankings: Rankings, options: MapOptions) -> FeatureMap:
        """The feature map for the items of these rankings."""

    def fit(
        self, X: Any, y: ArrayLike | None = None, *, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Check the rankings, and match the graph or set function with their items.

        Nothing else is learned, unless the graph is a recipe that learns from rankings.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        y : None
            Ignored.
        sample_weight : array of shape (n_rankings,) or None
            How often each ranking counts, for a graph that is learned from rankings.
        """
        rankings = self._read(X, reset=True, sample_weight=sample_weight)
        # A RankingSet may say what its unranked items mean.
        options = replace(MapOptions.of(self), unranked=rankings.unranked)
        self._map = self._fit_map(rankings, options)
        return self

    def transform(self, X: Any) -> Any:
        """Features of rankings of the items that were fitted, one vector in each row.

        They are an array or :class:`~rankcut.cuts.UncentredRows`.
        """
        rankings = self._read(X, reset=False)
        vectors = self._map(rankings)
        values = vectors.data if sparse.issparse(vectors) else vectors
        ours = getattr(self, "graph", None) is not None and rankings.unranked == "anywhere"
        if ours and isinstance(values, np.ndarray) and not values.any() and _are_ticks(rankings):
            warnings.warn(
                "all vectors are 0: these rankings tie all that they list, and with "
                'unranked="anywhere" what is not listed says nothing. If people list what they '
                'prefer, pass unranked="last"',
                UserWarning,
                stacklevel=2,
            )
        return vectors

    def compact(self, X: Any) -> NDArray[Any] | OffsetRows:
        """The same vectors in the smallest form, for comparing them.

        Sparse rankings with ``unranked="last"`` or in closed form give
        :class:`~rankcut.cuts.OffsetRows`, which mean the same as dense vectors and take less
        memory; all others give an array.
        """
        rankings = self._read(X, reset=False)
        return self._map.compact(rankings)

    def transform_with_report(self, X: Any) -> tuple[Any, CompletionReport]:
        """Features, and how those of each ranking were found: method, draws and errors.

        Features are arrays here, whatever ``set_output`` says.

        >>> from rankcut import GraphCutFeatures, SimilarityGraph, make_food
        >>> food = make_food(3, kind="incomplete", random_state=0)
        >>> transformer = GraphCutFeatures(
        ...     SimilarityGraph(food.item_features), unranked="anywhere"
        ... ).fit(food.ranks)
        >>> features, report = transformer.transform_with_report(food.ranks)
        >>> report.method.tolist(), report.n_draws.tolist()
        (['exact', 'exact', 'exact'], [625, 49, 49])
        """
        rankings = self._read(X, reset=False)
        return self._map.with_report(rankings)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = (
            ["float64", "float32"] if self.dtype is None else [np.dtype(self.dtype).name]
        )
        return tags


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
        "balanced" is k/n for a ranking of k of n items; see :mod:`rankcut.cuts.options`. With
        ``unranked="anywhere"`` it needs the closed form.
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
    GraphCutKernel : The inner products of the vectors.
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

    def _fit_map(self, rankings: Rankings, options: MapOptions) -> FeatureMap:
        fitted = fit_map(self.graph, rankings, options)
        cut: Any = fitted.function
        self.graph_: ItemGraph = cut.graph
        self._items = rankings.items or self.graph_.items
        self.smoothing_graph_ = fitted.smoothing_graph
        return fitted


def _are_ticks(rankings: Rankings) -> bool:
    """Whether there are several rankings, which all tie what they list and leave items out."""
    n_rankings, n_items = rankings.shape
    return n_rankings > 1 and all(
        (block.n_groups <= 1).all() and (block.n_ranked() < n_items).all()
        for _, block in rankings.listed_blocks()
    )


class SubmodularFeatures(RankingFeatures):
    """Turn rankings into vectors by a submodular function of your own.

    Each ranking becomes the slopes of the least concave majorant of (|B_t|, F(B_t)), where B_t are
    the best t groups of items: the shortest vector s with s(B_t) ≥ F(B_t) and s(V) = F(V). With
    the cut function of a graph as F this is :class:`~rankcut.GraphCutFeatures`.

    What holds for every F, and what only for some:

    - φ is constant on groups and falls along them, always. Relabelling items permutes it, and
      scaling F scales it.
    - Σ φ_i = F(V), which is 0 for symmetric functions. A ranking that ties all items has
      φ = F(V)/n everywhere.
    - Adding c·|A| to F adds c to each coordinate. So F(V) is a constant offset, the same for all
      rankings, and F(A) − F(V)·|A|/n has the features without it.
    - φ(reversed ranking) = −φ̄(ranking), with φ̄ the features of
      F̄(A) = F(V∖A) − F(V) (:class:`~rankcut.cuts.Complement`). For symmetric functions
      F̄ = F, and reversing changes the sign. In general it does not: with coverage, the best item
      in either order gets all the weight it covers.
    - A ranking about which nothing is known, or with a single group, has features 0 if F is
      symmetric; otherwise it has the mean over its completions like any other.
    - Nothing needs F to be submodular. If it is, then before pooling the vectors are points of
      the base polytope, vertices for full rankings: see :class:`rankcut.theory.BasePolytope`. If
      it turns out not to be, fitting warns with a counterexample; functions of many items are
      tried on random sets.

    Parameters
    ----------
    function : SetFunction or None, default=None
        The set function; see :mod:`rankcut.cuts`. Item i is column i of the rank matrix;
        the items of a graph cut are matched by name where both have names. None is the cut of
        the complete graph.
    unranked, normalize, items, completions, dtype, n_jobs
        As in :class:`~rankcut.GraphCutFeatures`. Only graph cuts have a closed form.

    Attributes
    ----------
    function_ : SetFunction
        The set function.
    n_features_in_, feature_names_in_
        As in :class:`~rankcut.GraphCutFeatures`.

    See Also
    --------
    GraphCutFeatures : The special case of graph cuts.
    rankcut.cuts.check_submodular : Whether a function of your own is submodular.

    Examples
    --------
    >>> from rankcut import SubmodularFeatures
    >>> from rankcut.cuts import Coverage
    >>> topics = Coverage([{"fish", "raw"}, {"fish"}, {"rice"}])
    >>> SubmodularFeatures(topics).fit_transform([[1, 2, 3], [3, 2, 1]])
    array([[2. , 0.5, 0.5],
           [1. , 1. , 1. ]])
    """

    def __init__(
        self,
        function: SetFunction | None = None,
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        completions: Method | Completions = "auto",
        dtype: DTypeLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.function = function
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.completions = completions
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _fit_map(self, rankings: Rankings, options: MapOptions) -> FeatureMap:
        n_items = rankings.shape[1]
        function = self.function
        if function is None:
            function = GraphCut(ItemGraph.complete(n_items))
        if not isinstance(function, SetFunction):
            raise TypeError(
                f"function must be a SetFunction; got {function!r}. "
                f"FromCallable(function, {n_items}) makes one from a Python function"
            )
        self.function_ = function.aligned(n_items, rankings.items)
        # A function of one's own may be slow, so it is asked for some hundred values only.
        fitted = function.submodular or check_submodular(function, n_trials=128, exhaustive_items=7)
        if not fitted:
            warnings.warn(
                f"the set function is {fitted}. Its features are defined, but they are not points "
                "of a base polytope, and its Lovász extension is not convex",
                stacklevel=3,
            )
        return FeatureMap(self.function_, options)
