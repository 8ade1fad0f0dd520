"""Parquet data sets on a cluster: rankings by pieces, and their vectors as parts of a directory."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.cli.cluster import over_tasks
from rankcut.cli.cutting import Cutting
from rankcut.cli.similar import no_such_row
from rankcut.estimators.graph_cut import GraphCutFeatures
from rankcut.files.frames import import_pyarrow
from rankcut.files.graph_files import graph_arrays
from rankcut.files.matrix_writing import write_matrix
from rankcut.files.parquet_pieces import Piece, PieceReader
from rankcut.files.parts import Parts
from rankcut.files.ranking_set import RankingSet
from rankcut.files.table_writing import known_columns
from rankcut.files.tables import joined
from rankcut.graphs.item_graph import ItemGraph
from rankcut.kernels.graph_cut import GraphCutVectors
from rankcut.kernels.nearest import nearest_of
from rankcut.lazy import computed, shared, task
from rankcut.lazy.mapping import placed


@dataclass(frozen=True, eq=False)
class LazyRankings:
    """The rankings of a Parquet data set, none of them read but those of the first piece."""

    pieces: list[Piece]
    reader: PieceReader
    first: RankingSet

    def ranks(self) -> Any:
        """The rank matrix as a Dask array, a block for each piece."""
        import dask.array as da

        read = task(_read_ranks)
        common = shared(self.reader)
        # Conditions leave an unknown number of rows.
        known = not self.reader.options.where
        width = len(self.first.items)
        blocks = [
            da.from_delayed(
                read(common, piece), (piece.n_rows if known else math.nan, width), dtype=np.float64
            )
            for piece in self.pieces
        ]
        return da.concatenate(blocks, allow_unknown_chunksizes=True)

    def settings(self) -> dict[str, Any]:
        """All that the rankings depend on, for a manifest."""
        files = []
        for file in dict.fromkeys(piece.file for piece in self.pieces):
            about = Path(file).stat()
            files.append([file, about.st_size, about.st_mtime_ns])
        return {
            "files": files,
            "reading": asdict(self.reader.options),
            "block": [piece.n_rows for piece in self.pieces],
        }


def _read_ranks(reader: PieceReader, piece: Piece) -> Any:
    return reader(piece).ranks


def cutting_settings(cutting: Cutting, graph: ItemGraph | None, normalize: bool) -> dict[str, Any]:
    """All that the vectors depend on besides, for a manifest."""
    return {
        "graph": fingerprint(graph),
        "unranked": cutting.unranked,
        "unlisted_weight": cutting.unlisted,
        "smoothing": cutting.smoothing,
        "seed": cutting.seed,
        "normalize": normalize,
    }


def fingerprint(graph: ItemGraph | None) -> str:
    """A short name of a graph that no other one has."""
    if graph is None:
        return "complete"
    digest = hashlib.sha256()
    for name, array in graph_arrays(graph).items():
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


class PartTask(NamedTuple):
    """A piece, and the file of its vectors."""

    piece: Piece
    path: str


@dataclass(frozen=True, eq=False)
class FeaturePart:
    """Reads a piece, and writes the vectors of its rankings."""

    reader: PieceReader
    transformer: GraphCutFeatures

    def __call__(self, task: PartTask) -> int:
        """How many there were."""
        rankings, features = piece_vectors(self.reader, self.transformer, task.piece)
        names = [str(item) for item in rankings.items]
        write_matrix([(features, known_columns(rankings))], names, task.path, "parquet")
        return len(rankings)


def piece_vectors(
    reader: PieceReader, transformer: GraphCutFeatures, piece: Piece
) -> tuple[RankingSet, NDArray[Any]]:
    """The rankings of a piece and their vectors; errors name the file and the row in it."""
    rankings = reader(piece)
    if len(rankings) == 0:
        return rankings, np.empty(rankings.ranks.shape)

    def place(row: int) -> str:
        return f"{piece.file}: row {reader.row_of_file(piece, row)}"

    return rankings, placed(transformer.transform, rankings.ranks, place)


def transformer_of(
    rankings: LazyRankings, cutting: Cutting, graph: ItemGraph | None, *, normalize: bool = False
) -> GraphCutFeatures:
    """From rankings to vectors, fitted to the items of the first piece."""
    transformer = GraphCutFeatures(
        graph, normalize=normalize, sparse_output=False, **cutting.options(rankings.first)
    )
    transformer.fit(rankings.first.ranks)
    return transformer


def write_feature_parts(
    rankings: LazyRankings,
    transformer: GraphCutFeatures,
    cutting: Cutting,
    folder: str,
    client: Any,
    *,
    restart: bool,
) -> list[str]:
    """The vectors of each piece in a file of its own; those that are there already are kept."""
    settings = {"command": "features", **rankings.settings()}
    settings |= cutting_settings(cutting, transformer.graph, transformer.normalize)
    parts = Parts(folder, "parquet", settings, restart=restart)
    numbers = parts.missing(len(rankings.pieces))
    tasks = [PartTask(rankings.pieces[i], str(parts.path(i).resolve())) for i in numbers]
    if tasks:
        for _ in over_tasks(FeaturePart(rankings.reader, transformer), tasks, client, "features"):
            pass
    return [str(parts.path(i).resolve()) for i in range(len(rankings.pieces))]


def read_vectors(path: str, items: Sequence[str]) -> Any:
    """A part: its vectors, a column for each item, and the whole table."""
    _, pq = import_pyarrow()
    table = pq.read_table(path)
    return np.column_stack([table[item].to_numpy() for item in items]), table


def nearest_in_parts(
    query: NDArray[np.float64], paths: Sequence[str], items: Sequence[str], k: int, client: Any
) -> tuple[list[int], list[float]]:
    """The rows whose vectors are nearest to one, and how near; of equal ones the first."""
    search = NearestInPart(query, list(items), k)
    found = dict(over_tasks(search, list(paths), client, "search"))
    sizes = [found[i][0] for i in range(len(paths))]
    starts = np.cumsum([0, *sizes])
    values = np.concatenate([found[i][1] for i in range(len(paths))])
    rows = np.concatenate([found[i][2] + starts[i] for i in range(len(paths))])
    best = np.lexsort((rows, -values))[:k]
    return rows[best].tolist(), values[best].tolist()


@dataclass(frozen=True, eq=False)
class NearestInPart:
    """The best of one part."""

    query: NDArray[np.float64]
    items: list[str]
    k: int

    def __call__(self, path: str) -> tuple[int, NDArray[np.float64], NDArray[np.int64]]:
        """How many vectors there are, and the cosines and rows of the nearest."""
        vectors = read_vectors(path, self.items)[0]
        left, right = GraphCutVectors(self.query), GraphCutVectors(vectors)
        k = min(self.k, len(vectors))
        values, rows = nearest_of(left, right, k=k, normalize=True, n_jobs=1)
        return len(vectors), values[0], rows[0]


def find_row(rankings: LazyRankings, chosen: str, file: str) -> tuple[int, list[int]]:
    """The row with a name or number, and how many rows each piece has."""
    look = task(_look)
    common = shared(rankings.reader)
    (found,) = computed([look(common, piece, chosen) for piece in rankings.pieces])
    sizes = [size for size, _ in found]
    start = 0
    for size, place in found:
        if place is not None:
            return start + place, sizes
        start += size
    if chosen.isdecimal() and int(chosen) < start:
        return int(chosen), sizes
    raise no_such_row(file, chosen, start, rankings.first.ids or ())


def _look(reader: PieceReader, piece: Piece, chosen: str) -> tuple[int, int | None]:
    """How many rankings a piece has, and where the one of that name is."""
    rankings = reader(piece)
    for row, name in enumerate(rankings.ids or ()):
        if str(name) == chosen:
            return len(rankings), row
    return len(rankings), None


def chosen_rows(rankings: LazyRankings, sizes: list[int], rows: list[int]) -> RankingSet:
    """Some rows, in that order; each piece that has one of them is read, one at a time."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    homes = np.searchsorted(starts, rows, side="right") - 1
    pieces = []
    places: dict[int, int] = {}
    for home in np.unique(homes).tolist():
        own = [row for row, at in zip(rows, homes.tolist(), strict=True) if at == home]
        for row in own:
            places[row] = len(places)
        pieces.append(rankings.reader(rankings.pieces[home]).rows(np.array(own) - starts[home]))
    return joined(pieces).rows([places[row] for row in rows])
