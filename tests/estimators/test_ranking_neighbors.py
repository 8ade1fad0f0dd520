"""The recommended neighbours: lists that share no item, the common taste, and the search."""

import numpy as np
import pytest

from rankcut import RankingNeighbors

NAN = np.nan
PAIRS = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
LISTS = np.array([[1, NAN, 2, NAN], [NAN, 1, NAN, 2], [NAN, 2, NAN, 1], [1, 2, 3, NAN]])


def test_vectors_by_definition():
    model = RankingNeighbors(PAIRS, smoothing=1.0, consensus=2.0).fit(LISTS)
    walk = (np.eye(4) + PAIRS) / 2
    order = np.array([[1, 0, -1, 0], [0, 1, 0, -1], [0, -1, 0, 1], [1, 0, -1, 0]]) / np.sqrt(2)
    mean = (order.sum(axis=0) @ walk) / ((~np.isnan(LISTS)).sum(axis=0) @ walk + 1)
    own = order @ walk
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    assert model.consensus_ == pytest.approx(mean / np.linalg.norm(mean))
    assert model.vectors_ == pytest.approx(own + 2 * mean / np.linalg.norm(mean))
    assert model.transform(LISTS) == pytest.approx(model.vectors_)


def test_neighbours_are_those_of_the_largest_inner_products():
    model = RankingNeighbors(PAIRS).fit(LISTS)
    agreement, people = model.kneighbors(n_neighbors=3)
    products = model.vectors_ @ model.vectors_.T
    for one in range(4):
        others = [other for other in range(4) if other != one]
        assert sorted(people[one]) == others
        assert agreement[one] == pytest.approx(sorted(products[one, others], reverse=True))


def test_without_consensus_only_ones_own_taste_counts():
    _, people = RankingNeighbors(PAIRS, consensus=0.0).fit(LISTS[:3]).kneighbors(n_neighbors=1)
    assert people[:2].ravel().tolist() == [1, 0]


def test_with_much_consensus_all_have_the_same_neighbour():
    lists = np.array([[1, 2, 3, 4]] * 3 + [[4, 3, 2, 1], [1, 2, 4, 3]], dtype=float)
    _, people = RankingNeighbors(consensus=1e6).fit(lists).kneighbors(lists[3:], n_neighbors=1)
    assert set(people.ravel()) <= {0, 1, 2}


def test_too_many_neighbours_are_refused():
    with pytest.raises(ValueError, match="from 1 to 3 to find"):
        RankingNeighbors(PAIRS).fit(LISTS).kneighbors(n_neighbors=4)
