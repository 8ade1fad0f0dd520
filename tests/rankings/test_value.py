"""The checked value, its blocks of ordered partitions, and equal rows merged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse
from strategies import partitions

from rankcut.errors import InputError
from rankcut.rankings import Rankings, read_rankings
from rankcut.rankings.partitions import Partitions

NAN = np.nan
ROWS = np.array([[1, 2, 3], [2, 1, NAN], [10, 20, 30], [NAN, NAN, NAN], [2, 1, 3]])


def merged(rows=ROWS, unranked="anywhere", **options):
    return read_rankings(rows, unranked=unranked, **options).merged()


def assert_same(one, other):
    assert_array_equal(one.groups(), other.groups())
    assert_array_equal(one.weights, other.weights)
    assert_array_equal(one.listed(), other.listed())


@st.composite
def tables(draw):
    n_items = draw(st.integers(1, 20))
    row = st.lists(st.sampled_from([1.0, 2.0, 3.0, NAN]), min_size=n_items, max_size=n_items)
    return np.array(draw(st.lists(row, min_size=1, max_size=8)))


@given(tables(), st.sampled_from(["last", "anywhere"]), st.randoms())
def test_counts_are_repeated_rows_in_any_order(rows, unranked, random):
    counts = np.array([random.randint(0, 3) for _ in rows])
    counts[random.randrange(len(rows))] = 2
    each = np.repeat(np.arange(len(rows)), counts)
    random.shuffle(each)
    found = merged(rows, unranked, sample_weight=counts)
    assert_same(found.rankings, merged(rows[each], unranked).rankings)
    assert_array_equal(found.which >= 0, counts > 0)
    own = read_rankings(rows[counts > 0], unranked=unranked).groups()
    assert_array_equal(found.rankings.groups()[found.which[counts > 0]], own)
    assert len(np.unique(found.rankings.groups(), axis=0)) == len(found.rankings.groups())


def test_a_list_and_its_closed_ranking_are_the_same_where_unranked_is_last():
    found = merged(unranked="last")
    assert found.which[1] == found.which[4]
    assert found.rankings.listed().all()
    assert not merged(ROWS[[1]], "last").rankings.listed().all()


def test_a_large_sparse_matrix_is_left_as_it_is(monkeypatch):
    matrix = sparse.csr_array(np.nan_to_num(ROWS))
    together = merged(matrix, sample_weight=[1, 0, 2, 1, 1])
    monkeypatch.setattr("rankcut.rankings.value.KEPT", 1)
    apart = merged(matrix, sample_weight=[1, 0, 2, 1, 1])
    assert apart.rankings.sparse is not None
    assert_array_equal(apart.rankings.groups()[0], together.rankings.groups()[together.which[0]])
    assert_array_equal(apart.rankings.listed(), together.rankings.listed())


def test_the_value_is_read_once_and_takes_another_meaning_if_it_fits():
    how = {"sample_weight": [1, 2, 3, 4, 5], "people": list("babca")}
    rankings = read_rankings(ROWS, unranked="last", **how)
    assert read_rankings(rankings, unranked="last") is rankings
    assert rankings.people.tolist() == [1, 0, 1, 2, 0]
    some = rankings.rows([4, 0])
    assert (some.weights.tolist(), some.people.tolist()) == ([5, 1], [0, 1])
    assert_array_equal(some.read(0, 2), ROWS[[4, 0]])
    rankings = read_rankings(ROWS, unranked="anywhere")
    assert read_rankings(rankings, unranked="last").groups().max() == 2
    assert read_rankings(rankings) is rankings
    assert read_rankings(ROWS[:1], or_else="last").unranked == "last"
    with pytest.raises(InputError, match="row 1: item 2 is not ranked"):
        read_rankings(ROWS)


@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
def test_rows_end_with_the_last(form):
    rankings = read_rankings(form([[1.0, 2.0], [2.0, 1.0]]))
    assert rankings.groups(1, 9).tolist() == [[1, 0]]
    for blocks in (rankings.blocks, rankings.listed_blocks):
        assert [len(block) for _, block in blocks(1, 9)] == [1]


def groups_of(block):
    """Each row as sets of items."""
    rows = zip(block.order[:, : block.n_items].tolist(), block.ends, block.n_groups, strict=True)
    return [[set(own) for own in np.split(order, ends[: n - 1])] for order, ends, n in rows]


@given(chains=st.integers(1, 6).flatmap(lambda n: st.lists(partitions(n), min_size=1, max_size=4)))
def test_groups_there_and_back_and_reversed(chains):
    block = Partitions.of_groups(chains, sum(map(len, chains[0])))
    sets = [[set(group) for group in groups] for groups in chains]
    assert groups_of(block) == sets
    assert groups_of(block.reversed()) == [groups[::-1] for groups in sets]


def test_orders_are_groups_of_one_and_a_set_is_a_chain_of_two():
    block = Partitions.of_orders(np.array([[2, 0, 1], [0, 1, 2]]))
    assert groups_of(block) == [[{2}, {0}, {1}], [{0}, {1}, {2}]]
    inside = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1]], dtype=bool)
    assert groups_of(Partitions.of_sets(inside)) == [[{0, 2}, {1}], [{0, 1, 2}], [{0, 1, 2}]]


@pytest.mark.parametrize("close", [False, True])
def test_few_rankings_have_the_groups_of_many(close, monkeypatch):
    ranks = np.random.default_rng(0).choice([1.0, 2.5, 7.0, np.inf, np.nan], size=(40, 5))
    few = Rankings(ranks).groups(close=close)
    monkeypatch.setattr("rankcut.rankings.value.FEW_ENTRIES", 0)
    assert_array_equal(few, Rankings(ranks).groups(close=close))
