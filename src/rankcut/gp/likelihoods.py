"""Links between the latent function and the labels: p(y | f), its expectations and averages.

For y = ±1:

- probit: p(y | f) = ε + (1 − 2ε)·Φ(y·f), ε = 0.001, as in GPflow. One label in a thousand is
  assumed to be flipped, so no observation is impossible. Where f is far on the wrong side, log p
  is flat, so it is not concave.
- logit: p(y | f) = 1/(1 + exp(−y·f)).

Expected log-likelihoods under N(m, v) are accurate to about 1e-11 for every v, so the bound has
no visible steps where one rule takes over from the next. For the smallest v they are a series, and
for small v Gauss–Hermite rules need few nodes. For larger v, the trapezoidal rule needs a number of
nodes proportional to √v, because the integrand is analytic in a strip: with nodes h apart, the
error is about exp(π²/2v − 2π²/(h√v)), from the poles ±πi of the logistic function. For logit and
the largest v they are a closed form and a few terms.
"""

from functools import cache
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy.special import expit, ndtr, roots_hermitenorm

from rankcut._loops.likelihoods import (
    FLIPPED,
    REACH,
    Rules,
    average_logit,
    expect_logit,
    expect_probit,
)
from rankcut._loops.types import Floats

Link: TypeAlias = Literal["probit", "logit"]


# (number of nodes, largest variance it serves)
_GAUSS_HERMITE = [(8, 5e-3), (14, 2.5e-2)]
_TRAPEZOIDAL = [
    (22, 0.2),
    (32, 0.9),
    (48, 2.5),
    (96, 12.0),
    (210, 60.0),
    (420, 250.0),
    (2048, np.inf),
]
# The probit link is smoother than the logit: fewer nodes serve small variances.
_TRAPEZOIDAL_PROBIT = [(32, 0.08)]

# Where log p(y | f) is tabulated for probit: it is flat beyond ±9. Its nearest singularities,
# where the probability is 0, are at a distance of about 1 from the real line.
_STEPS = np.linspace(-9.0, 9.0, 121)


class Expectations(NamedTuple):
    """Σ weight·L over rows, L = E[log p(y | f)] with f ~ N(m, v), and its derivatives by row."""

    total: float
    slope: Floats  #: weight·∂L/∂m
    curvature: Floats  #: −2·weight·∂L/∂v


class Likelihood(Protocol):
    """A link, as the solvers and the predictions use it."""

    def expect(self, mean: Floats, variance: Floats, sign: Floats, weight: Floats) -> Expectations:
        """Expected log-likelihoods of labels ±1 in ``sign``, f ~ N(mean, variance)."""

    def score(self, mean: Floats, variance: Floats) -> Floats:
        """The score whose :meth:`probability` is p(y = 1) averaged over f."""

    def probability(self, score: Floats) -> Floats:
        """p(y = 1 | f = score)."""


def rules_of(trapezoidal: list[tuple[int, float]]) -> Rules:
    """Gauss–Hermite rules, then these trapezoidal ones."""
    rules = [roots_hermitenorm(size) for size, _ in _GAUSS_HERMITE]
    for size, _ in trapezoidal:
        nodes = np.linspace(-REACH, REACH, size)
        rules.append((nodes, np.exp(-0.5 * nodes**2)))
    return Rules(
        nodes=np.concatenate([nodes for nodes, _ in rules]),
        shares=np.concatenate([shares / shares.sum() for _, shares in rules]),
        starts=np.cumsum([0, *(len(nodes) for nodes, _ in rules)]).astype(np.int32),
        limits=np.array([limit for _, limit in _GAUSS_HERMITE + trapezoidal]),
    )


@cache
def logit_rules() -> Rules:
    """Rules for all variances."""
    return rules_of(_TRAPEZOIDAL)


@cache
def probit_rules() -> tuple[Rules, Floats, Floats]:
    """Rules for small variances; for others, steps t and g'(t)·dt with g = log p(y = 1 | f)."""
    kept = 1.0 - 2.0 * FLIPPED
    density = kept * np.exp(-0.5 * _STEPS**2) / np.sqrt(2.0 * np.pi)
    heights = (_STEPS[1] - _STEPS[0]) * density / (FLIPPED + kept * ndtr(_STEPS))
    return rules_of(_TRAPEZOIDAL_PROBIT), _STEPS, heights


class Probit:
    """p(y | f) = ε + (1 − 2ε)·Φ(y·f). Its average over f ~ N(m, v) is that at f = m/√(1 + v)."""

    def expect(self, mean: Floats, variance: Floats, sign: Floats, weight: Floats) -> Expectations:
        """Expected log-likelihoods of labels ±1 in ``sign``, f ~ N(mean, variance)."""
        slope, curvature = np.empty_like(mean), np.empty_like(mean)
        total = expect_probit(mean, variance, sign, weight, *probit_rules(), slope, curvature)
        return Expectations(total, slope, curvature)

    def score(self, mean: Floats, variance: Floats) -> Floats:
        """m/√(1 + v)."""
        return mean / np.sqrt(1.0 + variance)

    def probability(self, score: Floats) -> Floats:
        """ε + (1 − 2ε)·Φ(score)."""
        return np.asarray(FLIPPED + (1.0 - 2.0 * FLIPPED) * ndtr(score))


class Logit:
    """p(y | f) = 1/(1 + exp(−y·f)). Its average over f ~ N(m, v) is computed by quadrature."""

    def expect(self, mean: Floats, variance: Floats, sign: Floats, weight: Floats) -> Expectations:
        """Expected log-likelihoods of labels ±1 in ``sign``, f ~ N(mean, variance)."""
        slope, curvature = np.empty_like(mean), np.empty_like(mean)
        total = expect_logit(mean, variance, sign, weight, logit_rules(), slope, curvature)
        return Expectations(total, slope, curvature)

    def score(self, mean: Floats, variance: Floats) -> Floats:
        """The log-odds of the averaged probability."""
        log_odds = np.empty_like(mean)
        average_logit(mean, variance, logit_rules(), log_odds)
        return log_odds

    def probability(self, score: Floats) -> Floats:
        """1/(1 + exp(−score))."""
        return np.asarray(expit(score))


LIKELIHOODS: dict[str, Likelihood] = {"probit": Probit(), "logit": Logit()}
