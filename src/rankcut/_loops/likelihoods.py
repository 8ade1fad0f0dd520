"""Expected log-likelihoods under Gaussians, and their derivatives, by quadrature for each row.

With f ~ N(m, v), L = E[log p(y | f)] is the sum Σ_k ω_k log p(y | m + √v·z_k) over the nodes z_k
of a rule for the standard normal. The derivatives are those of this sum, not of the integral, so
they are exact for the function that is maximised. The rule of a row depends on its v: rule k has
the nodes from ``starts[k]`` to ``starts[k + 1]`` and serves variances up to ``limits[k]``.

If v is large, more and more nodes are needed to find the place where log p changes. For probit
with flipped labels, the slope g' of log p is 0 elsewhere, and integration by parts gives

    L = log ε + ∫ g'(t)·Φ((m − t)/√v) dt

which is a sum over a few steps t_k, the same for all rows.
"""

import math

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Ints

# A fraction of labels is flipped at random, which keeps log p finite; GPflow's constant.
FLIPPED = 1e-3

# The derivative in v divides by √v. Variances below this change L by less than rounding.
SMALLEST_VARIANCE = 1e-12

# Beyond this, the normal density is less than rounding.
REACH = 8.3


@compiled
def rule_for(variance: float, limits: Floats) -> int:
    """The first rule that serves a variance; beyond all limits, the number of rules."""
    rule = 0
    while rule < limits.shape[0] and variance > limits[rule]:
        rule += 1
    return rule


@compiled
def expect_probit(
    mean: Floats,
    variance: Floats,
    sign: Floats,
    weight: Floats,
    nodes: Floats,
    shares: Floats,
    starts: Ints,
    limits: Floats,
    steps: Floats,
    heights: Floats,
    slope: Floats,
    curvature: Floats,
) -> float:
    """Σ weight·L for p(y | f) = Φ(y·f) with some labels flipped, y = ±1 in ``sign``.

    ``heights`` is g'(t)·dt at the evenly spaced ``steps`` t, for variances beyond all ``limits``.
    Fills ``slope`` with weight·∂L/∂m and ``curvature`` with −2·weight·∂L/∂v.
    """
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
        v = max(variance[i], SMALLEST_VARIANCE)
        rule = rule_for(v, limits)
        deviation = math.sqrt(v)
        margin = sign[i] * mean[i]
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
            first = int(min(max(math.ceil(lowest), 0.0), float(n_steps)))
            last = int(min(max(math.ceil(highest), 0.0), float(n_steps)))
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
    nodes: Floats,
    shares: Floats,
    starts: Ints,
    limits: Floats,
    slope: Floats,
    curvature: Floats,
) -> float:
    """Σ weight·L for p(y | f) = 1/(1 + exp(−y·f)), y = ±1 in ``sign``.

    Fills ``slope`` with weight·∂L/∂m and ``curvature`` with −2·weight·∂L/∂v.
    """
    total = 0.0
    for i in range(mean.shape[0]):
        v = max(variance[i], SMALLEST_VARIANCE)
        rule = rule_for(v, limits)
        deviation = math.sqrt(v)
        margin = sign[i] * mean[i]
        level, rise, tilt = 0.0, 0.0, 0.0
        for k in range(starts[rule], starts[rule + 1]):
            f = margin + deviation * nodes[k]
            small = math.exp(-abs(f))
            derivative = shares[k] / (1.0 + small)
            if f > 0.0:
                derivative *= small
            level += shares[k] * (min(f, 0.0) - math.log1p(small))
            rise += derivative
            tilt += derivative * nodes[k]
        total += weight[i] * level
        slope[i] = weight[i] * sign[i] * rise
        curvature[i] = -weight[i] * tilt / deviation
    return total


@compiled
def average_logit(
    mean: Floats,
    variance: Floats,
    nodes: Floats,
    shares: Floats,
    starts: Ints,
    limits: Floats,
    log_odds: Floats,
) -> None:
    """The log-odds of E[1/(1 + exp(−f))], from the smaller tail, so that no digits are lost."""
    for i in range(mean.shape[0]):
        v = max(variance[i], SMALLEST_VARIANCE)
        rule = rule_for(v, limits)
        deviation = math.sqrt(v)
        # E[1/(1 + exp(−f))] = exp(lower)·E[exp(f − lower)/(1 + exp(f))], which neither underflows
        # nor, with the odds capped at exp(600), overflows.
        lower = max(-abs(mean[i]), -600.0)
        scaled = 0.0
        for k in range(starts[rule], starts[rule + 1]):
            step = deviation * nodes[k]
            f = lower + step
            if f > 0.0:
                scaled += shares[k] * math.exp(-lower) / (1.0 + math.exp(-f))
            else:
                scaled += shares[k] * math.exp(step) / (1.0 + math.exp(f))
        tail = math.log(scaled) + lower
        odds = tail - math.log1p(-min(math.exp(tail), 0.5))
        # A mean of 0 has even odds, which rounding might miss.
        log_odds[i] = -np.sign(mean[i]) * odds
