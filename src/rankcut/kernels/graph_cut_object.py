"""The graph cut kernel as an object."""

from collections.abc import Hashable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from rankcut.cuts.completions import Completions, Method
from rankcut.cuts.feature_map import MapOptions
from rankcut.cuts.smoothing import Smoothing
from rankcut.cuts.unlisted import UnlistedWeight
from rankcut.graphs import ItemGraph
from rankcut.graphs.item_features import ItemFeatures
from rankcut.kernels.gram import Encoder
from rankcut.kernels.graph_cut import GraphCutEncoder
from rankcut.kernels.ranking_kernel import RankingKernel
from rankcut.rankings import Unranked

# Objects of these types do not change: the same object has the same value.
_UNCHANGING = (type(None), type, ItemGraph)


class GraphCutKernel(RankingKernel):
    """k(A, A') = ⟨φ(A), φ(A')⟩ with graph cut features φ; see :func:`~rankcut.graph_cut_kernel`.

    Parameters
    ----------
    graph, unranked, unlisted_weight, normalize, items, completions, smoothing, n_jobs
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
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        completions: Method | Completions = "auto",
        smoothing: float | Smoothing = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.graph = graph
        self.unranked = unranked
        self.unlisted_weight = unlisted_weight
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
