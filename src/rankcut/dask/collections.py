"""Dask collections of rows: their columns and types, and their blocks."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from rankcut.errors import InputError


class RowBlocks(NamedTuple):
    """The blocks of a collection; each has some of the rows and all columns."""

    parts: list[Any]  #: one Delayed per block
    sizes: tuple[float, ...]  #: number of rows of each, NaN if unknown


def is_lazy(X: Any) -> bool:
    """Whether X is a Dask collection; does not import Dask.

    >>> is_lazy([[1, 2, 3]])
    False
    """
    return type(X).__module__.partition(".")[0] == "dask"


def is_lazy_frame(X: Any) -> bool:
    """Whether X is a Dask DataFrame."""
    # Ask the class, because a Delayed has every attribute.
    return is_lazy(X) and hasattr(type(X), "map_partitions") and hasattr(type(X), "columns")


def stand_in(X: Any) -> Any:
    """A placeholder row with the columns and types of X; X itself if it is in memory.

    >>> import dask.array as da
    >>> stand_in(da.random.random((6, 3), chunks=(2, 3)))
    array([[1., 1., 1.]])
    """
    if not is_lazy(X):
        return X
    if is_lazy_frame(X):
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
