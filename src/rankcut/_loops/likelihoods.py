"""Expected log-likelihoods under Gaussians, and their derivatives, for each row.

With f ~ N(m, v) and g(f) = log p(y | f), L = E[g(f)] and its derivatives are sums over the nodes of
a Gauss–Hermite rule if v is small. If v is large, g changes in a narrow place, and integration by
parts gives sums over steps t that are the same for all rows, with u = (t − m)/√v:

    L = log ε + ∫ g'(t)·Φ(−u) dt
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

_ROOT_HALF = math.sqrt(0.5)
_PEAK = 1.0 / math.sqrt(2.0 * math.pi)


class Rules(NamedTuple):
    """How to take expectations.

    Rule k has the nodes and shares from ``starts[k]`` to ``starts[k + 1]``, and serves variances up
    to ``limits[k]``. Beyond all of them there are steps t, with heights g'(t)·dt, and the sum of
    the heights before each step.
    """

    nodes: Floats
    shares: Floats
    starts: Ints
    limits: Floats
    steps: Floats
    heights: Floats
    sums: Floats


@compiled
def log_probability(f: float) -> tuple[float, float]:
    """g(f) and g'(f) of a correct label."""
    p = FLIPPED + (0.5 - FLIPPED) * math.erfc(-_ROOT_HALF * f)
    return math.log(p), (1.0 - 2.0 * FLIPPED) * _PEAK * math.exp(-0.5 * f * f) / p


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
    nodes, shares, starts, limits, steps, heights, sums = rules
    n_steps, width = steps.shape[0], steps[1] - steps[0]
    total = 0.0
    for i in range(mean.shape[0]):
        margin = sign[i] * mean[i]
        # The derivative in v divides by √v; smaller variances change L by less than rounding.
        deviation = math.sqrt(max(variance[i], 1e-12))
        rule = 0
        while rule < limits.shape[0] and variance[i] > limits[rule]:
            rule += 1
        level, rise, bend = 0.0, 0.0, 0.0
        if rule < limits.shape[0]:
            for k in range(starts[rule], starts[rule + 1]):
                log_p, derivative = log_probability(margin + deviation * nodes[k])
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
            level = math.log(FLIPPED) + sums[first]
            for k in range(first, last):
                u = (steps[k] - margin) / deviation
                density = heights[k] * _PEAK * math.exp(-0.5 * u * u) / deviation
                level += heights[k] * 0.5 * math.erfc(_ROOT_HALF * u)
                rise += density
                bend += density * u / deviation
        total += weight[i] * level
        slope[i] = weight[i] * sign[i] * rise
        curvature[i] = -weight[i] * bend
    return total
