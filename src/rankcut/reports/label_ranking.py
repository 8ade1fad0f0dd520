"""How well rankings can be predicted from covariates, compared with one ranking for all."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing

from rankcut.consensus.decoding import to_ranking
from rankcut.estimators.ranking_regressor import RankingRegressor
from rankcut.label_ranking.scores import kendall_score, spearman_score, top_k_overlap
from rankcut.label_ranking.targets import pair_targets, scores_of_pairs
from rankcut.rankings import read_rankings

TOP = 3


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
        Share of the three best items that are among the three predicted best.
    """

    method: str
    kendall: float
    spearman: float
    top_overlap: float


def cross_validate_rankings(
    model: RankingRegressor,
    covariates: Any,
    ranks: Any,
    *,
    name: str,
    folds: int,
    seed: int = 0,
) -> list[RankingScore]:
    """Scores of a model, and of the same ranking for everyone, for people left out."""
    n_rows, n_items = ranks.shape
    found, same = np.empty((n_rows, n_items)), np.empty((n_rows, n_items))
    for train, test in KFold(folds, shuffle=True, random_state=seed).split(np.arange(n_rows)):
        fitted = clone(model).fit(_safe_indexing(covariates, train), ranks[train])
        found[test] = fitted.predict(_safe_indexing(covariates, test))
        signs = pair_targets(read_rankings(ranks[train]), model.unranked).signs
        same[test] = to_ranking(scores_of_pairs(signs.sum(axis=0)[None], n_items)[0])
    return [
        _score(name, ranks, found, model.unranked),
        _score("one ranking for all", ranks, same, model.unranked),
    ]


def _score(name: str, ranks: Any, found: Any, unranked: Any) -> RankingScore:
    return RankingScore(
        name,
        kendall_score(ranks, found, unranked=unranked),
        spearman_score(ranks, found, unranked=unranked),
        top_k_overlap(ranks, found, k=min(TOP, ranks.shape[1]), unranked=unranked),
    )
