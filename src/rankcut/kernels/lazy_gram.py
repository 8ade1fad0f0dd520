"""Gram matrices of Dask collections: a block for each pair of blocks of rankings, when computed.

Each block of rankings is encoded once, and the encodings are compared in pairs. X with itself is
compared once for each pair, and the other half of the matrix is its mirror image.
"""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankcut.kernels.gram import Encoder, Encoding, fill_gram, gram_dtype, read_both
from rankcut.lazy import is_lazy, map_rows, shared, stand_in
from rankcut.rankings import Unranked, read_rankings

# What stands where a block of rankings has none.
_NOTHING = np.empty(0, dtype=object)


def lazy_gram(
    X: Any,
    Y: Any,
    encode: Encoder,
    *,
    unranked: Unranked,
    normalize: bool,
    items: Sequence[Hashable] | None,
    dtype: DTypeLike | None,
) -> Any:
    """A Dask array of k; one of X and Y may be in memory. Y is None: X with itself."""
    import dask.array as da

    left, right = read_both(stand_in(X), None if Y is None else stand_in(Y), items, unranked)
    result_dtype = gram_dtype(dtype, None, left)
    # A row that stands in for X tells at once what a kernel refuses.
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
    """A Dask array of one dimension whose blocks are encodings, as long as they are."""
    import dask.array as da

    encoder = partial(_encode, encode, unranked, items, dtype)
    if is_lazy(X):
        return map_rows(encoder, X, nothing=_NOTHING)
    encoding = encoder(X)
    return da.from_delayed(shared(encoding), (len(encoding),), meta=_NOTHING)


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
    """One block of the Gram matrix; below the diagonal of a symmetric one, nothing."""
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
