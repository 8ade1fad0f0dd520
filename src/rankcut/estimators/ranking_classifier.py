"""The recommended classifier of rankings: several views of a list, weighted by the evidence."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags, _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_y,
    check_consistent_length,
    check_is_fitted,
)

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.estimators.base import TakesRankings
from rankcut.estimators.evidence import view_variances, view_variances_of_grams
from rankcut.estimators.views import (
    LevelViews,
    View,
    ViewRegression,
    laplace_covariance,
    like_items_graph,
    list_views,
)
from rankcut.features.graph_cut import fit_graph
from rankcut.features.smoothing import Smoother, check_steps
from rankcut.parameters import check_counts
from rankcut.rankings import RankMatrix, as_frame, read_rankings, weights_of
from rankcut.ratings import with_category_codes

# Variances of weights are found from at most this many rankings, a sample if there are more: a
# thousand are enough for a handful of variances.
_MOST_ROWS = 1000

# Views of these rankings become dense if they have no more entries than this.
_MOST_FILLED = 1 << 22

_ROUNDING = 1e-9

# With more weights or more work than this, their covariance is not computed.
_MOST_WEIGHTS = 1000
_MOST_PRODUCTS = 10**10

# A label coded as ±1 has the mean 2p − 1, and log(p/(1 − p)) is about twice that near p = ½.
_LOGIT = 2.0


class RankingClassifier(ClassifierMixin, TakesRankings):
    """Classify rankings of any kind; the only choice is the graph.

    The classifier uses several views of a list: its order, which items it lists, both at once,
    its first choices, and order and listing smoothed over the item graph, so that similar items
    count alike (:mod:`rankcut.estimators.views`). Logistic regression with a Gaussian prior on
    the weights uses all of these views. The prior variance of each view, which says how much it
    counts, maximises the evidence (:mod:`rankcut.estimators.evidence`); there is no
    cross-validation. Borda positions, a model of which items are listed, any weight for
    comparisons with unlisted items, and smoothing are special cases.

    There is no parameter ``unranked``: which items are listed is a view of its own. Ratings have
    three more views, which keep their level: each rating, the mean of a person's ratings, and, if
    there are few levels, who gave which level to which item.

    Parameters
    ----------
    graph : graph or recipe, default=None
        The item graph, which connects similar items, as for :class:`~rankcut.GraphCutFeatures`;
        None learns an :class:`~rankcut.AgreementGraph` from the fitted rankings.
    smoothing : float, default=4.0
        Steps of a lazy random walk; see :class:`~rankcut.estimators.GraphSmoothing`. 0 uses no
        graph.
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
    covariance_ : ndarray of shape (n_outputs, n_weights, n_weights) or None
        Laplace's approximation of the uncertainty of the weights, one output for two classes;
        None for more than 1,000 weights. See :func:`~rankcut.explain`.
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

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the variances of the views and fit the weights of the items.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        y : array-like of shape (n_rankings,)
            Labels, numbers or strings.
        sample_weight : array of shape (n_rankings,) or None
            How often each ranking counts: 3 is the same as the row three times, and 0 is no row.

        Returns
        -------
        self
        """
        if self.ratings not in (True, False):
            raise InputError(f"must be True or False; got {self.ratings!r}", parameter="ratings")
        rankings = self._read(X, reset=True)
        check_consistent_length(X, y)
        labels = _check_y(y, estimator=self)
        check_classification_targets(labels)
        counts, sample_weight = None, weights_of(X, sample_weight)
        if sample_weight is not None:
            counts = check_counts(sample_weight, rankings.shape[0])
            if not counts.all():
                rows = np.flatnonzero(counts)
                rankings = self._read(_safe_indexing(X, rows), reset=True)
                labels, counts = labels[rows], counts[rows]
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(
                f"has one class, {self.classes_.tolist()[0]!r}; a classifier needs two or more",
                parameter="y",
            )
        check_steps(self.smoothing)
        self._levels = LevelViews(rankings, counts) if self.ratings else None
        self.graph_ = self._smoother = None
        if self.smoothing:
            ranked = _ranked(rankings) if self.ratings else rankings
            self.graph_ = fit_graph(like_items_graph(self.graph), ranked, counts)
            self._smoother = Smoother(self.graph_, self.smoothing)
        targets = np.where(codes[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        coded = targets[:, 1:] if targets.shape[1] == 2 else targets
        views = self._views(rankings)
        scales = self._weigh(views, coded, counts)
        self._model = ViewRegression(views, scales, codes, counts)
        self.covariance_ = None
        n_weights = self._model.weights.shape[1]
        if n_weights <= _MOST_WEIGHTS and len(codes) * n_weights**2 <= _MOST_PRODUCTS:
            probabilities = self._model.probabilities(views)
            features = self._model.features(views)
            self.covariance_ = laplace_covariance(features, probabilities, 1.0, counts)
        return self

    def _read(self, X: Any, *, reset: bool) -> RankMatrix:
        frame = as_frame(X) if self.ratings else None
        return super()._read(X if frame is None else with_category_codes(frame), reset=reset)

    def _views(self, rankings: RankMatrix) -> dict[str, View]:
        if self._levels is None:
            return list_views(rankings, self._smoother)
        return list_views(_ranked(rankings), self._smoother) | self._levels(rankings)

    def _weigh(
        self, views: dict[str, View], targets: Floats, counts: Floats | None
    ) -> dict[str, float]:
        """Find how much each view counts: the factor that scales it for logistic regression."""
        n_rows = len(targets)
        width = sum(view.rows.shape[1] for view in views.values())
        rows, repeats = _rows_to_weigh(n_rows, counts, width)
        weights = np.ones(n_rows) if counts is None else counts
        targets = (targets - np.average(targets, axis=0, weights=weights))[rows]
        some = {name: view[rows] for name, view in views.items()}
        means = {name: weights @ view.rows / weights.sum() for name, view in views.items()}
        filled = len(targets) * max(view.rows.shape[1] for view in views.values()) <= _MOST_FILLED
        known: dict[str, Floats] = {}
        sizes: dict[str, float] = {}
        for name, view in some.items():
            if filled:
                centred = view.toarray() - view.smoothed(means[name][None])
                squares = (centred**2).sum(axis=1)
            else:
                centred = view.gram(means[name])
                squares = np.diag(centred)
            size = float(np.sqrt(max(np.average(squares, weights=repeats), 0.0)))
            # A view that is the same for all rankings would be scaled up from rounding.
            if size > _ROUNDING:
                sizes[name] = size
                known[name] = centred / (size if filled else size**2)
        self.view_variances_ = dict.fromkeys(views, 0.0)
        if known:
            find = view_variances if filled else view_variances_of_grams
            found = find(list(known.values()), targets, repeats)
            self.view_variances_.update(zip(known, found.tolist(), strict=True))
        return {
            name: _LOGIT * float(np.sqrt(self.view_variances_[name])) / size
            for name, size in sizes.items()
        }

    def _views_of(self, X: Any) -> dict[str, View]:
        check_is_fitted(self)
        return self._views(self._read(X, reset=False))

    def features_of(self, X: Any) -> Floats:
        """The scaled views of rankings side by side, which the log-odds are linear in.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        return self._model.features(self._views_of(X))

    def decision_function(self, X: Any) -> Floats:
        """The logarithm of the odds, for each class if there are more than two.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        views = self._views_of(X)
        return self._model.scores(views)

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        views = self._views_of(X)
        return self._model.probabilities(views)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        scores = self.decision_function(X)
        found = scores > 0 if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[found.astype(np.intp)])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Ranks of two or three numbers say little about the numbers.
        tags.classifier_tags.poor_score = True
        return tags


def _ranked(ratings: RankMatrix) -> RankMatrix:
    """Ratings as ranks: the highest first."""
    if ratings.sparse is not None:
        ranks = ratings.sparse.astype(np.float64)
        ranks.data = -ranks.data
        return read_rankings(ranks, ratings.items)
    return read_rankings(-ratings.read(0, ratings.shape[0]), ratings.items)


def _rows_to_weigh(
    n_rows: int, counts: Floats | None, width: int
) -> tuple[slice | NDArray[np.intp], Floats | None]:
    """Rows to find the variances from, and how often each counts.

    Rows are drawn at random, because the first ones may be of one kind. If counts are whole
    numbers, people are drawn.
    """
    whole = counts is not None and bool((counts == np.floor(counts)).all())
    total = int(counts.sum()) if counts is not None and whole else n_rows
    if min(width, total) <= _MOST_ROWS:
        return slice(None), counts
    drawn = np.random.default_rng(0).permutation(total)[:_MOST_ROWS]
    if counts is None:
        return np.sort(drawn), None
    if not whole:
        return np.sort(drawn), counts[np.sort(drawn)]
    rows, repeats = np.unique(
        np.searchsorted(np.cumsum(counts), drawn, side="right"), return_counts=True
    )
    return rows, repeats.astype(np.float64)
