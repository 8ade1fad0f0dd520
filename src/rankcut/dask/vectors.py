"""Vectors of rankings in blocks: computed when needed, or stored as parts of a directory.

A block of vectors comes with the columns of its rankings, wherever it is read from, so a search or
a classifier can use either.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.dask.collections import as_array
from rankcut.dask.rankings import LazyRankings
from rankcut.dask.row_maps import at_place
from rankcut.dask.tasks import Progress, each_done, shared_task
from rankcut.errors import InputError
from rankcut.features.offset_rows import check_centred
from rankcut.files.graph_files import graph_arrays
from rankcut.files.matrix_files import MatrixBlock, write_matrix
from rankcut.files.parquet import Piece, PieceReader, import_pyarrow
from rankcut.files.parts import Parts
from rankcut.files.table_columns import known_columns
from rankcut.graphs.item_graph import ItemGraph


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

    reader: PieceReader
    features: Any

    def __call__(self, place: Piece) -> VectorBlock:
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

    def __call__(self, task: tuple[Piece, str]) -> None:
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
