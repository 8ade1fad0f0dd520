"""What to ask next."""

import numpy as np
import pandas as pd
import pytest
from scipy import special

from rankcut.errors import InputError
from rankcut.leaderboard import Leaderboard, Places
from rankcut.leaderboard.next_votes import (
    check_aim,
    choose_pairs,
    expected_information,
)


def random_state(seed=0, n_items=5):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n_items, n_items)) / 2
    return rng.standard_normal(n_items), root @ root.T


def test_information_is_that_of_a_normal_with_one_more_observation():
    """½·log of how much the determinant of the precision grows."""
    strengths, covariance = random_state()
    told = expected_information(strengths, covariance, "strengths")
    for i, j in ((0, 1), (2, 4)):
        contrast = np.zeros(5)
        contrast[[i, j]] = 1, -1
        chance = special.expit(strengths[i] - strengths[j])
        after = np.linalg.inv(covariance) + chance * (1 - chance) * np.outer(contrast, contrast)
        grown = np.linalg.slogdet(after)[1] + np.linalg.slogdet(covariance)[1]
        assert told[i, j] == pytest.approx(grown / 2)


def test_the_next_pair_is_chosen_as_if_the_one_before_were_answered():
    strengths, covariance = random_state(1)
    pairs = choose_pairs(strengths, covariance, 6, "strengths")
    precision = np.linalg.inv(covariance)
    for i, j, told in pairs:
        every = expected_information(strengths, np.linalg.inv(precision), "strengths")
        assert told == pytest.approx(every.max())
        assert told == pytest.approx(every[i, j])
        contrast = np.zeros(5)
        contrast[[i, j]] = 1, -1
        chance = special.expit(strengths[i] - strengths[j])
        precision += chance * (1 - chance) * np.outer(contrast, contrast)


def test_for_an_order_items_that_are_far_apart_are_not_asked():
    told = expected_information(np.array([0.0, 0.1, 4.0]), np.eye(3) / 8)
    assert told.argmax() == 1
    assert told[0, 2] < told[0, 1] / 100


def test_for_the_best_items_at_the_border_are_asked():
    strengths = np.array([1.0, 0.9, -1.0, -1.1])
    covariance = np.eye(4) / 20
    best = Places(strengths, covariance).best(1)
    (i, j, _), *_ = choose_pairs(strengths, covariance, 1, "best", best)
    assert (i, j) == (0, 1)


def test_votes_until_clear_grow_with_the_square():
    places = Places(np.array([0.3, 0.0]), np.eye(2) * 0.05)
    times = places.times_until_clear(0, 1)
    assert times > 1
    assert Places(np.array([0.3, 0.0]), np.eye(2) * 0.05 / (1.01 * times)).clear[0, 1]
    assert not Places(np.array([0.3, 0.0]), np.eye(2) * 0.05 / (0.99 * times)).clear[0, 1]


@pytest.mark.parametrize(
    ("arguments", "says"), [(("all", 3, 1), "aim must be"), (("order", 0, 1), "n must be")]
)
def test_mistakes(arguments, says):
    with pytest.raises(InputError, match=says):
        check_aim(*arguments)


def test_means_have_no_next_vote():
    board = Leaderboard().fit(
        pd.DataFrame({"dataset": ["a", "b"], "x": [1.0, 2.0], "y": [2.0, 2.5]})
    )
    with pytest.raises(InputError, match="known of votes"):
        board.next_comparisons(3)
