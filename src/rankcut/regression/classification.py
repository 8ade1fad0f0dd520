"""How well a class can be predicted from a ranking, compared with simple baselines.

========== ====================================================================================
majority   uses only the frequency of each class
presence   uses only which items are ranked
Borda      uses each item's points: the number of items it beats; unranked items are last
========== ====================================================================================
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse as sp
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankcut.cuts.transformers import GraphCutFeatures
from rankcut.errors import amount
from rankcut.gp.classifier import GPClassifier
from rankcut.regression.classifier import RankingClassifier

Model: TypeAlias = Literal["logistic", "gp", "views"]

BINS = 10
_LOG_ODDS = 10.0


def make_classifier(
    model: Model, graph: Any, n_items: int, options: Mapping[str, Any]
) -> BaseEstimator:
    """A pipeline from rankings to classes.

    Parameters
    ----------
    model : {"logistic", "gp", "views"}
        The classifier on the vectors: logistic regression or :class:`~rankcut.GPClassifier`. Or
        :class:`~rankcut.RankingClassifier`, which makes its own vectors.
    graph : ItemGraph or None
        The item graph.
    n_items : int
        Number of items.
    options : dict
        Further parameters of :class:`~rankcut.GraphCutFeatures`; "views" uses only the items.
    """
    if model == "views":
        return make_pipeline(RankingClassifier(graph, items=options.get("items")))
    learners = {"logistic": _logistic(n_items), "gp": [GPClassifier()]}
    features = GraphCutFeatures(graph, sparse_output=False, **options)
    return make_pipeline(features, *learners[model])


def _logistic(n_items: int) -> list[BaseEstimator]:
    """Logistic regression with the same prior variance of the log-odds for any number of items.

    The penalty is a Gaussian prior of variance C on each coefficient, so the log-odds of n scaled
    features have variance n·C. A variance of 10, a standard deviation of 3, allows all
    probabilities.
    """
    return [StandardScaler(), LogisticRegression(C=_LOG_ODDS / n_items, max_iter=5000)]


@dataclass(frozen=True)
class Score:
    """The scores of a method.

    Attributes
    ----------
    method : str
        Name of the method.
    f1 : float
        F1, averaged over classes.
    log_loss : float
        Mean of −log p(true class), natural logarithm.
    calibration_error : float
        Expected calibration error: the mean difference between the probability of the predicted
        class and how often it is right, in ten bins.
    """

    method: str
    f1: float
    log_loss: float
    calibration_error: float


def bin_of(confidence: NDArray[np.float64]) -> NDArray[np.int64]:
    """The bin of each probability, of ten bins of equal width."""
    return np.minimum((confidence * BINS).astype(np.int64), BINS - 1)


def calibration_error(
    truth: NDArray[Any], probabilities: NDArray[np.float64], classes: NDArray[Any]
) -> float:
    """Expected calibration error in ten bins of equal width.

    >>> calibration_error(np.array([0, 1]), np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([0, 1]))
    0.4
    """
    confidence = probabilities.max(axis=1)
    right = classes[probabilities.argmax(axis=1)] == truth
    bins = bin_of(confidence)
    gaps = [abs(confidence[bins == b].sum() - right[bins == b].sum()) for b in np.unique(bins)]
    return float(np.round(sum(gaps) / len(truth), 12))


def methods(classifier: BaseEstimator, ranks: Any, name: str) -> dict[str, tuple[Any, Any]]:
    """For each method, by name: its estimator and its input."""
    learner = make_pipeline(*_logistic(ranks.shape[1]))
    points = GraphCutFeatures(None, unranked="last", sparse_output=False).fit_transform(ranks)
    return {
        "majority": (DummyClassifier(strategy="prior"), points),
        "presence": (learner, presence(ranks)),
        "Borda": (learner, points),
        name: (classifier, ranks),
    }


def presence(ranks: Any) -> NDArray[np.float64]:
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
    classes, sizes = np.unique(target, return_counts=True)
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
    splits = list(
        kind(folds, shuffle=True, random_state=seed).split(np.zeros(len(target)), target, groups)
    )
    scores = []
    for method, (estimator, data) in methods(classifier, ranks, name).items():
        probabilities = cross_val_predict(
            estimator, data, target, cv=splits, method="predict_proba"
        )
        scores.append(_score(method, target, probabilities, classes))
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
    seen = methods(classifier, train[0], name)
    unseen = methods(classifier, test[0], name)
    scores = []
    for method, (estimator, data) in seen.items():
        probabilities = estimator.fit(data, train[1]).predict_proba(unseen[method][1])
        scores.append(_score(method, test[1], probabilities, classes))
    return scores


def _score(
    method: str, target: NDArray[Any], probabilities: NDArray[np.float64], classes: NDArray[Any]
) -> Score:
    predicted = classes[probabilities.argmax(axis=1)]
    return Score(
        method,
        float(f1_score(target, predicted, average="macro", zero_division=0)),
        float(log_loss(target, probabilities, labels=classes)),
        calibration_error(target, probabilities, classes),
    )
