"""What all kernels between rankings share: Gram matrices, diagonals and gradients.

A kernel is a class that says how rankings are compared, and a function that makes an object of it
and calls it. Objects are what scikit-learn takes as ``kernel=``: ``SVC(kernel=…)``,
``KernelPCA(kernel=…)`` and ``GaussianProcessClassifier(kernel=…)``, there also as part of a sum or
product such as ``2.0 * MallowsKernel(0.1)``; λ, β and ℓ are hyper-parameters that a Gaussian
process learns by their gradients.

Rankings that leave items unranked, as NaN, have to pass scikit-learn's own checks of X, which come
before the kernel is called:

- ``SVC`` (and ``SVR``, ``NuSVC``, ``OneClassSVM``) with a kernel object does not check: NaN passes.
- ``KernelPCA`` and Gaussian processes refuse NaN. Tell them that the kernel checks X:
  ``with sklearn.config_context(assume_finite=True): model.fit(X, y)``, and the same around
  ``predict`` and ``transform``.
- ``KernelPCA`` and ``SVC`` also take a sparse rank matrix, in which unranked items are absent.
- All that take ``kernel="precomputed"`` take the Gram matrix of any rankings.
"""

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from inspect import signature
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.gaussian_process.kernels import Kernel

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.kernels.gram import Encoder, fill_gram, gram_dtype, read_both, squares
from rankcut.rankings import Unranked
from rankcut.rankings.reading import takes_collections

Bounds: TypeAlias = tuple[float, float] | str
"""Where a Gaussian process looks for a hyper-parameter; "fixed" learns nothing."""

FLOAT = np.dtype(np.float64)


class RankingKernel(Kernel):
    """A kernel between rankings, in scikit-learn's interface for kernels.

    Call it on two rank matrices, or on one for its own Gram matrix. All kernels have the parameters
    of :class:`~rankcut.KendallKernel`.
    """

    def __init__(
        self,
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.n_jobs = n_jobs

    @abstractmethod
    def encoder(self, *, derivative: bool = False) -> Encoder:
        """What compares rankings; or their derivative in the hyper-parameter, if there is one."""

    @property
    def to_scale(self) -> bool:
        """Whether values are still to be divided by √(k(A, A)·k(A', A'))."""
        return self.normalize

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """The Gram matrix, as :meth:`gram` in float64.

        With ``eval_gradient`` also its gradient in the logarithm of each hyper-parameter, of shape
        (n_rankings, n_rankings, n_dims).
        """
        gram = self.gram(X, Y, dtype=FLOAT)
        if not eval_gradient:
            return gram
        if Y is not None:
            raise InputError("the gradient is for X with itself: leave Y out")
        if self.n_dims == 0:
            return gram, np.empty((*gram.shape, 0))
        return gram, self._gradient(X, gram)

    @takes_collections
    def gram(
        self,
        X: Any,
        Y: Any = None,
        *,
        out: NDArray[Any] | None = None,
        dtype: DTypeLike | None = None,
    ) -> NDArray[Any]:
        """k(A, A') for each ranking of X and each of Y, as :func:`.kendall_kernel`."""
        encode = self.encoder()
        left, right = read_both(X, Y, self.items, self.unranked)
        result_dtype = gram_dtype(dtype, out, left)
        return fill_gram(
            encode(left, result_dtype),
            None if right is None else encode(right, result_dtype),
            normalize=self.to_scale,
            out=out,
            dtype=result_dtype,
            n_jobs=self.n_jobs,
        )

    def diag(self, X: Any) -> Floats:
        """k(A, A) for each ranking, without the rest of the Gram matrix."""
        own = self._squares(X, self.encoder())
        return np.where(own > 0, 1.0, 0.0) if self.normalize else own

    def is_stationary(self) -> bool:
        """False: rankings are not vectors, so they have no differences."""
        return False

    def _squares(self, X: Any, encode: Encoder) -> Floats:
        return squares(encode(read_both(X, None, self.items, self.unranked)[0], FLOAT))

    def _gradient(self, X: Any, gram: NDArray[Any]) -> NDArray[Any]:
        """∂k/∂ log θ = θ·∂k/∂θ, for the one continuous parameter θ."""
        encode = self.encoder(derivative=True)
        rankings = read_both(X, None, self.items, self.unranked)[0]
        slopes = fill_gram(
            encode(rankings, FLOAT), None, normalize=False, dtype=FLOAT, n_jobs=self.n_jobs
        )
        if self.normalize:
            # A ranking with k(A, A) = 0 keeps 0, and has no slope.
            own = self._squares(X, self.encoder())
            inverse = np.divide(1.0, own, out=np.zeros_like(own), where=own > 0)
            own_slopes = self._squares(X, encode) * inverse
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
