"""``rankcut similar`` in Parquet data sets: pieces, which are not in memory together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcut.cli.cluster import over_tasks
from rankcut.cli.cutting import Cutting
from rankcut.cli.pieces import LazyRankings, read_vectors, transformer_of, write_feature_parts
from rankcut.cli.reading import Reading
from rankcut.cli.similar import itself_first, no_such_row
from rankcut.dask import computed, shared, task
from rankcut.estimators.kernel_objects import GraphCutKernel
from rankcut.files.layouts import joined
from rankcut.files.parquet import Piece, PieceReader
from rankcut.graphs.item_graph import ItemGraph
from rankcut.kernels.graph_cut import GraphCutVectors
from rankcut.kernels.nearest import nearest_of
from rankcut.ranking_set import RankingSet


class KeptVectors(NamedTuple):
    """Where vectors are kept, whether anew, and who computes those that are missing."""

    folder: str
    restart: bool
    client: Any


def search_pieces(
    file: str,
    reading: Reading,
    cutting: Cutting,
    to: str,
    number: int,
    block: int,
    kept: KeptVectors | None,
) -> tuple[list[int], list[float], RankingSet]:
    """The row itself and the nearest ones: their numbers, similarities and rankings."""
    graph = cutting.item_graph()
    rankings = LazyRankings(*reading.pieces(file, block))
    row, sizes = _find_row(rankings, to, file)
    query = _chosen_rows(rankings, sizes, [row]).ranks
    # One more, since the ranking itself is among them unless as many others are the same.
    k = min(number + 1, sum(sizes))
    if kept is not None:
        own, rows, values = _nearest_kept(rankings, query, graph, cutting, k, kept)
    else:
        own, rows, values = _nearest(rankings, query, graph, cutting, k)
    shown, likeness = itself_first(row, own, rows, values, number)
    return shown, likeness, _chosen_rows(rankings, sizes, shown)


# The kernel of a ranking with itself, and the rows and values of those nearest to it.
_Found: TypeAlias = tuple[float, list[int], list[float]]


def _nearest(
    rankings: LazyRankings,
    query: NDArray[np.float64],
    graph: ItemGraph | None,
    cutting: Cutting,
    k: int,
) -> _Found:
    """From vectors that are made of all rankings for this search."""
    kernel = GraphCutKernel(graph, normalize=True, **cutting.options(rankings.first))
    own = float(kernel(query)[0, 0])
    values, rows = computed(*kernel.nearest(query, rankings.ranks(), k=k))
    return own, rows[0].tolist(), values[0].tolist()


def _nearest_kept(
    rankings: LazyRankings,
    query: NDArray[np.float64],
    graph: ItemGraph | None,
    cutting: Cutting,
    k: int,
    kept: KeptVectors,
) -> _Found:
    """From vectors in files, of which those that are missing are made."""
    transformer = transformer_of(rankings, cutting, graph)
    paths = write_feature_parts(
        rankings, transformer, cutting, kept.folder, kept.client, restart=kept.restart
    )
    vector = transformer.transform(query)
    items = [str(item) for item in rankings.first.items]
    return float(vector.any()), *_nearest_in_parts(vector, paths, items, k, kept.client)


def _nearest_in_parts(
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


def _find_row(rankings: LazyRankings, chosen: str, file: str) -> tuple[int, list[int]]:
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


def _chosen_rows(rankings: LazyRankings, sizes: list[int], rows: list[int]) -> RankingSet:
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
