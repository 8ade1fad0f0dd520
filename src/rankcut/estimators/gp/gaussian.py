"""A Gaussian over weights: a diagonal prior times Gaussian sites.

q(w) ∝ N(w; 0, diag(τ)⁻¹)·exp(⟨r, w⟩ − ½⟨w, S w⟩) = N(μ, Σ), Σ⁻¹ = diag(τ) + S, μ = Σ r. It is the
form that every maximum of the bound has, in weight space and in function space.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from rankcut._loops.types import Floats


@dataclass(frozen=True, eq=False)
class Gaussian:
    """N(μ, C Cᵀ), and how it compares with its prior.

    Attributes
    ----------
    mean : ndarray of shape (n,)
        μ.
    factor : ndarray of shape (n, n)
        C, upper triangular.
    divergence : float
        KL(q ‖ prior).
    evidence : float
        log ∫ N(w; 0, diag(τ)⁻¹)·exp(⟨r, w⟩ − ½⟨w, S w⟩) dw.
    """

    mean: Floats
    factor: Floats
    divergence: float
    evidence: float

    @classmethod
    def from_sites(cls, prior_precision: Floats, square: Floats, linear: Floats) -> "Gaussian":
        """The product of the prior and the sites S = ``square``, r = ``linear``.

        Raises LinAlgError if the sites, which need not be concave, outweigh the prior.
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

    def second_moments(self) -> Floats:
        """E[w_j²] for each j."""
        return np.asarray(self.mean**2 + (self.factor**2).sum(axis=1))

    def project(self, rows: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of ⟨w, φ⟩ for each row φ."""
        spread = rows @ self.factor
        return rows @ self.mean, np.einsum("ij,ij->i", spread, spread)
