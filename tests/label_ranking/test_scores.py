"""Scores of predicted rankings, against SciPy and enumeration."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score

from rankcut import RankingRegressor
from rankcut.errors import InputError
from rankcut.label_ranking import kendall_score, spearman_score, top_k_overlap

NAN = float("nan")


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.mark.parametrize("rows_at_once", [3, 100])
def test_spearman_is_that_of_scipy_with_ties_too(rng, monkeypatch, rows_at_once):
    monkeypatch.setattr("rankcut.label_ranking.scores.block_rows", lambda n_items: rows_at_once)
    truth, found = rng.integers(1, 5, (20, 6)), rng.integers(1, 5, (20, 6))
    expected = np.mean([stats.spearmanr(x, y)[0] for x, y in zip(truth, found, strict=True)])
    assert spearman_score(truth, found) == pytest.approx(expected, abs=1e-12)


def brute_kendall(truth, found, last):
    truth = [99 if last and np.isnan(rank) else rank for rank in truth]
    signs = [
        np.sign(truth[j] - truth[i]) * np.sign(found[j] - found[i])
        for i, j in combinations(range(len(truth)), 2)
        if truth[i] != truth[j] and not np.isnan(truth[i] - truth[j])
    ]
    return np.mean(signs)


@pytest.mark.parametrize("unranked", ["anywhere", "last"])
def test_kendall_is_over_the_pairs_that_are_ordered(unranked):
    truth = [[1, 2, 2, NAN, NAN], [3, NAN, 1, 2, 2]]
    found = [[1, 3, 2, 2, 5], [5, 1, 2, 3, 4]]
    each = [brute_kendall(x, y, unranked == "last") for x, y in zip(truth, found, strict=True)]
    assert kendall_score(truth, found, unranked=unranked) == pytest.approx(np.mean(each))
    weighted = kendall_score(truth, found, unranked=unranked, sample_weight=[3, 1])
    assert weighted == pytest.approx(np.average(each, weights=[3, 1]))


def test_a_ranking_without_order_does_not_count():
    assert kendall_score([[1, 1], [1, 2]], [[1, 2], [1, 2]]) == 1.0
    assert spearman_score([[1, 1], [1, 2]], [[1, 2], [1, 2]]) == 1.0


def orders(ranks):
    """All full orders that agree with a row of ranks with ties."""
    return [
        order
        for order in permutations(range(len(ranks)))
        if all(ranks[a] <= ranks[b] for a, b in pairwise(order))
    ]


def test_top_k_overlap_is_the_mean_over_ways_to_break_ties(rng):
    for _ in range(10):
        truth, found = rng.integers(1, 4, 5), rng.integers(1, 4, 5)
        expected = np.mean(
            [len({*x[:2]} & {*y[:2]}) / 2 for x in orders(truth) for y in orders(found)]
        )
        assert top_k_overlap([truth], [found], k=2) == pytest.approx(expected)


def test_top_k_overlap_looks_at_listed_items_alone_where_the_others_may_be_anywhere():
    truth, found = [[1, 2, NAN, NAN]], [[3, 4, 1, 2]]
    assert top_k_overlap(truth, found, k=1, unranked="anywhere") == 1.0
    assert top_k_overlap(truth, found, k=3, unranked="anywhere") == 1.0
    assert top_k_overlap(truth, found, k=1, unranked="last") == 0.0


@pytest.mark.parametrize("score", [kendall_score, spearman_score, top_k_overlap])
def test_each_makes_a_scorer(score, rng):
    X = rng.normal(size=(40, 1))
    ranks = np.where(X > 0, [[1, 2, 3, 4]], [[4, 3, 2, 1]]).astype(float)
    ranks[::5, 1] = NAN
    model = RankingRegressor(Ridge(), unranked="anywhere")
    scorer = make_scorer(score, unranked="anywhere")
    assert (cross_val_score(model, X, ranks, scoring=scorer, cv=3) > 0.5).all()
    search = GridSearchCV(model, {"estimator__alpha": [1e-3, 1e6]}, scoring=scorer, cv=3)
    assert search.fit(X, ranks).best_score_ > 0.5


def test_mistakes_are_named():
    with pytest.raises(InputError, match="shape"):
        kendall_score([[1, 2]], [[1, 2, 3]])
    with pytest.raises(InputError, match="k must be a whole number"):
        top_k_overlap([[1, 2]], [[1, 2]], k=0)
    with pytest.raises(InputError, match="not ranked"):
        kendall_score([[1, NAN]], [[1, 2]])
