"""Divide people into a given number of blocs: k-means on vectors, or medoids for kernels."""

import warnings
from typing import NamedTuple

import numpy as np

from rankcut._loops.centres import nearest_centres, squared_distances, swap_medoids
from rankcut._loops.types import Floats, Longs
from rankcut.parameters import MOST_COMPARED
from rankcut.rankings.value import ROUNDING

# Starts of k-means are compared on this many distinct rankings; the best continues with all.
_MANY = 20_000


class Blocs(NamedTuple):
    """Centres of blocs, largest first, and the bloc of each row."""

    centres: Floats
    labels: Longs
    inertia: float


def by_means(vectors: Floats, weights: Floats, k: int, n_init: int, seed: int) -> Blocs:
    """scikit-learn's k-means, with one thread: sums have the same order on every machine."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    rng = np.random.RandomState(seed)
    with threadpool_limits(1), warnings.catch_warnings():
        # Fewer distinct vectors than blocs: the caller reports it.
        warnings.filterwarnings("ignore", message="Number of distinct clusters")
        start: Floats | str = "k-means++"
        if len(vectors) > _MANY:
            some = np.sort(_sample(len(vectors), _MANY, seed))
            trial = KMeans(k, n_init=n_init, random_state=rng)
            start = trial.fit(vectors[some], sample_weight=weights[some]).cluster_centers_
            n_init = 1
        found = KMeans(k, init=start, n_init=n_init, random_state=rng)
        centres = found.fit(vectors, sample_weight=weights).cluster_centers_
    return _ordered(centres, vectors, weights)


def by_medoids(vectors: Floats, weights: Floats, k: int, n_init: int, seed: int) -> Blocs:
    """Rankings as centres that minimise the sum of the distances to the nearest one.

    Each start is improved by the best swap of a medoid until no swap helps.
    """
    candidates = np.arange(len(vectors))
    if len(vectors) > MOST_COMPARED:
        candidates = np.sort(_sample(len(vectors), MOST_COMPARED, seed))
    points, mass = np.ascontiguousarray(vectors[candidates]), weights[candidates]
    distances = np.empty((len(points), len(points)))
    squared_distances(points, points, distances)
    np.sqrt(distances, out=distances)
    rng = np.random.default_rng([seed, 3])
    best, chosen = np.inf, np.zeros(k, dtype=np.uint32)
    for _ in range(n_init):
        medoids = rng.choice(len(points), k, replace=False).astype(np.uint32)
        total = swap_medoids(distances, mass, medoids)
        if total < best:
            best, chosen = total, medoids
    return _ordered(points[chosen], vectors, weights)


def assign(vectors: Floats, centres: Floats) -> tuple[Longs, Floats]:
    """The nearest centre of each vector, and the squared distance."""
    labels = np.empty(len(vectors), dtype=np.uint32)
    squares = np.empty(len(vectors))
    nearest_centres(np.ascontiguousarray(vectors), centres, labels, squares)
    return labels.astype(np.int64), squares


def membership(vectors: Floats, centres: Floats, spread: float) -> Floats:
    """The probability of each bloc: ∝ exp(−‖x − centre‖²/(2·spread))."""
    squares = np.empty((len(vectors), len(centres)))
    squared_distances(np.ascontiguousarray(vectors), centres, squares)
    squares -= squares.min(axis=1, keepdims=True)
    if spread <= 0:
        squares[:] = np.where(squares == 0, 0.0, np.inf)
        spread = 1.0
    chance: Floats = np.exp(-squares / (2 * spread))
    chance /= chance.sum(axis=1, keepdims=True)
    return chance


def fit_spread(vectors: Floats, weights: Floats, centres: Floats) -> float:
    """The variance around centres along the directions between them, by maximum likelihood.

    Only the variation between centres makes a bloc uncertain. The blocs are taken as normal there,
    with a common variance found by expectation maximisation.
    """
    k = len(centres)
    if k == 1:
        return 0.0
    middle = centres.mean(axis=0)
    _, values, directions = np.linalg.svd(centres - middle, full_matrices=False)
    kept = values > ROUNDING * float(values[0])
    if not kept.any():
        return 0.0
    basis = directions[kept].T
    points = np.ascontiguousarray((vectors - middle) @ basis)
    targets = np.ascontiguousarray((centres - middle) @ basis)
    squares = np.empty((len(points), k))
    squared_distances(points, targets, squares)
    width, total = points.shape[1], float(weights.sum())
    spread: float = float(weights @ squares.min(axis=1)) / (total * width)
    least = squares.min(axis=1, keepdims=True)
    for _ in range(50):
        if spread <= 0:
            return 0.0
        chance = np.exp(-(squares - least) / (2 * spread))
        chance /= chance.sum(axis=1, keepdims=True)
        before, spread = spread, float(weights @ (chance * squares).sum(axis=1)) / (total * width)
        if abs(spread - before) < 1e-6 * before:
            break
    return spread


def _ordered(centres: Floats, vectors: Floats, weights: Floats) -> Blocs:
    """Largest bloc first; centres that are nearest to nobody are left out."""
    labels, _ = assign(vectors, centres)
    sizes = np.bincount(labels, weights, minlength=len(centres))
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    centres = np.ascontiguousarray(centres[order])
    labels, squares = assign(vectors, centres)
    return Blocs(centres, labels, float(weights @ squares))


def _sample(n: int, size: int, seed: int) -> Longs:
    rows: Longs = np.random.default_rng([seed, 4]).choice(n, size, replace=False)
    return rows
