"""Transformers from rankings to vectors of a set function."""

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rankcut.cuts.completions import CompletionReport
from rankcut.cuts.feature_map import FeatureMap, MapOptions
from rankcut.cuts.offset_rows import OffsetRows
from rankcut.estimators import NamesItems, TakesRankings, check_items
from rankcut.parameters import check_counts
from rankcut.rankings import Rankings, weights_of
from rankcut.rankings.collections import takes_collections


class RankingFeatures(NamesItems, TransformerMixin, TakesRankings, ABC):
    """Rankings in, vectors of a set function out; subclasses choose the function.

    What is fitted is kept in attributes, from which the feature map is made again after pickling.
    """

    dtype: DTypeLike | None
    _seed: int

    @abstractmethod
    def _fit(self, rankings: Rankings, sample_weight: ArrayLike | None) -> None:
        """Keep what :meth:`_make_map` needs, for the items of these rankings."""

    @abstractmethod
    def _make_map(self, seed: int | None) -> FeatureMap:
        """The fitted feature map; ``seed`` is that of an earlier one."""

    def _options(self) -> MapOptions:
        """The options of the feature map among the parameters."""
        parameters = self.get_params(deep=False)
        names = {field.name for field in fields(MapOptions)}
        return MapOptions(**{name: parameters[name] for name in names & parameters.keys()})

    @property
    def _map(self) -> FeatureMap:
        """The feature map; made when fitted, and once more after pickling."""
        made: FeatureMap | None = self.__dict__.get("_made_map")
        if made is None:
            made = self._made_map = self._make_map(self._seed)
        return made

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_made_map"}

    @takes_collections
    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Check the rankings, and match the graph or set function with their items.

        Nothing else is learned, unless the graph is a recipe that learns from rankings.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix. From a Dask array or DataFrame, only the columns are read; its
            rankings are checked when they are computed.
        y : None
            Ignored.
        sample_weight : array of shape (n_rankings,) or None
            How often each ranking counts, for a graph that is learned from rankings.

        Returns
        -------
        self
        """
        rankings = self._read(X, reset=True)
        sample_weight = weights_of(X, sample_weight)
        if sample_weight is not None:
            sample_weight = check_counts(sample_weight, rankings.shape[0])
        self._fit(rankings, sample_weight)
        self._items = rankings.items
        self._made_map = self._make_map(None)
        self._seed = self._made_map.seed
        return self

    @takes_collections
    def transform(self, X: Any) -> Any:
        """Features of rankings of the items that were fitted.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.

        Returns
        -------
        ndarray or UncentredRows of shape (n_rankings, n_items)
            For a Dask array or DataFrame another one with the same chunks, whose blocks are
            these; a DataFrame keeps its index.
        """
        return self._map(self._checked(X))[0]

    def compact(self, X: Any) -> NDArray[Any] | OffsetRows:
        """The same vectors in the smallest form, for comparing them.

        Sparse rankings with ``unranked="last"`` or in closed form give
        :class:`~rankcut.cuts.OffsetRows`, which mean the same as dense vectors and take less
        memory; all others give an array.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        return self._map.compact(self._checked(X))

    def transform_with_report(self, X: Any) -> tuple[Any, CompletionReport]:
        """Features, and how those of each ranking were found: method, draws and errors.

        Features are arrays here, whatever ``set_output`` says.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.

        Returns
        -------
        features : ndarray or UncentredRows of shape (n_rankings, n_items)
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
        return self._map(self._checked(X), errors=True)

    def _checked(self, X: Any) -> Rankings:
        """The rankings, if they are of the items that were fitted."""
        if not hasattr(self, "_seed"):
            check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._labels())
        return rankings

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = (
            ["float64", "float32"] if self.dtype is None else [np.dtype(self.dtype).name]
        )
        return tags
