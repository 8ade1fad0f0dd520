"""``rankcut classify`` on a cluster: vectors stay in pieces, and sums of them are fitted."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline

from rankcut.cli.classify import title_of
from rankcut.cli.cutting import Cutting
from rankcut.cli.known_values import known_values
from rankcut.cli.pieces import (
    LazyRankings,
    piece_vectors,
    read_vectors,
    transformer_of,
    write_feature_parts,
)
from rankcut.cli.progress import working
from rankcut.cli.reading import Reading
from rankcut.cli.writing import destination
from rankcut.dask import shared_task
from rankcut.estimators.gp.classifier import GPClassifier
from rankcut.estimators.graph_cut import GraphCutFeatures
from rankcut.files.models import SavedModel, write_model
from rankcut.files.parquet import Piece, PieceReader
from rankcut.graphs.item_graph import ItemGraph
from rankcut.reports.block_scores import cross_validate_blocks
from rankcut.reports.classification import Score


class Task(NamedTuple):
    """What to tell from the rankings, and where results go."""

    target: str
    folds: int
    output: str | None
    parts: str | None
    block: int
    restart: bool


def classify_pieces(
    file: str,
    reading: Reading,
    cutting: Cutting,
    graph: ItemGraph | None,
    task: Task,
    client: Any,
) -> tuple[str, list[Score]]:
    """The report's title and its scores."""
    rankings = LazyRankings(*reading.pieces(file, task.block, no_items=[task.target]))
    known_values(rankings.first, task.target, file)
    transformer = transformer_of(rankings, cutting, graph)
    if task.parts is None:
        read: Any = PieceVectors(rankings.reader, transformer, task.target)
        places: list[Any] = list(rankings.pieces)
    else:
        places = write_feature_parts(
            rankings, transformer, cutting, task.parts, client, restart=task.restart
        )
        read = PartVectors([str(item) for item in rankings.first.items], task.target)
    X, y = _lazily(read, places, len(rankings.first.items))
    with working("cross-validation"):
        scores, counts = cross_validate_blocks(
            X, y, name="rankcut, gp", folds=task.folds, seed=cutting.seed
        )
    if task.output is not None:
        with working("learning from all rankings"):
            model = make_pipeline(transformer, GPClassifier().fit(X, y))
        with destination(task.output, ".skops") as place:
            write_model(SavedModel(model, rankings.first.items, task.target), place)
    return title_of(task.target, counts, task.folds), scores


class PieceVectors(NamedTuple):
    """Vectors and classes of a piece; rankings without a class are left out."""

    reader: PieceReader
    transformer: GraphCutFeatures
    target: str

    def __call__(self, piece: Piece) -> tuple[NDArray[Any], NDArray[Any]]:
        """One vector and one class for each ranking, as often as it counts."""
        rankings, features = piece_vectors(self.reader, self.transformer, piece)
        classes = known_values(rankings, self.target, piece.file)
        return _repeated(features, classes, rankings.counts)


class PartVectors(NamedTuple):
    """The same from a file of vectors."""

    items: list[str]
    target: str

    def __call__(self, path: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """One vector and one class for each ranking, as often as it counts."""
        features, table = read_vectors(path, self.items)
        classes = np.array([value or "" for value in table[self.target].to_pylist()], dtype=np.str_)
        counts = np.ones(len(classes), dtype=np.int64)
        if "count" in table.column_names:
            counts = np.array([int(n) for n in table["count"].to_pylist()], dtype=np.int64)
        return _repeated(features, classes, counts)


def _repeated(
    features: NDArray[Any], classes: NDArray[Any], counts: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[Any]]:
    times = np.where(classes != "", counts, 0)
    return np.repeat(features, times, axis=0), np.repeat(classes, times)


def _lazily(read: Any, places: list[Any], n_items: int) -> tuple[Any, Any]:
    import dask.array as da

    call = shared_task(read, nout=2)
    pairs = [call(place) for place in places]
    join = da.concatenate
    X = [da.from_delayed(pair[0], (math.nan, n_items), dtype=np.float64) for pair in pairs]
    y = [da.from_delayed(pair[1], (math.nan,), dtype=np.dtype("U")) for pair in pairs]
    return join(X, allow_unknown_chunksizes=True), join(y, allow_unknown_chunksizes=True)
