"""Vectors of ratings, which keep how strong a preference is."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rankcut.cuts.feature_map import MapOptions
from rankcut.cuts.graph_cut import make_map
from rankcut.cuts.rating_slopes import (
    Unrated,
    pooled_vectors,
    stored_ratings,
    strength_vectors,
)
from rankcut.errors import InputError, Setting
from rankcut.estimators import NamesItems, TakesRankings, check_items
from rankcut.graphs import ItemGraph
from rankcut.graphs.item_graph import fit_graph
from rankcut.parameters import check_counts, check_draws, check_number, seed_from
from rankcut.rankings import Rankings, Unranked, as_frame, weights_of
from rankcut.rankings.ratings import with_category_codes

_UNRATED: dict[str, Unranked] = {"error": "error", "ignore": "anywhere", "anywhere": "anywhere"}


def _as_unranked(unrated: Unrated) -> Unranked:
    if unrated not in _UNRATED:
        raise InputError(
            f'must be "error", "ignore" or "anywhere"; got {unrated!r}', parameter="unrated"
        )
    return _UNRATED[unrated]


class RatingFeatures(NamesItems, TransformerMixin, TakesRankings):
    """Turn ratings into vectors that keep how strong each preference is.

    φ_i = Σ_j W_ij·erf((x_i − x_j)/(2τ)): the mean vector of what a person might have ranked, if
    ratings x are measured with normal noise of standard deviation τ. With a small τ only the order
    counts, with a large one the differences of ratings do; see :mod:`rankcut.cuts.rating_slopes`.

    Parameters
    ----------
    graph : None, recipe, ItemGraph, array, sparse matrix, networkx.Graph or frame, default=None
        The item graph; None is the complete graph.
    noise : float, default=1.0
        τ, in points of the rating scale. 0 keeps only the order.
    unrated : {"error", "ignore", "anywhere"}, default="error"
        What it means that an item is not rated (NaN, or absent in a sparse matrix): an error; it
        is left out and has the value 0; or it may be anywhere among the rated ones.
    pooled : bool, default=False
        Average graph cut features, pooling included, over draws of the noise. Needs all items
        rated, or ``unrated="anywhere"``. False is in closed form.
    n_draws : int, default=64
        Number of draws for ``pooled``, an even number.
    normalize : bool, default=False
        Scale each vector to unit length. A zero vector stays zero.
    items : sequence or None, default=None
        Labels of the columns, if the ratings are not a frame.
    random_state : int, RandomState instance or None, default=0
        Seed of the draws.

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
    GraphCutFeatures : The vectors of rankings.

    Examples
    --------
    Both people rank the items alike; the first hardly distinguishes the last three, the second the
    first three.

    >>> from rankcut import RatingFeatures
    >>> stars = [[5, 1, 0.9, 0.8], [5, 4.9, 4.8, 0.1]]
    >>> RatingFeatures(noise=0).fit_transform(stars)
    array([[ 3.,  1., -1., -3.],
           [ 3.,  1., -1., -3.]])
    >>> RatingFeatures(noise=1).fit_transform(stars).round(1)
    array([[ 3. , -0.8, -1. , -1.2],
           [ 1.2,  1. ,  0.8, -3. ]])
    """

    graph_: ItemGraph
    _items: tuple[Hashable, ...] | None
    _seed: int

    def __init__(
        self,
        graph: Any = None,
        *,
        noise: float = 1.0,
        unrated: Unrated = "error",
        pooled: bool = False,
        n_draws: int = 64,
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        random_state: Any = 0,
    ) -> None:
        self.graph = graph
        self.noise = noise
        self.unrated = unrated
        self.pooled = pooled
        self.n_draws = n_draws
        self.normalize = normalize
        self.items = items
        self.random_state = random_state

    @property
    def unranked(self) -> Unranked:  # type: ignore[override]
        """What an unrated item means, in the words of rankings."""
        return _as_unranked(self.unrated)

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Match the graph with the items, or learn it if it is a recipe that learns.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_people, n_items)
            Ratings, larger = better; or ordered categories of a frame, the last the best.
        y : None
            Ignored.
        sample_weight : array of shape (n_people,) or None
            How often each row counts, for a graph that is learned from ratings.

        Returns
        -------
        self
        """
        check_number(self.noise, "noise")
        if self.pooled and self.unrated == "ignore":
            raise InputError(
                ["cannot leave items out if vectors are pooled"],
                parameter="unrated",
                remedy=["pass ", Setting("unrated", "anywhere"), ", or leave pooled out"],
            )
        check_draws(self.n_draws, "n_draws")
        ratings = self._read(X, reset=True)
        sample_weight = weights_of(X, sample_weight)
        if sample_weight is not None:
            sample_weight = check_counts(sample_weight, ratings.shape[0])
        self.graph_ = fit_graph(self.graph, ratings, sample_weight)
        self._items = ratings.items
        self._seed = seed_from(self.random_state)
        return self

    def _read(self, X: Any, *, reset: bool) -> Rankings:
        frame = as_frame(X)
        return super()._read(X if frame is None else with_category_codes(frame), reset=reset)

    def transform(self, X: Any) -> Any:
        """Vectors of ratings of the items that were fitted.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_people, n_items)
            Ratings, larger = better.

        Returns
        -------
        ndarray or csr_array of shape (n_people, n_items)
            CSR for CSR ratings, if unrated items have the value 0.
        """
        check_is_fitted(self)
        ratings = self._read(X, reset=False)
        check_items(ratings, self._items or self.graph_.items)
        if self.pooled:
            options = MapOptions(unranked=self.unranked)
            feature_map = make_map(self.graph_, None, options, self._seed)
            vectors: Any = pooled_vectors(
                ratings, feature_map, float(self.noise), int(self.n_draws), self._seed
            )
        else:
            vectors = strength_vectors(
                stored_ratings(ratings),
                self.graph_,
                float(self.noise),
                anywhere=self.unrated == "anywhere",
            )
            if ratings.sparse is None and not isinstance(vectors, np.ndarray):
                vectors = vectors.toarray()
        if self.normalize:
            vectors = _unit_length(vectors)
        return vectors.astype(np.float32) if ratings.single else vectors

    def _labels(self) -> tuple[Hashable, ...] | None:
        return self._items or self.graph_.items

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _unit_length(vectors: Any) -> Any:
    if isinstance(vectors, np.ndarray):
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    norms = np.sqrt(vectors.multiply(vectors).sum(axis=1))
    scales = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    scaled = vectors.copy()
    scaled.data *= np.repeat(scales, np.diff(scaled.indptr))
    return scaled
