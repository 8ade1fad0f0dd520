"""Tables in other files than text: Parquet files and data sets, Excel workbooks, SPSS, JSON."""

import glob
import io
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from operator import length_hint
from pathlib import Path
from typing import Any

import numpy as np

from rankcut.errors import RankingFileError, needed
from rankcut.files.disk import check_proportion, pack_archive, reading_as, unpack_archive
from rankcut.files.records import single_records
from rankcut.files.tables import (
    BLOCK_CELLS,
    Cells,
    Columns,
    Header,
    TableBlock,
    frame_blocks,
    shown,
)
from rankcut.files.text import Source, decoded, read_all, source_name, titled_blocks

# Letters of a sheet's name at most, and characters that neither it nor a cell may hold, as Excel
# has them.
_SHEET_NAME = 31
_NO_SHEET = re.compile(r"[\\/*?:\[\]]")
_DATE = re.compile(rb"\d{4}-\d\d-\d\dT[\d:]+Z")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


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
        files = [str(file) for file in place.rglob("*.parquet") if file.name[0] not in "._"]
        what = "there is no Parquet file in this directory"
    elif glob.has_magic(os.fspath(source)) and not place.exists():
        files = [file for file in glob.glob(os.fspath(source)) if Path(file).name[0] not in "._"]
        what = "no file has a name like this"
    else:
        return None
    if not files:
        raise RankingFileError(what, os.fspath(source))
    return sorted(files)


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


def _arrow(pa: Any, cells: Any) -> Any:
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "f":
        return pa.array(cells, mask=np.isnan(cells))
    listed = cells.tolist() if isinstance(cells, np.ndarray) else cells
    present = {type(cell) for cell in listed} - {type(None)}
    if present <= {int, float}:
        return pa.array([None if cell is None else float(cell) for cell in listed], pa.float64())
    if len(present) > 1:
        return pa.array([None if cell is None else str(cell) for cell in listed], pa.string())
    return pa.array(listed)


def format_excel(sheets: Mapping[str, Columns]) -> bytes:
    """The bytes of an Excel workbook with a sheet for each table; text is never a formula."""
    openpyxl = needed("openpyxl", "Excel files")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, columns in sheets.items():
        sheet = book.create_sheet(_NO_SHEET.sub(" ", name)[:_SHEET_NAME])
        for i, row in enumerate([list(columns), *zip(*columns.values(), strict=True)], start=1):
            for j, value in enumerate(row, start=1):
                cell = sheet.cell(i, j)
                if isinstance(value, bool | int | float) and isfinite(value):
                    cell.value = value
                elif value is not None and value == value:
                    # Characters that Excel has no place for would make a damaged file.
                    cell.value = _UNPRINTABLE.sub("", str(value))
                    cell.data_type = "s"
    sink = io.BytesIO()
    book.save(sink)
    # Written again without dates, so that the same tables are the same bytes.
    members = unpack_archive(sink.getvalue(), "the workbook")
    about = "docProps/core.xml"
    members[about] = _DATE.sub(b"2000-01-01T00:00:00Z", members[about])
    return pack_archive(members)


def excel_blocks(
    source: Source, *, sheet: str | None = None, header: Header = None, rows: int | None = None
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
            others = (
                [] if sheet is not None else [each for each in book.worksheets if each != table]
            )
            codes = _codes([_records(each) for each in others])
        finally:
            book.close()
    rest = iter(records)
    for block in titled_blocks(
        rest, lambda: len(records) - length_hint(rest), name, header, rows, ragged=True
    ):
        yield replace(block, codes=codes, sheets=sheets)


def _records(sheet: Any) -> list[list[Any]]:
    return [_trimmed(map(_plain_cell, row)) for row in sheet.iter_rows(values_only=True)]


def _codes(sheets: Iterable[list[list[Any]]]) -> dict[str, str]:
    """What codes stand for, from sheets with a code and a name in each row."""
    codes: dict[str, str] = {}
    for records in sheets:
        pairs = [[shown(cell) for cell in row] for row in records if row]
        if pairs and all(len(pair) == 2 and all(pair) for pair in pairs):
            codes |= dict(pairs)
    return codes


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
        frame, details = pyreadstat.read_sav(copy.name)
        about = tuple(label or "" for label in details.column_labels)
        # A damaged file may have names that are no text.
        blocks = list(frame_blocks(frame.rename(columns=str), name))
    for block in blocks:
        yield replace(block, about=about, tool="SPSS")


def _are_records(data: Any) -> bool:
    return (
        isinstance(data, list) and bool(data) and all(isinstance(record, dict) for record in data)
    )


def _json_records(text: str) -> Any:
    """Records, one on each line or in a list; or the one object that a file holds."""
    if text.startswith("["):
        return json.loads(text)
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        records = list(map(json.loads, lines))
    except json.JSONDecodeError:
        return json.loads(text)
    single = len(records) == 1 and any(isinstance(value, list) for value in records[0].values())
    return records[0] if single else records


def json_blocks(source: Source) -> Iterator[TableBlock]:
    """The table of a JSON file: a list of records, or one record on each line (JSONL)."""
    name = source_name(source)
    text = decoded(read_all(source)).strip()
    with reading_as("a list of records in JSON", name):
        records = _json_records(text)
        if isinstance(records, dict):
            block = single_records(records, name)
            if block is not None:
                yield block
                return
            records = next(filter(_are_records, records.values()), [])
        if not _are_records(records):
            raise RankingFileError("the file has no records", name, 1)
        flat = [dict(_flattened(record)) for record in _in_lines(records)]
        names = list(dict.fromkeys(key for record in flat for key in record))
    columns: list[Any] = [
        Cells.of(_plain_cell(record.get(key)) for record in flat) for key in names
    ]
    yield TableBlock(name, names, columns, np.arange(len(flat)) + 1)


def _in_lines(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records, or a line for each entry where each has a list of records, beyond two sides.

    >>> _in_lines([{"voter": "x", "ranking": [{"item": item} for item in "abc"]}])[0]
    {'voter': 'x', 'ranking': 1, 'item': 'a'}
    """
    lists = {
        key
        for record in records
        for key, value in record.items()
        if _are_records(value) and len(value) > 2
    }
    if len(lists) != 1:
        return records
    (each,) = lists
    return [
        {**record, each: number}
        | {f"{each} {key}" if key in record else key: value for key, value in entry.items()}
        for number, record in enumerate(records, start=1)
        for entry in record.get(each) or ()
    ]


def _flattened(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a record by name: ``{"teams": [{"name": "a"}]}`` has "teams 1 name".

    >>> dict(_flattened({"id": 7, "teams": [{"name": "a"}, {"name": "b"}]}))
    {'id': 7, 'teams 1 name': 'a', 'teams 2 name': 'b'}
    """
    if isinstance(value, dict):
        parts: Any = value.items()
    elif isinstance(value, list):
        parts = enumerate(value, start=1)
    else:
        yield name, value
        return
    for key, part in parts:
        yield from _flattened(part, f"{name} {key}".strip())
