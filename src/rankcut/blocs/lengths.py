"""How much of a division into blocs is a matter of list length."""

import numpy as np

from rankcut._loops.types import Floats, Longs


def share_of_length(lengths: Longs, labels: Longs, weights: Floats) -> float | None:
    """The share of the variance of list lengths between blocs, corrected for chance (ε²).

    0 is what a division that has nothing to do with length has on average, and 1 means that length
    says it all. None if all lists have the same length.

    >>> share_of_length(np.array([1, 1, 4, 4]), np.array([0, 0, 1, 1]), np.ones(4))
    1.0
    """
    total = float(weights.sum())
    mean = float(weights @ lengths) / total
    variation = float(weights @ (lengths - mean) ** 2)
    if variation <= 1e-12 * total:
        return None
    masses = np.bincount(labels, weights)
    sums = np.bincount(labels, weights * lengths)
    means = np.divide(sums, masses, out=np.zeros_like(sums), where=masses > 0)
    within = float(weights @ (lengths - means[labels]) ** 2)
    k = int((masses > 0).sum())
    if k < 2 or total <= k:
        return 0.0
    return max(0.0, 1.0 - within / variation * (total - 1) / (total - k))
