"""The nearest rankings by a kernel, without a Gram matrix: all compared, or by inverted lists.

Lists are for sparse vectors. Each coordinate has the list of rows that are not 0 there. A query
goes through the lists of its own coordinates, and so meets every row it has something in common
with. What stands beside the sparse part of vectors is short: ⟨φ, φ'⟩ = ⟨S, S'⟩ + ⟨u, t'⟩. A row in
none of the lists has only ⟨u, t'⟩ ≤ ‖u‖·‖t'‖, so rows are tried from the longest t' on, until this
bound is below the k-th best. Nothing is missed, and each query is computed by itself: batches and
threads change no bit.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.lists import SparseEntries, keep_best, search_lists
from rankcut._loops.pairs import ALL
from rankcut._loops.types import Floats, Longs
from rankcut.cuts.offset_rows import JoinedRows, OffsetRows, Vectors, check_centred, row_squares
from rankcut.errors import InputError, amount
from rankcut.kernels.ranking_kernel import Encoding, slices, unit_scale
from rankcut.parameters import ROUNDING, ROWS_AT_ONCE, check_count
from rankcut.threads import in_order


class Nearest(NamedTuple):
    """The nearest rankings of each ranking: kernel values and row numbers."""

    values: Any
    rows: Any


def nearest_of(
    first: Encoding, second: Encoding | None, *, k: int, normalize: bool, n_jobs: int | None
) -> Nearest:
    """The k of the second with the largest kernel for each of the first; None: among the first."""
    other = first if second is None else second
    best = none_yet(len(first), k)
    scales = None
    if normalize:
        scaled = unit_scale(first)
        scales = scaled, scaled if second is None else unit_scale(other)
    # Among themselves, each pair is compared once, for both.
    blocks = [
        (rows, slice(start, min(start + other.side, len(other))))
        for rows in slices(len(first), ROWS_AT_ONCE)
        for start in range(rows.start if second is None else 0, len(other), other.side)
    ]

    def compare(block: tuple[slice, slice]) -> Floats:
        rows, columns = block
        values = np.empty((rows.stop - rows.start, columns.stop - columns.start))
        first.compare(rows, other, columns, ALL, values)
        if scales is not None:
            values *= scales[0][rows, np.newaxis] * scales[1][columns]
        return values

    for (rows, columns), values in zip(blocks, in_order(compare, blocks, n_jobs), strict=True):
        own_numbers = np.arange(rows.start, rows.stop)
        numbers = np.arange(columns.start, columns.stop)
        if second is None:
            values[own_numbers[:, np.newaxis] == numbers] = -np.inf
            later = slice(max(rows.stop, columns.start), columns.stop)
            mirror = np.ascontiguousarray(values[:, later.start - columns.start :].T)
            keep_nearest(mirror, own_numbers, best, later)
        keep_nearest(values, numbers, best, rows)
    return all_found(best)


def none_yet(n_rows: int, k: int) -> Nearest:
    """Placeholders for the k nearest of each: value −∞ and row −1."""
    return Nearest(np.full((n_rows, k), -np.inf), np.full((n_rows, k), -1, dtype=np.int64))


def keep_nearest(values: Floats, numbers: Longs, best: Nearest, rows: slice) -> None:
    """Update the best with the values of the numbered rows."""
    of_each = np.ascontiguousarray(np.broadcast_to(numbers, values.shape))
    keep_best(values, of_each, best.values[rows], best.rows[rows])


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


class _SplitVectors(NamedTuple):
    """A sparse part, and what is added to it: u as a query, t as a row that is searched."""

    sparse: sparse.csr_array
    query: Floats
    row: Floats


class InvertedLists:
    """Search of sparse vectors φ by their inner products.

    With ``normalize``, vectors are scaled to unit length; zeros stay zeros.

    >>> lists = InvertedLists(sparse.csr_array(np.eye(3)), normalize=True)
    >>> lists.nearest(sparse.csr_array([[0.0, 3.0, 4.0]]), k=2)
    Nearest(values=array([[0.8, 0.6]]), rows=array([[2, 1]]))
    """

    def __init__(self, vectors: Vectors, *, normalize: bool) -> None:
        check_centred(vectors)
        self._vectors: Any = vectors
        self._normalize = normalize
        parts = self._parts(vectors)
        self._dense = np.ascontiguousarray(parts.row)
        lengths = np.sqrt(np.einsum("rd,rd->r", self._dense, self._dense))
        # The bound of a search is a product of lengths, which are rounded.
        self._lengths: Floats = (1.0 + ROUNDING) * lengths
        self._by_length = np.argsort(-self._lengths, kind="stable").astype(np.int64)
        self._lists = SparseEntries.of(parts.sparse.T.tocsr())

    def __len__(self) -> int:
        return int(self._vectors.shape[0])

    def nearest(
        self,
        queries: Vectors | None,
        k: int,
        n_jobs: int | None = None,
        itself: NDArray[np.int64] | None = None,
    ) -> Nearest:
        """The k vectors of largest inner product with each query; of equal ones the first rows.

        Queries of None are the vectors themselves, each without itself; ``itself`` is the row of
        each query among them, which is left out.
        """
        check_count(k, "k")
        if queries is None:
            queries, itself = self._vectors, np.arange(len(self), dtype=np.int64)
        parts = self._parts(queries)
        n_queries = parts.sparse.shape[0]
        left_out = np.full(n_queries, -1, dtype=np.int64) if itself is None else itself
        best = none_yet(n_queries, k)
        entries = SparseEntries.of(parts.sparse)
        beside = np.ascontiguousarray(parts.query)

        def search(first: int) -> None:
            some = slice(first, min(first + ROWS_AT_ONCE, n_queries))
            search_lists(
                entries._replace(starts=entries.starts[some.start : some.stop + 1]),
                beside[some],
                left_out[some],
                self._lists,
                self._dense,
                self._lengths,
                self._by_length,
                best.values[some],
                best.rows[some],
            )

        for _ in in_order(search, range(0, n_queries, ROWS_AT_ONCE), n_jobs):
            pass
        return all_found(best)

    def _parts(self, vectors: Any) -> _SplitVectors:
        """The vectors in parts, scaled to unit length if asked; dense queries become sparse."""
        if isinstance(vectors, np.ndarray):
            vectors = self._as_fitted(vectors)
        scales = np.ones(vectors.shape[0])
        if self._normalize:
            norms = np.sqrt(row_squares(vectors))
            scales = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
        stored = vectors if sparse.issparse(vectors) else vectors.sparse
        stored = sparse.csr_array(stored, dtype=np.float64, copy=True)
        query = row = np.zeros((stored.shape[0], 0))
        if isinstance(vectors, JoinedRows):
            query = row = vectors.dense
        elif isinstance(vectors, OffsetRows):
            # ⟨S + c·b, S' + c'·b⟩ = ⟨S, S'⟩ + ⟨S, b⟩·c' + c·(⟨S', b⟩ + c'·⟨b, b⟩).
            along, base = stored @ vectors.base, vectors.base @ vectors.base
            query = np.column_stack([along, vectors.offsets])
            row = np.column_stack([vectors.offsets, along + vectors.offsets * base])
        stored.data *= np.repeat(scales, np.diff(stored.indptr))
        return _SplitVectors(stored, query * scales[:, None], row * scales[:, None])

    def _as_fitted(self, vectors: NDArray[Any]) -> Vectors:
        """Dense vectors in the form of those that are searched."""
        if isinstance(self._vectors, JoinedRows):
            n_items = self._vectors.sparse.shape[1]
            return JoinedRows(sparse.csr_array(vectors[:, :n_items]), vectors[:, n_items:])
        if isinstance(self._vectors, OffsetRows):
            offsets = np.zeros(len(vectors))
            return OffsetRows(sparse.csr_array(vectors), offsets, self._vectors.base)
        return sparse.csr_array(vectors)
