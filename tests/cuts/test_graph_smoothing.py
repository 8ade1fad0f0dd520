"""GraphSmoothing, and smoothing after graph cuts, among scikit-learn's tools."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from tolerances import rounding

from rankcut import (
    DissimilarityGraph,
    GraphCutFeatures,
    NeighborGraph,
    SimilarityGraph,
    Smoothing,
    make_food,
)
from rankcut.cuts import GraphSmoothing, UncentredRows
from rankcut.graphs import DistanceGraph, NormalizedGraph

FOOD = make_food(60, noise=0.3, random_state=0)
GRAPH = SimilarityGraph(FOOD.item_features)
SPARSE = NeighborGraph(FOOD.item_features, n_neighbors=2)


def stored(ranks):
    rows, columns = np.nonzero(~np.isnan(ranks))
    return sparse.csr_array((ranks[rows, columns], (rows, columns)), shape=ranks.shape)


@pytest.mark.parametrize("graph", [None, GRAPH, SPARSE])
@pytest.mark.parametrize("other", [None, SPARSE])
def test_after_graph_cuts_it_is_the_same(graph, other):
    plain = GraphCutFeatures(graph).fit_transform(FOOD.ranks)
    expected = GraphSmoothing(graph if other is None else other, steps=1.5).fit_transform(plain)
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
        dense = transformer.fit_transform(ranks)
        assert_allclose(transformer.compact(stored(ranks)).toarray(), dense, atol=1e-12)
        kept = transformer.fit_transform(stored(ranks))
        assert type(kept) is UncentredRows
        # What is missing is a multiple of 1·p(L).
        ones = GraphSmoothing(graph, steps=1.5).fit_transform(np.ones((1, 8)))[0]
        missing = kept.toarray() - dense
        assert_allclose(missing, np.outer(missing @ ones / (ones @ ones), ones), atol=1e-12)
    filled = GraphCutFeatures(GRAPH, **options)
    assert_array_equal(type(filled.fit_transform(stored(ranks))), np.ndarray)
    assert_allclose(filled.fit_transform(stored(ranks)), filled.fit_transform(ranks), atol=1e-12)


def test_no_smoothing_changes_no_bit():
    expected = GraphCutFeatures(GRAPH).fit_transform(FOOD.ranks)
    got = GraphCutFeatures(GRAPH, smoothing=Smoothing(0, SPARSE)).fit_transform(FOOD.ranks)
    assert_array_equal(got, expected)


@pytest.mark.parametrize("steps", [None, False, "", -1])
def test_what_is_no_number_of_steps(steps):
    with pytest.raises(ValueError, match="number of steps from 0"):
        GraphCutFeatures(smoothing=steps).fit(FOOD.ranks)


def test_a_grid_search_finds_a_strength():
    model = make_pipeline(
        GraphCutFeatures(smoothing=Smoothing(graph=SPARSE)),
        GraphSmoothing(GRAPH),
        LogisticRegression(),
    )
    grid = {
        "graphcutfeatures__smoothing__steps": [0, 0.5],
        "graphcutfeatures__smoothing__graph__n_neighbors": [1, 3],
        "graphsmoothing__steps": [0, 2],
    }
    search = GridSearchCV(model, grid, cv=2).fit(FOOD.ranks, FOOD.target)
    assert search.score(FOOD.ranks, FOOD.target) > 0.85


def test_copies():
    transformer = GraphCutFeatures(GRAPH, smoothing=2).fit(FOOD.ranks)
    expected = transformer.transform(FOOD.ranks)
    for copy in (pickle.loads(pickle.dumps(transformer)), clone(transformer).fit(FOOD.ranks)):
        assert_array_equal(copy.transform(FOOD.ranks), expected)


class TestUnlikeItems:
    @pytest.mark.parametrize("wrap", [DissimilarityGraph, NormalizedGraph])
    def test_like_items_are_smoothed(self, wrap):
        unlike = wrap(DissimilarityGraph(SPARSE) if wrap is NormalizedGraph else SPARSE)
        alone = GraphCutFeatures(unlike, smoothing=1).fit(FOOD.ranks)
        given = GraphCutFeatures(unlike, smoothing=Smoothing(1, SPARSE)).fit(FOOD.ranks)
        assert_array_equal(alone.transform(FOOD.ranks), given.transform(FOOD.ranks))
        assert_array_equal(alone.smoothing_graph_.to_dense(), SPARSE.build().to_dense())
        assert alone.set_params(smoothing=0).fit(FOOD.ranks).smoothing_graph_ is None
        plain = GraphCutFeatures(unlike).fit_transform(FOOD.ranks)
        apart = GraphSmoothing(unlike, steps=1).fit_transform(plain)
        assert_array_equal(apart, given.transform(FOOD.ranks))

    def test_a_graph_of_distances_does_not_tell_like_items(self):
        graph = DistanceGraph(FOOD.item_features)
        with pytest.raises(ValueError, match="a DistanceGraph connects dissimilar items"):
            GraphCutFeatures(graph, smoothing=1).fit(FOOD.ranks)
        GraphCutFeatures(graph, smoothing=Smoothing(1, GRAPH)).fit(FOOD.ranks)


class TestNames:
    def test_graphs_are_matched_by_name(self, frames):
        names = ["a", "b", "c"]
        graph = frames.DataFrame({"c": [0.0, 1, 0], "b": [1.0, 0, 0], "a": [0.0, 0, 0]})
        vectors = frames.DataFrame({name: [float(i)] for i, name in enumerate(names)})
        by_frame = GraphSmoothing(graph, steps=1).set_output(transform=frames.__name__)
        smooth = by_frame.fit_transform(vectors)
        assert list(smooth.columns) == names
        assert_array_equal(smooth.to_numpy(), [[0, 1.5, 1.5]])
        by_items = GraphSmoothing(graph, steps=1, items=names).fit(vectors.to_numpy())
        assert_array_equal(by_items.transform(vectors.to_numpy()), [[0, 1.5, 1.5]])
        assert by_items.get_feature_names_out().tolist() == names

    def test_without_names(self):
        assert GraphSmoothing().fit([[1, 2]]).get_feature_names_out().tolist() == ["x0", "x1"]

    def test_items_that_do_not_fit(self):
        with pytest.raises(ValueError, match="one label for each column"):
            GraphSmoothing(items="ab").fit([[1, 2, 3]])
        with pytest.raises(ValueError, match="the graph has 3 items"):
            GraphSmoothing(np.ones((3, 3))).fit([[1, 2]])


def test_sparse_vectors():
    vectors = sparse.random_array((5, 8), density=0.3, rng=np.random.default_rng(0), format="csr")
    for graph in (None, GRAPH, SPARSE):
        smooth = GraphSmoothing(graph, steps=1.5).fit(vectors)
        expected = smooth.transform(vectors.toarray())
        got = smooth.transform(vectors)
        assert sparse.issparse(got) == (graph is SPARSE)
        assert_allclose(got.toarray() if graph is SPARSE else got, expected, atol=1e-14)
