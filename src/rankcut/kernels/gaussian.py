"""The Gaussian kernel on the vectors of Kendall's kernel, which tells any two populations apart."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankcut._loops.pairs import TWINS
from rankcut.errors import InputError
from rankcut.kernels.gram import Encoder, Encoding, gram_matrix, squares
from rankcut.kernels.kendall import kendall_encoder
from rankcut.rankings import RankMatrix, Unranked

# Squares and cubes of lengthscales, and their inverses, must not overflow.
_SHORTEST = 1e-100


def gaussian_kernel(
    X: Any,
    Y: Any = None,
    *,
    lengthscale: float = 1.0,
    unranked: Unranked = "error",
    normalize: bool = False,
    items: Sequence[Hashable] | None = None,
    out: NDArray[Any] | None = None,
    dtype: DTypeLike | None = None,
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """k(A, A') = exp(−‖e − e'‖²/(2ℓ²)), where e are the vectors of Kendall's kernel.

    On full rankings ‖e − e'‖² = 2·(1 − τ), and unrelated ones have k ≈ exp(−1/ℓ²). The kernel is
    characteristic: two populations of vectors e have the same mean embedding only if they are
    equal.

    Parameters
    ----------
    lengthscale : float
        ℓ > 0.
    X, Y, unranked, items, out, dtype, n_jobs
        As in :func:`~rankcut.kernels.kendall_kernel`.
    normalize : bool
        Has no effect: k(A, A) = 1.

    Returns
    -------
    ndarray of shape (n_rankings_x, n_rankings_y)

    Examples
    --------
    >>> gaussian_kernel([[1, 2, 3]], [[1, 2, 3], [1, 3, 2], [3, 2, 1]]).round(3)
    array([[1.   , 0.513, 0.135]])
    """
    return gram_matrix(
        X,
        Y,
        gaussian_encoder(lengthscale, unranked, n_jobs),
        unranked=unranked,
        normalize=normalize,
        items=items,
        out=out,
        dtype=dtype,
        n_jobs=n_jobs,
    )


class GaussianDistances:
    """Rankings as Kendall's kernel compares them, and the squared length of each vector."""

    def __init__(self, kendall: Encoding, lengthscale: float, *, derivative: bool) -> None:
        self._kendall = kendall
        self._lengths = squares(kendall)
        self._lengthscale = lengthscale
        self._derivative = derivative
        self.side = kendall.side
        self.blas = kendall.blas

    def __len__(self) -> int:
        return len(self._kendall)

    def compare(
        self, rows: slice, other: "GaussianDistances", columns: slice, pairs: int, out: Any
    ) -> None:
        """k, or its derivative in ℓ, which is k·‖e − e'‖²/ℓ³."""
        if pairs == TWINS:
            out[:, 0] = 0.0 if self._derivative else 1.0
            return
        self._kendall.compare(rows, other._kendall, columns, pairs, out)
        out *= -2.0
        out += self._lengths[rows, np.newaxis] + other._lengths[columns]
        np.maximum(out, 0.0, out=out)
        distances = out.copy() if self._derivative else None
        out *= -0.5 / self._lengthscale**2
        np.exp(out, out=out)
        if distances is not None:
            out *= distances / self._lengthscale**3


def gaussian_encoder(
    lengthscale: float, unranked: Unranked, n_jobs: int | None, *, derivative: bool = False
) -> Encoder:
    """Encode rankings to compare them by the distance of their Kendall vectors."""
    if not _SHORTEST <= lengthscale <= 1.0 / _SHORTEST:
        raise InputError(
            f"must be from {_SHORTEST:g} to {1.0 / _SHORTEST:g}; got {lengthscale}",
            parameter="lengthscale",
        )
    kendall = kendall_encoder(unranked, n_jobs)

    def encode(rankings: RankMatrix, dtype: np.dtype[Any]) -> GaussianDistances:
        return GaussianDistances(
            kendall(rankings, dtype), float(lengthscale), derivative=derivative
        )

    return encode
