"""Gram matrices of Dask collections: one block for each pair of blocks of rankings.

Each block of rankings is encoded once, and the encodings are compared in pairs. If X is compared
with itself, only half of the matrix is computed; the other half is its mirror image. Those of
Parquet files, larger than memory, are Zarr arrays that are written stripe by stripe.
"""

from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankcut.dask.collections import as_array, map_rows, stand_in
from rankcut.dask.parts import Parts
from rankcut.dask.reading import ParquetRankings
from rankcut.dask.tasks import Progress, computed, import_dask, reduced, shared, task
from rankcut.dask.vectors import computed_vectors, feature_settings
from rankcut.errors import InputError, RankingFileError
from rankcut.kernels.gram import Encoder, Encoding, fill_gram, gram_dtype, read_both
from rankcut.kernels.nearest import Nearest, all_found, best_of, keep_nearest, none_yet
from rankcut.kernels.ranking_kernel import FLOAT, RankingKernel
from rankcut.parameters import SIDE, check_count
from rankcut.rankings import Rankings, read_rankings
from rankcut.rankings.reading import for_collections, is_collection

# The encoding of a block without rankings.
_NOTHING = np.empty(0, dtype=object)


@for_collections(RankingKernel.gram)
def lazy_gram(
    kernel: RankingKernel,
    X: Any,
    Y: Any = None,
    *,
    out: Any = None,
    dtype: DTypeLike | None = None,
) -> Any:
    """The Gram matrix as a Dask array; one of X and Y may be in memory. Y=None is X again."""
    import dask.array as da

    if out is not None:
        raise InputError(
            "is for rankings in memory",
            parameter="out",
            remedy="write the Gram matrix of a Dask collection with its to_zarr method",
        )
    encode = kernel.encoder()
    left, right = _placeholders(kernel, X, Y)
    result_dtype = gram_dtype(dtype, None, left)
    # A placeholder row shows at once what the kernel refuses.
    fill_gram(encode(left, result_dtype), None, normalize=False, dtype=result_dtype)
    rows = _encodings(kernel, X, left, encode, result_dtype)
    columns = rows if right is None else _encodings(kernel, Y, right, encode, result_dtype)
    numbers = [da.from_array(np.arange(part.numblocks[0]), chunks=1) for part in (rows, columns)]
    gram = da.blockwise(
        _compare,
        "ij",
        *(rows, "i", columns, "j", numbers[0], "i", numbers[1], "j"),
        symmetric=right is None,
        normalize=kernel.to_scale,
        gram_type=result_dtype,
        dtype=result_dtype,
        meta=np.empty((0, 0), dtype=result_dtype),
        align_arrays=False,
    )
    return gram if right is not None else da.map_blocks(_either, gram, gram.T, dtype=result_dtype)


def _placeholders(kernel: RankingKernel, X: Any, Y: Any) -> tuple[Rankings, Rankings | None]:
    """The columns of both, checked; None if Y is None or X."""
    other = None if Y is None or Y is X else stand_in(Y)
    return read_both(stand_in(X), other, kernel.items, kernel.unranked)


def _encodings(
    kernel: RankingKernel, X: Any, known: Rankings, encode: Encoder, dtype: np.dtype[Any]
) -> Any:
    """A Dask array of one dimension whose blocks are encodings of as many rankings."""
    encoder = partial(_encode, kernel, known.items, encode, dtype)
    if is_collection(X):
        return map_rows(encoder, X, nothing=_NOTHING)
    encoding = encoder(X)
    return as_array([shared(encoding)], [len(encoding)], _NOTHING)


def _encode(
    kernel: RankingKernel, items: Any, encode: Encoder, dtype: np.dtype[Any], block: Any
) -> Encoding:
    rankings = read_rankings(block, items, unranked=kernel.unranked)
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
    return fill_gram(left, None if itself else right, normalize=normalize, dtype=gram_type)


def _either(block: NDArray[Any], mirrored: NDArray[Any]) -> NDArray[Any]:
    return block if block.size or not mirrored.size else mirrored


@for_collections(RankingKernel.nearest)
def lazy_nearest(kernel: RankingKernel, X: Any, Y: Any = None, *, k: int = 10) -> Nearest:
    """The nearest rankings, from the best of each pair of blocks."""
    check_count(k, "k")
    encode = kernel.encoder()
    left, right = _placeholders(kernel, X, Y)
    rows = _encodings(kernel, X, left, encode, FLOAT)
    columns = rows if right is None else _encodings(kernel, Y, right, encode, FLOAT)
    others = list(columns.to_delayed())
    starts = task(_starts)([task(len)(other) for other in others])
    compare, combine = task(_best_of_pair), partial(_combined, k)
    found = task(all_found, nout=2)
    best = []
    for row, block in enumerate(rows.to_delayed()):
        pairs = [
            compare(
                block, other, (starts, column), k, kernel.to_scale, right is None and column == row
            )
            for column, other in enumerate(others)
        ]
        best.append(found(reduced(pairs, combine)))
    return Nearest(
        as_array([values for values, _ in best], rows.chunks[0], np.empty((0, k))),
        as_array(
            [numbers for _, numbers in best], rows.chunks[0], np.empty((0, k), dtype=np.int64)
        ),
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


def write_gram(
    rankings: ParquetRankings,
    features: Any,
    target: str,
    *,
    restart: bool = False,
    progress: Progress | None = None,
) -> None:
    """Write the inner products of the vectors of all rankings to a Zarr array.

    A ranking with a count of c has c rows and columns. The vectors, which are small compared with
    the matrix, stay in memory. Stripes already written with the same settings are kept, so an
    interrupted job continues when it is run again. The finished stripes are listed in a directory
    beside the array, with ``.parts`` added to its name.

    Parameters
    ----------
    rankings, features, restart, progress
        As in :func:`write_features`, with stripes for parts.
    target : str
        Path of the Zarr array.
    """
    zarr = _import_zarr()
    import dask.array as da

    place = Path(target.rstrip("/")).resolve()
    done = place.with_name(f"{place.name}.parts")
    if place.exists() and not done.is_dir():
        raise RankingFileError(
            f"exists, but not {done.name}, which records the rows that are done; name another "
            "file, or remove this one",
            target,
        )
    settings = {"command": "gram", **rankings.settings(), **feature_settings(features)}
    del settings["block"]  # the matrix is the same whatever the blocks
    parts = Parts(done, "done", settings, restart=restart)
    if not place.exists():
        parts.clear()
    features.fit(rankings.ranks())
    vectors = computed_vectors(rankings, features).expanded().persist().compute_chunk_sizes()
    vectors = vectors.rechunk((SIDE, -1)).persist()
    n_rows = vectors.shape[0]
    n_stripes = vectors.numblocks[0]
    missing = parts.missing(n_stripes)
    shape = {"shape": (n_rows, n_rows), "chunks": (SIDE, SIDE), "dtype": "float64"}
    if len(missing) == n_stripes:
        array = zarr.create_array(str(place), overwrite=True, **shape)
    else:
        array = zarr.open_array(str(place), mode="r+")
    for n_done, number in enumerate(missing):
        rows = slice(number * SIDE, min((number + 1) * SIDE, n_rows))
        stripe = vectors.blocks[number] @ vectors.T
        region = (rows, slice(0, n_rows))
        computed(da.store(stripe, array, regions=region, lock=False, compute=False))
        parts.path(number).touch()
        if progress is not None:
            progress(n_done + 1, len(missing))


def _import_zarr() -> Any:
    import_dask()
    try:
        import zarr
    except ImportError:
        raise ModuleNotFoundError('Zarr arrays need zarr: pip install "rankcut[dask]"') from None
    return zarr
