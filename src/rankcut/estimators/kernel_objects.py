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
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.gaussian_process.kernels import Hyperparameter

from rankcut.errors import InputError
from rankcut.estimators.ranking_kernel import RankingKernel
from rankcut.features.completions import Completions, Method
from rankcut.features.feature_map import MapOptions
from rankcut.features.smoothing import Smoothing
from rankcut.features.unlisted import UnlistedWeight
from rankcut.graphs import ItemGraph
from rankcut.graphs.gradients import learnable
from rankcut.graphs.item_features import ItemFeatures
from rankcut.kernels.diffusion import diffusion_encoder
from rankcut.kernels.gram import Encoder
from rankcut.kernels.graph_cut import GraphCutEncoder, vector_slopes
from rankcut.kernels.groups import DRAWS
from rankcut.kernels.kendall import kendall_encoder
from rankcut.kernels.mallows import mallows_encoder
from rankcut.kernels.overlap import overlap_encoder
from rankcut.kernels.spearman import spearman_encoder
from rankcut.kernels.weighted_kendall import Weights, weighted_kendall_encoder
from rankcut.parameters import seed_from
from rankcut.rankings import Unranked, read_rankings

Bounds = tuple[float, float] | str

# What is the same if it is the same object.
_UNCHANGING = (type(None), type, ItemGraph)


class GraphCutKernel(RankingKernel):
    """k(A, A') = ⟨φ(A), φ(A')⟩ with graph cut features φ; see :func:`~rankcut.graph_cut_kernel`.

    Parameters
    ----------
    graph, unranked, unlisted_weight, normalize, items, completions, smoothing, n_jobs
        As in :func:`~rankcut.graph_cut_kernel`.
    unlisted_weight_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for ``unlisted_weight``.

    Notes
    -----
    A Gaussian process also learns parameters of the graph that have bounds: the lengthscales of a
    :class:`~rankcut.SimilarityGraph` (also within a :class:`~rankcut.DissimilarityGraph`) and the
    weights of a :class:`~rankcut.MixedGraph`. Vectors are linear in the weights of the graph as
    long as the same groups are pooled, so gradients are exact there. Where pooling changes, the
    gradient is the mean of both sides.

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
        unlisted_weight_bounds: Bounds = "fixed",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        completions: Method | Completions = "auto",
        smoothing: float | Smoothing = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.graph = graph
        self.unranked = unranked
        self.unlisted_weight = unlisted_weight
        self.unlisted_weight_bounds = unlisted_weight_bounds
        self.normalize = normalize
        self.items = items
        self.completions = completions
        self.smoothing = smoothing
        self.n_jobs = n_jobs

    def _encoder(self, *, derivative: bool = False) -> Encoder:
        given = _values(self)
        if not _same(given, self.__dict__.get("_made_for", [])):
            self._made_for, self._made = given, self._make_encoder()
        return self._made

    def __getstate__(self) -> dict[str, Any]:
        return {name: vars(self)[name] for name in self.get_params(deep=False)}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; with ``deep``, also those of the graph that are learned.

        Parameters
        ----------
        deep : bool
            Whether to look into the graph.
        """
        known: dict[str, Any] = super().get_params()
        if deep:
            for each in learnable(self.graph):
                known[f"graph__{each.name}"] = self.graph.get_params()[each.name]
        return known

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        """What a Gaussian process learns: γ and parameters of the graph, where they have bounds."""
        found = [Hyperparameter("unlisted_weight", "numeric", self.unlisted_weight_bounds)]
        weight = self.unlisted_weight
        if not found[0].fixed and (isinstance(weight, str) or not weight > 0):
            raise InputError(
                f"is {weight!r}; a parameter that is learned needs a number above 0 to start from",
                parameter="unlisted_weight",
            )
        for each in learnable(self.graph):
            found.append(
                Hyperparameter(f"graph__{each.name}", "numeric", each.bounds, each.n_elements)
            )
        return [each for each in found if not each.fixed]

    def _make_encoder(self) -> GraphCutEncoder:
        return GraphCutEncoder(self.graph, self._options())

    def _options(self) -> MapOptions:
        return MapOptions(
            unranked=self.unranked,
            unlisted_weight=self.unlisted_weight,
            normalize=self.normalize,
            completions=self.completions,
            smoothing=self.smoothing,
            n_jobs=self.n_jobs,
        )

    def _gradient(self, X: Any, gram: NDArray[Any]) -> NDArray[Any]:
        rankings = read_rankings(X, self.items)
        vectors, slopes = vector_slopes(
            rankings,
            self.graph,
            self._options(),
            unlisted_weight=self.unlisted_weight_bounds != "fixed",
        )
        own = np.einsum("rf,rf->r", vectors, vectors)
        inverse = np.divide(1.0, own, out=np.zeros_like(own), where=own > 0)
        gradients = np.empty((*gram.shape, len(slopes)))
        for number, slope in enumerate(slopes):
            products = slope @ vectors.T
            gradient = products + products.T
            if self.normalize:
                gradient *= np.sqrt(np.outer(inverse, inverse))
                own_slopes = np.diag(products) * inverse
                gradient -= gram * (own_slopes[:, np.newaxis] + own_slopes)
            gradients[:, :, number] = gradient
        return gradients


def _values(parameter: Any) -> list[Any]:
    """All values of a parameter; arrays are copied, because they may change."""
    if isinstance(parameter, np.ndarray):
        return [parameter.copy()]
    if hasattr(parameter, "get_params") and not isinstance(parameter, type):
        parts = [type(parameter), *parameter.get_params().values()]
    elif isinstance(parameter, ItemFeatures):
        parts = [getattr(parameter, field.name) for field in fields(parameter)]
    elif isinstance(parameter, tuple):
        parts = list(parameter)
    elif isinstance(parameter, dict):
        parts = list(parameter.items())
    else:
        return [parameter]
    return [each for part in parts for each in _values(part)]


def _same(values: list[Any], others: list[Any]) -> bool:
    """Whether nothing changed; of what may change unseen, such as a frame, that is never sure."""
    return len(values) == len(others) and all(
        isinstance(other, np.ndarray) and np.array_equal(value, other)
        if isinstance(value, np.ndarray)
        else (value is other and isinstance(value, _UNCHANGING))
        or (isinstance(value, int | float | str) and type(value) is type(other) and value == other)
        for value, other in zip(values, others, strict=True)
    )


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
    >>> from rankcut import SpearmanKernel
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
    """k(A, A') = mean of exp(−λ·discordant pairs); see :func:`~rankcut.kernels.mallows_kernel`.

    Parameters
    ----------
    lam : float
        λ, a hyper-parameter with a gradient. :func:`~rankcut.kernels.median_lambda` is a good
        start.
    lam_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for λ.
    unranked, normalize, items, n_draws, random_state, n_jobs
        As in :func:`~rankcut.kernels.mallows_kernel`. With ``random_state=None``, rankings have
        other draws in each call, and predictions are made with another kernel than was fitted.

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
        β, a hyper-parameter with a gradient; 2·log(n)/n is a good start. Values are small, so
        ``normalize=True`` is in place, or a factor to be learned.
    beta_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for β.
    unranked, normalize, items, n_draws, random_state, n_jobs
        As in :func:`~rankcut.kernels.diffusion_kernel`. With ``random_state=None``, rankings have
        other draws in each call, and predictions are made with another kernel than was fitted.

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

    # An item that is not ranked is not on the list: there is nothing to choose.
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
