"""Gaussians over weights: the prior, the prior times Gaussian sites, and labels given a Gaussian.

The latent function is f = ⟨w, φ⟩ + b with w ~ N(0, σ² I) and b ~ N(0, c²). The parameters of the
prior are kept as logarithms: log σ² and log c². The posterior is

    q(w) ∝ N(w; 0, diag(τ)⁻¹)·exp(⟨r, w⟩ − ½⟨w, S w⟩) = N(μ, Σ), Σ⁻¹ = diag(τ) + S, μ = Σ r.

Every maximum of the bound has this form. Labels y = ±1 have the probit likelihood, as in GPflow:

    p(y | f) = ε + (1 − 2ε)·Φ(y·f), ε = 0.001.

One label in a thousand is assumed to be flipped, so no observation is impossible. Where f is far on
the wrong side, log p is flat, so it is not concave.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.special import ndtr, roots_hermitenorm

from rankcut._loops.likelihoods import FLIPPED, Rules
from rankcut._loops.likelihoods import expect as add_expectations
from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.parameters import LARGEST
from rankcut.saved_arrays import Saved

# Learned variances stay in this range, in units of the latent function's variance. Below it, a
# term has no effect. Above it, the function is a step; on separable data the bound still creeps up.
RANGE = (1e-8, 1e4)

# Gauss–Hermite rules: the number of nodes, and the largest variance for which they are accurate to
# 1e-11, as log p has its nearest singularity at a distance of about 1 from the real line.
_RULES = {4: 2e-4, 8: 8e-3, 14: 3e-2, 32: 0.12}

# For larger variances, steps over all of the real line where log p is not flat.
_STEPS = np.linspace(-10.0, 10.0, 141)


@dataclass(frozen=True, eq=False)
class WeightPrior:
    """The parameters of the prior: which are learned, their starting values and bounds."""

    kernel_variance: float | None  #: σ²; None learns it
    constant_variance: float | None  #: c²; None learns it, 0 leaves b out
    scale: float  #: the mean of k(x, x) = ‖φ‖²; σ² starts at 1/scale, so that f has variance 1

    @property
    def has_constant(self) -> bool:
        """Whether there is a constant term b."""
        return self.constant_variance is None or self.constant_variance > 0

    def start(self) -> Floats:
        """The parameters to start from."""
        parameters = [-np.log(self.scale)]
        if self.kernel_variance is not None:
            parameters = [self._given_variance(self.kernel_variance)]
        if self.has_constant:
            parameters.append(
                np.log(1.0 if self.constant_variance is None else self.constant_variance)
            )
        return np.array(parameters)

    def _given_variance(self, variance: float) -> float:
        """Log σ², from the σ² that the user gave."""
        if variance * self.scale > LARGEST:
            raise InputError(
                f"is {variance:g}, too large for features of this size",
                parameter="kernel_variance",
                remedy="scale the features, or leave it at None to learn it",
            )
        # A term of less has no effect, and powers of its precision may overflow.
        return float(np.log(max(variance, 1.0 / (LARGEST * self.scale))))

    def variances(self, parameters: Floats) -> tuple[float, float]:
        """σ² and c²."""
        constant = float(np.exp(parameters[1])) if self.has_constant else 0.0
        return float(np.exp(parameters[0])), constant

    def without_constant(self) -> "WeightPrior":
        """The nested model c² = 0."""
        return replace(self, constant_variance=0.0)

    def bounds(self) -> Floats:
        """Smallest and largest value of each parameter; equal if the parameter is fixed."""
        bounds = np.column_stack([self.start(), self.start()])
        if self.kernel_variance is None:
            bounds[0] = np.log(RANGE) - np.log(self.scale)
        if self.constant_variance is None:
            bounds[1] = np.log(RANGE)
        return bounds

    def precision(self, parameters: Floats, n: int) -> Floats:
        """The n precisions: 1/σ² for each weight, then 1/c² if there is a constant term."""
        tau = np.full(n, np.exp(-parameters[0]))
        if self.has_constant:
            tau[-1] = np.exp(-parameters[1])
        return tau

    def gradient(self, parameters: Floats, second_moments: Floats) -> Floats:
        """−∂KL(q ‖ prior)/∂(log σ², log c²), from the moments E[w_j²] under q."""
        excess = 0.5 * (self.precision(parameters, len(second_moments)) * second_moments - 1.0)
        if self.has_constant:
            return np.array([excess[:-1].sum(), excess[-1]])
        return np.array([excess.sum()])


@dataclass(frozen=True, eq=False)
class Gaussian:
    """N(μ, C Cᵀ), and its divergence from the prior."""

    mean: Annotated[Floats, Saved("weights")]  #: μ
    factor: Annotated[Floats, Saved("weights", "weights")]  #: C, upper triangular
    divergence: float  #: KL(q ‖ prior)
    evidence: float  #: log ∫ N(w; 0, diag(τ)⁻¹)·exp(⟨r, w⟩ − ½⟨w, S w⟩) dw

    @classmethod
    def from_sites(cls, prior_precision: Floats, square: Floats, linear: Floats) -> "Gaussian":
        """The product of the prior and the sites S = ``square``, r = ``linear``.

        The sites need not be concave. Raises LinAlgError if they outweigh the prior.
        """
        n = len(linear)
        precision = square.copy()
        precision[np.diag_indices(n)] += prior_precision
        if not np.isfinite(precision).all():
            raise LinAlgError("the sites are not finite")
        lower = cholesky(precision, lower=True, overwrite_a=True, check_finite=False)
        whitened = solve_triangular(lower, linear, lower=True, check_finite=False)
        factor = solve_triangular(lower, np.eye(n), lower=True, check_finite=False).T
        mean = factor @ whitened
        log_ratio = 2.0 * np.log(np.diagonal(lower)).sum() - np.log(prior_precision).sum()
        second = mean**2 + (factor**2).sum(axis=1)
        return cls(
            mean=mean,
            factor=factor,
            divergence=0.5 * float(prior_precision @ second - n + log_ratio),
            evidence=0.5 * float(whitened @ whitened - log_ratio),
        )

    def with_no_constant(self) -> "Gaussian":
        """The Gaussian with a constant term of 0 added."""
        n = len(self.mean)
        factor = np.zeros((n + 1, n + 1))
        factor[:n, :n] = self.factor
        return replace(self, mean=np.append(self.mean, 0.0), factor=factor)

    def second_moments(self) -> Floats:
        """E[w_j²] for each j."""
        return np.asarray(self.mean**2 + (self.factor**2).sum(axis=1))

    def project(self, rows: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of ⟨w, φ⟩ for each row φ."""
        spread = rows @ self.factor
        return rows @ self.mean, np.einsum("ij,ij->i", spread, spread)


class Expectations(NamedTuple):
    """Σ weight·L over rows, L = E[log p(y | f)] with f ~ N(m, v), and its derivatives by row."""

    total: float
    slope: Floats  #: weight·∂L/∂m
    curvature: Floats  #: −2·weight·∂L/∂v


def expect(mean: Floats, variance: Floats, sign: Floats, weight: Floats) -> Expectations:
    """Expected log-likelihoods of labels ±1 in ``sign``, f ~ N(mean, variance).

    They are accurate to about 1e-11 for every variance, so the bound has no visible steps where one
    rule takes over from the next.
    """
    slope, curvature = np.empty_like(mean), np.empty_like(mean)
    total = add_expectations(mean, variance, sign, weight, rules(), slope, curvature)
    return Expectations(total, slope, curvature)


@cache
def rules() -> Rules:
    """How to take expectations of log p(y | f)."""
    rules = [roots_hermitenorm(size) for size in _RULES]
    density = (1.0 - 2.0 * FLIPPED) * np.exp(-0.5 * _STEPS**2) / np.sqrt(2.0 * np.pi)
    heights = density / probability(_STEPS) * (_STEPS[1] - _STEPS[0])
    return Rules(
        nodes=np.concatenate([nodes for nodes, _ in rules]),
        shares=np.concatenate([shares / shares.sum() for _, shares in rules]),
        starts=np.cumsum([0, *_RULES]).astype(np.int32),
        limits=np.array(list(_RULES.values())),
        steps=_STEPS,
        heights=heights,
        sums=np.append(0.0, np.cumsum(heights)),
    )


def probability(score: Floats) -> Floats:
    """p(y = 1 | f = score); averaged over f ~ N(m, v), it is that at m/√(1 + v)."""
    return np.asarray(FLIPPED + (1.0 - 2.0 * FLIPPED) * ndtr(score))
