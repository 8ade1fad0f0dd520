"""Loops of ratings as noisy measurements: expected signs of pairs of rated items."""

import math

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Indices, Longs


@compiled
def expected_sign(difference: float, noise: float) -> float:
    """erf(d/(2τ)), the mean sign of d plus noise. τ = 0 is the sign."""
    if noise == 0.0:
        return (1.0 if difference > 0.0 else 0.0) - (1.0 if difference < 0.0 else 0.0)
    return math.erf(difference / (2.0 * noise))


@compiled
def weighted_wins_dense(
    starts: Longs, items: Indices, ratings: Floats, noise: float, weights: Floats, wins: Floats
) -> None:
    """Σ_j W_ij times the expected sign, over the rated items j, for each rating."""
    for r in range(len(starts) - 1):
        for a in range(starts[r], starts[r + 1]):
            for b in range(starts[r], a):
                weight = weights[items[a], items[b]]
                sign = expected_sign(ratings[a] - ratings[b], noise)
                wins[a] += weight * sign
                wins[b] -= weight * sign


@compiled
def weighted_wins_sparse(
    starts: Longs,
    items: Indices,
    ratings: Floats,
    noise: float,
    edge_starts: Longs,
    neighbors: Indices,
    weights: Floats,
    wins: Floats,
) -> None:
    """The same along the edges of a sparse graph."""
    own = np.full(len(edge_starts) - 1, np.nan)
    for r in range(len(starts) - 1):
        for a in range(starts[r], starts[r + 1]):
            own[items[a]] = ratings[a]
        for a in range(starts[r], starts[r + 1]):
            item = items[a]
            for edge in range(edge_starts[item], edge_starts[item + 1]):
                other = own[neighbors[edge]]
                if not math.isnan(other):
                    wins[a] += weights[edge] * expected_sign(ratings[a] - other, noise)
        for a in range(starts[r], starts[r + 1]):
            own[items[a]] = np.nan
