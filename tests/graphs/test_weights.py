"""Graphs whose weights are kept in parts: the same in all respects as the dense graph they are."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from maps import flat_features, flat_vectors
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from rankcut import DissimilarityGraph, ItemGraph, NeighborGraph
from rankcut.files import read_graph, write_graph
from rankcut.graphs import NormalizedGraph, Weights


@st.composite
def structured_cases(draw):
    """A graph of a constant and a sparse part, together not negative, and its dense weights."""
    n, constant = draw(st.integers(1, 6)), draw(st.sampled_from([0.0, 1.0, 3.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.3), 1)
    matrix = -(upper + upper.T) * (constant or -1.0)
    parts = Weights(sparse.csr_array(matrix), constant)
    return ItemGraph.trusted(parts, None), np.where(np.eye(n), 0.0, constant + matrix)


@given(case=structured_cases())
def test_degrees_edges_and_largest_are_those_of_the_dense_weights(case):
    graph, dense = case
    assert_allclose(graph.to_dense(), dense, rtol=0, atol=1e-14)
    assert_array_equal(graph.to_dense(), graph.to_dense().T)
    assert_allclose(graph.degrees, dense.sum(axis=1), rtol=0, atol=1e-12)
    assert graph.n_edges == np.count_nonzero(dense > 1e-13) // 2
    off = dense[~np.eye(len(dense), dtype=bool)]
    if off.size:
        assert_allclose(graph.weights.largest(), off.max(), rtol=0, atol=1e-14)


@given(case=structured_cases(), data=st.data())
def test_transformed_weights(case, data):
    graph, dense = case
    n = len(dense)
    order = np.array(data.draw(st.permutations(range(n))))
    off = ~np.eye(n, dtype=bool)
    for got, expected in (
        (graph.weights.permuted(order), dense[np.ix_(order, order)]),
        (graph.weights.subtracted_from(5.0), np.where(off, 5.0 - dense, 0.0)),
        (graph.weights.scaled(1.0 + order), dense * np.outer(1.0 + order, 1.0 + order)),
        (graph.weights.scaled(np.full(n, 0.3)), 0.09 * dense),
    ):
        assert_allclose(got.to_dense(), expected, rtol=0, atol=1e-12)


def test_features_and_files_are_those_of_the_dense_graph(tmp_path):
    rng = np.random.default_rng(0)
    graph = DissimilarityGraph(NeighborGraph(rng.random((60, 3)), n_neighbors=4)).build()
    dense = ItemGraph(graph.to_dense(), 60)
    full = rng.permuted(np.tile(np.arange(1.0, 61.0), (40, 1)), axis=1)
    top = np.where(full <= 7, full, np.nan)
    for ranks, options in (
        (full, {}),
        (np.ceil(full / 12), {"normalize": True}),
        (top, {"unranked": "last"}),
        (top, {"unranked": "anywhere", "completions": "closed_form"}),
        (top, {"unranked": "anywhere", "completions": "sampled", "n_draws": 64}),
        (top, {"unranked": "last", "unlisted_weight": 0.3}),
        (top, {"unranked": "anywhere", "unlisted_weight": 0.3, "completions": "closed_form"}),
    ):
        expected = flat_vectors(ranks, dense, **options)
        for algorithm in ("sparse", "dense"):
            got = flat_vectors(ranks, graph, algorithm=algorithm, **options)
            assert_allclose(got, expected, rtol=0, atol=1e-10)
    path, names = tmp_path / "graph.npz", tuple(map(str, range(60)))
    write_graph(graph.aligned(60, names), path)
    back = read_graph(path)
    assert (back.weights.kind, back.items) == ("structured", names)
    assert_array_equal(back.to_dense(), graph.to_dense())


def test_what_does_not_fit_together_is_refused():
    below = sparse.csr_array([[0, -2.0, 0], [-2.0, 0, 0], [0, 0, 0]])
    for parts, message in (
        (Weights(sparse.csr_array((2, 2)), 1.0), "the weights are of 2 items"),
        (Weights(sparse.csr_array((3, 3)), np.nan), "the constant of the weights is nan"),
        (Weights(sparse.csr_array((3, 3)), -1.0), "the constant of the weights is -1.0"),
        (Weights(np.zeros((3, 3)), 1.0), "it is added to a sparse matrix"),
        (Weights(below, 1.0), "between items 0 and 1 is -1.0; weights must not be negative"),
    ):
        with pytest.raises(ValueError, match=message):
            ItemGraph(parts, 3)


def test_a_large_catalogue_takes_memory_by_its_edges():
    n = 10_000
    rng = np.random.default_rng(0)
    near = NeighborGraph(rng.random((n, 2)), n_neighbors=5).build()
    top = sparse.csr_array(
        (np.tile(np.arange(1.0, 9), 50), rng.integers(0, n, 400), np.arange(0, 401, 8)),
        shape=(50, n),
    )
    top.sum_duplicates()
    flat_features(DissimilarityGraph([[0, 1], [1, 0]])).fit_transform([[1, 2]])
    tracemalloc.start()
    built = DissimilarityGraph(near).build()
    assert built.degrees.shape == (n,)
    assert flat_features(built, unranked="last").fit_transform(top[:3]).shape == (3, n)
    assert flat_features(built, unranked="anywhere").fit_transform(top).shape == (50, n)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The dense weights are 800 MB.
    assert peak < 40 * 2**20
    stored = flat_features(DissimilarityGraph(near), unranked="anywhere").fit(top).compact(top)
    assert stored.sparse.nnz < 50 * 8 * 12


@pytest.mark.parametrize("seed", range(20))
def test_weights_that_cancel_are_no_negative_ones(seed):
    rng = np.random.default_rng(seed)
    like = np.triu(rng.integers(0, 3, (9, 9)) / 2 * rng.random((9, 9)).round(1), 1)
    unlike = DissimilarityGraph(sparse.csr_array(like + like.T), ceiling="largest")
    graph = NormalizedGraph(unlike).build()
    dense = graph.to_dense()
    assert (dense >= 0).all()
    assert ItemGraph(dense, 9).n_edges == graph.n_edges == unlike.build().n_edges
