"""Limits of items that won, or lost, all of their votes."""

import numpy as np
import pytest
from scipy import special

from rankcut import Leaderboard
from rankcut.leaderboard import Games
from rankcut.leaderboard.limits import limits_of
from rankcut.strengths import fit_strengths

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


def test_the_limit_is_that_of_clopper_and_pearson_against_known_opponents():
    games = made_games(np.random.default_rng(0), 12, n_votes=200_000)
    fit = fit_strengths(games.rankings())
    (limit,) = limits_of(games, fit, 0.95)
    assert (limit.item, limit.side) == (5, "least")
    opponents = fit.centre[games.second[games.first == 5]]
    all_won = np.prod(special.expit(limit.strength - opponents))
    assert all_won == pytest.approx(0.05, rel=0.02)


def test_a_judge_who_always_prefers_an_item_counts_once():
    judges = np.arange(12), np.zeros(12, dtype=int)
    by_many, by_one = (made_games(np.random.default_rng(1), 12, each) for each in judges)
    least = [
        limits_of(games, fit_strengths(games.rankings()), 0.95)[0].strength
        for games in (by_many, by_one)
    ]
    assert least[1] < least[0] - 1


def test_losers_mirror_winners():
    winner, loser = (made_games(np.random.default_rng(2), 9, sign=sign) for sign in (1, -1))
    mirrored = Games(loser.items, loser.first, loser.second, -loser.result)
    (least,) = limits_of(mirrored, fit_strengths(mirrored.rankings()), 0.95)
    (most,) = limits_of(loser, fit_strengths(loser.rankings()), 0.95)
    assert (least.side, most.side) == ("least", "most")
    assert most.strength == pytest.approx(-least.strength, abs=1e-6)
    assert limits_of(winner, fit_strengths(winner.rankings()), 0.95)[0].strength > most.strength


def test_a_board_says_so():
    board = Leaderboard().fit(made_games(np.random.default_rng(3), 9))
    (limit,) = board.limits_
    assert board.intervals_[5, 0] <= board.rating_of(limit)
    assert f"at least {board.rating_of(limit):.0f} (95 % sure)" in board.summary()


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
        fit = fit_strengths(games.rankings())
        (limit,) = limits_of(games, fit, 0.95)
        wrong += limit.strength - fit.centre[:5].mean() > strength
    # A chance of .05 in 200 samples: 20 or more would be rarer than 1 in 500.
    assert wrong < 20
