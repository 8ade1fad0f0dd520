"""Classifiers of the quality benchmark: baselines, cuts with each option, the recipe.

Each gets rankings to learn from, their labels and rankings to judge, and returns scores. Whatever
there is to choose is chosen by folds of the training part, except in the recipe, which needs none.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from quality_methods import (
    MOST_ITEMS_DENSE,
    MOST_KENDALL,
    MOST_MALLOWS,
    Borda,
    Listed,
    Maker,
    cut,
    item_graph,
    most_listed,
    walking_graph,
)
from quality_tasks import Lists
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from rankcut import AgreementGraph, CoListingGraph, DissimilarityGraph, RankingClassifier, Smoothing
from rankcut.graphs import NormalizedGraph
from rankcut.kernels import kendall_kernel, mallows_kernel, median_lambda

# Strengths of the penalty, for features whose rows have mean square 1.
PENALTIES = (0.1, 1.0, 10.0, 100.0)
FOLDS = 3

STEPS = (1.0, 4.0)


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
    train, test = most_listed(train, test)
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


def majority(lists: Lists, train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    return np.zeros(len(test))


def kendall(lists: Lists, train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    train, labels = train[:MOST_KENDALL], labels[:MOST_KENDALL]
    ways = ["last", *(["anywhere"] if np.isnan(train).any() else [])]
    kernels = [partial(kendall_kernel, unranked=way, normalize=True) for way in ways]
    return by_kernel(kernels, train, labels, test)


def mallows(lists: Lists, train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    train, labels = train[:MOST_MALLOWS], labels[:MOST_MALLOWS]
    lam = median_lambda(most_listed(train, test)[0], unranked="last")
    kernel = partial(mallows_kernel, lam=lam, unranked="last", normalize=True)
    return by_kernel([kernel], train, labels, test)


def boosting(lists: Lists, train: np.ndarray, labels: np.ndarray, test: np.ndarray) -> np.ndarray:
    known, unknown = (Borda().transform(part) for part in most_listed(train, test))
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
            for maker in cut_ways(train, smoothing=Smoothing(steps, walking_graph(lists.points)))
        ]
    ),
    "cut, from rankings": with_features(
        lambda lists, train: [
            maker
            for graph in learned_graphs(train)
            for maker in cut_ways(train, smoothing=Smoothing(2.0, graph))
        ]
    ),
    "recipe, no graph": recipe_without_graph,
    "recipe": recipe,
}
