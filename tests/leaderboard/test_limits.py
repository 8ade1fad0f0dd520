"""Limits of items that won, or lost, all of their votes."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import special

from rankcut import Leaderboard
from rankcut.leaderboard import Games

OTHERS = np.array([0.0, 0.5, -0.5, 0.3, -0.3])


def made_games(rng, n_wins, judges=None, sign=1, n_votes=600):
    """Votes between five items, and a sixth that won, or lost, all of its votes."""
    first = rng.integers(0, 5, n_votes)
    second = (first + rng.integers(1, 5, n_votes)) % 5
    won = rng.random(n_votes) < special.expit(OTHERS[first] - OTHERS[second])
    opponent = rng.integers(0, 5, n_wins)
    return Games(
        tuple("abcdef"),
        np.append(first, np.full(n_wins, 5)),
        np.append(second, opponent),
        np.append(np.where(won, 1, -1), np.full(n_wins, sign)),
        None if judges is None else np.append(1 + np.arange(n_votes), judges),
        () if judges is None else tuple(range(n_votes + 1)),
    )


def limit_beside_others(games):
    """The finite end of the interval of the sixth item, beside the mean of the others."""
    board = Leaderboard(scale="log-odds").fit(games)
    (end,) = board.intervals_[5][np.isfinite(board.intervals_[5])]
    return end - board.ratings_[:5].mean()


def test_the_limit_is_that_of_clopper_and_pearson_against_known_opponents():
    games = made_games(np.random.default_rng(0), 12, n_votes=200_000)
    opponents = games.second[games.first == 5]
    all_won = np.prod(special.expit(limit_beside_others(games) - OTHERS[opponents]))
    # Limits are looked for in steps of .05.
    assert 0.043 < all_won < 0.052


def test_a_judge_who_always_prefers_an_item_counts_once():
    judges = np.arange(12), np.zeros(12, dtype=int)
    by_many, by_one = (made_games(np.random.default_rng(1), 12, each) for each in judges)
    assert limit_beside_others(by_one) < limit_beside_others(by_many) - 1


def test_losers_mirror_winners():
    loser = made_games(np.random.default_rng(2), 9, sign=-1)
    mirrored = Games(loser.items, loser.first, loser.second, -loser.result)
    assert limit_beside_others(loser) == pytest.approx(-limit_beside_others(mirrored), abs=0.06)


def test_a_board_says_so():
    board = Leaderboard().fit(made_games(np.random.default_rng(3), 9))
    (limit,) = board.limits_
    assert limit.item == 5
    low, high = board.intervals_[5]
    assert (low < board.ratings_[5], high) == (True, np.inf)
    assert f"at least {low:.0f} (95 % sure)" in board.summary()
    assert any(f"at least {low:.0f}" in line for line in board.lines()[:7])
    (item,) = (item for item in board.to_dict()["items"] if item["item"] == "f")
    assert item["low"] == low
    assert item["high"] is None
    json.dumps(board.to_dict(), allow_nan=False)
    assert "at least" in board.page()


@pytest.mark.parametrize("terms", [{"adjust": "slot"}, {"by": "kind"}, {"over": "year"}])
def test_one_limit_whatever_else_the_model_has(terms):
    games = made_games(np.random.default_rng(3), 9)
    names = np.array(games.items)
    votes = pd.DataFrame({"model_a": names[games.first], "model_b": names[games.second]})
    votes["winner"] = np.where(games.result > 0, "model_a", "model_b")
    # The star is shown on either side.
    turned = np.arange(len(votes)) % 2 == 0
    votes.loc[turned, ["model_a", "model_b"]] = votes.loc[turned, ["model_b", "model_a"]].to_numpy()
    votes.loc[turned, "winner"] = votes.loc[turned, "winner"].map(
        {"model_a": "model_b", "model_b": "model_a"}
    )
    votes["kind"], votes["year"] = np.arange(len(votes)) % 3, 2020 + np.arange(len(votes)) // 200
    board = Leaderboard(**terms).fit(votes)
    plain = Leaderboard().fit(votes)
    for each in (board, *board.boards_.values()):
        low, high = each.intervals_[5]
        assert high == np.inf
        assert low == pytest.approx(plain.intervals_[5, 0], abs=60)


@pytest.mark.slow
@pytest.mark.parametrize(("strength", "n_wins"), [(1.0, 10), (2.0, 10), (3.0, 30), (6.0, 10)])
def test_limits_are_rarely_too_high(strength, n_wins):
    wrong = 0
    for seed in range(200):
        rng = np.random.default_rng([seed, n_wins])
        opponents = rng.integers(0, 5, n_wins)
        if (rng.random(n_wins) > special.expit(strength - OTHERS[opponents])).any():
            continue
        games = made_games(rng, n_wins)
        wrong += limit_beside_others(games) > strength
    # A chance of .05 in 200 samples: 20 or more would be rarer than 1 in 500.
    assert wrong < 20
