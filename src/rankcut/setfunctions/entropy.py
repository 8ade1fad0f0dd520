"""Entropy and mutual information of jointly Gaussian items.

The log-determinants of all prefixes of an order come from one Cholesky factorisation of the
covariance with its rows and columns in that order: the factor of a prefix is the head of the
factor of the whole.
"""

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.set_increments import log_determinant_increments
from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.partitions import Partitions
from rankcut.setfunctions.set_function import SetFunction, finite_array

# Entries that differ by no more than this part of the largest differ by rounding.
_ROUNDING = 1e-8


class GaussianEntropy(SetFunction):
    """F(A) = H(A) = ½ log det(2πe·Σ_AA): differential entropy, in nats.

    An item gets much if it is hard to tell from the better ones. Differential entropy is
    submodular, and it may fall: F({i}) < 0 if the variance of i is below 1/(2πe).

    Parameters
    ----------
    covariance : array of shape (n_items, n_items)
        Σ, symmetric and positive definite.

    Examples
    --------
    >>> alike = GaussianEntropy([[1.0, 0.9], [0.9, 1.0]])
    >>> alike.gains([[0, 1]]).round(2)
    array([[1.42, 0.59]])
    """

    submodular = True

    def __init__(self, covariance: ArrayLike) -> None:
        self.covariance = _check_covariance(covariance)
        self.n_items = len(self.covariance)
        self._scaled = 2 * np.pi * np.e * self.covariance
        self._total = float(np.log(np.diag(_factor(self._scaled))).sum())

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One Cholesky factorisation for each chain."""
        log_determinant_increments(
            partitions.order,
            partitions.ends,
            partitions.n_groups,
            self._scaled,
            self._total,
            out,
        )


class GaussianMutualInformation(SetFunction):
    """F(A) = H(A) + H(V∖A) − H(V): what A and the other items tell about each other.

    With the precision matrix P = Σ⁻¹ it is ½ log det Σ_AA + ½ log det P_AA, so that its chains
    are two Cholesky factorisations along the same order.

    Parameters
    ----------
    covariance : array of shape (n_items, n_items)
        Σ, symmetric and positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> pair = GaussianMutualInformation([[1.0, 0.6], [0.6, 1.0]])
    >>> bool(np.isclose(pair({0}), -0.5 * np.log(1 - 0.6**2)))
    True
    """

    symmetric = True
    submodular = True

    def __init__(self, covariance: ArrayLike) -> None:
        self.covariance = _check_covariance(covariance)
        self.n_items = len(self.covariance)
        inverse = np.linalg.inv(_factor(self.covariance))
        self._precision = inverse.T @ inverse
        _factor(self._precision)

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """Two Cholesky factorisations for each chain."""
        parts = np.zeros((2, len(partitions), self.n_items))
        for matrix, part in zip((self.covariance, self._precision), parts, strict=True):
            log_determinant_increments(
                partitions.order, partitions.ends, partitions.n_groups, matrix, 0.0, part
            )
        np.add(parts[0], parts[1], out=out[: len(partitions)])


def _check_covariance(covariance: ArrayLike) -> Floats:
    matrix = finite_array(covariance, 2, "the covariance")
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"a covariance is a square matrix; got shape {matrix.shape}")
    gap = np.abs(matrix - matrix.T)
    if gap.size and gap.max() > _ROUNDING * np.abs(matrix).max():
        i, j = (int(k) for k in np.unravel_index(np.argmax(gap), gap.shape))
        raise InputError(
            f"the covariance is not symmetric: entry ({i}, {j}) is {matrix[i, j]:g} and entry "
            f"({j}, {i}) is {matrix[j, i]:g}"
        )
    return (matrix + matrix.T) / 2


def _factor(matrix: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InputError(
            "the covariance is not positive definite: some items are determined by others. Add "
            "a small variance to its diagonal, such as 1e-6 times the largest"
        ) from None
