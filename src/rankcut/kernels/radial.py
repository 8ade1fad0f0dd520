"""Gaussian and Laplace kernels: they fall with distance, and distinguish any two populations."""

from collections.abc import Hashable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankcut._loops.pairs import TWINS
from rankcut.errors import InputError
from rankcut.kernels.gram import Encoder, Encoding, gram_matrix, squares
from rankcut.kernels.kendall import kendall_encoder
from rankcut.rankings import Rankings, Unranked

# Squares and cubes of lengthscales, and their inverses, must be finite and above 0.
_SHORTEST = 1e-100

# Squared distances below this share of the squared lengths are rounding errors.
_ROUNDING = 64 * np.finfo(np.float64).eps

_FLOAT = np.dtype(np.float64)

Shape: TypeAlias = Literal["gaussian", "laplace"]
"""How a kernel falls with distance."""


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
    """k(A, A') = exp(−‖e − e'‖²/(2ℓ²)) with e the vectors of Kendall's kernel.

    On full rankings ‖e − e'‖² = 2·(1 − τ), and unrelated ones have k ≈ exp(−1/ℓ²). The kernel is
    characteristic: two populations of vectors e have the same mean in its space only if they are
    the same.

    Parameters
    ----------
    lengthscale : float
        ℓ > 0.
    X, Y, unranked, items, out, dtype, n_jobs
        As in :func:`~rankcut.kernels.kendall_kernel`.
    normalize : bool
        Changes nothing: k(A, A) = 1.

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
        radial_encoder("gaussian", lengthscale, kendall_encoder(unranked, n_jobs)),
        unranked=unranked,
        normalize=normalize,
        items=items,
        out=out,
        dtype=dtype,
        n_jobs=n_jobs,
    )


def laplace_kernel(
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
    """k(A, A') = exp(−‖e − e'‖/ℓ) with e the vectors of Kendall's kernel.

    It falls more steeply near A than :func:`gaussian_kernel`, and more slowly far away. It is
    characteristic too.

    Parameters
    ----------
    lengthscale : float
        ℓ > 0.
    X, Y, unranked, items, out, dtype, n_jobs
        As in :func:`~rankcut.kernels.kendall_kernel`.
    normalize : bool
        Changes nothing: k(A, A) = 1.

    Returns
    -------
    ndarray of shape (n_rankings_x, n_rankings_y)

    Examples
    --------
    >>> laplace_kernel([[1, 2, 3]], [[1, 2, 3], [1, 3, 2], [3, 2, 1]]).round(3)
    array([[1.   , 0.315, 0.135]])
    """
    return gram_matrix(
        X,
        Y,
        radial_encoder("laplace", lengthscale, kendall_encoder(unranked, n_jobs)),
        unranked=unranked,
        normalize=normalize,
        items=items,
        out=out,
        dtype=dtype,
        n_jobs=n_jobs,
    )


class Distances:
    """Rankings that a kernel compares, and the squared length of each one's vector."""

    def __init__(
        self, base: Encoding, shape: Shape, lengthscale: float, *, derivative: bool
    ) -> None:
        self._base = base
        self._lengths = squares(base)
        self._shape = shape
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
        """k, or its derivative by ℓ: k·‖e − e'‖²/ℓ³ (Gaussian), k·‖e − e'‖/ℓ² (Laplace)."""
        if pairs == TWINS:
            out[:, 0] = 0.0 if self._derivative else 1.0
            return
        self._base.compare(rows, other._base, columns, pairs, out)
        lengths = self._lengths[rows, np.newaxis] + other._lengths[columns]
        out *= -2.0
        out += lengths
        out[out < _ROUNDING * lengths] = 0.0
        if self._shape == "laplace":
            np.sqrt(out, out=out)
            scale, power = -1.0 / self._lengthscale, 2
        else:
            scale, power = -0.5 / self._lengthscale**2, 3
        distances = out.copy() if self._derivative else None
        out *= scale
        np.exp(out, out=out)
        if distances is not None:
            out *= distances / self._lengthscale**power


def radial_encoder(
    shape: Shape, lengthscale: float, base: Encoder, *, derivative: bool = False
) -> Encoder:
    """What compares rankings by the distance of their vectors in the space of another kernel."""
    if not _SHORTEST <= lengthscale <= 1.0 / _SHORTEST:
        raise InputError(
            f"must be from {_SHORTEST:g} to {1.0 / _SHORTEST:g}; got {lengthscale}",
            parameter="lengthscale",
        )

    def encode(rankings: Rankings, dtype: np.dtype[Any]) -> Distances:
        return Distances(base(rankings, _FLOAT), shape, float(lengthscale), derivative=derivative)

    return encode
