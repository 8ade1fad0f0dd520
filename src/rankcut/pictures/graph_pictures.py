"""An item graph as a Matplotlib figure and as a page: one scene for both."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rankcut.errors import amount
from rankcut.graphs.item_graph import as_item_graph
from rankcut.pictures.figures import draw_figure
from rankcut.pictures.graph_layout import GraphLayout, lay_out_graph
from rankcut.pictures.labels import points_along
from rankcut.pictures.page import page, tag
from rankcut.pictures.ranking_map import group_rows
from rankcut.pictures.scene import (
    WIDTH,
    Key,
    Legend,
    Mark,
    Part,
    Path,
    Picture,
    Scene,
    write_labels,
)
from rankcut.pictures.svg import show_picture
from rankcut.pictures.theme import SOFT, check_length, colour, shorten

# A graph of more items is drawn taller, with smaller names.
_FEW_ITEMS = 20
# With more edges, each is drawn finer.
_FEW_EDGES = 60


def plot_graph(
    graph: Any,
    by: Sequence[Any] | None = None,
    *,
    items: Sequence[Any] | None = None,
    by_name: str = "",
    title: str = "Item graph",
) -> Any:
    """Draw an item graph: strongly connected items lie together, and thick edges are strong.

    In a dense graph, only each item's three strongest edges are drawn, and those that keep the
    graph connected; of more than 200 items, only those with the largest degrees. The line below
    the title says what is drawn.

    Parameters
    ----------
    graph : ItemGraph, recipe, matrix, networkx graph or frame
        The graph.
    by : sequence or None
        A category for each item, shown as its colour.
    items : sequence or None
        Labels of the items; None takes those of the graph.
    by_name : str
        What the colours mean.
    title : str
        Heading.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from rankcut import NeighborGraph, plot_graph
    >>> from rankcut.datasets import load_lunch
    >>> lunch = load_lunch()
    >>> graph = NeighborGraph(lunch.item_points, n_neighbors=2)
    >>> figure = plot_graph(graph, lunch.item_features["counter"], items=lunch.items)
    >>> figure.texts[1].get_text()
    '8 items, 9 edges. Strongly connected items lie together.'
    """
    return draw_figure(graph_picture(graph, by, items=items, by_name=by_name, title=title))


def graph_page(
    graph: Any,
    by: Sequence[Any] | None = None,
    *,
    items: Sequence[Any] | None = None,
    by_name: str = "",
    title: str = "Item graph",
) -> str:
    """An item graph as a page; parameters are those of :func:`~rankcut.plot_graph`.

    The page shows the name, the category and the strongest edges of the item under the mouse,
    highlights a category that is clicked in the legend, and follows the arrow keys.

    Returns
    -------
    str
        HTML of less than 1 MB.

    Examples
    --------
    >>> from rankcut import NeighborGraph
    >>> from rankcut.datasets import load_lunch
    >>> from rankcut.pictures import graph_page
    >>> lunch = load_lunch()
    >>> graph = NeighborGraph(lunch.item_points, n_neighbors=2)
    >>> html = graph_page(graph, lunch.item_features["counter"], items=lunch.items)
    >>> "<title>Item graph</title>" in html, "8 items, 9 edges" in html
    (True, True)
    """
    picture = graph_picture(graph, by, items=items, by_name=by_name, title=title)
    said = "Point at an item for its name and its strongest edges."
    return page(title, tag("h1", title), *show_picture(picture, said))


def graph_picture(
    graph: Any,
    by: Sequence[Any] | None = None,
    *,
    items: Sequence[Any] | None = None,
    by_name: str = "",
    title: str = "",
    chosen: bool = False,
) -> Picture:
    """A graph with its legends; ``chosen`` is for pages that choose items."""
    built = as_item_graph(graph)
    every = items if items is not None else built.items or range(built.n_items)
    check_length(every, built.n_items, "items", "items")
    layout = lay_out_graph(built)
    names = [str(every[i]) for i in layout.chosen.tolist()]
    groups, colours, group = [""], [colour(0)], np.zeros(len(names), dtype=np.int64)
    if by is not None:
        check_length(by, built.n_items, "by", "items")
        values = np.array([*by, None], dtype=object)[layout.chosen]
        groups, colours, group = group_rows(values, np.ones(len(names), dtype=np.int64))
    few = len(names) <= _FEW_ITEMS
    size = np.array([WIDTH, 460 if few else 620])
    radius = 8.0 if few else 6.0
    points = layout.places - layout.places.min(axis=0)
    points = points / np.maximum(points.max(axis=0), 1e-9) * (1, -1) + (0, 1)
    margin = 60  # room for labels at the edges
    points = margin + points * (size - 2 * margin)
    marks = []
    for k, (x, y) in enumerate(points.tolist()):
        own = int(group[k])
        tip = "\n".join(_describe(layout, names, k, groups[own]))
        parts = [Part(colours[own], group=None if by is None else own)]
        item = int(layout.chosen[k]) if chosen else None
        marks.append(Mark(x, y, radius, parts, tip=tip, item=item))
    labels = write_labels(
        points,
        [shorten(name, 20) for name in names],
        (1, 1, size[0] - 1, size[1] - 1),
        items=layout.chosen.tolist() if chosen else None,
        scale=1.0 if few else 0.85,
        gap=radius + 1,
        reach=2,
        obstacles=np.hstack([points - radius, points + radius]),
        covered=points_along(*points[layout.edges.T]),
    )
    edges = [
        Path([points[ends]], *_edge(layout, weight))
        for ends, weight in zip(layout.edges, layout.weights.tolist(), strict=True)
    ]
    scene = Scene(float(size[0]), float(size[1]), [*edges, *marks, *labels], "Item graph")
    keys = [
        Key(name, its_colour, group=number)
        for number, (name, its_colour) in enumerate(zip(groups, colours, strict=True))
    ]
    weights = []
    for weight in _examples(layout):
        its_colour, width, opacity = _edge(layout, weight)
        weights.append(Key(f"{weight:.2g}", its_colour, 30.0, width, opacity))
    return Picture(
        title,
        _say(built, layout),
        scene,
        [] if by is None else [Legend(by_name, keys)],
        [Legend("Weight", weights)] if weights else [],
    )


def _describe(
    layout: GraphLayout, names: Sequence[str], k: int, group: str, most: int = 5
) -> Iterator[str]:
    """The name of an item, its group, and its strongest edges."""
    yield f"{names[k]}, {group}" if group else names[k]
    own = np.flatnonzero((layout.edges == k).any(axis=1))[::-1].tolist()
    for edge in own[:most]:
        other = int(layout.edges[edge].sum()) - k
        yield f"{layout.weights[edge]:.2g} to {names[other]}"
    if len(own) > most:
        yield f"and {len(own) - most} more"


def _edge(layout: GraphLayout, weight: float) -> tuple[str, float, float]:
    """The colour, the width and the opacity of an edge; many are drawn finer."""
    share = weight / (float(layout.weights.max()) or 1.0)
    fine = min(1.0, math.sqrt(_FEW_EDGES / max(len(layout.weights), 1)))
    return SOFT, fine * (0.6 + 4 * share), 0.2 + 0.6 * share


def _examples(layout: GraphLayout) -> list[float]:
    """The weights that a legend shows: the largest, one between, and the smallest."""
    if not len(layout.weights):
        return []
    low, high = float(layout.weights.min()), float(layout.weights.max())
    return [high] if high - low < 1e-9 * high else [high, (low + high) / 2, low]


def _say(graph: Any, layout: GraphLayout) -> str:
    """What is drawn, in numbers that are true."""
    n_drawn, n_edges, every = len(layout.chosen), len(layout.edges), graph.n_edges
    items, edges = amount(n_drawn, "item"), amount(n_edges, "edge")
    if n_drawn < graph.n_items:
        items = f"The {n_drawn:,} of {graph.n_items:,} items with the largest degrees"
        edges += " drawn"
    elif n_edges == 0 < every:
        edges = f"{every:,} edges of equal weight, not drawn"
    elif n_edges < every:
        edges = f"{n_edges:,} of {every:,} edges drawn, the strongest of each item"
    return f"{items}, {edges}. Strongly connected items lie together."
