"""An item graph as one HTML page: SVG and a small script, which need no network."""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from rankcut.pictures.graph_figure import DrawnGraph, example_weights, fineness, read_graph
from rankcut.pictures.graph_layout import GraphLayout
from rankcut.pictures.labels import place_labels, points_along, text_width
from rankcut.pictures.page import in_css, key, page, text, tip
from rankcut.pictures.theme import shorten

# Size of labels, and on a phone, where the drawing is about half as large.
_FONTS = {"roomy": 13.0, "narrow": 22.0}
# A graph of more items is drawn taller, with smaller names.
_FEW_NODES = 20
# Neighbours that a tip names.
_MOST_NAMED = 5


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
    drawn = read_graph(graph, by, items)
    body = [f"<h1>{escape(title)}</h1>", *_pieces(drawn, by is not None, by_name)]
    return page(title, "\n".join(body), script=True)


def _pieces(drawn: DrawnGraph, coloured: bool, by_name: str) -> Iterator[str]:
    layout, names = drawn.layout, drawn.names
    said = drawn.said[0].upper() + drawn.said[1:]
    yield (
        f'<p class="soft">{escape(said)}. Strongly connected items lie together. Point at an item '
        "for its name and its strongest edges.</p>"
    )
    if coloured:
        yield f'<ul class="keys" aria-label="{escape(by_name or "category")}">'
        for number, (name, colour) in enumerate(zip(drawn.groups, drawn.colours, strict=True)):
            yield key(name, colour, number)
        yield "</ul>"

    def mark(k: int) -> str:
        group = int(drawn.group[k])
        return f'class="rim" fill="{in_css(drawn.colours[group])}" data-pick="{group}"'

    def describe(k: int) -> str:
        words = names[k]
        if coloured:
            words += f", {drawn.groups[int(drawn.group[k])]}"
        own = np.flatnonzero((layout.edges == k).any(axis=1))[::-1]
        for edge in own[:_MOST_NAMED].tolist():
            other = int(layout.edges[edge].sum()) - k
            words += f"\n{layout.weights[edge]:.2g} to {names[other]}"
        if len(own) > _MOST_NAMED:
            words += f"\nand {len(own) - _MOST_NAMED} more"
        return words

    yield '<figure style="max-width:52rem">'
    yield from draw_graph_svg(layout, names, mark, describe)
    yield "</figure>"
    if len(layout.weights):
        yield '<ul class="keys soft"><li>Weight:</li>'
        for weight in example_weights(layout):
            yield (
                '<li><svg viewBox="0 0 30 8" style="display:inline-block;width:30px;'
                f'vertical-align:middle"><line class="edge" x2="30" y1="4" y2="4" '
                f"{_edge_looks(layout, weight)}/></svg> "
                f"{weight:.2g}</li>"
            )
        yield "</ul>"


def draw_graph_svg(
    layout: GraphLayout,
    names: Sequence[str],
    mark: Callable[[int], str],
    describe: Callable[[int], str],
    item: Callable[[int], str] | None = None,
) -> Iterator[str]:
    """The drawing by itself.

    Parameters
    ----------
    layout : GraphLayout
        What is drawn, and where.
    names : sequence of str
        The names of the items that are drawn.
    mark : callable
        How the k-th of them looks, as attributes.
    describe : callable
        What its tip says.
    item : callable or None
        Attributes of everything about the k-th, for pages that choose items. A name without room
        beside its item has the class ``later``: such a page shows it when the item is chosen.
    """
    few = len(names) <= _FEW_NODES
    width, height, margin, radius = 640.0, 460.0 if few else 620.0, 60.0, 8.0 if few else 6.0
    points = layout.places - layout.places.min(axis=0)
    size = np.maximum(points.max(axis=0), 1e-9)
    points = margin + points / size * (np.array([width, height]) - 2 * margin)
    points[:, 1] = height - points[:, 1]
    yield (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" tabindex="0" '
        'style="max-width:52rem" aria-label="Item graph; arrow keys go through the items">'
    )
    for (i, j), weight in zip(layout.edges.tolist(), layout.weights.tolist(), strict=True):
        (a, b), (c, d) = points[i], points[j]
        yield (
            f'<line class="edge" x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}" '
            f"{_edge_looks(layout, weight)}/>"
        )
    own = [item(k) if item else "" for k in range(len(names))]
    for k, (x, y) in enumerate(points.tolist()):
        place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"'
        yield f"<circle {mark(k)}{own[k]} {place}{tip(describe(k))}/>"
    labels = [shorten(name, 20) for name in names]
    for kind, roomy in _FONTS.items():
        font = roomy if few else 0.85 * roomy
        boxes = np.array([[text_width(label, font) + 4, 1.25 * font] for label in labels])
        placed = place_labels(
            points,
            boxes,
            (1, 1, width - 1, height - 1),
            gap=radius + 1,
            reach=2,
            obstacles=np.column_stack([points - radius, points + radius]),
            covered=points_along(*points[layout.edges.T]),
        )
        spots = {spot.number: (spot.x, spot.y) for spot in placed}
        for k, label in enumerate(labels):
            half = boxes[k, 0] / 2
            above = (min(max(points[k, 0], half), width - half), points[k, 1] - radius - 0.6 * font)
            if k not in spots and not item:
                continue
            x, y = spots.get(k, above)
            later = "" if k in spots else ' class="later"'
            written = text(label, x, y + 0.36 * font, font, f"halo {kind}", "middle")
            yield f"<g{own[k]}{later}>{written}</g>"
    yield "</svg>"


def _edge_looks(layout: GraphLayout, weight: float) -> str:
    share = weight / (float(layout.weights.max()) or 1.0)
    width = fineness(layout) * (0.6 + 4 * share)
    return f'stroke-width="{width:.1f}" stroke-opacity="{0.2 + 0.6 * share:.2f}"'
