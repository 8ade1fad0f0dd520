"""How much groups explain: ε², the share of the variation of rankings, corrected for chance."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from rankcut._loops.types import Floats, Longs


class Estimate(NamedTuple):
    """A number with a confidence interval."""

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Variation:
    """How much vectors vary between and within groups.

    Attributes
    ----------
    means : (n_groups, n)
        Mean vectors.
    covariances : (n_groups, n, n)
        Of these means.
    weights : (n_groups,)
        The weights of the groups.
    within : (n_groups,)
        The total variance of single rankings in each group.
    total : float
        The sum of squares of all rankings about their mean, by weight.
    """

    means: Floats
    covariances: Floats
    weights: Floats
    within: Floats
    total: float

    def of_two(self, one: int, other: int) -> "Variation":
        """Of two groups by themselves."""
        some = np.array([one, other])
        means, weights = self.means[some], self.weights[some]
        gaps = means - weights @ means / weights.sum()
        total = float(weights @ ((gaps**2).sum(axis=1) + self.within[some]))
        return Variation(means, self.covariances[some], weights, self.within[some], total)

    def explained(self, confidence: float) -> Estimate:
        """The part of the variation that the groups explain.

        With T the sum of squares between groups and E what is expected of it by chance it is
        (T − E)/total. The interval takes T for a quadratic form of normal means: with the mean
        vectors' own squares ‖μ‖² its variance is 4μᵀVμ + 2·tr V².
        """
        if not self.total > 0.0:
            return Estimate(0.0, (0.0, 0.0))
        weights, covariances = self.weights, self.covariances
        shares = weights / weights.sum()
        gaps = self.means - shares @ self.means
        square = float(weights @ (gaps**2).sum(axis=1))
        free = weights * (1.0 - shares)
        expected = float(free @ np.einsum("gii->g", covariances))
        middle = np.einsum("g,gij->ij", weights**2, covariances) / weights.sum()
        squared = float((middle**2).sum())
        rest = weights**2 * (1.0 - 2.0 * shares)
        squared += float(rest @ (covariances**2).sum(axis=(1, 2)))
        squared = max(squared, 0.0)
        excess = square - expected
        along = float(np.einsum("g,gi,gij,gj->", weights**2, gaps, covariances, gaps))
        slope = max(along - squared, 0.0) / excess if excess > 0 else 0.0
        slope = max(slope, squared / expected if expected > 0 else 0.0)
        z2 = float(ndtri((1.0 + confidence) / 2.0)) ** 2
        middle = excess + 2.0 * z2 * slope
        half = math.sqrt(max(middle**2 - excess**2 + 2.0 * z2 * squared, 0.0))
        ends = (middle - half) / self.total, (middle + half) / self.total
        low, high = (min(max(end, 0.0), 1.0) for end in ends)
        return Estimate(excess / self.total, (low, high))

    def design_effects(self, sizes: Longs) -> Floats:
        """Variances of means, by those of as many single rankings."""
        actual = np.einsum("gii->g", self.covariances)
        simple = self.within / np.maximum(sizes - 1, 1)
        effects = np.ones(len(actual))
        np.divide(actual, simple, out=effects, where=simple > 0)
        return effects
