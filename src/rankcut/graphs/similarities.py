"""Similarities of items: those that fall with a distance, and the strongest products."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.lists import SparseEntries, search_lists
from rankcut.errors import InputError
from rankcut.parameters import ROWS_AT_ONCE, check_choice, is_real
from rankcut.threads import as_completed

Similarity: TypeAlias = Literal["squared_exponential", "exponential"]


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
