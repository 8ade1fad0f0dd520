"""Workbooks: the sheets of Excel files."""

import io
from collections.abc import Iterable, Iterator
from operator import length_hint
from typing import Any

from rankcut.errors import RankingFileError
from rankcut.files.archives import pack_archive, reading_as, unpack_archive
from rankcut.files.tables import Header, TableBlock
from rankcut.files.text import Source, read_all, source_name, titled_blocks


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
            records = [_trimmed(map(_plain_cell, row)) for row in table.iter_rows(values_only=True)]
        finally:
            book.close()
    left = iter(records)
    yield from titled_blocks(
        left, lambda: len(records) - length_hint(left), name, header, rows, ragged=True
    )


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
