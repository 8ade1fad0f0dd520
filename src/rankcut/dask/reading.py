"""Rankings in blocks: Parquet files that any process reads when needed, and long tables."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse as sp

from rankcut.dask.collections import as_array, at_place, stand_in
from rankcut.dask.parts import BlockPlace, BlockReader, block_places
from rankcut.dask.tasks import computed, reduced, shared, shared_task, task
from rankcut.errors import InputError
from rankcut.files.layouts import joined
from rankcut.files.roles import TableOptions
from rankcut.rankings import object_array
from rankcut.rankings.long_tables import LongRanks, from_long
from rankcut.rankings.ranking_set import RankingSet
from rankcut.rankings.reading import for_collections


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


@for_collections(from_long)
def lazy_from_long(
    table: Any,
    *,
    ranking: str = "ranking",
    item: str = "item",
    items: Sequence[Hashable] | None = None,
    **options: Any,
) -> LongRanks:
    """:func:`~rankcut.from_long` for a Dask DataFrame: one block of rankings per partition."""
    options = {"rank": None, "score": None, "sparse": False, **options}
    options = {"ranking": ranking, "item": item, **options}
    together = table.index.name == ranking and table.known_divisions
    lines = table.reset_index() if table.index.name == ranking else table
    from_long(stand_in(lines), **options)  # says what is wrong with the columns
    if items is None:
        labels = task(_labels)
        parts = [labels(part) for part in lines[item].to_delayed()]
        items = computed(reduced(parts, _first_labels))[0]
    if not together:
        value = options["rank"] or options["score"]
        lines = lines[[ranking, item, value]].shuffle(on=ranking)
    read = task(_read_lines, nout=2)
    about = shared({**options, "items": list(items)})
    blocks = [read(part, about, not together) for part in lines.to_delayed()]
    nothing = sp.csr_array((0, len(items))) if options["sparse"] else np.empty((0, len(items)))
    sizes = [math.nan] * len(blocks)
    return LongRanks(
        as_array([block[0] for block in blocks], sizes, nothing),
        as_array([block[1] for block in blocks], sizes, np.empty(0, dtype=object)),
        list(items),
    )


def _labels(column: Any) -> list[Hashable]:
    return list(dict.fromkeys(column.tolist()))


def _first_labels(parts: list[list[Hashable]]) -> list[Hashable]:
    return list(dict.fromkeys(label for part in parts for label in part))


def _read_lines(
    lines: Any, options: dict[str, Any], moved: bool
) -> tuple[Any, NDArray[np.object_]]:
    """The rankings of a partition, sorted by id if their lines are in no order."""
    if len(lines) == 0:
        n_items = len(options["items"])
        nothing = sp.csr_array((0, n_items)) if options["sparse"] else np.empty((0, n_items))
        return nothing, np.empty(0, dtype=object)
    if moved:
        lines = lines.sort_values(options["ranking"], kind="stable")
    names = lines[options["ranking"]]

    def at_ranking(error: InputError, line: int) -> InputError:
        return error.moved(file=f"ranking {names.iloc[[line]].tolist()[0]!r}", line=None)

    found = at_place(partial(from_long, **options), lines, at_ranking)
    return found.ranks, object_array(found.ids)
