"""How well numbers are predicted from rankings, and rankings from covariates, beside baselines.

=================== ===========================================================================
mean                predicts the mean of the other people's numbers
Borda, ridge        uses each item's points, the number of items it beats; unranked items are last
one ranking for all predicts the same ranking for everyone
=================== ===========================================================================
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import _safe_indexing

from rankcut.cuts.transformers import GraphCutFeatures
from rankcut.errors import InputError
from rankcut.gp.regressor import GPRegressor
from rankcut.label_ranking.estimator import RankingRegressor
from rankcut.label_ranking.scores import kendall_score, spearman_score, top_k_overlap
from rankcut.label_ranking.targets import pair_targets, scores_of_pairs
from rankcut.rankings import read_rankings
from rankcut.rankings.decoding import to_ranking
from rankcut.regression.view_features import ViewFeatures

# Normal intervals of 95 %.
_REACH = 1.96

# Number of best items to compare, if they are not more than half.
_TOP = 3


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


def make_regressor(
    model: Literal["views", "gp"], graph: Any, options: Mapping[str, Any]
) -> Pipeline:
    """A pipeline from rankings to numbers: views or graph cut features, and a Gaussian process.

    ``options`` are further parameters of the features; views use only the items.
    """
    if model == "views":
        return make_pipeline(ViewFeatures(graph, items=options.get("items")), GPRegressor())
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
    """Scores of a model and of the baselines on held-out rankings."""
    n_apart, noun = (len(numbers), "ranking") if groups is None else (len(set(groups)), "group")
    if n_apart < folds:
        raise InputError(
            f"is {folds}, more than the number of {noun}s, {n_apart}", parameter="folds"
        )
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
        _score_numbers(name, numbers, mean, inside),
        _score_numbers("mean", numbers, middle, None),
        _score_numbers("Borda, ridge", numbers, ridge, None),
    ]


def _score_numbers(
    name: str,
    numbers: NDArray[np.float64],
    found: NDArray[np.float64],
    coverage: float | None,
) -> NumberScore:
    spread = float(((numbers - numbers.mean()) ** 2).sum()) or 1.0
    r2 = 1.0 - float(((numbers - found) ** 2).sum()) / spread
    return NumberScore(name, r2, float(np.abs(numbers - found).mean()), coverage)


@dataclass(frozen=True)
class RankingScore:
    """The scores of a method.

    Attributes
    ----------
    method : str
        Name of the method.
    kendall, spearman : float
        Mean correlation of observed and predicted rankings.
    top_overlap : float
        Share of the best items that are among those predicted; see :func:`n_best`.
    """

    method: str
    kendall: float
    spearman: float
    top_overlap: float


def n_best(n_items: int) -> int:
    """How many best items are compared: three, or half of fewer than six.

    >>> [n_best(n) for n in (1, 3, 4, 10)]
    [1, 1, 2, 3]
    """
    return max(1, min(_TOP, n_items // 2))


def cross_validate_rankings(
    model: RankingRegressor,
    covariates: Any,
    ranks: Any,
    *,
    name: str,
    folds: int,
    seed: int = 0,
) -> list[RankingScore]:
    """Scores of a model, and of one ranking for all, on held-out people."""
    n_rows, n_items = ranks.shape
    found, same = np.empty((n_rows, n_items)), np.empty((n_rows, n_items))
    for train, test in KFold(folds, shuffle=True, random_state=seed).split(np.arange(n_rows)):
        fitted = clone(model).fit(_safe_indexing(covariates, train), ranks[train])
        found[test] = fitted.predict(_safe_indexing(covariates, test))
        signs = pair_targets(read_rankings(ranks[train]), model.unranked).signs
        same[test] = to_ranking(scores_of_pairs(signs.sum(axis=0)[None], n_items)[0])
    return [
        _score_rankings(name, ranks, found, model.unranked),
        _score_rankings("one ranking for all", ranks, same, model.unranked),
    ]


def _score_rankings(name: str, ranks: Any, found: Any, unranked: Any) -> RankingScore:
    return RankingScore(
        name,
        kendall_score(ranks, found, unranked=unranked),
        spearman_score(ranks, found, unranked=unranked),
        top_k_overlap(ranks, found, k=n_best(ranks.shape[1]), unranked=unranked),
    )
