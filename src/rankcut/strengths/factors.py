"""Low rank plus diagonal: a covariance of many items from few people.

Σ ≈ Λ·Λᵀ + D is the maximum likelihood of factor analysis (Jöreskog 1967; here by turns of loadings
and D, as in Barber 2012, section 21.2): what items have in common is a few factors.
"""

import numpy as np

from rankcut._loops.types import Floats


def low_rank_plus_diagonal(covariance: Floats, rank: int) -> Floats:
    """The covariance of so many factors and a variance of each item that is nearest in likelihood.

    >>> loadings, alone = np.array([2.0, 1.0, -1.0, 0.5]), np.array([1.0, 0.5, 2.0, 1.0])
    >>> covariance = np.outer(loadings, loadings) + np.diag(alone)
    >>> np.allclose(low_rank_plus_diagonal(covariance, 1), covariance, atol=1e-2)
    True
    """
    total = np.diag(covariance)
    # No item is a factor alone (a Heywood case), which Newton's method could not tell from a tie.
    least = 0.01 * total
    alone = 0.5 * total
    for _ in range(200):
        size = np.sqrt(alone)
        values, vectors = np.linalg.eigh(covariance / np.outer(size, size))
        values, vectors = values[-rank:], vectors[:, -rank:]
        loadings = size[:, None] * vectors * np.sqrt(np.maximum(values - 1.0, 0.0))
        before, alone = alone, np.maximum(total - (loadings**2).sum(axis=1), least)
        if np.abs(alone - before).max() < 1e-4 * total.max():
            break
    return np.asarray(loadings @ loadings.T + np.diag(alone))
