"""A weight for comparisons with unlisted items, against cuts of a graph weighted row by row."""

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from maps import flat_vectors
from numpy.testing import assert_allclose, assert_array_equal
from strategies import incomplete_cases

from rankcut import graph_cut_kernel, make_food

WEIGHTS = st.sampled_from([0, 0.3, 1, 2.5, "balanced"])


def weighted(weights, row, unlisted_weight):
    """W with the weight on all pairs but the listed ones."""
    listed = ~np.isnan(row)
    factor = listed.mean() if unlisted_weight == "balanced" else unlisted_weight
    return np.where(np.outer(listed, listed), weights, factor * weights)


def tied_last(row):
    levels = np.unique(row[~np.isnan(row)])
    groups = [np.flatnonzero(row == level).tolist() for level in levels]
    others = np.flatnonzero(np.isnan(row)).tolist()
    return [*groups, others] if others else groups


def rounding(weights):
    return 1e-11 * max(weights.sum(), np.finfo(float).tiny)


@pytest.mark.parametrize("algorithm", ["complete", "table", "dense", "sparse"])
@given(case=incomplete_cases(most=7), unlisted_weight=WEIGHTS)
def test_tied_last(algorithm, case, unlisted_weight):
    weights, row = case
    graph = None if algorithm == "complete" else weights
    weights = 1.0 - np.eye(len(row)) if graph is None else weights
    got = flat_vectors(
        row[None], graph, unranked="last", unlisted_weight=unlisted_weight, algorithm=algorithm
    )
    expected = oracles.features(weighted(weights, row, unlisted_weight), tied_last(row))
    assert_allclose(got[0], expected, rtol=0, atol=rounding(weights))


@given(case=incomplete_cases(most=5), unlisted_weight=WEIGHTS, complete=st.booleans())
def test_closed_form(case, unlisted_weight, complete):
    weights, row = case
    graph = None if complete else weights
    weights = 1.0 - np.eye(len(row)) if complete else weights
    options = {"unranked": "anywhere", "unlisted_weight": unlisted_weight}
    got = flat_vectors(row[None], graph, completions="closed_form", **options)[0]
    expected = oracles.mean_over_completions(
        weighted(weights, row, unlisted_weight), row, oracles.slopes
    )
    assert_allclose(got, expected, rtol=0, atol=rounding(weights))


def test_means_over_completions_have_none():
    for method in ("exact", "sampled"):
        with pytest.raises(
            ValueError, match=r'unlisted_weight is for lists.* completions="closed_'
        ):
            flat_vectors(
                [[1, 2, np.nan]], unranked="anywhere", unlisted_weight=2, completions=method
            )


def test_weight_one_and_complete_rankings_change_no_bit():
    food = make_food(50, random_state=0)
    graph = np.random.default_rng(0).random((8, 8))
    graph += graph.T
    for unranked in ("last", "anywhere"):
        plain = flat_vectors(food.ranks, graph, unranked=unranked)
        for weight in (1, 1.0, 0.2, "balanced"):
            got = flat_vectors(food.ranks, graph, unranked=unranked, unlisted_weight=weight)
            assert_array_equal(got, plain)


@pytest.mark.parametrize("unranked", ["last", "anywhere"])
def test_the_same_bits_in_any_batch(unranked):
    rng = np.random.default_rng(0)
    ranks = rng.random((2000, 30))
    ranks[rng.random(ranks.shape) < 0.8] = np.nan
    graph = rng.random((30, 30))
    options = {"unranked": unranked, "unlisted_weight": "balanced"}
    whole = flat_vectors(ranks[:600], graph + graph.T, n_jobs=2, **options)
    assert_array_equal(flat_vectors(ranks[40:47], graph + graph.T, **options), whole[40:47])


def test_the_order_of_a_short_list_counts():
    ranks = np.full((2, 1000), np.nan)
    ranks[0, :5], ranks[1, :5] = [1, 2, 3, 4, 5], [5, 4, 3, 2, 1]

    def likeness(unlisted_weight):
        options = {"unranked": "last", "normalize": True, "unlisted_weight": unlisted_weight}
        return graph_cut_kernel(ranks, **options)[0, 1]

    assert likeness(1) > 0.999
    assert likeness("balanced") < 0.6
    # Then the lower half of a list is no better than what is not listed, and pooled with it.
    assert abs(likeness(0)) < 0.01


def test_balanced_keeps_the_last_of_a_list_above_the_unlisted():
    for k, n in ((1, 5), (3, 4), (10, 100)):
        row = np.full((1, n), np.nan)
        row[0, :k] = np.arange(k)
        features = flat_vectors(row, unranked="last", unlisted_weight="balanced")[0]
        assert (np.diff(features[: k + 1]) < 0).all()


@pytest.mark.parametrize("weight", [-1, np.nan, np.inf, "even", None, True, np.ones(2)])
def test_what_is_no_weight(weight):
    with pytest.raises(ValueError, match="unlisted_weight must be"):
        flat_vectors([[1, 2]], unlisted_weight=weight)
