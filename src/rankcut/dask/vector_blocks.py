"""Vectors of rankings in blocks: computed when needed, or stored, or as their Gram matrix.

A block of vectors comes with the columns of its rankings, wherever it is read from, so a search or
a classifier can use either. Vectors are stored as parts of a directory, Gram matrices larger than
memory as a Zarr array, stripe by stripe.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts.offset_rows import check_centred
from rankcut.dask.collections import as_array, at_place
from rankcut.dask.lazy_rankings import LazyRankings
from rankcut.dask.tasks import Progress, computed, each_done, import_dask, shared_task
from rankcut.errors import InputError, RankingFileError
from rankcut.files.drafts import Parts
from rankcut.files.matrix_files import MatrixBlock, write_matrix
from rankcut.files.numpy_files import graph_arrays
from rankcut.files.parquet import BlockPlace, BlockReader, import_pyarrow
from rankcut.files.table_columns import known_columns
from rankcut.graphs.item_graph import ItemGraph

# Rows and columns of a chunk.
_SIDE = 2048


class VectorBlock(NamedTuple):
    """Vectors of some rankings, and their other columns."""

    vectors: NDArray[np.floating]
    columns: dict[str, Any]  #: as text, with ``count`` where rankings are counted

    def counts(self) -> NDArray[np.int64]:
        """The number of rankings that each vector represents."""
        if "count" not in self.columns:
            return np.ones(len(self.vectors), dtype=np.int64)
        return np.array([int(count) for count in self.columns["count"]], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Vectors:
    """The vectors of rankings in blocks.

    Attributes
    ----------
    read : callable
        Reads the :class:`VectorBlock` of a place.
    places : list
        Where each block is.
    n_features : int
        The length of a vector.
    """

    read: Callable[[Any], VectorBlock]
    places: list[Any]
    n_features: int

    def labelled(self, target: str) -> tuple[Any, Any]:
        """Dask arrays of vectors and classes, with one row per ranking that has a class."""
        call = shared_task(_Labelled(self.read, target), nout=2)
        pairs = [call(place) for place in self.places]
        sizes = [np.nan] * len(pairs)
        return (
            as_array([pair[0] for pair in pairs], sizes, np.empty((0, self.n_features))),
            as_array([pair[1] for pair in pairs], sizes, np.empty(0, dtype=np.str_)),
        )


def computed_vectors(rankings: LazyRankings, features: Any) -> Vectors:
    """Vectors that are computed whenever they are needed.

    ``features`` turns ranks into vectors, such as a fitted :class:`~rankcut.GraphCutFeatures`.
    """
    read = _Computed(rankings.reader, features)
    return Vectors(read, list(rankings.places), len(rankings.first.items))


def write_features(
    rankings: LazyRankings,
    features: Any,
    directory: str,
    *,
    restart: bool = False,
    progress: Progress | None = None,
) -> Vectors:
    """Write the vectors of each block to a Parquet file in a directory, and return them.

    Parts already written with the same settings are kept, so an interrupted job continues when it
    is run again. It computes on the current Dask client, if there is one.

    Parameters
    ----------
    rankings : LazyRankings
        From :func:`read_parquet`.
    features : estimator
        Turns ranks into vectors, such as a fitted :class:`~rankcut.GraphCutFeatures`.
    directory : str
        A new or empty directory, or the one of an interrupted run.
    restart : bool
        Replace parts that were made with other settings.
    progress : callable or None
        Called with the number of parts done and the number to do.
    """
    settings = {"command": "features", **rankings.settings(), **feature_settings(features)}
    parts = Parts(directory, "parquet", settings, restart=restart)
    paths = [str(parts.path(i).resolve()) for i in range(len(rankings.places))]
    tasks = [(rankings.places[i], paths[i]) for i in parts.missing(len(paths))]
    items = [str(item) for item in rankings.first.items]
    if tasks:
        write = _Written(_Computed(rankings.reader, features), items)
        for _ in each_done(write, tasks, progress):
            pass
    return Vectors(_Kept(items), paths, len(items))


def feature_settings(features: Any) -> dict[str, Any]:
    """Everything the vectors depend on besides the rankings, for a manifest."""
    return {name: _described(value) for name, value in features.get_params(deep=False).items()}


def _described(value: Any) -> Any:
    """A value as JSON, or its fingerprint."""
    if value is None or isinstance(value, str | bool | Real):
        return value
    if isinstance(value, ItemGraph):
        digest = hashlib.sha256()
        for name, array in graph_arrays(value).items():
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]
    if isinstance(value, list | tuple):
        return [_described(each) for each in value]
    import joblib

    return joblib.hash(value)


@dataclass(frozen=True, eq=False)
class _Computed:
    """Reads a block of rankings and computes their vectors."""

    reader: BlockReader
    features: Any

    def __call__(self, place: BlockPlace) -> VectorBlock:
        rankings = self.reader(place)
        if len(rankings) == 0:
            return VectorBlock(np.empty(rankings.ranks.shape), known_columns(rankings))

        def moved(error: InputError, row: int) -> InputError:
            return error.moved(file=place.file, row=self.reader.row_of_file(place, row))

        vectors = at_place(self.features.transform, rankings.ranks, moved)
        check_centred(vectors)
        return VectorBlock(vectors, known_columns(rankings))


@dataclass(frozen=True, eq=False)
class _Written:
    """Writes a block of vectors to the file of a part."""

    read: _Computed
    items: list[str]

    def __call__(self, task: tuple[BlockPlace, str]) -> None:
        place, path = task
        write_matrix([MatrixBlock(*self.read(place))], self.items, {path: "parquet"})


@dataclass(frozen=True, eq=False)
class _Kept:
    """Reads a block of vectors from the file of a part."""

    items: list[str]

    def __call__(self, path: str) -> VectorBlock:
        _, pq = import_pyarrow()
        table = pq.read_table(path)
        vectors = np.column_stack([table[item].to_numpy() for item in self.items])
        known = [name for name in table.column_names if name not in self.items]
        return VectorBlock(vectors, {name: table[name].to_pylist() for name in known})


@dataclass(frozen=True, eq=False)
class _Labelled:
    """Reads vectors and classes of a block, repeated by count; rows without a class are dropped."""

    read: Callable[[Any], VectorBlock]
    target: str

    def __call__(self, place: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        block = self.read(place)
        classes = np.array(
            ["" if value is None else str(value) for value in block.columns[self.target]],
            dtype=np.str_,
        )
        times = np.where(classes != "", block.counts(), 0)
        return np.repeat(block.vectors, times, axis=0), np.repeat(classes, times)


def write_gram(
    rankings: LazyRankings,
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
    rankings : LazyRankings
        From :func:`read_parquet`.
    features : estimator
        Turns ranks into vectors, such as a :class:`~rankcut.GraphCutFeatures`.
    target : str
        Path of the Zarr array.
    restart : bool
        Replace an array that was made with other settings.
    progress : callable or None
        Called with the number of stripes done and the number to do.
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
    ranks = rankings.ranks(expand=True)
    vectors = features.fit(ranks).transform(ranks)
    check_centred(vectors._meta)
    vectors = vectors.persist()
    if np.isnan(vectors.shape[0]):
        vectors = vectors.compute_chunk_sizes()
    vectors = vectors.rechunk((_SIDE, -1)).persist()
    n_rows = vectors.shape[0]
    n_stripes = vectors.numblocks[0]
    missing = parts.missing(n_stripes)
    shape = {"shape": (n_rows, n_rows), "chunks": (_SIDE, _SIDE), "dtype": "float64"}
    if len(missing) == n_stripes:
        array = zarr.create_array(str(place), overwrite=True, **shape)
    else:
        array = zarr.open_array(str(place), mode="r+")
    for n_done, number in enumerate(missing):
        rows = slice(number * _SIDE, min((number + 1) * _SIDE, n_rows))
        stripe = vectors.blocks[number] @ vectors.T
        computed(
            da.store(stripe, array, regions=(rows, slice(0, n_rows)), lock=False, compute=False)
        )
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
