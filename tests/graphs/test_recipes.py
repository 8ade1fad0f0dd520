"""Graphs built from item features, and from other graphs."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

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


def off_diagonal(matrix):
    return matrix[~np.eye(len(matrix), dtype=bool)]


class TestSimilarityGraph:
    def test_squared_exponential_or_exponential_by_distance(self):
        distances = cdist(POINTS, POINTS)
        median = np.median(off_diagonal(distances))
        expected = np.exp(-0.5 * distances**2 / median**2) - np.eye(12)
        assert_allclose(SimilarityGraph(POINTS).build().to_dense(), expected, rtol=1e-12)
        graph = SimilarityGraph(POINTS, kernel="exponential", lengthscale=0.7).build()
        assert_allclose(graph.to_dense(), np.exp(-distances / 0.7) - np.eye(12), rtol=1e-12)
        assert_allclose(DistanceGraph(POINTS).build().to_dense(), distances, rtol=1e-12)

    @pytest.mark.parametrize("keep", [0.01, 0.1, 0.5, 0.99])
    def test_keeps_the_strongest_edges(self, keep):
        every = SimilarityGraph(POINTS).build().to_dense()
        kept = SimilarityGraph(POINTS, keep=keep).build().to_dense()
        assert_array_equal(kept[kept > 0], every[kept > 0])
        assert np.count_nonzero(kept) // 2 == max(1, round(keep * 66))
        assert every[kept > 0].min() > off_diagonal(every * (kept == 0)).max()

    def test_few_items_identical_ones_and_edges_as_strong_as_the_weakest(self):
        square = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        assert SimilarityGraph(square, keep=0.2).build().n_edges == 4
        points = np.zeros((5, 1))
        assert_array_equal(SimilarityGraph(points).build().to_dense(), 1 - np.eye(5))
        points[4] = 2.0
        dense = SimilarityGraph(points, kernel="exponential").build().to_dense()
        assert_allclose(dense[4, :4], np.exp(-1))
        assert SimilarityGraph([[1.0]], keep=0.5).build().n_edges == 0
        assert SimilarityGraph([[1.0], [2.0]], keep=0.5).build().n_edges == 1

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            *(({"keep": bad}, "keep is the fraction") for bad in (0, -1, 1.5, np.nan, "all")),
            *(
                ({"lengthscale": bad}, 'lengthscale must be "median" or above 0')
                for bad in (0, -1, np.inf, np.nan, "mean")
            ),
            ({"kernel": "cosine"}, 'kernel must be "squared_exponential" or'),
            ({"item_features": None}, "needs item features"),
        ],
    )
    def test_bad_parameters(self, options, message):
        with pytest.raises(ValueError, match=message):
            SimilarityGraph(**{"item_features": POINTS, **options}).build()

    @pytest.mark.parametrize("recipe", [SimilarityGraph, DistanceGraph])
    def test_items_or_numbers_that_are_too_many(self, recipe):
        with pytest.raises(ValueError, match=r"100,000 items, .* DissimilarityGraph"):
            recipe(np.zeros((100_000, 1))).build()
        for size, word in ((1e308, "large"), (1e-200, "small")):
            with pytest.raises(ValueError, match=f"the item features are too {word}"):
                recipe([[size], [-size], [0.5 * size]]).build()


class TestNeighborGraph:
    def test_joins_each_item_with_its_nearest(self):
        graph = NeighborGraph(POINTS, n_neighbors=3).build()
        distances = cdist(POINTS, POINTS)
        np.fill_diagonal(distances, np.inf)
        chosen = distances <= np.sort(distances, axis=1)[:, [2]]
        joined = chosen | chosen.T
        median = np.median(distances[np.triu(joined)])
        expected = np.where(joined, np.exp(-0.5 * distances**2 / median**2), 0)
        assert_allclose(graph.to_dense(), expected, rtol=1e-12)
        equal = NeighborGraph(POINTS, n_neighbors=3, kernel="constant").build()
        assert_array_equal(equal.to_dense(), joined)
        # Duplicates are neighbours.
        graph = NeighborGraph([[0.0], [0.0], [5.0], [5.0]], n_neighbors=1).build()
        assert_array_equal(np.argwhere(graph.to_dense()), [[0, 1], [1, 0], [2, 3], [3, 2]])

    @pytest.mark.parametrize("n_neighbors", [0, 12, 2.5, "2"])
    def test_bad_number(self, n_neighbors):
        with pytest.raises(ValueError, match="an item of 12 has from 1 to 11"):
            NeighborGraph(POINTS, n_neighbors=n_neighbors).build()

    def test_of_neighbours_as_near_the_same_ones_for_any_number_of_threads(self):
        """Items with the features of many others, as genres are."""
        points = np.random.default_rng(0).integers(2, size=(1500, 12)).astype(float)
        recipe = NeighborGraph(points, n_neighbors=10)
        with threadpool_limits(1):
            one = recipe.build().weights.to_csr()
        with threadpool_limits(2):
            assert (recipe.build().weights.to_csr() != one).nnz == 0


class TestCosine:
    TAGS = np.array(
        [[1, 1, 0, 0], [2, 2, 0, 0], [0, 1, 1, 0], [0, 0, 3, 0], [0, 0, 0, 5.0], [0, 0, 0, 0]]
    )

    def test_sparse_features_are_those_of_a_loop_over_pairs(self):
        rng = np.random.default_rng(0)
        tags = rng.random((30, 12)) * (rng.random((30, 12)) < 0.3)
        lengths = np.linalg.norm(tags, axis=1)
        cosines = tags @ tags.T / np.maximum(np.outer(lengths, lengths), 1e-300)
        np.fill_diagonal(cosines, 0.0)
        chosen = np.zeros((30, 30), dtype=bool)
        for item in range(30):
            nearest = np.argsort(-cosines[item], kind="stable")[:4]
            chosen[item, nearest[cosines[item, nearest] > 0]] = True
        chosen |= chosen.T
        options = {"n_neighbors": 4, "metric": "cosine", "kernel": "exponential", "lengthscale": 2}
        graph = NeighborGraph(sparse.csr_array(tags), **options).build()
        expected = np.where(chosen, np.exp(-(1.0 - cosines) / 2), 0.0)
        assert_allclose(graph.to_dense(), expected, atol=1e-13)
        points = rng.random((12, 3))
        dense, entries = (
            NeighborGraph(each, n_neighbors=3, metric="cosine").build().to_dense()
            for each in (points, sparse.csr_array(points))
        )
        assert_allclose(dense, entries, rtol=1e-9)

    def test_items_that_share_nothing_are_not_joined(self):
        options = {"n_neighbors": 2, "metric": "cosine"}
        found = NeighborGraph(sparse.csr_array(self.TAGS), **options).build()
        assert not found.to_dense()[4:].any()
        assert found.to_dense()[0, 1] == 1
        for scale in (1e-200, 1e200):
            same = NeighborGraph(sparse.csr_array(scale * self.TAGS), **options).build()
            assert_allclose(same.to_dense(), found.to_dense(), rtol=1e-7)

    @pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
    def test_of_equally_near_items_all_are_kept(self, form):
        tags = np.array([[1.0, 0], [1, 0], [1, 0], [1, 1], [1, 1.1], [-1, 0]])
        order = np.array([5, 1, 4, 0, 3, 2])
        options = {"n_neighbors": 1, "metric": "cosine", "kernel": "constant"}
        graph, moved = (
            NeighborGraph(form(rows), **options).build().to_dense() for rows in (tags, tags[order])
        )
        assert_array_equal(moved, graph[np.ix_(order, order)])
        assert_array_equal(graph[:3, :3], 1 - np.eye(3))
        assert graph[3].tolist() == [0, 0, 0, 0, 1, 0]

    def test_refused(self):
        tags = sparse.csr_array(self.TAGS)
        with pytest.raises(ValueError, match=r'are sparse.* pass metric="cosine"'):
            NeighborGraph(tags, n_neighbors=2).build()
        with pytest.raises(ValueError, match='metric must be "euclidean" or "cosine"; got'):
            NeighborGraph(tags, n_neighbors=2, metric="angle").build()
        with pytest.raises(ValueError, match="are sparse, but this graph compares all pairs"):
            SimilarityGraph(tags).build()


def test_numbers_of_very_many_digits():
    large = pd.DataFrame({"size": [10**20, 2 * 10**20, 5 * 10**20]}, dtype=object)
    plain = SimilarityGraph(pd.DataFrame({"size": [1.0, 2.0, 5.0]})).build()
    assert_allclose(SimilarityGraph(large).build().to_dense(), plain.to_dense())
    large.loc[1, "size"] = 10**400
    with pytest.raises(ValueError, match="number in column 'size' of the item features is too la"):
        SimilarityGraph(large).build()
    with pytest.raises(ValueError, match="a number in the item features is too large"):
        SimilarityGraph([[1], [10**400]]).build()


@pytest.mark.parametrize("scale", [1e-100, 1e100])
@pytest.mark.parametrize(
    "recipe",
    [
        NeighborGraph(POINTS, n_neighbors=3),
        NeighborGraph(np.hstack([POINTS, POINTS, POINTS]), n_neighbors=3),
        NeighborGraph(POINTS, n_neighbors=3, metric="cosine"),
        SimilarityGraph(POINTS),
    ],
)
def test_features_of_any_scale_give_the_same_graph(recipe, scale):
    scaled = clone(recipe).set_params(item_features=recipe.item_features.matrix * scale)
    assert_allclose(scaled.build().to_dense(), recipe.build().to_dense(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-280, 1e-155, 1e155, 1e279])
def test_weights_of_any_scale_give_the_same_normalised_graph(scale):
    weights = SimilarityGraph(POINTS).build().to_dense()
    few = sparse.csr_array(np.where(weights > 0.5, weights, 0.0))
    for graph in (weights, few):
        expected = NormalizedGraph(graph).build().to_dense()
        assert_allclose(NormalizedGraph(graph * scale).build().to_dense(), expected, rtol=1e-13)
    unlike = DissimilarityGraph(few * scale, ceiling="largest")
    expected = NormalizedGraph(DissimilarityGraph(few, ceiling="largest")).build().to_dense()
    assert_allclose(NormalizedGraph(unlike).build().to_dense(), expected, atol=1e-13)


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
        twice = DissimilarityGraph(DissimilarityGraph(recipe)).build()
        assert_allclose(twice.to_dense(), similar, rtol=0, atol=1e-15)

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
            rounded = DissimilarityGraph(convert([[0, 1 + 1e-15], [1 + 1e-15, 0]])).build()
            assert rounded.to_dense().min() >= 0
        for bad in (0, -1, np.inf, np.nan, "most"):
            with pytest.raises(ValueError, match='ceiling must be "largest" or above 0'):
                DissimilarityGraph(weights, ceiling=bad).build()

    def test_nothing_is_unlike_in_the_complete_graph(self):
        with pytest.raises(ValueError, match="complete graph all items are alike"):
            DissimilarityGraph(ItemGraph.complete(3)).build()
        with pytest.raises(ValueError, match="is missing; this graph is built from another one"):
            DissimilarityGraph().build()

    def test_names_are_kept(self):
        graph = nx.Graph([("uni", "ika"), ("ika", "ebi")])
        built = DissimilarityGraph(graph).build()
        assert built.items == ("uni", "ika", "ebi")
        with pytest.raises(ValueError, match="the graph names its items"):
            graph_cut_features([[1, 2, 3]], DissimilarityGraph(graph))


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
        assert NormalizedGraph(np.zeros((3, 3))).build().n_edges == 0
        graph = NormalizedGraph(ItemGraph.complete(5)).build()
        assert_allclose(graph.to_dense(), (1 - np.eye(5)) / 4)
        ranks = [[1, 2, 3, 4, 5], [2, 2, 1, 1, 3]]
        assert_allclose(graph_cut_features(ranks, graph), graph_cut_features(ranks) / 4)

    def test_of_too_many_unlike_items(self):
        unlike = ItemGraph(Weights(sparse.csr_array((50_000, 50_000)), 0.5), 50_000)
        scales = np.linspace(1, 2, 50_000)
        with pytest.raises(ValueError, match="50,000 items takes 20 GB; use a graph that stays"):
            unlike.weights.scaled(scales)


def test_grid_search_reaches_the_inner_recipe():
    food = make_food(60, noise=0.5, random_state=0)
    recipe = NormalizedGraph(DissimilarityGraph(NeighborGraph(food.item_features)))
    model = make_pipeline(GraphCutFeatures(clone(recipe)), LogisticRegression())
    name = "graphcutfeatures__graph__graph__graph__n_neighbors"
    search = GridSearchCV(model, {name: [1, 5]}, cv=2).fit(food.ranks, food.target)
    chosen = NeighborGraph(food.item_features, n_neighbors=search.best_params_[name])
    expected = NormalizedGraph(DissimilarityGraph(chosen)).build()
    assert_array_equal(search.best_estimator_[0].graph_.to_dense(), expected.to_dense())
