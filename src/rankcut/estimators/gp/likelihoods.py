"""Links between the latent function and the labels: p(y | f), its expectations and averages.

For y = ±1:

- probit: p(y | f) = ε + (1 − 2ε)·Φ(y·f), ε = 0.001, as GPflow has it: one label in a thousand is
  taken to be flipped, so that no observation is impossible. Where f is far on the wrong side
  log p is flat, hence not concave;
- logit: p(y | f) = 1/(1 + exp(−y·f)).
"""

from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy.special import expit, ndtr

from rankcut._loops.likelihoods import FLIPPED, average_logit, expect_logit, expect_probit
from rankcut._loops.types import Floats
from rankcut.estimators.gp.quadrature import logit_rules, probit_rules

Link: TypeAlias = Literal["probit", "logit"]


class Expectations(NamedTuple):
    """Σ weight·L over rows, L = E[log p(y | f)] with f ~ N(m, v), and its derivatives by row."""

    total: float
    slope: Floats  #: weight·∂L/∂m
    curvature: Floats  #: −2·weight·∂L/∂v


class Likelihood(Protocol):
    """What the solvers and the predictions need to know of a link."""

    def expect(self, mean: Floats, variance: Floats, sign: Floats, weight: Floats) -> Expectations:
        """Expected log-likelihoods of labels ±1 in ``sign``, f ~ N(mean, variance)."""

    def score(self, mean: Floats, variance: Floats) -> Floats:
        """The score whose :meth:`probability` is that of label 1, averaged over f."""

    def probability(self, score: Floats) -> Floats:
        """p(y = 1 | f = score)."""


class Probit:
    """p(y | f) = ε + (1 − 2ε)·Φ(y·f); its average over f ~ N(m, v) has f = m/√(1 + v)."""

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
    """p(y | f) = 1/(1 + exp(−y·f)); its average over f ~ N(m, v) is by quadrature."""

    def expect(self, mean: Floats, variance: Floats, sign: Floats, weight: Floats) -> Expectations:
        """Expected log-likelihoods of labels ±1 in ``sign``, f ~ N(mean, variance)."""
        slope, curvature = np.empty_like(mean), np.empty_like(mean)
        total = expect_logit(mean, variance, sign, weight, *logit_rules(), slope, curvature)
        return Expectations(total, slope, curvature)

    def score(self, mean: Floats, variance: Floats) -> Floats:
        """The log-odds of the averaged probability."""
        log_odds = np.empty_like(mean)
        average_logit(mean, variance, *logit_rules(), log_odds)
        return log_odds

    def probability(self, score: Floats) -> Floats:
        """1/(1 + exp(−score))."""
        return np.asarray(expit(score))


LIKELIHOODS: dict[str, Likelihood] = {"probit": Probit(), "logit": Logit()}
