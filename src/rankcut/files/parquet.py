"""Frames and Parquet files as blocks of columns."""

import glob
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.blocks import (
    BLOCK_CELLS,
    Block,
    NoSuchRowsError,
    frame_blocks,
    meeting,
)
from rankcut.files.layouts import table_rankings
from rankcut.files.roles import TableOptions
from rankcut.files.streams import Source, read_all, source_name
from rankcut.files.table_columns import Columns
from rankcut.ranking_set import RankingSet


def parquet_blocks(source: Source, *, rows: int | None = None) -> Iterator[Block]:
    """The blocks of a Parquet file, read a batch at a time with PyArrow."""
    name = source_name(source)
    files = parquet_files(source)
    if files is not None:
        yield from _blocks_of_files(files, rows)
        return
    pa, pq = import_pyarrow()
    opened = source if isinstance(source, str) or hasattr(source, "__fspath__") else None
    try:
        file = pq.ParquetFile(io.BytesIO(read_all(source)) if opened is None else opened)
        with file:
            width = max(1, len(file.schema_arrow))
            step = rows or max(1, BLOCK_CELLS // width)
            first = 1
            for batch in file.iter_batches(batch_size=step):
                for block in frame_blocks(pa.Table.from_batches([batch]), name):
                    yield Block(name, block.names, block.columns, block.lines + first - 1)
                first += len(batch)
    except FileNotFoundError:
        raise RankingFileError("there is no such file", name) from None
    except (pa.ArrowException, OSError) as problem:
        raise RankingFileError(f"not a Parquet file: {problem}", name) from None
    if first == 1:
        raise RankingFileError("the table has no rows", name)


def _blocks_of_files(files: list[str], rows: int | None) -> Iterator[Block]:
    names: list[str] | None = None
    for file in files:
        for block in parquet_blocks(file, rows=rows):
            names = names or list(block.names)
            check_columns(block.names, names, file, files[0])
            yield block


def check_columns(names: Sequence[str], expected: Sequence[str], file: str, first: str) -> None:
    """Refuse a file of a data set whose columns are not those of the first one."""
    if list(names) != list(expected):
        odd = sorted(set(names) ^ set(expected)) or ["their order"]
        raise RankingFileError(f"its columns are not those of {first}: see {odd[0]!r}", file)


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


class Piece(NamedTuple):
    """Some row groups of a Parquet file, one after the other."""

    file: str
    groups: tuple[int, ...]
    first_row: int  #: of the file
    n_rows: int


def parquet_pieces(source: str, rows: int) -> list[Piece]:
    """Cut a Parquet file, or all files of a data set, into pieces of about ``rows`` rows.

    A row group is never cut, so pieces are larger where row groups are.
    """
    files = parquet_files(source) or [source]
    pieces: list[Piece] = []
    names: list[str] | None = None
    for file in files:
        with _opened(file) as opened:
            names = names or opened.schema_arrow.names
            check_columns(opened.schema_arrow.names, names, file, files[0])
            sizes = [opened.metadata.row_group(i).num_rows for i in range(opened.num_row_groups)]
        pieces += _cut(str(Path(file).resolve()), sizes, rows)
    if not pieces:
        raise RankingFileError("the table has no rows", source)
    return pieces


def _cut(file: str, sizes: list[int], rows: int) -> Iterator[Piece]:
    first, start = 0, 0
    groups: list[int] = []
    n_rows = 0
    for group, size in enumerate(sizes):
        if groups and n_rows + size > rows:
            yield Piece(file, tuple(groups), start, n_rows)
            start, groups, n_rows = first, [], 0
        if size:
            groups.append(group)
            n_rows += size
        first += size
    if groups:
        yield Piece(file, tuple(groups), start, n_rows)


@dataclass(frozen=True, eq=False)
class PieceReader:
    """Reads pieces of one table all alike: which columns are items is settled by the first."""

    options: TableOptions
    nothing: RankingSet  #: what a piece is of which no row is wanted

    @classmethod
    def like(
        cls, pieces: Sequence[Piece], options: TableOptions
    ) -> "tuple[PieceReader, RankingSet]":
        """A reader for all pieces of a data set, and the rankings of the first that has any."""
        block = next(_blocks(pieces[0]))
        layout = options.fitting(block.names)
        if layout not in ("wide", "ratings"):
            raise RankingFileError(
                f"the lines of a {layout} table cannot be read in pieces; write it as a wide one "
                "first: rankcut convert --to-layout wide",
                pieces[0].file,
            )
        rankings = _first_rankings(pieces, options)
        items = tuple(str(item) for item in rankings.items)
        settled = replace(options, layout=layout, items=items, columns=None)
        return cls(settled, rankings.rows(slice(0))), rankings

    def __call__(self, piece: Piece) -> RankingSet:
        """The rankings of a piece."""
        try:
            return table_rankings(_blocks(piece), self.options)
        except NoSuchRowsError:
            return self.nothing

    def row_of_file(self, piece: Piece, row: int) -> int:
        """Where a ranking of a piece stands in its file, from 0."""
        kept = meeting(_blocks(piece), self.options.where)
        return int(np.concatenate([block.lines for block in kept])[row]) - 1


def _first_rankings(pieces: Sequence[Piece], options: TableOptions) -> RankingSet:
    for piece in pieces[:-1]:
        try:
            return table_rankings(_blocks(piece), options)
        except NoSuchRowsError:
            continue
    return table_rankings(_blocks(pieces[-1]), options)


def _blocks(piece: Piece) -> Iterator[Block]:
    with _opened(piece.file) as opened:
        table = opened.read_row_groups(list(piece.groups))
    for block in frame_blocks(table, piece.file):
        yield replace(block, lines=block.lines + piece.first_row)


def _opened(file: str) -> Any:
    pa, pq = import_pyarrow()
    try:
        return pq.ParquetFile(file)
    except FileNotFoundError:
        raise RankingFileError("there is no such file", file) from None
    except (pa.ArrowException, OSError) as problem:
        raise RankingFileError(f"not a Parquet file: {problem}", file) from None


def format_parquet(columns: Columns) -> bytes:
    """The bytes of a Parquet file."""
    pa, pq = import_pyarrow()
    sink = io.BytesIO()
    table = {name: _arrow(pa, cells) for name, cells in columns.items()}
    pq.write_table(pa.table(table), sink)
    return sink.getvalue()


def _arrow(pa: Any, cells: Sequence[Any]) -> Any:
    present = {type(cell) for cell in cells if cell is not None}
    if present <= {int, float}:
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if len(present) > 1:
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
    return pa.array(cells)
