"""From fitted posteriors, one for each class, to the latent function at new rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.gaussian_process.kernels import Kernel
from sklearn.utils import _safe_indexing

from rankcut._loops.types import Floats
from rankcut.estimators.gp.gaussian import Gaussian
from rankcut.estimators.gp.gram import Factor
from rankcut.estimators.gp.weight_space import blocks, with_constant
from rankcut.threads import in_order

# Rows predicted at once through a kernel.
_KERNEL_BLOCK = 1024

# Rows whose k(x, x) a plain function computes at once; it computes the pairs between them too.
_DIAGONAL_BLOCK = 16


@dataclass(frozen=True, eq=False)
class FeaturePredictor:
    """f = ⟨w, φ⟩ + b for each class."""

    posteriors: list[Gaussian]
    has_constant: bool

    def latent(self, X: NDArray[np.floating], n_jobs: int | None) -> tuple[Floats, Floats]:
        """Mean and variance of f, of shape (n_rows, n_posteriors), in blocks of rows."""
        mean = np.empty((X.shape[0], len(self.posteriors)))
        variance = np.empty_like(mean)

        def fill(block: slice) -> None:
            phi = with_constant(X[block], self.has_constant)
            for column, posterior in enumerate(self.posteriors):
                mean[block, column], variance[block, column] = posterior.project(phi)

        for _ in in_order(fill, blocks(*X.shape), n_jobs):
            pass
        return mean, variance


@dataclass(frozen=True, eq=False)
class KernelPosterior:
    """One class: its posterior over the features of its kernel, and the variances it learned."""

    posterior: Gaussian
    factor: Factor
    kernel: Any  #: None if it is precomputed
    kernel_variance: float
    has_constant: bool

    def latent(self, cross: Floats, diagonal: Floats | None) -> tuple[Floats, Floats]:
        """Mean and variance of f from k(x, ·) against the fitted rows, and k(x, x).

        Without k(x, x) the variance lacks the part that the fitted rows know nothing of. Where
        k(x, ·) shows that k(x, x) is greater than given, it is.
        """
        features = self.factor.features(cross)
        mean, variance = self.posterior.project(with_constant(features, self.has_constant))
        if diagonal is not None:
            unknown = diagonal - np.einsum("ij,ij->i", features, features)
            variance += self.kernel_variance * np.maximum(unknown, 0.0)
        return mean, variance


@dataclass(frozen=True, eq=False)
class KernelPredictor:
    """f for each class through its kernel with the fitted rows."""

    posteriors: list[KernelPosterior]
    X: Any  #: the fitted rows; None if the kernel is precomputed
    columns: NDArray[np.int64] | None  #: which columns of k(x, ·) count if it is precomputed
    typical: float | None  #: the mean of k(x, x) over the fitted rows if it is precomputed

    def latent(
        self, X: Any, diagonal: ArrayLike | None, *, variances: bool
    ) -> tuple[Floats, Floats]:
        """Mean and variance of f, of shape (n_rows, n_posteriors), in blocks of rows."""
        mean = np.empty((X.shape[0], len(self.posteriors)))
        variance = np.empty_like(mean)
        own = self._given_diagonal(X, diagonal)
        square: Floats | None
        for start in range(0, X.shape[0], _KERNEL_BLOCK):
            block = slice(start, min(start + _KERNEL_BLOCK, X.shape[0]))
            rows = _safe_indexing(X, block)
            for column, fitted in enumerate(self.posteriors):
                if own is not None:
                    cross, square = rows[:, self.columns], own[block]
                else:
                    cross = fitted.kernel(rows, self.X)
                    square = _self_kernel(fitted.kernel, rows) if variances else None
                mean[block, column], variance[block, column] = fitted.latent(
                    np.asarray(cross, dtype=np.float64), square
                )
        return mean, variance

    def _given_diagonal(self, X: Any, diagonal: ArrayLike | None) -> Floats | None:
        """k(x, x) of each row if the kernel is precomputed."""
        if self.typical is None:
            if diagonal is not None:
                raise ValueError(
                    'diagonal is for kernel="precomputed"; this kernel computes k(x, x) itself'
                )
            return None
        if diagonal is None:
            return np.full(X.shape[0], self.typical)
        given = np.asarray(diagonal, dtype=np.float64)
        if given.shape != (X.shape[0],):
            raise ValueError(
                f"diagonal has one k(x, x) for each of the {X.shape[0]} rows, and its shape "
                f"is {given.shape}"
            )
        return given


def _self_kernel(kernel: Any, X: Any) -> Floats:
    """k(x, x) for each row x."""
    if isinstance(kernel, Kernel):
        return np.asarray(kernel.diag(X), dtype=np.float64)
    diagonal = np.empty(X.shape[0])
    for start in range(0, X.shape[0], _DIAGONAL_BLOCK):
        block = slice(start, min(start + _DIAGONAL_BLOCK, X.shape[0]))
        rows = _safe_indexing(X, block)
        diagonal[block] = np.diagonal(np.asarray(kernel(rows, rows)))
    return diagonal
