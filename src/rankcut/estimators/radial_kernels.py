"""Gaussian and Laplace kernels between rankings as objects."""

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from sklearn.base import clone
from sklearn.gaussian_process.kernels import Hyperparameter

from rankcut.errors import InputError
from rankcut.estimators.ranking_kernel import Bounds, RankingKernel
from rankcut.kernels.gram import Encoder
from rankcut.kernels.kendall import kendall_encoder
from rankcut.kernels.radial import Shape, radial_encoder
from rankcut.rankings import Unranked


class _RadialKernel(RankingKernel):
    """A kernel that falls with the distance of two rankings."""

    _shape: ClassVar[Shape]

    def __init__(
        self,
        lengthscale: float = 1.0,
        lengthscale_bounds: Bounds = (1e-3, 1e3),
        *,
        base: Any = None,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.lengthscale = lengthscale
        self.lengthscale_bounds = lengthscale_bounds
        self.base = base
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.n_jobs = n_jobs

    @property
    def hyperparameter_lengthscale(self) -> Hyperparameter:
        """ℓ, as scikit-learn describes it."""
        return Hyperparameter("lengthscale", "numeric", self.lengthscale_bounds)

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        return radial_encoder(
            self._shape, self.lengthscale, self._distances(), derivative=derivative
        )

    def _distances(self) -> Encoder:
        if self.base is None:
            return kendall_encoder(self.unranked, self.n_jobs)
        if not isinstance(self.base, RankingKernel):
            raise InputError(
                f"must be a kernel between rankings, such as GraphCutKernel(); got {self.base!r}",
                parameter="base",
            )
        if self.base.normalize:
            raise InputError("must not be normalised", parameter="base")
        base = clone(self.base)
        known = base.get_params(deep=False)
        base.set_params(
            **{
                name: getattr(self, name)
                for name in ("unranked", "items", "n_jobs")
                if name in known
            }
        )
        encoder: Encoder = base._encoder()
        return encoder


class GaussianKernel(_RadialKernel):
    """k(A, A') = exp(−‖e − e'‖²/(2ℓ²)); see :func:`~rankcut.kernels.gaussian_kernel`.

    Parameters
    ----------
    lengthscale : float
        ℓ, a hyper-parameter with a gradient.
    lengthscale_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for ℓ.
    base : kernel between rankings or None
        The kernel whose vectors e are compared, such as ``GraphCutKernel(graph)``; None is
        Kendall's. Kernels are characteristic only if different rankings have different vectors.
    unranked, normalize, items, n_jobs
        As in :func:`~rankcut.kernels.gaussian_kernel`; they hold for ``base``, too.

    Examples
    --------
    >>> from rankcut import GraphCutKernel
    >>> from rankcut.estimators import GaussianKernel
    >>> GaussianKernel()([[1, 2, 3]], [[1, 3, 2]]).round(3)
    array([[0.513]])
    >>> GaussianKernel(2.0, base=GraphCutKernel())([[1, 2, 3]], [[1, 3, 2]]).round(3)
    array([[0.368]])
    """

    _shape = "gaussian"


class LaplaceKernel(_RadialKernel):
    """k(A, A') = exp(−‖e − e'‖/ℓ); see :func:`~rankcut.kernels.laplace_kernel`.

    Parameters
    ----------
    lengthscale, lengthscale_bounds, base, unranked, normalize, items, n_jobs
        As in :class:`GaussianKernel`.

    Examples
    --------
    >>> from rankcut.estimators import LaplaceKernel
    >>> LaplaceKernel()([[1, 2, 3]], [[1, 3, 2]]).round(3)
    array([[0.315]])
    """

    _shape = "laplace"
