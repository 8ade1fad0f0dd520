"""Blocks of ordered partitions, made from groups, orders and sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import partitions

from rankcut.partitions import Partitions


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
