"""What kernels between rankings share in scikit-learn's interface: values, diagonals, gradients."""

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from inspect import signature
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import Kernel

from rankcut.errors import InputError
from rankcut.kernels.gram import Encoder, gram_matrix, squares
from rankcut.kernels.nearest import Nearest, nearest_rankings
from rankcut.rankings import Unranked, read_rankings

Bounds: TypeAlias = tuple[float, float] | str
"""Where a Gaussian process looks for a hyper-parameter; "fixed" learns nothing."""


class RankingKernel(Kernel):
    """A kernel between rankings, in scikit-learn's interface for kernels.

    Call it on two rank matrices, or on one for its own Gram matrix.
    """

    unranked: Unranked
    normalize: bool
    items: Sequence[Hashable] | None
    n_jobs: int | None

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """The Gram matrix and, if asked for, its gradient in the logarithm of each hyper-parameter.

        Parameters
        ----------
        X, Y : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrices. If Y is None, X is compared with itself.
        eval_gradient : bool
            Return the gradient as well, of shape (n_rankings, n_rankings, n_dims).
        """
        gram = self._gram(X, Y, self._encoder(), normalize=self.normalize)
        if not eval_gradient:
            return gram
        if Y is not None:
            raise InputError("the gradient is for X with itself: leave Y out")
        if self.n_dims == 0:
            return gram, np.empty((*gram.shape, 0))
        return gram, self._gradient(X, gram)

    def diag(self, X: Any) -> NDArray[np.float64]:
        """k(A, A) for each ranking, without the rest of the Gram matrix.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        own = self._squares(X, self._encoder())
        return np.where(own > 0, 1.0, 0.0) if self.normalize else own

    def nearest(self, X: Any, Y: Any = None, *, k: int = 10) -> Nearest:
        """The k rankings of Y with the largest values, for each of X; no Gram matrix is kept.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings_x, n_items)
            Rank matrix.
        Y : array, frame or CSR array of shape (n_rankings_y, n_items) or None
            The rankings to choose from. If None, the other rankings of X. X and Y may be Dask
            collections; the results are Dask arrays then.
        k : int
            Number of nearest rankings.

        Returns
        -------
        values : ndarray of shape (n_rankings_x, k)
            The kernel, largest first.
        rows : ndarray of shape (n_rankings_x, k)
            The rows of Y; rows with equal values are in order.

        Examples
        --------
        >>> from rankcut.kernels import SpearmanKernel
        >>> ranks = [[1, 2, 3], [3, 2, 1], [1, 3, 2], [2, 1, 3]]
        >>> SpearmanKernel(normalize=True).nearest(ranks, k=2).rows
        array([[2, 3],
               [2, 3],
               [0, 1],
               [0, 1]])
        """
        return nearest_rankings(
            X,
            Y,
            self._encoder(),
            k=k,
            unranked=self.unranked,
            normalize=self.normalize,
            items=self.items,
            n_jobs=self.n_jobs,
        )

    def is_stationary(self) -> bool:
        """False: rankings are not vectors, so they have no differences."""
        return False

    @abstractmethod
    def _encoder(self, *, derivative: bool = False) -> Encoder:
        """What compares rankings; or their derivative in the hyper-parameter, if there is one."""

    def _gram(self, X: Any, Y: Any, encoder: Encoder, *, normalize: bool) -> NDArray[Any]:
        return gram_matrix(
            X,
            Y,
            encoder,
            unranked=self.unranked,
            normalize=normalize,
            items=self.items,
            out=None,
            dtype=np.float64,
            n_jobs=self.n_jobs,
        )

    def _squares(self, X: Any, encoder: Encoder) -> NDArray[np.float64]:
        rankings = read_rankings(X, self.items)
        rankings.check(self.unranked)
        return squares(encoder(rankings, np.dtype(np.float64)))

    def _gradient(self, X: Any, gram: NDArray[Any]) -> NDArray[Any]:
        """∂k/∂ log θ = θ·∂k/∂θ, for the one continuous parameter θ; a matrix for each."""
        encoder = self._encoder(derivative=True)
        slopes = self._gram(X, None, encoder, normalize=False)
        if self.normalize:
            # A ranking with k(A, A) = 0 keeps 0, and has no slope.
            own = self._squares(X, self._encoder())
            inverse = np.divide(1.0, own, out=np.zeros_like(own), where=own > 0)
            own_slopes = self._squares(X, encoder) * inverse
            slopes *= np.sqrt(np.outer(inverse, inverse))
            slopes -= gram * (own_slopes[:, np.newaxis] + own_slopes) / 2.0
        return np.asarray(np.exp(self.theta[0]) * slopes)[:, :, np.newaxis]

    def __repr__(self) -> str:
        defaults = signature(type(self)).parameters
        values = self.get_params(deep=False)
        shown = [
            f"{name}={value!r}"
            for name, value in values.items()
            if defaults[name].default is not value and np.any(defaults[name].default != value)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"
