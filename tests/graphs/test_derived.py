"""Graphs made of other graphs."""

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from rankcut import (
    DissimilarityGraph,
    GraphCutFeatures,
    ItemGraph,
    NeighborGraph,
    SimilarityGraph,
    graph_cut_features,
    make_food,
)
from rankcut.graphs import DistanceGraph, NormalizedGraph, Weights

POINTS = np.random.default_rng(0).random((12, 3))
OFF = 1 - np.eye(12)


def normalized(weights):
    degrees = weights.sum(axis=0)
    safe = np.where(degrees > 0, degrees, 1.0)
    return weights / np.sqrt(np.outer(safe, safe))


class TestDissimilarityGraph:
    @pytest.mark.parametrize(
        ("recipe", "structured"),
        [(SimilarityGraph(POINTS), False), (NeighborGraph(POINTS, n_neighbors=3), True)],
    )
    def test_one_less_the_similarity(self, recipe, structured):
        similar = recipe.build().to_dense()
        graph = DissimilarityGraph(recipe).build()
        assert (graph.weights.kind == "structured") == structured
        assert_array_equal(graph.to_dense(), OFF - similar)
        assert graph.n_edges == 66
        assert_allclose(graph.degrees, (OFF - similar).sum(axis=0))
        assert repr(graph) == "ItemGraph(12 items, 66 edges)"

    def test_twice_is_the_similarity_again(self):
        near = NeighborGraph(POINTS, n_neighbors=3)
        twice = DissimilarityGraph(DissimilarityGraph(near)).build()
        assert_allclose(twice.to_dense(), near.build().to_dense(), rtol=0, atol=1e-15)

    def test_duplicates_are_not_joined(self):
        points = [[0.0], [0.0], [5.0], [5.0]]
        for recipe in (SimilarityGraph(points), NeighborGraph(points, n_neighbors=1)):
            graph = DissimilarityGraph(recipe).build()
            assert graph.n_edges == 4
            swapped = graph_cut_features([[1, 2, 3, 4], [2, 1, 3, 4]], graph)
            assert_array_equal(swapped[0], swapped[1])

    def test_the_ceiling(self):
        weights = np.array([[0, 2.0, 0], [2.0, 0, 1.0], [0, 1.0, 0]])
        for convert in (np.array, sparse.csr_array):
            with pytest.raises(ValueError, match="ceiling is 1, below the largest similarity 2,"):
                DissimilarityGraph(convert(weights)).build()
            largest = DissimilarityGraph(convert(weights), ceiling="largest").build()
            assert_array_equal(largest.to_dense(), [[0, 0, 2], [0, 0, 1], [2, 1, 0]])
            five = DissimilarityGraph(convert(weights), ceiling=5).build()
            assert_array_equal(five.to_dense(), [[0, 3, 5], [3, 0, 4], [5, 4, 0]])
        for bad in (0, -1, np.inf, np.nan, "most"):
            with pytest.raises(ValueError, match='ceiling must be "largest" or above 0'):
                DissimilarityGraph(weights, ceiling=bad).build()

    def test_rounding_above_the_ceiling_is_none(self):
        weights = np.array([[0, 1 + 1e-15], [1 + 1e-15, 0]])
        for convert in (np.array, sparse.csr_array):
            assert DissimilarityGraph(convert(weights)).build().to_dense().min() >= 0

    def test_nothing_is_unlike_in_the_complete_graph(self):
        with pytest.raises(ValueError, match="complete graph all items are alike"):
            DissimilarityGraph(ItemGraph.complete(3)).build()
        with pytest.raises(
            ValueError, match="graph is missing; this graph is built from another one"
        ):
            DissimilarityGraph().build()

    def test_names_are_kept(self):
        graph = nx.Graph([("uni", "ika"), ("ika", "ebi")])
        built = DissimilarityGraph(graph).build()
        assert built.items == ("uni", "ika", "ebi")
        with pytest.raises(ValueError, match="the graph names its items"):
            graph_cut_features([[1, 2, 3]], DissimilarityGraph(graph))


class TestDistanceGraph:
    def test_euclidean_distances(self):
        graph = DistanceGraph(POINTS).build()
        assert_allclose(graph.to_dense(), cdist(POINTS, POINTS), rtol=1e-12)

    def test_features_that_overflow_or_are_too_many(self):
        with pytest.raises(ValueError, match="the item features are too large"):
            DistanceGraph([[1e308], [-1e308]]).build()
        with pytest.raises(ValueError, match=r"100,000 items.*DissimilarityGraph"):
            DistanceGraph(np.zeros((100_000, 1))).build()


class TestNormalizedGraph:
    @pytest.mark.parametrize("build", [np.array, sparse.csr_array])
    def test_divides_by_the_degrees(self, build):
        weights = NeighborGraph(POINTS, n_neighbors=2).build().to_dense()
        weights[5] = weights[:, 5] = 0.0
        graph = NormalizedGraph(build(weights)).build()
        assert (graph.weights.kind == "sparse") == (build is sparse.csr_array)
        assert_allclose(graph.to_dense(), normalized(weights), rtol=1e-14)
        assert_array_equal(graph.to_dense(), graph.to_dense().T)

    def test_of_structured_weights(self):
        near = NeighborGraph(POINTS, n_neighbors=2)
        unlike = DissimilarityGraph(near)
        graph = NormalizedGraph(unlike).build()
        assert graph.weights.kind == "dense"
        assert_allclose(graph.to_dense(), normalized(unlike.build().to_dense()), atol=1e-15)
        similar = DissimilarityGraph(NormalizedGraph(near)).build()
        assert_allclose(similar.to_dense(), OFF - normalized(near.build().to_dense()), atol=1e-15)

    def test_of_the_complete_graph(self):
        graph = NormalizedGraph(ItemGraph.complete(5)).build()
        assert_allclose(graph.to_dense(), (1 - np.eye(5)) / 4)
        ranks = [[1, 2, 3, 4, 5], [2, 2, 1, 1, 3]]
        assert_allclose(graph_cut_features(ranks, graph), graph_cut_features(ranks) / 4)

    def test_of_too_many_unlike_items(self):
        unlike = ItemGraph(Weights(sparse.csr_array((50_000, 50_000)), 0.5), 50_000)
        scales = np.linspace(1, 2, 50_000)
        with pytest.raises(ValueError, match="50,000 items takes 20 GB; use a graph that stays"):
            unlike.weights.scaled(scales)

    def test_without_edges(self):
        assert NormalizedGraph(np.zeros((3, 3))).build().n_edges == 0


def test_grid_search_reaches_the_inner_recipe():
    food = make_food(60, noise=0.5, random_state=0)
    recipe = NormalizedGraph(DissimilarityGraph(NeighborGraph(food.item_features)))
    model = make_pipeline(GraphCutFeatures(clone(recipe)), LogisticRegression())
    name = "graphcutfeatures__graph__graph__graph__n_neighbors"
    search = GridSearchCV(model, {name: [1, 5]}, cv=2).fit(food.ranks, food.target)
    chosen = NeighborGraph(food.item_features, n_neighbors=search.best_params_[name])
    expected = NormalizedGraph(DissimilarityGraph(chosen)).build()
    assert_array_equal(search.best_estimator_[0].graph_.to_dense(), expected.to_dense())
