"""What methods of the quality benchmark share: features, graphs, and what each may see."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning

from rankcut import (
    AgreementGraph,
    GraphCutFeatures,
    NeighborGraph,
    SimilarityGraph,
)

# What makes expensive baselines feasible; the report says so. Support vector machines and boosting
# see the items most often listed, and the former the first labels.
MOST_ITEMS = 100
MOST_KENDALL = 500
MOST_MALLOWS = 200
MOST_ITEMS_DENSE = 200

Maker = Callable[[], Any]


class Borda(TransformerMixin, BaseEstimator):
    """n + 1 − 2·rank with unlisted items tied last, or k + 1 − 2·rank with them in the middle."""

    def __init__(self, unlisted: str = "last") -> None:
        self.unlisted = unlisted

    def fit(self, X: np.ndarray, y: Any = None) -> "Borda":
        """Learn nothing."""
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Features of rankings."""
        listed = ~np.isnan(X)
        k = listed.sum(axis=1, keepdims=True)
        if self.unlisted == "middle":
            return np.where(listed, k + 1 - 2 * places(X), 0.0)
        return np.where(listed, X.shape[1] + 1 - 2 * places(X), -k)


class Listed(TransformerMixin, BaseEstimator):
    """Which items are listed at all."""

    def fit(self, X: np.ndarray, y: Any = None) -> "Listed":
        """Learn nothing."""
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Features of rankings."""
        return (~np.isnan(X)).astype(float)


def places(ranks: np.ndarray) -> np.ndarray:
    """1 for the first listed item and so on, tied ones at their mean; NaN if not listed."""
    return rankdata(ranks, axis=1, nan_policy="omit")


def item_graph(points: np.ndarray | None) -> Any:
    """The graph that a user would choose: of item features, or else of the rankings."""
    if points is None:
        return AgreementGraph()
    if len(points) > MOST_ITEMS_DENSE:
        return NeighborGraph(points, n_neighbors=20)
    return SimilarityGraph(points)


def walking_graph(points: np.ndarray | None) -> Any:
    """The graph to smooth over: near neighbours only, or else one learned from the rankings."""
    if points is None:
        return AgreementGraph()
    return NeighborGraph(points, n_neighbors=min(10, len(points) // 3))


def cut(graph: Any = None, **options: Any) -> Maker:
    return partial(GraphCutFeatures, graph, **{"unranked": "last", "normalize": True, **options})


def most_listed(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both without rarely listed items, for methods too slow for a large catalogue."""
    kept = np.argsort(-(~np.isnan(train)).sum(axis=0), kind="stable")[:MOST_ITEMS]
    return train[:, kept], test[:, kept]


def quietly(work: Callable[..., np.ndarray], *arguments: Any) -> np.ndarray:
    """A solver that stops early is part of what is measured, not news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return work(*arguments)
