"""Nearest neighbours of each item: all of them exactly, or most of them much sooner."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from rankcut.graphs.approximation import NeighborApproximation
from rankcut.graphs.similarities import distances_between

Search: TypeAlias = Literal["auto", "exact", "approximate"]

# Trees find neighbours quickly in few dimensions. In more, comparing all pairs is quicker, and
# for many items takes longer than an approximate search, which takes half a minute to compile.
_TREE_DIMENSIONS = 8
_ALL_PAIRS_ITEMS = 80_000

# Items whose neighbours are searched exactly too, to tell how many an approximate search found.
_CHECKED = 200

# Distances this much larger than the farthest neighbour's, relative to it, are as near.
_ROUNDING = 1e-9


def nearest_neighbors(
    points: NDArray[np.float64], n_neighbors: int, method: Search, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NeighborApproximation | None]:
    """Each item and one of its neighbours, their distance; and how many neighbours are missing."""
    if method not in ("auto", "exact", "approximate"):
        raise ValueError(f'method must be "auto", "exact" or "approximate", and it is {method!r}')
    n, n_dimensions = points.shape
    costly = n_dimensions > _TREE_DIMENSIONS and n > _ALL_PAIRS_ITEMS
    if method == "approximate" or (method == "auto" and costly):
        return _approximate(points, n_neighbors, seed)
    search = _exact_search(points, n_neighbors)
    # Of neighbours as near, more threads find others.
    with threadpool_limits(1):
        distances, neighbours = search.kneighbors()
    items = np.repeat(np.arange(n), n_neighbors)
    return items, neighbours.ravel(), distances.ravel(), None


def _exact_search(points: NDArray[np.float64], n_neighbors: int) -> Any:
    algorithm = "auto" if points.shape[1] <= _TREE_DIMENSIONS else "brute"
    return NearestNeighbors(n_neighbors=n_neighbors, algorithm=algorithm).fit(points)


def _approximate(
    points: NDArray[np.float64], n_neighbors: int, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NeighborApproximation]:
    n = len(points)
    # The search is in float32: what all items share would take up its digits.
    centred = points - points.mean(axis=0)
    largest = float(np.abs(centred).max()) or 1.0
    index = _pynndescent().NNDescent(
        (centred / largest).astype(np.float32),
        n_neighbors=min(n_neighbors + 1, n),
        random_state=seed,
        # More threads find other neighbours.
        n_jobs=1,
    )
    found = np.asarray(index.neighbor_graph[0], dtype=np.intp)
    own = np.arange(n)[:, None]
    # An item is among its own neighbours, unless it has many duplicates; -1 is none.
    kept = (found != own) & (found >= 0)
    kept &= np.cumsum(kept, axis=1) <= n_neighbors
    items, neighbours = np.broadcast_to(own, found.shape)[kept], found[kept]
    distances = distances_between(points, items, neighbours)
    checked = _recall(points, n_neighbors, items, distances, seed)
    return items, neighbours, distances, checked


def _recall(
    points: NDArray[np.float64],
    n_neighbors: int,
    items: NDArray[np.intp],
    distances: NDArray[np.float64],
    seed: int,
) -> NeighborApproximation:
    """Of the neighbours of some items, those found; any of several as near will do."""
    n = len(points)
    some = np.sort(np.random.default_rng(seed).choice(n, min(n, _CHECKED), replace=False))
    search = _exact_search(points, n_neighbors + 1)
    # Among the nearest of an item, at distance 0, is the item itself.
    farthest = search.kneighbors(points[some])[0][:, -1]
    starts, ends = np.searchsorted(items, some), np.searchsorted(items, some, side="right")
    hits = sum(
        int((distances[start:end] <= limit * (1 + _ROUNDING)).sum())
        for start, end, limit in zip(starts, ends, farthest, strict=True)
    )
    return NeighborApproximation(hits / (len(some) * n_neighbors), len(some))


def _pynndescent() -> Any:
    try:
        import pynndescent
    except ImportError:
        raise ModuleNotFoundError(
            'approximate neighbours need pynndescent: pip install "rankcut[neighbors]", or take '
            'method="exact", which compares all pairs'
        ) from None
    return pynndescent
