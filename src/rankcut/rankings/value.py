"""The rank matrix: rows are rankings, columns are items, 1 = best.

Only the order within a row matters, so any finite numbers are ranks. Equal values are tied. An
unranked item is NaN, or absent in a sparse matrix. ``unranked`` says what that means:

``"error"``
    every item must be ranked (the default everywhere);
``"last"``
    unranked items are tied after all ranked ones: a top-k list;
``"anywhere"``
    their place is unknown: an incomplete ranking.

A rank matrix is a NumPy array, a pandas or Polars frame whose columns name the items, a SciPy CSR
array whose stored entries are the ranks, or a :class:`~rankcut.RankingSet`. :class:`Rankings`
wraps any of them, checked, and reads them block by block.
"""

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array, issparse

from rankcut.errors import InputError, Setting, Text, amount
from rankcut.parameters import check_choice
from rankcut.rankings.collections import refuse_collection

if TYPE_CHECKING:
    # Imported only where frames are read: arrays are read sooner without it.
    import narwhals as nw

Unranked: TypeAlias = Literal["error", "last", "anywhere"]

_MEANINGS = get_args(Unranked)

# Rows are checked in blocks of about this many entries.
_BLOCK = 1 << 16

# Whole numbers up to this are exact in float64.
EXACT = 1 << 53

_CHOICES: Text = [
    "pass ",
    Setting("unranked", "last"),
    " if unranked items come after all ranked ones (a top-k list), or ",
    Setting("unranked", "anywhere"),
    " if their place is unknown (an incomplete ranking)",
]


@dataclass(frozen=True, eq=False)
class Rankings:
    """One interface to every kind of rank matrix.

    Attributes
    ----------
    shape : (int, int)
        Number of rankings, number of items.
    items : tuple or None
        The labels of the items, in the order of the columns; None without labels.
    sparse : csr_array or None
        The matrix itself, if it is sparse; absent entries are unranked.
    read : callable
        ``read(start, stop)`` returns these rows of a dense matrix as float64; do not write to them.
    single : bool
        Whether the ranks are float32; features are then float32 too.
    """

    shape: tuple[int, int]
    items: tuple[Hashable, ...] | None
    sparse: csr_array | None
    read: Callable[[int, int], NDArray[np.float64]]
    single: bool

    def item(self, column: int) -> Hashable:
        """The item of a column: its label, or its position if items have no labels."""
        return column if self.items is None else self.items[column]

    def check(self, unranked: Unranked) -> None:
        """Raise unless each rank is finite and ``unranked`` allows for what is missing."""
        check_choice(unranked, _MEANINGS, "unranked")
        self._check_values(np.isfinite if unranked == "error" else _is_not_infinite, "rank")
        if unranked == "error" and self.sparse is not None:
            self._check_all_stored(self.sparse)

    def check_finite(self, what: str = "rank") -> None:
        """Raise if a number is infinite; any may be missing. ``what`` names the numbers."""
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
        step = max(1, _BLOCK // n_items)
        for start in range(0, n_rows, step):
            block = self.read(start, min(start + step, n_rows))
            accepted = good(block)
            if not accepted.all():
                row, item = divmod(int(np.argmin(accepted)), n_items)
                self._refuse(start + row, item, float(block[row, item]), what)

    def _check_all_stored(self, matrix: csr_array) -> None:
        n_items = self.shape[1]
        if matrix.nnz < self.shape[0] * n_items:
            short = np.flatnonzero(np.diff(matrix.indptr) < n_items)
            if short.size:
                row = int(short[0])
                stored = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
                item = int(np.setdiff1d(np.arange(n_items), stored)[0])
                raise InputError(
                    "is not ranked: a sparse rank matrix has no entry for it",
                    row=row,
                    item=self.item(item),
                    remedy=_CHOICES,
                )

    def _refuse(self, row: int, item: int, rank: float, what: str) -> None:
        if np.isnan(rank):
            raise InputError("is not ranked (NaN)", row=row, item=self.item(item), remedy=_CHOICES)
        raise InputError(
            f"has {what} {rank}; a {what} is a finite number",
            row=row,
            item=self.item(item),
            remedy="use NaN, not infinity, for an unranked item",
        )


def read_rankings(X: Any, items: Sequence[Hashable] | None = None) -> Rankings:
    """Accept an array, a frame, a sparse matrix or a RankingSet as a rank matrix.

    ``items`` labels the columns of an array or sparse matrix; frames have labels already.

    >>> read_rankings([[1, 2, 3], [2, 1, float("nan")]]).shape
    (2, 3)
    """
    if hasattr(X, "__rank_matrix__"):
        own: Rankings = X.__rank_matrix__()
        return replace(own, items=_labels_beside_own(items, own.items, own.shape[1]))
    refuse_collection(X)
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    values = _as_array(X) if isinstance(X, list | tuple) else X
    if not _is_plain(values):
        frame = as_frame(X)
        if frame is not None:
            return _read_frame(frame, items)
        from sklearn.utils.validation import check_array

        values = check_array(
            X, accept_sparse=True, dtype=None, ensure_all_finite=False, estimator="a rank matrix"
        )
    labels = _check_labels(items, values.shape[1])
    if values.dtype.kind not in "fiubOUS":
        raise InputError(f"ranks are numbers; this matrix holds {values.dtype}")
    if issparse(values):
        matrix = _canonical(values, labels)
        return Rankings(matrix.shape, labels, matrix, _no_dense_rows, values.dtype == np.float32)
    # Not a function within this one: to make it would cost a short row as much as to read it.
    read = partial(_read_rows, values, labels)
    return Rankings(values.shape, labels, None, read, values.dtype == np.float32)


def weights_of(rankings: Any, sample_weight: ArrayLike | None) -> ArrayLike | None:
    """The weights that are given, or the counts of a RankingSet that has some.

    >>> from rankcut import RankingSet
    >>> votes = RankingSet(np.array([[1.0, 2.0], [2.0, 1.0]]), ("toro", "uni"), counts=[3, 1])
    >>> weights_of(votes, None).tolist(), weights_of(votes.ranks, None)
    ([3, 1], None)
    """
    if sample_weight is None and hasattr(rankings, "__rank_matrix__") and rankings.counted:
        counts: ArrayLike = rankings.counts
        return counts
    return sample_weight


def _read_rows(
    values: NDArray[Any], labels: tuple[Hashable, ...] | None, start: int, stop: int
) -> NDArray[np.float64]:
    return _as_numbers(values[start:stop], start, labels)


def _as_array(rows: Sequence[Any]) -> Any:
    """Rows of numbers as an array, without scikit-learn, which takes a second to import."""
    try:
        return np.asarray(rows)
    except ValueError:
        # Rows of several lengths: scikit-learn says so.
        return rows


def _is_plain(X: Any) -> bool:
    """Whether X is a matrix of numbers that needs no conversion."""
    known = isinstance(X, np.ndarray) or issparse(X)
    return known and X.ndim == 2 and 0 not in X.shape and X.dtype.kind in "fiu"


def as_frame(table: Any) -> "nw.DataFrame[Any] | None":
    """The table as a narwhals frame, or None if it is not a frame."""
    if isinstance(table, np.ndarray | list | tuple) or issparse(table):
        return None
    import narwhals as nw

    try:
        frame = nw.from_native(table, eager_only=False, pass_through=True)
    except nw.exceptions.DuplicateError as problem:
        raise InputError(f"each column needs a name of its own: {problem}") from None
    if isinstance(frame, nw.LazyFrame):
        raise InputError("the frame is lazy: call its collect() first")
    return frame if isinstance(frame, nw.DataFrame) else None


def labels_beside(
    labels: tuple[Hashable, ...] | None, others: tuple[Hashable, ...] | None
) -> tuple[Hashable, ...] | None:
    """The labels, or positions if there are none and the other labels are positions too.

    Positions are the numbers from 0 up, in any order.
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
    raise TypeError("read a sparse rank matrix through its stored entries")


def _read_frame(frame: "nw.DataFrame[Any]", items: Sequence[Hashable] | None) -> Rankings:
    import narwhals as nw

    columns: list[Hashable] = list(frame.columns)
    n_rows, n_items = frame.shape
    if n_rows == 0 or n_items == 0:
        raise InputError(
            f"a rank matrix needs a ranking and an item: found {n_rows} sample(s) and {n_items} "
            f"feature(s) (shape={frame.shape}) while a minimum of 1 is required."
        )
    # A frame made without names numbers its columns: those are positions, not labels.
    labels = None if columns == list(range(n_items)) else tuple(columns)
    labels = _labels_beside_own(items, labels, n_items)
    dtypes = set(frame.schema.values())
    plain = all(dtype.is_numeric() or dtype == nw.Boolean for dtype in dtypes)
    for column, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype == nw.Boolean or dtype in (nw.Object, nw.Unknown)):
            raise InputError(
                f"column {column!r} holds {dtype}, not numbers",
                remedy="a rank matrix has one numeric column for each item: drop the others first",
            )

    def read(start: int, stop: int) -> NDArray[np.float64]:
        rows = frame[start:stop]
        mixed = plain and len(dtypes) > 1
        # So that a missing value is NaN for every mix of column types.
        values = (rows.select(nw.all().cast(nw.Float64())) if mixed else rows).to_numpy()
        numbers = _as_numbers(values, start, labels)
        if values.dtype.kind == "f" and any(dtype.is_integer() for dtype in dtypes):
            # Whole numbers beside others, or beside missing ones, were converted already.
            for row, item in np.argwhere(np.abs(numbers) >= EXACT).tolist():
                _check_exact(rows.item(row, item), start + row, item, labels)
        return numbers

    return Rankings((n_rows, n_items), labels, None, read, dtypes == {nw.Float32()})


def _as_numbers(
    rows: NDArray[Any], start: int, labels: tuple[Hashable, ...] | None
) -> NDArray[np.float64]:
    """The rows as float64; an error names the first entry that is not a number."""

    def refused(row: int, item: int, problem: str, remedy: str = "") -> InputError:
        label = item if labels is None else labels[item]
        return InputError(problem, row=start + row, item=label, remedy=remedy)

    if rows.dtype.kind in "iu" and rows.itemsize == 8:
        vague = (rows > EXACT) | (rows < -EXACT)
        if vague.any():
            row, item = divmod(int(np.argmax(vague)), rows.shape[1])
            _check_exact(rows[row, item], start + row, item, labels)
    try:
        numbers = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.full(rows.shape, np.nan)
        for (row, item), rank in np.ndenumerate(rows):
            if rank is None or type(rank).__name__ == "NAType":
                continue
            try:
                numbers[row, item] = float(rank)
            except OverflowError:
                raise refused(
                    row, item, "has a rank too large for float64", "rank the numbers first"
                ) from None
            except (TypeError, ValueError) as problem:
                mistake = refused(row, item, f"has rank {rank!r}, which is not a number: {problem}")
                if isinstance(problem, TypeError):
                    # As scikit-learn asks of every estimator.
                    raise TypeError(str(mistake)) from None
                raise mistake from None
    if rows.dtype.kind == "O":
        for row, item in np.argwhere(np.abs(numbers) >= EXACT).tolist():
            _check_exact(rows[row, item], start + row, item, labels)
    return numbers


def _check_exact(rank: Any, row: int, item: int, labels: tuple[Hashable, ...] | None) -> None:
    """Refuse a whole number that float64 does not hold: others near it would be the same."""
    if isinstance(rank, int | np.integer) and abs(int(rank)) > EXACT:
        raise InputError(
            f"has rank {rank}; float64 holds whole numbers up to 2**53 exactly",
            row=row,
            item=item if labels is None else labels[item],
            remedy="subtract a constant, or rank them first",
        )


def _canonical(matrix: Any, labels: tuple[Hashable, ...] | None) -> csr_array:
    """As CSR with each entry stored once; a second rank for the same item is an error."""
    if matrix.dtype.kind not in "fiub":
        raise InputError(f"a sparse rank matrix holds numbers, not {matrix.dtype}")
    if matrix.format in ("bsr", "dia"):
        raise InputError(
            f"a sparse {matrix.format} array stores zeros beside its entries, so unranked items "
            "look ranked",
            remedy="make it a CSR array of ranks only",
        )
    if matrix.dtype.kind in "iu" and matrix.dtype.itemsize == 8:
        stored = coo_array(matrix)
        vague = np.flatnonzero((stored.data > EXACT) | (stored.data < -EXACT))
        if vague.size:
            row, item = (int(side[vague[0]]) for side in stored.coords)
            _check_exact(stored.data[vague[0]], row, item, labels)
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
        raise InputError(
            "has two stored ranks; a ranking ranks each item once",
            row=row,
            item=item if labels is None else labels[item],
        )
    return csr_array(csr)


def _labels_beside_own(
    items: Sequence[Hashable] | None, own: tuple[Hashable, ...] | None, n_items: int
) -> tuple[Hashable, ...] | None:
    """The labels of data that may have labels of its own, which ``items`` must not contradict."""
    given = _check_labels(items, n_items)
    if given is not None and own is not None and given != own:
        raise InputError(
            "differs from the labels that the rankings have already",
            parameter="items",
            remedy=["leave ", Setting("items"), " out, or select the columns in that order"],
        )
    return own if given is None else given


def _check_labels(items: Sequence[Hashable] | None, n_items: int) -> tuple[Hashable, ...] | None:
    if items is None:
        return None
    labels = tuple(items)
    if len(labels) != n_items:
        raise InputError(
            f"has {amount(len(labels), 'label')}, but the rank matrix has "
            f"{amount(n_items, 'column')}",
            parameter="items",
            remedy="give one label for each column",
        )
    if len(set(labels)) < n_items:
        twice = next(label for i, label in enumerate(labels) if label in labels[:i])
        raise InputError(
            f"has the label {twice!r} twice", parameter="items", remedy="each item needs its own"
        )
    return labels
