"""Gram matrices as features: K = U Uᵀ by pivoted Cholesky, in as many columns as K has rank.

Then f ~ GP(0, σ²·k + c²) at the rows of K is ⟨w, u⟩ + b with w ~ N(0, σ² I), as in weight space. At
a new point u solves L u = k(pivots, x), and what ‖u‖² lacks of k(x, x) is variance that the
rows know nothing of.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, solve_triangular
from sklearn.gaussian_process.kernels import Kernel

from rankcut._loops.types import Floats

# Columns of U beyond which nothing of the diagonal is left, as a share of its largest entry.
_LEFT_OVER = 1e-12

# How far K may be from U Uᵀ, or from its transpose, and count as rounding, by its precision.
_SINGLE, _DOUBLE = 1e-4, 1e-8


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
        """Factorise a Gram matrix, or say why it is none."""
        gram = np.asarray(given, dtype=np.float64)
        # Numbers that have been in single precision once do not regain the digits they lost.
        single = given.dtype == np.float32 or np.array_equal(gram, gram.astype(np.float32))
        rounding = _SINGLE if single else _DOUBLE
        _check_gram(gram, rounding)
        size = len(gram)
        largest = float(np.diagonal(gram).max())
        packed, order, rank, _ = lapack.dpstrf(
            gram, tol=max(_LEFT_OVER, 1e-4 * rounding) * largest, lower=1
        )
        lower = np.tril(packed)[:, :rank]
        order = order - 1
        rows = np.empty((size, rank))
        rows[order] = lower
        # Rows of signs see each entry of what is left over.
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(size, 2))
        if np.abs(gram @ signs - rows @ (rows.T @ signs)).max() > rounding * largest * size:
            raise ValueError(
                "the kernel is not positive semi-definite, so that it is no covariance of a "
                "Gaussian process; add a multiple of the identity to its Gram matrix, or clip "
                "its negative eigenvalues"
            )
        return cls(rows, order[:rank], np.ascontiguousarray(lower[:rank]))

    def diagonal(self) -> Floats:
        """k(x, x) for each row."""
        return np.asarray(np.einsum("ij,ij->i", self.rows, self.rows))

    def features(self, cross: Floats) -> Floats:
        """U of new points from their rows k(x, ·) against all rows of K."""
        pivotal = np.ascontiguousarray(cross[:, self.pivots].T)
        return np.ascontiguousarray(solve_triangular(self.lower, pivotal, lower=True).T)


def _check_gram(gram: Floats, rounding: float) -> None:
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1]:
        raise ValueError(
            f"a Gram matrix is square, one row and one column for each ranking, and this one has "
            f"the shape {gram.shape}"
        )
    if not np.isfinite(gram).all():
        row, column = np.argwhere(~np.isfinite(gram))[0]
        raise ValueError(
            f"the kernel of rows {row} and {column} is {gram[row, column]}; NaN and inf have no "
            "place in a Gram matrix, so use a kernel that is defined for all rows"
        )
    largest = float(np.abs(gram).max(initial=0.0))
    if np.abs(gram - gram.T).max() > rounding * largest:
        raise ValueError("the Gram matrix is not symmetric; average it with its transpose")
    if not np.diagonal(gram).max() > 0:
        raise ValueError(
            "the kernel of each row with itself is 0, so that the latent function is constant; "
            "use a kernel that tells the rows apart"
        )


class KernelRows:
    """Rows seen through a kernel: a function k(X, Y), a scikit-learn kernel, or a Gram matrix.

    The factor at the last parameters is kept, for all who share these rows.
    """

    def __init__(self, kernel: Any, X: Any) -> None:
        self.kernel = kernel
        self.X = X
        self._kept: tuple[Floats, Factor, Floats | None] | None = None

    @property
    def start(self) -> Floats:
        """Where the kernel's own parameters start."""
        return np.asarray(self.kernel.theta) if isinstance(self.kernel, Kernel) else np.empty(0)

    @property
    def bounds(self) -> Floats:
        """How far the kernel's own parameters may go."""
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
            factor = Factor.of(np.asarray(gram))
            self._kept = theta.copy(), factor, gradient
        return self._kept[1], self._kept[2]
