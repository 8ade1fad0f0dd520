"""Judges who agree, who answer at random, and who choose a side."""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from rankcut import Leaderboard


def made_judges(seed=0, n_judges=25, n_votes=60, n_items=8):
    """Judges by the Bradley–Terry model; the last tosses coins, the one before goes left."""
    rng = np.random.default_rng(seed)
    strengths = np.linspace(-1.5, 1.5, n_items)
    judge = np.repeat(np.arange(n_judges), n_votes)
    first = rng.integers(0, n_items, len(judge))
    second = (first + rng.integers(1, n_items, len(judge))) % n_items
    chance = special.expit(1.5 * (strengths[first] - strengths[second]))
    chance[judge == n_judges - 1] = 0.5
    chance[judge == n_judges - 2] = 0.97
    won = rng.random(len(judge)) < chance
    return pd.DataFrame(
        {
            "model_a": [f"m{i}" for i in first],
            "model_b": [f"m{i}" for i in second],
            "winner": np.where(won, "model_a", "model_b"),
            "judge": [f"judge {j}" for j in judge],
        }
    )


def test_careless_judges_are_named_and_others_are_not():
    named_random, named_left = [], []
    for seed in range(5):
        judges = Leaderboard().fit(made_judges(seed)).judges_
        named_random += judges.random
        named_left += judges.one_sided
    assert named_left == ["judge 23"] * 5
    assert {*named_random} == {"judge 24"}
    assert len(named_random) >= 4


def test_agreement_is_that_with_a_fit_without_the_judge():
    votes = made_judges(n_judges=10)
    board = Leaderboard().fit(votes)
    judges = board.judges_
    for name in ("judge 0", "judge 9"):
        mine = votes["judge"] == name
        others = Leaderboard(scale="log-odds").fit(votes[~mine])
        rating = dict(zip(others.items_, others.ratings_, strict=True))
        gap = votes[mine]["model_a"].map(rating) - votes[mine]["model_b"].map(rating)
        agreed = ((gap > 0) == (votes[mine]["winner"] == "model_a")).sum()
        place = judges.judges.index(name)
        # One step of Newton's method is not the whole way: two votes may change their side.
        assert (judges.agreement[place] + 1) / 2 * 60 == pytest.approx(agreed, abs=2)
        share = (judges.agreement[place] + 1) / 2
        exact = stats.binomtest(round(share * 60), 60).proportion_ci(method="exact")
        assert (judges.low[place] + 1) / 2 == pytest.approx(exact.low)
        assert (judges.high[place] + 1) / 2 == pytest.approx(exact.high)


def test_without_judges_there_is_nothing_to_say():
    votes = made_judges().drop(columns="judge")
    board = Leaderboard().fit(votes)
    assert board.judges_ is None
    assert "judges" not in board.tables()


def test_sides_mean_nothing_where_the_first_is_the_winner():
    votes = made_judges(n_judges=3)
    table = pd.DataFrame(
        {
            "winner": np.where(votes["winner"] == "model_a", votes["model_a"], votes["model_b"]),
            "loser": np.where(votes["winner"] == "model_a", votes["model_b"], votes["model_a"]),
            "judge": votes["judge"],
        }
    )
    assert Leaderboard().fit(table).judges_.one_sided == []


def test_one_judge_says_nothing_of_others():
    votes = made_judges(n_judges=3)
    board = Leaderboard().fit(votes[votes["judge"] == "judge 0"])
    assert "by 1 judge, so that nothing says how far others would differ" in board.summary()
    assert not board.places_.clear.any()


def test_judges_of_a_few_votes_who_are_like_others_are_not_named():
    """Most judges have a few votes, whose slopes are far from normal; all are alike."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        strengths = np.sort(rng.standard_normal(20))
        first = rng.integers(0, 20, 2000)
        second = (first + rng.integers(1, 20, 2000)) % 20
        won = rng.random(2000) < special.expit(strengths[first] - strengths[second])
        votes = pd.DataFrame(
            {
                "model_a": [f"m{i}" for i in first],
                "model_b": [f"m{i}" for i in second],
                "winner": np.where(won, "model_a", "model_b"),
                "judge": (8 * rng.pareto(1.2, 2000)).astype(int) % 124,
            }
        )
        assert Leaderboard().fit(votes).judges_.random == []
