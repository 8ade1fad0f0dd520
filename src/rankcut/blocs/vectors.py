"""Blocs by vectors of the user's choice: k-means on them, or kernel k-means."""

import warnings
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Longs
from rankcut.kernels.chosen_features import ChosenFeatures, choose_features
from rankcut.rankings import Rankings
from rankcut.rankings.partitions import block_rows
from rankcut.saved_arrays import Saved

# Random starts of k-means.
_KMEANS_STARTS = 10


@dataclass(frozen=True, eq=False)
class VectorBlocs:
    """K-means for ``features=``: centres of blocs, and the vectors that are compared with them."""

    features: ChosenFeatures  #: from ranks to vectors; those of a kernel make it kernel k-means
    #: Mean vectors, that of the largest bloc first
    centres: Annotated[Floats, Saved("blocs", "coordinates")]

    @classmethod
    def find(cls, rankings: Rankings, features: Any, k: int, seed: int) -> "VectorBlocs":
        """Up to k blocs, the largest first; none is without people."""
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning
        from threadpoolctl import threadpool_limits

        ranks, weights = _ranks(rankings), rankings.counts
        to_vectors = choose_features(features, ranks, rankings.unranked, rankings.items, seed)
        vectors = to_vectors.vectors(ranks)
        # With one thread, sums have the same order on every machine.
        # Fewer distinct vectors than blocs are reported by the caller.
        quiet = warnings.catch_warnings(action="ignore", category=ConvergenceWarning)
        with threadpool_limits(1), quiet:
            model = KMeans(min(k, len(vectors)), n_init=_KMEANS_STARTS, random_state=seed)
            blocs = cls(to_vectors, model.fit(vectors, sample_weight=weights).cluster_centers_)
        sizes = np.bincount(blocs.labels(rankings), weights, minlength=len(blocs.centres))
        order = np.argsort(-sizes, kind="stable")
        return cls(to_vectors, np.ascontiguousarray(blocs.centres[order[sizes[order] > 0]]))

    def labels(self, rankings: Rankings) -> Longs:
        """The bloc of each ranking: the nearest centre, the same bits in any block of rows."""
        step, labels = block_rows(max(rankings.shape[1], self.centres.size)), []
        for start in range(0, max(rankings.shape[0], 1), step):
            vectors = self.features.vectors(_ranks(rankings, start, start + step))
            away = [((vectors - centre) ** 2).sum(axis=1) for centre in self.centres]
            labels.append(np.argmin(away, axis=0))
        return np.concatenate(labels)


def _ranks(rankings: Rankings, start: int = 0, stop: int | None = None) -> Floats:
    """Ranks of some rankings: 1 = best, NaN = unranked."""
    groups = rankings.groups(start, stop, close=False)
    return np.where(groups == NOWHERE, np.nan, groups.astype(np.float64) + 1.0)
