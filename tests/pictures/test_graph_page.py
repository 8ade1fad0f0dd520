"""An item graph as a page."""

import re
from html import unescape

import numpy as np
import pytest

from rankcut import ItemGraph, NeighborGraph
from rankcut.datasets import load_lunch
from rankcut.errors import InputError
from rankcut.pictures import graph_page

CHAIN = ItemGraph([[0, 2, 0], [2, 0, 1], [0, 1, 0]], 3)


def tips(page):
    return [unescape(said) for said in re.findall(r'data-tip="([^"]*)"', page)]


def test_items_name_their_edges_strongest_first():
    page = graph_page(CHAIN, ["red", "white", "red"], items=["tuna", "rice", "beet"])
    assert tips(page) == [
        "tuna, red\n2 to rice",
        "rice, white\n2 to tuna\n1 to beet",
        "beet, red\n1 to rice",
    ]
    assert page.count('class="edge"') == 2 + 3  # two edges, and three of the legend


def test_an_item_with_many_edges_names_the_strongest():
    star = np.zeros((9, 9))
    star[0, 1:] = star[1:, 0] = np.arange(1, 9)
    first = tips(graph_page(ItemGraph(star, 9)))[0]
    assert first == "0\n8 to 8\n7 to 7\n6 to 6\n5 to 5\n4 to 4\nand 3 more"


def test_categories_are_the_colours_of_a_picture_and_can_be_clicked():
    page = graph_page(CHAIN, ["b", "a", None])
    keys = re.findall(r'data-key="(\d)".*?var\((--c\d)\)"></span>([^<]*)<', page)
    assert keys == [("0", "--c0", "a"), ("1", "--c1", "b"), ("2", "--c8", "unknown")]
    nodes = re.findall(r'<circle class="rim" fill="var\((--c\d)\)" data-pick="(\d)"', page)
    assert nodes == [("--c1", "1"), ("--c0", "0"), ("--c8", "2")]
    assert "button" not in graph_page(CHAIN).partition("<main>")[2].partition("<script>")[0]


def test_places_are_those_of_a_picture():
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    from rankcut import plot_graph

    lunch = load_lunch()
    graph = NeighborGraph(lunch.item_points, n_neighbors=2)
    page = graph_page(graph, items=lunch.items)
    found = np.array(re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', page), dtype=float)
    drawn = np.asarray(plot_graph(graph).axes[0].collections[-1].get_offsets())
    for axis, turned in ((0, 1), (1, -1)):  # down the page is down in the picture
        assert np.corrcoef(found[:, axis], turned * drawn[:, axis])[0, 1] > 0.999


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (ItemGraph(np.zeros((1, 1)), 1), "1 item, 0 edges."),
        (ItemGraph.complete(60), "60 items, 1,770 edges of equal weight, not drawn."),
    ],
)
def test_what_is_drawn_is_said(graph, said):
    page = graph_page(graph)
    assert f'<p class="soft">{said}' in page
    assert len(page) < 300_000


def test_names_are_escaped():
    hostile = "<script>alert('x')</script>"
    page = graph_page(CHAIN, [hostile, "b", "b"], items=[hostile, "x", "y"], title=hostile)
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;") >= 5


def test_mistakes():
    with pytest.raises(InputError, match="2 values for 3 items"):
        graph_page(CHAIN, ["x", "y"])
