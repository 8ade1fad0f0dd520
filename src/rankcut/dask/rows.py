"""Collections of rows: their blocks, and functions of each row or of each pair of rows."""

import math
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array, issparse

from rankcut.dask.tasks import shared
from rankcut.errors import InputError
from rankcut.kernels.ranking_kernel import RankingKernel, gram_dtype, read_both
from rankcut.rankings import Rankings, read_rankings
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
    """A placeholder row with the columns and types of X; X itself if it is in memory."""
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
    """An array with all columns in each block."""
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def row_blocks(X: Any) -> RowBlocks:
    """The blocks of a Dask array or DataFrame, one Delayed each."""
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
    """``function(block)`` for each block of rows, lazily: vectors, or predictions.

    Parameters
    ----------
    function : callable
        Takes a block of at least one row, such as the ``transform`` or ``predict`` of something
        fitted, and returns an array with as many rows. It is sent once to each worker.
    X : Dask array or DataFrame
        Rows, in blocks of any size, which Dask need not know.
    names : sequence or None
        Columns of the result: a DataFrame becomes one with the same index. None: an array.
    nothing : array or None
        What the function returns for no rows. None finds out from a placeholder row.

    Examples
    --------
    >>> import dask.array as da
    >>> from rankcut import GraphCutFeatures
    >>> ranks = np.array([[1.0, 2, 3], [2, 1, 3], [2, 1, 3]])
    >>> vectors = GraphCutFeatures().fit(ranks)
    >>> map_rows(vectors.transform, da.from_array(ranks, chunks=(2, -1))).compute()
    array([[ 2.,  0., -2.],
           [ 0.,  2., -2.],
           [ 0.,  2., -2.]])
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
    """``function(block)``, with errors that name rows by their places in the whole collection."""
    try:
        return function(block)
    except InputError as error:
        row = error.line if error.row is None else error.row
        if row is None:
            raise
        raise moved(error, row) from None


def gram(kernel: RankingKernel, X: Any, Y: Any = None, *, dtype: DTypeLike | None = None) -> Any:
    """The Gram matrix of a kernel as a Dask array: a block for each pair of blocks.

    Parameters
    ----------
    kernel : kernel object
        Such as a :class:`~rankcut.KendallKernel`.
    X, Y : Dask array or DataFrame, or one of them in memory
        Rank matrices. If Y is None, X is compared with itself, each pair of blocks once.
    dtype : float32, float64 or None
        As in the kernel's method ``gram``.

    Examples
    --------
    >>> import dask.array as da
    >>> from rankcut import KendallKernel
    >>> ranks = da.from_array(np.array([[1, 2, 3], [2, 1, 3], [3, 2, 1]]), chunks=(2, -1))
    >>> gram(KendallKernel(), ranks).compute().round(2)
    array([[ 1.  ,  0.33, -1.  ],
           [ 0.33,  1.  , -0.33],
           [-1.  , -0.33,  1.  ]])
    """
    import dask.array as da

    other = None if Y is None or Y is X else stand_in(Y)
    first, second = read_both(stand_in(X), other, kernel.items, kernel.unranked)
    result_type = gram_dtype(dtype, None, first)
    read = partial(_read, kernel.items, first.unranked)
    rows = _each_block(read, X)
    columns = rows if second is None else _each_block(read, Y)
    numbers = [da.from_array(np.arange(side.numblocks[0]), chunks=1) for side in (rows, columns)]
    matrix = da.blockwise(
        _compare,
        "ij",
        *(shared(kernel), None, rows, "i", columns, "j", numbers[0], "i", numbers[1], "j"),
        symmetric=second is None,
        dtype=result_type,
        result_type=result_type,
        meta=np.empty((0, 0), dtype=result_type),
        align_arrays=False,
    )
    if second is not None:
        return matrix
    return da.map_blocks(_upper_or_mirrored, matrix, matrix.T, dtype=result_type)


# A block without rankings.
_NOTHING = np.empty(0, dtype=object)


def _read(items: Sequence[Hashable] | None, unranked: Any, block: Any) -> Rankings:
    return read_rankings(block, items, unranked=unranked)


def _each_block(read: Callable[[Any], Rankings], X: Any) -> Any:
    """A Dask array of one dimension whose blocks are as many rankings."""
    if is_collection(X):
        return map_rows(read, X, nothing=_NOTHING)
    rankings = read(X)
    return as_array([shared(rankings)], [rankings.shape[0]], _NOTHING)


def _compare(
    kernel: RankingKernel,
    left: Any,
    right: Any,
    row: Any,
    column: Any,
    *,
    symmetric: bool,
    result_type: np.dtype[Any],
) -> NDArray[Any]:
    """One block of the Gram matrix; empty below the diagonal of a symmetric one."""
    if symmetric and column[0] < row[0]:
        return np.empty((0, 0), dtype=result_type)
    if 0 in (left.shape[0], right.shape[0]):
        return np.empty((left.shape[0], right.shape[0]), dtype=result_type)
    itself = symmetric and column[0] == row[0]
    return kernel.gram(left, None if itself else right, dtype=result_type)


def _upper_or_mirrored(block: NDArray[Any], mirrored: NDArray[Any]) -> NDArray[Any]:
    # One of no rankings and some has no entries either, but a shape.
    return block if any(block.shape) else mirrored
