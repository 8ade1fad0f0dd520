"""Where the items of a graph are drawn, and which of its edges."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from rankcut.graphs.item_graph import ItemGraph

MOST_ITEMS = 200
"""Items that a picture has room for: those with the largest degrees."""

# In a dense graph, only each item's strongest edges are drawn.
_STRONGEST = 3
# More edges of equal weights would make a picture grey.
_MOST_EQUAL = 600


class GraphLayout(NamedTuple):
    """An item graph ready to be drawn.

    Attributes
    ----------
    chosen : ndarray
        The items that are drawn, by their numbers.
    places : ndarray of shape (n_drawn, 2)
        Where they are, within the unit square.
    edges : ndarray of shape (n_edges, 2)
        Pairs of drawn items, weakest first.
    weights : ndarray of shape (n_edges,)
        Their weights.
    """

    chosen: NDArray[np.int64]
    places: NDArray[np.float64]
    edges: NDArray[np.int64]
    weights: NDArray[np.float64]


def lay_out_graph(graph: ItemGraph) -> GraphLayout:
    """Choose the items and edges to draw, and places that keep strongly connected items together.

    In a graph with many edges, only each item's three strongest are drawn, and those that keep the
    graph connected (a maximum spanning tree). If all weights are equal, all edges are drawn, or
    none if there are more than 600.

    >>> layout = lay_out_graph(ItemGraph([[0, 2, 0], [2, 0, 1], [0, 1, 0]], 3))
    >>> layout.edges.tolist(), layout.weights.tolist()
    ([[1, 2], [0, 1]], [1.0, 2.0])
    """
    chosen = np.sort(np.argsort(-graph.degrees, kind="stable")[:MOST_ITEMS])
    if graph.n_items > MOST_ITEMS:
        weights = graph.weights.to_csr()[chosen][:, chosen].toarray()
    else:
        weights = graph.to_dense()
    drawn = _strong_edges(weights)
    places = _keep_apart(_fit_in_square(_beside_each_other(drawn)))
    edges = coo_array(np.triu(drawn, 1))
    order = np.argsort(edges.data, kind="stable")
    pairs = np.stack(edges.coords, axis=1)[order].astype(np.int64)
    return GraphLayout(chosen.astype(np.int64), places, pairs, edges.data[order])


def _strong_edges(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of the edges that are drawn, 0 elsewhere."""
    n = len(weights)
    n_edges = np.count_nonzero(weights) // 2
    if n_edges <= _STRONGEST * n:
        return weights
    if np.ptp(weights[weights > 0]) <= 1e-9 * weights.max():
        # None is stronger than another: all are drawn, or none.
        return weights if n_edges <= _MOST_EQUAL else np.zeros_like(weights)
    keep = np.zeros_like(weights, dtype=bool)
    rank = np.argsort(-weights, axis=1, kind="stable")[:, :_STRONGEST]
    np.put_along_axis(keep, rank, True, axis=1)
    # Strong edges are short here; a cost of 0 would mean no edge.
    cost = np.where(weights > 0, 2 * weights.max() - weights, 0.0)
    tree = minimum_spanning_tree(cost).toarray() > 0
    keep |= keep.T | tree | tree.T
    return np.where(keep, weights, 0.0)


def _beside_each_other(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places within each component, and the components in rows, the largest first."""
    n_parts, part = connected_components(weights, directed=False)
    if n_parts == 1:
        return _upright(_spread_out(weights))
    members = [np.flatnonzero(part == number) for number in range(n_parts)]
    members.sort(key=len, reverse=True)
    inner = []
    for own in members:
        each = _fit_in_square(_upright(_spread_out(weights[np.ix_(own, own)])))
        # As much room for each item, however flat its component.
        inner.append(each * np.sqrt(len(own) / np.maximum(np.ptp(each, axis=0), 0.3).prod()))
    # With space between them, where an item has a square of side 1.
    boxes = np.array([np.ptp(each, axis=0) + 0.8 for each in inner])
    widths = np.cumsum(boxes[:, 0])
    rows = [_in_rows(boxes, width) for width in widths[widths >= boxes[:, 0].max()].tolist()]
    corners = min(rows, key=lambda each: float(np.ptp(np.vstack([each, each + boxes]), 0).max()))
    places = np.zeros((len(weights), 2))
    for own, each, corner in zip(members, inner, corners, strict=True):
        places[own] = corner + each - each.min(axis=0)
    return places


def _in_rows(boxes: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """The lower left corners of boxes in rows of at most that width, one row below the other."""
    corners = np.zeros_like(boxes)
    across = up = row = 0.0
    for number, (wide, high) in enumerate(boxes):
        if across + wide > width + 1e-9:
            across, up, row = 0.0, up - row, 0.0
        corners[number] = across, up - high
        across, row = across + wide, max(row, high)
    return corners


def _spread_out(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minimise Σ w_ij d_ij^{3/2} − Σ m_i m_j log d_ij, where m_i = 1 + the degree.

    Edges pull, all items push each other away, so that dense parts separate (A. Noack, Energy
    models for graph clustering, 2007).
    """
    n = len(weights)
    if n < 3:
        return np.stack([np.arange(n, dtype=float), np.zeros(n)], axis=1)
    strength = weights / (weights.max() or 1.0)
    mass = np.sqrt(1 + strength.sum(axis=1))
    push = np.outer(mass, mass) / n
    np.fill_diagonal(push, 0.0)
    pull = strength.copy()
    np.fill_diagonal(pull, 0.0)

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
    found = minimize(energy, start, jac=True, method="L-BFGS-B", options={"maxiter": 100})
    return np.asarray(found.x).reshape(2, n).T


def _spectral_start(strength: NDArray[np.float64]) -> NDArray[np.float64]:
    """The second and third eigenvectors of the normalised Laplacian; a circle breaks ties."""
    n = len(strength)
    root = np.sqrt(strength.sum(axis=1) + 1e-9)
    vectors = np.linalg.eigh(-strength / np.outer(root, root))[1][:, 1:3]
    vectors = vectors * np.where(vectors.sum(axis=0) < 0, -1.0, 1.0) * np.sqrt(n)
    turn = 2 * np.pi * np.arange(n) / n
    return np.asarray(vectors + 0.05 * np.stack([np.cos(turn), np.sin(turn)], axis=1))


def _upright(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn the graph so that its longest extent is horizontal."""
    centred = places - places.mean(axis=0)
    turn = np.linalg.svd(centred, full_matrices=True)[2]
    turned = centred @ turn.T
    return np.asarray(
        turned * np.where(turned[np.abs(turned).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    )


def _keep_apart(places: NDArray[np.float64]) -> NDArray[np.float64]:
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


def _fit_in_square(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale to the unit square.

    A flat graph is drawn up to 2.5 times as tall as it is, which leaves more room for labels.
    """
    size = np.ptp(places, axis=0)
    size[size == 0.0] = 1.0
    size = np.maximum(size, size.max() / 2.5)
    return np.asarray((places - places.min(axis=0) - np.ptp(places, axis=0) / 2) / size + 0.5)
