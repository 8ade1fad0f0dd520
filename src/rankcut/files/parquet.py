"""Parquet files and data sets: read in blocks, in turn or each by its place, and written.

A file that this library wrote says in its metadata which columns are items.
"""

import glob
import io
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.archives import reading_as
from rankcut.files.layouts import JUDGED_ROWS, table_rankings
from rankcut.files.roles import NoSuchRowsError, TableOptions, meeting, roles_of
from rankcut.files.table_columns import Columns
from rankcut.files.tables import BLOCK_CELLS, Declared, TableBlock, frame_blocks
from rankcut.files.text import Source, read_all, source_name
from rankcut.rankings.ranking_set import RankingSet

_KEY = b"rankcut"
# The form of what we write beside the columns; a newer one is refused.
_VERSION = 1


def parquet_blocks(source: Source, *, rows: int | None = None) -> Iterator[TableBlock]:
    """The blocks of a Parquet file or data set, read a batch at a time with PyArrow."""
    files: Sequence[Source] = parquet_files(source) or [source]
    names: list[str] | None = None
    for file in files:
        name = source_name(file)
        block = None
        with _opened(file) as opened:
            step = rows or max(1, BLOCK_CELLS // max(1, len(opened.schema_arrow)))
            for block in _batches(opened, name, step):
                names = names or list(block.names)
                check_columns(block.names, names, name, source_name(files[0]))
                yield block
        if block is None:
            raise RankingFileError("the table has no rows", name)


def _batches(file: Any, name: str, step: int, groups: Sequence[int] | None = None) -> Any:
    pa, _ = import_pyarrow()
    declared = _declared(file.schema_arrow, name)
    first = 0
    for batch in file.iter_batches(batch_size=step, row_groups=groups):
        for block in frame_blocks(pa.Table.from_batches([batch]), name, rows=step):
            lines = block.lines + first
            yield replace(block, lines=lines, declared=declared or block.declared)
        first += len(batch)


def _declared(schema: Any, name: str) -> Declared | None:
    """The columns that are items, if the file says so; missing ones are ignored."""
    content = (schema.metadata or {}).get(_KEY)
    if content is None:
        return None
    told = json.loads(content)
    if told["version"] > _VERSION:
        raise RankingFileError(
            "was written by a newer version of rankcut", name, remedy="install that version"
        )
    place = {column: i for i, column in enumerate(schema.names)}
    return Declared(told["layout"], [place[item] for item in told["items"] if item in place])


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    name = source_name(source)
    _, pq = import_pyarrow()
    on_disk = isinstance(source, str | os.PathLike)
    if on_disk and not Path(source).exists():  # type: ignore[arg-type]
        raise RankingFileError("there is no such file", name)
    content = source if on_disk else io.BytesIO(read_all(source))
    with reading_as("a Parquet file", name), pq.ParquetFile(content) as file:
        names = file.schema_arrow.names
        if len(set(names)) < len(names):
            twice = next(column for i, column in enumerate(names) if column in names[:i])
            raise RankingFileError(f"two columns are called {twice!r}", name)
        yield file


def check_columns(names: Sequence[str], expected: Sequence[str], file: str, first: str) -> None:
    """Refuse a file of a data set whose columns are not those of the first one."""
    if list(names) != list(expected):
        odd = sorted(set(names) ^ set(expected)) or ["their order"]
        raise RankingFileError(f"its columns differ from those of {first}: see {odd[0]!r}", file)


def parquet_files(source: Source) -> list[str] | None:
    """The files of a Parquet data set: a directory, or a pattern such as ``votes/*.parquet``.

    None for anything else. Files whose names begin with a dot or an underscore do not count.
    """
    if not isinstance(source, str | os.PathLike):
        return None
    place = Path(source)
    if place.is_dir():
        found = [str(file) for file in place.rglob("*.parquet") if file.name[0] not in "._"]
        what = "there is no Parquet file in this directory"
    elif glob.has_magic(os.fspath(source)) and not place.exists():
        found = [file for file in glob.glob(os.fspath(source)) if Path(file).name[0] not in "._"]
        what = "no file has a name like this"
    else:
        return None
    if not found:
        raise RankingFileError(what, os.fspath(source))
    return sorted(found)


def import_pyarrow() -> tuple[Any, Any]:
    """PyArrow and its Parquet module, or a line that says how to get them."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ModuleNotFoundError(
            'Parquet files need PyArrow: pip install "rankcut[parquet]"'
        ) from None
    return pyarrow, pyarrow.parquet


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
        with _opened(file) as opened:
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
    with _opened(place.file) as opened:
        step = max(1, min(place.n_rows, BLOCK_CELLS // max(1, len(opened.schema_arrow))))
        start = place.skipped
        for block in _batches(opened, place.file, step, place.groups):
            numbers = block.lines - 1
            if numbers[0] >= start + place.n_rows:
                break
            wanted = (numbers >= start) & (numbers < start + place.n_rows)
            if wanted.any():
                kept = block if wanted.all() else block.some(wanted)
                yield replace(kept, lines=kept.lines - start + place.first_row)


def format_parquet(columns: Columns, declared: Declared | None = None) -> bytes:
    """The bytes of a Parquet file, which says which columns are items."""
    pa, pq = import_pyarrow()
    sink = io.BytesIO()
    table = pa.table({name: _arrow(pa, cells) for name, cells in columns.items()})
    if declared is not None:
        items = [table.schema.names[i] for i in declared.items]
        told = {"version": _VERSION, "layout": declared.layout, "items": items}
        table = table.replace_schema_metadata({_KEY: json.dumps(told).encode()})
    pq.write_table(table, sink)
    return sink.getvalue()


def _arrow(pa: Any, cells: Sequence[Any]) -> Any:
    present = {type(cell) for cell in cells if cell is not None}
    if present <= {int, float}:
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if len(present) > 1:
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
    return pa.array(cells)
