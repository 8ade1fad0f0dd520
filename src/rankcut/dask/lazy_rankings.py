"""Parquet data sets of rankings, in blocks that any process can read when needed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankcut.dask.collections import as_array
from rankcut.dask.tasks import shared, task
from rankcut.files.layouts import joined
from rankcut.files.parquet import BlockPlace, BlockReader, block_places
from rankcut.files.roles import TableOptions
from rankcut.rankings.ranking_set import RankingSet


def read_parquet(source: str, *, rows: int = 16384, **options: Any) -> "LazyRankings":
    """The rankings of a Parquet file, or of a directory or pattern of files, in blocks.

    Only the first block is read immediately, to learn the items and columns.

    Parameters
    ----------
    source : str
        A file, a directory of files, or a pattern such as ``votes/*.parquet``.
    rows : int
        Number of rows in a block.
    options
        How to read the table, as in :func:`~rankcut.read_file`.

    Examples
    --------
    >>> import tempfile
    >>> from rankcut import write_file
    >>> from rankcut.datasets import load_lunch
    >>> from rankcut.rankings.ranking_set import RankingSet
    >>> lunch = load_lunch("full")
    >>> path = tempfile.mkdtemp() + "/lunch.parquet"
    >>> write_file(RankingSet(lunch.ranks, tuple(lunch.item_names)), path)
    >>> rankings = read_parquet(path)
    >>> rankings.ranks().shape == lunch.ranks.shape
    True
    """
    places = block_places(source, rows)
    reader, first = BlockReader.like(places, TableOptions(**options))
    return LazyRankings(places, reader, first)


@dataclass(frozen=True, eq=False)
class LazyRankings:
    """Rankings in blocks; only the first is in memory.

    Attributes
    ----------
    places : list
        Where each block is: a file, and rows of it.
    reader : callable
        Reads the :class:`~rankcut.rankings.ranking_set.RankingSet` of a place.
    first : RankingSet
        The first block, whose items all blocks have.
    """

    places: list[BlockPlace]
    reader: BlockReader
    first: RankingSet

    def map(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """A Delayed for each block: ``function(rankings, *arguments)``."""
        call = task(_on_rankings)
        common = shared((self.reader, function, arguments))
        return [call(common, place) for place in self.places]

    def ranks(self, *, expand: bool = False) -> Any:
        """The rank matrix as a Dask array, with a chunk for each block.

        It has one row per row of the files; with ``expand``, a row with a count of c is repeated
        c times.
        """
        # With conditions or counts, the number of rows is unknown.
        known = not (self.reader.options.where or expand)
        sizes = [place.n_rows if known else math.nan for place in self.places]
        ranks = self.map(_ranks, expand)
        return as_array(ranks, sizes, np.empty((0, len(self.first.items))))

    def rows(self, numbers: Sequence[int], sizes: Sequence[int]) -> RankingSet:
        """Some rows, in that order; ``sizes`` are the numbers of rows of the blocks.

        Blocks are read one at a time, and only those with one of the rows.
        """
        starts = np.concatenate([[0], np.cumsum(sizes)])
        homes = np.searchsorted(starts, numbers, side="right") - 1
        found = []
        positions: dict[int, int] = {}
        for home in np.unique(homes).tolist():
            own = [row for row, at in zip(numbers, homes.tolist(), strict=True) if at == home]
            for row in own:
                positions[row] = len(positions)
            found.append(self.reader(self.places[home]).rows(np.array(own) - starts[home]))
        return joined(found).rows([positions[row] for row in numbers])

    def settings(self) -> dict[str, Any]:
        """Everything the rankings depend on, for a manifest."""
        files = []
        for file in dict.fromkeys(place.file for place in self.places):
            about = Path(file).stat()
            files.append([file, about.st_size, about.st_mtime_ns])
        return {
            "files": files,
            "reading": asdict(self.reader.options),
            "block": [place.n_rows for place in self.places],
        }


def _on_rankings(
    common: tuple[BlockReader, Callable[..., Any], tuple[Any, ...]], place: BlockPlace
) -> Any:
    reader, function, arguments = common
    return function(reader(place), *arguments)


def _ranks(rankings: RankingSet, expand: bool) -> Any:
    return rankings.expanded().ranks if expand else rankings.ranks
