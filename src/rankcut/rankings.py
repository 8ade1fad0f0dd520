"""The rank matrix: rows are rankings, columns are items, 1 = best.

Only the order within a row matters, so any finite numbers are ranks. Equal values are tied. An
item that a ranking does not mention is NaN, or simply absent in a sparse matrix; what that means
is for the caller to say, by ``unranked``:

``"error"``
    nothing may be missing (the default everywhere);
``"last"``
    unranked items are tied after all the ranked ones: a top-k list;
``"anywhere"``
    nothing is known of their place: an incomplete ranking.

A rank matrix is a NumPy array, a pandas or Polars frame whose columns name the items, or a SciPy
CSR array whose stored entries are the ranks. :class:`RankMatrix` is one of them, checked, with
one way to read it block by block.
"""

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse
from sklearn.utils.validation import check_array

from rankcut.errors import InputError, Setting

Unranked: TypeAlias = Literal["error", "last", "anywhere"]

# Rows are read for checks in pieces of about this many entries.
_PIECE = 1 << 16

# Whole numbers up to this are exact in float64.
_EXACT = 1 << 53

_CHOICES = (
    "say what that means: ",
    Setting("unranked", "last"),
    " ties unranked items after all ranked ones (a top-k list), ",
    Setting("unranked", "anywhere"),
    " treats their places as unknown (an incomplete ranking)",
)


@dataclass(frozen=True, eq=False)
class RankMatrix:
    """A rank matrix behind one interface.

    Attributes
    ----------
    shape : (int, int)
        Number of rankings, number of items.
    items : tuple or None
        The items' labels, in the order of the columns, if they have labels.
    sparse : csr_array or None
        The matrix itself, if it is sparse; absent entries are unranked.
    read : callable
        ``read(start, stop)`` returns those rows of a dense matrix as float64, to be read only.
    single : bool
        Whether the ranks are float32, so that features are expected in float32 too.
    """

    shape: tuple[int, int]
    items: tuple[Hashable, ...] | None
    sparse: csr_array | None
    read: Callable[[int, int], NDArray[np.float64]]
    single: bool

    def item(self, column: int) -> Hashable:
        """The item of a column: its label, or its position."""
        return column if self.items is None else self.items[column]

    def label(self, column: int) -> str:
        """The item as an error message should name it."""
        return f"item {self.item(column)!r}"

    def check(self, unranked: Unranked) -> None:
        """Raise unless each rank is finite and unranked items are allowed for."""
        if unranked not in get_args(Unranked):
            raise ValueError(
                f'unranked must be "error", "last" or "anywhere", and it is {unranked!r}'
            )
        self._check_values(np.isfinite if unranked == "error" else _is_not_infinite, "rank")
        if unranked == "error" and self.sparse is not None:
            self._check_all_stored(self.sparse)

    def check_finite(self, what: str = "rank") -> None:
        """Raise if a rank, or whatever the numbers are, is infinite; any may be missing."""
        self._check_values(_is_not_infinite, what)

    def _check_values(self, good: Callable[[NDArray[Any]], NDArray[np.bool_]], what: str) -> None:
        if self.sparse is not None:
            entries = np.flatnonzero(~good(self.sparse.data))
            if entries.size:
                row = int(np.searchsorted(self.sparse.indptr, entries[0], side="right")) - 1
                item = int(self.sparse.indices[entries[0]])
                self._refuse(row, item, float(self.sparse.data[entries[0]]), what)
            return
        n_rows, n_items = self.shape
        step = max(1, _PIECE // n_items)
        for start in range(0, n_rows, step):
            piece = self.read(start, min(start + step, n_rows))
            # A finite sum has finite terms; the other way round it may overflow.
            with np.errstate(over="ignore", invalid="ignore"):
                if np.isfinite(piece.sum()):
                    continue
            accepted = good(piece)
            if not accepted.all():
                row, item = divmod(int(np.argmin(accepted)), n_items)
                self._refuse(start + row, item, float(piece[row, item]), what)

    def _check_all_stored(self, matrix: csr_array) -> None:
        n_items = self.shape[1]
        if matrix.nnz < self.shape[0] * n_items:
            short = np.flatnonzero(np.diff(matrix.indptr) < n_items)
            if short.size:
                row = int(short[0])
                stored = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
                item = int(np.setdiff1d(np.arange(n_items), stored)[0])
                raise InputError(
                    "is not ranked: it has no entry, and in a sparse rank matrix an absent entry "
                    "is an unranked item",
                    row=row,
                    item=self.item(item),
                    remedy=_CHOICES,
                )

    def _refuse(self, row: int, item: int, rank: float, what: str) -> None:
        if np.isnan(rank):
            raise InputError("is not ranked (NaN)", row=row, item=self.item(item), remedy=_CHOICES)
        raise InputError(
            f"has {what} {rank}",
            row=row,
            item=self.item(item),
            remedy=f"a {what} is a finite number, and NaN marks an item that is not ranked "
            "(infinity is neither)",
        )


def read_rankings(X: Any, items: Sequence[Hashable] | None = None) -> RankMatrix:
    """Accept an array, a pandas or Polars frame, or a sparse matrix as a rank matrix.

    ``items`` labels the columns of an array or sparse matrix; a frame has labels of its own.

    >>> read_rankings([[1, 2, 3], [2, 1, float("nan")]]).shape
    (2, 3)
    """
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    values = X
    if not (isinstance(X, np.ndarray) and X.ndim == 2 and X.size and X.dtype.kind in "fiu"):
        frame = as_frame(X)
        if frame is not None:
            return _read_frame(frame, items)
        values = check_array(
            X, accept_sparse=True, dtype=None, ensure_all_finite=False, estimator="a rank matrix"
        )
    labels = _check_labels(items, values.shape[1])
    if values.dtype.kind not in "fiubOUS":
        raise ValueError(f"ranks are numbers, and this matrix holds {values.dtype}")
    if issparse(values):
        matrix = _canonical(values, labels)
        return RankMatrix(matrix.shape, labels, matrix, _no_dense_rows, values.dtype == np.float32)

    def read(start: int, stop: int) -> NDArray[np.float64]:
        return _as_numbers(values[start:stop], start, labels)

    return RankMatrix(values.shape, labels, None, read, values.dtype == np.float32)


def as_frame(table: Any) -> nw.DataFrame[Any] | None:
    """The table as a narwhals frame, or None if it is no frame."""
    try:
        frame = nw.from_native(table, eager_only=False, pass_through=True)
    except nw.exceptions.DuplicateError as problem:
        raise ValueError(f"each column needs a name of its own: {problem}") from None
    if isinstance(frame, nw.LazyFrame):
        raise ValueError("the frame is lazy: call its collect() first")
    return frame if isinstance(frame, nw.DataFrame) else None


def labels_beside(
    labels: tuple[Hashable, ...] | None, others: tuple[Hashable, ...] | None
) -> tuple[Hashable, ...] | None:
    """Labels of items that may have none, beside those of the same items elsewhere.

    Items without labels are known by their positions, and other labels that are the numbers from
    0 on, in whichever order, are positions too.
    """
    if labels is None and others is not None and set(others) == set(range(len(others))):
        return tuple(range(len(others)))
    return labels


def object_array(values: Collection[Any]) -> NDArray[np.object_]:
    """An array with an entry for each value, even if values are themselves tuples.

    >>> object_array([("toro", 1), ("uni", 2)])
    array([('toro', 1), ('uni', 2)], dtype=object)
    """
    return np.fromiter(values, dtype=object, count=len(values))


def _is_not_infinite(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(~np.isinf(values))


def _no_dense_rows(start: int, stop: int) -> NDArray[np.float64]:
    raise TypeError("a sparse rank matrix is read through its stored entries")


def _read_frame(frame: nw.DataFrame[Any], items: Sequence[Hashable] | None) -> RankMatrix:
    columns: list[Hashable] = list(frame.columns)
    n_rows, n_items = frame.shape
    if n_rows == 0 or n_items == 0:
        raise ValueError(
            f"a rank matrix needs a ranking and an item: found {n_rows} sample(s) and {n_items} "
            f"feature(s) (shape={frame.shape}) while a minimum of 1 is required."
        )
    # A frame made without names counts its columns: those are positions, not labels.
    labels = None if columns == list(range(n_items)) else tuple(columns)
    if items is not None:
        given = _check_labels(items, n_items)
        if labels is not None and given != labels:
            raise ValueError(
                "the frame's columns name the items already, and items= says otherwise; leave "
                "items= out, or select the columns in that order"
            )
        labels = given
    dtypes = set(frame.schema.values())
    plain = all(dtype.is_numeric() or dtype == nw.Boolean for dtype in dtypes)
    for column, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype == nw.Boolean or dtype in (nw.Object, nw.Unknown)):
            raise ValueError(
                f"column {column!r} holds {dtype}, not numbers; a rank matrix has one numeric "
                "column for each item: drop the others first"
            )

    def read(start: int, stop: int) -> NDArray[np.float64]:
        rows = frame[start:stop]
        if plain and len(dtypes) > 1:
            # So that a missing value is NaN whichever kinds of columns there are.
            rows = rows.select(nw.all().cast(nw.Float64()))
        return _as_numbers(rows.to_numpy(), start, labels)

    return RankMatrix((n_rows, n_items), labels, None, read, dtypes == {nw.Float32()})


def _as_numbers(
    rows: NDArray[Any], start: int, labels: tuple[Hashable, ...] | None
) -> NDArray[np.float64]:
    """The rows as float64; the first entry that is no number is named."""

    def label(item: int) -> Hashable:
        return item if labels is None else labels[item]

    if rows.dtype.kind in "iu" and rows.itemsize == 8:
        vague = (rows > _EXACT) | (rows < -_EXACT)
        if vague.any():
            row, item = divmod(int(np.argmax(vague)), rows.shape[1])
            raise InputError(
                f"has rank {rows[row, item]}",
                row=start + row,
                item=label(item),
                remedy="whole numbers beyond 2**53 cannot be told apart as ranks: subtract a "
                "constant, or rank them first",
            )
    try:
        return np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.full(rows.shape, np.nan)
        for (row, item), rank in np.ndenumerate(rows):
            if rank is None or type(rank).__name__ == "NAType":
                continue
            try:
                numbers[row, item] = float(rank)
            except (TypeError, ValueError) as problem:
                what = f"has rank {rank!r}, which is not a number: {problem}"
                error = InputError(what, row=start + row, item=label(item))
                # scikit-learn expects a TypeError of what is neither a number nor text.
                raise error if isinstance(problem, ValueError) else TypeError(str(error)) from None
        return numbers


def _canonical(matrix: Any, labels: tuple[Hashable, ...] | None) -> csr_array:
    """As CSR with each entry stored once; a second rank for the same item is an error."""
    if matrix.dtype.kind not in "fiub":
        raise ValueError(f"a sparse rank matrix holds numbers, not {matrix.dtype}")
    if matrix.format in ("bsr", "dia"):
        raise ValueError(
            f"a sparse {matrix.format} array stores zeros beside its entries, and cannot tell "
            "which items are ranked; make it a CSR array of the ranks alone"
        )
    if matrix.format == "csr" and matrix.has_canonical_format:
        return csr_array(matrix)
    stored = coo_array(matrix)
    csr = stored.tocsr()
    if csr.nnz < stored.nnz:
        rows, columns = stored.coords
        ordered = np.lexsort((columns, rows))
        rows, columns = rows[ordered], columns[ordered]
        twice = np.flatnonzero((rows[1:] == rows[:-1]) & (columns[1:] == columns[:-1]))[0]
        row, item = int(rows[twice]), int(columns[twice])
        label = item if labels is None else labels[item]
        raise InputError(
            "has two stored ranks", row=row, item=label, remedy="a ranking ranks each item once"
        )
    return csr_array(csr)


def _check_labels(items: Sequence[Hashable] | None, n_items: int) -> tuple[Hashable, ...] | None:
    if items is None:
        return None
    labels = tuple(items)
    if len(labels) != n_items:
        raise ValueError(
            f"items= has {len(labels)} labels, but the rank matrix has {n_items} columns; "
            "give one label for each column"
        )
    if len(set(labels)) < n_items:
        twice = next(label for i, label in enumerate(labels) if label in labels[:i])
        raise ValueError(f"items= has the label {twice!r} twice; each item needs its own")
    return labels
