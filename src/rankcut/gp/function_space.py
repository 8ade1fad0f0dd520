"""The bound over function values, for kernels without a small feature map.

q(f) at the m rows is the prior times one site per row: 2m variational parameters, which are enough
for every maximum (Opper & Archambeau 2009). A step costs O(m·r²), where r is the rank of the Gram
matrix.

Pivoted Cholesky turns the Gram matrix into features, K = U Uᵀ, where U has r columns. Then f at
the rows of K is ⟨w, u⟩ + b, as in weight space. At a new point, u solves L u = k(pivots, x), and
k(x, x) − ‖u‖² is variance that the rows say nothing about.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, solve_triangular
from sklearn.gaussian_process.kernels import Kernel

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.estimators import take_rows
from rankcut.gp.ascent import Sites, State, rounding_of
from rankcut.gp.gaussian import Gaussian, WeightPrior
from rankcut.gp.likelihoods import Likelihood
from rankcut.gp.weight_space import with_constant
from rankcut.parameters import MOST_COMPARED, ROUNDING


@dataclass(frozen=True, eq=False)
class Factor:
    """K = U Uᵀ.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, rank)
        U.
    pivots : ndarray of shape (rank,)
        The rows of K that the others are combinations of.
    lower : ndarray of shape (rank, rank)
        L, the rows of U at the pivots.
    """

    rows: Floats
    pivots: NDArray[np.intp]
    lower: Floats

    @classmethod
    def of(cls, given: NDArray[np.floating]) -> "Factor":
        """Factorise a Gram matrix, or explain why it is not one."""
        gram = np.asarray(given, dtype=np.float64)
        # Numbers that were once in single precision have lost their last digits.
        single = given.dtype == np.float32 or np.array_equal(gram, gram.astype(np.float32))
        # Differences of K from U Uᵀ, or from its transpose, that count as rounding.
        rounding = float(np.sqrt(np.finfo(np.float32 if single else np.float64).eps))
        _check_gram(gram, rounding)
        size = len(gram)
        largest = float(np.diagonal(gram).max())
        # U is complete when the rest of the diagonal is rounding.
        packed, order, rank, _ = lapack.dpstrf(
            gram, tol=max(ROUNDING, 1e-4 * rounding) * largest, lower=1
        )
        lower = np.tril(packed)[:, :rank]
        order = order - 1
        rows = np.empty((size, rank))
        rows[order] = lower
        # Random signs reveal every entry of the remainder.
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(size, 2))
        if np.abs(gram @ signs - rows @ (rows.T @ signs)).max() > rounding * largest * size:
            raise InputError(
                "the kernel is not positive semi-definite, so it is not a covariance",
                remedy="add a multiple of the identity to its Gram matrix, or clip its negative "
                "eigenvalues",
            )
        return cls(rows, order[:rank], np.ascontiguousarray(lower[:rank]))

    def diagonal(self) -> Floats:
        """k(x, x) for each row."""
        return np.asarray(np.einsum("ij,ij->i", self.rows, self.rows))

    def features(self, cross: Floats) -> Floats:
        """U of new points from their rows k(x, ·) against all rows of K."""
        pivotal = np.ascontiguousarray(cross[:, self.pivots].T)
        return np.ascontiguousarray(solve_triangular(self.lower, pivotal, lower=True).T)


def _divided(values: NDArray[Any], exponent: int) -> NDArray[np.floating]:
    """Values over 2**exponent; single precision is kept if the power of 2 allows it."""
    floats = values if values.dtype.kind == "f" else values.astype(np.float64)
    if exponent == 0:
        return floats
    if floats.dtype == np.float32 and abs(exponent) < 100:
        return np.asarray(np.ldexp(floats, np.int32(-exponent)))
    return np.asarray(np.ldexp(floats.astype(np.float64), -exponent))


def _check_gram(gram: Floats, rounding: float) -> None:
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1]:
        raise InputError(
            "a Gram matrix is square, one row and one column for each ranking; got shape "
            f"{gram.shape}"
        )
    if not np.isfinite(gram).all():
        row, column = np.argwhere(~np.isfinite(gram))[0]
        raise InputError(
            f"the kernel of rows {row} and {column} is {gram[row, column]}, but must be finite",
            remedy="use a kernel that is defined for all rows",
        )
    largest = float(np.abs(gram).max(initial=0.0))
    if np.abs(gram - gram.T).max() > rounding * largest:
        raise InputError("the Gram matrix is not symmetric", remedy="average it with its transpose")
    if not np.diagonal(gram).max() > 0:
        raise InputError(
            "k(x, x) is 0 for each row, so the latent function is constant",
            remedy="use a kernel that distinguishes the rows",
        )


class KernelRows:
    """Rows seen through a kernel: a function k(X, Y), a scikit-learn kernel, or a Gram matrix.

    Gram matrices are divided by ``2**exponent``, so that they are near 1 at the starting values
    of the kernel's own parameters. The last factor is kept, for all problems on these rows.
    """

    def __init__(self, kernel: Any, X: Any) -> None:
        self.kernel = kernel
        self.X = X
        self.exponent: int | None = None
        self._kept: tuple[Floats, Factor, Floats | None] | None = None

    @property
    def start(self) -> Floats:
        """Starting values of the kernel's own parameters."""
        return np.asarray(self.kernel.theta) if isinstance(self.kernel, Kernel) else np.empty(0)

    @property
    def bounds(self) -> Floats:
        """Bounds of the kernel's own parameters."""
        if isinstance(self.kernel, Kernel) and self.kernel.n_dims:
            return np.asarray(self.kernel.bounds)
        return np.empty((0, 2))

    def at(self, theta: Floats) -> Any:
        """The kernel with these parameters."""
        return self.kernel.clone_with_theta(theta) if len(theta) else self.kernel

    def factor(self, theta: Floats) -> tuple[Factor, Floats | None]:
        """K = U Uᵀ and ∂K/∂θ, of shape (n_rows, n_rows, n_kernel_parameters)."""
        if self._kept is None or not np.array_equal(self._kept[0], theta):
            gradient = None
            if self.kernel is None:
                gram = self.X
            elif len(theta):
                gram, gradient = self.at(theta)(self.X, eval_gradient=True)
            else:
                gram = self.kernel(self.X, self.X)
            gram = np.asarray(gram)
            if self.exponent is None:
                finite = gram[np.isfinite(gram)] if gram.dtype.kind == "f" else gram
                self.exponent = int(np.frexp(np.abs(finite).max(initial=0.0))[1])
            factor = Factor.of(_divided(gram, self.exponent))
            gradient = None if gradient is None else np.ldexp(gradient, -self.exponent)
            self._kept = theta.copy(), factor, gradient
        return self._kept[1], self._kept[2]


class FunctionSpace:
    """ELBO(q(f), θ) with θ = (log σ², log c², the kernel's own parameters)."""

    def __init__(
        self,
        rows: KernelRows,
        positive: NDArray[np.bool_],
        weight: Floats | None,
        likelihood: Likelihood,
        prior: WeightPrior,
    ) -> None:
        self.rows = rows
        self.sign = np.where(positive, 1.0, -1.0)
        self.weight = np.ones(len(positive)) if weight is None else weight
        self.likelihood = likelihood
        self.prior = prior

    def start(self, origin: Floats | None = None) -> State:
        """The prior itself."""
        return self.initial(self.prior.start() if origin is None else origin)

    def initial(self, parameters: Floats) -> State:
        """The bound at the prior itself."""
        nothing = np.zeros(len(self.sign))
        return self.evaluate(Sites(nothing, nothing), parameters)

    def evaluate(self, sites: Sites, parameters: Floats) -> State:
        """The bound at the q of these sites."""
        features = self._features(parameters)
        posterior = self._posterior(features, sites, parameters)
        mean, variance = posterior.project(features)
        expected, slope, curvature = self.likelihood.expect(mean, variance, self.sign, self.weight)
        target = Sites(curvature, slope + curvature * mean)
        linear, quadratic = target.linear @ mean, target.square @ (variance + mean**2)
        model = float(linear - 0.5 * quadratic) - posterior.divergence
        elbo = expected - posterior.divergence
        # A site matters if it is large compared with the precision of its function value.
        precision = 1.0 / np.maximum(variance, np.finfo(float).tiny)
        unit = Sites(precision, np.sqrt(precision))
        rounding = rounding_of(elbo, float(linear), float(quadratic))
        return State(sites, parameters, posterior, elbo, target, model, rounding, unit)

    def evidence(self, sites: Sites, parameters: Floats) -> tuple[float, Floats]:
        """The evidence of the sites, and its gradient in θ.

        In a parameter of the kernel, it is ½·tr((α αᵀ − A)·σ² ∂K/∂θ), where A is the inverse of
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

    def _features(self, parameters: Floats) -> Floats:
        factor, _ = self.rows.factor(parameters[self.prior.n_own :])
        return with_constant(factor.rows, self.prior.has_constant)

    def _posterior(self, features: Floats, sites: Sites, parameters: Floats) -> Gaussian:
        square = features.T @ (features * sites.square[:, None])
        precision = self.prior.precision(parameters, features.shape[1])
        return Gaussian.from_sites(precision, square, features.T @ sites.linear)


@dataclass(frozen=True, eq=False)
class KernelPosterior:
    """The posterior of one class over the features of its kernel, and its learned variances."""

    posterior: Gaussian
    factor: Factor
    kernel: Any  #: None if precomputed
    kernel_variance: float  #: σ² for the kernel over 2**exponent
    has_constant: bool
    exponent: int

    def latent(self, cross: Floats, diagonal: Floats | None) -> tuple[Floats, Floats]:
        """Mean and variance of f, from k(x, ·) against the fitted rows and k(x, x).

        Without k(x, x), the variance lacks the part that the fitted rows say nothing about. If
        k(x, ·) implies a larger k(x, x) than given, the larger is used.
        """
        features = self.factor.features(np.ldexp(cross, -self.exponent))
        mean, variance = self.posterior.project(with_constant(features, self.has_constant))
        if diagonal is not None:
            unknown = np.ldexp(diagonal, -self.exponent) - np.einsum("ij,ij->i", features, features)
            variance += self.kernel_variance * np.maximum(unknown, 0.0)
        return mean, variance


@dataclass(frozen=True, eq=False)
class KernelPredictor:
    """f for each class, from its kernel with the fitted rows."""

    posteriors: list[KernelPosterior]
    X: Any  #: the fitted rows; None if the kernel is precomputed
    columns: NDArray[np.int64] | None  #: if precomputed, the columns of k(x, ·) to use
    typical: float | None  #: if precomputed, the mean of k(x, x) over the fitted rows

    def latent(self, X: Any, *, variances: bool) -> tuple[Floats, Floats]:
        """Mean and variance of f, of shape (n_rows, n_posteriors), in blocks of rows."""
        mean = np.empty((X.shape[0], len(self.posteriors)))
        variance = np.empty_like(mean)
        square: Floats | None
        # A plain function compares all pairs of a block for k(x, x).
        for start in range(0, X.shape[0], MOST_COMPARED):
            block = slice(start, min(start + MOST_COMPARED, X.shape[0]))
            rows = take_rows(X, block)
            for column, fitted in enumerate(self.posteriors):
                if self.typical is not None:
                    cross, square = rows[:, self.columns], np.full(len(rows), self.typical)
                else:
                    cross = fitted.kernel(rows, self.X)
                    square = _self_kernel(fitted.kernel, rows) if variances else None
                mean[block, column], variance[block, column] = fitted.latent(
                    np.asarray(cross, dtype=np.float64), square
                )
        return mean, variance


def _self_kernel(kernel: Any, X: Any) -> Floats:
    """k(x, x) for each row x."""
    if isinstance(kernel, Kernel):
        return np.asarray(kernel.diag(X), dtype=np.float64)
    return np.diagonal(np.asarray(kernel(X, X), dtype=np.float64))
