"""Graphs built from item features."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from rankcut import GraphCutFeatures, NeighborGraph, SimilarityGraph, make_food

POINTS = np.random.default_rng(0).random((12, 3))


def off_diagonal(matrix):
    return matrix[~np.eye(len(matrix), dtype=bool)]


class TestSimilarityGraph:
    def test_squared_exponential_with_median_distance(self):
        distances = cdist(POINTS, POINTS)
        median = np.median(off_diagonal(distances))
        expected = np.exp(-0.5 * distances**2 / median**2) - np.eye(12)
        assert_allclose(SimilarityGraph(POINTS).build().to_dense(), expected, rtol=1e-12)

    def test_exponential_with_a_lengthscale(self):
        expected = np.exp(-cdist(POINTS, POINTS) / 0.7) - np.eye(12)
        graph = SimilarityGraph(POINTS, kernel="exponential", lengthscale=0.7).build()
        assert_allclose(graph.to_dense(), expected, rtol=1e-12)

    @pytest.mark.parametrize("keep", [0.01, 0.1, 0.5, 0.99])
    def test_keeps_the_strongest_edges(self, keep):
        every = SimilarityGraph(POINTS).build().to_dense()
        kept = SimilarityGraph(POINTS, keep=keep).build().to_dense()
        assert_array_equal(kept[kept > 0], every[kept > 0])
        assert np.count_nonzero(kept) // 2 == max(1, round(keep * 66))
        assert every[kept > 0].min() > off_diagonal(every * (kept == 0)).max()

    def test_edges_as_strong_as_the_weakest_are_kept(self):
        square = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        assert SimilarityGraph(square, keep=0.2).build().n_edges == 4

    def test_identical_items(self):
        points = np.zeros((5, 1))
        assert_array_equal(SimilarityGraph(points).build().to_dense(), 1 - np.eye(5))
        points[4] = 2.0
        dense = SimilarityGraph(points, kernel="exponential").build().to_dense()
        assert_allclose(dense[4, :4], np.exp(-1))

    def test_one_and_two_items(self):
        assert SimilarityGraph([[1.0]], keep=0.5).build().n_edges == 0
        assert SimilarityGraph([[1.0], [2.0]], keep=0.5).build().n_edges == 1

    @pytest.mark.parametrize("keep", [0, -1, 1.5, np.nan, "all"])
    def test_bad_fraction(self, keep):
        with pytest.raises(ValueError, match="keep is the fraction of edges"):
            SimilarityGraph(POINTS, keep=keep).build()

    @pytest.mark.parametrize("lengthscale", [0, -1, np.inf, np.nan, "mean"])
    def test_bad_lengthscale(self, lengthscale):
        with pytest.raises(ValueError, match='lengthscale must be "median" or above 0'):
            SimilarityGraph(POINTS, lengthscale=lengthscale).build()

    def test_bad_kernel(self):
        with pytest.raises(ValueError, match='kernel must be "squared_exponential" or'):
            SimilarityGraph(POINTS, kernel="cosine").build()

    def test_too_many_items_for_all_pairs(self):
        with pytest.raises(ValueError, match=r"100,000 items, .* NeighborGraph"):
            SimilarityGraph(np.zeros((100_000, 1))).build()

    def test_features_so_large_that_distances_overflow(self):
        with pytest.raises(ValueError, match="distances between items overflow"):
            SimilarityGraph([[1e200], [-1e200], [3e200]]).build()

    def test_no_features(self):
        with pytest.raises(ValueError, match="needs item features"):
            SimilarityGraph().build()


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

    def test_constant_weights(self):
        graph = NeighborGraph(POINTS, n_neighbors=2, kernel="constant").build()
        assert set(np.unique(graph.to_dense())) == {0.0, 1.0}

    def test_duplicates_are_neighbours(self):
        graph = NeighborGraph([[0.0], [0.0], [5.0], [5.0]], n_neighbors=1).build()
        assert_array_equal(np.argwhere(graph.to_dense()), [[0, 1], [1, 0], [2, 3], [3, 2]])

    @pytest.mark.parametrize("n_neighbors", [0, 12, 2.5, "2"])
    def test_bad_number(self, n_neighbors):
        with pytest.raises(ValueError, match="an item of 12 has from 1 to 11"):
            NeighborGraph(POINTS, n_neighbors=n_neighbors).build()


@pytest.mark.parametrize(
    ("recipe", "grid"),
    [
        (SimilarityGraph, {"lengthscale": [0.1, "median"], "keep": [0.1, 1.0]}),
        (NeighborGraph, {"n_neighbors": [1, 5], "kernel": ["constant", "exponential"]}),
    ],
)
def test_grid_search_reaches_the_recipe(recipe, grid):
    food = make_food(60, noise=0.5, random_state=0)
    model = make_pipeline(GraphCutFeatures(recipe(food.item_features)), LogisticRegression())
    nested = {f"graphcutfeatures__graph__{name}": values for name, values in grid.items()}
    search = GridSearchCV(model, nested, cv=2).fit(food.ranks, food.target)
    assert set(search.best_params_) == set(nested)
    # Different parameters make different features, and so different scores.
    assert len(search.cv_results_["params"]) == 4
    best = search.best_estimator_[0].graph_
    chosen = {name.rsplit("__", 1)[1]: value for name, value in search.best_params_.items()}
    same = recipe(food.item_features, **chosen).build()
    assert_array_equal(best.to_dense(), same.to_dense())
