"""Vectors of ratings, which keep how strong a preference is.

A rating x_i is taken as a noisy measurement x_i + τ·ε_i with normal ε_i. The expected sign of a
pair is then erf((x_i − x_j)/(2τ)), and the vector

    φ_i = Σ_j W_ij·erf((x_i − x_j)/(2τ))

is the mean of the graph cut gains of what the person might have ranked. As τ → 0 it becomes that of
the ranking; as τ → ∞, scaled by τ·√π, the graph Laplacian times x. Rankings and ratings are the two
ends of one family.

What an unrated item is worth is one of two things. With "ignore", it is left out of all sums and
has the value 0. With "anywhere", it is equally likely to be in any of the k + 1 gaps before,
between and after the k rated items, so that its expected sign against item i is −S_i/(k + 1), where
S_i = Σ_j erf((x_i − x_j)/(2τ)) over the rated items.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils import Tags

from rankcut._loops.pairs import weighted_wins_dense, weighted_wins_sparse
from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.estimators import NamesItems, TakesRankings
from rankcut.graphs import ItemGraph
from rankcut.graphs.item_graph import fit_graph
from rankcut.graphs.learned import listed_ranks
from rankcut.parameters import check_number
from rankcut.rankings import Rankings, Unranked, as_frame
from rankcut.rankings.partitions import block_rows
from rankcut.rankings.ratings import with_category_codes

Unrated: TypeAlias = Literal["error", "ignore", "anywhere"]
"""What it means that a person did not rate an item."""

_UNRATED: dict[str, Unranked] = {"error": "error", "ignore": "anywhere", "anywhere": "anywhere"}


class RatingFeatures(NamesItems, TransformerMixin, TakesRankings):
    """Turn ratings into vectors that keep how strong each preference is.

    φ_i = Σ_j W_ij·erf((x_i − x_j)/(2τ)). With a small τ only the order of the ratings x counts,
    with a large one their differences do; see :mod:`rankcut.cuts.rating_features`.

    Parameters
    ----------
    graph : None, recipe, ItemGraph, array, sparse matrix, networkx.Graph or frame, default=None
        The item graph; None is the complete graph.
    noise : float, default=1.0
        τ, in points of the rating scale. 0 keeps only the order.
    unrated : {"error", "ignore", "anywhere"}, default="error"
        What it means that an item is not rated (NaN, or absent in a sparse matrix): an error; it
        is left out and has the value 0; or it may be anywhere among the rated ones.
    normalize : bool, default=False
        Scale each vector to unit length. A zero vector stays zero.
    items : sequence or None, default=None
        Labels of the columns, if the ratings are not a frame.

    Attributes
    ----------
    graph_ : ItemGraph
        The graph, its items in the order of the columns.
    n_features_in_, feature_names_in_
        As in :class:`~rankcut.GraphCutFeatures`.

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

    def __init__(
        self,
        graph: Any = None,
        *,
        noise: float = 1.0,
        unrated: Unrated = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
    ) -> None:
        self.graph = graph
        self.noise = noise
        self.unrated = unrated
        self.normalize = normalize
        self.items = items

    @property
    def unranked(self) -> Unranked:  # type: ignore[override]
        """What an unrated item means, in the words of rankings."""
        if self.unrated not in _UNRATED:
            raise InputError(
                f'must be "error", "ignore" or "anywhere"; got {self.unrated!r}',
                parameter="unrated",
            )
        return _UNRATED[self.unrated]

    def fit(
        self, X: Any, y: ArrayLike | None = None, *, sample_weight: ArrayLike | None = None
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
        """
        check_number(self.noise, "noise")
        ratings = self._read(X, reset=True, sample_weight=sample_weight)
        self.graph_ = fit_graph(self.graph, ratings)
        self._items = ratings.items or self.graph_.items
        return self

    def _read(self, X: Any, **options: Any) -> Rankings:
        frame = as_frame(X)
        return super()._read(X if frame is None else with_category_codes(frame), **options)

    def transform(self, X: Any) -> Any:
        """Vectors of ratings of the items that were fitted.

        They are a CSR array for CSR ratings, if unrated items have the value 0.
        """
        ratings = self._read(X, reset=False)
        vectors: Any = strength_vectors(
            sparse.csr_array(listed_ranks(ratings), dtype=np.float64),
            self.graph_,
            float(self.noise),
            anywhere=self.unrated == "anywhere",
        )
        if ratings.sparse is None and not isinstance(vectors, np.ndarray):
            vectors = vectors.toarray()
        if self.normalize:
            vectors = normalize(vectors)
        return vectors.astype(np.float32) if ratings.single else vectors

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def strength_vectors(
    stored: sparse.csr_array, graph: ItemGraph, noise: float, *, anywhere: bool
) -> sparse.csr_array | Floats:
    """φ of each row of ratings, without pooling.

    Sparse where unrated items have the value 0: where they are left out, or on the complete graph.
    """
    starts = stored.indptr.astype(np.int64)
    items = stored.indices.astype(np.uint32)
    ratings = np.ascontiguousarray(stored.data, dtype=np.float64)
    wins = np.zeros(len(ratings))
    scores = np.zeros(len(ratings))
    if anywhere or graph.is_complete:
        alike = np.broadcast_to(1.0, (stored.shape[1], stored.shape[1]))
        weighted_wins_dense(starts, items, ratings, noise, alike, scores)
    if graph.is_complete:
        wins += scores
    elif graph.weights.kind == "sparse":
        edges = graph.weights.to_csr()
        weighted_wins_sparse(
            starts,
            items,
            ratings,
            noise,
            edges.indptr.astype(np.int64),
            edges.indices.astype(np.uint32),
            np.ascontiguousarray(edges.data, dtype=np.float64),
            wins,
        )
    else:
        weights = np.ascontiguousarray(graph.to_dense())
        weighted_wins_dense(starts, items, ratings, noise, weights, wins)
    if not anywhere:
        return sparse.csr_array((wins, stored.indices, stored.indptr), shape=stored.shape)
    lengths = np.diff(starts)
    scores /= np.repeat(lengths + 1.0, lengths)
    if graph.is_complete:
        # The scores of a person add up to 0, and so do the signs of an unrated item.
        wins += scores * np.repeat(stored.shape[1] - lengths, lengths)
        return sparse.csr_array((wins, stored.indices, stored.indptr), shape=stored.shape)
    return _with_unrated(stored, scores, wins, graph)


def _with_unrated(
    stored: sparse.csr_array, scores: Floats, wins: Floats, graph: ItemGraph
) -> Floats:
    """All values: rated items are compared with unrated ones, too, and those with rated ones."""
    vectors = np.empty(stored.shape)
    degrees = graph.degrees
    step = block_rows(stored.shape[1])
    for first in range(0, stored.shape[0], step):
        last = min(first + step, stored.shape[0])
        entries = slice(stored.indptr[first], stored.indptr[last])
        rows = np.repeat(np.arange(last - first), np.diff(stored.indptr[first : last + 1]))
        columns = stored.indices[entries]
        rated, signs = np.zeros((2, last - first, stored.shape[1]))
        rated[rows, columns] = 1.0
        signs[rows, columns] = scores[entries]
        block = vectors[first:last]
        block[:] = -graph.weights.multiply(signs)
        unrated_weight = degrees - graph.weights.multiply(rated)
        block[rows, columns] = wins[entries] + unrated_weight[rows, columns] * scores[entries]
    return vectors
