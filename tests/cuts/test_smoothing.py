"""φ·p(L) against the eigenvectors of the normalised Laplacian, alone and as ``smoothing=``."""

from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from ranking_sets import stored
from scipy import sparse
from strategies import weight_matrices
from tolerances import assert_rounds_to, rounding

from rankcut import (
    DissimilarityGraph,
    GraphCutFeatures,
    NeighborGraph,
    SimilarityGraph,
    Smoothing,
    make_food,
)
from rankcut.cuts.offset_rows import OffsetRows
from rankcut.cuts.smoothing import Smoother
from rankcut.graphs import DistanceGraph, ItemGraph, NormalizedGraph, Weights, as_item_graph

RNG = np.random.default_rng(0)
STEPS = st.sampled_from([0, 0.25, 1, 1.5, 3.0])


def filtered(weights, steps):
    """p(L), eigenvalue by eigenvalue; items without edges have an eigenvalue 0 of their own."""
    degrees = weights.sum(axis=1)
    scale = np.zeros(len(weights))
    scale[degrees > 0] = degrees[degrees > 0] ** -0.5
    laplacian = np.diag((degrees > 0).astype(float)) - scale[:, None] * weights * scale
    values, vectors = np.linalg.eigh(laplacian)
    assert values.min() > -1e-9
    assert values.max() < 2 + 1e-9
    part = steps - floor(steps)
    return (vectors * ((1 - values / 2) ** floor(steps) * (1 - part * values / 2))) @ vectors.T


def smoothed(graph, steps, rows, **options):
    rows = np.array(rows)
    Smoother(graph, steps).smooth(rows, **options)
    return rows


@given(st.integers(1, 9).flatmap(weight_matrices), STEPS, st.booleans())
def test_is_the_filter_of_the_laplacian(weights, steps, stored):
    rows = np.random.default_rng(1).normal(size=(3, len(weights)))
    graph = as_item_graph(sparse.csr_array(weights) if stored else weights)
    expected = rows @ filtered(weights, steps)
    assert_allclose(smoothed(graph, steps, rows), expected, atol=1e-12)
    if stored:
        kept = Smoother(graph, steps).smooth_sparse(sparse.csr_array(rows))
        assert_allclose(kept.toarray(), expected, atol=1e-12)


@pytest.mark.parametrize("steps", [0, 0.5, 2.5])
@pytest.mark.parametrize("constant", [0.0, 0.4, 1.0])
def test_a_constant_beside_sparse_weights(constant, steps):
    near = NeighborGraph(RNG.random((12, 2)), n_neighbors=3).build().weights.to_csr()
    graph = ItemGraph.complete(12) if constant == 1 else ItemGraph(Weights(near, constant), 12)
    rows = np.random.default_rng(0).normal(size=(4, 12))
    got = smoothed(graph, steps, rows)
    assert_array_equal(smoothed(graph, steps, rows[2:3]), got[2:3])
    assert_allclose(got, rows @ filtered(graph.to_dense(), steps), atol=1e-12)


def test_no_steps_and_no_edges_change_no_bit():
    rng = np.random.default_rng(0)
    weights = np.zeros((5, 5))
    weights[0, 1] = weights[1, 0] = 3.0
    rows = rng.normal(size=(3, 5))
    for graph in (as_item_graph(weights), as_item_graph(sparse.csr_array(weights))):
        assert_array_equal(smoothed(graph, 0, rows), rows)
        assert_array_equal(smoothed(graph, 2.5, rows)[:, 2:], rows[:, 2:])


def test_the_same_bits_alone_if_steps_have_settled():
    # √d is left as it is by a whole step, up to rounding; the last step here is half of one.
    rng = np.random.default_rng(0)
    for n in range(3, 33):
        half = sparse.triu(sparse.random_array((n, n), density=0.4, rng=rng), 1)
        graph = as_item_graph(half + half.T)
        rows = np.vstack([np.sqrt(graph.degrees), rng.normal(size=n)])
        whole = smoothed(graph, 40.5, rows)
        assert_array_equal(smoothed(graph, 40.5, rows[:1]), whole[:1])


def test_sparse_vectors_that_reach_few_items_or_most():
    rng = np.random.default_rng(0)
    chain = sparse.diags_array([np.ones(199), np.ones(199)], offsets=[1, -1])
    smoother = Smoother(as_item_graph(chain), 2.5)
    rows = np.zeros((5, 200))
    rows[:, 17] = 1.0
    rows[[1, 3]] = rng.normal(size=(2, 200))
    rows[4] = 0.0
    got = smoother.smooth_sparse(sparse.csr_array(rows))
    assert_array_equal(np.diff(got.indptr), [7, 200, 7, 200, 0])
    assert_allclose(got.toarray(), rows @ filtered(chain.toarray(), 2.5), atol=1e-14)
    for row in range(5):
        alone = smoother.smooth_sparse(sparse.csr_array(rows[[row]]))
        assert_array_equal(alone.toarray()[0], got.toarray()[row])


@pytest.mark.parametrize("steps", [0, 1])
def test_unit_length(steps):
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(size=(3, 4)), np.zeros((1, 4))]).astype(np.float32)
    got = smoothed(ItemGraph.complete(4), steps, rows, normalize=True)
    assert got.dtype == np.float32
    assert_allclose(np.linalg.norm(got, axis=1), [1, 1, 1, 0], rtol=1e-6)


@pytest.mark.parametrize("normalize", [False, True])
def test_sparse_rows_and_constants_are_smoothed_as_dense_rows_are(normalize):
    rng = np.random.default_rng(0)
    weights = np.triu(rng.random((6, 6)) < 0.4, 1) * 1.0
    weights += weights.T
    graph = as_item_graph(sparse.csr_array(weights))
    stored = rng.normal(size=(3, 6)) * (rng.random((3, 6)) < 0.5)
    features = stored - stored.mean(axis=1, keepdims=True)
    expected = features @ filtered(graph.to_dense(), 1.5)
    lengths = np.linalg.norm(expected, axis=1, keepdims=True) if normalize else 1.0
    rows = OffsetRows(sparse.csr_array(stored), -stored.mean(axis=1), np.ones(6))
    got = Smoother(graph, 1.5).smooth_offset(rows, normalize=normalize)
    assert_allclose(got.toarray(), expected / lengths, atol=1e-12)
    tiny = OffsetRows(1e-200 * rows.sparse, 1e-200 * rows.offsets, rows.base)
    small = Smoother(graph, 1.5).smooth_offset(tiny, normalize=normalize)
    # 1e-200 is rounded, and so is each product with it.
    scale = 1 if normalize else 1e-200
    assert_rounds_to(small.toarray() / scale, got.toarray(), n_terms=2 * 6, size=6.0)


def test_unit_vectors_of_sparse_rows_do_not_depend_on_the_rows_beside_them():
    rng = np.random.default_rng(0)
    path = sparse.diags_array([np.ones(8), np.ones(8)], offsets=[1, -1])
    smoother = Smoother(as_item_graph(path), 1.5)
    stored = rng.normal(size=(6, 9)) * (rng.random((6, 9)) < 0.3)
    # With a common scale, the squares of all rows but the first would vanish.
    scales = 10.0 ** np.array([0, -180, -190, -200, -290, 0])
    stored[2, 4], stored[5] = 1.0, 0.0
    offsets = scales * np.array([1.0, 2.0, 0.0, -1.0, 3.0, 0.0])
    rows = OffsetRows(sparse.csr_array(scales[:, None] * stored), offsets, np.ones(9))
    got = smoother.smooth_offset(rows, normalize=True)
    assert_allclose(np.linalg.norm(got.toarray(), axis=1), [1, 1, 1, 1, 1, 0])
    for row in range(6):
        alone = smoother.smooth_offset(rows[[row]], normalize=True)
        assert_array_equal(alone.toarray()[0], got.toarray()[row])


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_many_steps_reach_the_limit_of_the_walk(kind):
    # Two parts, {0, 1, 2} and {3, 4}, and an item alone: the walk ends in D^½1 of each part.
    rng = np.random.default_rng(0)
    weights = np.zeros((6, 6))
    weights[0, 1] = weights[1, 2] = 2.0
    weights[3, 4] = 1.0
    weights += weights.T
    parts = np.zeros((3, 6))
    degrees = weights.sum(axis=0)
    parts[0, :3], parts[1, 3:5], parts[2, 5] = np.sqrt(degrees[:3]), np.sqrt(degrees[3:5]), 1.0
    parts /= np.linalg.norm(parts, axis=1, keepdims=True)
    rows = rng.normal(size=(4, 6))
    expected = rows @ parts.T @ parts
    graph = as_item_graph(sparse.csr_array(weights) if kind == "sparse" else weights)
    largest = np.abs(rows).max()
    Smoother(graph, 1000).smooth(rows)
    # Each step rounds sums of 6 terms.
    assert_rounds_to(rows, expected, n_terms=1000 * 6, size=largest)


FOOD = make_food(60, noise=0.3, random_state=0)
GRAPH = SimilarityGraph(FOOD.item_features)
SPARSE = NeighborGraph(FOOD.item_features, n_neighbors=2)


def walked(rows, graph, steps):
    built = ItemGraph.complete(rows.shape[1]) if graph is None else as_item_graph(graph)
    rows = rows.copy()
    Smoother(built, steps).smooth(rows)
    return rows


@pytest.mark.parametrize("graph", [None, GRAPH, SPARSE])
@pytest.mark.parametrize("other", [None, SPARSE])
def test_after_graph_cuts_it_is_the_same(graph, other):
    plain = GraphCutFeatures(graph).fit_transform(FOOD.ranks)
    expected = walked(plain, graph if other is None else other, 1.5)
    together = GraphCutFeatures(graph, smoothing=Smoothing(1.5, other))
    assert_array_equal(together.fit_transform(FOOD.ranks), expected)
    unit = together.set_params(normalize=True).fit_transform(FOOD.ranks)
    lengths = np.linalg.norm(expected, axis=1, keepdims=True)
    assert_allclose(unit, expected / np.where(lengths > 0, lengths, 1), atol=1e-12)


def test_lists_that_share_no_item():
    ranks = np.array([[1, np.nan, 2, np.nan], [np.nan, 1, np.nan, 2], [np.nan, 2, np.nan, 1]])
    twins = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    plain = GraphCutFeatures(unranked="anywhere").fit_transform(ranks)
    smooth = GraphCutFeatures(unranked="anywhere", smoothing=Smoothing(1, twins))
    smooth = smooth.fit_transform(ranks)
    assert abs(plain[0] @ plain[1]) <= rounding(n_terms=4, size=(plain[0] ** 2).sum())
    assert smooth[0] @ smooth[1] > 0 > smooth[0] @ smooth[2]


def test_sparse_features_are_smoothed_up_to_the_constant():
    ranks = make_food(20, kind="incomplete", random_state=0).ranks
    options = {"unranked": "anywhere", "completions": "closed_form", "smoothing": 1.5}
    graph = SPARSE.build()
    for normalize in (False, True):
        transformer = GraphCutFeatures(graph, normalize=normalize, **options)
        missing = transformer.fit_transform(stored(ranks)).toarray() - transformer.transform(ranks)
        # What is missing is a multiple of 1·p(L).
        ones = walked(np.ones((1, 8)), graph, 1.5)[0]
        assert_allclose(missing, np.outer(missing @ ones / (ones @ ones), ones), atol=1e-12)
    filled = GraphCutFeatures(GRAPH, **options)
    assert_allclose(filled.fit_transform(stored(ranks)), filled.fit_transform(ranks), atol=1e-12)


@pytest.mark.parametrize("steps", [None, True, "two", -1, np.nan, np.inf, 1e7, 10**400])
def test_what_is_no_number_of_steps(steps):
    with pytest.raises(ValueError, match="number of steps from 0 to 1,000"):
        GraphCutFeatures(smoothing=steps).fit(FOOD.ranks)


class TestUnlikeItems:
    @pytest.mark.parametrize("wrap", [DissimilarityGraph, NormalizedGraph])
    def test_like_items_are_smoothed(self, wrap):
        unlike = wrap(DissimilarityGraph(SPARSE) if wrap is NormalizedGraph else SPARSE)
        alone = GraphCutFeatures(unlike, smoothing=1).fit(FOOD.ranks)
        given = GraphCutFeatures(unlike, smoothing=Smoothing(1, SPARSE)).fit(FOOD.ranks)
        assert_array_equal(alone.transform(FOOD.ranks), given.transform(FOOD.ranks))
        assert_array_equal(alone.smoothing_graph_.to_dense(), SPARSE.build().to_dense())
        assert alone.set_params(smoothing=0).fit(FOOD.ranks).smoothing_graph_ is None

    def test_a_graph_of_distances_does_not_tell_like_items(self):
        graph = DistanceGraph(FOOD.item_features)
        with pytest.raises(ValueError, match="a DistanceGraph connects dissimilar items"):
            GraphCutFeatures(graph, smoothing=1).fit(FOOD.ranks)
        GraphCutFeatures(graph, smoothing=Smoothing(1, GRAPH)).fit(FOOD.ranks)
