"""Smoothing over the item graph as a scikit-learn transformer."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from rankcut.cuts.offset_rows import UncentredRows
from rankcut.cuts.smoothing import Smoother
from rankcut.errors import InputError, amount
from rankcut.graphs import ItemGraph, as_item_graph
from rankcut.graphs.derived import joining_like_items
from rankcut.parameters import within_floats
from rankcut.rankings import object_array


class GraphSmoothing(TransformerMixin, BaseEstimator):
    """φ ↦ φ·p(L): similar items get similar values, by a few steps of a lazy random walk.

    L is the normalised Laplacian of the item graph and p(L) = (I − L/2)^steps; see
    :mod:`rankcut.cuts.smoothing`. For any vectors with one coordinate for each item: graph cut
    features, positions, which items are listed at all, ratings.

    A linear model on smoothed vectors has the kernel φ p(L)² φ'ᵀ, as if the items' weights had the
    Gaussian prior N(0, p(L)²): similar items have similar weights. Two lists that share no item are
    similar if their items are.

    Parameters
    ----------
    graph : None, recipe, ItemGraph, array, sparse matrix, networkx.Graph or frame, default=None
        The item graph, which connects similar items strongly; matched by name where both the graph
        and the vectors have names. For a :class:`~rankcut.DissimilarityGraph`, it is the similarity
        graph inside. None is the complete graph, which moves each
        vector towards its mean and makes nothing comparable.
    steps : float, default=2.0
        How far to walk: 0 changes nothing, and 1.5 is a step and a half.
    items : sequence or None, default=None
        Labels of the columns, if the vectors are not a frame.
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
    GraphCutFeatures : Smooths its own vectors with ``smoothing=``.

    Notes
    -----
    Each step costs a product with the graph. Sparse vectors stay sparse on a sparse graph, and
    become dense on another. :class:`~rankcut.cuts.UncentredRows` stay what they are: the
    constant that they leave out is not smoothed.

    Examples
    --------
    Two lists that share no item; the first two items are alike, and so are the last two.

    >>> import numpy as np
    >>> from rankcut.cuts import GraphSmoothing
    >>> graph = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    >>> listed = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
    >>> smoothed = GraphSmoothing(graph, steps=0.5).fit_transform(listed)
    >>> smoothed @ smoothed.T
    array([[0.625, 0.375, 0.   ],
           [0.375, 0.625, 0.   ],
           [0.   , 0.   , 0.625]])
    """

    def __init__(
        self,
        graph: Any = None,
        *,
        steps: float = 2.0,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.graph = graph
        self.steps = steps
        self.items = items
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Match the graph with the columns; nothing else is learned.

        Parameters
        ----------
        X : array, frame or sparse array of shape (n_vectors, n_items)
            Vectors with one coordinate for each item.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        self._read(X, reset=True)
        n_items = self.n_features_in_
        labels = self._labels()
        graph = ItemGraph.complete(n_items)
        if self.graph is not None:
            graph = as_item_graph(joining_like_items(self.graph))
        self.graph_ = graph.aligned(n_items, labels)
        self._smoother = Smoother(self.graph_, self.steps)
        return self

    def transform(self, X: Any) -> Any:
        """Smoothed vectors.

        Parameters
        ----------
        X : array, frame or sparse array of shape (n_vectors, n_items)
            Vectors with one coordinate for each item.

        Returns
        -------
        ndarray or csr_array of shape (n_vectors, n_items)
        """
        check_is_fitted(self)
        vectors = self._read(X, reset=False)
        if sparse.issparse(vectors):
            if self._smoother.keeps_sparse:
                smoothed = self._smoother.smooth_sparse(sparse.csr_array(vectors))
                return UncentredRows(smoothed) if isinstance(X, UncentredRows) else smoothed
            vectors = vectors.toarray()
        smoothed = np.array(vectors)
        self._smoother.smooth(smoothed, n_jobs=self.n_jobs)
        return smoothed

    def _read(self, X: Any, *, reset: bool) -> Any:
        with within_floats("X"):
            return validate_data(
                self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32]
            )

    def _labels(self) -> tuple[Hashable, ...] | None:
        names = getattr(self, "feature_names_in_", None)
        if self.items is None:
            return None if names is None else tuple(names)
        labels = tuple(self.items)
        if len(labels) != self.n_features_in_ or (names is not None and labels != tuple(names)):
            raise InputError(
                f"items= has {amount(len(labels), 'label')}, and they are not those of the "
                f"{self.n_features_in_} columns; give one label for each column of an array, and "
                "none for a frame"
            )
        return labels

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The items' labels, or x0, x1, … where they have none.

        Parameters
        ----------
        input_features : array-like of str or None
            Names for items that have none; checked against the names of those that have.
        """
        check_is_fitted(self)
        if input_features is None and self.items is not None:
            return object_array(self.items)
        return np.asarray(_check_feature_names_in(self, input_features))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
