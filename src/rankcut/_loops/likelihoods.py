"""Expected log-likelihoods under Gaussians, and their derivatives, by quadrature for each row.

With f ~ N(m, v), L = E[log p(y | f)] is the sum Σ_k ω_k log p(y | m + √v·z_k) over the nodes z_k
of a rule for the standard normal. The derivatives are those of this sum, not of the integral, so
they are exact for the function that is maximised. The rule of a row depends on its v: rule k has
the nodes from ``starts[k]`` to ``starts[k + 1]`` and serves variances up to ``limits[k]``.

If v is large, more and more nodes are needed to find the place where log p changes. For probit
with flipped labels, the slope g' of log p is 0 elsewhere, and integration by parts gives

    L = log ε + ∫ g'(t)·Φ((m − t)/√v) dt

which is a sum over a few steps t_k, the same for all rows.

If v is small, as with many rows, no rule is needed: with g the log-likelihood of f,

    L = g + v/2·g'' + v²/8·g + v³/48·g''

at f = m, which takes one evaluation of transcendental functions instead of several.

For logit with a large v, log p is min(f, 0) less a bump at 0 that is narrow compared with the
normal density N. By the moments of the bump, with c = π²/6, 7π⁴/360, …,

    L = E[min(f, 0)] − Σ_j c_j·N⁽²ʲ⁾(0)
"""

import math
from typing import NamedTuple

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Ints

# A fraction of labels is flipped at random, which keeps log p finite; GPflow's constant.
FLIPPED = 1e-3

# The derivative in v divides by √v. Variances below this change L by less than rounding.
SMALLEST_VARIANCE = 1e-12

# Up to this variance, the next term of the series is below 1e-11.
SERIES = 5e-4

# From this variance on, the fourth term of the sum over the moments of a bump is below 1e-12.
WIDE = 1e4
_MOMENTS = (math.pi**2 / 6.0, 7.0 * math.pi**4 / 360.0, 31.0 * math.pi**6 / 15120.0)

# Beyond this, the normal density is less than rounding.
REACH = 8.3

# Beyond this, it is 0.
_FAR = 40.0

# Log-odds are kept within this, where odds are numbers.
_MOST_LOG_ODDS = 600.0


class Rules(NamedTuple):
    """Rules for the standard normal: nodes and their shares, and the variances they serve."""

    nodes: Floats
    shares: Floats
    starts: Ints
    limits: Floats


@compiled
def rule_for(variance: float, limits: Floats) -> int:
    """The first rule that serves a variance; beyond all limits, the number of rules."""
    rule = 0
    while rule < limits.shape[0] and variance > limits[rule]:
        rule += 1
    return rule


@compiled
def probit_series(f: float, v: float) -> tuple[float, float, float]:
    """L, ∂L/∂m and 2·∂L/∂v of a correct label at mean f, for a small variance v.

    The derivatives of g = log p follow from the ratios r_n = p⁽ⁿ⁾/p, which are Hermite polynomials
    times r_1: g_n = r_n − Σ_{k<n} (n − 1 choose k − 1)·g_k·r_{n−k}.
    """
    kept = 1.0 - 2.0 * FLIPPED
    p = 0.5 * kept * math.erfc(-math.sqrt(0.5) * f) + FLIPPED
    r1 = kept / math.sqrt(2.0 * math.pi) * math.exp(-0.5 * f * f) / p
    r2 = -f * r1
    r3 = -f * r2 - r1
    r4 = -f * r3 - 2.0 * r2
    r5 = -f * r4 - 3.0 * r3
    r6 = -f * r5 - 4.0 * r4
    r7 = -f * r6 - 5.0 * r5
    g1 = r1
    g2 = r2 - g1 * r1
    g3 = r3 - (g1 * r2 + 2.0 * g2 * r1)
    g4 = r4 - (g1 * r3 + 3.0 * g2 * r2 + 3.0 * g3 * r1)
    g5 = r5 - (g1 * r4 + 4.0 * g2 * r3 + 6.0 * g3 * r2 + 4.0 * g4 * r1)
    g6 = r6 - (g1 * r5 + 5.0 * g2 * r4 + 10.0 * g3 * r3 + 10.0 * g4 * r2 + 5.0 * g5 * r1)
    g7 = r7 - (
        (g1 * r6 + 6.0 * g2 * r5 + 15.0 * g3 * r4)
        + (20.0 * g4 * r3 + 15.0 * g5 * r2 + 6.0 * g6 * r1)
    )
    return (
        math.log(p) + v / 2.0 * (g2 + v / 4.0 * (g4 + v / 6.0 * g6)),
        g1 + v / 2.0 * (g3 + v / 4.0 * (g5 + v / 6.0 * g7)),
        g2 + v / 2.0 * (g4 + v / 4.0 * g6),
    )


@compiled
def logit_series(f: float, v: float) -> tuple[float, float, float]:
    """The same for g = −log(1 + exp(−f)), with q = g', w = q·(1 − q) and d = 1 − 2q."""
    small = math.exp(-abs(f))
    level = min(f, 0.0) - math.log1p(small)
    other = 1.0 / (1.0 + small)
    q = small * other if f > 0.0 else other
    w = small * other * other
    d = 1.0 - 2.0 * q
    square = d * d
    g2 = -w
    g3 = w * d
    g4 = w * (2.0 * w - square)
    g5 = w * d * (square - 8.0 * w)
    g6 = -w * (square * (square - 22.0 * w) + 16.0 * w * w)
    g7 = w * d * (square * (square - 52.0 * w) + 136.0 * w * w)
    return (
        level + v / 2.0 * (g2 + v / 4.0 * (g4 + v / 6.0 * g6)),
        q + v / 2.0 * (g3 + v / 4.0 * (g5 + v / 6.0 * g7)),
        g2 + v / 2.0 * (g4 + v / 4.0 * g6),
    )


@compiled
def logit_bump(f: float, v: float) -> tuple[float, float, float]:
    """The same for a large variance v, by the derivatives of the normal density at 0."""
    deviation = math.sqrt(v)
    z = f / deviation
    below = 0.5 * math.erfc(z * math.sqrt(0.5))
    near = min(max(z, -_FAR), _FAR)
    density = math.exp(-0.5 * near * near) / math.sqrt(2.0 * math.pi)
    h1 = near
    h2 = near * h1 - 1.0
    h3 = near * h2 - 2.0 * h1
    h4 = near * h3 - 3.0 * h2
    h5 = near * h4 - 4.0 * h3
    h6 = near * h5 - 5.0 * h4
    c1, c2, c3 = _MOMENTS
    c1, c2, c3 = c1 / v, c2 / v / v, c3 / v / v / v
    return (
        f * below - deviation * density * (1.0 + c1 + c2 * h2 + c3 * h4),
        below + density * (c1 * h1 + c2 * h3 + c3 * h5),
        -density / deviation * (1.0 + c1 * h2 + c2 * h4 + c3 * h6),
    )


@compiled
def expect_probit(
    mean: Floats,
    variance: Floats,
    sign: Floats,
    weight: Floats,
    rules: Rules,
    steps: Floats,
    heights: Floats,
    slope: Floats,
    curvature: Floats,
) -> float:
    """Σ weight·L for p(y | f) = Φ(y·f) with some labels flipped, y = ±1 in ``sign``.

    ``heights`` is g'(t)·dt at the evenly spaced ``steps`` t, for variances beyond all ``limits``.
    Fills ``slope`` with weight·∂L/∂m and ``curvature`` with −2·weight·∂L/∂v.
    """
    nodes, shares, starts, limits = rules
    total = 0.0
    root_half = math.sqrt(0.5)
    kept = 1.0 - 2.0 * FLIPPED
    peak = kept / math.sqrt(2.0 * math.pi)
    n_rules, n_steps = limits.shape[0], steps.shape[0]
    width = steps[1] - steps[0]
    climbed = np.zeros(n_steps + 1)
    for k in range(n_steps):
        climbed[k + 1] = climbed[k] + heights[k]
    for i in range(mean.shape[0]):
        margin = sign[i] * mean[i]
        if variance[i] <= SERIES:
            level, rise, bend = probit_series(margin, variance[i])
            total += weight[i] * level
            slope[i] = weight[i] * sign[i] * rise
            curvature[i] = -weight[i] * bend
            continue
        v = variance[i]
        rule = rule_for(v, limits)
        deviation = math.sqrt(v)
        level, rise, tilt = 0.0, 0.0, 0.0
        if rule < n_rules:
            for k in range(starts[rule], starts[rule + 1]):
                f = margin + deviation * nodes[k]
                p = 0.5 * kept * math.erfc(-root_half * f) + FLIPPED
                derivative = shares[k] * peak * math.exp(-0.5 * f * f) / p
                level += shares[k] * math.log(p)
                rise += derivative
                tilt += derivative * nodes[k]
        else:
            # Steps below this range count in full, those above not at all.
            lowest = (margin - REACH * deviation - steps[0]) / width
            highest = (margin + REACH * deviation - steps[0]) / width
            # Rounded after they are limited, as they may be beyond whole numbers.
            first = math.ceil(min(max(lowest, 0.0), float(n_steps)))
            last = math.ceil(min(max(highest, 0.0), float(n_steps)))
            level = math.log(FLIPPED) + climbed[first]
            for k in range(first, last):
                u = (margin - steps[k]) / deviation
                level += heights[k] * 0.5 * math.erfc(-root_half * u)
                density = heights[k] * math.exp(-0.5 * u * u)
                rise += density
                tilt -= density * u
            scale = 1.0 / (deviation * math.sqrt(2.0 * math.pi))
            rise *= scale
            tilt *= scale
        total += weight[i] * level
        slope[i] = weight[i] * sign[i] * rise
        curvature[i] = -weight[i] * tilt / deviation
    return total


@compiled
def expect_logit(
    mean: Floats,
    variance: Floats,
    sign: Floats,
    weight: Floats,
    rules: Rules,
    slope: Floats,
    curvature: Floats,
) -> float:
    """Σ weight·L for p(y | f) = 1/(1 + exp(−y·f)), y = ±1 in ``sign``.

    Fills ``slope`` with weight·∂L/∂m and ``curvature`` with −2·weight·∂L/∂v.
    """
    nodes, shares, starts, limits = rules
    total = 0.0
    for i in range(mean.shape[0]):
        margin = sign[i] * mean[i]
        v = variance[i]
        level, rise, bend = 0.0, 0.0, 0.0
        if v <= SERIES:
            level, rise, bend = logit_series(margin, v)
        elif v > WIDE:
            level, rise, bend = logit_bump(margin, v)
        else:
            rule = rule_for(v, limits)
            deviation = math.sqrt(v)
            for k in range(starts[rule], starts[rule + 1]):
                f = margin + deviation * nodes[k]
                small = math.exp(-abs(f))
                derivative = shares[k] / (1.0 + small)
                if f > 0.0:
                    derivative *= small
                level += shares[k] * (min(f, 0.0) - math.log1p(small))
                rise += derivative
                bend += derivative * nodes[k]
            bend /= deviation
        total += weight[i] * level
        slope[i] = weight[i] * sign[i] * rise
        curvature[i] = -weight[i] * bend
    return total


@compiled
def average_logit(
    mean: Floats,
    variance: Floats,
    rules: Rules,
    log_odds: Floats,
) -> None:
    """The log-odds of E[1/(1 + exp(−f))], from the smaller tail, so that no digits are lost."""
    nodes, shares, starts, limits = rules
    for i in range(mean.shape[0]):
        v = max(variance[i], SMALLEST_VARIANCE)
        rule = rule_for(v, limits)
        deviation = math.sqrt(v)
        # E[1/(1 + exp(−f))] = exp(lower)·E[exp(f − lower)/(1 + exp(f))], which neither underflows
        # nor overflows.
        lower = max(-abs(mean[i]), -_MOST_LOG_ODDS)
        beyond = -abs(mean[i]) - lower
        scaled = 0.0
        if v > WIDE:
            scaled = math.exp(-lower) * logit_bump(abs(mean[i]), v)[1]
        else:
            for k in range(starts[rule], starts[rule + 1]):
                step = beyond + deviation * nodes[k]
                f = lower + step
                if f > 0.0:
                    scaled += shares[k] * math.exp(-lower) / (1.0 + math.exp(-f))
                else:
                    scaled += shares[k] * math.exp(step) / (1.0 + math.exp(f))
        if beyond < 0.0:
            scaled = max(scaled, 1.0)
        tail = math.log(scaled) + lower
        odds = tail - math.log1p(-min(math.exp(tail), 0.5))
        # A mean of 0 has even odds, which rounding might miss.
        log_odds[i] = -np.sign(mean[i]) * odds
