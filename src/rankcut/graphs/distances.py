"""Distances between items, and the similarities that fall with them."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

from rankcut._loops.inverted_lists import SparseEntries, search_lists
from rankcut.errors import InputError
from rankcut.graphs.weights import AT_ONCE
from rankcut.parameters import check_choice, is_real
from rankcut.rankings.value import ROUNDING
from rankcut.threads import as_completed

Similarity: TypeAlias = Literal["squared_exponential", "exponential"]

Search: TypeAlias = Literal["auto", "exact", "approximate"]

# Trees find neighbours quickly in few dimensions. In more, comparing all pairs is quicker, up to
# a number of items at which an index pays.
_TREE_DIMENSIONS = 8
_ALL_PAIRS_ITEMS = 80_000

# Candidates that the index examines; its links are as many as hnswlib's default.
_LOOKED_AT = 200

# Items whose neighbours are also searched exactly, to see how many are missed.
_CHECKED = 200

# Rows that are compared with all others between two interrupts.
_SEARCHED = 1 << 10


def distances_between(
    points: NDArray[np.float64], first: NDArray[Any], second: NDArray[Any]
) -> NDArray[np.float64]:
    """Between some pairs of points, a block of them at a time.

    >>> distances_between(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([0, 1]), np.array([1, 1]))
    array([5., 0.])
    """
    step = max(1, AT_ONCE // points.shape[1])
    found = np.empty(len(first))
    for start in range(0, len(first), step):
        block = slice(start, start + step)
        found[block] = np.linalg.norm(points[first[block]] - points[second[block]], axis=1)
    return found


def strongest_products(
    rows: sparse.csr_array, scale: NDArray[np.float64], n_neighbors: int
) -> sparse.csr_array:
    """The largest positive products s_i·⟨x_i, x_j⟩·s_j of each row x_i with others.

    A row meets those that it shares a column with, and nothing is made dense. Of equal products,
    those with the first rows are kept.
    """
    n = rows.shape[0]
    scaled = sparse.csr_array(rows.multiply(scale[:, None]))
    own, lists = SparseEntries.of(scaled), SparseEntries.of(sparse.csr_array(scaled.T))
    k = min(n_neighbors, n)
    best, best_rows = np.zeros((n, k)), np.full((n, k), -1, dtype=np.int64)
    nothing, nobody = np.empty((n, 0)), np.empty(0, dtype=np.int64)

    def search(start: int) -> None:
        some = slice(start, min(start + _SEARCHED, n))
        search_lists(
            own._replace(starts=own.starts[some.start : some.stop + 1]),
            nothing[some],
            np.arange(some.start, some.stop),
            lists,
            nothing,
            np.zeros(n),
            nobody,
            best[some],
            best_rows[some],
        )

    for _ in as_completed(search, [(start,) for start in range(0, n, _SEARCHED)], None):
        pass
    found = best_rows >= 0
    return sparse.csr_array((best[found], (np.nonzero(found)[0], best_rows[found])), shape=(n, n))


def similarity(
    distances: NDArray[np.float64],
    kernel: Similarity | Literal["constant"],
    lengthscale: float | Literal["median"],
) -> NDArray[np.float64]:
    """Weights of edges of these lengths."""
    if kernel == "constant":
        return np.ones_like(distances)
    check_choice(kernel, ("squared_exponential", "exponential"), "kernel")
    scale = median_lengthscale(distances, lengthscale)
    if kernel == "exponential":
        return np.exp(-distances / scale)
    return np.exp(-0.5 * (distances / scale) ** 2)


def median_lengthscale(
    distances: NDArray[np.float64], lengthscale: float | Literal["median"]
) -> float:
    """The lengthscale as a number.

    Where over half of the distances are 0, "median" means the median of the others.
    """
    if lengthscale == "median":
        scale = float(np.median(distances)) if distances.size else 1.0
        if scale == 0.0:
            apart = distances[distances > 0]
            scale = float(np.median(apart)) if apart.size else 1.0
        return scale
    if is_real(lengthscale) and lengthscale > 0:
        return float(lengthscale)
    raise InputError(f'must be "median" or above 0; got {lengthscale!r}', parameter="lengthscale")


def nearest_neighbors(
    points: NDArray[np.float64], n_neighbors: int, method: Search, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], float | None]:
    """Each item and one of its neighbours, their distance; and the share of those missed."""
    check_choice(method, ("auto", "exact", "approximate"), "method")
    n, n_dimensions = points.shape
    costly = n_dimensions > _TREE_DIMENSIONS and n > _ALL_PAIRS_ITEMS
    if method == "approximate" or (method == "auto" and costly):
        return _approximate(points, n_neighbors, seed)
    search = _exact_search(points, n_neighbors)
    # Of equally near neighbours, more threads may find others.
    with threadpool_limits(1):
        distances, neighbours = search.kneighbors()
    items = np.repeat(np.arange(n), n_neighbors)
    return items, neighbours.ravel(), distances.ravel(), None


def _exact_search(points: NDArray[np.float64], n_neighbors: int) -> Any:
    from sklearn.neighbors import NearestNeighbors

    algorithm = "auto" if points.shape[1] <= _TREE_DIMENSIONS else "brute"
    return NearestNeighbors(n_neighbors=n_neighbors, algorithm=algorithm).fit(points)


def _approximate(
    points: NDArray[np.float64], n_neighbors: int, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], float]:
    n = len(points)
    # The search is in float32: what all items share would take up its digits.
    centred = points - points.mean(axis=0)
    largest = float(np.abs(centred).max()) or 1.0
    near = (centred / largest).astype(np.float32)
    index = import_hnswlib().Index(space="l2", dim=near.shape[1])
    index.init_index(max_elements=n, ef_construction=_LOOKED_AT, random_seed=seed)
    # In one thread, so that the same seed gives the same index.
    index.add_items(near, num_threads=1)
    count = min(n_neighbors + 1, n)
    index.set_ef(max(_LOOKED_AT, 2 * count))
    found = np.asarray(index.knn_query(near, count, num_threads=1)[0], dtype=np.intp)
    own = np.arange(n)[:, None]
    # An item is among its own neighbours, unless it has many duplicates.
    kept = found != own
    kept &= np.cumsum(kept, axis=1) <= n_neighbors
    items, neighbours = np.broadcast_to(own, found.shape)[kept], found[kept]
    distances = distances_between(points, items, neighbours)
    return items, neighbours, distances, _missed(points, n_neighbors, items, distances, seed)


def _missed(
    points: NDArray[np.float64],
    n_neighbors: int,
    items: NDArray[np.intp],
    distances: NDArray[np.float64],
    seed: int,
) -> float:
    """The share of the neighbours of some items that is missed; equally near ones will do."""
    n = len(points)
    some = np.sort(np.random.default_rng(seed).choice(n, min(n, _CHECKED), replace=False))
    search = _exact_search(points, n_neighbors + 1)
    # Among the nearest of an item, at distance 0, is the item itself.
    farthest = search.kneighbors(points[some])[0][:, -1]
    starts, ends = np.searchsorted(items, some), np.searchsorted(items, some, side="right")
    hits = sum(
        int((distances[start:end] <= limit * (1 + ROUNDING)).sum())
        for start, end, limit in zip(starts, ends, farthest, strict=True)
    )
    return 1.0 - hits / (len(some) * n_neighbors)


def import_hnswlib() -> Any:
    """The library of approximate search, or an error that says how to install it."""
    try:
        import hnswlib
    except ImportError:
        raise ModuleNotFoundError(
            'approximate search needs hnswlib: pip install "rankcut[neighbors]", or pass '
            'method="exact", which compares all pairs'
        ) from None
    return hnswlib
