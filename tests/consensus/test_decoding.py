"""From a vector to a ranking."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from strategies import weight_matrices

from rankcut import to_ranking
from rankcut.errors import InputError


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
