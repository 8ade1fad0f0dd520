"""What a Dask collection of rows says of itself, and its blocks."""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse


class RowBlocks(NamedTuple):
    """The blocks of a collection, each of some rows with all columns."""

    parts: list[Any]  #: one Delayed for each block
    sizes: tuple[float, ...]  #: how many rows each has; NaN where that is not known


def is_lazy(X: Any) -> bool:
    """Whether X is a Dask collection; Dask is not imported for that.

    >>> is_lazy([[1, 2, 3]])
    False
    """
    return type(X).__module__.partition(".")[0] == "dask"


def is_lazy_frame(X: Any) -> bool:
    """Whether X is a Dask DataFrame."""
    # The class is asked, since a Delayed has whatever attribute one asks for.
    return is_lazy(X) and hasattr(type(X), "map_partitions") and hasattr(type(X), "columns")


def stand_in(X: Any) -> Any:
    """One row with the columns and types of X, in memory; X itself if it is in memory.

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
            "rows come as a Dask array of two dimensions or a Dask DataFrame, not as "
            f"{type(X).__name__}{f' of {X.ndim}' if hasattr(type(X), 'ndim') else ''}"
        )
    n_columns = X.shape[1]
    if math.isnan(n_columns):
        raise ValueError(
            "the Dask array does not know how many columns it has; call its "
            "compute_chunk_sizes() first"
        )
    row = np.ones((1, n_columns), dtype=X.dtype)
    return csr_array(row) if issparse(X._meta) else row


def whole_rows(X: Any) -> Any:
    """The same array, each block with all columns."""
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
