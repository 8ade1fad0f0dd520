"""Models that are linear in features of rankings: features, weights and their covariance."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.comparison.results import Table
from rankcut.errors import InputError
from rankcut.gp.classifier import GPClassifier
from rankcut.gp.regressor import GPRegressor
from rankcut.regression.estimators import RankingClassifier
from rankcut.regression.logistic import laplace_covariance


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A prediction that is ⟨w, φ(ranking)⟩ + b for each output.

    Attributes
    ----------
    features : callable
        From a rank matrix to φ.
    weights : ndarray of shape (n_outputs, n_features)
        w.
    covariance : ndarray of shape (n_outputs, n_features, n_features) or None
        Uncertainty of w, if it is known.
    outputs : list
        What is predicted: a class for each output, or None for a number.
    unit : str
        What the prediction is measured in.
    items : list
        Labels of the items.
    """

    features: Callable[[Any], Floats]
    weights: Floats
    covariance: Floats | None
    outputs: list[Any]
    unit: str
    items: list[Hashable]


def as_linear_model(model: Any, X: Any = None) -> LinearModel:
    """The features and weights of a fitted model.

    Parameters
    ----------
    model : RankingClassifier or Pipeline
        The model; a pipeline begins with features of rankings and ends with a linear model.
    X : rank matrix or None
        The rankings that the model was fitted to. The uncertainty of a logistic regression is
        computed from them.
    """
    check_is_fitted(model)
    if isinstance(model, Pipeline) and len(model) == 1:
        model = model[0]
    if isinstance(model, RankingClassifier):
        if model._levels is not None:
            raise InputError(
                "was fitted to ratings; only models of rankings can be explained", parameter="model"
            )
        return LinearModel(
            lambda ranks: model.features_of(_named(ranks, model)),
            model._model.weights,
            model.covariance_,
            _classes(model.classes_),
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

    def features(ranks: Any) -> Floats:
        return np.asarray(front.transform(_named(ranks, model[0])), dtype=np.float64)

    weights = np.atleast_2d(np.asarray(last.coef_, dtype=np.float64))
    covariance: Floats | None = None
    outputs, unit = [None], "units of the target"
    if isinstance(last, GPRegressor):
        covariance = last.covariance_[None, :-1, :-1]
    elif isinstance(last, GPClassifier):
        n = weights.shape[1]
        covariance = last.covariance_[:, :n, :n]
        outputs, unit = _classes(last.classes_), f"{last.link} scale"
    elif hasattr(last, "classes_"):
        outputs, unit = _classes(last.classes_), "log-odds"
        if isinstance(last, LogisticRegression) and X is not None:
            found = features(X)
            covariance = laplace_covariance(found, last.predict_proba(found), last.C)
    return LinearModel(features, weights, covariance, outputs, unit, _labels(model[0]))


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
