"""Dask collections of rows: columns and types, blocks, and functions of each block of rows."""

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from rankcut.dask.tasks import shared
from rankcut.errors import InputError
from rankcut.rankings.reading import is_collection


class RowBlocks(NamedTuple):
    """The blocks of a collection; each has some of the rows and all columns."""

    parts: list[Any]  #: one Delayed per block
    sizes: tuple[float, ...]  #: number of rows of each, NaN if unknown


def is_frame(X: Any) -> bool:
    """Whether a Dask collection is a DataFrame."""
    # Ask the class, because a Delayed has every attribute.
    return hasattr(type(X), "map_partitions") and hasattr(type(X), "columns")


def stand_in(X: Any) -> Any:
    """A placeholder row with the columns and types of X; X itself if it is in memory.

    >>> import dask.array as da
    >>> stand_in(da.random.random((6, 3), chunks=(2, 3)))
    array([[1., 1., 1.]])
    """
    if not is_collection(X):
        return X
    if is_frame(X):
        return X._meta_nonempty.iloc[:1]
    if not hasattr(type(X), "map_blocks") or X.ndim != 2:
        raise TypeError(
            "expected a Dask array with two dimensions or a Dask DataFrame; got "
            f"{type(X).__name__}{f' with {X.ndim}' if hasattr(type(X), 'ndim') else ''}"
        )
    n_columns = X.shape[1]
    if math.isnan(n_columns):
        raise InputError(
            "the number of columns of the Dask array is unknown",
            remedy="call its compute_chunk_sizes() first",
        )
    row = np.ones((1, n_columns), dtype=X.dtype)
    return csr_array(row) if issparse(X._meta) else row


def whole_rows(X: Any) -> Any:
    """The same array with all columns in each block."""
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def row_blocks(X: Any) -> RowBlocks:
    """The blocks of a Dask array or DataFrame, one Delayed each.

    >>> import dask.array as da
    >>> row_blocks(da.ones((6, 4), chunks=(4, 2))).sizes
    (4, 2)
    """
    if not is_collection(X):
        raise InputError(
            "X is in memory, and what belongs to its rows is a Dask collection",
            remedy="call compute() of that first",
        )
    if not hasattr(type(X), "map_blocks"):
        parts = X.to_delayed()
        return RowBlocks(parts, (math.nan,) * len(parts))
    rows = whole_rows(X) if X.ndim == 2 else X
    return RowBlocks(list(rows.to_delayed().ravel()), rows.chunks[0])


def as_array(blocks: Sequence[Any], sizes: Sequence[float], meta: Any) -> Any:
    """A Dask array from one Delayed per block.

    ``sizes`` are the numbers of rows, NaN if unknown; ``meta`` is an array of the same kind
    without rows.

    >>> from dask import delayed
    >>> as_array([delayed(np.ones)((2, 3))], [2], np.empty((0, 3))).sum().compute().item()
    6.0
    """
    import dask.array as da

    arrays = [
        da.from_delayed(block, (size, *meta.shape[1:]), meta=meta, dtype=meta.dtype)
        for block, size in zip(blocks, sizes, strict=True)
    ]
    return da.concatenate(arrays, allow_unknown_chunksizes=True)


def map_rows(
    function: Callable[[Any], Any],
    X: Any,
    names: Sequence[Hashable] | None = None,
    nothing: Any = None,
) -> Any:
    """``function(block)`` for each block of rows, lazily.

    Parameters
    ----------
    function : callable
        Takes at least one row and returns an array with as many rows. It is sent once to each
        worker.
    X : Dask array or DataFrame
        The rows; chunks may be of unknown size.
    names : sequence or None
        Columns of the result. With names, a DataFrame becomes a DataFrame with the same index;
        without, it becomes an array.
    nothing : array or None
        What the function returns for no rows. None finds out from a placeholder row.

    Examples
    --------
    >>> import dask.array as da
    >>> X = da.from_array(np.arange(6.0).reshape(3, 2), chunks=(2, 2))
    >>> map_rows(lambda rows: rows.sum(axis=1), X).compute()
    array([1., 5., 9.])
    """
    if nothing is None:
        nothing = function(stand_in(X))[:0]
    task = shared(function)
    if is_frame(X):
        return _map_partitions(task, X, nothing, names)
    rows = whole_rows(X)
    chunks = [rows.chunks[0], *((width,) for width in nothing.shape[1:])]
    return rows.map_blocks(
        _on_block,
        task=task,
        nothing=nothing,
        dtype=nothing.dtype,
        chunks=tuple(chunks),
        drop_axis=[] if nothing.ndim == 2 else [1],
        meta=nothing,
    )


def _map_partitions(task: Any, X: Any, nothing: Any, names: Sequence[Hashable] | None) -> Any:
    meta = nothing
    if names is not None:
        import pandas as pd

        meta = pd.DataFrame(nothing, columns=list(names), index=X._meta.index)
    return X.map_partitions(_on_partition, task, meta, meta=meta, enforce_metadata=False)


def _on_block(block: Any, task: Any, nothing: Any, block_info: Any = None) -> Any:
    if block.shape[0] == 0:
        return nothing
    where = block_info[0]
    start = where["array-location"][0][0]
    number = where["chunk-location"][0]

    def moved(error: InputError, row: int) -> InputError:
        if np.isnan(start):
            return error.moved(file=f"block {number}", row=row)
        return error.moved(row=int(start) + row)

    return at_place(task, block, moved)


def _on_partition(part: Any, task: Any, meta: Any) -> Any:
    if len(part) == 0:
        return meta

    def moved(error: InputError, row: int) -> InputError:
        return error.moved(file=f"index {part.index[row : row + 1].tolist()[0]!r}", row=None)

    result = at_place(task, part, moved)
    if isinstance(meta, np.ndarray):
        return result
    return type(meta)(result, columns=meta.columns, index=part.index)


def at_place(
    function: Callable[[Any], Any], block: Any, moved: Callable[[InputError, int], InputError]
) -> Any:
    """``function(block)``, with errors that name rows by their places in the whole collection.

    >>> def refuse(block):
    ...     raise InputError("is not ranked", row=2, item="toro")
    >>> at_place(refuse, None, lambda error, row: error.moved(row=100 + row))
    Traceback (most recent call last):
        ...
    rankcut.errors.InputError: row 102: item 'toro' is not ranked
    """
    try:
        return function(block)
    except InputError as error:
        row = error.line if error.row is None else error.row
        if row is None:
            raise
        raise moved(error, row) from None
