"""The methods of the quality benchmark: baselines, graph cut features with each option, the recipe.

A classifier gets rankings to learn from, their labels and rankings to judge, and returns scores. A
finder of neighbours gets lists and returns how much alike the first few are to all. Whatever there
is to choose is chosen by folds of the training part, except in the recipe, which needs none.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from quality_tasks import Lists, shared_agreement
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from rankcut import (
    AgreementGraph,
    CoListingGraph,
    DissimilarityGraph,
    GraphCutFeatures,
    NeighborGraph,
    NormalizedGraph,
    RankingClassifier,
    SimilarityGraph,
    TasteFeatures,
    kendall_kernel,
    mallows_kernel,
    median_lambda,
)

# Strengths of the penalty, for features whose rows have mean square 1.
PENALTIES = (0.1, 1.0, 10.0, 100.0)
FOLDS = 3

# What makes expensive baselines feasible; the report says so. Support vector machines and boosting
# see the items most often listed, and the former the first labels.
MOST_ITEMS = 100
MOST_KENDALL = 500
MOST_MALLOWS = 200
MOST_ITEMS_DENSE = 200

STEPS = (1.0, 4.0)

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
            return np.where(listed, k + 1 - 2 * _places(X), 0.0)
        return np.where(listed, X.shape[1] + 1 - 2 * _places(X), -k)


class Listed(TransformerMixin, BaseEstimator):
    """Which items are listed at all."""

    def fit(self, X: np.ndarray, y: Any = None) -> "Listed":
        """Learn nothing."""
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Features of rankings."""
        return (~np.isnan(X)).astype(float)


class BordaSVD(TransformerMixin, BaseEstimator):
    """Borda positions reduced to a few dimensions."""

    def __init__(self, borda: Any = None, rank: int = 10) -> None:
        self.borda = borda
        self.rank = rank

    def fit(self, X: np.ndarray, y: Any = None) -> "BordaSVD":
        """Find the directions."""
        rank = min(self.rank, X.shape[1] - 1)
        self.svd_ = TruncatedSVD(rank, random_state=0).fit(self.borda.transform(X))
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Features of rankings."""
        return self.svd_.transform(self.borda.transform(X))


def _places(ranks: np.ndarray) -> np.ndarray:
    """1 for the first listed item and so on, tied ones at their mean; NaN if not listed."""
    return rankdata(ranks, axis=1, nan_policy="omit")


def item_graph(points: np.ndarray | None) -> Any:
    """The graph that a user would take: of item features, or else of the rankings."""
    if points is None:
        return AgreementGraph()
    if len(points) > MOST_ITEMS_DENSE:
        return NeighborGraph(points, n_neighbors=20)
    return SimilarityGraph(points)


def walking_graph(points: np.ndarray | None) -> Any:
    """The graph to smooth over: near neighbours alone, or else what the rankings tell."""
    if points is None:
        return AgreementGraph()
    return NeighborGraph(points, n_neighbors=min(10, len(points) // 3))


def scaled(train: np.ndarray, *others: np.ndarray) -> list[np.ndarray]:
    size = np.sqrt((train**2).sum(axis=1).mean()) or 1.0
    return [part / size for part in (train, *others)]


def logistic(penalty: float, n_features: int) -> LogisticRegression:
    solver = "newton-cholesky" if n_features <= MOST_ITEMS_DENSE else "lbfgs"
    return LogisticRegression(C=penalty, solver=solver, max_iter=300, tol=1e-3)


def by_logistic_regression(
    makers: Sequence[Maker], train: np.ndarray, labels: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """Logistic regression on the features, and with the penalty, that folds choose."""
    losses = np.zeros((len(makers), len(PENALTIES)))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for learn, judge in folds.split(train, labels):
        for row, make in enumerate(makers):
            maker = make().fit(train[learn])
            known, unknown = scaled(maker.transform(train[learn]), maker.transform(train[judge]))
            for column, penalty in enumerate(PENALTIES):
                model = logistic(penalty, known.shape[1]).fit(known, labels[learn])
                losses[row, column] += log_loss(
                    labels[judge], model.predict_proba(unknown)[:, 1], labels=[0, 1]
                )
    row, column = np.unravel_index(np.argmin(losses), losses.shape)
    maker = makers[row]().fit(train)
    known, unknown = scaled(maker.transform(train), maker.transform(test))
    model = logistic(PENALTIES[column], known.shape[1]).fit(known, labels)
    return np.asarray(model.decision_function(unknown))


def by_kernel(
    kernels: Sequence[Callable[..., np.ndarray]],
    train: np.ndarray,
    labels: np.ndarray,
    test: np.ndarray,
) -> np.ndarray:
    """A support vector machine with the kernel and the penalty that folds choose."""
    train, test = _most_listed(train, test)
    losses = np.zeros((len(kernels), len(PENALTIES)))
    grams = [kernel(train) for kernel in kernels]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for learn, judge in folds.split(train, labels):
        for row, gram in enumerate(grams):
            for column, penalty in enumerate(PENALTIES):
                model = SVC(C=penalty, kernel="precomputed", class_weight="balanced")
                model.fit(gram[np.ix_(learn, learn)], labels[learn])
                scores = model.decision_function(gram[np.ix_(judge, learn)])
                hinge = np.maximum(0.0, 1.0 - np.where(labels[judge] == 1, scores, -scores))
                losses[row, column] += hinge.mean()
    row, column = np.unravel_index(np.argmin(losses), losses.shape)
    model = SVC(C=PENALTIES[column], kernel="precomputed", class_weight="balanced")
    return np.asarray(model.fit(grams[row], labels).decision_function(kernels[row](test, train)))


def _most_listed(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both without items that few list, for what is too slow with all of a large catalogue."""
    kept = np.argsort(-(~np.isnan(train)).sum(axis=0), kind="stable")[:MOST_ITEMS]
    return train[:, kept], test[:, kept]


def majority(lists: Lists, train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    return np.zeros(len(test))


def kendall(lists: Lists, train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    train, labels = train[:MOST_KENDALL], labels[:MOST_KENDALL]
    ways = ["last", *(["anywhere"] if np.isnan(train).any() else [])]
    kernels = [partial(kendall_kernel, unranked=way, normalize=True) for way in ways]
    return by_kernel(kernels, train, labels, test)


def mallows(lists: Lists, train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    train, labels = train[:MOST_MALLOWS], labels[:MOST_MALLOWS]
    lam = median_lambda(_most_listed(train, test)[0], unranked="last")
    kernel = partial(mallows_kernel, lam=lam, unranked="last", normalize=True)
    return by_kernel([kernel], train, labels, test)


def boosting(lists: Lists, train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    known, unknown = (Borda().transform(part) for part in _most_listed(train, test))
    losses = []
    settings = [
        {"max_iter": 25, "max_leaf_nodes": 4, "min_samples_leaf": 5},
        {"max_iter": 75, "max_leaf_nodes": 8, "min_samples_leaf": 20},
    ]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for setting in settings:
        loss = 0.0
        for learn, judge in folds.split(known, labels):
            model = HistGradientBoostingClassifier(**setting).fit(known[learn], labels[learn])
            guess = model.predict_proba(known[judge])[:, 1]
            loss += log_loss(labels[judge], guess, labels=[0, 1])
        losses.append(loss)
    best = HistGradientBoostingClassifier(**settings[int(np.argmin(losses))])
    return np.asarray(best.fit(known, labels).decision_function(unknown))


def with_features(
    makers: Callable[[Lists, np.ndarray], Sequence[Maker]],
) -> Callable[[Lists, np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    def scores(lists: Lists, train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
        return by_logistic_regression(makers(lists, train), train, labels, test)

    return scores


def cut(graph: Any = None, **options: Any) -> Maker:
    return partial(GraphCutFeatures, graph, **{"unranked": "last", "normalize": True, **options})


def borda_ways(ranks: np.ndarray) -> list[Maker]:
    """Both ways to place unlisted items, where there are any."""
    return [Borda, *([partial(Borda, "middle")] if np.isnan(ranks).any() else [])]


def cut_ways(ranks: np.ndarray, **options: Any) -> list[Maker]:
    """Unlisted items last with a balanced weight, or anywhere; the same if nothing is unlisted."""
    if not np.isnan(ranks).any():
        return [cut(**options)]
    anywhere = {"unranked": "anywhere", "completions": "closed_form"}
    return [cut(unlisted_weight="balanced", **options), cut(**anywhere, **options)]


def learned_graphs(train: np.ndarray) -> list[Any]:
    """Graphs from the rankings; from what is listed together only where that differs, often
    enough to differ in each fold.
    """
    differs = np.isnan(train).any(axis=1).mean() > 0.1
    return [AgreementGraph(), *([CoListingGraph()] if differs else [])]


def recipe(lists: Lists, train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    return RankingClassifier(walking_graph(lists.points)).fit(train, labels).decision_function(test)


def recipe_without_graph(
    lists: Lists, train: np.ndarray, labels: np.ndarray, test: np.ndarray
) -> np.ndarray:
    return RankingClassifier(smoothing=0).fit(train, labels).decision_function(test)


CLASSIFIERS: dict[str, Callable[..., np.ndarray]] = {
    "majority": majority,
    "Borda": with_features(lambda lists, train: borda_ways(train)),
    "listed": with_features(lambda lists, train: [Listed]),
    "Kendall": kendall,
    "Mallows": mallows,
    "SVD": with_features(
        lambda lists, train: [
            partial(BordaSVD, borda(), rank) for borda in borda_ways(train) for rank in (3, 10, 30)
        ]
    ),
    "boosting": boosting,
    "cut": with_features(lambda lists, train: [cut(item_graph(lists.points))]),
    "cut, dissimilarity": with_features(
        lambda lists, train: [cut(DissimilarityGraph(item_graph(lists.points), ceiling="largest"))]
    ),
    "cut, normalised": with_features(
        lambda lists, train: [cut(NormalizedGraph(item_graph(lists.points)))]
    ),
    "cut, γ": with_features(lambda lists, train: cut_ways(train)),
    "cut, smoothed": with_features(
        lambda lists, train: [
            maker
            for steps in STEPS
            for maker in cut_ways(
                train, smoothing=steps, smoothing_graph=walking_graph(lists.points)
            )
        ]
    ),
    "cut, from rankings": with_features(
        lambda lists, train: [
            maker
            for graph in learned_graphs(train)
            for maker in cut_ways(train, smoothing=2.0, smoothing_graph=graph)
        ]
    ),
    "recipe, no graph": recipe_without_graph,
    "recipe": recipe,
}


def _cosines(features: np.ndarray, n_queries: int) -> np.ndarray:
    unit = normalize(features)
    return unit[:n_queries] @ unit.T


def _order(ranks: np.ndarray) -> np.ndarray:
    """Centred positions within each list: what Pearson's correlation of ratings goes by."""
    listed = ~np.isnan(ranks)
    k = listed.sum(axis=1, keepdims=True)
    return np.where(listed, k + 1 - 2 * _places(ranks), 0.0) / (k + 1)


def _common_taste(order: np.ndarray) -> np.ndarray:
    """Mean positions, as if each item had been listed once more in the middle; of unit length."""
    return normalize((order.sum(axis=0) / ((order != 0).sum(axis=0) + 1.0))[None])


def _typical(lists: Lists, n_queries: int) -> np.ndarray:
    """The people nearest to the mean positions, the same for everyone."""
    order = _order(lists.ranks)
    return np.tile(normalize(order) @ _common_taste(order)[0], (n_queries, 1))


def _order_and_common_taste(lists: Lists, n_queries: int) -> np.ndarray:
    """What the recipe does, without a graph."""
    order = _order(lists.ranks)
    vectors = normalize(order) + TasteFeatures().consensus * _common_taste(order)
    return np.asarray(vectors[:n_queries] @ vectors.T)


def _finder(make: Callable[[Lists], Any]) -> Callable[[Lists, int], np.ndarray]:
    def alike(lists: Lists, n_queries: int) -> np.ndarray:
        return _cosines(make(lists).fit(lists.ranks).transform(lists.ranks), n_queries)

    return alike


def _mallows_alike(lists: Lists, n_queries: int) -> np.ndarray:
    ranks, _ = _most_listed(lists.ranks, lists.ranks)
    lam = median_lambda(ranks[:MOST_MALLOWS], unranked="last")
    return mallows_kernel(ranks[:n_queries], ranks, lam=lam, unranked="last", normalize=True)


def _recipe_neighbours(lists: Lists, n_queries: int) -> np.ndarray:
    vectors = TasteFeatures().fit_transform(lists.ranks)
    return vectors[:n_queries] @ vectors.T


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
    "cut, smoothed": _finder(
        lambda lists: cut(
            unranked="anywhere",
            unlisted_weight=0.0,
            completions="closed_form",
            smoothing=2.0,
            smoothing_graph=walking_graph(lists.points),
        )()
    ),
    "cut, from rankings": _finder(
        lambda lists: cut(
            unranked="anywhere",
            unlisted_weight=0.0,
            completions="closed_form",
            smoothing=2.0,
            smoothing_graph=AgreementGraph(),
        )()
    ),
    "recipe": _recipe_neighbours,
}


def quietly(work: Callable[..., np.ndarray], *arguments: Any) -> np.ndarray:
    """A solver that stops early is part of what is measured, not news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return work(*arguments)
