"""Classes and numbers from rankings: several views of a list, weighted by the evidence."""

from collections.abc import Hashable, Sequence
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, TransformerMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.estimators import TakesRankings
from rankcut.parameters import as_floats
from rankcut.rankings import Rankings, as_frame, object_array
from rankcut.rankings.ratings import with_category_codes
from rankcut.regression.views import (
    LevelViews,
    View,
    ViewRegression,
    fit_smoother,
    list_views,
    weigh_views,
)
from rankcut.saved_arrays import Saved


class RankingClassifier(ClassifierMixin, TakesRankings):
    """Classify rankings of any kind; the only choice is the graph.

    The classifier uses several views of a list: its order, which items it lists, both at once,
    its first choices, and order and listing smoothed over the item graph, so that similar items
    count alike (:mod:`rankcut.regression.views`). Logistic regression with a Gaussian prior on
    the weights uses all of these views. The prior variance of each view, which says how much it
    counts, maximises the evidence; there is no cross-validation. Borda positions, a model of which
    items are listed, any weight for comparisons with unlisted items, and smoothing are special
    cases.

    There is no parameter ``unranked``: which items are listed is a view of its own. Ratings have
    three more views, which keep their level: each rating, the mean of a person's ratings, and, if
    there are few levels, who gave which level to which item.

    Parameters
    ----------
    graph : graph or recipe, default=None
        The item graph, which connects similar items, as for :class:`~rankcut.GraphCutFeatures`;
        None learns an :class:`~rankcut.AgreementGraph` from the fitted rankings.
    smoothing : float, default=4.0
        Steps of a lazy random walk; see :class:`~rankcut.Smoothing`. 0 uses no graph.
    ratings : bool, default=False
        Whether X holds ratings, higher ones better, instead of ranks. Equal ratings are tied, and
        their level counts as well as their order. They may be ordered categories of a frame, the
        last the best.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    graph_ : ItemGraph or None
        The graph, its items in the order of the columns; None without smoothing.
    view_variances_ : dict
        Prior variance of each view: the share of the labels' variance that it may explain.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    See Also
    --------
    explain : How each item's place changes the prediction.
    GraphCutFeatures : One view, with every option, for a model of your own.
    GPClassifier : Gaussian process classification with calibrated probabilities.
    SimilarRankings : Find people with similar tastes, without labels.

    Notes
    -----
    Views are sparse: time and memory grow with the number of listed items, not with the size of the
    catalogue. A graph should be sparse too, as those of recipes with ``n_neighbors`` are.

    Examples
    --------
    >>> from rankcut import RankingClassifier, SimilarityGraph, make_food
    >>> food = make_food(n_rankings=200, noise=0.5, random_state=0)
    >>> model = RankingClassifier(SimilarityGraph(food.item_features))
    >>> model.fit(food.ranks[:50], food.target[:50]).score(food.ranks[50:], food.target[50:])
    0.94
    """

    classes_: Annotated[Any, Saved("*", dtype=None)]

    def __init__(
        self,
        graph: Any = None,
        *,
        smoothing: float = 4.0,
        ratings: bool = False,
        items: Sequence[Hashable] | None = None,
    ) -> None:
        self.graph = graph
        self.smoothing = smoothing
        self.ratings = ratings
        self.items = items

    def fit(self, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Find the variances of the views and fit the weights of the items.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        y : array-like of shape (n_rankings,)
            Labels, numbers or strings.
        sample_weight : array of shape (n_rankings,) or None
            How often each ranking counts: 3 is the same as the row three times, and 0 is no row.
        """
        if self.ratings not in (True, False):
            raise InputError(f"must be True or False; got {self.ratings!r}", parameter="ratings")
        labels = validate_data(self, y=y)
        check_classification_targets(labels)
        rankings, counted = self._read_counted(X, y, sample_weight)
        counts = rankings.counts
        self.classes_, codes = np.unique(labels[counted], return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(
                f"has one class, {self.classes_.tolist()[0]!r}; a classifier needs two or more",
                parameter="y",
            )
        self._levels = LevelViews(rankings) if self.ratings else None
        ranked = rankings.reversed() if self.ratings else rankings
        self.graph_, self._smoother = fit_smoother(self.graph, self.smoothing, ranked)
        targets = np.where(codes[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        views = self._views(rankings)
        self.view_variances_, fit = weigh_views(
            views, targets[:, 1:] if targets.shape[1] == 2 else targets, counts
        )
        # A label of ±1 has the mean 2p − 1, and log(p/(1 − p)) is about twice that near p = ½.
        scales = {name: 2.0 * scale for name, scale in fit.items()}
        self._model = ViewRegression(views, scales, codes, counts)
        return self

    def _read(self, X: Any, **options: Any) -> Rankings:
        frame = as_frame(X) if self.ratings else None
        return super()._read(X if frame is None else with_category_codes(frame), **options)

    def _views(self, rankings: Rankings) -> dict[str, View]:
        if self._levels is None:
            return list_views(rankings, self._smoother)
        return list_views(rankings.reversed(), self._smoother) | self._levels(rankings)

    def _views_of(self, X: Any) -> dict[str, View]:
        return self._views(self._read(X, reset=False))

    def features_of(self, X: Any) -> Floats:
        """The scaled views of a rank matrix side by side, which the log-odds are linear in."""
        views = self._views_of(X)
        return self._model.features(views)

    def decision_function(self, X: Any) -> Floats:
        """The log-odds of each row of a rank matrix, of each class if there are more than two."""
        views = self._views_of(X)
        return self._model.scores(views)

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, for each row of a rank matrix."""
        views = self._views_of(X)
        return self._model.probabilities(views)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row of a rank matrix."""
        scores = self.decision_function(X)
        winners = scores > 0 if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[winners.astype(np.intp)])

    def score(self, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
        """The share of rows whose class is predicted; weights and counts of a set hold."""
        counts = self._read(X, reset=False, sample_weight=sample_weight).counts
        return float(accuracy_score(y, self.predict(X), sample_weight=counts))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Ranks of two or three numbers say little about the numbers.
        tags.classifier_tags.poor_score = True
        return tags


class ViewFeatures(TransformerMixin, TakesRankings):
    """Turn lists into vectors for predicting a number; the only choice is the graph.

    The vector has several views of a list side by side: its order, which items it lists, both at
    once, its first choices, and order and listing smoothed over the item graph. Each view is scaled
    by how much it says about the number: its prior variance, which maximises the evidence
    (:mod:`rankcut.regression.views`). :class:`~rankcut.RankingClassifier` does the same for
    classes.

    Parameters
    ----------
    graph, smoothing, items
        As for :class:`~rankcut.RankingClassifier`.

    Attributes
    ----------
    graph_ : ItemGraph or None
        The graph, its items in the order of the columns; None without smoothing.
    view_variances_ : dict
        Prior variance of each view: the share of the number's variance that it may explain.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    Examples
    --------
    >>> from rankcut import GPRegressor, ViewFeatures, make_food
    >>> from sklearn.pipeline import make_pipeline
    >>> food = make_food(300, kind="top-k", random_state=0)
    >>> listed = ~np.isnan(food.ranks)
    >>> age = 30 + 20 * listed[:, 0] + np.random.default_rng(0).normal(0, 5, 300)
    >>> model = make_pipeline(ViewFeatures(), GPRegressor()).fit(food.ranks[:200], age[:200])
    >>> model.score(food.ranks[200:], age[200:]) > 0.5
    True
    """

    def __init__(
        self,
        graph: Any = None,
        *,
        smoothing: float = 4.0,
        items: Sequence[Hashable] | None = None,
    ) -> None:
        self.graph = graph
        self.smoothing = smoothing
        self.items = items

    def fit(self, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Find the variances of the views: as RankingClassifier, with numbers as ``y``."""
        numbers = as_floats(validate_data(self, y=y, y_numeric=True), "y")
        rankings, counted = self._read_counted(X, y, sample_weight)
        counts = rankings.counts
        self.graph_, self._smoother = fit_smoother(self.graph, self.smoothing, rankings)
        numbers = numbers[counted] - np.average(numbers[counted], weights=counts)
        spread = float(np.sqrt(np.average(numbers**2, weights=counts))) or 1.0
        views = list_views(rankings, self._smoother)
        self.view_variances_, scales = weigh_views(views, numbers[:, None] / spread, counts)
        # If all rankings are the same, vectors are 0.
        self._scales = scales or {"order": 0.0}
        return self

    def transform(self, X: Any) -> Floats:
        """The scaled views of a rank matrix side by side, a column for each view and item."""
        rankings = self._read(X, reset=False)
        views = list_views(rankings, self._smoother)
        return np.hstack([scale * views[name].toarray() for name, scale in self._scales.items()])

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The name of the view and of the item, such as "order of toro"."""
        check_is_fitted(self)
        items = range(self.n_features_in_) if self._items is None else self._items
        return object_array([f"{view} of {item}" for view in self._scales for item in items])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
