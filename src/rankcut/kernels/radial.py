"""The Gaussian kernel: it falls with distance, and distinguishes any two populations."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import Hyperparameter

from rankcut._loops.pairs import TWINS
from rankcut.errors import InputError
from rankcut.kernels.gram import Encoder, Encoding, squares
from rankcut.kernels.kendall import KendallKernel
from rankcut.kernels.ranking_kernel import FLOAT, Bounds, RankingKernel
from rankcut.parameters import LARGEST, ROUNDING
from rankcut.rankings import Rankings, Unranked


class GaussianKernel(RankingKernel):
    """k(A, A') = exp(−‖e − e'‖²/(2ℓ²)) with e the vectors of Kendall's kernel.

    ‖e − e'‖² = 2·(1 − τ) on full rankings, and unrelated ones have k ≈ exp(−1/ℓ²). The kernel is
    characteristic: two populations of vectors e have the same mean in its space only if they are
    the same. For other vectors, use scikit-learn's ``RBF`` on those of a transformer.

    Parameters
    ----------
    lengthscale : float
        ℓ > 0, a hyper-parameter with a gradient.
    lengthscale_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for ℓ.
    unranked, items, n_jobs
        As in :class:`KendallKernel`.
    normalize : bool
        Changes nothing: k(A, A) = 1.

    Examples
    --------
    >>> from rankcut.kernels import GaussianKernel
    >>> GaussianKernel(2.0)([[1, 2, 3]], [[1, 3, 2]]).round(3)
    array([[0.846]])
    """

    def __init__(
        self,
        lengthscale: float = 1.0,
        lengthscale_bounds: Bounds = (1e-3, 1e3),
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(unranked=unranked, normalize=normalize, items=items, n_jobs=n_jobs)
        self.lengthscale = lengthscale
        self.lengthscale_bounds = lengthscale_bounds

    @property
    def hyperparameter_lengthscale(self) -> Hyperparameter:
        """ℓ, as scikit-learn describes it."""
        return Hyperparameter("lengthscale", "numeric", self.lengthscale_bounds)

    def encoder(self, *, derivative: bool = False) -> Encoder:
        """Compare rankings by the distance of their vectors in the space of Kendall's kernel."""
        scale = self.lengthscale
        if not 1.0 / LARGEST <= scale <= LARGEST:
            raise InputError(
                f"must be from {1.0 / LARGEST:g} to {LARGEST:g}; got {scale}",
                parameter="lengthscale",
            )
        base = KendallKernel(unranked=self.unranked, n_jobs=self.n_jobs).encoder()

        def encode(rankings: Rankings, dtype: np.dtype[Any]) -> Distances:
            return Distances(base(rankings, FLOAT), float(scale), derivative=derivative)

        return encode


def gaussian_kernel(
    X: Any, Y: Any = None, *, out: Any = None, dtype: Any = None, **options: Any
) -> NDArray[Any]:
    """k(A, A') = exp(−‖e − e'‖²/(2ℓ²)) with e the vectors of Kendall's kernel.

    Arguments are as in :func:`~rankcut.kernels.kendall_kernel`, options as in
    :class:`GaussianKernel`.

    >>> gaussian_kernel([[1, 2, 3]], [[1, 2, 3], [1, 3, 2], [3, 2, 1]]).round(3)
    array([[1.   , 0.513, 0.135]])
    """
    return GaussianKernel(**options).gram(X, Y, out=out, dtype=dtype)


class Distances:
    """Rankings that a kernel compares, and the squared length of each one's vector."""

    def __init__(self, base: Encoding, lengthscale: float, *, derivative: bool) -> None:
        self._base = base
        self._lengths = squares(base)
        self._lengthscale = lengthscale
        self._derivative = derivative
        self.side = base.side
        # Differences of inner products cancel, so they are computed in float64 whatever is asked.
        self.blas = False

    def __len__(self) -> int:
        return len(self._base)

    def compare(
        self, rows: slice, other: "Distances", columns: slice, pairs: int, out: Any
    ) -> None:
        """k, or its derivative in ℓ, k·‖e − e'‖²/ℓ³."""
        if pairs == TWINS:
            out[:, 0] = 0.0 if self._derivative else 1.0
            return
        self._base.compare(rows, other._base, columns, pairs, out)
        lengths = self._lengths[rows, np.newaxis] + other._lengths[columns]
        out *= -2.0
        out += lengths
        out[out < ROUNDING * lengths] = 0.0
        distances = out.copy() if self._derivative else None
        out *= -0.5 / self._lengthscale**2
        np.exp(out, out=out)
        if distances is not None:
            out *= distances / self._lengthscale**3
