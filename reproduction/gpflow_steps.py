"""The Gaussian process classifier of the published experiments, step by step.

They fit GPflow's variational Gaussian process (VGP) by a given number of L-BFGS steps. To end
where they ended, the same variables must be changed from the same start. With L the Cholesky factor
of the kernel matrix K, f = L v, v ~ N(0, I) and q(v) = N(μ, S Sᵀ), those are μ, the lower triangle
of S, and the kernel's parameters θ, each the softplus of a free number:

    ELBO = Σ_i E_q[log p(y_i | f_i)] − ½·(‖μ‖² + ‖S‖² − m − 2·Σ_j log|S_jj|)

The start is μ = 0, S = I. Expectations are by 20 points of Gauss–Hermite quadrature, as in GPflow,
which at the start is some way off the integral.

Where K has a rank r below the number m of rankings, the columns of L for rankings that depend
linearly on earlier ones are zero (in GPflow as small as the root of its jitter), and μ and S
stay at their start there. So it is enough to keep r columns. The path is the same.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import OptimizeResult, minimize
from scipy.special import expit, ndtr

from reproduction.methods import Floats

# One label in a thousand is taken to be flipped.
_FLIPPED = 1e-3

_POINTS, _WEIGHTS = np.polynomial.hermite.hermgauss(20)

# A ranking depends on earlier ones if less than this part of its variance is left.
_DEPENDENT = 1e-7

# What keeps a factor positive definite, as a part of the trace.
_NOTHING = 1e-13


class Factor(NamedTuple):
    """L, or those of its columns that count, and its derivatives by the kernel's parameters."""

    lower: Floats
    slopes: list[Floats]


class Linear:
    """σ²·⟨φ, φ'⟩, and with ``constant`` σ²·⟨φ, φ'⟩ + c: GPflow's Linear, or Linear + Constant."""

    def __init__(
        self, train: Floats, test: Floats, *, constant: bool = False, variance: float = 1.0
    ) -> None:
        self.start = (variance, 1.0) if constant else (variance,)
        self._train, self._test = train, test
        columns = np.column_stack([train, np.ones(len(train))]) if constant else train
        self._pivots = _independent_rows(columns)

    def factor(self, parameters: Floats) -> Factor:
        """L."""
        top = self._top(parameters)
        pivots = self._train[self._pivots]
        across = self._train @ pivots.T
        lower = self._lower(parameters, across, top)
        slopes = []
        # K changes by this much; so do the rows of L at the pivots, and then all others.
        for change in (across, np.ones_like(across))[: len(self.start)]:
            inner = solve_triangular(top, change[self._pivots], lower=True)
            inner = solve_triangular(top, inner.T, lower=True)
            d_top = top @ (np.tril(inner, -1) + 0.5 * np.diag(np.diagonal(inner)))
            slopes.append(solve_triangular(top, (change - lower @ d_top.T).T, lower=True).T)
        return Factor(lower, slopes)

    def extend(self, parameters: Floats, mean: Floats) -> Floats:
        """The mean of f."""
        across = self._test @ self._train[self._pivots].T
        return np.asarray(self._lower(parameters, across, self._top(parameters)) @ mean)

    def _top(self, parameters: Floats) -> Floats:
        """The Cholesky factor of K at the pivots."""
        pivots = self._train[self._pivots]
        own = _sum(parameters, pivots @ pivots.T)
        # No more than keeps it positive definite where one variance is next to nothing.
        own[np.diag_indices_from(own)] += _NOTHING * np.trace(own)
        return np.asarray(cholesky(own, lower=True))

    def _lower(self, parameters: Floats, across: Floats, top: Floats) -> Floats:
        return np.asarray(solve_triangular(top, _sum(parameters, across).T, lower=True).T)


def _sum(parameters: Floats, products: Floats) -> Floats:
    return np.asarray(parameters[0] * products + (parameters[1] if len(parameters) > 1 else 0.0))


def _independent_rows(columns: Floats) -> NDArray[np.intp]:
    """Rows that do not depend linearly on those before them, in order."""
    left = columns / np.abs(columns).max()
    own = np.einsum("ij,ij->i", left, left)
    chosen = []
    for row in range(len(left)):
        rest = float(left[row] @ left[row])
        if rest > _DEPENDENT * max(float(own[row]), float(own.mean())):
            chosen.append(row)
            if len(chosen) == columns.shape[1]:
                break
            direction = left[row] / np.sqrt(rest)
            # Twice, so that rounding does not add up.
            for _ in range(2):
                left = left - np.outer(left @ direction, direction)
    return np.array(chosen)


class Stop(NamedTuple):
    """Where the ascent was after some steps."""

    step: int
    elbo: float
    parameters: Floats  #: of the kernel
    mean: Floats  #: of v


def path_of_steps(kernel: Linear, positive: NDArray[np.bool_], steps: int) -> list[Stop]:
    """The start and each of at most ``steps`` L-BFGS steps: fewer if it converges before.

    Examples
    --------
    >>> features = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> kernel = Linear(features, features, constant=True)
    >>> path = path_of_steps(kernel, features[:, 0] > 0, 5)
    >>> [stop.step for stop in path]
    [0, 1, 2, 3, 4, 5]
    >>> bool(path[-1].elbo > path[0].elbo)
    True
    >>> kernel.extend(path[-1].parameters, path[-1].mean) > 0
    array([False, False,  True,  True])
    """
    bound = Bound(kernel, positive)
    start = bound.start()
    path: list[Stop] = []

    def keep(there: Floats, elbo: float) -> None:
        mean, _, free = bound.unpack(there)
        path.append(Stop(len(path), elbo, _softplus(free), mean.copy()))

    def loss(there: Floats) -> tuple[float, Floats]:
        elbo, gradient = bound(there)
        return -elbo, -gradient

    def after_step(intermediate_result: OptimizeResult) -> None:
        keep(intermediate_result.x, -float(intermediate_result.fun))

    keep(start, bound(start)[0])
    minimize(
        loss, start, jac=True, method="L-BFGS-B", callback=after_step, options={"maxiter": steps}
    )
    return path


class Bound:
    """The ELBO and its gradient by μ, the lower triangle of S, and the free numbers of θ."""

    def __init__(self, kernel: Linear, positive: NDArray[np.bool_]) -> None:
        self._kernel = kernel
        self._sign = np.where(positive, 1.0, -1.0)
        self._rank = kernel.factor(np.array(kernel.start)).lower.shape[1]
        self._triangle = np.tril_indices(self._rank)

    def start(self) -> Floats:
        """The prior as q, and the kernel's parameters where they start."""
        nothing = np.zeros(self._rank)
        free = np.log(np.expm1(self._kernel.start))
        return np.concatenate([nothing, np.eye(self._rank)[self._triangle], free])

    def __call__(self, variables: Floats) -> tuple[float, Floats]:
        """The bound, and its gradient."""
        mean, factor, free = self.unpack(variables)
        lower, slopes = self._kernel.factor(_softplus(free))
        spread = lower @ factor
        variance = np.einsum("ij,ij->i", spread, spread)
        expected, by_mean, by_variance = expectations(lower @ mean, variance, self._sign)
        diagonal = np.diagonal(factor)
        with np.errstate(divide="ignore", invalid="ignore"):
            divergence = 0.5 * (
                mean @ mean
                + np.sum(factor**2)
                - self._rank
                - 2.0 * np.sum(np.log(np.abs(diagonal)))
            )
            by_factor = -factor
            np.fill_diagonal(by_factor, 1.0 / diagonal - diagonal)
        weighted = (2.0 * by_variance)[:, None] * spread
        by_factor += lower.T @ weighted
        by_parameter = [
            by_mean @ (slope @ mean) + np.sum(weighted * (slope @ factor)) for slope in slopes
        ]
        gradient = np.concatenate(
            [
                lower.T @ by_mean - mean,
                by_factor[self._triangle],
                np.array(by_parameter) * expit(free),
            ]
        )
        return float(expected - divergence), gradient

    def unpack(self, variables: Floats) -> tuple[Floats, Floats, Floats]:
        """μ, S and the free numbers."""
        rank = self._rank
        factor = np.zeros((rank, rank))
        factor[self._triangle] = variables[rank : rank + len(self._triangle[0])]
        return variables[:rank], factor, variables[rank + len(self._triangle[0]) :]


def expectations(mean: Floats, variance: Floats, sign: Floats) -> tuple[float, Floats, Floats]:
    """Σ E[log p(y | f)], f ~ N(mean, variance), and its derivatives by mean and by variance.

    They are derivatives of the quadrature, not of the integral.
    """
    root = np.sqrt(2.0 * variance)[:, None]
    signed = sign[:, None] * (mean[:, None] + root * _POINTS)
    probability = _FLIPPED + (1.0 - 2.0 * _FLIPPED) * ndtr(signed)
    density = np.exp(-0.5 * signed**2) / np.sqrt(2.0 * np.pi)
    slope = sign[:, None] * (1.0 - 2.0 * _FLIPPED) * density / probability
    weights = _WEIGHTS / np.sqrt(np.pi)
    expected = float((np.log(probability) @ weights).sum())
    return expected, slope @ weights, (slope * _POINTS) @ weights / root[:, 0]


def _softplus(free: Floats) -> Floats:
    # Steps that try a variance of nothing at all are not taken, but must have a bound.
    return np.asarray(np.maximum(np.logaddexp(0.0, free), 1e-100))
