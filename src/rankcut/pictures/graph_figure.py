"""A picture of an item graph, drawn with Matplotlib."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import amount
from rankcut.graphs.item_graph import as_item_graph
from rankcut.pictures.graph_layout import GraphLayout, lay_out_graph
from rankcut.pictures.labels import place_labels, points_along, text_width
from rankcut.pictures.ranking_map import group_rows
from rankcut.pictures.theme import (
    INK,
    PAPER,
    SOFT,
    check_length,
    colour,
    import_figure,
    shorten,
    write_over,
)

_WIDTH, _HEIGHT, _LEGEND = 470, 430, 150
_MARGIN, _ABOVE, _BELOW = 48, 58, 14
_THIN, _THICK = 0.6, 5.0
# With more edges, each is drawn finer.
_FEW_EDGES = 60
# Colour of edges, whose strength is their opacity.
_EDGE = (0.45, 0.50, 0.56)


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
    '8 items, 9 edges'
    """
    drawn = read_graph(graph, by, items)
    layout = drawn.layout
    labels = [shorten(name, 20) for name in drawn.names]
    width, height = _WIDTH + _LEGEND + 20, _HEIGHT + _ABOVE + _BELOW
    figure = import_figure()(figsize=(width / 72, height / 72), facecolor=PAPER)
    axes = figure.add_axes(
        (10 / width, _BELOW / height, _WIDTH / width, _HEIGHT / height), aspect="equal"
    )
    axes.set(xlim=(0, _WIDTH), ylim=(0, _HEIGHT))
    axes.set_axis_off()
    inside = np.array([_WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN / 2])
    places = layout.places * inside + (_MARGIN, _MARGIN / 2)
    size = 12.0 if len(labels) <= 20 else 9.0 if len(labels) <= 60 else 6.0
    _draw_edges(axes, layout, places)
    axes.scatter(
        *places.T,
        s=size**2,
        c=[drawn.colours[g] for g in drawn.group.tolist()],
        edgecolors=PAPER,
        linewidths=1.0,
        zorder=3,
    )
    left_out = len(labels) - _write_labels(axes, layout, places, labels, size)
    said = drawn.said
    if left_out:
        said += f"; {amount(left_out, 'label')} left out for lack of room"
    left = 14 / width
    heading = {"size": 14, "color": INK, "weight": "bold", "va": "center", "parse_math": False}
    figure.text(left, 1 - 20 / height, shorten(title, 58), **heading)
    figure.text(left, 1 - 40 / height, said, size=10, color=SOFT, va="center")
    legend = figure.add_axes(
        ((_WIDTH + 16) / width, _BELOW / height, _LEGEND / width, _HEIGHT / height)
    )
    legend.set(xlim=(0, _LEGEND), ylim=(_HEIGHT, 0))
    legend.set_axis_off()
    groups = list(zip(drawn.groups, drawn.colours, strict=True))
    y = _draw_groups(legend, by_name, groups, by is not None)
    _draw_widths(legend, layout, y)
    return figure


class DrawnGraph(NamedTuple):
    """What a picture shows: items, their groups with colours, edges, and a sentence about them."""

    layout: GraphLayout
    names: list[str]
    groups: list[str]
    colours: list[str]
    group: NDArray[np.int64]
    said: str


def read_graph(graph: Any, by: Sequence[Any] | None, items: Sequence[Any] | None) -> DrawnGraph:
    """Lay out a graph; parameters are those of :func:`plot_graph`."""
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
    return DrawnGraph(layout, names, groups, colours, group, _say(built, layout))


def example_weights(layout: GraphLayout) -> list[float]:
    """The weights that a legend shows: the largest, one between, and the smallest."""
    low, high = float(layout.weights.min()), float(layout.weights.max())
    return [high] if high - low < 1e-9 * high else [high, (low + high) / 2, low]


def fineness(layout: GraphLayout) -> float:
    """How much finer edges are drawn where there are many."""
    return min(1.0, math.sqrt(_FEW_EDGES / max(len(layout.weights), 1)))


def _say(graph: Any, layout: GraphLayout) -> str:
    """What is drawn, in numbers that are true."""
    n_drawn, n_edges = len(layout.chosen), len(layout.edges)
    if n_drawn < graph.n_items:
        items = f"the {n_drawn:,} of {graph.n_items:,} items with the largest degrees"
        return f"{items}, {amount(n_edges, 'edge')} drawn"
    every = graph.n_edges
    edges = amount(n_edges, "edge")
    if n_edges < every:
        edges = f"{n_edges:,} of {every:,} edges drawn, the strongest of each item"
    if n_edges == 0 < every:
        edges = f"{every:,} edges of equal weight, not drawn"
    return f"{amount(n_drawn, 'item')}, {edges}"


def _draw_edges(axes: Any, layout: GraphLayout, places: NDArray[np.float64]) -> None:
    from matplotlib.collections import LineCollection

    if not len(layout.edges):
        return
    share = layout.weights / layout.weights.max()
    axes.add_collection(
        LineCollection(
            list(places[layout.edges]),
            linewidths=fineness(layout) * (_THIN + (_THICK - _THIN) * share),
            colors=[(*_EDGE, 0.2 + 0.5 * float(s)) for s in share],
            capstyle="round",
            zorder=1,
        )
    )


def _write_labels(
    axes: Any,
    layout: GraphLayout,
    places: NDArray[np.float64],
    labels: Sequence[str],
    size: float,
) -> int:
    """Write the labels that have room, and return their number."""
    font = 10.0 if len(labels) <= 60 else 8.0
    boxes = np.array([[text_width(label, font) + 4, 1.25 * font] for label in labels])
    half, gap = size / 2 + 1, size / 2 + 2
    dots = np.hstack([places - half, places + half])
    bounds = (1, 1, _WIDTH - 1, _HEIGHT - 1)
    placed = place_labels(
        places,
        boxes,
        bounds,
        gap=gap,
        reach=2,
        obstacles=dots,
        covered=points_along(places[layout.edges[:, 0]], places[layout.edges[:, 1]]),
    )
    for number, x, y in placed:
        # A line leads to a label that has no room beside its item.
        apart = np.abs(places[number] - (x, y)) - boxes[number] / 2
        if np.linalg.norm(np.maximum(apart, 0)) > gap + 2:
            ends = np.array([places[number], (x, y)]).T
            axes.plot(*ends, color=SOFT, linewidth=0.5, zorder=0.5)
        write_over(axes, x, y, labels[number], font)
    return len(placed)


def _draw_groups(axes: Any, by_name: str, groups: Sequence[tuple[str, str]], shown: bool) -> float:
    y = 8.0
    if not shown:
        return y
    style = {"va": "center", "parse_math": False, "color": INK}
    if by_name:
        axes.text(0, y, shorten(by_name, 17), size=10, weight="bold", **style)
        y += 17
    for name, its_colour in groups:
        axes.plot(5, y, "o", color=its_colour, markersize=8)
        axes.text(15, y, shorten(name, 20), size=9.5, **style)
        y += 17
    return y + 12


def _draw_widths(axes: Any, layout: GraphLayout, y: float) -> None:
    if not len(layout.weights):
        return
    high = float(layout.weights.max())
    axes.text(0, y, "weight", size=10, weight="bold", color=INK, va="center")
    for weight in example_weights(layout):
        y += 17
        share = weight / high
        axes.plot(
            [0, 30],
            [y, y],
            color=(*_EDGE, 0.2 + 0.5 * share),
            linewidth=fineness(layout) * (_THIN + (_THICK - _THIN) * share),
            solid_capstyle="round",
        )
        axes.text(40, y, f"{weight:.2g}", size=9.5, color=INK, va="center")
