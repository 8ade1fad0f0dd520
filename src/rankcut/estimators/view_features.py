"""Several views of a list as one vector, each weighted by the evidence of what is predicted."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import Tags, _safe_indexing
from sklearn.utils.validation import _check_y, check_consistent_length, check_is_fitted

from rankcut._loops.types import Floats
from rankcut.estimators.base import TakesRankings, check_items
from rankcut.estimators.evidence import view_variances, view_variances_of_grams
from rankcut.estimators.views import View, like_items_graph, list_views
from rankcut.features.graph_cut import fit_graph
from rankcut.features.smoothing import Smoother, check_steps
from rankcut.parameters import check_counts, within_floats
from rankcut.rankings import object_array, weights_of

# Variances of weights are found from at most this many rankings, a sample if there are more: a
# thousand are enough for a handful of variances.
_MOST_ROWS = 1000

# Views of these rankings become dense if they have no more entries than this.
_MOST_FILLED = 1 << 22

_ROUNDING = 1e-9


class ViewFeatures(TransformerMixin, TakesRankings):
    """Turn lists into vectors for predicting a number; the only choice is the graph.

    The vector has several views of a list side by side: its order, which items it lists, both at
    once, its first choices, and order and listing smoothed over the item graph. Each view is scaled
    by how much it says about the number: its prior variance, which maximises the evidence
    (:mod:`rankcut.estimators.evidence`). :class:`~rankcut.RankingClassifier` does the same for
    classes.

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
    graph_ : ItemGraph or None
        The graph, its items in the order of the columns; None without smoothing.
    view_variances_ : dict
        Prior variance of each view: the share of the number's variance that it may explain.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    See Also
    --------
    GPRegressor : The model to put behind it.
    GraphCutFeatures : One view, with every option.
    RankingClassifier : Classes instead of numbers.

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

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the variances of the views.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        y : array-like of shape (n_rankings,)
            Numbers to predict.
        sample_weight : array of shape (n_rankings,) or None
            How often each ranking counts: 3 is the same as the row three times, and 0 is no row.

        Returns
        -------
        self
        """
        rankings = self._read(X, reset=True)
        check_consistent_length(X, y)
        with within_floats("y"):
            numbers = np.asarray(_check_y(y, y_numeric=True, estimator=self), dtype=np.float64)
        counts, sample_weight = None, weights_of(X, sample_weight)
        if sample_weight is not None:
            counts = check_counts(sample_weight, rankings.shape[0])
            if not counts.all():
                rows = np.flatnonzero(counts)
                rankings = self._read(_safe_indexing(X, rows), reset=True)
                numbers, counts = numbers[rows], counts[rows]
        check_steps(self.smoothing)
        self.graph_ = self._smoother = None
        if self.smoothing:
            self.graph_ = fit_graph(like_items_graph(self.graph), rankings, counts)
            self._smoother = Smoother(self.graph_, self.smoothing)
        self._items = rankings.items
        mean = np.average(numbers, weights=counts)
        spread = float(np.sqrt(np.average((numbers - mean) ** 2, weights=counts))) or 1.0
        views = list_views(rankings, self._smoother)
        self.view_variances_, scales = weigh_views(
            views, ((numbers - mean) / spread)[:, None], counts
        )
        # If all rankings are the same, vectors are 0.
        self._scales = scales or {next(iter(views)): 0.0}
        return self

    def transform(self, X: Any) -> Floats:
        """The scaled views of rankings, side by side.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.

        Returns
        -------
        ndarray of shape (n_rankings, n_views * n_items)
        """
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._items)
        views = list_views(rankings, self._smoother)
        filled = [scale * views[name].toarray() for name, scale in self._scales.items()]
        return np.hstack(filled)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The name of the view and of the item: "order of toro".

        Parameters
        ----------
        input_features : None
            Not used.
        """
        check_is_fitted(self)
        items = range(self.n_features_in_) if self._items is None else self._items
        return object_array([f"{view} of {item}" for view in self._scales for item in items])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def weigh_views(
    views: dict[str, View], targets: Floats, counts: Floats | None
) -> tuple[dict[str, float], dict[str, float]]:
    """The prior variance of each view, and the factor that scales it for weights of variance 1.

    Parameters
    ----------
    views : dict of View
        All views of the same rankings.
    targets : ndarray of shape (n_rankings, n_targets)
        What to predict, with a variance of about 1.
    counts : ndarray of shape (n_rankings,) or None
        How often each ranking counts.

    Returns
    -------
    variances : dict of float
        Of all views.
    scales : dict of float
        Of the views that are not the same for all rankings.
    """
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
    variances = dict.fromkeys(views, 0.0)
    if known:
        find = view_variances if filled else view_variances_of_grams
        found = find(list(known.values()), targets, repeats)
        variances.update(zip(known, found.tolist(), strict=True))
    return variances, {name: float(np.sqrt(variances[name])) / sizes[name] for name in sizes}


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
