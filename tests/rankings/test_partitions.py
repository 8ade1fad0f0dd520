"""Blocks of ordered partitions, made from groups, orders and sets, and their pooled slopes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from strategies import partitions

from rankcut.rankings import Rankings
from rankcut.rankings.value import Partitions


def groups_of(block):
    """Each row as sets of items."""
    return [
        [set(items) for items in np.split(order, ends[: n - 1])]
        for order, ends, n in zip(
            block.order[:, : block.n_items].tolist(), block.ends, block.n_groups, strict=True
        )
    ]


@given(chains=st.integers(1, 6).flatmap(lambda n: st.lists(partitions(n), min_size=1, max_size=4)))
def test_groups_there_and_back_and_reversed(chains):
    block = Partitions.of_groups(chains, sum(map(len, chains[0])))
    sets = [[set(group) for group in groups] for groups in chains]
    assert groups_of(block) == sets
    assert groups_of(block.reversed()) == [groups[::-1] for groups in sets]


def test_orders_are_groups_of_one():
    block = Partitions.of_orders(np.array([[2, 0, 1], [0, 1, 2]]))
    assert groups_of(block) == [[{2}, {0}, {1}], [{0}, {1}, {2}]]


def test_a_set_is_a_chain_of_two():
    inside = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1]], dtype=bool)
    assert groups_of(Partitions.of_sets(inside)) == [[{0, 2}, {1}], [{0, 1, 2}], [{0, 1, 2}]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_tied", [0, 1, 60, 120])
@pytest.mark.parametrize("n_items", [12, 30, 260])
def test_a_ranking_is_pooled_to_the_same_bits_in_any_batch(n_items, n_tied, dtype):
    rng = np.random.default_rng(n_tied)
    n_rows = 133
    chains = [[[item] for item in rng.permutation(n_items).tolist()] for _ in range(n_rows)]
    for row in rng.permutation(n_rows)[:n_tied]:
        parts = np.array_split(rng.permutation(n_items), rng.integers(1, n_items))
        chains[row] = [part.tolist() for part in parts]
    block = Partitions.of_groups(chains, n_items)
    # After the last group is room, which may hold anything.
    increments = np.full((n_rows + 2, n_items), np.nan)
    for row, groups in enumerate(chains):
        increments[row, : len(groups)] = rng.standard_normal(len(groups))
    alone, together = np.zeros((2, n_rows, n_items), dtype=dtype)
    for row in range(n_rows):
        block[row : row + 1].pool(increments[row : row + 1], alone[row : row + 1])
    block.pool(increments, together)
    assert_array_equal(together, alone)
    assert np.isfinite(together).all()


@pytest.mark.parametrize("close", [False, True])
def test_few_rankings_have_the_groups_of_many(close, monkeypatch):
    ranks = np.random.default_rng(0).choice([1.0, 2.5, 7.0, np.inf, np.nan], size=(40, 5))
    few = Rankings(ranks).groups(close=close)
    monkeypatch.setattr("rankcut.rankings.value.FEW_ENTRIES", 0)
    assert_array_equal(few, Rankings(ranks).groups(close=close))
