"""Intervals and tests by errors that few people tell.

A sandwich error is estimated from people, as the standard error of a mean is: intervals are
Student's, and tests are Hotelling's, by the number of people who tell about a column
(:attr:`rankcut.strengths.regression.StrengthEffects.n_telling`).

R. Bell, D. McCaffrey. Bias reduction in standard errors for linear regression with multi-stage
samples. Survey Methodology, 2002.
"""

from collections.abc import Sequence

import numpy as np
from scipy import stats

# With so few more people than coefficients the variance of Hotelling's statistic is infinite.
FEWEST = 4


def inflation(n_people: float) -> float:
    """By how much variances estimated from n people are too small: n/(n − 1)."""
    if np.isinf(n_people):
        return 1.0
    return n_people / (n_people - 1) if n_people > 1 else np.inf


def hotelling(statistic: float, sizes: Sequence[int], n_people: Sequence[float]) -> float:
    """The p-value of a sum of Hotelling's T², each with its number of coefficients and people.

    The sum is a multiple of F's distribution with the same mean and variance, which for one T² is
    exact. NaN: the variance of one with so few people is infinite.

    >>> round(hotelling(9.0, [2], [20.0]), 4), hotelling(9.0, [2, 2], [5.0, 20.0])
    (0.0305, nan)
    """
    size, q, n = sum(sizes), np.array(sizes, dtype=float), np.array(n_people)
    if not size:
        return 1.0
    if np.isinf(n).all():
        return float(stats.chi2.sf(statistic, size))
    left = n - q
    if len(q) == 1:
        share = statistic * left[0] / (q[0] * (n[0] - 1))
        return float(stats.f.sf(share, size, left[0])) if left[0] > 0 else np.nan
    if left.min() <= FEWEST:
        return np.nan
    mean = (q * (n - 1) / (left - 2)).sum()
    variance = (2 * q * (n - 1) ** 2 * (n - 2) / ((left - 2) ** 2 * (left - FEWEST))).sum()
    ratio = variance * size / (2 * mean**2)
    freedom = (size - 2 + 4 * ratio) / (ratio - 1)
    return float(stats.f.sf(statistic * freedom / (mean * (freedom - 2)), size, freedom))


def standard_errors(level: float, n_people: float) -> float:
    """How many standard errors, estimated from n people, are not passed with probability level."""
    if n_people <= 1:
        return np.inf
    return float(stats.t.ppf(level, n_people - 1) * np.sqrt(inflation(n_people)))
