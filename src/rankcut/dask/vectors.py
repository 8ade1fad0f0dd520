"""Vectors of rankings in blocks, computed when needed or stored, and the search among them.

A block of vectors comes with the columns of its rankings, wherever it is read from, so a search or
a classifier can use either. Vectors are stored as the parts of a directory.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts.offset_rows import check_centred
from rankcut.dask.collections import as_array, at_place
from rankcut.dask.parts import BlockPlace, BlockReader, Parts
from rankcut.dask.reading import ParquetRankings
from rankcut.dask.tasks import Progress, each_done, shared_task
from rankcut.errors import InputError
from rankcut.files.matrices import MatrixBlock, graph_arrays, write_matrix
from rankcut.files.stored_tables import import_pyarrow
from rankcut.files.table_columns import known_columns
from rankcut.graphs.item_graph import ItemGraph
from rankcut.kernels.graph_cut import GraphCutVectors
from rankcut.kernels.nearest import nearest_of
from rankcut.similar.estimator import Neighbors, find_row, itself_first, row_number


@dataclass(frozen=True, eq=False)
class VectorBlocks:
    """The vectors of rankings in blocks.

    Attributes
    ----------
    read : callable
        Reads the :class:`~rankcut.files.matrices.MatrixBlock` of a place.
    places : list
        Where each block is.
    n_features : int
        The length of a vector.
    """

    read: Callable[[Any], MatrixBlock]
    places: list[Any]
    n_features: int

    def expanded(self) -> Any:
        """A Dask array of vectors, with one row per ranking."""
        read = shared_task(partial(_expanded, self.read))
        blocks = [read(place) for place in self.places]
        return as_array(blocks, [np.nan] * len(blocks), np.empty((0, self.n_features)))

    def labelled(self, target: str) -> tuple[Any, Any]:
        """Dask arrays of vectors and classes, with one row per ranking that has a class."""
        read = shared_task(partial(_labelled, self.read, target), nout=2)
        pairs = [read(place) for place in self.places]
        sizes = [np.nan] * len(pairs)
        return (
            as_array([pair[0] for pair in pairs], sizes, np.empty((0, self.n_features))),
            as_array([pair[1] for pair in pairs], sizes, np.empty(0, dtype=np.str_)),
        )


def computed_vectors(rankings: ParquetRankings, features: Any) -> VectorBlocks:
    """Vectors that are computed whenever they are needed.

    ``features`` turns ranks into vectors, such as a fitted :class:`~rankcut.GraphCutFeatures`.
    """
    read = partial(_compute, rankings.reader, features)
    return VectorBlocks(read, list(rankings.places), len(rankings.first.items))


def write_features(
    rankings: ParquetRankings,
    features: Any,
    directory: str,
    *,
    restart: bool = False,
    progress: Progress | None = None,
) -> VectorBlocks:
    """Write the vectors of each block to a Parquet file in a directory, and return them.

    Parts already written with the same settings are kept, so an interrupted job continues when it
    is run again. It computes on the current Dask client, if there is one.

    Parameters
    ----------
    rankings : ParquetRankings
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
    write = partial(_write, partial(_compute, rankings.reader, features), items)
    for _ in each_done(write, tasks, progress):
        pass
    return VectorBlocks(partial(_read_part, items), paths, len(items))


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
    if hasattr(value, "get_params"):
        return [type(value).__name__, *_described(list(value.get_params(deep=False).values()))]
    import joblib

    return joblib.hash(value)


def _compute(reader: BlockReader, features: Any, place: BlockPlace) -> MatrixBlock:
    """Read a block of rankings and compute their vectors."""
    rankings = reader(place)
    counts = rankings.counts if rankings.counted else None
    if len(rankings) == 0:
        return MatrixBlock(np.empty(rankings.ranks.shape), known_columns(rankings), counts)

    def moved(error: InputError, row: int) -> InputError:
        return error.moved(file=place.file, row=reader.row_of_file(place, row))

    vectors = at_place(features.transform, rankings.ranks, moved)
    check_centred(vectors)
    return MatrixBlock(vectors, known_columns(rankings), counts)


def _write(
    read: Callable[[BlockPlace], MatrixBlock], items: list[str], task: tuple[BlockPlace, str]
) -> None:
    """Write a block of vectors to the file of a part."""
    place, path = task
    write_matrix([read(place)], items, {path: "parquet"})


def _read_part(items: list[str], path: str) -> MatrixBlock:
    """Read a block of vectors from the file of a part."""
    _, pq = import_pyarrow()
    table = pq.read_table(path)
    vectors = np.column_stack([table[item].to_numpy() for item in items])
    names = [name for name in table.column_names if name not in items]
    known = {name: table[name].to_pylist() for name in names}
    counts = np.array(known["count"], dtype=np.int64) if "count" in known else None
    return MatrixBlock(vectors, known, counts)


def _expanded(read: Callable[[Any], MatrixBlock], place: Any) -> NDArray[np.float64]:
    """The vectors of a block, repeated by count."""
    return read(place).rows()


def _labelled(
    read: Callable[[Any], MatrixBlock], target: str, place: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Vectors and classes of a block, repeated by count; rows without a class are dropped."""
    block = read(place)
    values = block.known[target]
    classes = np.array(["" if value is None else str(value) for value in values], dtype=np.str_)
    times = np.where(classes != "", 1 if block.counts is None else block.counts, 0)
    return np.repeat(block.matrix, times, axis=0), np.repeat(classes, times)


def nearest_to(
    rankings: ParquetRankings,
    chosen: str,
    features: Any,
    vectors: VectorBlocks,
    *,
    n_neighbors: int = 10,
    file: str | None = None,
    progress: Progress | None = None,
) -> Neighbors:
    """The rankings most similar to one, by the cosine of their vectors.

    Parameters
    ----------
    rankings, features, progress
        As in :func:`write_features`.
    chosen : str
        The name of a ranking, or the number of its row, from 0.
    vectors : VectorBlocks
        The vectors of all rankings, from :func:`computed_vectors` or :func:`write_features`.
    n_neighbors : int
        Number of neighbours.
    file : str or None
        Name of the file, for errors.
    """
    named = dict(each_done(partial(_find, rankings.reader, chosen), rankings.places))
    sizes = [named[i][0] for i in range(len(named))]
    starts = np.cumsum([0, *sizes]).tolist()
    rows = [starts[i] + place for i, (_, place) in sorted(named.items()) if place is not None]
    row = rows[0] if rows else row_number(chosen, starts[-1], rankings.first.ids, file)
    vector = features.transform(rankings.rows([row], sizes).ranks)
    check_centred(vector)
    # One more, because the ranking itself is among them unless enough others are equal to it.
    k = min(n_neighbors + 1, starts[-1])
    best = dict(each_done(partial(_search, vectors, vector, k), vectors.places, progress))
    values = np.concatenate([best[i][0] for i in range(len(best))])
    numbers = np.concatenate([best[i][1] + starts[i] for i in range(len(best))])
    order = np.lexsort((numbers, -values))[:k]
    own = float(vector.any())
    shown = itself_first(row, own, numbers[order].tolist(), values[order].tolist(), n_neighbors)
    return Neighbors(*shown, rankings.rows(shown[0], sizes))


def _find(reader: BlockReader, chosen: str, place: BlockPlace) -> tuple[int, int | None]:
    """The number of rankings of a block, and the row with a name."""
    rankings = reader(place)
    return len(rankings), find_row(rankings.ids, chosen)


def _search(
    vectors: VectorBlocks, query: NDArray[np.float64], most: int, place: Any
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The nearest rankings in a block: their cosines and rows."""
    found = vectors.read(place).matrix
    k = min(most, len(found))
    if k == 0:
        return np.empty(0), np.empty(0, dtype=np.int64)
    left, right = GraphCutVectors(query), GraphCutVectors(found)
    values, rows = nearest_of(left, right, k=k, normalize=True, n_jobs=1)
    return values[0], rows[0]
