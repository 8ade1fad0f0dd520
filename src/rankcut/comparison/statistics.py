"""Statistics of groups that survive unequal spread: each group has variances of its own.

All are score statistics: variances are about the mean of the groups that are compared, which keeps
them from the false alarms of Welch's t in small groups whose values are 0 and 1.

*Items, pairs*: z = (μ_a − μ_b)/√(v_a + v_b) of two groups, with v_g the variance of a group's mean.
A family of differences is judged by its largest |z|, step by step (Westfall and Young 1993).

*Overall*: the Cauchy combination (Liu and Xie 2020) of the p-values of three statistics. One finds
a large difference of one item best, one many small ones, one a difference across correlated items:

- the largest |z|, by the normal distribution and Šidák's inequality;
- the modified ANOVA-type statistic (MATS; Friedrich and Pauly 2018), for two groups the sum of z²;
- Hotelling's trace tr(HG⁻¹), with H the sum of squares between groups and G what is expected of it
  from the groups' covariances, their correlations halved (a ridge; Warton 2008): one group may vary
  in directions in which another hardly does, and the permuted groups are of both kinds.

The last two are about F distributed (Box 1954). What is compared with permutations is the combined
p-value, found anew from the variances and covariances of each permutation (prepivoting; Chung and
Romano 2016): spreads and sizes then hardly matter.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import fdtrc, log_ndtr
from scipy.stats import norm

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.rankings.value import ROUNDING

# P-values nearer to 1 would outweigh small ones in a Cauchy combination.
LARGEST_P = 0.99
# The part of the correlations that Hotelling's trace keeps: benchmarks/comparison_choice.py.
CORRELATIONS_KEPT = 0.5


class Estimate(NamedTuple):
    """A number with a 95 % confidence interval."""

    value: float
    interval: tuple[float, float]


class Moments(NamedTuple):
    """Means of groups in each coordinate, and the variances of these means.

    ``means`` and ``variances`` have the shape (…, n_groups, width), ``weights`` (…, n_groups);
    ``sizes`` are the units of each group. Variances are above 0 in coordinates that vary at all.
    ``covariances`` are those of the coordinates that the overall test looks at, if they are known,
    of shape (…, n_groups, n, n). Where units differ in weight w, ``effective`` units of equal
    weight say as much (Kish), and ``slopes`` are 2·Σw²(x − μ)/(Σw)².
    """

    means: Floats
    variances: Floats
    weights: Floats
    sizes: Longs
    covariances: Floats | None = None
    effective: Floats | None = None
    slopes: Floats | None = None

    def of(self, columns: Any) -> "Moments":
        """Those of some coordinates."""
        return self._replace(
            means=self.means[..., columns],
            variances=self.variances[..., columns],
            slopes=None if self.slopes is None else self.slopes[..., columns],
        )

    def varying(self, varies: Flags) -> "Moments":
        """Those of the coordinates that vary, with their covariances."""
        if varies.all():
            return self
        kept, covariances = np.flatnonzero(varies), self.covariances
        if covariances is not None:
            covariances = covariances[..., kept[:, np.newaxis], kept]
        return self.of(kept)._replace(covariances=covariances)

    def of_two(self) -> "Moments":
        """Those of each two groups, of shape (…, n_pairs, 2, width)."""
        return self.of_groups(np.stack(two_groups(len(self.sizes)), axis=1))

    def of_groups(self, some: Longs) -> "Moments":
        """Those of some groups."""
        return Moments(
            self.means[..., some, :],
            self.variances[..., some, :],
            self.weights[..., some],
            self.sizes[some],
            None if self.covariances is None else self.covariances[..., some, :, :],
            None if self.effective is None else self.effective[..., some],
            None if self.slopes is None else self.slopes[..., some, :],
        )

    @property
    def numbers(self) -> Any:
        """Units of each group, or how many of equal weight would say as much."""
        return self.sizes if self.effective is None else self.effective


def variance_scale(weights: Floats, sizes: Longs) -> Floats:
    """From sums of squares about the mean of a group to the variance of that mean."""
    return np.asarray(sizes / (np.maximum(sizes - 1, 1) * weights**2))


def about_mean(moments: Moments) -> Moments:
    """Variances about the mean of all groups, rather than of each group's own.

    With the gap d from that mean a variance Σw²(x − μ)²/(Σw)² grows by d·slope + d²/effective.
    """
    weights = moments.weights[..., np.newaxis]
    centre = (weights * moments.means).sum(axis=-2, keepdims=True)
    gaps = moments.means - centre / weights.sum(axis=-2, keepdims=True)
    sizes = moments.sizes[..., np.newaxis]
    own = (sizes - 1) / sizes
    moved = gaps / moments.numbers[..., np.newaxis]
    if moments.slopes is not None:
        moved = moved + moments.slopes
    variances = moments.variances * own + gaps * moved
    covariances = moments.covariances
    if covariances is not None:
        across = gaps[..., :, np.newaxis] * moved[..., np.newaxis, :]
        if moments.slopes is not None:
            across = (across + np.swapaxes(across, -1, -2)) / 2.0
        covariances = covariances * own[..., np.newaxis] + across
    return moments._replace(variances=variances, covariances=covariances)


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
    loose = (each**2 / np.maximum(moments.numbers - 1, 1)).sum(axis=-1)
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


def modified_anova_type(moments: Moments) -> Form:
    """MATS: weights are 1/v_gi."""
    return anova_type(moments, 1.0 / moments.variances)


def with_equal_weights(moments: Moments) -> Form:
    """The ANOVA-type statistic in which all coordinates of a group have the same weight."""
    return anova_type(
        moments, np.broadcast_to(moments.weights[..., np.newaxis], moments.means.shape)
    )


def whitened(moments: Moments, kept: float = CORRELATIONS_KEPT) -> Moments:
    """Coordinates in which chance alone moves groups apart by as much in each direction.

    There the ANOVA-type statistic with equal weights is Hotelling's trace, with this part of the
    correlations, less than 1.
    """
    own, covariances = moments.covariances, about_mean(moments).covariances
    assert own is not None
    assert covariances is not None
    shares = moments.weights / moments.weights.sum(axis=-1, keepdims=True)
    weights = moments.weights * (1.0 - shares)
    expected = (weights[..., np.newaxis, np.newaxis] * covariances).sum(axis=-3)
    expected *= kept + (1.0 - kept) * np.eye(expected.shape[-1])
    turn = np.linalg.inv(np.linalg.cholesky(expected))
    back = np.swapaxes(turn, -1, -2)
    spread = turn[..., np.newaxis, :, :] @ own @ back[..., np.newaxis, :, :]
    variances = np.einsum("...ii->...i", spread)
    slopes = None if moments.slopes is None else moments.slopes @ back
    return moments._replace(
        means=moments.means @ back, variances=variances, covariances=spread, slopes=slopes
    )


def cauchy_combination(p_values: Sequence[Floats]) -> Floats:
    """Σ cot(πp)/n: large if any of the p-values is small.

    >>> x = cauchy_combination([np.array([0.01]), np.array([0.5])])
    >>> cauchy_p_value(x).round(4)
    array([0.02])
    """
    capped = (np.clip(p, np.finfo(float).tiny, LARGEST_P) for p in p_values)
    return np.asarray(np.mean([1.0 / np.tan(np.pi * p) for p in capped], axis=0))


def cauchy_p_value(combined: Floats) -> Floats:
    """The p-value of a Cauchy combination, about right for p-values that depend on each other."""
    return np.asarray(np.arctan2(1.0, combined) / np.pi)


def score_statistics(moments: Moments, varies: Flags) -> Floats:
    """|z| of each pair of groups and coordinate, of shape (…, n_pairs, n_columns)."""
    two = about_mean(moments._replace(covariances=None).of_two())
    gaps, spread = two.means[..., 0, :] - two.means[..., 1, :], two.variances.sum(axis=-2)
    found = np.divide(gaps**2, spread, out=np.zeros_like(gaps), where=varies)
    return np.asarray(np.sqrt(found))


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
    form = with_equal_weights(moments)
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
