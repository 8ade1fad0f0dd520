"""Tables in other files than text: Parquet files and data sets, Excel workbooks, SPSS, JSON."""

import glob
import io
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import length_hint
from pathlib import Path
from typing import Any

import numpy as np

from rankcut.errors import RankingFileError, needed
from rankcut.files.disk import check_proportion, pack_archive, reading_as, unpack_archive
from rankcut.files.tables import BLOCK_CELLS, Columns, Header, TableBlock, frame_blocks, shown
from rankcut.files.text import Source, decoded, read_all, source_name, titled_blocks


def parquet_blocks(source: Source, *, rows: int | None = None) -> Iterator[TableBlock]:
    """The blocks of a Parquet file or data set, read a batch at a time with PyArrow."""
    files: Sequence[Source] = parquet_files(source) or [source]
    names: list[str] | None = None
    for file in files:
        name = source_name(file)
        block = None
        with opened_parquet(file) as opened:
            step = rows or max(1, BLOCK_CELLS // max(1, len(opened.schema_arrow)))
            for block in batches(opened, name, step):
                names = names or list(block.names)
                check_columns(block.names, names, name, source_name(files[0]))
                yield block
        if block is None:
            raise RankingFileError("the table has no rows", name)


def batches(
    file: Any, name: str, step: int, groups: Sequence[int] | None = None
) -> Iterator[TableBlock]:
    """The blocks of a file, or of some of its row groups."""
    pa, _ = import_pyarrow()
    first = 0
    for batch in file.iter_batches(batch_size=step, row_groups=groups):
        for block in frame_blocks(pa.Table.from_batches([batch]), name, rows=step):
            yield replace(block, lines=block.lines + first)
        first += len(batch)


@contextmanager
def opened_parquet(source: Source) -> Iterator[Any]:
    """The file of PyArrow; whatever it raises is one line that names the file."""
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
        size = os.path.getsize(source) if on_disk else content.getbuffer().nbytes  # type: ignore[arg-type,union-attr]
        check_proportion(file.metadata.num_rows * len(names), size, name)
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
    names = ("pyarrow", "pyarrow.parquet")
    pyarrow, parquet = (needed(name, "Parquet files") for name in names)
    return pyarrow, parquet


def format_parquet(columns: Columns) -> bytes:
    """The bytes of a Parquet file."""
    pa, pq = import_pyarrow()
    sink = io.BytesIO()
    table = pa.table({name: _arrow(pa, cells) for name, cells in columns.items()})
    pq.write_table(table, sink)
    return sink.getvalue()


def _arrow(pa: Any, cells: Sequence[Any]) -> Any:
    present = {type(cell) for cell in cells if cell is not None}
    if present <= {int, float}:
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if len(present) > 1:
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
    return pa.array(cells)


def excel_blocks(
    source: Source, *, sheet: str | None = None, header: Header = 1, rows: int | None = None
) -> Iterator[TableBlock]:
    """The blocks of a sheet of an Excel file; None is the first."""
    openpyxl = needed("openpyxl", "Excel files")
    name = source_name(source)
    content = read_all(source)
    with reading_as("an Excel file (.xlsx)", name):
        checked = io.BytesIO(pack_archive(unpack_archive(content, name)))
        book = openpyxl.load_workbook(checked, read_only=True, data_only=True)
        try:
            if sheet is not None and sheet not in book.sheetnames:
                raise RankingFileError(
                    f"there is no sheet {sheet!r}; the sheets are "
                    f"{', '.join(map(repr, book.sheetnames))}",
                    name,
                )
            sheets = tuple(book.sheetnames)
            table = book[sheet] if sheet is not None else book.worksheets[0]
            records = _records(table)
            others = [] if sheet is not None else [own for own in book.worksheets if own != table]
            codes = _codes([_records(own) for own in others])
        finally:
            book.close()
    left = iter(records)
    for block in titled_blocks(
        left, lambda: len(records) - length_hint(left), name, header, rows, ragged=True
    ):
        yield replace(block, codes=codes, sheets=sheets)


def _records(sheet: Any) -> list[list[Any]]:
    return [_trimmed(map(_plain_cell, row)) for row in sheet.iter_rows(values_only=True)]


def _codes(sheets: Iterable[list[list[Any]]]) -> dict[str, str]:
    """What codes stand for, from sheets with a code and a name in each row."""
    found: dict[str, str] = {}
    for records in sheets:
        pairs = [[shown(cell) for cell in row] for row in records if row]
        if pairs and all(len(pair) == 2 and all(pair) for pair in pairs):
            found |= dict(pairs)
    return found


def _plain_cell(cell: Any) -> Any:
    """Text and numbers as they are; truth values and dates as the text of a CSV file."""
    if cell is None or isinstance(cell, str):
        return cell or ""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return float(cell)
    return str(cell)


def _trimmed(cells: Iterable[Any]) -> list[Any]:
    """The cells of a row without the empty ones at its end; Excel may add any number of them."""
    row = list(cells)
    while row and row[-1] == "":
        row.pop()
    return row


def spss_blocks(source: Source) -> Iterator[TableBlock]:
    """The table of an SPSS file; user-defined missing values are missing."""
    pyreadstat = needed("pyreadstat", "SPSS files")
    name = source_name(source)
    with (
        reading_as("an SPSS file (.sav)", name),
        tempfile.NamedTemporaryFile(suffix=".sav") as copy,
    ):
        # The library opens paths only.
        copy.write(read_all(source))
        copy.flush()
        frame, about = pyreadstat.read_sav(copy.name)
        labels = tuple(label or "" for label in about.column_labels)
        # A damaged file may have names that are no text.
        blocks = list(frame_blocks(frame.rename(columns=str), name))
    for block in blocks:
        yield replace(block, labels=labels, tool="SPSS")


def json_blocks(source: Source) -> Iterator[TableBlock]:
    """The table of a JSON file: a list of records, or one record on each line (JSONL)."""
    name = source_name(source)
    text = decoded(read_all(source)).strip()
    with reading_as("a list of records in JSON", name):
        lines = [line for line in text.split("\n") if line.strip()]
        records = json.loads(text) if text.startswith("[") else list(map(json.loads, lines))
        names = list(dict.fromkeys(key for record in records for key in record))
    if not names:
        raise RankingFileError("the file has no records", name, 1)
    columns: list[Any] = [
        tuple(_plain_cell(record.get(key)) for record in records) for key in names
    ]
    yield TableBlock(name, names, columns, np.arange(len(records)) + 1)
