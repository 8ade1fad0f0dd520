"""Graphs of low rank: approximate similarities that know their error."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from rankcut import DissimilarityGraph, GraphCutFeatures, SimilarityGraph, graph_cut_features
from rankcut.graphs import ItemGraph, LowRankGraph, NormalizedGraph, StructuredWeights
from rankcut.graphs import weights as stored

POINTS = np.random.default_rng(0).random((60, 3))
OFF = ~np.eye(60, dtype=bool)


@pytest.mark.parametrize("rank", [5, 50])
def test_the_error_is_that_of_all_pairs(rank):
    expected = SimilarityGraph(POINTS).build().to_dense()
    graph = LowRankGraph(POINTS, rank=rank).build()
    dense = graph.to_dense()
    error = np.sqrt(np.mean((dense - expected)[OFF] ** 2))
    assert graph.approximation_error == pytest.approx(error, rel=1e-9)
    assert repr(graph) == f"ItemGraph(60 items, rank {rank}, error {error:.2g})"


def test_more_factors_come_nearer_and_as_many_as_items_are_exact():
    errors = [LowRankGraph(POINTS, rank=r).build().approximation_error for r in (2, 10, 30)]
    assert errors == sorted(errors, reverse=True)
    graph = LowRankGraph(POINTS, rank=1000).build()
    assert graph.weights.rank == 60
    expected = SimilarityGraph(POINTS).build().to_dense()
    assert_allclose(graph.to_dense(), expected, rtol=0, atol=1e-6)
    ranks = np.random.default_rng(1).permuted(np.tile(np.arange(1, 61), (20, 1)), axis=1)
    assert_allclose(
        graph_cut_features(ranks, graph), graph_cut_features(ranks, expected), rtol=0, atol=1e-4
    )


def test_the_error_of_many_items_is_estimated_from_some_pairs(monkeypatch):
    exact = LowRankGraph(POINTS, rank=5).build().approximation_error
    monkeypatch.setattr(stored, "_MOST_PAIRS", 1000)
    # The median distance is over the pairs drawn as well.
    lengthscale = np.median(np.linalg.norm(POINTS[:, None] - POINTS, axis=2)[OFF])
    drawn = LowRankGraph(POINTS, rank=5, lengthscale=lengthscale).build().approximation_error
    assert drawn != exact
    assert drawn == pytest.approx(exact, rel=0.3)
    first, second = stored.sampled_pairs(60, 0)
    assert (first != second).all()
    assert set(np.unique(second)) == set(range(60))


def test_an_embedding_with_negative_products_is_lifted_by_a_constant():
    vectors = np.random.default_rng(0).standard_normal((60, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    graph = ItemGraph(StructuredWeights.of_factors(vectors, 1.0), 60)
    assert_allclose(graph.to_dense(), np.where(OFF, 1 + vectors @ vectors.T, 0.0), atol=1e-12)
    with pytest.raises(ValueError, match="ceiling is 1, below the largest"):
        DissimilarityGraph(graph).build()


def test_dissimilarity_and_degrees():
    recipe = LowRankGraph(POINTS, rank=10)
    similar = recipe.build().to_dense()
    unlike = DissimilarityGraph(recipe).build()
    assert_allclose(unlike.to_dense(), np.where(OFF, 1 - similar, 0.0), atol=1e-14)
    truth = np.where(OFF, 1 - SimilarityGraph(POINTS).build().to_dense(), 0.0)
    error = np.sqrt(np.mean((unlike.to_dense() - truth)[OFF] ** 2))
    assert unlike.approximation_error == pytest.approx(error, rel=1e-9)
    even = NormalizedGraph(recipe).build()
    roots = np.sqrt(similar.sum(axis=0))
    assert_allclose(even.to_dense(), similar / np.outer(roots, roots), rtol=1e-12)
    assert even.approximation_error is None


def test_a_graph_with_negative_degrees_cannot_be_normalised():
    # Factors may be approximations of weights, and miss them by a little.
    factors = np.array([[1.0, 0.0], [-0.1, 0.1], [0.0, 1.0]])
    missed = ItemGraph(StructuredWeights.of_factors(factors), 3)
    with pytest.raises(ValueError, match=r"item 0 has the negative degree -0.1.* higher rank"):
        NormalizedGraph(missed).build()


def test_names_are_matched_and_the_error_and_the_seed_are_kept():
    names = [f"item {i}" for i in range(60)]
    graph = LowRankGraph(pd.DataFrame(POINTS, index=names), rank=8, scale=False)
    ranks = np.random.default_rng(0).permuted(np.tile(np.arange(1, 61), (4, 1)), axis=1)
    expected = graph_cut_features(ranks, LowRankGraph(POINTS, rank=8))
    frame = pd.DataFrame(ranks, columns=names)[names[::-1]]
    fitted = GraphCutFeatures(graph).fit(frame)
    assert_allclose(fitted.transform(frame)[:, ::-1], expected, rtol=0, atol=1e-10)
    assert fitted.graph_.approximation_error == graph.build().approximation_error
    other = LowRankGraph(POINTS, rank=8, random_state=4).build()
    assert (other.weights.factors != graph.build().weights.factors).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rank": 0}, "rank must be a whole number, 1 or more"),
        ({"rank": 2.5}, "rank must be a whole number, 1 or more"),
        ({"lengthscale": 0}, 'lengthscale must be "median" or above 0'),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        LowRankGraph(POINTS, **options).build()
