"""How well a number can be predicted from a ranking, compared with simple baselines.

============ ==================================================================================
mean         uses only the mean of the other rankings' numbers
Borda, ridge uses each item's points, the number of items it beats; unranked items are last
============ ==================================================================================
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import Pipeline, make_pipeline

from rankcut.estimators.gp.regressor import GPRegressor
from rankcut.estimators.graph_cut import GraphCutFeatures

# Normal intervals of 95 %.
_REACH = 1.96


@dataclass(frozen=True)
class NumberScore:
    """The scores of a method.

    Attributes
    ----------
    method : str
        Name of the method.
    r2 : float
        Share of the variance that is explained.
    error : float
        Mean absolute error.
    coverage : float or None
        Share of numbers inside their 95 % intervals; None for a method without intervals.
    """

    method: str
    r2: float
    error: float
    coverage: float | None


def make_regressor(graph: Any, options: Mapping[str, Any]) -> Pipeline:
    """A pipeline from rankings to numbers: graph cut features and a Gaussian process."""
    return make_pipeline(GraphCutFeatures(graph, sparse_output=False, **options), GPRegressor())


def cross_validate_numbers(
    model: BaseEstimator,
    ranks: Any,
    numbers: NDArray[np.float64],
    *,
    name: str,
    folds: int,
    groups: NDArray[Any] | None = None,
    seed: int = 0,
) -> list[NumberScore]:
    """Scores of a model and of the baselines, from predictions of rankings left out."""
    splitter = (
        KFold(folds, shuffle=True, random_state=seed) if groups is None else GroupKFold(folds)
    )
    mean, deviation = np.empty(len(numbers)), np.empty(len(numbers))
    middle, ridge = np.empty(len(numbers)), np.empty(len(numbers))
    points = GraphCutFeatures(unranked="last", sparse_output=False)
    for train, test in splitter.split(ranks, numbers, groups):
        fitted: Any = clone(model).fit(ranks[train], numbers[train])
        mean[test], deviation[test] = fitted.predict(ranks[test], return_std=True)
        middle[test] = numbers[train].mean()
        borda = make_pipeline(clone(points), RidgeCV(np.logspace(-2, 6, 17)))
        ridge[test] = borda.fit(ranks[train], numbers[train]).predict(ranks[test])
    inside = float((np.abs(numbers - mean) <= _REACH * deviation).mean())
    return [
        _score(name, numbers, mean, inside),
        _score("mean", numbers, middle, None),
        _score("Borda, ridge", numbers, ridge, None),
    ]


def _score(
    name: str,
    numbers: NDArray[np.float64],
    found: NDArray[np.float64],
    coverage: float | None,
) -> NumberScore:
    spread = float(((numbers - numbers.mean()) ** 2).sum()) or 1.0
    r2 = 1.0 - float(((numbers - found) ** 2).sum()) / spread
    return NumberScore(name, r2, float(np.abs(numbers - found).mean()), coverage)
