"""Lazy Gram matrices of Dask collections: one block for each pair of blocks of rankings.

Each block of rankings is encoded once, and the encodings are compared in pairs. If X is compared
with itself, only half of the matrix is computed; the other half is its mirror image.
"""

from collections.abc import Hashable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankcut.dask.collections import as_array, map_rows, stand_in
from rankcut.dask.tasks import reduced, shared, task
from rankcut.errors import InputError
from rankcut.kernels.gram import (
    Encoder,
    Encoding,
    fill_gram,
    gram_dtype,
    gram_matrix,
    read_both,
)
from rankcut.kernels.nearest import (
    Nearest,
    all_found,
    best_of,
    keep_nearest,
    nearest_rankings,
    none_yet,
)
from rankcut.parameters import check_count
from rankcut.rankings import Unranked, read_rankings
from rankcut.rankings.collections import for_collections, is_collection

# The encoding of a block without rankings.
_NOTHING = np.empty(0, dtype=object)


@for_collections(gram_matrix)
def lazy_gram(
    X: Any,
    Y: Any,
    encode: Encoder,
    *,
    unranked: Unranked,
    normalize: bool,
    items: Sequence[Hashable] | None,
    dtype: DTypeLike | None,
    out: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """The Gram matrix as a Dask array; one of X and Y may be in memory. Y=None is X again."""
    import dask.array as da

    if out is not None:
        raise InputError(
            "is for rankings in memory",
            parameter="out",
            remedy="write the Gram matrix of a Dask collection with its to_zarr method",
        )
    left, right = read_both(stand_in(X), None if Y is None else stand_in(Y), items, unranked)
    result_dtype = gram_dtype(dtype, None, left)
    # A placeholder row shows at once what the kernel refuses.
    fill_gram(encode(left, result_dtype), None, normalize=False, dtype=result_dtype, progress=False)
    encoded = partial(lazy_encodings, encode=encode, unranked=unranked, dtype=result_dtype)
    rows = encoded(X, items=left.items)
    symmetric = Y is None or Y is X
    columns = rows if symmetric else encoded(Y, items=None if right is None else right.items)
    numbers = [da.from_array(np.arange(part.numblocks[0]), chunks=1) for part in (rows, columns)]
    gram = da.blockwise(
        _compare,
        "ij",
        rows,
        "i",
        columns,
        "j",
        numbers[0],
        "i",
        numbers[1],
        "j",
        symmetric=symmetric,
        normalize=normalize,
        gram_type=result_dtype,
        dtype=result_dtype,
        meta=np.empty((0, 0), dtype=result_dtype),
        align_arrays=False,
    )
    return da.map_blocks(_either, gram, gram.T, dtype=result_dtype) if symmetric else gram


def lazy_encodings(
    X: Any,
    *,
    encode: Encoder,
    unranked: Unranked,
    items: Sequence[Hashable] | None,
    dtype: np.dtype[Any],
) -> Any:
    """A Dask array of one dimension whose blocks are encodings of as many rankings."""
    encoder = partial(_encode, encode, unranked, items, dtype)
    if is_collection(X):
        return map_rows(encoder, X, nothing=_NOTHING)
    encoding = encoder(X)
    return as_array([shared(encoding)], [len(encoding)], _NOTHING)


def _encode(
    encode: Encoder,
    unranked: Unranked,
    items: Sequence[Hashable] | None,
    dtype: np.dtype[Any],
    block: Any,
) -> Encoding:
    rankings = read_rankings(block, items)
    rankings.check(unranked)
    return encode(rankings, dtype)


def _compare(
    left: Any,
    right: Any,
    row: Any,
    column: Any,
    *,
    symmetric: bool,
    normalize: bool,
    gram_type: np.dtype[Any],
) -> NDArray[Any]:
    """One block of the Gram matrix; empty below the diagonal of a symmetric one."""
    if symmetric and column[0] < row[0]:
        return np.empty((0, 0), dtype=gram_type)
    if len(left) == 0 or len(right) == 0:
        return np.empty((len(left), len(right)), dtype=gram_type)
    itself = symmetric and column[0] == row[0]
    return fill_gram(
        left, None if itself else right, normalize=normalize, dtype=gram_type, progress=False
    )


def _either(block: NDArray[Any], mirrored: NDArray[Any]) -> NDArray[Any]:
    return block if block.size or not mirrored.size else mirrored


@for_collections(nearest_rankings)
def lazy_nearest(
    X: Any,
    Y: Any,
    encode: Encoder,
    *,
    k: int,
    unranked: Unranked,
    normalize: bool,
    items: Sequence[Hashable] | None,
    n_jobs: int | None = None,
) -> Nearest:
    """The nearest rankings, from the best of each pair of blocks."""
    check_count(k, "k")
    left, right = read_both(stand_in(X), None if Y is None else stand_in(Y), items, unranked)
    encoded = partial(lazy_encodings, encode=encode, unranked=unranked, dtype=np.dtype(np.float64))
    rows = encoded(X, items=left.items)
    columns = rows if right is None or Y is X else encoded(Y, items=right.items)
    others = list(columns.to_delayed())
    starts = task(_starts)([task(len)(other) for other in others])
    compare, combine = task(_best_of_pair), partial(_combined, k)
    found = task(all_found, nout=2)
    values, numbers = [], []
    for row, block in enumerate(rows.to_delayed()):
        pairs = [
            compare(block, other, (starts, column), k, normalize, columns is rows and column == row)
            for column, other in enumerate(others)
        ]
        best = found(reduced(pairs, combine))
        values.append(best[0])
        numbers.append(best[1])
    return Nearest(
        as_array(values, rows.chunks[0], np.empty((0, k))),
        as_array(numbers, rows.chunks[0], np.empty((0, k), dtype=np.int64)),
    )


def _starts(sizes: list[int]) -> list[int]:
    """The first row of each block."""
    return list(accumulate(sizes, initial=0))


def _best_of_pair(
    left: Any, right: Any, where: tuple[list[int], int], k: int, normalize: bool, itself: bool
) -> Nearest:
    if len(left) == 0 or len(right) == 0:
        return none_yet(len(left), k)
    best = best_of(left, None if itself else right, k, normalize, None)
    starts, number = where
    return Nearest(best.values, np.where(best.rows < 0, -1, best.rows + starts[number]))


def _combined(k: int, parts: list[Nearest]) -> Nearest:
    """The best of several results, in the order of their rows."""
    n_rows = len(parts[0].values)
    best = none_yet(n_rows, k)
    for values, numbers in parts:
        keep_nearest(values, numbers, best, slice(0, n_rows))
    return best
