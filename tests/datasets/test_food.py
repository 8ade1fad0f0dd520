"""The synthetic food preferences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rankcut import from_ratings, make_food


def test_noise_free_scores_give_the_two_preferences():
    food = make_food(10, noise=0, random_state=0)
    features = np.array(
        [
            [0.9, 0.7, 1.0, 0.0, 0.2, 0.1, 0.4, 0.4],
            [0.0, 0.1, 0.0, 0.8, 0.8, 1.0, 0.7, 0.9],
            [0.3, 0.0, 0.7, 0.8, 0.9, 1.0, 0.7, 0.6],
        ]
    ).T
    assert_allclose(food.item_features, features)
    for target, weights in enumerate([(1, 1 / 6, 1 / 11), (1 / 11, 1 / 6, 1)]):
        rows = food.ranks[food.target == target]
        assert len(rows) == 5
        assert_array_equal(rows, np.tile(from_ratings((features @ weights)[None]), (5, 1)))


def test_full_rankings_are_permutations():
    ranks = make_food(50, random_state=1).ranks
    assert_array_equal(np.sort(ranks, axis=1), np.tile(np.arange(1, 9), (50, 1)))


def test_noise_makes_rankings_differ():
    quiet, loud = (make_food(200, noise=noise, random_state=0).ranks for noise in (0.05, 3))
    assert len(np.unique(quiet, axis=0)) < len(np.unique(loud, axis=0))


@pytest.mark.parametrize("k", [1, 3, 8])
def test_top_k_keeps_the_best(k):
    full = make_food(40, random_state=2).ranks
    top = make_food(40, kind="top-k", k=k, random_state=2).ranks
    assert_array_equal(top, np.where(full <= k, full, np.nan))


def test_ties_merge_neighbouring_groups():
    full = make_food(200, random_state=3).ranks
    tied = make_food(200, kind="ties", random_state=3).ranks
    groups = {len(np.unique(row)) for row in tied}
    assert groups == {5, 6}
    for before, after in zip(full, tied, strict=True):
        order = np.argsort(before)
        steps = np.diff(after[order])
        assert set(steps) <= {0, 1}
        assert after.min() == 1
    assert {len(np.unique(r)) for r in make_food(9, kind="ties", merges=7).ranks} == {1}


def test_incomplete_drops_items():
    full = make_food(200, random_state=4).ranks
    some = make_food(200, kind="incomplete", random_state=4).ranks
    assert set(np.isnan(some).sum(axis=1)) == {2, 3, 4, 5}
    assert_array_equal(some[~np.isnan(some)], full[~np.isnan(some)])
    exact = make_food(20, kind="incomplete", dropped=1).ranks
    assert set(np.isnan(exact).sum(axis=1)) == {1}


def test_seeds():
    one, again, other = (make_food(30, random_state=seed).ranks for seed in (5, 5, 6))
    assert_array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "best"}, "kind must be"),
        ({"k": 0, "kind": "top-k"}, "k must be from 1 to 8"),
        ({"k": 9, "kind": "top-k"}, "k must be from 1 to 8"),
        ({"noise": -1}, "noise must be a finite number, 0 or more"),
        ({"n_rankings": 0}, "n_rankings must be a whole number, 1 or more"),
        ({"n_rankings": 2.5}, "n_rankings must be a whole number, 1 or more"),
        ({"kind": "ties", "merges": 8}, "merges must be a number or a range"),
        ({"kind": "incomplete", "dropped": (3, 2)}, "dropped must be a number or a range"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        make_food(**{"n_rankings": 5, **options})
