"""Parquet data sets in pieces that can be read on their own, in any order, by any process."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from rankcut.files.columns import Block
from rankcut.files.errors import RankingFileError
from rankcut.files.frames import check_columns, frame_blocks, import_pyarrow, parquet_files
from rankcut.files.ranking_set import RankingSet
from rankcut.files.table_roles import TableOptions
from rankcut.files.tables import table_rankings


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


@dataclass(frozen=True)
class PieceReader:
    """Reads pieces of one table all alike: which columns are items is settled by the first."""

    options: TableOptions

    @classmethod
    def like(cls, first: Piece, options: TableOptions) -> "tuple[PieceReader, RankingSet]":
        """A reader for all pieces of a data set, and the rankings of its first piece."""
        block = next(_blocks(first))
        layout = options.fitting(block.names)
        if layout not in ("wide", "ratings"):
            raise RankingFileError(
                f"the lines of a {layout} table cannot be read in pieces; write it as a wide one "
                "first: rankcut convert --to-layout wide",
                first.file,
            )
        rankings = table_rankings(_blocks(first), options)
        items = tuple(str(item) for item in rankings.items)
        return cls(replace(options, layout=layout, items=items, columns=None)), rankings

    def __call__(self, piece: Piece) -> RankingSet:
        """The rankings of a piece."""
        return table_rankings(_blocks(piece), self.options)


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
