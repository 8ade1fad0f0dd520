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
from rankcut.dask import shared, task
from rankcut.dask.mapping import placed
from rankcut.estimators.graph_cut import GraphCutFeatures
from rankcut.files.graph_files import graph_arrays
from rankcut.files.matrices import write_matrix
from rankcut.files.parquet import Piece, PieceReader, import_pyarrow
from rankcut.files.parts import Parts
from rankcut.files.table_columns import known_columns
from rankcut.graphs.item_graph import ItemGraph
from rankcut.ranking_set import RankingSet


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
    transformer = cutting.transformer(rankings.first, graph, normalize=normalize)
    return transformer.fit(rankings.first.ranks)


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
