"""Vectors of taste: lists that share no item, and the taste that all share."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from rankcut import SimilarRankings
from rankcut.estimators import TasteFeatures

NAN = np.nan
PAIRS = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
LISTS = np.array([[1, NAN, 2, NAN], [NAN, 1, NAN, 2], [NAN, 2, NAN, 1], [1, 2, 3, NAN]])


def test_vectors_by_definition():
    lists = np.vstack([LISTS, [1, 2, 3, 4], [1, NAN, 3, 2]])
    model = TasteFeatures(PAIRS, smoothing=1.0, consensus=2.0).fit(lists)
    walk = (np.eye(4) + PAIRS) / 2
    order = np.array([[1, 0, -1, 0], [0, 1, 0, -1], [0, -1, 0, 1], [1, 0, -1, 0]]) / np.sqrt(2)
    order = np.vstack([order, np.array([3, 1, -1, -3]) / np.sqrt(20), order[0]])
    listed = ~np.isnan(lists)
    products = [
        one[item] * other[item]
        for item in range(4)
        for one, other in combinations(order[listed[:, item]], 2)
    ]
    total = (order[listed] ** 2).mean()
    middle = (total - np.mean(products)) / np.mean(products)
    assert 1 < middle < 10
    mean = (order.sum(axis=0) @ walk) / (listed.sum(axis=0) @ walk + middle)
    own = order @ walk
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    assert model.consensus_ == pytest.approx(mean / np.linalg.norm(mean))
    assert model.transform(lists) == pytest.approx(own + 2 * mean / np.linalg.norm(mean))


@pytest.mark.parametrize(
    "lists",
    [
        [[1, 1, NAN], [1, 1, NAN]],  # nothing but ties
        [[1, 2, NAN], [1, 2, NAN]],  # nothing of one's own, and an item that nobody lists
        [[1, 2, NAN], [NAN, NAN, 1]],  # no item in common
    ],
)
def test_lists_without_a_spread_to_learn_from(lists):
    model = TasteFeatures([[0, 1, 0], [1, 0, 0], [0, 0, 0]]).fit(lists)
    assert np.isfinite(model.consensus_).all()
    assert np.isfinite(model.transform(lists)).all()


def test_without_consensus_only_ones_own_taste_counts():
    vectors = TasteFeatures(PAIRS, consensus=0.0).fit_transform(LISTS[:3])
    # Lists that share no item: the same taste, and the opposite.
    assert vectors @ vectors.T == pytest.approx(np.array([[1, 1, -1], [1, 1, -1], [-1, -1, 1]]))


def test_with_much_consensus_all_have_the_same_neighbour():
    lists = np.array([[1, 2, 3, 4]] * 3 + [[4, 3, 2, 1], [1, 2, 4, 3]], dtype=float)
    search = SimilarRankings(TasteFeatures(consensus=1e6), normalize=False).fit(lists)
    _, people = search.kneighbors(lists[3:], n_neighbors=1)
    assert set(people.ravel()) <= {0, 1, 2}


def test_lists_that_agree_on_nothing_have_no_common_taste():
    model = TasteFeatures(PAIRS).fit([[1, 2, 3, 4], [4, 3, 2, 1]])
    assert not model.consensus_.any()
    assert np.isfinite(model.transform([[1, 1, 1, 1], [1, 2, 3, 4]])).all()


def test_a_graph_of_named_items_is_matched_with_the_names_of_the_columns():
    names = list("wxyz")
    graph = pd.DataFrame(PAIRS, index=names, columns=names)
    others = ["z", "x", "w", "y"]
    expected = TasteFeatures(PAIRS).fit_transform(LISTS)
    got = TasteFeatures(graph.loc[others, others], items=names).fit_transform(LISTS)
    assert got == pytest.approx(expected)


@pytest.mark.parametrize("consensus", [-1, np.nan, "much", None, True])
def test_what_is_no_length_of_the_common_part(consensus):
    with pytest.raises(ValueError, match="consensus must be a number"):
        TasteFeatures(consensus=consensus).fit([[1, 2], [2, 1]])


@pytest.mark.parametrize("graph", [None, PAIRS])
def test_counts_are_repeated_lists(graph):
    counts = [3, 1, 0, 2]
    repeated = TasteFeatures(graph).fit(np.repeat(LISTS, counts, axis=0))
    counted = TasteFeatures(graph).fit(LISTS, sample_weight=counts)
    np.testing.assert_allclose(counted.transform(LISTS), repeated.transform(LISTS), atol=1e-13)
    search = SimilarRankings(TasteFeatures(graph), normalize=False)
    found = search.fit(LISTS, sample_weight=counts).features_
    np.testing.assert_allclose(found.transform(LISTS), repeated.transform(LISTS), atol=1e-13)
