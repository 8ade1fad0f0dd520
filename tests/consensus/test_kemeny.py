"""Kemeny's consensus against all orders, planted optima, and bounds that must hold."""

from itertools import permutations
from time import monotonic

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from rankcut import Consensus, RankingSet, make_mallows
from rankcut.consensus import kemeny
from rankcut.consensus.kemeny import best_orders, kemeny_order, possible_firsts, solve_program

# Seconds that a proof may take on a busy machine.
AGES = 3600.0


def margins_of(ranks):
    return np.sign(ranks[:, None, :] - ranks[:, :, None]).sum(axis=0)


def gain(margins, order):
    return np.triu(margins[np.ix_(order, order)], 1).sum()


def random_margins(n_items, seed, whole):
    rng = np.random.default_rng(seed)
    upper = rng.integers(-3, 4, (n_items, n_items)) if whole else rng.normal(size=(n_items,) * 2)
    upper = np.triu(upper, 1).astype(float)
    return upper - upper.T


@given(st.integers(1, 7), st.integers(0, 2**32 - 1), st.booleans())
def test_no_order_is_better(n_items, seed, whole):
    margins = random_margins(n_items, seed, whole)
    best = max(gain(margins, list(order)) for order in permutations(range(n_items)))
    found = kemeny_order(margins)
    assert found.optimal
    assert_allclose([found.value, found.bound, gain(margins, found.order)], best, atol=1e-12)


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_every_item_that_a_best_order_can_begin_with_is_found(n_items, seed):
    margins = random_margins(n_items, seed, whole=True)
    orders = list(permutations(range(n_items)))
    gains = np.array([gain(margins, list(order)) for order in orders])
    firsts = {order[0] for order, value in zip(orders, gains, strict=True) if value == gains.max()}
    assert possible_firsts(margins).tolist() == sorted(firsts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kemeny, "_MOST_BY_SUBSETS", 0)
        assert 1 <= len(possible_firsts(margins)) <= n_items


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_every_best_order_is_found(n_items, seed):
    margins = random_margins(n_items, seed, whole=True)
    gains = {order: gain(margins, list(order)) for order in permutations(range(n_items))}
    best = {order for order, value in gains.items() if value == max(gains.values())}
    found = best_orders(margins, 1000)
    assert {tuple(order.tolist()) for order in found.orders} == best
    assert found.complete
    places = np.array([np.argsort(order) for order in sorted(best)])
    assert found.free.tolist() == np.flatnonzero(np.ptp(places, axis=0)).tolist()
    if len(best) > 1:
        some = best_orders(margins, len(best) - 1)
        assert len(some.orders) == len(best) - 1
        assert not some.complete


def test_a_consensus_says_that_other_orders_are_as_good():
    votes = RankingSet(np.array([[1.0, 2, 3, 4], [3, 1, 2, 4], [2, 3, 1, 4]]), tuple("abcd"))
    cycle = Consensus("kemeny").fit(votes)
    assert len(cycle.best_orders_) == 3
    assert ["b", "c", "a", "d"] in cycle.best_orders_
    words = cycle.summary()
    assert "3 orders are equally good; this is one of them." in words
    assert "a > b > c > d" in words
    assert cycle.to_dict()["best_orders"] == cycle.best_orders_
    clear = Consensus("kemeny").fit([[1, 2, 3], [1, 2, 3], [1, 3, 2]])
    assert len(clear.best_orders_) == 1
    assert "equally good" not in clear.summary()
    tied = Consensus("kemeny").fit(np.ones((3, 6)))
    assert "More than 12 orders are equally good" in tied.summary()


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_programs_find_what_subsets_find(monkeypatch, seed, whole):
    margins = random_margins(10, seed, whole)
    expected = kemeny_order(margins)
    monkeypatch.setattr(kemeny, "_MOST_BY_SUBSETS", 2)
    found = kemeny_order(margins, step=2.0 if whole else 0.0)
    assert found.optimal
    assert_allclose(found.value, expected.value, atol=1e-9)


def test_a_fractional_relaxation_goes_on_as_a_mixed_integer_program(monkeypatch):
    # A fence of six items: each of three beats its own of the other three, and loses to both of
    # the others. An order satisfies 7 of the 9 majorities, and the relaxation 7.5.
    margins = np.zeros((6, 6))
    margins[:3, 3:] = 2 * np.eye(3) - 1
    margins[3:, :3] = -margins[:3, 3:].T
    best = max(gain(margins, list(order)) for order in permutations(range(6)))
    monkeypatch.setattr(kemeny, "_MOST_BY_SUBSETS", 2)
    found = kemeny_order(margins)
    assert found.optimal
    assert found.value == best


@pytest.mark.parametrize(("n_votes", "phi"), [(11, 0.9), (51, 1.0)])
def test_forty_items_are_proven(n_votes, phi):
    margins = margins_of(make_mallows(n_votes, 40, phi=phi, random_state=1).ranks)
    found = kemeny_order(margins, step=2.0, time_limit=AGES)
    assert found.optimal
    assert found.value == gain(margins, found.order)


def test_a_planted_order_is_found_among_circles():
    # Each block of 15 items is a circle; the order of blocks is planted, and so is each block's:
    # item i beats the next seven, by more the nearer they are.
    ahead = (np.arange(15)[None, :] - np.arange(15)[:, None]) % 15
    wins = np.where((ahead >= 1) & (ahead <= 7), 8.0 - ahead, 0.0)
    block = wins - wins.T
    margins = np.full((45, 45), 9.0)
    margins -= np.triu(margins, 1).T * 2
    np.fill_diagonal(margins, 0.0)
    for start in range(0, 45, 15):
        margins[start : start + 15, start : start + 15] = block
    shuffle = np.random.default_rng(0).permutation(45)
    found = kemeny_order(margins[np.ix_(shuffle, shuffle)], time_limit=AGES)
    assert found.optimal
    assert_array_equal(shuffle[found.order] // 15, np.repeat([0, 1, 2], 15))
    # A circle has to be cut somewhere, and all cuts cost the same.
    assert found.value == gain(margins, np.arange(45))


@pytest.mark.parametrize("seed", range(4))
def test_bounds_of_programs_hold(seed):
    # Nothing is ever called proven, so that the program goes on to its last bound.
    margins = random_margins(9, seed, whole=True)
    best = kemeny_order(margins).value
    start = kemeny.heuristic_order(margins)
    order, bound = solve_program(margins, start, lambda value, bound: False, monotonic() + 60)
    assert gain(margins, order) == best
    assert best - 1e-9 <= bound <= best + 1e-5


def test_time_that_is_up_leaves_a_bound_and_claims_nothing():
    # The last item loses to all others and is a set of its own, whose order is known.
    votes = make_mallows(11, 40, phi=1.0, random_state=0).ranks
    margins = margins_of(np.column_stack([votes, np.full(11, 41)]))
    hurried = kemeny_order(margins, step=2.0, time_limit=0.0)
    best = kemeny_order(margins, step=2.0)
    assert not hurried.optimal
    assert hurried.value <= best.value <= hurried.bound
    assert sorted(hurried.order.tolist()) == list(range(41))


def test_items_that_no_margin_orders_are_tied():
    margins = np.zeros((4, 4))
    margins[0, 1:], margins[1:, 0] = 1.0, -1.0
    assert_array_equal(kemeny_order(margins).ranks, [1, 2, 2, 2])
    assert_array_equal(kemeny_order(np.zeros((3, 3))).ranks, [1, 1, 1])
