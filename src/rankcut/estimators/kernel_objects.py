"""Kernels as objects: what scikit-learn takes as ``kernel=``.

Each works in ``SVC(kernel=…)``, ``KernelPCA(kernel=…)`` and
``GaussianProcessClassifier(kernel=…)``, there also as part of a sum or product such as
``2.0 * MallowsKernel(0.1)``; λ and β are hyper-parameters that a Gaussian process learns by their
gradients.

Rankings that leave items unranked, as NaN, have to pass scikit-learn's own checks of X, which come
before the kernel is called:

- ``SVC`` (and ``SVR``, ``NuSVC``, ``OneClassSVM``) with a kernel object does not check: NaN passes.
- ``KernelPCA`` and Gaussian processes refuse NaN. Say that X is checked already, as it is by the
  kernel: ``with sklearn.config_context(assume_finite=True): model.fit(X, y)``, and the same around
  ``predict`` and ``transform``.
- ``KernelPCA`` and ``SVC`` also take a sparse rank matrix, in which unranked items are absent.
- All that take ``kernel="precomputed"`` take the Gram matrix of any rankings.
"""

from collections.abc import Hashable, Sequence
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.gaussian_process.kernels import Hyperparameter, Kernel

from rankcut.completions import CompletionOptions, Method, Sampler, UnlistedWeight
from rankcut.kernels.diffusion import diffusion_encoder
from rankcut.kernels.gram import Encoder, gram_matrix, squares
from rankcut.kernels.graph_cut import graph_cut_encoder
from rankcut.kernels.kendall import kendall_encoder
from rankcut.kernels.linear_completions import DRAWS
from rankcut.kernels.mallows import mallows_encoder
from rankcut.kernels.nearest import Nearest, nearest_rankings
from rankcut.kernels.spearman import spearman_encoder
from rankcut.kernels.weighted_kendall import Weights, weighted_kendall_encoder
from rankcut.rankings import Unranked, read_rankings
from rankcut.seeds import seed_from
from rankcut.setfunctions import Algorithm

Bounds = tuple[float, float] | str


class RankingKernel(Kernel):
    """A kernel between rankings, in scikit-learn's interface for kernels.

    Call it on two rank matrices, or on one for its own Gram matrix.
    """

    unranked: Unranked
    normalize: bool
    items: Sequence[Hashable] | None
    n_jobs: int | None

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """The Gram matrix, and its gradient by the logarithm of the hyper-parameter if asked.

        Parameters
        ----------
        X, Y : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrices. Y is None: X with itself.
        eval_gradient : bool
            Return the gradient as well, of shape (n_rankings, n_rankings, n_dims).
        """
        gram = self._gram(X, Y, self._encoder(), normalize=self.normalize)
        if not eval_gradient:
            return gram
        if Y is not None:
            raise ValueError("the gradient is for X with itself: leave Y out")
        if self.n_dims == 0:
            return gram, np.empty((*gram.shape, 0))
        return gram, self._gradient(X, gram)[:, :, np.newaxis]

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
            The rankings to choose from; None is X, each without itself. X and Y may be Dask
            collections, and the results are Dask arrays then.
        k : int
            How many.

        Returns
        -------
        values : ndarray of shape (n_rankings_x, k)
            The kernel, largest first.
        rows : ndarray of shape (n_rankings_x, k)
            The rows of Y; among equal values the first rows come first.

        Examples
        --------
        >>> from rankcut import SpearmanKernel
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
        """False: rankings are no vectors with differences."""
        return False

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        raise NotImplementedError

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
        """∂k/∂ log θ = θ·∂k/∂θ, for the one continuous parameter θ."""
        encoder = self._encoder(derivative=True)
        slopes = self._gram(X, None, encoder, normalize=False)
        if self.normalize:
            own = self._squares(X, self._encoder())
            own_slopes = self._squares(X, encoder) / own
            slopes /= np.sqrt(np.outer(own, own))
            slopes -= gram * (own_slopes[:, np.newaxis] + own_slopes) / 2.0
        return np.asarray(np.exp(self.theta[0]) * slopes)

    def __repr__(self) -> str:
        defaults = signature(type(self)).parameters
        values = self.get_params()
        shown = [
            f"{name}={value!r}"
            for name, value in values.items()
            if defaults[name].default is not value and np.any(defaults[name].default != value)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


class GraphCutKernel(RankingKernel):
    """k(A, A') = ⟨φ(A), φ(A')⟩ with graph cut features φ; see :func:`~rankcut.graph_cut_kernel`.

    Parameters
    ----------
    graph, unranked, unlisted_weight, tie_unlisted, normalize, items, completions, sampler, \
n_draws, tolerance, random_state, smoothing, smoothing_graph, algorithm, n_jobs
        As in :func:`~rankcut.graph_cut_kernel`.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from rankcut import GraphCutKernel, SimilarityGraph, make_food
    >>> food = make_food(200, noise=0.3, random_state=0)
    >>> kernel = GraphCutKernel(SimilarityGraph(food.item_features), normalize=True)
    >>> model = SVC(kernel=kernel).fit(food.ranks[:150], food.target[:150])
    >>> model.score(food.ranks[150:], food.target[150:]) > 0.9
    True
    """

    def __init__(
        self,
        graph: Any = None,
        *,
        unranked: Unranked = "error",
        unlisted_weight: UnlistedWeight = 1.0,
        tie_unlisted: bool = True,
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        completions: Method = "auto",
        sampler: Sampler = "controlled",
        n_draws: int | None = None,
        tolerance: float | None = None,
        random_state: int | np.random.RandomState | None = 0,
        smoothing: float = 0.0,
        smoothing_graph: Any = None,
        algorithm: Algorithm = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.graph = graph
        self.unranked = unranked
        self.unlisted_weight = unlisted_weight
        self.tie_unlisted = tie_unlisted
        self.normalize = normalize
        self.items = items
        self.completions = completions
        self.sampler = sampler
        self.n_draws = n_draws
        self.tolerance = tolerance
        self.random_state = random_state
        self.smoothing = smoothing
        self.smoothing_graph = smoothing_graph
        self.algorithm = algorithm
        self.n_jobs = n_jobs

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        options = CompletionOptions(
            self.completions,
            self.sampler,
            self.n_draws,
            self.tolerance,
            seed_from(self.random_state),
        )
        return graph_cut_encoder(
            self.graph,
            self.unranked,
            self.unlisted_weight,
            self.tie_unlisted,
            self.normalize,
            options,
            self.smoothing,
            self.smoothing_graph,
            self.algorithm,
            self.n_jobs,
        )


class SpearmanKernel(RankingKernel):
    """k(A, A') = Σ_i φ_i φ'_i with centred positions φ; see :func:`~rankcut.spearman_kernel`.

    Parameters
    ----------
    unranked, normalize, items, n_jobs
        As in :func:`~rankcut.spearman_kernel`.

    Examples
    --------
    >>> from rankcut import SpearmanKernel
    >>> SpearmanKernel(normalize=True)([[1, 2, 3]], [[1, 3, 2]])
    array([[0.5]])
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

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        return spearman_encoder(self.unranked, self.n_jobs)


class KendallKernel(SpearmanKernel):
    """Mean agreement on the order of pairs of items; see :func:`~rankcut.kendall_kernel`.

    Parameters
    ----------
    unranked, normalize, items, n_jobs
        As in :func:`~rankcut.kendall_kernel`.

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
    """Agreement on pairs weighted by position; see :func:`~rankcut.weighted_kendall_kernel`.

    Parameters
    ----------
    weights, k, position_weights, unranked, normalize, items, n_jobs
        As in :func:`~rankcut.weighted_kendall_kernel`.

    Examples
    --------
    >>> from rankcut import WeightedKendallKernel
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
    """k(A, A') = mean of exp(−λ·discordant pairs); see :func:`~rankcut.mallows_kernel`.

    Parameters
    ----------
    lam : float
        λ, a hyper-parameter with a gradient. :func:`~rankcut.median_lambda` is a good start.
    lam_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for λ.
    unranked, normalize, items, n_draws, random_state, n_jobs
        As in :func:`~rankcut.mallows_kernel`. With ``random_state=None``, rankings have other
        draws in each call, and predictions are made with another kernel than was fitted.

    Examples
    --------
    >>> from sklearn.gaussian_process import GaussianProcessClassifier
    >>> from rankcut import MallowsKernel, make_food, median_lambda
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
    """exp(−β·L) on the graph of transpositions; see :func:`~rankcut.diffusion_kernel`.

    Parameters
    ----------
    beta : float
        β, a hyper-parameter with a gradient; 2·log(n)/n is a good start. Values are small, so
        ``normalize=True`` is in place, or a factor to be learned.
    beta_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for β.
    unranked, normalize, items, n_draws, random_state, n_jobs
        As in :func:`~rankcut.diffusion_kernel`. With ``random_state=None``, rankings have other
        draws in each call, and predictions are made with another kernel than was fitted.

    Examples
    --------
    >>> from rankcut import DiffusionKernel
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
