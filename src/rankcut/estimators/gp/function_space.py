"""The bound over function values, for kernels without a small feature map.

q(f) at the m rows is the prior times a site for each row: 2m variational parameters, which is all
that a maximum has (Opper & Archambeau 2009). A step costs O(m·r²), r the rank of the Gram matrix.
"""

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats
from rankcut.estimators.gp.ascent import Sites, State
from rankcut.estimators.gp.gaussian import Gaussian
from rankcut.estimators.gp.gram import KernelRows
from rankcut.estimators.gp.likelihoods import Likelihood
from rankcut.estimators.gp.prior import Prior
from rankcut.estimators.gp.weight_space import with_constant


class FunctionSpace:
    """ELBO(q(f), θ) with θ = (log σ², log c², the kernel's own parameters)."""

    def __init__(
        self,
        rows: KernelRows,
        positive: NDArray[np.bool_],
        weight: Floats | None,
        likelihood: Likelihood,
        prior: Prior,
    ) -> None:
        self.rows = rows
        self.sign = np.where(positive, 1.0, -1.0)
        self.weight = np.ones(len(positive)) if weight is None else weight
        self.likelihood = likelihood
        self.prior = prior

    def start(self) -> State:
        """The prior alone."""
        nothing = np.zeros(len(self.sign))
        return self.evaluate(Sites(nothing, nothing), self.prior.start())

    def evaluate(self, sites: Sites, parameters: Floats) -> State:
        """The bound at the q of these sites."""
        features = self._features(parameters)
        posterior = self._posterior(features, sites, parameters)
        mean, variance = posterior.project(features)
        expected, slope, curvature = self.likelihood.expect(mean, variance, self.sign, self.weight)
        target = Sites(curvature, slope + curvature * mean)
        logarithms = target.linear @ mean - 0.5 * target.square @ (variance + mean**2)
        model = float(logarithms) - posterior.divergence
        elbo = expected - posterior.divergence
        # A site matters if it is large beside the precision of its function value.
        precision = 1.0 / np.maximum(variance, np.finfo(float).tiny)
        unit = Sites(precision, np.sqrt(precision))
        return State(sites, parameters, posterior, elbo, target, model, unit)

    def evidence(self, sites: Sites, parameters: Floats) -> tuple[float, Floats]:
        """The evidence of the sites, and its gradient by θ.

        By a parameter of the kernel it is ½·tr((α αᵀ − A)·σ² ∂K/∂θ), with A the inverse of
        σ²·K + c² + D⁻¹ and α = A D⁻¹ r.
        """
        features = self._features(parameters)
        posterior = self._posterior(features, sites, parameters)
        gradient = self.prior.gradient(parameters, posterior.second_moments())
        own = self.rows.factor(parameters[self.prior.n_own :])[1]
        if own is not None:
            alpha = sites.linear - sites.square * (features @ posterior.mean)
            spread = sites.square[:, None] * (features @ posterior.factor)
            outer = np.outer(alpha, alpha) + spread @ spread.T
            outer[np.diag_indices(len(alpha))] -= sites.square
            by_kernel = 0.5 * np.exp(parameters[0]) * np.einsum("ij,ijk->k", outer, own)
            gradient = np.concatenate([gradient, by_kernel])
        return posterior.evidence, gradient

    def bounds(self) -> Floats:
        """Least and greatest value of each parameter."""
        return self.prior.bounds()

    def _features(self, parameters: Floats) -> Floats:
        factor, _ = self.rows.factor(parameters[self.prior.n_own :])
        return with_constant(factor.rows, self.prior.has_constant)

    def _posterior(self, features: Floats, sites: Sites, parameters: Floats) -> Gaussian:
        square = features.T @ (features * sites.square[:, None])
        precision = self.prior.precision(parameters, features.shape[1])
        return Gaussian.from_sites(precision, square, features.T @ sites.linear)
