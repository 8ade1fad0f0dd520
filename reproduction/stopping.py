"""A Gaussian process classifier as the published experiments trained theirs: a few L-BFGS steps.

They maximise the same bound as :class:`~rankcut.GPClassifier`, over a mean and a triangular
factor C of the covariance in whitened coordinates and over the variances, from q = prior and
variances of 1, and stop after 10 or 20 steps. In whitened coordinates v, f = A v with
A = (σ·Φ, c·1), v ~ N(0, I) and q(v) = N(μ, C Cᵀ):

    ELBO = Σ_i E_q[log p(y_i | f_i)] − ½·(‖μ‖² + ‖C‖² − r − 2·Σ_j log|C_jj|)

Variances are softplus of a free parameter. What differs is the choice of coordinates, rotated
against theirs, to which only the triangular shape of C is not indifferent.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, minimize

from rankcut.estimators.gp.likelihoods import LIKELIHOODS

Floats = NDArray[np.float64]

_PROBIT = LIKELIHOODS["probit"]

# softplus(x) = 1.
_ONE = float(np.log(np.expm1(1.0)))


class Stop(NamedTuple):
    """Where the ascent was after some steps."""

    step: int
    elbo: float
    weights: Floats  #: posterior mean of the weights of the features, then of the constant

    def predict(self, features: Floats) -> NDArray[np.bool_]:
        """Whether the more probable label is 1."""
        return np.asarray(features @ self.weights[:-1] + self.weights[-1] > 0)


def lbfgs_path(features: Floats, positive: NDArray[np.bool_], steps: int) -> list[Stop]:
    """The start and each of so many steps, or fewer if it converges before.

    Examples
    --------
    >>> features = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> path = lbfgs_path(features, features[:, 0] > 0, 5)
    >>> [stop.step for stop in path]
    [0, 1, 2, 3, 4, 5]
    >>> bool(path[-1].elbo > path[0].elbo)
    True
    >>> path[-1].predict(features)
    array([False, False,  True,  True])
    """
    bound = Bound(features, positive)
    start = bound.start()
    path = [Stop(0, bound(start)[0], bound.weights(start))]

    def keep(intermediate_result: OptimizeResult) -> None:
        there = intermediate_result.x
        path.append(Stop(len(path), -float(intermediate_result.fun), bound.weights(there)))

    def loss(parameters: Floats) -> tuple[float, Floats]:
        elbo, gradient = bound(parameters)
        return -elbo, -gradient

    minimize(loss, start, jac=True, method="L-BFGS-B", callback=keep, options={"maxiter": steps})
    return path


class Bound:
    """The ELBO and its gradient by (μ, the lower triangle of C, two free parameters)."""

    def __init__(self, features: Floats, positive: NDArray[np.bool_]) -> None:
        self._columns = np.column_stack([features, np.ones(len(features))])
        self._sign = np.where(positive, 1.0, -1.0)
        self._weight = np.ones(len(features))
        self._rank = self._columns.shape[1]
        self._lower = np.tril_indices(self._rank)

    def start(self) -> Floats:
        """The prior as q, with variances of 1."""
        nothing = np.zeros(self._rank)
        return np.concatenate([nothing, np.eye(self._rank)[self._lower], [_ONE, _ONE]])

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        """The bound, and its gradient."""
        mean, factor, free = self._parts(parameters)
        scale = self._scales(free)
        rows = self._columns * scale
        spread = rows @ factor
        variance = np.einsum("ij,ij->i", spread, spread)
        expected, slope, curvature = _PROBIT.expect(rows @ mean, variance, self._sign, self._weight)
        diagonal = np.diagonal(factor)
        with np.errstate(divide="ignore", invalid="ignore"):
            divergence = 0.5 * (
                mean @ mean
                + np.sum(factor**2)
                - self._rank
                - 2.0 * np.sum(np.log(np.abs(diagonal)))
            )
            by_factor = np.diag(1.0 / diagonal) - factor
        linear = rows.T @ slope
        square = -(rows.T @ (rows * curvature[:, None])) @ factor
        by_factor += square
        # A column of A is proportional to the root of its variance.
        by_column = mean * linear + np.einsum("ij,ij->i", square, factor)
        variances = _softplus(free)
        sums = np.array([by_column[:-1].sum(), by_column[-1]])
        by_free = 0.5 * sums / variances * _sigmoid(free)
        gradient = np.concatenate([linear - mean, by_factor[self._lower], by_free])
        return float(expected - divergence), gradient

    def weights(self, parameters: Floats) -> Floats:
        """Posterior means of the weights and of the constant."""
        mean, _, free = self._parts(parameters)
        return np.asarray(mean * self._scales(free))

    def _parts(self, parameters: Floats) -> tuple[Floats, Floats, Floats]:
        factor = np.zeros((self._rank, self._rank))
        factor[self._lower] = parameters[self._rank : -2]
        return parameters[: self._rank], factor, parameters[-2:]

    def _scales(self, free: Floats) -> Floats:
        kernel, constant = np.sqrt(_softplus(free))
        return np.concatenate([np.full(self._rank - 1, kernel), [constant]])


def _softplus(free: Floats) -> Any:
    return np.logaddexp(0.0, free)


def _sigmoid(free: Floats) -> Any:
    return 1.0 / (1.0 + np.exp(-free))
