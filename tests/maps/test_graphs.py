"""Item graphs as pictures and pages: places that show clusters, and words that are true."""

import re
from html import unescape
from itertools import combinations

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from rankcut import ItemGraph, NeighborGraph, SimilarityGraph
from rankcut.datasets import load_lunch
from rankcut.errors import InputError
from rankcut.maps import map_graph
from rankcut.maps.graphs import MOST_DRAWN_ITEMS, lay_out_graph
from rankcut.pictures.theme import COLOURS

pytest.importorskip("matplotlib", reason="Matplotlib is not installed")


def graph_page(*given, **options):
    return map_graph(*given, **options).page(options.get("title"))


CHAIN = ItemGraph([[0, 2, 0], [2, 0, 1], [0, 1, 0]], 3)


def clusters(n_each=6, n_clusters=3, between=0.05):
    label = np.repeat(np.arange(n_clusters), n_each)
    weights = np.where(label[:, None] == label, 1.0, between)
    np.fill_diagonal(weights, 0.0)
    return ItemGraph(weights, len(label)), label


def test_items_of_a_cluster_lie_together():
    graph, label = clusters()
    places = lay_out_graph(graph).places
    np.testing.assert_array_equal(places, lay_out_graph(graph).places)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    same = label[:, None] == label
    assert apart[same].max() < apart[~same].min()


def test_each_item_keeps_its_strongest_edges_and_the_graph_its_connections():
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.1, 1, (30, 30))
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    layout = lay_out_graph(ItemGraph(weights, 30))
    drawn = np.zeros((30, 30))
    drawn[tuple(layout.edges.T)] = layout.weights
    drawn += drawn.T
    for i in range(30):
        assert set(np.argsort(-weights[i])[:3]) <= set(np.flatnonzero(drawn[i]))
    assert connected_components(drawn)[0] == 1
    assert (drawn[drawn > 0] == weights[drawn > 0]).all()
    assert len(layout.edges) < 30 * 29 / 2
    assert (np.diff(layout.weights) >= 0).all()


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (ItemGraph.complete(12), "12 items, 66 edges"),
        (ItemGraph.complete(60), "60 items, 1,770 edges of equal weight, not drawn"),
        (ItemGraph(np.zeros((3, 3)), 3), "3 items, 0 edges"),
        (ItemGraph(np.zeros((1, 1)), 1), "1 item, 0 edges"),
        (ItemGraph([[0, 2], [2, 0]], 2), "2 items, 1 edge"),
    ],
)
def test_what_is_drawn_is_said(graph, said):
    figure = map_graph(graph).plot()
    text = figure.texts[1].get_text()
    assert text.startswith(f"{said}.")
    # Without edges, nothing is connected.
    assert ("Strongly connected" in text) == (graph.n_edges > 0)
    assert ("its strongest edges" in graph_page(graph)) == (graph.n_edges > 0)
    figure.canvas.draw()
    page = graph_page(graph)
    assert f'<p class="soft">{said}. ' in page
    assert len(page) < 300_000


def test_many_items_are_left_out_and_it_is_said():
    points = np.random.default_rng(0).normal(size=(MOST_DRAWN_ITEMS + 20, 2))
    figure = map_graph(NeighborGraph(points, n_neighbors=2)).plot()
    assert (
        figure.texts[1]
        .get_text()
        .startswith(f"The {MOST_DRAWN_ITEMS} of {MOST_DRAWN_ITEMS + 20} items")
    )


def test_labels_do_not_collide_and_categories_are_colours():
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import to_hex

    lunch = load_lunch()
    graph = SimilarityGraph(lunch.item_points)
    figure = map_graph(graph, lunch.item_features["counter"], items=lunch.items).plot()
    FigureCanvasAgg(figure).draw()
    (axes,) = figure.axes
    renderer = figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in axes.texts]
    assert {text.get_text() for text in axes.texts} >= set(lunch.items)
    assert not [1 for a, b in combinations(boxes, 2) if a.overlaps(b)]
    assert [text.get_text() for text in axes.texts[:3]] == ["dessert", "grill", "italian"]
    colours = [to_hex(dots.get_facecolor()[0]) for dots in axes.collections[:3]]
    assert colours == [value.lower() for value in COLOURS[:3]]
    assert "15 of 28 edges drawn" in figure.texts[1].get_text()


def test_mistakes():
    with pytest.raises(InputError, match="2 values for 3 items"):
        map_graph(ItemGraph.complete(3), ["x", "y"])
    with pytest.raises(InputError, match="1 values for 3 items"):
        map_graph(ItemGraph.complete(3), items=["x"])
    with pytest.raises(InputError, match="2 values for 3 items"):
        graph_page(CHAIN, ["x", "y"])


def test_components_lie_beside_each_other():
    sizes = (7, 4, 3, 1, 1)
    part = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.where(part[:, None] == part, 1.0, 0.0)
    np.fill_diagonal(weights, 0.0)
    places = lay_out_graph(ItemGraph(weights, len(part))).places
    assert places.min() >= -1e-12
    assert places.max() <= 1 + 1e-12
    boxes = [(places[part == k].min(axis=0), places[part == k].max(axis=0)) for k in range(5)]
    for (low, high), (other_low, other_high) in combinations(boxes, 2):
        assert ((high < other_low) | (other_high < low)).any()
    # Room by the number of items: neither a dot nor all of the picture.
    areas = [np.prod(high - low) for low, high in boxes[:3]]
    assert sorted(areas, reverse=True) == areas


def tips(page):
    return [unescape(said) for said in re.findall(r'data-tip="([^"]*)"', page)]


def test_items_name_their_edges_strongest_first():
    page = graph_page(CHAIN, ["red", "white", "red"], items=["tuna", "rice", "beet"])
    assert tips(page) == [
        "tuna, red\n2 to rice",
        "rice, white\n2 to tuna\n1 to beet",
        "beet, red\n1 to rice",
    ]
    assert page.count("<path") == 2
    assert "Thick edges are strong: 1 to 2." in page


def test_an_item_with_many_edges_names_the_strongest():
    star = np.zeros((9, 9))
    star[0, 1:] = star[1:, 0] = np.arange(1, 9)
    first = tips(graph_page(ItemGraph(star, 9)))[0]
    assert first == "0\n8 to 8\n7 to 7\n6 to 6\n5 to 5\n4 to 4\nand 3 more"


def test_categories_are_the_colours_of_a_picture_and_can_be_clicked():
    page = graph_page(CHAIN, ["b", "a", None])
    keys = re.findall(r'data-key="(\d)".*?var\((--c\d)\)"></span>([^<]*)<', page)
    assert keys == [("0", "--c0", "a"), ("1", "--c1", "b"), ("2", "--c9", "unknown")]
    nodes = re.findall(r'<circle [^>]*fill="var\((--c\d)\)"[^>]* data-pick="(\d)"', page)
    assert nodes == [("--c1", "1"), ("--c0", "0"), ("--c9", "2")]
    assert "button" not in graph_page(CHAIN).partition("<main>")[2].partition("<script>")[0]


def test_places_are_those_of_a_picture():
    lunch = load_lunch()
    graph = NeighborGraph(lunch.item_points, n_neighbors=2)
    page = graph_page(graph, items=lunch.items)
    found = np.array(re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', page), dtype=float)
    # Edges, then items.
    discs = map_graph(graph).plot().axes[0].collections[1].get_paths()
    drawn = [disc.get_extents().get_points().mean(axis=0) for disc in discs]
    np.testing.assert_allclose(drawn, found, atol=0.01)


def test_names_are_escaped():
    hostile = "<script>alert('x')</script>"
    page = graph_page(CHAIN, [hostile, "b", "b"], items=[hostile, "x", "y"], title=hostile)
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;") >= 5
