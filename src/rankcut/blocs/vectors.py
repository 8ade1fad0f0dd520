"""Blocs by vectors, for ``features=``: k-means, or kernel k-means."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Longs
from rankcut.kernels.chosen_features import ChosenFeatures, choose_features
from rankcut.rankings import Rankings
from rankcut.rankings.value import ROUNDING, block_rows


@dataclass(frozen=True, eq=False)
class VectorBlocs:
    """Centres of blocs, and the vectors that are compared with them.

    Attributes
    ----------
    features : ChosenFeatures
        From ranks to vectors.
    unit : bool
        Whether vectors are scaled to unit length.
    centres : ndarray of shape (n_blocs, n_coordinates)
        Mean vectors, that of the largest bloc first.
    spread : float
        The variance around centres along the directions between them.
    """

    features: ChosenFeatures
    unit: bool
    centres: Floats
    spread: float

    @classmethod
    def find(
        cls, rankings: Rankings, features: Any, k: int, *, unit: bool, n_init: int, seed: int
    ) -> "VectorBlocs":
        """Up to k blocs, the largest first; none is without people."""
        chosen = choose_features(
            features, _ranks(rankings), rankings.unranked, rankings.items, seed
        )
        vectors, weights = _encode(rankings, chosen, unit), rankings.counts
        centres = _means(vectors, weights, min(k, len(vectors)), n_init, seed)
        labels = _squares(vectors, centres).argmin(axis=1)
        sizes = np.bincount(labels, weights, minlength=len(centres))
        order = np.argsort(-sizes, kind="stable")
        centres = np.ascontiguousarray(centres[order[sizes[order] > 0]])
        away = vectors - centres[_squares(vectors, centres).argmin(axis=1)]
        _, values, directions = np.linalg.svd(centres - centres.mean(axis=0), full_matrices=False)
        basis = directions[values > ROUNDING * max(float(values[0]), ROUNDING)].T
        spread = 0.0
        if basis.shape[1]:
            spread = float(weights @ ((away @ basis) ** 2).mean(axis=1) / weights.sum())
        return cls(chosen, unit, centres, max(spread, float(np.finfo(np.float64).tiny)))

    def labels(self, rankings: Rankings) -> Longs:
        """The bloc of each ranking: the nearest centre."""
        return np.concatenate([rows.argmin(axis=1) for rows in self._blocks(rankings)])

    def membership(self, rankings: Rankings) -> Floats:
        """The probability of each bloc: ∝ exp(−‖x − centre‖²/(2·spread))."""
        return np.concatenate(
            [
                special.softmax(
                    (rows.min(axis=1, keepdims=True) - rows) / (2 * self.spread), axis=1
                )
                for rows in self._blocks(rankings)
            ]
        )

    def _blocks(self, rankings: Rankings) -> Iterator[Floats]:
        """Squared distances from centres, block by block."""
        step = block_rows(max(rankings.shape[1], self.centres.size))
        for start in range(0, max(rankings.shape[0], 1), step):
            vectors = _encode(rankings, self.features, self.unit, start, start + step)
            yield _squares(vectors, self.centres)


def _encode(
    rankings: Rankings,
    features: ChosenFeatures,
    unit: bool,
    start: int = 0,
    stop: int | None = None,
) -> Floats:
    """The vectors of some rankings, scaled to unit length if asked."""
    values = features.vectors(_ranks(rankings, start, stop))
    if unit:
        lengths = np.sqrt((values**2).sum(axis=1, keepdims=True))
        values = np.divide(values, lengths, out=np.zeros_like(values), where=lengths > 0)
    return np.ascontiguousarray(values)


def _ranks(rankings: Rankings, start: int = 0, stop: int | None = None) -> Floats:
    """Ranks of some rankings: 1 = best, NaN = unranked."""
    groups = rankings.groups(start, stop, close=False)
    return np.where(groups == NOWHERE, np.nan, groups.astype(np.float64) + 1.0)


def _squares(vectors: Floats, centres: Floats) -> Floats:
    """‖vector − centre‖² of each vector and centre, the same bits in any block of vectors."""
    return np.column_stack([((vectors - centre) ** 2).sum(axis=1) for centre in centres])


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
