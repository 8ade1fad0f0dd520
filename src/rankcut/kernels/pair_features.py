"""Vectors with a coordinate for each pair of items, as scikit-learn transformers."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from rankcut.estimators import TakesRankings, check_items
from rankcut.kernels.kendall import kendall_features
from rankcut.kernels.weighted_kendall import Weights, weight_table, weighted_kendall_features
from rankcut.rankings import Unranked
from rankcut.rankings.collections import takes_collections


class PairFeatures(TransformerMixin, TakesRankings):
    """What both transformers share: they learn only which items there are."""

    unranked: Unranked
    items: Sequence[Hashable] | None

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
        return self._features(X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """``a>b`` for the coordinate that is positive where item a is better than item b.

        Parameters
        ----------
        input_features : array-like of str or None
            Names for items that have none; checked against the names of those that have.
        """
        check_is_fitted(self)
        names = self._items
        if names is None or input_features is not None or hasattr(self, "feature_names_in_"):
            names = _check_feature_names_in(self, input_features)
        pairs = [f"{names[i]}>{names[j]}" for i, j in self._pairs(self.n_features_in_)]
        return np.array(pairs, dtype=object)

    def _check(self, n_items: int) -> None:
        """Raise if the parameters do not suit this number of items."""

    def _features(self, X: Any) -> NDArray[Any]:
        raise NotImplementedError

    def _pairs(self, n_items: int) -> list[tuple[int, int]]:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_items")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class KendallFeatures(PairFeatures):
    """e_ij·√(2/(n(n − 1))) for each pair i < j: +, − or 0 as i is better, worse or tied.

    With unranked items it is the expected sign. The inner product of two vectors is Kendall's
    kernel, so a linear model on them is a kernel machine with that kernel.

    Parameters
    ----------
    unranked : {"error", "last", "anywhere"}, default="error"
        Meaning of an unranked item.
    normalize : bool, default=False
        Scale each vector to unit length: τ-b instead of τ-a.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.
    dtype : float32, float64 or None, default=None
        Type of the vectors; None is float32 for ranks in float32, and float64 otherwise.
    n_jobs : int or None, default=None
        Number of threads.

    Attributes
    ----------
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    See Also
    --------
    kendall_kernel : The inner products, computed without the vectors, which is faster.
    GraphCutFeatures : On the complete graph, its default, the vectors of Spearman's kernel.

    Examples
    --------
    >>> from rankcut.kernels import KendallFeatures
    >>> features = KendallFeatures(items=["uni", "toro", "ika"]).fit([[1, 2, 3], [2, 1, 2]])
    >>> features.get_feature_names_out().tolist()
    ['uni>toro', 'uni>ika', 'toro>ika']
    >>> features.transform([[2, 1, 2]]).round(3)
    array([[-0.577,  0.   ,  0.577]])
    """

    def __init__(
        self,
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        dtype: DTypeLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _features(self, X: Any) -> NDArray[Any]:
        return kendall_features(
            X,
            unranked=self.unranked,
            normalize=self.normalize,
            items=self.items,
            dtype=self.dtype,
            n_jobs=self.n_jobs,
        )

    def _pairs(self, n_items: int) -> list[tuple[int, int]]:
        return [(i, j) for i in range(n_items) for j in range(i + 1, n_items)]


class WeightedKendallFeatures(PairFeatures):
    """E[U(positions of i and j)·1(i better than j)] for all i and j.

    The inner product of two vectors is the weighted Kendall kernel.

    Parameters
    ----------
    weights : {"top-k", "additive", "multiplicative"}, default="additive"
        U; see :func:`~rankcut.kernels.weighted_kendall_kernel`. The average weights have no such
        vectors.
    k : int or None, default=None
        How many positions count, for "top-k".
    position_weights : array of shape (n_items,) or None, default=None
        u for "additive" and "multiplicative", best position first; None is 1, 1/2, 1/3, ….
    unranked : {"error", "last", "anywhere"}, default="error"
        Meaning of an unranked item.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.
    dtype : float32, float64 or None, default=None
        Type of the vectors; None is float32 for ranks in float32, and float64 otherwise.
    n_jobs : int or None, default=None
        Number of threads.

    Attributes
    ----------
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    Examples
    --------
    >>> from rankcut.kernels import WeightedKendallFeatures
    >>> features = WeightedKendallFeatures(weights="top-k", k=2)
    >>> features.fit_transform([[1, 2, 3]]).reshape(3, 3)
    array([[0., 1., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """

    def __init__(
        self,
        *,
        weights: Weights = "additive",
        k: int | None = None,
        position_weights: ArrayLike | None = None,
        unranked: Unranked = "error",
        items: Sequence[Hashable] | None = None,
        dtype: DTypeLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.weights = weights
        self.k = k
        self.position_weights = position_weights
        self.unranked = unranked
        self.items = items
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _check(self, n_items: int) -> None:
        weight_table(self.weights, self.k, self.position_weights, n_items)

    def _features(self, X: Any) -> NDArray[Any]:
        return weighted_kendall_features(
            X,
            weights=self.weights,
            k=self.k,
            position_weights=self.position_weights,
            unranked=self.unranked,
            items=self.items,
            dtype=self.dtype,
            n_jobs=self.n_jobs,
        )

    def _pairs(self, n_items: int) -> list[tuple[int, int]]:
        return [(i, j) for i in range(n_items) for j in range(n_items)]
