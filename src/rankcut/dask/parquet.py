"""Parquet files of rankings, in blocks that any process can read when needed."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rankcut.dask.collections import as_array
from rankcut.dask.tasks import shared_task
from rankcut.files.layouts import joined
from rankcut.files.parquet import BlockPlace, BlockReader, block_places
from rankcut.files.roles import TableOptions
from rankcut.rankings.ranking_set import RankingSet


def read_parquet(source: str, *, rows: int = 16384, **options: Any) -> "ParquetRankings":
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
    >>> from rankcut import RankingSet, write_file
    >>> from rankcut.datasets import load_lunch
    >>> lunch = load_lunch("full")
    >>> path = tempfile.mkdtemp() + "/lunch.parquet"
    >>> write_file(RankingSet(lunch.ranks, tuple(lunch.item_names)), path)
    >>> read_parquet(path).ranks().shape == lunch.ranks.shape
    True
    """
    places = block_places(source, rows)
    reader, first = BlockReader.like(places, TableOptions(**options))
    return ParquetRankings(places, reader, first)


@dataclass(frozen=True, eq=False)
class ParquetRankings:
    """Rankings in blocks; only the first is in memory.

    Attributes
    ----------
    places : list
        Where each block is: a file, and rows of it.
    reader : callable
        Reads the :class:`~rankcut.RankingSet` of a place.
    first : RankingSet
        The first block, whose items all blocks have.
    """

    places: list[BlockPlace]
    reader: BlockReader
    first: RankingSet

    def ranks(self) -> Any:
        """The rank matrix as a Dask array, with a chunk for each block and a row for each row."""
        # With conditions, the number of rows is unknown.
        known = not self.reader.options.where
        sizes = [place.n_rows if known else math.nan for place in self.places]
        read = shared_task(partial(_ranks, self.reader))
        blocks = [read(place) for place in self.places]
        return as_array(blocks, sizes, np.empty((0, len(self.first.items))))

    def rows(self, numbers: Sequence[int], sizes: Sequence[int]) -> RankingSet:
        """Some rows, in that order; ``sizes`` are the numbers of rows of the blocks.

        Blocks are read one at a time, and only those with one of the rows.
        """
        starts = np.concatenate([[0], np.cumsum(sizes)])
        homes = np.searchsorted(starts, numbers, side="right") - 1
        order = np.argsort(homes, kind="stable")
        wanted = np.asarray(numbers) - starts[homes]
        found = [
            self.reader(self.places[home]).rows(wanted[homes == home]) for home in np.unique(homes)
        ]
        return joined(found).rows(np.argsort(order))

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


def _ranks(reader: BlockReader, place: BlockPlace) -> Any:
    """The ranks of a block."""
    return reader(place).ranks
