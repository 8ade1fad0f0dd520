"""Gaussian process regression over weights: y = ⟨w, φ⟩ + b + noise, exactly.

With w ~ N(0, σ² I), b ~ N(0, c²) and noise of variance τ², everything follows from the sums
Φᵀ Φ, Φᵀ y, Σ y² and the number of rows, with a column of ones in Φ for b. One pass over the rows,
in blocks of any number, finds them; the posterior and the evidence of (σ², c², τ²) need no row.

    Σ⁻¹ = diag(σ⁻², …, c⁻²) + Φᵀ Φ/τ²,   μ = Σ Φᵀ y/τ²
    log p(y) = −½ [N log 2πτ² + (Σ y² − ⟨Φᵀ y, μ⟩)/τ² + log |Σ⁻¹| + n log σ² + log c²]
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

from rankcut._loops.types import Floats
from rankcut.estimators.gp.weight_space import blocks, with_constant
from rankcut.threads import in_order

# Learned variances stay in this range, in units of the variance of y.
_RANGE = (1e-8, 1e6)

# A constant term of this variance is none.
_TINY = 1e-300

# Shares of the variance of y that the features may explain at the start; the best end counts.
_STARTS = (0.1, 0.9)


class Sums(NamedTuple):
    """What a block of rows, or all rows, say about the weights."""

    total: float  #: Σ weight
    square: Floats  #: Φᵀ Φ
    linear: Floats  #: Φᵀ y
    targets: float  #: Σ y²

    def plus(self, other: "Sums") -> "Sums":
        """The sums over both."""
        return Sums(
            self.total + other.total,
            self.square + other.square,
            self.linear + other.linear,
            self.targets + other.targets,
        )

    def shifted(self, level: float) -> "Sums":
        """The sums for y − level: the last column of Φ is constant, and so tells Σ φ."""
        ones = self.square[:, -1]
        return Sums(
            self.total,
            self.square,
            self.linear - level * ones,
            self.targets - 2.0 * level * float(self.linear[-1]) + level**2 * self.total,
        )


def sum_block(features: NDArray[np.floating], targets: Floats, weight: Floats | None) -> Sums:
    """The sums over a block of rows."""
    phi = with_constant(features, True)
    weighted = phi if weight is None else phi * weight[:, None]
    scaled = targets if weight is None else targets * weight
    total = float(len(targets)) if weight is None else float(weight.sum())
    return Sums(total, phi.T @ weighted, phi.T @ scaled, float(targets @ scaled))


def sum_rows(
    features: NDArray[np.floating], targets: Floats, weight: Floats | None, n_jobs: int | None
) -> Sums:
    """The sums over all rows, block by block: the same bits for any number of threads."""

    def contribution(block: slice) -> Sums:
        own = None if weight is None else weight[block]
        return sum_block(features[block], targets[block], own)

    return add_all(in_order(contribution, blocks(*features.shape), n_jobs))


def add_all(parts: Iterable[Sums]) -> Sums:
    """The sum of the parts, in order."""
    total: Sums | None = None
    for part in parts:
        total = part if total is None else total.plus(part)
    assert total is not None
    return total


@dataclass(frozen=True, eq=False)
class WeightPosterior:
    """The posterior of the weights and, last, the constant.

    Attributes
    ----------
    mean : ndarray of shape (n_weights,)
        μ.
    factor : ndarray of shape (n_weights, n_weights)
        C with Σ = C Cᵀ.
    kernel_variance, constant_variance, noise_variance : float
        σ², c² and τ².
    evidence : float
        log p(y).
    """

    mean: Floats
    factor: Floats
    kernel_variance: float
    constant_variance: float
    noise_variance: float
    evidence: float

    def project(self, features: NDArray[np.floating]) -> tuple[Floats, Floats]:
        """Mean and variance of f for each row."""
        phi = with_constant(features, True)
        spread = phi @ self.factor
        return phi @ self.mean, np.einsum("ij,ij->i", spread, spread)


def fit_sums(
    sums: Sums,
    kernel_variance: float | None,
    constant_variance: float | None,
    noise_variance: float | None,
) -> WeightPosterior:
    """The posterior at the variances that are given, or else maximise the evidence."""
    level = float(sums.linear[-1]) / sums.total
    centred = sums.shifted(level)
    spread = max(centred.targets, 0.0) / sums.total or level**2 or 1.0
    scale = float(np.trace(sums.square[:-1, :-1])) / sums.total or 1.0
    units = np.array([spread / scale, spread + level**2, spread])
    given = (kernel_variance, constant_variance, noise_variance)
    # With no constant term its variance is as small as can be, not 0.
    fixed = [
        None if value is None else float(np.log(value)) if value > 0 else float(np.log(_TINY))
        for value in given
    ]
    bounds = [
        (np.log(unit * _RANGE[0]), np.log(unit * _RANGE[1])) if value is None else (value, value)
        for unit, value in zip(units.tolist(), fixed, strict=True)
    ]

    def loss(parameters: Floats) -> tuple[float, Floats]:
        evidence, gradient = _evidence(sums, parameters)
        return -evidence / sums.total, -gradient / sums.total

    ends = []
    for share in _STARTS:
        start = np.log(units * np.array([share, 1.0, 1.0 - share]))
        start = np.clip(start, [low for low, _ in bounds], [high for _, high in bounds])
        found = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": 500, "ftol": 1e-15, "gtol": 1e-10},
        )
        ends.append(found)
        if None not in given:
            break
    best = min(ends, key=lambda end: float(end.fun)).x
    mean, factor, evidence, _ = _posterior(sums, best)
    kernel, constant, noise = (
        float(np.exp(value)) if own is None else float(own)
        for value, own in zip(best, given, strict=True)
    )
    return WeightPosterior(mean, factor, kernel, constant, noise, evidence)


def _posterior(sums: Sums, parameters: Floats) -> tuple[Floats, Floats, float, Floats]:
    """μ, the factor of Σ, the evidence, and the prior's precisions."""
    n = len(sums.linear)
    noise = np.exp(parameters[2])
    precision = np.full(n, np.exp(-parameters[0]))
    precision[-1] = np.exp(-parameters[1])
    # In units of the prior's deviations: 1 + G/τ² is well conditioned for tiny variances too.
    deviations = 1.0 / np.sqrt(precision)
    inner = sums.square * np.outer(deviations, deviations) / noise
    inner[np.diag_indices(n)] += 1.0
    lower = cholesky(inner, lower=True, check_finite=False)
    whitened = solve_triangular(lower, deviations * sums.linear / noise, lower=True)
    factor = deviations[:, None] * solve_triangular(lower, np.eye(n), lower=True).T
    mean = factor @ whitened
    residual = sums.targets - sums.linear @ mean
    evidence = -0.5 * float(
        sums.total * np.log(2.0 * np.pi * noise)
        + residual / noise
        + 2.0 * np.log(np.diagonal(lower)).sum()
    )
    return mean, factor, evidence, precision


def _evidence(sums: Sums, parameters: Floats) -> tuple[float, Floats]:
    """The evidence and its gradient in (log σ², log c², log τ²)."""
    mean, factor, evidence, precision = _posterior(sums, parameters)
    noise = np.exp(parameters[2])
    excess = 0.5 * (precision * (mean**2 + (factor**2).sum(axis=1)) - 1.0)
    residual = sums.targets - 2.0 * sums.linear @ mean + mean @ sums.square @ mean
    spread = np.einsum("ij,ij->", factor, sums.square @ factor)
    gradient = [excess[:-1].sum(), excess[-1], 0.5 * ((residual + spread) / noise - sums.total)]
    return evidence, np.array(gradient)
