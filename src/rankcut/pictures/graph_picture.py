"""A picture of an item graph: items on a circle, similar ones side by side, edges by weight."""

import os

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import amount
from rankcut.files.drafts import atomic_path
from rankcut.graphs.item_graph import ItemGraph
from rankcut.pictures.theme import import_figure

# With more edges or names than these, a picture turns black.
_MOST_EDGES = 2000
_MOST_NAMES = 150


def draw_graph(graph: ItemGraph, target: str | os.PathLike[str]) -> None:
    """Draw a graph to a PNG, SVG or PDF file.

    If the graph has more than 2,000 edges, only the strongest are drawn.
    """
    figure = import_figure()(figsize=(8, 8), layout="constrained")
    axes = figure.subplots()
    weights = np.triu(graph.to_dense(), 1)
    first, second = np.nonzero(weights)
    strength = weights[first, second]
    strongest = np.argsort(-strength)[:_MOST_EDGES]
    # Many edges are drawn finer, so that they remain distinguishable.
    fineness = min(1.0, (60 / max(1, len(strongest))) ** 0.5)
    place = _on_circle(graph)
    for edge in strongest[::-1].tolist():
        ends = place[[first[edge], second[edge]]]
        share = strength[edge] / strength[strongest[0]]
        width = fineness * (0.3 + 2 * share)
        axes.plot(*ends.T, color="0.2", alpha=0.05 + 0.75 * share, linewidth=width)
    axes.scatter(*place.T, s=30, zorder=3)
    if graph.n_items <= _MOST_NAMES:
        for i, (x, y) in enumerate(place.tolist()):
            label = str(i if graph.items is None else graph.items[i])
            turn = np.degrees(np.arctan2(y, x))
            flipped = abs(turn) > 90
            axes.text(
                1.04 * x,
                1.04 * y,
                label,
                rotation=turn + 180 if flipped else turn,
                rotation_mode="anchor",
                ha="right" if flipped else "left",
                va="center",
                fontsize=8,
                parse_math=False,
            )
    axes.set_axis_off()
    axes.set_aspect("equal")
    # Room for the names around the circle.
    axes.set(xlim=(-1.35, 1.35), ylim=(-1.35, 1.35))
    figure.suptitle(f"{amount(graph.n_items, 'item')}, {amount(graph.n_edges, 'edge')}")
    with atomic_path(target) as draft:
        figure.savefig(draft, dpi=150)


def _on_circle(graph: ItemGraph) -> NDArray[np.float64]:
    """A place for each item, in the order of the Laplacian's second eigenvector."""
    weights = graph.to_dense()
    laplacian = np.diag(weights.sum(axis=1)) - weights
    order = np.arange(graph.n_items)
    if graph.n_items > 2:
        order = np.argsort(np.linalg.eigh(laplacian)[1][:, 1], kind="stable")
    angle = np.empty(graph.n_items)
    angle[order] = 2 * np.pi * np.arange(graph.n_items) / graph.n_items
    return np.column_stack([np.cos(angle), np.sin(angle)])
