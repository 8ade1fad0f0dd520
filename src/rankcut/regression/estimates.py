"""Linear models of rankings, and their weights without shrinkage.

Numbers are fitted by least squares, with the sandwich covariance HC3 (MacKinnon & White 1985).
Classes are fitted by logistic or probit regression with Firth's reduction of bias (Kosmidis & Firth
2009), which stays finite where a class can be told without error; its covariance is the inverse of
the information. A prior that the evidence chose would take a weak effect and its uncertainty away
together, so that intervals from the posterior would not hold.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, ndtr
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.gp.classifier import GPClassifier
from rankcut.kernels.chosen_features import RANK
from rankcut.parameters import ROUNDING
from rankcut.regression.estimators import RankingClassifier
from rankcut.results.result import Table

Link: TypeAlias = Literal["identity", "logit", "probit"]

# Scores beyond ± this are certain; the reduction of bias brings them back.
_CERTAIN = -math.log(ROUNDING)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A prediction that is ⟨w, φ(ranking)⟩ + b for each output."""

    features: Callable[[Any], Floats]  #: from a rank matrix to φ
    predict: Callable[[Any], Floats]  #: from a rank matrix to a column for each output
    link: Link  #: between the prediction and what is observed
    outputs: list[Any]  #: what is predicted: a class for each output, or None for a number
    unit: str  #: what the prediction is measured in
    items: list[Hashable]  #: labels of the items


def as_linear_model(model: Any) -> LinearModel:
    """The features and predictions of a fitted model, a RankingClassifier or a Pipeline."""
    check_is_fitted(model)
    if isinstance(model, Pipeline) and len(model) == 1:
        model = model[0]
    if isinstance(model, RankingClassifier):
        if model._levels is not None:
            raise InputError(
                "was fitted to ratings; only models of rankings can be explained", parameter="model"
            )
        outputs = _classes(model.classes_)
        return LinearModel(
            lambda ranks: model.features_of(_named(ranks, model)),
            lambda ranks: model.decision_function(_named(ranks, model)).reshape(-1, len(outputs)),
            "logit",
            outputs,
            "log-odds",
            _labels(model),
        )
    if not isinstance(model, Pipeline) or not hasattr(model[-1], "coef_"):
        raise InputError(
            f"cannot be explained: {type(model).__name__} is not a linear model of rankings",
            parameter="model",
            remedy="use a RankingClassifier, or a pipeline of features and a linear model such as "
            "make_pipeline(GraphCutFeatures(), GPRegressor())",
        )
    front, last = model[:-1], model[-1]
    weights = np.atleast_2d(np.asarray(last.coef_, dtype=np.float64))

    def features(ranks: Any) -> Floats:
        return np.asarray(front.transform(_named(ranks, model[0])), dtype=np.float64)

    link: Link = "identity"
    outputs, unit = [None], "units of the target"
    if hasattr(last, "classes_"):
        link = "probit" if isinstance(last, GPClassifier) else "logit"
        outputs, unit = _classes(last.classes_), "log-odds" if link == "logit" else "probit scale"
    return LinearModel(
        features, lambda ranks: features(ranks) @ weights.T, link, outputs, unit, _labels(model[0])
    )


def _named(ranks: Any, estimator: Any) -> Any:
    """The rankings with their items' labels, where the estimator was fitted to a frame."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None or type(ranks) is not np.ndarray:
        return ranks
    return Table(dict(zip(names.tolist(), ranks.T, strict=True))).to_frame()


def _classes(classes: Any) -> list[Any]:
    """The class of each output; for two classes, the second."""
    listed: list[Any] = np.asarray(classes).tolist()
    return listed[1:] if len(listed) == 2 else listed


def _labels(estimator: Any) -> list[Hashable]:
    """The items by their labels, or by their columns."""
    for name in ("feature_names_in_", "items", "_items"):
        if getattr(estimator, name, None) is not None:
            return list(getattr(estimator, name))
    return list(range(estimator.n_features_in_))


class Estimates(NamedTuple):
    """Weights w = B·θ for directions B in which the features differ.

    Where they do not differ, the weights are 0.
    """

    basis: Floats  #: B
    theta: Floats  #: θ
    covariance: Floats  #: of θ

    def effects(self, changes: Floats) -> tuple[Floats, Floats]:
        """⟨w, d⟩ and its standard error for each change d of the features."""
        along = changes @ self.basis
        variances = np.einsum("ij,jk,ik->i", along, self.covariance, along, optimize=True)
        return along @ self.theta, np.sqrt(np.maximum(variances, 0.0))


class OrthogonalRows(NamedTuple):
    """The features in orthogonal directions of mean square 1, without those that are rounding."""

    rows: Floats
    basis: Floats  #: from features, less their mean, to rows


def find_directions(features: Floats, counts: Floats) -> OrthogonalRows:
    """All directions in which the features differ."""
    total = counts.sum()
    centred = features - counts @ features / total
    sizes = np.sqrt(counts @ centred**2 / total)
    sizes[sizes <= RANK * np.abs(features).max(axis=0, initial=0.0)] = np.inf
    scaled = centred / sizes
    roots = np.sqrt(counts / total)[:, None]
    _, values, axes = np.linalg.svd(roots * scaled, full_matrices=False)
    large = values**2 > RANK * (values**2).sum()
    axes = axes[large].T / values[large]
    return OrthogonalRows(scaled @ axes, axes / sizes[:, None])


def least_squares(directions: OrthogonalRows, numbers: Floats, counts: Floats) -> Estimates:
    """Least squares with the sandwich covariance HC3."""
    rows, total = directions.rows, counts.sum()
    centred = numbers - counts @ numbers / total
    theta = rows.T @ (counts * centred) / total
    leverages = (1.0 + (rows**2).sum(axis=1)) / total
    left_out = (centred - rows @ theta) / np.maximum(1.0 - leverages, np.finfo(float).eps)
    covariance = (rows.T * (counts * left_out**2)) @ rows / total**2
    return Estimates(directions.basis, theta, covariance)


def reduced_bias(
    directions: OrthogonalRows, outcomes: Floats, counts: Floats, link: Link, *, max_iter: int = 100
) -> Estimates:
    """Logistic or probit regression, where ``chosen`` is 1 for the class and 0 for the others.

    With μ the probability, d = μ' and W = d²/(μ(1 − μ)), a Newton step solves the score equations
    Σ (W/d)·(y − μ + ½·h·d'/W)·x = 0, where h is the leverage of a row.
    """
    rows = np.column_stack([directions.rows, np.ones(len(outcomes))])
    theta = np.zeros(rows.shape[1])
    for _ in range(max_iter):
        scores = np.clip(rows @ theta, -_CERTAIN, _CERTAIN)
        if link == "logit":
            mean, other = expit(scores), expit(-scores)
            slope = mean * other
            bend = slope * (other - mean)
        else:
            mean, other = ndtr(scores), ndtr(-scores)
            slope = np.exp(-0.5 * scores**2) / np.sqrt(2.0 * np.pi)
            bend = -scores * slope
        weights = slope**2 / (mean * other)
        covariance = np.linalg.pinv((rows.T * (counts * weights)) @ rows, hermitian=True)
        leverages = weights * np.einsum("ij,jk,ik->i", rows, covariance, rows, optimize=True)
        missed = counts * (outcomes - mean) + 0.5 * counts * leverages * bend / weights
        step = covariance @ (rows.T @ (weights / slope * missed))
        longest = float(np.abs(step).max())
        theta += step / max(1.0, longest)
        if longest < np.sqrt(np.finfo(float).eps):
            break
    return Estimates(directions.basis, theta[:-1], covariance[:-1, :-1])
