"""Orders: from lists, to lists, and of vectors."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from strategies import weight_matrices

from rankcut import from_orders, to_orders, to_ranking
from rankcut.errors import InputError
from rankcut.rankings.stored import dense_ranks

LABELS = st.one_of(st.integers(), st.text(max_size=3), st.tuples(st.integers(), st.text()))


@st.composite
def orders(draw):
    """Orders over a few labels of any kind, with ties; each mentions some of the items."""
    items = draw(st.lists(LABELS, min_size=1, max_size=6, unique=True))
    many = []
    for _ in range(draw(st.integers(1, 4))):
        listed = draw(st.lists(st.sampled_from(items), unique=True, max_size=len(items)))
        groups = []
        for label in listed:
            if groups and draw(st.booleans()):
                groups[-1] = (*groups[-1], label)
            else:
                groups.append((label,))
        many.append([g[0] if len(g) == 1 and not isinstance(g[0], tuple) else g for g in groups])
    return items, many


def as_sets(many):
    return [
        [frozenset(g) if isinstance(g, tuple) else frozenset([g]) for g in order] for order in many
    ]


@given(case=orders())
def test_round_trip(case):
    items, many = case
    dense, columns = from_orders(many, items)
    stored, _ = from_orders(many, items, sparse=True)
    assert columns == items
    assert as_sets(to_orders(dense, columns)) == as_sets(many)
    assert as_sets(to_orders(stored, columns)) == as_sets(many)
    assert_array_equal(dense_ranks(stored), dense)


def test_generators_are_read_once_and_any_nested_collection_is_tied():
    ranks, items = from_orders(iter([iter("ab"), iter("ba")]))
    assert items == ["a", "b"]
    assert_array_equal(ranks, [[1, 2], [2, 1]])
    for group in (["uni", "ika"], ("uni", "ika"), {"uni", "ika"}):
        ranks, _ = from_orders([["toro", group]], ["toro", "uni", "ika"])
        assert_array_equal(ranks, [[1, 2, 2]])


def test_to_orders_takes_labels_from_a_frame_or_counts_items(frames):
    frame = frames.DataFrame({"uni": [2, 1], "toro": [1, 1]})
    assert to_orders(frame) == [["toro", "uni"], [("uni", "toro")]]
    assert to_orders([[2, np.nan, 1]]) == [[2, 0]]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([["a"], ["toro", "b", "toro"]], "row 1: item 'toro' appears twice; an order lists each"),
        ([["a", ("b", "b")]], "row 0: item 'b' appears twice"),
        ([["a"], "abc"], "row 1: an order is a list of items, best first, not 'abc'"),
        ([["a"], 7], "row 1: an order is a list of items, best first, not 7"),
        ([["a", ()]], "row 0: group 2 is empty"),
        ([{"a"}], "row 0: an order is a list of items, best first, not {'a'}"),
        ([["a", ("b", ["c"])]], r"row 0: \['c'\] in group 2 cannot be a label"),
        ([], "no order lists any item"),
        ([[]], "no order lists any item"),
    ],
)
def test_mistakes_name_row_and_item(bad, message):
    with pytest.raises(ValueError, match=message):
        from_orders(bad)


def test_items_not_allowed_for():
    with pytest.raises(ValueError, match="row 1: item 'ebi' is not among the items; add it"):
        from_orders([["uni"], ["uni", "ebi"]], items=["uni", "toro"])
    with pytest.raises(ValueError, match="items lists 'uni' twice"):
        from_orders([["uni"]], items=["uni", "uni"])


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
    # Rounding is a tie, a difference is not.
    assert_array_equal(to_ranking([0.1 + 0.2, 0.3, 0.3 + 1e-7]), [2, 2, 1])
    # Ties within a tolerance reach from neighbour to neighbour.
    assert_array_equal(to_ranking([3.0, 2.5, 2.0, 1.0], tolerance=0.5), [1, 1, 1, 4])
    assert_array_equal(to_ranking([3.0, 2.5], tolerance=0.0), [1, 2])
    # Several vectors at once.
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
