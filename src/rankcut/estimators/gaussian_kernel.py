"""The Gaussian kernel between rankings as an object."""

from collections.abc import Hashable, Sequence

from sklearn.gaussian_process.kernels import Hyperparameter

from rankcut.estimators.ranking_kernel import RankingKernel
from rankcut.kernels.gaussian import gaussian_encoder
from rankcut.kernels.gram import Encoder
from rankcut.rankings import Unranked


class GaussianKernel(RankingKernel):
    """k(A, A') = exp(−‖e − e'‖²/(2ℓ²)); see :func:`~rankcut.kernels.gaussian_kernel`.

    Parameters
    ----------
    lengthscale : float
        ℓ, a hyper-parameter with a gradient.
    lengthscale_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for ℓ.
    unranked, normalize, items, n_jobs
        As in :func:`~rankcut.kernels.gaussian_kernel`.

    Examples
    --------
    >>> from rankcut import GaussianKernel
    >>> GaussianKernel()([[1, 2, 3]], [[1, 3, 2]]).round(3)
    array([[0.513]])
    """

    def __init__(
        self,
        lengthscale: float = 1.0,
        lengthscale_bounds: tuple[float, float] | str = (1e-3, 1e3),
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.lengthscale = lengthscale
        self.lengthscale_bounds = lengthscale_bounds
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.n_jobs = n_jobs

    @property
    def hyperparameter_lengthscale(self) -> Hyperparameter:
        """ℓ, as scikit-learn describes it."""
        return Hyperparameter("lengthscale", "numeric", self.lengthscale_bounds)

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        return gaussian_encoder(self.lengthscale, self.unranked, self.n_jobs, derivative=derivative)
