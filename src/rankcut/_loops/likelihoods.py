"""Expected log-likelihoods under Gaussians, and their derivatives, for each row.

With f ~ N(m, v) and g(f) = log p(y | f), L = E[g(f)] and its derivatives are sums over the nodes of
a Gauss–Hermite rule if v is small. If v is large, g changes in a narrow place, and integration by
parts gives sums over steps t that are the same for all rows, with u = (t − m)/√v:

    L = log ε + ∫ g'(t)·Φ(−u) dt                   probit with flipped labels: g' is 0 elsewhere
    L = ∫ g''(t)·√v·(u·Φ(u) + φ(u)) dt             logit: g'' is 0 elsewhere
"""

import math
from typing import NamedTuple

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Ints

# A fraction of labels is flipped at random, which keeps log p finite; GPflow's constant.
FLIPPED = 1e-3

# Beyond this, the normal density is less than rounding.
_REACH = math.sqrt(-2.0 * math.log(np.finfo(np.float64).eps))

# The derivative in v divides by √v. Variances below this change L by less than rounding.
_SMALLEST_VARIANCE = 1e-12

_ROOT_HALF = math.sqrt(0.5)
_PEAK = 1.0 / math.sqrt(2.0 * math.pi)


class Rules(NamedTuple):
    """How to take expectations for one link.

    Rule k has the nodes and shares from ``starts[k]`` to ``starts[k + 1]``, and serves variances up
    to ``limits[k]``. Beyond all of them there are steps t, with heights g'(t)·dt or −g''(t)·dt, and
    the sums of heights, and of heights times t, before each step.
    """

    is_probit: bool
    nodes: Floats
    shares: Floats
    starts: Ints
    limits: Floats
    steps: Floats
    heights: Floats
    sums: Floats
    moments: Floats


@compiled
def find_rule(variance: float, limits: Floats) -> int:
    """The first rule that serves a variance; beyond all limits, the number of rules."""
    rule = 0
    while rule < limits.shape[0] and variance > limits[rule]:
        rule += 1
    return rule


@compiled
def log_probability(f: float, is_probit: bool) -> tuple[float, float]:
    """g(f) and g'(f) of a correct label."""
    if is_probit:
        p = FLIPPED + (0.5 - FLIPPED) * math.erfc(-_ROOT_HALF * f)
        return math.log(p), (1.0 - 2.0 * FLIPPED) * _PEAK * math.exp(-0.5 * f * f) / p
    small = math.exp(-abs(f))
    wrong = (small if f > 0.0 else 1.0) / (1.0 + small)
    return min(f, 0.0) - math.log1p(small), wrong


@compiled
def expect(
    mean: Floats,
    variance: Floats,
    sign: Floats,
    weight: Floats,
    rules: Rules,
    slope: Floats,
    curvature: Floats,
) -> float:
    """Σ weight·L for labels y = ±1 in ``sign``.

    Fills ``slope`` with weight·∂L/∂m and ``curvature`` with −2·weight·∂L/∂v.
    """
    is_probit, nodes, shares, starts, limits, steps, heights, sums, moments = rules
    n_steps, width = steps.shape[0], steps[1] - steps[0]
    total = 0.0
    for i in range(mean.shape[0]):
        margin = sign[i] * mean[i]
        deviation = math.sqrt(max(variance[i], _SMALLEST_VARIANCE))
        rule = find_rule(variance[i], limits)
        level, rise, bend = 0.0, 0.0, 0.0
        if rule < limits.shape[0]:
            for k in range(starts[rule], starts[rule + 1]):
                log_p, derivative = log_probability(margin + deviation * nodes[k], is_probit)
                level += shares[k] * log_p
                rise += shares[k] * derivative
                bend += shares[k] * derivative * nodes[k]
            bend /= deviation
        else:
            # Rounded after they are limited, as they may be beyond whole numbers.
            lowest = (margin - _REACH * deviation - steps[0]) / width
            highest = (margin + _REACH * deviation - steps[0]) / width
            first = math.ceil(min(max(lowest, 0.0), float(n_steps)))
            last = math.ceil(min(max(highest, 0.0), float(n_steps)))
            if is_probit:
                level = math.log(FLIPPED) + sums[first]
            else:
                rise = sums[n_steps] - sums[last]
                level = margin * rise - (moments[n_steps] - moments[last])
            for k in range(first, last):
                u = (steps[k] - margin) / deviation
                density = heights[k] * _PEAK * math.exp(-0.5 * u * u) / deviation
                if is_probit:
                    level += heights[k] * 0.5 * math.erfc(_ROOT_HALF * u)
                    rise += density
                    bend += density * u / deviation
                else:
                    share = heights[k] * 0.5 * math.erfc(-_ROOT_HALF * u)
                    level -= share * (steps[k] - margin) + density * deviation * deviation
                    rise += share
                    bend -= density
        total += weight[i] * level
        slope[i] = weight[i] * sign[i] * rise
        curvature[i] = -weight[i] * bend
    return total


@compiled
def mean_logistic(mean: float, variance: float, rules: Rules) -> float:
    """E[1/(1 + exp(−f))] for f ~ N(mean, variance)."""
    _, nodes, shares, starts, limits, steps, heights, _, _ = rules
    deviation = math.sqrt(variance)
    rule = find_rule(variance, limits)
    total = 0.0
    if rule < limits.shape[0]:
        for k in range(starts[rule], starts[rule + 1]):
            total += shares[k] * log_probability(-mean - deviation * nodes[k], False)[1]
        return total
    for k in range(steps.shape[0]):
        total += heights[k] * 0.5 * math.erfc(_ROOT_HALF * (steps[k] - mean) / deviation)
    return total


@compiled
def average_logit(mean: Floats, variance: Floats, rules: Rules, log_odds: Floats) -> None:
    """The log-odds of E[1/(1 + exp(−f))], to full precision where it is nearly 0 or 1.

    The smaller tail, that of a mean m ≤ 0, is exp(m + v/2)·E[1/(1 + exp(f))] with f ~ N(m + v, v).
    If m + v < 0, that expectation is above ½; if not, the tail itself is a sum near 0.
    """
    for i in range(mean.shape[0]):
        m, v = -abs(mean[i]), variance[i]
        if m + v < 0.0:
            tail = m + 0.5 * v + math.log(mean_logistic(-m - v, v, rules))
        else:
            tail = math.log(max(mean_logistic(m, v, rules), 1e-300))
        odds = tail - math.log1p(-min(math.exp(tail), 0.5))
        # A mean of 0 has even odds, which rounding might miss.
        log_odds[i] = -np.sign(mean[i]) * odds
