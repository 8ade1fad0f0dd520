"""Rankings in blocks: Parquet files that any process reads when needed."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankcut.dask.tasks import as_array, shared_task
from rankcut.errors import RankingFileError
from rankcut.files.layouts import JUDGED_ROWS, table_rankings
from rankcut.files.roles import NoSuchRowsError, TableOptions, meeting, roles_of
from rankcut.files.stored_tables import batches, check_columns, opened_parquet, parquet_files
from rankcut.files.tables import BLOCK_CELLS, TableBlock
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


class BlockPlace(NamedTuple):
    """Where a block of rows stands: a Parquet file and some of its row groups."""

    file: str
    groups: tuple[int, ...]
    first_row: int  #: of the file
    n_rows: int
    skipped: int = 0  #: rows of the groups before the first


def block_places(source: str, rows: int) -> list[BlockPlace]:
    """The blocks of a Parquet file, or of all files of a data set: at most ``rows`` rows each.

    Small row groups are read together, and large ones are cut.
    """
    files = parquet_files(source) or [source]
    places: list[BlockPlace] = []
    names: list[str] | None = None
    for file in files:
        with opened_parquet(file) as opened:
            names = names or opened.schema_arrow.names
            check_columns(opened.schema_arrow.names, names, file, files[0])
            sizes = [opened.metadata.row_group(i).num_rows for i in range(opened.num_row_groups)]
        places += _cut(str(Path(file).resolve()), sizes, rows)
    if not places:
        raise RankingFileError("the table has no rows", source)
    return places


def _cut(file: str, sizes: list[int], rows: int) -> Iterator[BlockPlace]:
    first, start = 0, 0
    groups: list[int] = []
    n_rows = 0
    for group, size in enumerate(sizes):
        if groups and n_rows + size > rows:
            yield BlockPlace(file, tuple(groups), start, n_rows)
            start, groups, n_rows = first, [], 0
        if size > rows:
            for skipped in range(0, size, rows):
                n_some = min(rows, size - skipped)
                yield BlockPlace(file, (group,), first + skipped, n_some, skipped)
            start = first + size
        elif size:
            groups.append(group)
            n_rows += size
        first += size
    if groups:
        yield BlockPlace(file, tuple(groups), start, n_rows)


@dataclass(frozen=True, eq=False)
class BlockReader:
    """Reads all blocks of a table in the same way; the first decides which columns are items."""

    options: TableOptions
    nothing: RankingSet  #: the result for a block without matching rows

    @classmethod
    def like(
        cls, places: Sequence[BlockPlace], options: TableOptions
    ) -> "tuple[BlockReader, RankingSet]":
        """A reader for all blocks of a data set, and the rankings of the first that has any."""
        block = next(_blocks(places[0]))
        layout = options.fitting(block)
        if layout not in ("wide", "ratings"):
            raise RankingFileError(
                f"a {layout} table cannot be read in blocks",
                places[0].file,
                remedy="write a wide one first: rankcut convert --to-layout wide",
            )
        blocks = _first_blocks(places, options)
        names = [blocks[0].names[i] for i in roles_of(TableBlock.joined(blocks), options).items]
        settled = replace(options, layout=layout, item_columns=names, columns=None)
        first = table_rankings(iter(blocks[:1]), settled)
        return cls(settled, first.rows(slice(0))), first

    def __call__(self, place: BlockPlace) -> RankingSet:
        """The rankings of a block."""
        try:
            return table_rankings(_blocks(place), self.options)
        except NoSuchRowsError:
            return self.nothing

    def row_of_file(self, place: BlockPlace, row: int) -> int:
        """The row of its file that a ranking of a block is in, from 0."""
        kept = meeting(_blocks(place), self.options.where)
        return int(np.concatenate([block.lines for block in kept])[row]) - 1


def _first_blocks(places: Sequence[BlockPlace], options: TableOptions) -> list[TableBlock]:
    """The first blocks that have rows, until these are enough to judge."""
    found: list[TableBlock] = []
    for last, place in enumerate(places, start=1):
        try:
            found.append(TableBlock.joined(list(meeting(_blocks(place), options.where))))
        except NoSuchRowsError:
            if last == len(places) and not found:
                raise
        if sum(map(len, found)) >= JUDGED_ROWS or (found and place.file != found[0].source):
            break
    if found[-1].source != found[0].source:
        found.pop()
    return found


def _blocks(place: BlockPlace) -> Iterator[TableBlock]:
    """The rows of a block, some at a time; the other rows of its row groups are passed over."""
    with opened_parquet(place.file) as opened:
        step = max(1, min(place.n_rows, BLOCK_CELLS // max(1, len(opened.schema_arrow))))
        start = place.skipped
        for block in batches(opened, place.file, step, place.groups):
            numbers = block.lines - 1
            if numbers[0] >= start + place.n_rows:
                break
            wanted = (numbers >= start) & (numbers < start + place.n_rows)
            if wanted.any():
                kept = block if wanted.all() else block.some(wanted)
                yield replace(kept, lines=kept.lines - start + place.first_row)


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
