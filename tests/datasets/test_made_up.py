"""Made-up rankings: food, and draws from models against their probabilities."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare

from rankcut import from_ratings, make_food, make_mallows, make_plackett_luce
from rankcut.errors import InputError


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


def test_seeds_and_noise_make_rankings_differ():
    one, again, other = (make_food(30, random_state=seed).ranks for seed in (5, 5, 6))
    assert_array_equal(one, again)
    assert not np.array_equal(one, other)
    quiet, loud = (make_food(200, noise=noise, random_state=0).ranks for noise in (0.05, 3))
    assert len(np.unique(quiet, axis=0)) < len(np.unique(loud, axis=0))


def test_ties_merge_as_many_groups_and_incomplete_drops_as_many_items_as_asked_for():
    tied, some = (make_food(200, kind=kind, random_state=3) for kind in ("ties", "incomplete"))
    assert {len(np.unique(row)) for row in tied.ranks} == {5, 6}
    assert (tied.ranks.min(axis=1) == 1).all()
    assert {len(np.unique(row)) for row in make_food(9, kind="ties", merges=7).ranks} == {1}
    assert set(np.isnan(some.ranks).sum(axis=1)) == {2, 3, 4, 5}
    exact = make_food(20, kind="incomplete", dropped=1).ranks
    assert set(np.isnan(exact).sum(axis=1)) == {1}


def frequencies(ranks):
    orders = dict.fromkeys(permutations(range(ranks.shape[1])), 0)
    for row in np.argsort(ranks, axis=1).tolist():
        orders[tuple(row)] += 1
    return np.array(list(orders.values()), dtype=float), list(orders)


def turned(order, center):
    place = [order.index(i) for i in center]
    return sum(a > b for k, a in enumerate(place) for b in place[k + 1 :])


def test_mallows_probabilities():
    center = [2.0, 4.0, 1.0, 3.0]
    ranks = make_mallows(20_000, 4, phi=0.6, centers=center, random_state=0).ranks
    found, orders = frequencies(ranks)
    weights = np.array([0.6 ** turned(order, np.argsort(center).tolist()) for order in orders])
    # The seed is fixed: a p-value below this would mean another distribution.
    assert chisquare(found, weights / weights.sum() * 20_000).pvalue > 1e-3


def test_plackett_luce_probabilities():
    strengths = np.array([5.0, 3.0, 1.0, 2.0])
    ranks = make_plackett_luce(20_000, strengths=strengths, random_state=0).ranks
    found, orders = frequencies(ranks)
    left = [[strengths[list(order[k:])].sum() for k in range(4)] for order in orders]
    probability = np.prod(strengths[np.array(orders)] / np.array(left), axis=1)
    assert_allclose(probability.sum(), 1)
    assert chisquare(found, probability * 20_000).pvalue > 1e-3


def food_of_eight(n_rankings, n_items, **options):
    return make_food(n_rankings, **options)


@pytest.mark.parametrize("make", [food_of_eight, make_mallows, make_plackett_luce])
def test_kinds(make):
    full = make(30, 8, random_state=0).ranks
    assert_array_equal(np.sort(full, axis=1), np.tile(np.arange(1.0, 9.0), (30, 1)))
    for k in (1, 3, 8):
        top = make(30, 8, kind="top-k", k=k, random_state=0).ranks
        assert_array_equal(np.where(full <= k, full, np.nan), top)
    ties = make(30, 8, kind="ties", k=3, random_state=0).ranks
    assert make is food_of_eight or set(np.unique(ties)) == {1, 2, 3}
    # Neighbouring groups are merged, and no two items change sides.
    steps = np.diff(np.take_along_axis(ties, np.argsort(full, axis=1), axis=1), axis=1)
    assert set(np.unique(steps)) == {0, 1}
    part = make(30, 8, kind="incomplete", k=3, random_state=0).ranks
    assert make is food_of_eight or ((~np.isnan(part)).sum(axis=1) == 3).all()
    assert_array_equal(part[~np.isnan(part)], full[~np.isnan(part)])


def test_extremes_of_mallows():
    assert_array_equal(make_mallows(3, 5, phi=0, random_state=0).ranks, [[1, 2, 3, 4, 5]] * 3)
    uniform = make_mallows(6000, 3, phi=1, random_state=0).ranks
    assert chisquare(frequencies(uniform)[0]).pvalue > 1e-3


def test_blocs():
    votes = make_mallows(40, 5, phi=0, n_blocs=2, random_state=1)
    assert_array_equal(np.bincount(votes.target), [20, 20])
    assert_array_equal(votes.ranks, votes["centers"][votes.target])
    assert not np.array_equal(*votes["centers"])
    uneven = make_mallows(1000, 5, phi=[0, 1], n_blocs=2, shares=[0.9, 0.1], random_state=1)
    assert 0.87 < (uneven.target == 0).mean() < 0.93


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (make_food, {"kind": "best"}, "kind must be"),
        (make_food, {"k": 0, "kind": "top-k"}, "k must be from 1 to 8"),
        (make_food, {"k": 9, "kind": "top-k"}, "k must be from 1 to 8"),
        (make_food, {"noise": -1}, "noise must be a finite number, 0 or more"),
        (make_food, {"n_rankings": 0}, "n_rankings must be a whole number, 1 or more"),
        (make_food, {"n_rankings": 2.5}, "n_rankings must be a whole number, 1 or more"),
        (make_food, {"kind": "ties", "merges": 8}, "merges must be a number or a range"),
        (make_food, {"kind": "incomplete", "dropped": (3, 2)}, "dropped must be a number or a "),
        (make_mallows, {"phi": 2}, "phi must be from 0 to 1; got 2"),
        (make_mallows, {"n_items": 0}, "n_items must be a whole number, 1 or more; got 0"),
        (make_mallows, {"kind": "some"}, 'kind must be "full"'),
        (make_mallows, {"kind": "top-k", "k": 99}, "k must be from 1 to 10; got 99"),
        (make_mallows, {"centers": [1, 2]}, "centers must have 10 ranks for each bloc; got 2"),
        (make_mallows, {"n_blocs": 0}, "n_blocs must be"),
        (make_mallows, {"shares": [1, 2]}, "shares must be 1 numbers"),
        (make_plackett_luce, {"strengths": [1, 0]}, "strengths must be finite numbers above 0"),
    ],
)
def test_mistakes_are_named(make, options, message):
    with pytest.raises(InputError, match=message):
        make(**{"n_rankings": 5, **options})
