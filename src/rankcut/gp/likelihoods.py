"""Links between the latent function and the labels: p(y | f), its expectations and averages.

For y = ±1:

- probit: p(y | f) = ε + (1 − 2ε)·Φ(y·f), ε = 0.001, as in GPflow. One label in a thousand is
  assumed to be flipped, so no observation is impossible. Where f is far on the wrong side, log p
  is flat, so it is not concave.
- logit: p(y | f) = 1/(1 + exp(−y·f)).

Expected log-likelihoods under N(m, v) are accurate to about 1e-11 for every v, so the bound has no
visible steps where one rule takes over from the next.
"""

from abc import ABC, abstractmethod
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, ndtr, roots_hermitenorm

from rankcut._loops.likelihoods import FLIPPED, Rules, average_logit, expect
from rankcut._loops.types import Floats

Link: TypeAlias = Literal["probit", "logit"]

# Gauss–Hermite rules: the number of nodes, and the largest variance for which they are accurate to
# 1e-11 if log p has its nearest singularity at a distance of 1 from the real line.
_RULES = {4: 2e-4, 8: 8e-3, 14: 3e-2, 32: 0.12}

# For larger variances, steps over all of the real line where log p is neither flat nor straight.
_STEPS = np.linspace(-10.0, 10.0, 141)


class Expectations(NamedTuple):
    """Σ weight·L over rows, L = E[log p(y | f)] with f ~ N(m, v), and its derivatives by row."""

    total: float
    slope: Floats  #: weight·∂L/∂m
    curvature: Floats  #: −2·weight·∂L/∂v


class Likelihood(ABC):
    """A link, as the solvers and the predictions use it."""

    link: Link

    def expect(self, mean: Floats, variance: Floats, sign: Floats, weight: Floats) -> Expectations:
        """Expected log-likelihoods of labels ±1 in ``sign``, f ~ N(mean, variance)."""
        slope, curvature = np.empty_like(mean), np.empty_like(mean)
        total = expect(mean, variance, sign, weight, rules_of(self.link), slope, curvature)
        return Expectations(total, slope, curvature)

    @abstractmethod
    def score(self, mean: Floats, variance: Floats) -> Floats:
        """The score whose :meth:`probability` is p(y = 1) averaged over f."""

    @abstractmethod
    def probability(self, score: Floats) -> Floats:
        """p(y = 1 | f = score)."""


@cache
def rules_of(link: Link) -> Rules:
    """How to take expectations of log p(y | f).

    The singularities of log p are where the probability is 0: at a distance of about 1 from the
    real line for probit, at ±πi for logit.
    """
    distance = 1.0 if link == "probit" else np.pi
    rules = [roots_hermitenorm(size) for size in _RULES]
    steps = distance * _STEPS
    if link == "probit":
        density = (1.0 - 2.0 * FLIPPED) * np.exp(-0.5 * steps**2) / np.sqrt(2.0 * np.pi)
        heights = density / Probit().probability(steps)
    else:
        heights = expit(steps) * expit(-steps)
    heights *= steps[1] - steps[0]
    return Rules(
        is_probit=link == "probit",
        nodes=np.concatenate([nodes for nodes, _ in rules]),
        shares=np.concatenate([shares / shares.sum() for _, shares in rules]),
        starts=np.cumsum([0, *_RULES]).astype(np.int32),
        limits=np.array(list(_RULES.values())) * distance**2,
        steps=steps,
        heights=heights,
        sums=np.append(0.0, np.cumsum(heights)),
        moments=np.append(0.0, np.cumsum(heights * steps)),
    )


class Probit(Likelihood):
    """p(y | f) = ε + (1 − 2ε)·Φ(y·f). Its average over f ~ N(m, v) is that at f = m/√(1 + v)."""

    link = "probit"

    def score(self, mean: Floats, variance: Floats) -> Floats:
        """m/√(1 + v)."""
        return mean / np.sqrt(1.0 + variance)

    def probability(self, score: Floats) -> Floats:
        """ε + (1 − 2ε)·Φ(score)."""
        return np.asarray(FLIPPED + (1.0 - 2.0 * FLIPPED) * ndtr(score))


class Logit(Likelihood):
    """p(y | f) = 1/(1 + exp(−y·f)). Its average over f ~ N(m, v) is a sum."""

    link = "logit"

    def score(self, mean: Floats, variance: Floats) -> Floats:
        """The log-odds of the averaged probability."""
        log_odds = np.empty_like(mean)
        average_logit(mean, variance, rules_of("logit"), log_odds)
        return log_odds

    def probability(self, score: Floats) -> Floats:
        """1/(1 + exp(−score))."""
        return np.asarray(expit(score))


LIKELIHOODS: dict[str, Likelihood] = {"probit": Probit(), "logit": Logit()}
