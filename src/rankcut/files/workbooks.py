"""Tables in other files than text: Excel workbooks, SPSS, JSON."""

import io
import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import length_hint
from typing import Any

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.archives import pack_archive, reading_as, unpack_archive
from rankcut.files.tables import Header, TableBlock, frame_blocks, shown
from rankcut.files.text import Source, decoded, read_all, source_name, titled_blocks


def excel_blocks(
    source: Source, *, sheet: str | None = None, header: Header = 1, rows: int | None = None
) -> Iterator[TableBlock]:
    """The blocks of a sheet of an Excel file; None is the first."""
    try:
        import openpyxl
    except ImportError:
        raise ModuleNotFoundError(
            'Excel files need openpyxl: pip install "rankcut[excel]"'
        ) from None
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
        yield replace(block, codes=codes)


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
    try:
        import pyreadstat
    except ImportError:
        raise ModuleNotFoundError(
            'SPSS files need pyreadstat: pip install "rankcut[spss]"'
        ) from None
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
    for block in frame_blocks(frame, name):
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
