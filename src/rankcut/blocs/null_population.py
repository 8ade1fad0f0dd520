"""A population of rankings without blocs, like a given one in its mean and covariance.

Each person has normal utilities u ~ N(μ, Σ) and ranks by them. μ and Σ are chosen so that such
rankings of the same lists, with the same ties, have the same mean position vectors and the same
covariance: they are moved against the difference, with the same random numbers each time.
"""

from dataclasses import dataclass

import numpy as np

from rankcut._loops.partitions import NOWHERE, centred_positions
from rankcut._loops.types import Floats, Indices

# Steps towards the same moments.
_STEPS = 10

# A direction of the utilities has at least this share of the mean variance.
_LEAST = 1e-3


@dataclass(frozen=True, eq=False)
class NullPopulation:
    """Normal utilities: u = μ + L·z with independent normal z."""

    mean: Floats
    root: Floats

    def draw(self, shapes: Indices, rng: np.random.Generator) -> Indices:
        """A ranking for each row of ``shapes``, of the same items and with the same ties."""
        return rank_like(shapes, self.mean + rng.standard_normal(shapes.shape) @ self.root.T)


def rank_like(shapes: Indices, utilities: Floats) -> Indices:
    """Rankings by utilities that list the same items as ``shapes`` do, with as large groups.

    >>> shape = np.array([[0, 1, 1, NOWHERE]], dtype=np.uint32)
    >>> rank_like(shape, np.array([[0.1, 0.5, 0.3, 9.0]])).tolist() == [[1, 0, 1, NOWHERE]]
    True
    """
    wanted = np.where(shapes == NOWHERE, -np.inf, utilities)
    order = np.argsort(-wanted, axis=1)
    rankings = np.empty_like(shapes)
    np.put_along_axis(rankings, order, np.sort(shapes, axis=1), axis=1)
    return rankings


def fit_null(rankings: Indices, weights: Floats, rng: np.random.Generator) -> NullPopulation:
    """The population of normal utilities with the moments of these rankings."""
    n_items = rankings.shape[1]
    listed = 1.0 - float((rankings == NOWHERE).mean())
    mean, covariance = _moments(rankings, weights)
    z = rng.standard_normal(rankings.shape)
    own_mean, own = mean / listed, covariance / listed**2 + np.full((n_items, n_items), 1e-9)
    root = _root(own)
    for _ in range(_STEPS):
        now, spread = _moments(rank_like(rankings, own_mean + z @ root.T), weights)
        own_mean = own_mean + (mean - now) / listed
        own = own + (covariance - spread) / listed**2
        root = _root(own)
    return NullPopulation(own_mean, root)


def _moments(rankings: Indices, weights: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of the position vectors."""
    vectors = np.empty(rankings.shape)
    centred_positions(np.ascontiguousarray(rankings), vectors)
    total = weights.sum()
    mean = weights @ vectors / total
    vectors -= mean
    return mean, (vectors * weights[:, None]).T @ vectors / total


def _root(covariance: Floats) -> Floats:
    """L with LLᵀ the nearest covariance matrix whose variances are not tiny."""
    values, directions = np.linalg.eigh((covariance + covariance.T) / 2)
    least = max(_LEAST * float(values.clip(0).mean()), 1e-9)
    root: Floats = directions * np.sqrt(np.maximum(values, least))
    return root
