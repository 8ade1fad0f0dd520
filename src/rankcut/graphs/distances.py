"""Distances between items, and the similarities that fall with them."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

from rankcut._loops.lists import SparseEntries, search_lists
from rankcut.errors import InputError
from rankcut.graphs.weights import AT_ONCE
from rankcut.parameters import ROWS_AT_ONCE, check_choice, is_real
from rankcut.threads import as_completed

Similarity: TypeAlias = Literal["squared_exponential", "exponential"]


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
        some = slice(start, min(start + ROWS_AT_ONCE, n))
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

    for _ in as_completed(search, [(start,) for start in range(0, n, ROWS_AT_ONCE)], None):
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
    points: NDArray[np.float64], n_neighbors: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Each item and one of its nearest neighbours, and their distance."""
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=n_neighbors).fit(points)
    # Of equally near neighbours, more threads may find others.
    with threadpool_limits(1):
        distances, neighbours = search.kneighbors()
    return np.repeat(np.arange(len(points)), n_neighbors), neighbours.ravel(), distances.ravel()
