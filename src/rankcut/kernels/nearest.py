"""The nearest rankings by a kernel: all compared, block by block, or found by an index.

Neither stores the Gram matrix. The index finds vectors with large inner products without comparing
all pairs.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.pairs import ALL, keep_best
from rankcut._loops.types import Floats, Longs
from rankcut.cuts.offset_rows import largest_entry, row_squares
from rankcut.errors import InputError, amount
from rankcut.graphs.distances import import_hnswlib
from rankcut.graphs.weights import AT_ONCE
from rankcut.kernels.gram import Encoding, slices, unit_scale
from rankcut.parameters import ROWS_AT_ONCE
from rankcut.threads import as_completed, effective_threads

# Candidates that the index looks at for a query, as many as it looks at to link a vector.
_LOOKED_AT = 200


class Nearest(NamedTuple):
    """The nearest rankings of each ranking: kernel values and row numbers."""

    values: Any
    rows: Any


def nearest_of(
    left: Encoding, right: Encoding | None, *, k: int, normalize: bool, n_jobs: int | None
) -> Nearest:
    """The k on the right with the largest kernel for each on the left; None: the others there."""
    return all_found(best_of(left, right, k, normalize, n_jobs))


def best_of(
    left: Encoding, right: Encoding | None, k: int, normalize: bool, n_jobs: int | None
) -> Nearest:
    """The nearest in one block of rankings, numbered from 0; −1 where there are fewer than k."""
    other = left if right is None else right
    best = none_yet(len(left), k)
    scales = None
    if normalize:
        own = unit_scale(left)
        scales = own, own if right is None else unit_scale(other)

    def search(rows: slice) -> None:
        for columns in slices(len(other), other.side):
            values = np.empty((rows.stop - rows.start, columns.stop - columns.start))
            left.compare(rows, other, columns, ALL, values)
            if scales is not None:
                values *= scales[0][rows, np.newaxis] * scales[1][columns]
            numbers = np.arange(columns.start, columns.stop)
            if right is None:
                values[np.arange(rows.start, rows.stop)[:, np.newaxis] == numbers] = -np.inf
            keep_nearest(values, np.broadcast_to(numbers, values.shape), best, rows)

    for _ in as_completed(search, [(rows,) for rows in slices(len(left), ROWS_AT_ONCE)], n_jobs):
        pass
    return best


def none_yet(n_rows: int, k: int) -> Nearest:
    """Placeholders for the k nearest of each: value −∞ and row −1."""
    return Nearest(np.full((n_rows, k), -np.inf), np.full((n_rows, k), -1, dtype=np.int64))


def keep_nearest(values: Floats, numbers: Longs, best: Nearest, rows: slice) -> None:
    """Update the best with more values."""
    keep_best(values, np.ascontiguousarray(numbers), best.values[rows], best.rows[rows])


def all_found(best: Nearest) -> Nearest:
    """Check that k were found for each."""
    short = (best.rows < 0).any(axis=1)
    if short.any():
        n_found = int((best.rows[np.argmax(short)] >= 0).sum())
        raise InputError(
            f"is {best.rows.shape[1]}, with {amount(n_found, 'ranking')} to choose from",
            parameter="k",
        )
    return best


class VectorIndex:
    """A hierarchical navigable small world graph of dense vectors φ, by hnswlib.

    For sparse vectors, :class:`~rankcut.kernels.inverted_lists.InvertedLists` is faster and exact.
    """

    def __init__(self, vectors: Floats, *, normalize: bool, seed: int) -> None:
        self.vectors = vectors
        self._normalize = normalize
        self._scales = self._unit_scales(vectors)
        # Weights may be of any scale, but the index uses float32.
        magnitude = largest_entry(vectors) * float(self._scales.max()) or 1.0
        points = np.empty((len(self), vectors.shape[1] + 1), dtype=np.float32)
        points[:, :-1] = vectors * (self._scales / magnitude)[:, np.newaxis]
        # One more coordinate makes all vectors as long as the longest. Then the nearest vectors of
        # a query are those with the largest inner products.
        squares = np.einsum("rd,rd->r", points[:, :-1], points[:, :-1])
        points[:, -1] = np.sqrt(squares.max(initial=0.0) - squares)
        self._index = import_hnswlib().Index(space="l2", dim=points.shape[1])
        self._index.init_index(max_elements=len(self), random_seed=seed)
        # One thread, so that the same seed gives the same index.
        self._index.add_items(points, num_threads=1)

    def __len__(self) -> int:
        return len(self.vectors)

    def nearest(
        self,
        queries: Floats,
        k: int,
        n_candidates: int,
        n_jobs: int | None,
        own: NDArray[Any] | None = None,
    ) -> tuple[Floats, NDArray[np.int64]]:
        """The k vectors of largest inner product among the candidates from the index.

        If the queries are among the vectors, ``own`` has the number of each, to leave it out.
        """
        scales = self._unit_scales(queries)
        count = min(len(self), max(n_candidates, k + (own is not None)))
        n_queries, width = queries.shape
        values, rows = np.empty((n_queries, k)), np.empty((n_queries, k), dtype=np.int64)
        # Candidates are gathered into one product.
        for part in slices(n_queries, max(1, AT_ONCE // (count * width))):
            found = self._candidates(queries[part], count, n_jobs)
            products = np.einsum("rci,ri->rc", self.vectors[found], queries[part])
            products *= scales[part, np.newaxis] * self._scales[found]
            if own is not None:
                products[found == own[part, np.newaxis]] = -np.inf
            # Largest first; ties by row number.
            order = np.lexsort((found, -products), axis=1)[:, :k]
            values[part] = np.take_along_axis(products, order, axis=1)
            rows[part] = np.take_along_axis(found, order, axis=1)
        return values, rows

    def _candidates(self, queries: Floats, count: int, n_jobs: int | None) -> NDArray[np.int64]:
        # The length of a query does not change the order of its products.
        largest = np.abs(queries).max(axis=1, keepdims=True)
        unit = queries / np.where(largest > 0, largest, 1.0)
        points = np.column_stack([unit, np.zeros(len(unit))]).astype(np.float32)
        for looked_at in (max(_LOOKED_AT, 2 * count), len(self)):
            self._index.set_ef(looked_at)
            try:
                found = self._index.knn_query(points, count, num_threads=effective_threads(n_jobs))
                break
            except RuntimeError:
                # Fewer vectors are linked to each other than requested: look at all.
                continue
        return np.asarray(found[0], dtype=np.int64)

    def _unit_scales(self, vectors: Floats) -> Floats:
        """1/‖φ‖, or 0 for zero vectors; all 1 without ``normalize``."""
        if not self._normalize:
            return np.ones(vectors.shape[0])
        norms = np.sqrt(row_squares(vectors))
        return np.asarray(np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0))
