"""Confidence sets of places: laws, and what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankcut.leaderboard import Places


def random_places(seed, n_items=6, freedom=20.0, spread=1.0):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n_items, n_items)) / 3
    return Places(spread * rng.standard_normal(n_items), root @ root.T, freedom, seed=seed)


@given(st.integers(0, 200))
def test_a_simultaneous_interval_holds_the_marginal_one(seed):
    places = random_places(seed)
    assert (places.simultaneous[:, 0] <= places.marginal[:, 0]).all()
    assert (places.simultaneous[:, 1] >= places.marginal[:, 1]).all()
    assert (places.marginal[:, 0] <= places.ranks).all()
    assert (places.marginal[:, 1] >= places.ranks).all()


@given(st.integers(0, 200))
def test_all_equal_is_refused_exactly_if_a_pair_is_clear(seed):
    places = random_places(seed, spread=0.8)
    assert places.clear.any() == (places.p_equal <= 0.05)
    assert ((places.p_values <= 0.05) == (places.clear | places.clear.T)).all()


@given(st.integers(0, 200))
def test_tiers_hold_no_clear_pair_and_each_needs_the_one_before(seed):
    places = random_places(seed, spread=3.0)
    tiers = places.tiers
    assert sorted(np.concatenate(tiers).tolist()) == list(range(6))
    for before, tier in zip([None, *tiers], tiers, strict=False):
        assert not places.clear[np.ix_(tier, tier)].any()
        if before is not None:
            assert places.clear[np.ix_(before, tier)].any(axis=0).all()


def test_two_items_are_compared_as_by_a_t_test():
    """Of two items there is one difference: both kinds of intervals are those of Student's t."""
    for size in (1.9, 2.0, 2.1, 2.2, 2.3):
        p = 2 * stats.t.sf(size, 15)
        places = Places(np.array([size, 0.0]), np.eye(2) / 2, 15.0)
        assert places.p_values[0, 1] == pytest.approx(p, abs=0.02)
        if abs(p - 0.05) > 0.01:
            assert places.clear[0, 1] == (p < 0.05)


def test_level_of_independent_items_is_tukeys():
    """With equal variances the critical value is that of the studentised range."""
    places = Places(np.zeros(8), np.eye(8))
    tukey = stats.studentized_range.ppf(0.95, 8, np.inf) / np.sqrt(2)
    assert places.critical_value == pytest.approx(tukey, abs=0.06)


def test_pairs_that_are_clear_are_compared_no_more():
    """The last two items are compared as if there were no others: the first is far from both."""
    places = Places(np.array([30.0, 2.2, 0.0]), np.eye(3) / 2)
    assert places.p_values[1, 2] == pytest.approx(2 * stats.norm.sf(2.2), abs=0.01)
    assert places.simultaneous.tolist() == [[1, 1], [2, 2], [3, 3]]
    near = Places(np.array([1.0, 2.2, 0.0]), np.eye(3) / 2)
    assert near.p_values[1, 2] > 0.06
    assert not near.clear.any()


def test_chances_of_places():
    places = Places(np.array([0.0, 1.0, -1.0]), np.diag([0.5, 0.5, 0.5]))
    assert np.allclose(places.chances.sum(axis=0), 1)
    assert np.allclose(places.chances.sum(axis=1), 1)
    assert np.allclose(places.best(2), places.chances[:, :2].sum(axis=1))
    ahead = stats.norm.cdf(1.0)
    pair = (places.draws[:, 1] > places.draws[:, 0]).mean()
    assert pair == pytest.approx(ahead, abs=0.02)


def test_order_of_items_does_not_matter():
    places = random_places(3, spread=3.0)
    turn = np.array([4, 2, 0, 5, 1, 3])
    turned = Places(places.scores[turn], places.covariance[np.ix_(turn, turn)], 20.0, seed=3)
    assert (turned.ranks == places.ranks[turn]).all()
    assert np.abs(turned.chances - places.chances[turn]).max() < 0.05


def test_no_variation_is_no_doubt():
    places = Places(np.array([1.0, 0.0, 0.0]), np.zeros((3, 3)))
    assert places.simultaneous.tolist() == [[1, 1], [2, 3], [2, 3]]


@pytest.mark.slow
def test_both_kinds_of_intervals_cover():
    rng = np.random.default_rng(1)
    truth = np.array([1.0, 0.9, 0.5, 0.5, 0.45, 0.0, -0.2])
    ranks = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    last = (truth[None, :] >= truth[:, None]).sum(axis=1)
    marginal, all_at_once = [], []
    for seed in range(300):
        sample = truth + rng.standard_normal((25, 7)) * np.linspace(0.3, 1.2, 7)
        covariance = np.cov(sample.T) / 25
        places = Places(sample.mean(axis=0), covariance, 24.0, seed=seed)
        low, high = places.marginal.T
        marginal.append((low <= last) & (high >= ranks))
        low, high = places.simultaneous.T
        all_at_once.append(((low <= last) & (high >= ranks)).all())
    # Three standard errors below 95 %.
    assert np.mean(marginal, axis=0).min() >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 300)
    assert np.mean(all_at_once) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 300)


def test_four_data_sets_do_not_say_how_errors_are_correlated():
    """Equal means by four data sets: some pair is clear in about 5 % of samples, not in 10 %."""
    rng = np.random.default_rng(0)
    clear = 0
    for _ in range(300):
        cells = rng.standard_normal((4, 4))
        covariance = np.cov(cells, rowvar=False) / 4
        clear += Places(cells.mean(axis=0), covariance, 3.0).clear.any()
    assert clear <= 300 * (0.05 + 3 * np.sqrt(0.05 * 0.95 / 300))


def test_a_difference_that_hangs_on_one_person_is_never_clear():
    freedom = np.array([[9.0, 9.0, 0.0], [9.0, 9.0, 0.0], [0.0, 0.0, 9.0]])
    places = Places(np.array([0.0, 5.0, 50.0]), np.eye(3) / 9, freedom)
    assert places.clear[1, 0]
    assert not places.clear[2].any()
    assert places.marginal[2].tolist() == [1, 3]
