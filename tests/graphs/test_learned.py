"""Graphs learned from rankings, against loops over pairs of items, and without leaks."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from ranking_sets import stored
from scipy import sparse
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from rankcut import (
    AgreementGraph,
    CoListingGraph,
    DissimilarityGraph,
    GraphCutFeatures,
    GraphCutKernel,
    Smoothing,
    graph_cut_features,
    make_food,
)
from rankcut.graphs import NormalizedGraph, as_item_graph


def lists(n_rows, n_items, seed, density=0.5):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(0, 6, (n_rows, n_items)).astype(float)
    ranks[rng.random(ranks.shape) > density] = np.nan
    return ranks


def co_listing(ranks, shrinkage):
    listed = ~np.isnan(ranks)
    count = listed.sum(axis=0) + shrinkage
    n = ranks.shape[1]
    weights = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            both = sum(bool(row[i] and row[j]) for row in listed)
            if i != j and both:
                weights[i, j] = both / np.sqrt(count[i] * count[j])
    return weights


def agreement(ranks, shrinkage):
    positions = np.zeros_like(ranks)
    for row, place in zip(ranks, positions, strict=True):
        listed = ~np.isnan(row)
        if listed.sum() > 1:
            place[listed] = 1 - 2 * (rankdata(row[listed]) - 1) / (listed.sum() - 1)
    n = ranks.shape[1]
    for i in range(n):
        listed = ~np.isnan(ranks[:, i])
        if listed.any():
            positions[listed, i] -= positions[listed, i].mean()
    positions[np.abs(positions) < 1e-12] = 0
    spread = (positions**2).sum() / max((~np.isnan(ranks)).sum(), 1)
    length = np.sqrt((positions**2).sum(axis=0) + shrinkage * spread)
    weights = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j and positions[:, i] @ positions[:, j] > 1e-12:
                weights[i, j] = positions[:, i] @ positions[:, j] / (length[i] * length[j])
    return weights


def strongest(weights, k):
    """The k largest of each row and those as large, and whatever is among those of either end."""
    kept = np.zeros_like(weights)
    for own, row in zip(kept, weights, strict=True):
        least = sorted(row)[-min(k, len(row))]
        own[:] = np.where(row >= least - 1e-12, row, 0.0)
    return np.maximum(kept, kept.T)


RECIPES = [(CoListingGraph, co_listing), (AgreementGraph, agreement)]


@pytest.mark.parametrize(("recipe", "oracle"), RECIPES)
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.tuples(st.integers(1, 30), st.integers(2, 9)),
    n_neighbors=st.sampled_from([1, 2, 3, 9]),
    shrinkage=st.sampled_from([0, 2.5, 10]),
)
def test_the_strongest_edges_whatever_the_order_of_items(
    recipe, oracle, seed, shape, n_neighbors, shrinkage
):
    """Few short lists tie most edges: of equal ones all stay, or none of a crowd."""
    ranks = lists(*shape, seed, density=0.3)
    ranks[0, 0] = np.nan
    order = np.random.default_rng(seed).permutation(shape[1])
    chosen = recipe(n_neighbors=n_neighbors, shrinkage=shrinkage)
    graph = chosen.build_from(ranks).to_dense()
    assert_allclose(graph, strongest(oracle(ranks, shrinkage), n_neighbors), atol=1e-12)
    assert_array_equal(graph, graph.T)
    assert_allclose(chosen.build_from(stored(ranks)).to_dense(), graph, atol=1e-12)
    assert_allclose(chosen.build_from(ranks[:, order]).to_dense(), graph[np.ix_(order, order)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankcut.graphs.learned.ROWS_AT_ONCE", 7)
        patch.setattr("rankcut.graphs.learned.block_rows", lambda n_items: 7)
        assert_allclose(chosen.build_from(ranks).to_dense(), graph, atol=1e-12)
        patch.setattr("rankcut.graphs.learned.MOST_COMPARED", n_neighbors)
        few = chosen.build_from(ranks).to_dense()
        assert_allclose(chosen.build_from(ranks[:, order]).to_dense(), few[np.ix_(order, order)])


def test_only_stored_ranks_that_are_numbers_are_listed():
    ranks = stored(np.array([[1.0, 2, np.nan], [np.nan, 1, 2], [1, 2, np.nan]]))
    with_nan = ranks.copy()
    with_nan.data[-1] = np.nan
    expected = np.array([[1.0, 2, np.nan], [np.nan, 1, 2], [1, np.nan, np.nan]])
    for recipe in (CoListingGraph(), AgreementGraph()):
        got = recipe.build_from(with_nan).to_dense()
        assert_array_equal(got, recipe.build_from(expected).to_dense())


def test_names(frames):
    ranks = frames.DataFrame({"b": [1.0, 2, None], "a": [2.0, 1, None], "c": [None, None, 1.0]})
    assert CoListingGraph().build_from(ranks).items == ("b", "a", "c")
    transformer = GraphCutFeatures(CoListingGraph(), unranked="last").fit(ranks)
    assert transformer.get_feature_names_out().tolist() == ["b", "a", "c"]


def test_nothing_is_learned_from_rankings_that_are_predicted():
    near = {"n_neighbors": 2}
    smoothing = Smoothing(1, CoListingGraph(**near))
    model = GraphCutFeatures(AgreementGraph(**near), unranked="last", smoothing=smoothing)
    food = make_food(60, kind="top-k", random_state=0)
    fitted, ranks = clone(model).fit(food.ranks[:40]), food.ranks
    expected = AgreementGraph(**near).build_from(ranks[:40]).to_dense()
    assert_array_equal(fitted.graph_.to_dense(), expected)
    assert np.abs(AgreementGraph(**near).build_from(ranks).to_dense() - expected).max() > 0.01
    walked = CoListingGraph(**near).build_from(ranks[:40]).to_dense()
    assert_array_equal(fitted.smoothing_graph_.to_dense(), walked)
    # Predictions of a fold do not depend on its rankings.
    pipeline = make_pipeline(model, LogisticRegression())
    options = {"cv": KFold(3), "method": "predict_proba"}
    plain = cross_val_predict(pipeline, ranks, food.target, **options)
    changed = ranks.copy()
    changed[1:20] = np.random.default_rng(0).permutation(changed[1:20].T).T
    other = cross_val_predict(pipeline, changed, food.target, **options)
    assert_array_equal(other[0], plain[0])


@pytest.mark.parametrize("wrap", [DissimilarityGraph, NormalizedGraph])
def test_graphs_made_of_learned_ones(wrap):
    ranks = lists(30, 8, seed=5)
    recipe = wrap(CoListingGraph(n_neighbors=3))
    expected = wrap(CoListingGraph(n_neighbors=3).build_from(ranks)).build().to_dense()
    transformer = GraphCutFeatures(recipe, unranked="last", smoothing=1).fit(ranks)
    assert_array_equal(transformer.graph_.to_dense(), expected)
    assert_array_equal(recipe.build_from(ranks).to_dense(), expected)
    with pytest.raises(ValueError, match="is learned from rankings"):
        GraphCutKernel(recipe, unranked="last")(ranks)
    with pytest.raises(ValueError, match="is learned from rankings"):
        recipe.build()
    # Made of a graph that is there, it takes no rankings.
    there = wrap(CoListingGraph(n_neighbors=3).build_from(ranks))
    assert GraphCutKernel(there, unranked="last")(ranks).shape == (30, 30)
    assert_array_equal(there.build_from(ranks).to_dense(), expected)


def test_where_no_rankings_are_fitted_it_is_refused():
    ranks = lists(5, 4, seed=0)
    for use in (
        lambda: as_item_graph(CoListingGraph()),
        lambda: GraphCutKernel(CoListingGraph(), unranked="last")(ranks),
        lambda: GraphCutKernel(CoListingGraph(), unranked="last")(ranks),
    ):
        with pytest.raises(ValueError, match=r"CoListingGraph is learned .* call build_from\(rank"):
            use()
    with pytest.raises(ValueError, match="is the class CoListingGraph"):
        graph_cut_features(ranks, CoListingGraph, unranked="last")


def test_rankings_and_parameters_that_do_not_tell_are_refused():
    with pytest.raises(ValueError, match="use AgreementGraph, which connects"):
        CoListingGraph().build_from([[1, 2], [2, 1]])
    for recipe, _ in RECIPES:
        with pytest.raises(ValueError, match="n_neighbors must be"):
            recipe(n_neighbors=0).build_from(lists(3, 3, 0))
        with pytest.raises(ValueError, match="shrinkage must be"):
            recipe(shrinkage=-1).build_from(lists(3, 3, 0))


def test_memory_is_in_proportion_to_what_is_listed():
    # All pairs of items would take 800 MB.
    rng = np.random.default_rng(0)
    n_rows, n_items, k = 2000, 10_000, 10
    columns = rng.permuted(np.tile(np.arange(200), (n_rows, 1)), axis=1)[:, :k] * 50
    ranks = sparse.csr_array(
        (np.tile(np.arange(1.0, k + 1), n_rows), columns.ravel(), np.arange(n_rows + 1) * k),
        shape=(n_rows, n_items),
    )
    # What is compiled at first use does not count.
    AgreementGraph().build_from(ranks[:2])
    tracemalloc.start()
    graph = AgreementGraph().build_from(ranks)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert graph.n_edges > 0
    assert peak < 50e6


@pytest.mark.parametrize("recipe", [AgreementGraph(n_neighbors=3), CoListingGraph(n_neighbors=3)])
def test_counts_are_repeated_rows(recipe):
    ranks, counts = lists(20, 7, seed=0), np.arange(20) % 5
    found = recipe.build_from(ranks, sample_weight=counts)
    expanded = recipe.build_from(np.repeat(ranks, counts, axis=0))
    assert_allclose(found.to_dense(), expanded.to_dense(), atol=1e-13)
    derived = NormalizedGraph(recipe).build_from(ranks, sample_weight=counts)
    expected = NormalizedGraph(expanded).build().to_dense()
    assert_allclose(derived.to_dense(), expected, atol=1e-12)
