"""Items joined by similarity, and rankings as points in the plane."""

from collections.abc import Hashable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.manifold import SpectralEmbedding

from rankcut.graphs import ItemGraph

COLOURS = ("#c8553d", "#2a6f97", "#588157", "#9d4edd", "#e09f3e", "#495057")
INK = "#2b2b2b"


def draw_graph_and_map(
    graph: ItemGraph,
    features: NDArray[np.float64],
    labels: Sequence[Hashable],
    items: Sequence[str],
) -> Figure:
    """The item graph on the left, the rankings in two dimensions on the right."""
    figure = Figure(figsize=(12.5, 6), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_item_graph(left, graph, items)
    draw_map(right, features, labels, items)
    return figure


def draw_item_graph(axes: Axes, graph: ItemGraph, items: Sequence[str]) -> None:
    """Items near those they are joined to; stronger edges are thicker and darker."""
    weights = graph.to_dense()
    places = SpectralEmbedding(2, affinity="precomputed", random_state=0).fit_transform(weights)
    places = places / np.abs(places).max(axis=0)
    first, second = np.nonzero(np.triu(weights))
    strength = weights[first, second] / weights.max()
    drawn = np.argsort(strength)
    first, second, strength = first[drawn], second[drawn], strength[drawn]
    segments = np.stack([places[first], places[second]], axis=1)
    inks = [(0.17, 0.17, 0.17, 0.05 + 0.7 * s**2) for s in strength]
    axes.add_collection(
        LineCollection(list(segments), linewidths=0.4 + 4.5 * strength**2, colors=inks)
    )
    x, y = places.T
    axes.scatter(x, y, s=150, color="white", edgecolor=INK, linewidth=1.6, zorder=3)
    _write(axes, places, items)
    axes.set_title("The items, joined by similarity", loc="left", color=INK)
    axes.margins(0.2)
    axes.axis("off")


def draw_map(
    axes: Axes, features: NDArray[np.float64], labels: Sequence[Hashable], items: Sequence[str]
) -> None:
    """Rankings by their two principal components; arrows point to where an item is liked."""
    components = PCA(2).fit(features)
    places = components.transform(features)
    kinds = sorted(set(labels), key=str)
    for kind, colour in zip(kinds, COLOURS, strict=False):
        mine = np.array([label == kind for label in labels])
        x, y = places[mine].T
        axes.scatter(x, y, s=34, color=colour, alpha=0.65, linewidth=0, label=str(kind))
    arrows = components.components_.T
    arrows = arrows * (0.85 * np.abs(places).max() / np.abs(arrows).max())
    for x, y in arrows:
        axes.annotate(
            "",
            (x, y),
            (0, 0),
            arrowprops={"arrowstyle": "-|>", "color": INK, "alpha": 0.55, "linewidth": 1.1},
        )
    _write(axes, arrows, items)
    shares = components.explained_variance_ratio_
    axes.set_xlabel(f"first component, {shares[0]:.0%} of the variance")
    axes.set_ylabel(f"second component, {shares[1]:.0%}")
    axes.set_title("Each ranking as a point, each item as a direction", loc="left", color=INK)
    axes.legend(frameon=False)
    axes.margins(0.12)
    axes.spines[["top", "right"]].set_visible(False)


def _write(axes: Axes, places: NDArray[np.float64], words: Sequence[str]) -> None:
    """Write a word beside each place, away from the other places."""
    spread = np.ptp(places, axis=0)
    for i, (place, word) in enumerate(zip(places, words, strict=True)):
        apart = (place - np.delete(places, i, axis=0)) / spread
        push = apart / (np.linalg.norm(apart, axis=1, keepdims=True) ** 3 + 1e-4)
        direction = push.sum(axis=0)
        x, y = 15 * direction / np.linalg.norm(direction)
        axes.annotate(
            word,
            (place[0], place[1]),
            (x, y),
            textcoords="offset points",
            ha=("left", "center", "right")[1 - round(x / 15)],
            va="center",
            color=INK,
            fontsize=10,
            bbox={"boxstyle": "round,pad=0.1", "color": "white", "alpha": 0.6},
            zorder=4,
        )
