"""Vectors of ratings that keep how strong a preference is.

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

*Pooled* vectors are means of graph cut features, pooling included, over draws of ε. Draws come in
mirrored pairs and are the same for every person.
"""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.strengths import expected_wins, weighted_wins_dense, weighted_wins_sparse
from rankcut._loops.types import Floats
from rankcut.cuts.feature_map import FeatureMap
from rankcut.graphs import ItemGraph
from rankcut.rankings import Rankings, read_rankings

Unrated: TypeAlias = Literal["error", "ignore", "anywhere"]
"""What it means that a person did not rate an item."""

# Rows that are computed together have about this many entries.
_BLOCK = 1 << 22


def stored_ratings(ratings: Rankings) -> sparse.csr_array:
    """The given ratings as a CSR matrix; a rating of 0 is stored."""
    if ratings.sparse is not None:
        stored = sparse.csr_array(ratings.sparse, dtype=np.float64)
        rated = ~np.isnan(stored.data)
        if rated.all():
            return stored
        rows = np.repeat(np.arange(ratings.shape[0]), np.diff(stored.indptr))
        return _csr(rows[rated], stored.indices[rated], stored.data[rated], ratings.shape)
    values = ratings.read(0, ratings.shape[0])
    rows, columns = np.nonzero(~np.isnan(values))
    return _csr(rows, columns, values[rows, columns], ratings.shape)


def _csr(
    rows: NDArray[Any], columns: NDArray[Any], values: Floats, shape: tuple[int, ...]
) -> sparse.csr_array:
    starts = np.zeros(shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=shape[0]), out=starts[1:])
    return sparse.csr_array((values, columns, starts), shape=shape)


def strength_vectors(
    stored: sparse.csr_array,
    graph: ItemGraph,
    noise: float,
    *,
    anywhere: bool,
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
        expected_wins(starts, ratings, noise, scores)
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
    step = max(1, _BLOCK // stored.shape[1])
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


def pooled_vectors(
    ratings: Rankings, feature_map: FeatureMap, noise: float, n_draws: int, seed: int
) -> Floats:
    """Mean of graph cut features over draws of the noise, the same for every row."""
    if ratings.sparse is not None:
        values = np.full(ratings.shape, np.nan)
        stored = stored_ratings(ratings)
        rows = np.repeat(np.arange(ratings.shape[0]), np.diff(stored.indptr))
        values[rows, stored.indices] = stored.data
    else:
        values = ratings.read(0, ratings.shape[0]).copy()
    if noise == 0.0:
        n_draws = 1
    rng = np.random.default_rng(seed)
    vectors = np.zeros(values.shape)
    for draw in range(n_draws):
        if noise and draw % 2 == 0:
            shift = noise * rng.standard_normal(values.shape[1])
        shifted = values if noise == 0.0 else values + (shift if draw % 2 == 0 else -shift)
        vectors += feature_map(read_rankings(-shifted, ratings.items))[0]
    vectors /= n_draws
    return vectors
