"""Transformers to vectors with a coordinate for each pair of items."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rankcut.estimators import NamesItems, TakesRankings, check_items
from rankcut.rankings import Rankings
from rankcut.rankings.collections import takes_collections


class PairFeatures(NamesItems, TransformerMixin, TakesRankings):
    """They learn only which items there are.

    Attributes
    ----------
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.
    """

    dtype: DTypeLike | None

    @takes_collections
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Check the rankings; nothing is learned from them.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        y : None
            Ignored.
        """
        rankings = self._read(X, reset=True)
        self._check(rankings.shape[1])
        self._items = rankings.items
        return self

    @takes_collections
    def transform(self, X: Any) -> NDArray[Any]:
        """Features of rankings of the items that were fitted.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._items)
        return self._features(rankings)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """``a>b`` for the coordinate that is positive where item a is better than item b.

        Parameters
        ----------
        input_features : array-like of str or None
            Names for items that have none; checked against the names of those that have.
        """
        names = super().get_feature_names_out(input_features)
        pairs = [f"{names[i]}>{names[j]}" for i, j in self._pairs(self.n_features_in_)]
        return np.array(pairs, dtype=object)

    def _check(self, n_items: int) -> None:
        """Raise if the parameters do not suit this number of items."""

    @abstractmethod
    def _features(self, rankings: Rankings) -> NDArray[Any]:
        """The vectors of checked rankings."""

    @abstractmethod
    def _pairs(self, n_items: int) -> list[tuple[int, int]]:
        """The pair of items of each coordinate."""

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_items")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
