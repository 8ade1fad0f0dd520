"""How well classes and numbers are predicted from rankings, beside simple baselines.

*Majority* uses only the frequency of each class, and *mean* the mean of the other people's numbers;
*presence* uses which items are ranked, and *Borda* each item's points: the number of items it
beats, unranked ones last.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import f1_score, log_loss
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankcut._loops.types import Floats
from rankcut.cuts.transformers import GraphCutFeatures
from rankcut.errors import InputError, amount


def _logistic(n_items: int) -> list[BaseEstimator]:
    """Logistic regression with the same prior variance of the log-odds for any number of items.

    The penalty is a Gaussian prior of variance C on each coefficient, so the log-odds of n scaled
    features have variance n·C. A variance of 10, a standard deviation of 3, allows all
    probabilities.
    """
    return [StandardScaler(), LogisticRegression(C=10.0 / n_items, max_iter=5000)]


@dataclass(frozen=True)
class Score:
    """The scores of a method that predicts classes."""

    method: str  #: its name
    f1: float  #: F1, averaged over classes
    log_loss: float  #: mean of −log p(true class), natural logarithm
    #: mean difference between the probability of the predicted class and how often it is right
    calibration_error: float


def score_classes(method: str, codes: NDArray[np.intp], probabilities: Floats) -> Score:
    """The scores of predicted probabilities; ``codes`` are the true classes, from 0 on.

    >>> score_classes("", np.array([0, 1]), np.array([[0.9, 0.1], [0.9, 0.1]])).calibration_error
    0.4
    """
    guesses, confidence = probabilities.argmax(axis=1), probabilities.max(axis=1)
    # Ten bins are customary.
    bins = np.minimum((10 * confidence).astype(np.int64), 9)
    gaps = np.abs(np.bincount(bins, confidence - (guesses == codes))).sum()
    return Score(
        method,
        float(f1_score(codes, guesses, average="macro")),
        float(log_loss(codes, probabilities, labels=range(probabilities.shape[1]))),
        float(np.round(gaps / len(codes), 12)),
    )


@dataclass(frozen=True)
class NumberScore:
    """The scores of a method that predicts numbers."""

    method: str  #: its name
    r2: float  #: share of the variance that is explained
    error: float  #: mean absolute error
    coverage: float | None  #: share of numbers inside their 95 % intervals, if there are any


def presence(ranks: Any) -> Floats:
    """1 where a ranking ranks an item, else 0."""
    if sp.issparse(ranks):
        marked = sp.csr_array((np.ones(ranks.nnz), ranks.indices, ranks.indptr), ranks.shape)
        return np.asarray(marked.toarray())
    return np.asarray(~np.isnan(ranks), dtype=np.float64)


def cross_validate(
    classifier: BaseEstimator,
    ranks: Any,
    target: NDArray[Any],
    *,
    name: str,
    folds: int,
    groups: NDArray[Any] | None,
    seed: int,
) -> list[Score]:
    """Scores of predictions for each ranking, by models fitted without it.

    Rankings of the same group stay together: no group is in training and test at the same time.
    """
    classes, codes, sizes = np.unique(target, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise ValueError(
            f"the target is {str(classes[0])!r} everywhere; there is nothing to predict"
        )
    if sizes.min() < folds:
        raise ValueError(
            f"class {str(classes[sizes.argmin()])!r} has {amount(int(sizes.min()), 'ranking')}, "
            f"too few for {folds} folds; use fewer folds, or leave the class out"
        )
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(folds, shuffle=True, random_state=seed)
    splits = list(splitter.split(np.zeros(len(target)), target, groups))
    estimators, data = _methods(classifier, ranks.shape[1], name), _inputs(ranks, name)
    scores = []
    for method, estimator in estimators.items():
        probabilities = cross_val_predict(
            estimator, data[method], target, cv=splits, method="predict_proba"
        )
        scores.append(score_classes(method, codes, probabilities))
    return scores


def evaluate(
    classifier: BaseEstimator,
    train: tuple[Any, NDArray[Any]],
    test: tuple[Any, NDArray[Any]],
    *,
    name: str,
) -> list[Score]:
    """Scores on test rankings, after fitting to training rankings."""
    classes = np.unique(train[1])
    unknown = np.setdiff1d(test[1], classes)
    if unknown.size:
        raise ValueError(
            f"class {str(unknown[0])!r} is in the test file but not in the training file"
        )
    known_rows, unseen = _inputs(train[0], name), _inputs(test[0], name)
    scores = []
    for method, estimator in _methods(classifier, train[0].shape[1], name).items():
        probabilities = estimator.fit(known_rows[method], train[1]).predict_proba(unseen[method])
        scores.append(score_classes(method, np.searchsorted(classes, test[1]), probabilities))
    return scores


def _methods(classifier: BaseEstimator, n_items: int, name: str) -> dict[str, Any]:
    """Baselines and a classifier, by name."""
    return {
        "majority": DummyClassifier(strategy="prior"),
        "presence": make_pipeline(*_logistic(n_items)),
        "Borda": make_pipeline(*_logistic(n_items)),
        name: classifier,
    }


def _inputs(ranks: Any, name: str) -> dict[str, Any]:
    """What each method learns from."""
    points = GraphCutFeatures(None, unranked="last", sparse_output=False).fit_transform(ranks)
    return {"majority": points, "presence": presence(ranks), "Borda": points, name: ranks}


def cross_validate_numbers(
    model: BaseEstimator,
    ranks: Any,
    numbers: Floats,
    *,
    name: str,
    folds: int,
    groups: NDArray[Any] | None = None,
    seed: int = 0,
) -> list[NumberScore]:
    """Scores of a model and of the baselines on held-out rankings."""
    n_apart, noun = (len(numbers), "ranking") if groups is None else (len(set(groups)), "group")
    if n_apart < folds:
        raise InputError(
            f"is {folds}, more than the number of {noun}s, {n_apart}", parameter="folds"
        )
    splitter = (
        KFold(folds, shuffle=True, random_state=seed) if groups is None else GroupKFold(folds)
    )
    splits = list(splitter.split(ranks, numbers, groups))
    mean, deviation = np.empty(len(numbers)), np.empty(len(numbers))
    for train, test in splits:
        fitted: Any = clone(model).fit(ranks[train], numbers[train])
        mean[test], deviation[test] = fitted.predict(ranks[test], return_std=True)
    # Normal intervals of 95 %.
    inside = float((np.abs(numbers - mean) <= 1.96 * deviation).mean())
    points = GraphCutFeatures(unranked="last", sparse_output=False)
    ridge = make_pipeline(points, RidgeCV(np.logspace(-2, 6, 17)))
    scores = [_score_numbers(name, numbers, mean, inside)]
    for method, baseline in {"mean": DummyRegressor(), "Borda, ridge": ridge}.items():
        predicted = cross_val_predict(baseline, ranks, numbers, cv=splits)
        scores.append(_score_numbers(method, numbers, predicted, None))
    return scores


def _score_numbers(
    name: str, numbers: Floats, predicted: Floats, coverage: float | None
) -> NumberScore:
    spread = float(((numbers - numbers.mean()) ** 2).sum()) or 1.0
    r2 = 1.0 - float(((numbers - predicted) ** 2).sum()) / spread
    return NumberScore(name, r2, float(np.abs(numbers - predicted).mean()), coverage)
