"""The graph cut feature map as a scikit-learn transformer."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from rankcut.completions import CompletionOptions, CompletionReport, Method, Sampler
from rankcut.cuts import Algorithm
from rankcut.features import FeatureMap, SparseOutput, fit_graph, seed_from
from rankcut.rankings import RankMatrix, Unranked, labels_beside, read_rankings


class GraphCutFeatures(TransformerMixin, BaseEstimator):
    """Turn rankings into vectors by cuts of the item graph.

    Each ranking becomes one vector with a coordinate for each item: the slopes of the least
    concave majorant of (|B_t|, F(B_t)), where B_t are the best t groups of items and F(B) is the
    weight of the edges between B and the other items. A larger coordinate means more preferred.
    The inner product of two vectors is the graph cut kernel; on the complete graph, and with
    vectors of unit length, it is Spearman's correlation. See :mod:`rankcut.features`.

    Parameters
    ----------
    graph : None, recipe, ItemGraph, array, sparse matrix, networkx.Graph or frame, default=None
        The item graph. None is the complete graph. A recipe, such as
        :class:`~rankcut.SimilarityGraph`, is built when fitted, and its parameters can be
        searched as ``graph__lengthscale`` and so on. A graph with labels is matched by name
        with rankings that have labels.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an item means that a ranking does not rank: that is an error, it is tied with the
        others of its kind after all ranked items (top-k lists), or its place is unknown.
    normalize : bool, default=False
        Scale each vector to unit length. A ranking that ties all items, whose vector is 0,
        keeps it.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.
    completions : {"auto", "exact", "sampled", "closed_form"}, default="auto"
        With ``unranked="anywhere"``: how the mean over the completions of a ranking is found.
        See :mod:`rankcut.completions.averaging`.
    sampler : {"controlled", "stratified", "antithetic", "independent"}, default="controlled"
        How completions are drawn; see :mod:`rankcut.completions.sampled`.
    n_draws : int or None, default=None
        How many completions are drawn, if sampled.
    tolerance : float or None, default=None
        Draw until the standard error of a vector, relative to its length, is at most this; 0.01
        if ``n_draws`` is None too.
    random_state : int, RandomState or None, default=0
        Seed of the draws. With the same seed the same ranking has the same vector, whichever
        rankings come with it; None draws a seed at each fit.
    algorithm : {"auto", "complete", "table", "dense", "sparse"}, default="auto"
        How cuts are computed; see :mod:`rankcut.cuts`. All agree to rounding.
    dtype : float32, float64 or None, default=None
        Type of the vectors; None is float32 for ranks in float32, and float64 otherwise.
    sparse_output : bool or "auto", default="auto"
        In closed form, return a CSR array of what each item has above the constant that most
        items of the vector share; "auto" does so for sparse rankings. A vector adds up to 0, so
        φ = S − (sum of S)/n for a row S, and :func:`~rankcut.graph_cut_kernel` takes that into
        account. A model should see S or φ, not the one in training and the other later.
    n_jobs : int or None, default=None
        Number of threads. The vectors are the same bits for any number.

    Attributes
    ----------
    graph_ : ItemGraph
        The graph, its items in the order of the columns.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    See Also
    --------
    graph_cut_features : The same as a plain function.
    graph_cut_kernel : The inner products of the vectors.

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
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        completions: Method = "auto",
        sampler: Sampler = "controlled",
        n_draws: int | None = None,
        tolerance: float | None = None,
        random_state: int | np.random.RandomState | None = 0,
        algorithm: Algorithm = "auto",
        dtype: DTypeLike | None = None,
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.graph = graph
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.completions = completions
        self.sampler = sampler
        self.n_draws = n_draws
        self.tolerance = tolerance
        self.random_state = random_state
        self.algorithm = algorithm
        self.dtype = dtype
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike | None = None) -> "GraphCutFeatures":
        """Check the rankings and build the graph; nothing is learned from the rankings.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        rankings = self._read(X, reset=True)
        self.graph_ = fit_graph(self.graph, rankings)
        self._items = rankings.items
        self._seed = seed_from(self.random_state)
        self._feature_map()
        return self

    def transform(self, X: Any) -> Any:
        """Features of rankings of the items that were fitted.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.

        Returns
        -------
        ndarray or csr_array of shape (n_rankings, n_items)
        """
        return self._transform(X, errors=False)[0]

    def transform_with_report(self, X: Any) -> tuple[Any, CompletionReport]:
        """Features, and how those of each ranking were found: method, draws and errors.

        Features are arrays here, whatever ``set_output`` says.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.

        Returns
        -------
        features : ndarray or csr_array of shape (n_rankings, n_items)
        report : CompletionReport
            ``method``, ``n_draws`` and ``relative_error`` of each ranking, and the
            ``standard_error`` of each coordinate.

        Examples
        --------
        >>> from rankcut import GraphCutFeatures, SimilarityGraph, make_food
        >>> food = make_food(3, kind="incomplete", random_state=0)
        >>> transformer = GraphCutFeatures(
        ...     SimilarityGraph(food.item_features), unranked="anywhere"
        ... ).fit(food.ranks)
        >>> features, report = transformer.transform_with_report(food.ranks)
        >>> report.method.tolist(), report.n_draws.tolist()
        (['exact', 'exact', 'exact'], [625, 49, 49])
        """
        return self._transform(X, errors=True)

    def _transform(self, X: Any, *, errors: bool) -> tuple[Any, CompletionReport]:
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        known = self._items or self.graph_.items
        fitted = labels_beside(known, rankings.items)
        given = labels_beside(rankings.items, known)
        if None not in (fitted, given) and fitted != given:
            raise ValueError(
                "the columns of these rankings are not the items that were fitted, in their "
                f"order: {given} is not {fitted}"
            )
        return self._feature_map()(rankings, errors=errors)

    def _feature_map(self) -> FeatureMap:
        return FeatureMap(
            self.graph_,
            self.unranked,
            self.normalize,
            CompletionOptions(
                self.completions, self.sampler, self.n_draws, self.tolerance, self._seed
            ),
            self.algorithm,
            self.dtype,
            self.sparse_output,
            self.n_jobs,
        )

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The items' labels, or x0, x1, … where they have none.

        Parameters
        ----------
        input_features : array-like of str or None
            Names for items that have none; checked against the names of those that have.
        """
        check_is_fitted(self)
        labels = self._items or self.graph_.items
        if input_features is None and labels is not None and not hasattr(self, "feature_names_in_"):
            names = np.empty(len(labels), dtype=object)
            names[:] = labels
            return names
        return np.asarray(_check_feature_names_in(self, input_features))

    def _read(self, X: Any, *, reset: bool) -> RankMatrix:
        rankings = read_rankings(X, self.items)
        validate_data(self, X, reset=reset, skip_check_array=True)
        rankings.check(self.unranked)
        return rankings

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # NaN and absent entries are unranked items: allowed once it is said what they mean.
        tags.input_tags.allow_nan = self.unranked != "error"
        tags.input_tags.sparse = self.unranked != "error"
        tags.transformer_tags.preserves_dtype = (
            ["float64", "float32"] if self.dtype is None else [np.dtype(self.dtype).name]
        )
        return tags
