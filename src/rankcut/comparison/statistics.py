"""Statistics of groups that survive unequal spread: each group has variances of its own.

*Overall*: the modified ANOVA-type statistic (MATS; Friedrich and Pauly 2018), the sum over
coordinates of Wald's statistics Σ_g (μ_g − μ̄)²/v_g, with v_g the variance of a group's mean and μ̄
the mean with weights 1/v_g. For two groups it is the sum of squares of Welch's t. No matrix is
inverted, so coordinates may depend on each other; those that do not vary are left out. By its
expectation it is about F distributed (Box 1954), with degrees of freedom from the covariances.
What is compared with permutations is the p-value of that F, found anew from the covariances of each
permutation (prepivoting; Chung and Romano 2016): spreads and sizes then hardly matter.

*Items, pairs*: the score statistic z = (μ_a − μ_b)/√(v_a + v_b) of two groups, each variance about
the mean of both. It is Welch's t but for that, which keeps it from the false alarms of Welch's t
in small groups whose values are 0 and 1. A family of differences is judged by its largest |z|,
step by step (Westfall and Young 1993).
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc, log_ndtr
from scipy.stats import norm

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.rankings.value import ROUNDING


class Estimate(NamedTuple):
    """A number with a 95 % confidence interval."""

    value: float
    interval: tuple[float, float]


class Moments(NamedTuple):
    """Means of groups in each coordinate, and the variances of these means.

    ``means`` and ``variances`` have the shape (…, n_groups, width), ``weights`` (…, n_groups);
    ``sizes`` are the units of each group. Variances are above 0 in coordinates that vary at all.
    ``covariances`` are those of the coordinates that the overall test looks at, if they are known,
    of shape (…, n_groups, n, n).
    """

    means: Floats
    variances: Floats
    weights: Floats
    sizes: Longs
    covariances: Floats | None = None

    def of(self, columns: slice) -> "Moments":
        """Those of some coordinates."""
        return self._replace(means=self.means[..., columns], variances=self.variances[..., columns])

    def of_two(self) -> "Moments":
        """Those of each two groups, of shape (…, n_pairs, 2, width)."""
        two = np.stack(two_groups(len(self.sizes)), axis=1)
        covariances = self.covariances
        return Moments(
            self.means[..., two, :],
            self.variances[..., two, :],
            self.weights[..., two],
            self.sizes[two],
            None if covariances is None else covariances[..., two, :, :],
        )


def two_groups(n_groups: int) -> tuple[Longs, Longs]:
    """The first and the second group of all pairs of groups."""
    first, second = np.triu_indices(n_groups, 1)
    return first.astype(np.int64), second.astype(np.int64)


class Form(NamedTuple):
    """Σ_gi w_gi(μ_gi − μ̄_i)², its expectation without a difference, and F's degrees of freedom.

    ``squared`` is half of its variance.
    """

    square: Floats
    expected: Floats
    squared: Floats
    below: Floats

    @property
    def ratio(self) -> Floats:
        """F: 1 on average without a difference, 0 if nothing varies."""
        return np.divide(
            self.square, self.expected, out=np.zeros_like(self.square), where=self.expected > 0
        )

    def p_value(self) -> Floats:
        """Of the F distribution with the same mean and variance; 1 if nothing varies."""
        above = np.divide(
            self.expected**2, self.squared, out=np.ones_like(self.square), where=self.squared > 0
        )
        found = fdtrc(above, self.below, self.ratio)
        return np.asarray(np.maximum(found, np.finfo(float).tiny))


def anova_type(moments: Moments, weights: Floats) -> Form:
    """The ANOVA-type statistic with these weights of groups in each coordinate.

    Without covariances coordinates are taken for independent.
    """
    shares = weights / weights.sum(axis=-2, keepdims=True)
    centre = (shares * moments.means).sum(axis=-2, keepdims=True)
    square = (weights * (moments.means - centre) ** 2).sum(axis=(-2, -1))
    own = weights * (1.0 - shares) * moments.variances
    each = own.sum(axis=-1)
    expected = each.sum(axis=-1)
    loose = (each**2 / np.maximum(moments.sizes - 1, 1)).sum(axis=-1)
    below = np.divide(expected**2, loose, out=np.ones_like(expected), where=loose > 0)
    covariances = moments.covariances
    if covariances is None:
        squared = (own.sum(axis=-2) ** 2).sum(axis=-1) / max(own.shape[-2] - 1, 1)
        return Form(square, expected, squared, below)
    # tr (AV)² of the blocks A_i = diag(w_i) − w_i·w_iᵀ/Σw_i, without making them.
    both = weights[..., :, np.newaxis] * weights[..., np.newaxis, :] * covariances
    total = weights.sum(axis=-2)
    joint = both.sum(axis=-3) ** 2 / (total[..., :, np.newaxis] * total[..., np.newaxis, :])
    rest = 1.0 - shares[..., :, np.newaxis] - shares[..., np.newaxis, :]
    squared = joint.sum(axis=(-2, -1)) + (both * covariances * rest).sum(axis=(-3, -2, -1))
    return Form(square, expected, np.maximum(squared, 0.0), below)


def modified_anova_type(moments: Moments, varies: Flags) -> Form:
    """MATS: weights are 1/v_gi, in the coordinates that vary."""
    kept = np.flatnonzero(varies)
    variances = moments.variances[..., kept]
    covariances = moments.covariances
    if covariances is not None and len(kept) < len(varies):
        covariances = covariances[..., kept[:, np.newaxis], kept]
    some = moments._replace(
        means=moments.means[..., kept], variances=variances, covariances=covariances
    )
    return anova_type(some, 1.0 / variances)


def score_statistics(moments: Moments, varies: Flags) -> Floats:
    """|z| of each pair of groups and coordinate, of shape (…, n_pairs, n_columns)."""
    a, b = two_groups(len(moments.sizes))
    gaps = moments.means[..., a, :] - moments.means[..., b, :]
    weights = moments.weights[..., np.newaxis]
    both = weights[..., a, :] + weights[..., b, :]
    spread = np.zeros_like(gaps)
    for own, other in ((a, b), (b, a)):
        size = moments.sizes[own][:, np.newaxis]
        # The variance about the mean of both groups, rather than of its own.
        spread += moments.variances[..., own, :] * ((size - 1) / size)
        spread += (gaps * weights[..., other, :] / both) ** 2 / size
    return np.sqrt(np.divide(gaps**2, spread, out=np.zeros_like(gaps), where=varies))


def two_sided(z: Floats, number: int = 1) -> Floats:
    """P-values of the largest of this many |z|, by Šidák's inequality."""
    one = 2.0 * np.exp(log_ndtr(-z))
    return np.asarray(-np.expm1(number * np.log1p(-np.minimum(one, 1.0 - ROUNDING))))


def holm(p_values: Floats) -> Floats:
    """Adjusted p-values that control the chance of any false alarm.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def share_explained(moments: Moments, total: float) -> Estimate:
    """The part of the variation of these coordinates that the groups explain, ε².

    With T the sum of squares between groups and E what is expected of it by chance it is
    (T − E)/total. The interval takes T for a quadratic form of normal means: with the mean
    vectors' own squares ‖μ‖² its variance is 4μᵀVμ + 2·tr V².
    """
    covariances, weights = moments.covariances, moments.weights
    if not total > 0.0 or covariances is None:
        return Estimate(0.0, (0.0, 0.0))
    form = anova_type(moments, np.broadcast_to(weights[:, np.newaxis], moments.means.shape))
    gaps = moments.means - weights @ moments.means / weights.sum()
    excess = float(form.square - form.expected)
    along = float(np.einsum("g,gi,gij,gj->", weights**2, gaps, covariances, gaps))
    slope = max(along - float(form.squared), 0.0) / excess if excess > 0 else 0.0
    return normal_interval(excess, float(form.expected), float(form.squared), slope, total)


def normal_interval(
    excess: float, by_chance: float, squared: float, slope: float, total: float
) -> Estimate:
    """A share of the variation; T − θ has the variance 4·slope·θ + 2·squared."""
    slope = max(slope, squared / by_chance if by_chance > 0 else 0.0)
    z2 = float(norm.ppf(0.975)) ** 2
    middle = excess + 2.0 * z2 * slope
    half = math.sqrt(max(middle**2 - excess**2 + 2.0 * z2 * squared, 0.0))
    low, high = (min(max(end / total, 0.0), 1.0) for end in (middle - half, middle + half))
    return Estimate(excess / total, (low, high))
