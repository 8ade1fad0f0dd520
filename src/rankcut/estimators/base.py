"""What transformers of rankings share: reading, options, reports and names."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from rankcut.dask import is_lazy, stand_in
from rankcut.features.completions import CompletionOptions, CompletionReport, Method
from rankcut.features.feature_map import FeatureMap, SparseOutput, lazy_features
from rankcut.features.sampled import Sampler
from rankcut.rankings import (
    RankMatrix,
    Unranked,
    labels_beside,
    object_array,
    read_rankings,
)
from rankcut.seeds import seed_from
from rankcut.setfunctions import SetFunction


def check_output_is_default(transformer: Any) -> None:
    """Refuse ``set_output`` for Dask collections, of which it would make a frame in memory."""
    if _get_output_config("transform", transformer)["dense"] != "default":
        raise ValueError(
            "set_output is for rankings in memory; a Dask DataFrame gives a Dask DataFrame of "
            'itself: call set_output(transform="default")'
        )


def check_items(rankings: RankMatrix, known: tuple[Hashable, ...] | None) -> None:
    """Refuse rankings of other items than those that were fitted, where both have labels."""
    fitted = labels_beside(known, rankings.items)
    given = labels_beside(rankings.items, known)
    if None not in (fitted, given) and fitted != given:
        raise ValueError(
            "the columns of these rankings are not the items that were fitted, in their "
            f"order: {given} is not {fitted}"
        )


class TakesRankings(BaseEstimator):
    """Reads and checks rankings, and tells scikit-learn what they may be.

    ``unranked`` is a parameter of some; with the others an item that is not ranked may be anywhere.
    """

    items: Sequence[Hashable] | None
    unranked: Unranked = "anywhere"

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
        return tags


class RankingFeatures(TransformerMixin, TakesRankings, ABC):
    """Rankings in, the features of a set function out; subclasses say of which one."""

    def __init__(
        self,
        *,
        unranked: Unranked,
        normalize: bool,
        items: Sequence[Hashable] | None,
        completions: Method,
        sampler: Sampler,
        n_draws: int | None,
        tolerance: float | None,
        random_state: int | np.random.RandomState | None,
        dtype: DTypeLike | None,
        sparse_output: SparseOutput,
        n_jobs: int | None,
    ) -> None:
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.completions = completions
        self.sampler = sampler
        self.n_draws = n_draws
        self.tolerance = tolerance
        self.random_state = random_state
        self.dtype = dtype
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs

    @abstractmethod
    def _fit_function(self, rankings: RankMatrix) -> None:
        """Make ready what :meth:`_set_function` needs, for the items of these rankings."""

    @abstractmethod
    def _set_function(self) -> SetFunction:
        """The set function that was fitted."""

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Check the rankings and match the set function with their items.

        No more is learned, unless there is a graph to be learned from rankings.

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
        rankings = self._read(stand_in(X), reset=True)
        self._fit_function(rankings)
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
            For a Dask array or DataFrame another one with the same chunks, whose blocks are
            these; a DataFrame keeps its index.
        """
        if is_lazy(X):
            self._checked(stand_in(X))
            check_output_is_default(self)
            return lazy_features(self._feature_map(), X, self.items)
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
        if is_lazy(X):
            raise TypeError(
                "a report is about rankings in memory; these are a Dask collection: compute some "
                "of them first"
            )
        return self._transform(X, errors=True)

    def _transform(self, X: Any, *, errors: bool) -> tuple[Any, CompletionReport]:
        return self._feature_map()(self._checked(X), errors=errors)

    def _checked(self, X: Any) -> RankMatrix:
        """The rankings, if they are of the items that were fitted."""
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._labels())
        return rankings

    def _feature_map(self) -> FeatureMap:
        return FeatureMap(
            self._set_function(),
            CompletionOptions(
                self.completions, self.sampler, self.n_draws, self.tolerance, self._seed
            ),
            unranked=self.unranked,
            normalize=self.normalize,
            dtype=self.dtype,
            sparse_output=self.sparse_output,
            n_jobs=self.n_jobs,
        )

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The items' labels, or x0, x1, … where they have none.

        Parameters
        ----------
        input_features : array-like of str or None
            Names for items that have none; checked against the names of those that have.
        """
        check_is_fitted(self)
        labels = self._labels()
        if input_features is None and labels is not None and not hasattr(self, "feature_names_in_"):
            return object_array(labels)
        return np.asarray(_check_feature_names_in(self, input_features))

    def _labels(self) -> tuple[Hashable, ...] | None:
        """The items' labels, if they have any."""
        labels: tuple[Hashable, ...] | None = self._items
        return labels

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = (
            ["float64", "float32"] if self.dtype is None else [np.dtype(self.dtype).name]
        )
        return tags
