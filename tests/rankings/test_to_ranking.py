"""From a vector to a ranking."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse
from strategies import weight_matrices

from rankcut import Consensus, ItemGraph, make_mallows, to_ranking
from rankcut.errors import InputError
from rankcut.graphs import Weights, as_item_graph


def slopes(order, weights):
    """φ° of a full ranking: what an item's edges to worse ones exceed those to better ones by."""
    place = np.argsort(order)
    signs = np.sign(place[None, :] - place[:, None])
    return (weights * signs).sum(axis=1)


@given(st.data(), st.integers(2, 6))
def test_the_order_of_a_vector_is_the_ranking_most_like_it_on_every_graph(data, n_items):
    weights = data.draw(weight_matrices(n_items))
    seed = data.draw(st.integers(0, 2**32 - 1))
    vector = np.random.default_rng(seed).normal(size=n_items)
    found = np.argsort(to_ranking(vector))
    best = max(vector @ slopes(order, weights) for order in permutations(range(n_items)))
    scale = np.abs(weights).sum() * np.abs(vector).max()
    assert vector @ slopes(found, weights) >= best - 1e-13 * scale


@pytest.mark.parametrize("kind", ["complete", "dense", "sparse", "structured"])
def test_the_order_of_a_mean_is_most_like_the_rankings_on_every_kind_of_graph(kind):
    rng = np.random.default_rng(0)
    dense = np.triu(rng.exponential(size=(6, 6)), 1)
    path = sparse.csr_array(np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1))
    graphs = {
        "complete": ItemGraph.complete(6),
        "dense": as_item_graph(dense + dense.T),
        "sparse": as_item_graph(path),
        "structured": ItemGraph(Weights(-path, 2.0), 6),
    }
    graph = graphs[kind]
    assert graph.weights.kind == kind
    votes = make_mallows(9, 6, phi=0.9, kind="incomplete", k=4, random_state=0).ranks
    model = Consensus("graph", graph=graph, unranked="anywhere", n_bootstraps=0).fit(votes)
    weights = graph.to_dense()
    every = {order: model.scores_ @ slopes(order, weights) for order in permutations(range(6))}
    found = every[tuple(np.argsort(model.ranking_, kind="stable").tolist())]
    assert found >= max(every.values()) - 1e-12 * weights.sum() * np.abs(model.scores_).max()


def test_ties_share_the_best_of_their_places():
    assert_array_equal(to_ranking([1.0, 2.0, 1.0, 0.0, 2.0]), [3, 1, 3, 5, 1])


def test_rounding_is_a_tie_and_a_difference_is_not():
    assert_array_equal(to_ranking([0.1 + 0.2, 0.3, 0.3 + 1e-7]), [2, 2, 1])


def test_ties_within_a_tolerance_reach_from_neighbour_to_neighbour():
    assert_array_equal(to_ranking([3.0, 2.5, 2.0, 1.0], tolerance=0.5), [1, 1, 1, 4])
    assert_array_equal(to_ranking([3.0, 2.5], tolerance=0.0), [1, 2])


def test_several_vectors_at_once():
    vectors = np.random.default_rng(0).integers(0, 3, (20, 5)).astype(float)
    assert_array_equal(to_ranking(vectors), [to_ranking(row) for row in vectors])


@pytest.mark.parametrize(
    ("vector", "tolerance", "message"),
    [
        ([1.0, np.nan], None, "row 0: item 1 has the coordinate nan"),
        (3.0, None, "vectors must have one or two dimensions; got 0"),
        ([1.0], -1.0, "tolerance must be 0 or more; got -1.0"),
    ],
)
def test_what_has_no_order_is_refused(vector, tolerance, message):
    with pytest.raises(InputError, match=message):
        to_ranking(vector, tolerance=tolerance)
