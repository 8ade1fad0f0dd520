"""Pictures: that what is drawn is what was given."""

import numpy as np
import pytest

from rankcut import ItemGraph, SimilarityGraph, graph_cut_features, make_food

plots = pytest.importorskip("rankcut.plots", reason="Matplotlib is not installed")


def test_draws_each_item_edge_and_ranking():
    food = make_food(30, random_state=0)
    graph = SimilarityGraph(food.item_features).build()
    labels = [food.target_names[target] for target in food.target]
    features = graph_cut_features(food.ranks, graph)
    figure = plots.draw_graph_and_map(graph, features, labels, food.item_names)
    left, right = figure.axes
    assert {text.get_text() for text in left.texts} == set(food.item_names)
    assert len(left.collections[0].get_segments()) == graph.n_edges
    points = [collection.get_offsets() for collection in right.collections]
    assert [len(group) for group in points] == [15, 15]
    assert sorted(text.get_text() for text in right.get_legend().get_texts()) == sorted(
        food.target_names
    )
    figure.canvas.draw()
    assert np.isfinite(np.vstack(points)).all()


def test_the_complete_graph_can_be_drawn():
    graph = ItemGraph.complete(5)
    features = graph_cut_features(np.random.default_rng(0).random((9, 5)))
    figure = plots.draw_graph_and_map(graph, features, ["a"] * 9, list("vwxyz"))
    figure.canvas.draw()
