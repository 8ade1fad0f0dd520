"""Graph cut features with ``smoothing=``, among scikit-learn's tools."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from ranking_sets import stored
from tolerances import rounding

from rankcut import (
    DissimilarityGraph,
    GraphCutFeatures,
    NeighborGraph,
    SimilarityGraph,
    Smoothing,
    make_food,
)
from rankcut.cuts import UncentredRows
from rankcut.cuts.smoothing import Smoother
from rankcut.graphs import DistanceGraph, ItemGraph, NormalizedGraph, as_item_graph

FOOD = make_food(60, noise=0.3, random_state=0)
GRAPH = SimilarityGraph(FOOD.item_features)
SPARSE = NeighborGraph(FOOD.item_features, n_neighbors=2)


def smoothed(rows, graph, steps):
    built = ItemGraph.complete(rows.shape[1]) if graph is None else as_item_graph(graph)
    rows = rows.copy()
    Smoother(built, steps).smooth(rows)
    return rows


@pytest.mark.parametrize("graph", [None, GRAPH, SPARSE])
@pytest.mark.parametrize("other", [None, SPARSE])
def test_after_graph_cuts_it_is_the_same(graph, other):
    plain = GraphCutFeatures(graph).fit_transform(FOOD.ranks)
    expected = smoothed(plain, graph if other is None else other, 1.5)
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
        ones = smoothed(np.ones((1, 8)), graph, 1.5)[0]
        missing = kept.toarray() - dense
        assert_allclose(missing, np.outer(missing @ ones / (ones @ ones), ones), atol=1e-12)
    filled = GraphCutFeatures(GRAPH, **options)
    assert_array_equal(type(filled.fit_transform(stored(ranks))), np.ndarray)
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
