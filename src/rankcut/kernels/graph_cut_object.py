"""The graph cut kernel as an object, whose graph a Gaussian process can learn."""

from collections.abc import Hashable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import Hyperparameter

from rankcut.cuts.completions import Completions, Method
from rankcut.cuts.feature_map import MapOptions
from rankcut.cuts.smoothing import Smoothing
from rankcut.cuts.unlisted import UnlistedWeight
from rankcut.errors import InputError
from rankcut.graphs import ItemGraph
from rankcut.graphs.gradients import learnable
from rankcut.graphs.item_features import ItemFeatures
from rankcut.kernels.gram import Encoder
from rankcut.kernels.graph_cut import GraphCutEncoder, vector_slopes
from rankcut.kernels.ranking_kernel import Bounds, RankingKernel
from rankcut.rankings import Unranked, read_rankings

# Objects of these types do not change: the same object has the same value.
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
    weights of a :class:`~rankcut.graphs.MixedGraph`. Vectors are linear in the graph's weights
    while the same groups are pooled, so gradients are exact there. Where pooling changes, the
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
    """Whether nothing changed; False for what may change unseen, such as a frame."""
    return len(values) == len(others) and all(
        isinstance(other, np.ndarray) and np.array_equal(value, other)
        if isinstance(value, np.ndarray)
        else (value is other and isinstance(value, _UNCHANGING))
        or (isinstance(value, int | float | str) and type(value) is type(other) and value == other)
        for value, other in zip(values, others, strict=True)
    )
