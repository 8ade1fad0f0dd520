"""Blocs by vectors, for ``features=``: k-means, or medoids for kernels without short vectors."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankcut._loops.centres import nearest_centres, squared_distances, swap_medoids
from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Longs
from rankcut.kernels.chosen_features import ChosenFeatures
from rankcut.parameters import MOST_COMPARED
from rankcut.rankings import Rankings
from rankcut.rankings.value import ROUNDING, block_rows


@dataclass(frozen=True, eq=False)
class VectorBlocs:
    """Centres of blocs, largest first, and the vectors that are compared with them.

    Attributes
    ----------
    features : ChosenFeatures
        From ranks to vectors.
    unit : bool
        Whether vectors are scaled to unit length.
    centres : ndarray of shape (n_blocs, n_coordinates)
        Mean vectors, or the vectors of the medoids.
    spread : float
        The variance around centres along the directions between them.
    """

    features: ChosenFeatures
    unit: bool
    centres: Floats
    spread: float

    def labels(self, rankings: Rankings) -> Longs:
        """The bloc of each ranking: the nearest centre."""
        return np.concatenate([_nearest(rows, self.centres) for rows in self._blocks(rankings)])

    def membership(self, rankings: Rankings) -> Floats:
        """The probability of each bloc: ∝ exp(−‖x − centre‖²/(2·spread))."""
        return np.concatenate(
            [_chances(rows, self.centres, self.spread) for rows in self._blocks(rankings)]
        )

    def _blocks(self, rankings: Rankings) -> Any:
        step = block_rows(max(rankings.shape[1], self.centres.shape[1]))
        for start in range(0, max(rankings.shape[0], 1), step):
            yield encode(rankings, self.features, self.unit, start, start + step)


def encode(
    rankings: Rankings,
    features: ChosenFeatures,
    unit: bool,
    start: int = 0,
    stop: int | None = None,
) -> Floats:
    """The vectors of some rankings, scaled to unit length if asked."""
    values = features.vectors(as_ranks(rankings, start, stop))
    if unit:
        lengths = np.sqrt((values**2).sum(axis=1, keepdims=True))
        values = np.divide(values, lengths, out=np.zeros_like(values), where=lengths > 0)
    return np.ascontiguousarray(values)


def as_ranks(rankings: Rankings, start: int = 0, stop: int | None = None) -> Floats:
    """Ranks of some rankings: 1 = best, NaN = unranked."""
    groups = rankings.groups(start, stop, close=False)
    return np.where(groups == NOWHERE, np.nan, groups.astype(np.float64) + 1.0)


def find_centres(
    vectors: Floats, weights: Floats, k: int, *, by_means: bool, n_init: int, seed: int
) -> Floats:
    """Centres of up to k blocs, the largest first; none is without people."""
    find = _means if by_means else _medoids
    centres = find(vectors, weights, min(k, len(vectors)), n_init, seed)
    sizes = np.bincount(_nearest(vectors, centres), weights, minlength=len(centres))
    order = np.argsort(-sizes, kind="stable")
    return np.ascontiguousarray(centres[order[sizes[order] > 0]])


def _means(vectors: Floats, weights: Floats, k: int, n_init: int, seed: int) -> Floats:
    """scikit-learn's k-means, with one thread: sums have the same order on every machine."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        # Fewer distinct vectors than blocs: the caller reports it.
        warnings.filterwarnings("ignore", message="Number of distinct clusters")
        model = KMeans(k, n_init=n_init, random_state=np.random.RandomState(seed))
        centres: Floats = model.fit(vectors, sample_weight=weights).cluster_centers_
    return centres


def _medoids(vectors: Floats, weights: Floats, k: int, n_init: int, seed: int) -> Floats:
    """Rankings as centres that minimise the sum of the distances to the nearest one.

    Each start is improved by the best swap of a medoid until no swap helps.
    """
    rng = np.random.default_rng([seed, 3])
    points, mass = vectors, weights
    if len(vectors) > MOST_COMPARED:
        candidates = np.sort(rng.choice(len(vectors), MOST_COMPARED, replace=False))
        points, mass = np.ascontiguousarray(vectors[candidates]), weights[candidates]
    distances = np.empty((len(points), len(points)))
    squared_distances(points, points, distances)
    np.sqrt(distances, out=distances)
    best, chosen = np.inf, np.zeros(k, dtype=np.uint32)
    for _ in range(n_init):
        medoids = rng.choice(len(points), k, replace=False).astype(np.uint32)
        total = swap_medoids(distances, mass, medoids)
        if total < best:
            best, chosen = total, medoids
    return np.asarray(points[chosen])


def find_spread(vectors: Floats, weights: Floats, centres: Floats) -> float:
    """The variance around the nearest centres, along the directions between centres."""
    middle = centres.mean(axis=0)
    _, values, directions = np.linalg.svd(centres - middle, full_matrices=False)
    basis = directions[values > ROUNDING * max(float(values[0]), ROUNDING)].T
    if not basis.shape[1]:
        return 0.0
    away = (vectors - centres[_nearest(vectors, centres)]) @ basis
    return float(weights @ (away**2).mean(axis=1) / weights.sum())


def _nearest(vectors: Floats, centres: Floats) -> Longs:
    labels, squares = np.empty(len(vectors), dtype=np.uint32), np.empty(len(vectors))
    nearest_centres(vectors, centres, labels, squares)
    return labels.astype(np.int64)


def _chances(vectors: Floats, centres: Floats, spread: float) -> Floats:
    squares = np.empty((len(vectors), len(centres)))
    squared_distances(vectors, centres, squares)
    squares -= squares.min(axis=1, keepdims=True)
    if spread <= 0:
        squares[:] = np.where(squares == 0, 0.0, np.inf)
        spread = 1.0
    chances: Floats = np.exp(-squares / (2 * spread))
    chances /= chances.sum(axis=1, keepdims=True)
    return chances
