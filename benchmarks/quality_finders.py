"""Finders of neighbours in the quality benchmark: baselines, cuts with each option, the recipe.

Each gets lists and returns how similar the first few are to all; there is nothing to tune on.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from quality_methods import (
    MOST_MALLOWS,
    Borda,
    Listed,
    cut,
    item_graph,
    most_listed,
    places,
    walking_graph,
)
from quality_tasks import Lists, shared_agreement
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

from rankcut import AgreementGraph, DissimilarityGraph, Smoothing
from rankcut.graphs import NormalizedGraph
from rankcut.kernels import mallows_kernel, median_lambda
from rankcut.similar import LikenessFeatures


def _cosines(features: np.ndarray, n_queries: int) -> np.ndarray:
    unit = normalize(features)
    return unit[:n_queries] @ unit.T


def _order(ranks: np.ndarray) -> np.ndarray:
    """Centred positions within each list: what Pearson's correlation of ratings goes by."""
    listed = ~np.isnan(ranks)
    k = listed.sum(axis=1, keepdims=True)
    return np.where(listed, k + 1 - 2 * places(ranks), 0.0) / (k + 1)


def _common_taste(order: np.ndarray) -> np.ndarray:
    """Mean positions, as if each item had been listed once more in the middle; of unit length."""
    return normalize((order.sum(axis=0) / ((order != 0).sum(axis=0) + 1.0))[None])


def _typical(lists: Lists, n_queries: int) -> np.ndarray:
    """The people nearest to the mean positions, the same for everyone."""
    order = _order(lists.ranks)
    return np.tile(normalize(order) @ _common_taste(order)[0], (n_queries, 1))


def _order_and_common_taste(lists: Lists, n_queries: int) -> np.ndarray:
    """Own order, and three times as much what everyone shares."""
    order = _order(lists.ranks)
    vectors = normalize(order) + 3.0 * _common_taste(order)
    return np.asarray(vectors[:n_queries] @ vectors.T)


def _finder(make: Callable[[Lists], Any]) -> Callable[[Lists, int], np.ndarray]:
    def alike(lists: Lists, n_queries: int) -> np.ndarray:
        return _cosines(make(lists).fit(lists.ranks).transform(lists.ranks), n_queries)

    return alike


def _mallows_alike(lists: Lists, n_queries: int) -> np.ndarray:
    ranks, _ = most_listed(lists.ranks, lists.ranks)
    lam = median_lambda(ranks[:MOST_MALLOWS], unranked="last")
    return mallows_kernel(ranks[:n_queries], ranks, lam=lam, unranked="last", normalize=True)


def _smoothed(graph: Any) -> Any:
    return cut(
        unranked="anywhere",
        unlisted_weight=0.0,
        completions="closed_form",
        smoothing=Smoothing(2.0, graph),
    )()


def _recipe_neighbours(lists: Lists, n_queries: int) -> np.ndarray:
    vectors = LikenessFeatures(unranked="anywhere").fit_transform(lists.ranks)
    return np.asarray(vectors[:n_queries] @ vectors.T)


FINDERS: dict[str, Callable[[Lists, int], np.ndarray]] = {
    "majority": _typical,
    "Borda": _finder(lambda lists: Borda()),
    "listed": _finder(lambda lists: Listed()),
    "order": lambda lists, n: _cosines(_order(lists.ranks), n),
    "order, common": _order_and_common_taste,
    "Kendall": lambda lists, n: np.nan_to_num(shared_agreement(lists.ranks, n, 2)),
    "Mallows": _mallows_alike,
    "SVD": lambda lists, n: _cosines(
        TruncatedSVD(20, random_state=0).fit_transform(_order(lists.ranks)), n
    ),
    "cut": _finder(lambda lists: cut(item_graph(lists.points))()),
    "cut, dissimilarity": _finder(
        lambda lists: cut(DissimilarityGraph(item_graph(lists.points), ceiling="largest"))()
    ),
    "cut, normalised": _finder(lambda lists: cut(NormalizedGraph(item_graph(lists.points)))()),
    "cut, γ": _finder(lambda lists: cut(unlisted_weight="balanced")()),
    "cut, smoothed": _finder(lambda lists: _smoothed(walking_graph(lists.points))),
    "cut, from rankings": _finder(lambda lists: _smoothed(AgreementGraph())),
    "recipe": _recipe_neighbours,
}
