"""Kernels as objects: what scikit-learn takes as ``kernel=``.

Each works in ``SVC(kernel=…)``, ``KernelPCA(kernel=…)`` and
``GaussianProcessClassifier(kernel=…)``, there also as part of a sum or product such as
``2.0 * MallowsKernel(0.1)``; λ and β are hyper-parameters that a Gaussian process learns by their
gradients.

Rankings that leave items unranked, as NaN, have to pass scikit-learn's own checks of X, which come
before the kernel is called:

- ``SVC`` (and ``SVR``, ``NuSVC``, ``OneClassSVM``) with a kernel object does not check: NaN passes.
- ``KernelPCA`` and Gaussian processes refuse NaN. Tell them that the kernel checks X:
  ``with sklearn.config_context(assume_finite=True): model.fit(X, y)``, and the same around
  ``predict`` and ``transform``.
- ``KernelPCA`` and ``SVC`` also take a sparse rank matrix, in which unranked items are absent.
- All that take ``kernel="precomputed"`` take the Gram matrix of any rankings.
"""

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Hyperparameter

from rankcut.errors import InputError
from rankcut.kernels.diffusion import diffusion_encoder
from rankcut.kernels.gram import Encoder
from rankcut.kernels.groups import DRAWS
from rankcut.kernels.kendall import kendall_encoder
from rankcut.kernels.mallows import mallows_encoder
from rankcut.kernels.overlap import overlap_encoder
from rankcut.kernels.radial import Shape, radial_encoder
from rankcut.kernels.ranking_kernel import Bounds, RankingKernel
from rankcut.kernels.spearman import spearman_encoder
from rankcut.kernels.weighted_kendall import Weights, weighted_kendall_encoder
from rankcut.parameters import seed_from
from rankcut.rankings import Unranked


class _PlainKernel(RankingKernel):
    """A kernel with no parameters of its own."""

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


class SpearmanKernel(_PlainKernel):
    """k(A, A') = Σ_i φ_i φ'_i of centred positions; see :func:`~rankcut.kernels.spearman_kernel`.

    Parameters
    ----------
    unranked, normalize, items, n_jobs
        As in :func:`~rankcut.kernels.spearman_kernel`.

    Examples
    --------
    >>> from rankcut.kernels import SpearmanKernel
    >>> SpearmanKernel(normalize=True)([[1, 2, 3]], [[1, 3, 2]])
    array([[0.5]])
    """

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        return spearman_encoder(self.unranked, self.n_jobs)


class KendallKernel(_PlainKernel):
    """Mean agreement on the order of pairs of items; see :func:`~rankcut.kernels.kendall_kernel`.

    Parameters
    ----------
    unranked, normalize, items, n_jobs
        As in :func:`~rankcut.kernels.kendall_kernel`.

    Examples
    --------
    >>> from sklearn.decomposition import KernelPCA
    >>> from rankcut import KendallKernel, make_food
    >>> food = make_food(50, random_state=0)
    >>> KernelPCA(2, kernel=KendallKernel()).fit_transform(food.ranks).shape
    (50, 2)
    """

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        return kendall_encoder(self.unranked, self.n_jobs)


class WeightedKendallKernel(RankingKernel):
    """Agreement on pairs, by position; see :func:`~rankcut.kernels.weighted_kendall_kernel`.

    Parameters
    ----------
    weights, k, position_weights, unranked, normalize, items, n_jobs
        As in :func:`~rankcut.kernels.weighted_kendall_kernel`.

    Examples
    --------
    >>> from rankcut.kernels import WeightedKendallKernel
    >>> WeightedKendallKernel("top-k", k=2)([[1, 2, 3]], [[1, 2, 3], [2, 1, 3]])
    array([[1., 0.]])
    """

    def __init__(
        self,
        weights: Weights = "average",
        *,
        k: int | None = None,
        position_weights: ArrayLike | None = None,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.weights = weights
        self.k = k
        self.position_weights = position_weights
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.n_jobs = n_jobs

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        return weighted_kendall_encoder(
            self.weights, self.k, self.position_weights, self.unranked, self.n_jobs
        )


class MallowsKernel(RankingKernel):
    """k(A, A') = mean of exp(−λ·discordant pairs); see :func:`~rankcut.kernels.mallows_kernel`.

    Parameters
    ----------
    lam : float
        λ, a hyper-parameter with a gradient. :func:`~rankcut.kernels.median_lambda` is a good
        start.
    lam_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for λ.
    unranked, normalize, items, n_draws, random_state, n_jobs
        As in :func:`~rankcut.kernels.mallows_kernel`. With ``random_state=None``, each
        call draws again, so predictions would use another kernel than the one that was fitted.

    Examples
    --------
    >>> from sklearn.gaussian_process import GaussianProcessClassifier
    >>> from rankcut import MallowsKernel, make_food
    >>> from rankcut.kernels import median_lambda
    >>> food = make_food(80, noise=0.3, random_state=0)
    >>> kernel = MallowsKernel(median_lambda(food.ranks))
    >>> model = GaussianProcessClassifier(kernel).fit(food.ranks, food.target)
    >>> round(float(model.kernel_.lam), 2)
    0.08
    """

    def __init__(
        self,
        lam: float,
        lam_bounds: Bounds = (1e-5, 1e5),
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_draws: int = DRAWS,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.lam = lam
        self.lam_bounds = lam_bounds
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.n_draws = n_draws
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def hyperparameter_lam(self) -> Hyperparameter:
        """λ, as scikit-learn describes it."""
        return Hyperparameter("lam", "numeric", self.lam_bounds)

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        return mallows_encoder(
            self.lam,
            self.unranked,
            self.n_draws,
            seed_from(self.random_state),
            self.n_jobs,
            normalize=self.normalize,
            derivative=derivative,
        )


class DiffusionKernel(RankingKernel):
    """exp(−β·L) on the graph of transpositions; see :func:`~rankcut.kernels.diffusion_kernel`.

    Parameters
    ----------
    beta : float
        β, a hyper-parameter with a gradient; 2·log(n)/n is a good start. Values are small, so use
        ``normalize=True``, or a factor that is learned.
    beta_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for β.
    unranked, normalize, items, n_draws, random_state, n_jobs
        As in :func:`~rankcut.kernels.diffusion_kernel`. With ``random_state=None``, each
        call draws again, so predictions would use another kernel than the one that was fitted.

    Examples
    --------
    >>> from rankcut.kernels import DiffusionKernel
    >>> DiffusionKernel(0.3, normalize=True)([[1, 2, 3]], [[1, 2, 3], [2, 1, 3]]).round(3)
    array([[1.   , 0.299]])
    """

    def __init__(
        self,
        beta: float,
        beta_bounds: Bounds = (1e-5, 1e5),
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_draws: int = DRAWS,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.beta = beta
        self.beta_bounds = beta_bounds
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.n_draws = n_draws
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def hyperparameter_beta(self) -> Hyperparameter:
        """β, as scikit-learn describes it."""
        return Hyperparameter("beta", "numeric", self.beta_bounds)

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        return diffusion_encoder(
            self.beta,
            self.unranked,
            self.n_draws,
            seed_from(self.random_state),
            self.n_jobs,
            derivative=derivative,
        )


class RBOKernel(RankingKernel):
    """Rank-biased overlap of two lists; see :func:`~rankcut.rbo_kernel`.

    Parameters
    ----------
    p, normalize, items, n_jobs
        As in :func:`~rankcut.rbo_kernel`.

    Examples
    --------
    >>> from rankcut import RBOKernel
    >>> nan = float("nan")
    >>> lists = [[1, 2, nan, nan], [1, nan, 2, nan], [nan, nan, 1, 2]]
    >>> RBOKernel(normalize=True).nearest(lists, k=1).rows
    array([[1],
           [0],
           [1]])
    """

    # An item that is not ranked is not on the list: there is no choice to make.
    unranked = "anywhere"

    def __init__(
        self,
        p: float = 0.9,
        *,
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.p = p
        self.normalize = normalize
        self.items = items
        self.n_jobs = n_jobs

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        return overlap_encoder(self.p)


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
        As in :func:`~rankcut.kernels.gaussian_kernel`; they apply to ``base`` too.

    Examples
    --------
    >>> from rankcut import GraphCutKernel
    >>> from rankcut.kernels import GaussianKernel
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
    >>> from rankcut.kernels import LaplaceKernel
    >>> LaplaceKernel()([[1, 2, 3]], [[1, 3, 2]]).round(3)
    array([[0.315]])
    """

    _shape = "laplace"
