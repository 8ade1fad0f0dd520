"""Apply a function to each block of rows, when it is computed."""

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
    """Lazily ``function(block)`` for each block of rows.

    Parameters
    ----------
    function : callable
        Takes some rows, at least one, and returns an array with as many. It is shipped once to
        each worker.
    X : Dask array or DataFrame
        Rows; chunks may be of unknown size.
    names : sequence or None
        Columns of the result: a DataFrame then is mapped to a DataFrame with the same index;
        without names, to an array.
    nothing : array or None
        What the function would return for no rows; None finds out by a row that stands in for X.

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

    def place(row: int) -> str:
        return f"row {row} of block {number}" if np.isnan(start) else f"row {int(start) + row}"

    return placed(task, block, place)


def _on_partition(part: Any, task: Any, meta: Any) -> Any:
    if len(part) == 0:
        return meta

    def place(row: int) -> str:
        return f"row {row} of a partition, whose index is {part.index[row : row + 1].tolist()[0]!r}"

    result = placed(task, part, place)
    if isinstance(meta, np.ndarray):
        return result
    return type(meta)(result, columns=meta.columns, index=part.index)


def placed(function: Callable[[Any], Any], block: Any, place: Callable[[int], str]) -> Any:
    """``function(block)``, whose errors name rows by their places in the whole.

    >>> def refuse(block):
    ...     raise InputError("is not ranked", row=2, item="toro")
    >>> placed(refuse, None, lambda row: f"row {100 + row}")
    Traceback (most recent call last):
        ...
    rankcut.errors.InputError: row 102: item 'toro' is not ranked
    """
    try:
        return function(block)
    except InputError as problem:
        row = problem.line if problem.row is None else problem.row
        if row is None:
            raise
        raise problem.moved(file=place(row), row=None, line=None) from None
