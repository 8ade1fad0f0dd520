"""The order of a list as evidence: u_1 > u_2 > … > u_k, u ~ N(μ, K), by expectation propagation.

Steps δ_a = u_a − u_{a+1} are normal, and each is known to be positive. One after the other, each
of these facts is replaced by the normal factor with precision τ and pull ν that gives the step
its right mean and variance, until nothing changes. Then E[u] = μ + K·w and Var[u] = K − K·H·K.
"""

import math

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Indices, Longs

# Sites are updated until means change by less than _CLOSE, in at most _SWEEPS sweeps.
_CLOSE, _SWEEPS = 1e-7, 50
# A site that says nothing has a precision near 0, which must not fall below it.
_LEAST_PRECISION = 1e-10
_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


@compiled
def log_chance(z: float) -> float:
    """Log Φ(z), even where Φ(z) is too small for a float."""
    if z > -5.0:
        return math.log(0.5 * math.erfc(-z * math.sqrt(0.5)))
    # Φ(z) = φ(z)/(x + 1/(x + 2/(x + 3/…))) with x = −z.
    tail = -z
    for term in range(30, 0, -1):
        tail = -z + term / tail
    return -0.5 * z * z - _LOG_ROOT_TWO_PI - math.log(tail)


@compiled
def order_of(scores: Floats) -> Longs:
    """Places of scores from the largest to the smallest; an empty array if two are equal."""
    order = np.argsort(-scores)
    for a in range(len(order) - 1):
        if scores[order[a]] == scores[order[a + 1]]:
            return order[:0]
    return order


@compiled
def solve_order(
    items: Indices,
    order: Longs,
    mean: Floats,
    covariance: Floats,
    noise: float,
    weights: Floats,
    taken: Floats,
) -> float:
    """Write w and H of a list with items from best to worst by ``order``; return log likelihood.

    K is the covariance plus the noise on its diagonal. NaN says that it did not converge.
    """
    k = len(items)
    n_steps = k - 1
    means = np.empty(n_steps)
    left = np.empty((n_steps, n_steps))
    for a in range(n_steps):
        one, other = items[order[a]], items[order[a + 1]]
        means[a] = mean[one] - mean[other]
        for b in range(n_steps):
            up, down = items[order[b]], items[order[b + 1]]
            left[a, b] = (covariance[one, up] - covariance[one, down]) - (
                covariance[other, up] - covariance[other, down]
            )
        left[a, a] += 2.0 * noise
        if a > 0:
            left[a, a - 1] -= noise
            left[a - 1, a] -= noise
    expected = means.copy()
    precisions = np.zeros(n_steps)
    pulls = np.zeros(n_steps)
    column = np.empty(n_steps)
    log_det = 0.0
    change = 1.0
    sweep = 0
    while change > _CLOSE and sweep < _SWEEPS:
        change = 0.0
        sweep += 1
        for a in range(n_steps):
            variance = left[a, a]
            cavity = 1.0 / variance - precisions[a]
            pull = expected[a] / variance - pulls[a]
            centre = pull / cavity
            size = math.sqrt(1.0 / cavity)
            z = centre / size
            hazard = math.exp(-0.5 * z * z - _LOG_ROOT_TWO_PI - log_chance(z))
            kept = max(1.0 - hazard * (z + hazard), 1e-6)
            tau = max(cavity / kept - cavity, _LEAST_PRECISION)
            nu = (centre + size * hazard) * (cavity + tau) - pull
            more, push = tau - precisions[a], nu - pulls[a]
            precisions[a] = tau
            pulls[a] = nu
            change = max(change, abs(more) / (cavity + tau))
            scale = 1.0 / (1.0 + more * variance)
            log_det += math.log(1.0 + more * variance)
            shift = scale * (push - more * expected[a])
            for b in range(n_steps):
                column[b] = left[b, a]
            for b in range(n_steps):
                expected[b] += shift * column[b]
                weight = scale * more * column[b]
                row = left[b]
                for c in range(n_steps):
                    row[c] -= weight * column[c]
    likelihood = -0.5 * log_det
    weights[:k] = 0.0
    taken[:k, :k] = 0.0
    for a in range(n_steps):
        if not expected[a] > 0.0:
            return math.nan
        tau, nu = precisions[a], pulls[a]
        cavity = 1.0 / left[a, a] - tau
        centre = (expected[a] / left[a, a] - nu) / cavity
        gap = nu - tau * centre
        weight = nu - tau * expected[a]
        likelihood += log_chance(centre * math.sqrt(cavity)) + 0.5 * math.log(1.0 + tau / cavity)
        likelihood += 0.5 * gap * gap / (tau * (1.0 + tau / cavity))
        likelihood -= 0.5 * weight * (nu / tau - means[a])
        one, other = order[a], order[a + 1]
        weights[one] += weight
        weights[other] -= weight
        for b in range(n_steps):
            value = -tau * left[a, b] * precisions[b]
            if a == b:
                value += tau
            up, down = order[b], order[b + 1]
            taken[one, up] += value
            taken[one, down] -= value
            taken[other, up] -= value
            taken[other, down] += value
    return likelihood
