"""The rankings nearest to one of them, found block by block."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts.offset_rows import check_centred
from rankcut.dask.lazy_rankings import LazyRankings
from rankcut.dask.tasks import Progress, computed, each_done
from rankcut.dask.vector_blocks import Vectors
from rankcut.errors import InputError
from rankcut.kernels.graph_cut import GraphCutVectors
from rankcut.kernels.nearest import nearest_of
from rankcut.rankings.ranking_set import RankingSet


class Neighbors(NamedTuple):
    """A ranking and its nearest neighbours, itself first."""

    rows: list[int]
    similarities: list[float]
    rankings: RankingSet


def nearest_to(
    rankings: LazyRankings,
    chosen: str,
    features: Any,
    vectors: Vectors,
    *,
    n_neighbors: int = 10,
    file: str | None = None,
    progress: Progress | None = None,
) -> Neighbors:
    """The rankings most similar to one, by the cosine of their vectors.

    Parameters
    ----------
    rankings : LazyRankings
        From :func:`read_parquet`.
    chosen : str
        The name of a ranking, or the number of its row, from 0.
    features : estimator
        Turns ranks into vectors, such as a fitted :class:`~rankcut.GraphCutFeatures`.
    vectors : Vectors
        The vectors of all rankings, from :func:`computed_vectors` or :func:`write_features`.
    n_neighbors : int
        Number of neighbours.
    file : str or None
        Name of the file, for errors.
    progress : callable or None
        Called with the number of blocks done and the number to do.
    """
    (found,) = computed(rankings.map(_find, chosen))
    sizes = [size for size, _ in found]
    row = _row(chosen, found, rankings.first.ids, file)
    vector = features.transform(rankings.rows([row], sizes).ranks)
    check_centred(vector)
    # One more, because the ranking itself is among them unless enough others are equal to it.
    search = _Search(vectors, vector, min(n_neighbors + 1, sum(sizes)))
    best = dict(each_done(search, vectors.places, progress))
    starts = np.cumsum([0, *(best[i][0] for i in range(len(best)))])
    values = np.concatenate([best[i][1] for i in range(len(best))])
    rows = np.concatenate([best[i][2] + starts[i] for i in range(len(best))])
    order = np.lexsort((rows, -values))[: search.k]
    own = float(vector.any())
    shown = itself_first(row, own, rows[order].tolist(), values[order].tolist(), n_neighbors)
    return Neighbors(*shown, rankings.rows(shown[0], sizes))


def itself_first(
    row: int, own: float, rows: list[int], values: list[float], number: int
) -> tuple[list[int], list[float]]:
    """Rows and similarities to show: the ranking itself, then its nearest neighbours.

    >>> itself_first(7, 1.0, [3, 7, 5], [1.0, 1.0, 0.5], 2)
    ([7, 3, 5], [1.0, 1.0, 0.5])
    """
    others = [(i, value) for i, value in zip(rows, values, strict=True) if i != row]
    shown = [(row, own), *others[:number]]
    return [i for i, _ in shown], [value for _, value in shown]


@dataclass(frozen=True, eq=False)
class _Search:
    """Finds the nearest rankings in a block."""

    vectors: Vectors
    query: NDArray[np.float64]
    k: int

    def __call__(self, place: Any) -> tuple[int, NDArray[np.float64], NDArray[np.int64]]:
        """The number of vectors, and the cosines and rows of the nearest."""
        found = self.vectors.read(place).vectors
        left, right = GraphCutVectors(self.query), GraphCutVectors(found)
        k = min(self.k, len(found))
        if k == 0:
            return 0, np.empty(0), np.empty(0, dtype=np.int64)
        values, rows = nearest_of(left, right, k=k, normalize=True, n_jobs=1)
        return len(found), values[0], rows[0]


def find_row(names: Any, chosen: str) -> int | None:
    """The first row with that name."""
    for row, name in enumerate(names or ()):
        if str(name) == chosen:
            return row
    return None


def _find(rankings: RankingSet, chosen: str) -> tuple[int, int | None]:
    """The number of rankings in a block, and the row with that name."""
    return len(rankings), find_row(rankings.ids, chosen)


def _row(chosen: str, found: list[tuple[int, int | None]], names: Any, file: str | None) -> int:
    start = 0
    for size, place in found:
        if place is not None:
            return start + place
        start += size
    return row_number(chosen, start, names, file)


def row_number(chosen: str, n_rows: int, names: Any, file: str | None = None) -> int:
    """The row with this number, for a text that is not a name."""
    if chosen.isdecimal() and int(chosen) < n_rows:
        return int(chosen)
    named = f", nor one called {chosen!r}, such as {names[0]!r}" if names else ""
    raise InputError(
        f"there is no row {chosen}: rows count from 0 to {n_rows - 1}{named}", file=file
    )
