"""Rules for E[g(z)], z standard normal, from 3 nodes to 2,048: the wider g varies, the more.

An expectation under N(m, v) of a smooth log-likelihood is to be right to about 1e-11 whatever v
is, so that the bound has no steps where one rule takes over from the next. Gauss–Hermite rules
do that with very few nodes while v is small, and grow slowly. The trapezoidal rule, on an
integrand that is analytic in a strip, needs a number in proportion to √v: its error is about
exp(π²/2v − 2π²/(h√v)) with nodes h apart, where the poles of the logistic function are ±πi.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, roots_hermitenorm

from rankcut._loops.likelihoods import FLIPPED, REACH

# (number of nodes, the largest variance it is good for)
_GAUSS_HERMITE = [(3, 2e-5), (5, 5e-4), (8, 5e-3), (14, 2.5e-2)]
_TRAPEZOIDAL = [
    (22, 0.2),
    (32, 0.9),
    (48, 2.5),
    (96, 12.0),
    (210, 60.0),
    (420, 250.0),
    (2048, np.inf),
]
_TRAPEZOIDAL_PROBIT = [(32, 0.08)]

# The steps of log p(y | f) for probit: it is flat beyond ±9, and its nearest singularities, where
# the probability is 0, are about ±i away from the real line.
_STEPS = np.linspace(-9.0, 9.0, 121)


class Rules(NamedTuple):
    """Rule k: the nodes and shares from starts[k] to starts[k + 1], for variances ≤ limits[k]."""

    nodes: NDArray[np.float64]
    shares: NDArray[np.float64]
    starts: NDArray[np.int32]
    limits: NDArray[np.float64]

    @classmethod
    def of(cls, trapezoidal: list[tuple[int, float]]) -> "Rules":
        """Gauss–Hermite rules, then these trapezoidal ones."""
        rules = [roots_hermitenorm(size) for size, _ in _GAUSS_HERMITE]
        for size, _ in trapezoidal:
            nodes = np.linspace(-REACH, REACH, size)
            rules.append((nodes, np.exp(-0.5 * nodes**2)))
        return cls(
            nodes=np.concatenate([nodes for nodes, _ in rules]),
            shares=np.concatenate([shares / shares.sum() for _, shares in rules]),
            starts=np.cumsum([0, *(len(nodes) for nodes, _ in rules)]).astype(np.int32),
            limits=np.array([limit for _, limit in _GAUSS_HERMITE + trapezoidal]),
        )


class ProbitRules(NamedTuple):
    """Rules for small variances; for all others, steps t and g'(t)·dt, g = log p(y = 1 | f)."""

    nodes: NDArray[np.float64]
    shares: NDArray[np.float64]
    starts: NDArray[np.int32]
    limits: NDArray[np.float64]
    steps: NDArray[np.float64]
    heights: NDArray[np.float64]


@cache
def logit_rules() -> Rules:
    """Rules for all variances."""
    return Rules.of(_TRAPEZOIDAL)


@cache
def probit_rules() -> ProbitRules:
    """Rules and steps for all variances."""
    kept = 1.0 - 2.0 * FLIPPED
    density = kept * np.exp(-0.5 * _STEPS**2) / np.sqrt(2.0 * np.pi)
    heights = (_STEPS[1] - _STEPS[0]) * density / (FLIPPED + kept * ndtr(_STEPS))
    return ProbitRules(*Rules.of(_TRAPEZOIDAL_PROBIT), _STEPS, heights)
