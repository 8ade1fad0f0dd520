"""From what a user holds to :class:`Rankings`: read once, checked once.

Each mistake is an :class:`~rankcut.errors.InputError` that names the row, the item and the remedy.
"""

from collections.abc import Collection, Hashable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array, issparse

from rankcut._loops.types import Longs
from rankcut.errors import InputError, Setting, Text, amount
from rankcut.parameters import EXACT, check_choice, check_counts
from rankcut.rankings.partitions import block_rows
from rankcut.rankings.stored import check_csr
from rankcut.rankings.value import Rankings, Unranked

if TYPE_CHECKING:
    # Imported only where frames are read: arrays are read sooner without it.
    import narwhals as nw

_MEANINGS = get_args(Unranked)

_CHOICES: Text = [
    "pass ",
    Setting("unranked", "last"),
    " if unranked items come after all ranked ones (a top-k list), or ",
    Setting("unranked", "anywhere"),
    " if their place is unknown (an incomplete ranking)",
]


def read_rankings(
    X: Any,
    items: Sequence[Hashable] | None = None,
    *,
    unranked: Unranked = "error",
    or_else: Unranked = "error",
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    people: ArrayLike | None = None,
    number: str = "rank",
) -> Rankings:
    """Read and check rankings of any kind.

    Parameters
    ----------
    X : array, frame, CSR array, RankingSet or Rankings
        Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
    items : sequence of labels or None
        Labels for the columns of an array or sparse matrix; frames have labels already.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means: it is tied with the others after all ranked ones, or its place
        is unknown; "error" is what ``X`` says itself, or ``or_else``.
    or_else : {"error", "last", "anywhere"}, default="error"
        What it means if neither ``unranked`` nor ``X`` says so.
    sample_weight : array of shape (n_rankings,), number or None
        The weight of each ranking, each of one person, whole number or not. None: that of a
        RankingSet, or all alike. Counts of a set still hold.
    counts : array of shape (n_rankings,) or None
        How many people each row stands for, whole numbers: 3 is the row three times. None: the
        counts of a RankingSet, or one each. Where rows have weights too, a row counts as one
        person of count times weight.
    people : array of shape (n_rankings,) or None
        Rows with the same value belong to one person; None: as a RankingSet says.
    number : str, default="rank"
        What errors call the numbers.

    Examples
    --------
    >>> rankings = read_rankings([[1, 2, 3], [2, 1, float("nan")]], unranked="last")
    >>> rankings.shape, rankings.groups().tolist()
    ((2, 3), [[0, 1, 2], [1, 0, 2]])
    >>> read_rankings(rankings, unranked="last") is rankings
    True
    """
    if unranked not in _MEANINGS:
        check_choice(unranked, _MEANINGS, "unranked")
    if isinstance(X, tuple) and hasattr(X, "ranks"):
        raise InputError(
            "a rank matrix and its labels are given together",
            remedy="pass its ranks alone, and its items as the parameter items",
        )
    if isinstance(X, Rankings):
        rankings = X.meaning(_first_meaning(unranked, X.unranked, or_else))
        if items is not None:
            rankings = rankings.with_items(_agreed_labels(items, X.items, X.shape[1]))
    else:
        source, own, asked_ties = X, None, True
        weights, counted = None, True
        if hasattr(X, "__rankings__"):
            # What is said of the rows besides: what is not given stays as the set says.
            if counts is None and sample_weight is not None and X.counted:
                counts = X.counts
            elif sample_weight is None and counts is not None:
                sample_weight = X.weights
        meaning = _first_meaning(unranked, getattr(X, "unranked", "error"), or_else)
        if hasattr(X, "__rankings__"):
            people = X.people if people is None else people
            asked_ties = X.asked_ties
            counted = X.weights is None
            X, own, weights = X.__rankings__()
        stored, labels = _read_matrix(X)
        own = labels if own is None else own
        labels = own if items is None else _agreed_labels(items, own, stored.shape[1])
        if issparse(stored):
            stored = _canonical(stored, labels)
        elif stored.dtype.kind in "OUS" or (stored.dtype.kind in "iu" and stored.itemsize == 8):
            stored = _as_numbers(stored, labels)
        if weights is not None:
            name = "counts" if counted else "sample_weight"
            weights = check_counts(weights, stored.shape[0], name)
        rankings = Rankings(stored, labels, meaning, weights, counted, asked_ties=asked_ties)
        try:
            _check_ranks(rankings, number)
        except InputError as mistake:
            raise _in_file(mistake, source) from None
    if counts is not None:
        numbers = check_counts(counts, rankings.shape[0], "counts")
        if (numbers % 1 != 0).any():
            row = int(np.argmax(numbers % 1 != 0))
            raise InputError(
                f"counts is {numbers[row]:g}, no whole number",
                row=row,
                remedy="give it as a weight",
            )
        rankings = rankings.with_weights(numbers, counted=True)
    if sample_weight is not None:
        weights = check_counts(sample_weight, rankings.shape[0])
        each = weights if counts is None else weights * rankings.counts
        rankings = rankings.with_weights(each, counted=False)
    if people is not None:
        rankings = rankings.with_people(number_people(people, rankings.shape[0]))
    return rankings


def _first_meaning(*meanings: Unranked) -> Unranked:
    """The first that says what an unranked item means; "error" if none does."""
    return next((meaning for meaning in meanings if meaning != "error"), "error")


def number_people(people: ArrayLike, n_rows: int) -> Longs:
    """The number of the person of each row, in the order of their names."""
    names = np.asarray(people)
    if names.shape != (n_rows,):
        raise InputError(
            f"must name the person of each of the {n_rows} rankings; got shape {names.shape}",
            parameter="people",
        )
    try:
        return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int64)
    except TypeError:
        # Names of several types have no order, so they are ordered as text.
        return number_people(names.astype(str), n_rows)


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


def object_array(values: Collection[Any]) -> NDArray[np.object_]:
    """An array with an entry for each value, even if values are themselves tuples.

    >>> object_array([("toro", 1), ("uni", 2)])
    array([('toro', 1), ('uni', 2)], dtype=object)
    """
    return np.fromiter(values, dtype=object, count=len(values))


def _read_matrix(X: Any) -> tuple[Any, tuple[Hashable, ...] | None]:
    """A matrix, dense or sparse, of any numbers, and the labels of its columns if it has some."""
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    values = X
    if isinstance(X, list | tuple):
        # Without scikit-learn, which takes a second to import; it says if rows differ in length.
        with suppress(ValueError):
            values = np.asarray(X)
    readable = isinstance(values, np.ndarray) or issparse(values)
    if readable and values.ndim == 2 and 0 not in values.shape and values.dtype.kind in "fiu":
        return values, None
    refuse_collection(X)
    frame = as_frame(X)
    if frame is not None:
        return _read_frame(frame)
    from sklearn.utils.validation import check_array

    values = check_array(
        X, accept_sparse=True, dtype=None, ensure_all_finite=False, estimator="a rank matrix"
    )
    if values.dtype.kind not in "fiubOUS":
        raise InputError(f"ranks are numbers; this matrix holds {values.dtype}")
    return values, None


def _read_frame(frame: "nw.DataFrame[Any]") -> tuple[NDArray[Any], tuple[Hashable, ...] | None]:
    """The numbers of a frame in one array; missing values are NaN."""
    import narwhals as nw

    n_rows, n_items = frame.shape
    if n_rows == 0 or n_items == 0:
        raise InputError(
            f"a rank matrix needs a ranking and an item: found {n_rows} sample(s) and {n_items} "
            f"feature(s) (shape={frame.shape}) while a minimum of 1 is required."
        )
    columns: list[Hashable] = list(frame.columns)
    # A frame made without names numbers its columns: those are positions, not labels.
    labels = None if columns == list(range(n_items)) else tuple(columns)
    for column, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype == nw.Boolean or dtype in (nw.Object, nw.Unknown)):
            raise InputError(
                f"column {column!r} holds {dtype}, not numbers",
                remedy="a rank matrix has one numeric column for each item: drop the others first",
            )
    dtypes = set(frame.schema.values())
    if len(dtypes) > 1 and all(dtype.is_numeric() or dtype == nw.Boolean for dtype in dtypes):
        # So that a missing value is NaN for every mix of column types.
        values = frame.select(nw.all().cast(nw.Float64())).to_numpy()
    else:
        values = frame.to_numpy()
    if values.dtype.kind == "f" and any(dtype.is_integer() for dtype in dtypes):
        # Whole numbers beside others, or beside missing ones, were converted already.
        for row, item in np.argwhere(np.abs(values) >= EXACT).tolist():
            _check_exact(frame.item(row, item), row, item, labels)
    return values, labels


def _as_numbers(rows: NDArray[Any], labels: tuple[Hashable, ...] | None) -> NDArray[Any]:
    """Objects as float64, and whole numbers as they are if float64 holds them exactly."""
    if rows.dtype.kind in "iu":
        vague = (rows > EXACT) | (rows < -EXACT)
        if vague.any():
            row, item = divmod(int(np.argmax(vague)), rows.shape[1])
            _check_exact(rows[row, item], row, item, labels)
        return rows
    try:
        numbers = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.full(rows.shape, np.nan)
        for (row, item), rank in np.ndenumerate(rows):
            if rank is not None and type(rank).__name__ != "NAType":
                numbers[row, item] = _as_number(rank, row, item, labels)
    if rows.dtype.kind == "O":
        for row, item in np.argwhere(np.abs(numbers) >= EXACT).tolist():
            _check_exact(rows[row, item], row, item, labels)
    return numbers


def _as_number(rank: Any, row: int, item: int, labels: tuple[Hashable, ...] | None) -> float:
    try:
        return float(rank)
    except OverflowError:
        too_large = "has a rank too large for float64"
        raise _mistake(too_large, row, item, labels, "rank the numbers first") from None
    except (TypeError, ValueError) as problem:
        not_a_number = f"has rank {rank!r}, which is not a number: {problem}"
        mistake = _mistake(not_a_number, row, item, labels)
        if isinstance(problem, TypeError):
            # As scikit-learn asks of every estimator.
            raise TypeError(str(mistake)) from None
        raise mistake from None


def _mistake(
    problem: str, row: int, item: int, labels: tuple[Hashable, ...] | None, remedy: Text = ""
) -> InputError:
    """What is wrong at a place of the matrix, with the label of its column."""
    label = item if labels is None else labels[item]
    return InputError(problem, row=row, item=label, remedy=remedy)


def first_repeat(rows: NDArray[Any], columns: NDArray[Any]) -> int | None:
    """The first place, by row and column, that is given again; None if there is none."""
    order = np.lexsort((columns, rows))
    again = np.flatnonzero((np.diff(rows[order]) == 0) & (np.diff(columns[order]) == 0))
    return int(order[again[0] + 1]) if again.size else None


def _check_exact(rank: Any, row: int, item: int, labels: tuple[Hashable, ...] | None) -> None:
    """Refuse a whole number that float64 does not hold: others near it would be the same."""
    if isinstance(rank, int | np.integer) and abs(int(rank)) > EXACT:
        vague = f"has rank {rank}; float64 holds whole numbers up to 2**53 exactly"
        raise _mistake(vague, row, item, labels, "subtract a constant, or rank them first")


def _canonical(matrix: Any, labels: tuple[Hashable, ...] | None) -> csr_array:
    """As CSR with each entry stored once; a second rank for the same item is an error."""
    if matrix.format in ("csr", "csc"):
        check_csr(matrix)
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
        again = first_repeat(*stored.coords)
        row, item = (int(side[again]) for side in stored.coords)
        raise _mistake("has two stored ranks; a ranking ranks each item once", row, item, labels)
    return csr_array(csr)


def _check_ranks(rankings: Rankings, number: str) -> None:
    """Raise unless each rank is finite and ``unranked`` allows for what is missing."""
    strict = rankings.unranked == "error"
    matrix = rankings.sparse
    if matrix is not None:
        wrong = np.flatnonzero(~_good(matrix.data, strict))
        if wrong.size:
            row = int(np.searchsorted(matrix.indptr, wrong[0], side="right")) - 1
            _refuse(rankings, row, int(matrix.indices[wrong[0]]), matrix.data[wrong[0]], number)
        if strict:
            _check_all_stored(rankings, matrix)
        return
    n_rows, n_items = rankings.shape
    if rankings.stored.dtype.kind in "iub" and not rankings.grouped:
        return
    # In blocks, so that no copy of all is made.
    step = block_rows(n_items)
    for start in range(0, n_rows, step):
        block = rankings.read(start, min(start + step, n_rows))
        good = _good(block, strict)
        if not good.all():
            row, item = divmod(int(np.argmin(good)), n_items)
            _refuse(rankings, start + row, item, block[row, item], number)


def _good(values: NDArray[Any], strict: bool) -> NDArray[np.bool_]:
    return np.asarray(np.isfinite(values) if strict else ~np.isinf(values))


def _refuse(rankings: Rankings, row: int, column: int, rank: float, number: str) -> None:
    if np.isnan(rank):
        raise _mistake("is not ranked (NaN)", row, column, rankings.items, _CHOICES)
    infinite = f"has {number} {float(rank)}; a {number} is a finite number"
    remedy = "use NaN, not infinity, for an unranked item"
    raise _mistake(infinite, row, column, rankings.items, remedy)


def _in_file(mistake: InputError, source: Any) -> InputError:
    """The mistake on the line of its file, where a missing rank is an empty cell, not NaN."""
    file = getattr(source, "file", None)
    if file is None:
        return mistake
    line = None if source.lines is None else int(source.lines[mistake.row])
    problem = "is not ranked" if mistake.remedy is _CHOICES else mistake.problem
    return mistake.moved(problem=problem, file=file, line=line)


def _check_all_stored(rankings: Rankings, matrix: csr_array) -> None:
    n_items = rankings.shape[1]
    short = np.flatnonzero(np.diff(matrix.indptr) < n_items)
    if short.size:
        row = int(short[0])
        stored = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
        item = int(np.setdiff1d(np.arange(n_items), stored)[0])
        absent = "is not ranked: a sparse rank matrix has no entry for it"
        raise _mistake(absent, row, item, rankings.items, _CHOICES)


def _agreed_labels(
    items: Sequence[Hashable], own: tuple[Hashable, ...] | None, n_items: int
) -> tuple[Hashable, ...]:
    """The given labels: one for each column, all different, and as those of the data itself."""
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
    if own is not None and labels != own:
        raise InputError(
            "differs from the labels that the rankings have already",
            parameter="items",
            remedy=["leave ", Setting("items"), " out, or select the columns in that order"],
        )
    return labels


def is_collection(X: Any) -> bool:
    """Whether X is a Dask collection.

    >>> is_collection([[1, 2, 3]])
    False
    """
    return type(X).__module__.partition(".")[0] == "dask"


def refuse_collection(X: Any) -> None:
    """Refuse a Dask collection where rankings must be in memory."""
    if is_collection(X):
        raise InputError(
            f"these rankings are a Dask {type(X).__name__}, and must be in memory here",
            remedy="give rankcut.dask.merged(…) of them, which is small, or let "
            "rankcut.dask.map_rows(…) or add_up(…) call this for each block",
        )
