"""The recommended classifier of rankings: several views of a list, weighed by the evidence."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression
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
from rankcut.estimators.evidence import view_variances
from rankcut.estimators.views import all_views, like_items_graph
from rankcut.features.graph_cut import fit_graph
from rankcut.features.smoothing import Smoother, check_steps
from rankcut.graphs.learned import check_counts
from rankcut.rankings import RankMatrix

# Variances of weights are found from matrices no larger than this, with a sample of the rankings
# if need be: a thousand are enough for a handful of variances.
_MOST_ROWS = 1000

_ROUNDING = 1e-9

# With more weights than this their covariance is not kept.
_MOST_WEIGHTS = 1000

# A label coded as ±1 has the mean 2p − 1, and log(p/(1 − p)) is about twice that near p = ½.
_LOGIT = 2.0


class RankingClassifier(ClassifierMixin, TakesRankings):
    """Classify rankings of any kind; the only choice is the graph.

    The classifier looks at a list in several ways: its order, which items it lists, both at once,
    its first choices, and order and listing smoothed over the item graph, so that similar items
    count alike (:mod:`rankcut.estimators.views`). Logistic regression with a Gaussian prior on
    the weights uses all of these views. The prior variance of each view, which says how much it
    counts, maximises the evidence (:mod:`rankcut.estimators.evidence`); there is no
    cross-validation. Borda positions, a model of which items are listed, any weight for
    comparisons with unlisted items, and smoothing are special cases.

    There is no parameter ``unranked``: which items are listed is a view of its own.

    Parameters
    ----------
    graph : graph or recipe, default=None
        The item graph, which connects similar items, as for :class:`~rankcut.GraphCutFeatures`;
        None learns an :class:`~rankcut.AgreementGraph` from the fitted rankings.
    smoothing : float, default=4.0
        Steps of a lazy random walk; see :class:`~rankcut.estimators.GraphSmoothing`. 0 uses no
        graph.
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
    explain : What each item's place does to the prediction.
    GraphCutFeatures : One view, with every option, for a model of your own.
    GPClassifier : Gaussian process classification with calibrated probabilities.
    TasteFeatures : Find people with similar tastes, without labels.

    Notes
    -----
    Views are dense even for sparse rankings: fitting takes about twenty times the memory of a
    dense array of all rankings and items, so use it for up to a few thousand items.

    Examples
    --------
    >>> from rankcut import RankingClassifier, SimilarityGraph, make_food
    >>> food = make_food(n_rankings=200, noise=0.5, random_state=0)
    >>> model = RankingClassifier(SimilarityGraph(food.item_features))
    >>> model.fit(food.ranks[:50], food.target[:50]).score(food.ranks[50:], food.target[50:])
    0.92
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
        rankings = self._read(X, reset=True)
        check_consistent_length(X, y)
        labels = _check_y(y, estimator=self)
        check_classification_targets(labels)
        counts = None
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
        self.graph_ = self._smoother = None
        if self.smoothing:
            self.graph_ = fit_graph(like_items_graph(self.graph), rankings, counts)
            self._smoother = Smoother(self.graph_, self.smoothing)
        targets = np.where(codes[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        coded = targets[:, 1:] if targets.shape[1] == 2 else targets
        features = self._weigh(rankings, coded, counts)
        self._model = LogisticRegression(C=1.0, max_iter=2000).fit(features, codes, counts)
        self.covariance_ = None
        if features.shape[1] <= _MOST_WEIGHTS:
            probabilities = self._model.predict_proba(features)
            self.covariance_ = laplace_covariance(features, probabilities, 1.0, counts)
        return self

    def _weigh(self, rankings: RankMatrix, targets: Floats, counts: Floats | None) -> Floats:
        """Find how much each view counts; the features that logistic regression gets."""
        views = all_views(rankings, self._smoother)
        self._means = {
            name: np.average(view, axis=0, weights=counts) for name, view in views.items()
        }
        sizes = {
            name: float(
                np.sqrt(np.average(((view - self._means[name]) ** 2).sum(axis=1), weights=counts))
            )
            for name, view in views.items()
        }
        # A view that is the same for all rankings would be scaled up from rounding.
        varied = [name for name, size in sizes.items() if size > _ROUNDING]
        self.view_variances_ = dict.fromkeys(views, 0.0)
        if varied:
            rows, repeats = _rows_to_weigh(
                rankings.shape[0], counts, len(varied) * rankings.shape[1]
            )
            found = view_variances(
                [(views[name][rows] - self._means[name]) / sizes[name] for name in varied],
                (targets - np.average(targets, axis=0, weights=counts))[rows],
                repeats,
            )
            self.view_variances_.update(zip(varied, found.tolist(), strict=True))
        self._scales = {
            name: _LOGIT * np.sqrt(self.view_variances_[name]) / sizes[name] for name in varied
        }
        return self._features(views)

    def _features(self, views: dict[str, Floats]) -> Floats:
        weighed = [
            (views[name] - self._means[name]) * scale for name, scale in self._scales.items()
        ]
        return np.hstack(weighed) if weighed else np.zeros((len(views["order"]), 1))

    def features_of(self, X: Any) -> Floats:
        """The weighed views of rankings, which the log-odds are linear in.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        return self._features(all_views(rankings, self._smoother))

    def decision_function(self, X: Any) -> Floats:
        """The logarithm of the odds, for each class if there are more than two.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        features = self.features_of(X)
        return np.asarray(self._model.decision_function(features))

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        features = self.features_of(X)
        return np.asarray(self._model.predict_proba(features))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        features = self.features_of(X)
        return np.asarray(self.classes_[self._model.predict(features)])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Ranks of two or three numbers say little of the numbers.
        tags.classifier_tags.poor_score = True
        return tags


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


def laplace_covariance(
    features: Floats, probabilities: Floats, C: float, counts: Floats | None = None
) -> Floats:
    """The inverse of the curvature of a penalised logistic loss, for each output.

    For two classes there is one output; for more, each class is looked at against the rest, the
    other weights held where they are.
    """
    n = features.shape[1]
    design = np.column_stack([features, np.ones(len(features))])
    chosen = probabilities[:, 1:] if probabilities.shape[1] == 2 else probabilities
    found = []
    for p in chosen.T:
        weight = p * (1.0 - p) if counts is None else counts * p * (1.0 - p)
        curvature = (design.T * weight) @ design
        curvature[np.arange(n), np.arange(n)] += 1.0 / C
        # The constant has no penalty; where all is certain, nothing else bounds it.
        curvature[n, n] += _ROUNDING
        found.append(np.linalg.inv(curvature)[:n, :n])
    return np.array(found)
