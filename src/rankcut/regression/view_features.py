"""Several views of a list as one vector, each weighted by the evidence of what is predicted."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_y, check_is_fitted

from rankcut._loops.types import Floats
from rankcut.estimators import TakesRankings, check_items
from rankcut.parameters import within_floats
from rankcut.rankings import object_array
from rankcut.regression.evidence import weigh_views
from rankcut.regression.views import fit_smoother, list_views


class ViewFeatures(TransformerMixin, TakesRankings):
    """Turn lists into vectors for predicting a number; the only choice is the graph.

    The vector has several views of a list side by side: its order, which items it lists, both at
    once, its first choices, and order and listing smoothed over the item graph. Each view is scaled
    by how much it says about the number: its prior variance, which maximises the evidence
    (:mod:`rankcut.regression.evidence`). :class:`~rankcut.RankingClassifier` does the same for
    classes.

    Parameters
    ----------
    graph : graph or recipe, default=None
        The item graph, which connects similar items, as for :class:`~rankcut.GraphCutFeatures`;
        None learns an :class:`~rankcut.AgreementGraph` from the fitted rankings.
    smoothing : float, default=4.0
        Steps of a lazy random walk; see :class:`~rankcut.Smoothing`. 0 uses no graph.
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
        rankings, counted, counts = self._read_counted(X, y, sample_weight)
        with within_floats("y"):
            numbers = np.asarray(_check_y(y, y_numeric=True, estimator=self), dtype=np.float64)
        numbers = numbers[counted]
        self.graph_, self._smoother = fit_smoother(self.graph, self.smoothing, rankings, counts)
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
