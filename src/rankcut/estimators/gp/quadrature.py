"""Rules for E[g(z)], z standard normal, from 3 nodes to 2,048: the wider g varies, the more.

An expectation under N(m, v) of a smooth log-likelihood is to be right to about 1e-11 whatever v
is, so that the bound has no steps where one rule takes over from the next. Gauss–Hermite rules
do that with very few nodes while v is small. They grow slowly: with v = 4 it takes hundreds of
nodes to see the corner of a probit likelihood with flipped labels. The trapezoidal rule, on an
integrand that is analytic in a strip, needs a number in proportion to √v.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_hermitenorm

# (number of nodes, the largest variance it is good for)
_GAUSS_HERMITE = [(3, 2e-5), (5, 5e-4), (8, 5e-3), (14, 2.5e-2)]
_TRAPEZOIDAL = [
    (32, 0.08),
    (50, 0.25),
    (80, 0.9),
    (128, 2.5),
    (256, 12.0),
    (512, 60.0),
    (1024, 250.0),
    (2048, np.inf),
]

# The normal density beyond is less than rounding.
_REACH = 8.3


class Rules(NamedTuple):
    """Rule k: the nodes and shares from starts[k] to starts[k + 1], for variances ≤ limits[k]."""

    nodes: NDArray[np.float64]
    shares: NDArray[np.float64]
    starts: NDArray[np.int32]
    limits: NDArray[np.float64]


@cache
def normal_rules() -> Rules:
    """All rules, from small variances to large."""
    rules = [roots_hermitenorm(size) for size, _ in _GAUSS_HERMITE]
    for size, _ in _TRAPEZOIDAL:
        nodes = np.linspace(-_REACH, _REACH, size)
        rules.append((nodes, np.exp(-0.5 * nodes**2)))
    return Rules(
        nodes=np.concatenate([nodes for nodes, _ in rules]),
        shares=np.concatenate([shares / shares.sum() for _, shares in rules]),
        starts=np.cumsum([0, *(len(nodes) for nodes, _ in rules)]).astype(np.int32),
        limits=np.array([limit for _, limit in _GAUSS_HERMITE + _TRAPEZOIDAL]),
    )
