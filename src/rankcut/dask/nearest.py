"""The rankings nearest to one of them, found block by block."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts.offset_rows import check_centred
from rankcut.dask.parquet import ParquetRankings
from rankcut.dask.tasks import Progress, each_done
from rankcut.dask.vectors import VectorBlocks
from rankcut.files.parquet import BlockPlace, BlockReader
from rankcut.kernels.graph_cut import GraphCutVectors
from rankcut.kernels.nearest import nearest_of
from rankcut.similar.neighbors import Neighbors, find_row, itself_first, row_number


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
    rankings : ParquetRankings
        From :func:`read_parquet`.
    chosen : str
        The name of a ranking, or the number of its row, from 0.
    features : estimator
        Turns ranks into vectors, such as a fitted :class:`~rankcut.GraphCutFeatures`.
    vectors : VectorBlocks
        The vectors of all rankings, from :func:`computed_vectors` or :func:`write_features`.
    n_neighbors : int
        Number of neighbours.
    file : str or None
        Name of the file, for errors.
    progress : callable or None
        Called with the number of blocks done and the number to do.
    """
    named = dict(each_done(_Find(rankings.reader, chosen), rankings.places))
    sizes = [named[i][0] for i in range(len(named))]
    starts = np.cumsum([0, *sizes]).tolist()
    rows = [starts[i] + place for i, (_, place) in sorted(named.items()) if place is not None]
    row = rows[0] if rows else row_number(chosen, starts[-1], rankings.first.ids, file)
    vector = features.transform(rankings.rows([row], sizes).ranks)
    check_centred(vector)
    # One more, because the ranking itself is among them unless enough others are equal to it.
    k = min(n_neighbors + 1, starts[-1])
    best = dict(each_done(_Search(vectors, vector, k), vectors.places, progress))
    values = np.concatenate([best[i][0] for i in range(len(best))])
    numbers = np.concatenate([best[i][1] + starts[i] for i in range(len(best))])
    order = np.lexsort((numbers, -values))[:k]
    own = float(vector.any())
    shown = itself_first(row, own, numbers[order].tolist(), values[order].tolist(), n_neighbors)
    return Neighbors(*shown, rankings.rows(shown[0], sizes))


@dataclass(frozen=True, eq=False)
class _Find:
    """Counts the rankings of a block, and finds the row with a name."""

    reader: BlockReader
    chosen: str

    def __call__(self, place: BlockPlace) -> tuple[int, int | None]:
        rankings = self.reader(place)
        return len(rankings), find_row(rankings.ids, self.chosen)


@dataclass(frozen=True, eq=False)
class _Search:
    """Finds the nearest rankings in a block: their cosines and rows."""

    vectors: VectorBlocks
    query: NDArray[np.float64]
    k: int

    def __call__(self, place: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        found = self.vectors.read(place).matrix
        k = min(self.k, len(found))
        if k == 0:
            return np.empty(0), np.empty(0, dtype=np.int64)
        left, right = GraphCutVectors(self.query), GraphCutVectors(found)
        values, rows = nearest_of(left, right, k=k, normalize=True, n_jobs=1)
        return values[0], rows[0]
