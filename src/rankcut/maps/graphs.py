"""An item graph in the plane: strongly connected items lie together."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from rankcut.errors import amount
from rankcut.graphs.item_graph import ItemGraph, as_item_graph
from rankcut.maps.rankings import group_rows
from rankcut.pictures.page import Html, show_picture
from rankcut.pictures.scene import (
    WIDTH,
    Key,
    Legend,
    Mark,
    Part,
    Path,
    Picture,
    Points,
    Scene,
    points_along,
    write_labels,
)
from rankcut.pictures.theme import SOFT, check_length, colour
from rankcut.results import Result, Table

MOST_DRAWN_ITEMS = 200
"""Items that a picture has room for: those with the largest degrees."""

# In a dense graph, only each item's strongest edges are drawn.
_STRONGEST = 3
# A graph of more items is drawn taller, with smaller names and finer edges.
_FEW_ITEMS = 20


class GraphLayout(NamedTuple):
    """An item graph ready to be drawn."""

    chosen: NDArray[np.int64]  #: the items that are drawn, by their numbers
    places: Points  #: within the unit square
    edges: NDArray[np.int64]  #: pairs of drawn items, weakest first
    weights: NDArray[np.float64]  #: of these edges


@dataclass(frozen=True, eq=False, repr=False)
class GraphMap(Result):
    """An item graph in the plane, with the tables ``edges`` and ``items``.

    Its page shows the name, the category and the strongest edges of the item under the mouse,
    highlights a category that is clicked in the legend, and follows the arrow keys.
    """

    graph: ItemGraph
    names: tuple[str, ...]  #: of all items
    by: tuple[Any, ...] | None  #: the category of each item
    by_name: str
    layout: GraphLayout
    title: str = "Item graph"

    def sentences(self) -> list[str]:
        """What is drawn, and the strongest edge."""
        lines = [_say(self.graph, self.layout)]
        if len(self.layout.edges):
            first, second = (self.names[self.layout.chosen[k]] for k in self.layout.edges[-1])
            weight = float(self.layout.weights[-1])
            lines.append(f"The strongest edge: {first} and {second} ({weight:.2g}).")
        return lines

    def tables(self) -> dict[str, Table]:
        """The edges, strongest first, and the degree of each item."""
        edges = coo_array(self.graph.weights.to_csr())
        first, second = edges.coords
        half = np.flatnonzero(first < second)
        half = half[np.argsort(-edges.data[half], kind="stable")]
        return {
            "edges": Table(
                {
                    "first": [self.names[i] for i in first[half].tolist()],
                    "second": [self.names[i] for i in second[half].tolist()],
                    "weight": edges.data[half],
                }
            ),
            "items": Table({"item": self.names, "degree": self.graph.degrees}),
        }

    def body(self) -> Iterator[Html]:
        """The drawing, and what to do with it."""
        edges = " and its strongest edges" if self.graph.n_edges else ""
        yield from show_picture(self.picture(), f"Point at an item for its name{edges}.")

    def picture(self, selectable: bool = False) -> Picture:
        """The graph with its legends; ``selectable`` is for pages that choose items."""
        layout = self.layout
        names = [self.names[i] for i in layout.chosen.tolist()]
        groups, colours, group = [""], [colour(0)], np.zeros(len(names), dtype=np.int64)
        if self.by is not None:
            values = np.array([*self.by, None], dtype=object)[layout.chosen]
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
            its_group = int(group[k])
            tip = "\n".join(_describe(layout, names, k, groups[its_group]))
            parts = [Part(colours[its_group], group=None if self.by is None else its_group)]
            item = int(layout.chosen[k]) if selectable else None
            marks.append(Mark(x, y, radius, parts, tip=tip, item=item))
        labels = write_labels(
            points,
            names,
            (1, 1, size[0] - 1, size[1] - 1),
            items=layout.chosen.tolist() if selectable else None,
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
            Key(name, its_colour, number)
            for number, (name, its_colour) in enumerate(zip(groups, colours, strict=True))
        ]
        legends = [] if self.by is None else [Legend(self.by_name, keys)]
        return Picture(self.title, _say(self.graph, layout), scene, legends)


def map_graph(
    graph: Any,
    by: Sequence[Any] | None = None,
    *,
    items: Sequence[Any] | None = None,
    by_name: str = "",
    title: str = "Item graph",
) -> GraphMap:
    """An item graph in the plane: strongly connected items lie together, thick edges are strong.

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

    Examples
    --------
    >>> from rankcut import NeighborGraph
    >>> from rankcut.datasets import load_lunch
    >>> lunch = load_lunch()
    >>> graph = NeighborGraph(lunch.item_points, n_neighbors=2)
    >>> dishes = map_graph(graph, lunch.item_features["counter"], items=lunch.items)
    >>> dishes.tables()["edges"][0]["first"], dishes.picture().said[:17]
    ('pasta', '8 items, 9 edges.')
    """
    built = as_item_graph(graph)
    every = items if items is not None else built.items or range(built.n_items)
    check_length(every, built.n_items, "items", "items")
    if by is not None:
        check_length(by, built.n_items, "by", "items")
    names = tuple(map(str, every))
    categories = None if by is None else tuple(by)
    return GraphMap(built, names, categories, by_name, lay_out_graph(built), title)


def _describe(
    layout: GraphLayout, names: Sequence[str], k: int, group: str, most: int = 5
) -> Iterator[str]:
    """The name of an item, its group, and its strongest edges."""
    yield f"{names[k]}, {group}" if group else names[k]
    neighbours = np.flatnonzero((layout.edges == k).any(axis=1))[::-1].tolist()
    for edge in neighbours[:most]:
        other = int(layout.edges[edge].sum()) - k
        yield f"{layout.weights[edge]:.2g} to {names[other]}"
    if len(neighbours) > most:
        yield f"and {len(neighbours) - most} more"


def _edge(layout: GraphLayout, weight: float) -> tuple[str, float, float]:
    """The colour, the width and the opacity of an edge; many are drawn finer."""
    share = weight / (float(layout.weights.max()) or 1.0)
    fine = min(1.0, math.sqrt(_STRONGEST * _FEW_ITEMS / max(len(layout.weights), 1)))
    return SOFT, fine * (0.6 + 4 * share), 0.2 + 0.6 * share


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
    words = f"{items}, {edges}."
    if every:
        words += " Strongly connected items lie together."
    if n_edges and np.ptp(layout.weights) > 1e-9 * layout.weights.max():
        low, high = layout.weights[[0, -1]]
        words += f" Thick edges are strong: {low:.2g} to {high:.2g}."
    return words


def lay_out_graph(graph: ItemGraph) -> GraphLayout:
    """Choose the items and edges to draw, and places that keep strongly connected items together.

    In a graph with many edges, only each item's three strongest are drawn, and those that keep the
    graph connected (a maximum spanning tree). If all weights are equal, all edges are drawn, or
    none if there are more than 600.

    >>> layout = lay_out_graph(ItemGraph([[0, 2, 0], [2, 0, 1], [0, 1, 0]], 3))
    >>> layout.edges.tolist(), layout.weights.tolist()
    ([[1, 2], [0, 1]], [1.0, 2.0])
    """
    layout = np.sort(np.argsort(-graph.degrees, kind="stable")[:MOST_DRAWN_ITEMS])
    shown_nodes = _strong_edges(graph.weights.to_csr()[layout][:, layout].toarray())
    places = _keep_apart(_fit_in_square(_upright(_spread_out(shown_nodes))))
    edges = coo_array(np.triu(shown_nodes, 1))
    order = np.argsort(edges.data, kind="stable")
    pairs = np.stack(edges.coords, axis=1)[order].astype(np.int64)
    return GraphLayout(layout.astype(np.int64), places, pairs, edges.data[order])


def _strong_edges(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of the edges that are drawn, 0 elsewhere."""
    n = len(weights)
    n_edges = np.count_nonzero(weights) // 2
    if n_edges <= _STRONGEST * n:
        return weights
    if np.ptp(weights[weights > 0]) <= 1e-9 * weights.max():
        # None is stronger than another: all are drawn, or none if they are more than ever.
        return weights if n_edges <= _STRONGEST * MOST_DRAWN_ITEMS else np.zeros_like(weights)
    keep = np.zeros_like(weights, dtype=bool)
    rank = np.argsort(-weights, axis=1, kind="stable")[:, :_STRONGEST]
    np.put_along_axis(keep, rank, True, axis=1)
    # Strong edges are short here; a cost of 0 would mean no edge.
    cost = np.where(weights > 0, 2 * weights.max() - weights, 0.0)
    tree = minimum_spanning_tree(cost).toarray() > 0
    keep |= keep.T | tree | tree.T
    return np.where(keep, weights, 0.0)


def _spread_out(weights: NDArray[np.float64]) -> Points:
    """Minimise Σ w_ij d_ij^{3/2} − Σ m_i m_j log d_ij, where m_i = 1 + the degree.

    Edges pull, all items push each other away, so that dense parts separate (A. Noack, Energy
    models for graph clustering, 2007). Weak edges keep components in sight of each other.
    """
    n = len(weights)
    if n < 3:
        return np.stack([np.arange(n, dtype=float), np.zeros(n)], axis=1)
    strength = weights / (weights.max() or 1.0)
    mass = np.sqrt(1 + strength.sum(axis=1))
    push = np.outer(mass, mass) / n
    np.fill_diagonal(push, 0.0)
    part = connected_components(strength, directed=False)[1]
    pull = np.where(part[:, None] == part, strength, 0.5 / n)

    def energy(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        places = flat.reshape(2, n)
        across, up = places[:, :, None] - places[:, None]
        squared = across * across + up * up + 1e-6
        length = np.sqrt(squared)
        root = np.sqrt(length)
        value = float(np.vdot(pull, length * root) - np.vdot(push, np.log(squared)) / 2) / 2
        force = 1.5 * pull / root - push / squared
        return value, np.concatenate([(force * across).sum(axis=1), (force * up).sum(axis=1)])

    start = _spectral_start(strength).T.ravel()
    layout = minimize(energy, start, jac=True, method="L-BFGS-B", options={"maxiter": 100})
    return np.asarray(layout.x).reshape(2, n).T


def _spectral_start(strength: NDArray[np.float64]) -> Points:
    """The second and third eigenvectors of the normalised Laplacian; a circle breaks ties."""
    n = len(strength)
    root = np.sqrt(strength.sum(axis=1) + 1e-9)
    vectors = np.linalg.eigh(-strength / np.outer(root, root))[1][:, 1:3]
    vectors = vectors * np.where(vectors.sum(axis=0) < 0, -1.0, 1.0) * np.sqrt(n)
    turn = 2 * np.pi * np.arange(n) / n
    return np.asarray(vectors + 0.05 * np.stack([np.cos(turn), np.sin(turn)], axis=1))


def _upright(places: Points) -> Points:
    """Turn the graph so that its longest extent is horizontal."""
    centred = places - places.mean(axis=0)
    turn = np.linalg.svd(centred, full_matrices=True)[2]
    turned = centred @ turn.T
    return np.asarray(
        turned * np.where(turned[np.abs(turned).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    )


def _keep_apart(places: Points) -> Points:
    """Move items apart that are too close to each other, within the unit square."""
    # Room for a label, or what a somewhat loose square grid would allow.
    least = min(0.08, 0.6 / np.sqrt(len(places)))
    for _ in range(100):
        apart = places[:, None] - places
        lengths = np.linalg.norm(apart, axis=2)
        np.fill_diagonal(lengths, np.inf)
        if lengths.min(initial=np.inf) >= 0.98 * least:
            break
        push = np.maximum(least - lengths, 0.0) / np.maximum(lengths, 1e-9)
        places = np.clip(places + 0.3 * (push[:, :, None] * apart).sum(axis=1), 0.0, 1.0)
    return places


def _fit_in_square(places: Points) -> Points:
    """Scale to the unit square.

    A flat graph is drawn up to 2.5 times as tall as it is, which leaves more room for labels.
    """
    size = np.ptp(places, axis=0)
    size[size == 0.0] = 1.0
    size = np.maximum(size, size.max() / 2.5)
    return np.asarray((places - places.min(axis=0) - np.ptp(places, axis=0) / 2) / size + 0.5)
