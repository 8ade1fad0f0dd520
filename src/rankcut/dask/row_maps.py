"""Apply a function lazily to each block of rows."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from rankcut.dask.collections import is_lazy_frame, stand_in, whole_rows
from rankcut.dask.tasks import shared
from rankcut.errors import InputError


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
    if is_lazy_frame(X):
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
