"""CSV, TSV and Excel files: rows of cells under a header."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from rankcut.errors import RankingFileError, Setting, amount
from rankcut.files.streams import (
    Source,
    open_utf8,
    pack_archive,
    read_all,
    reading_as,
    source_name,
    unpack_archive,
)
from rankcut.files.table_columns import Columns
from rankcut.files.tables import (
    BLOCK_CELLS,
    MARKS,
    Declared,
    Header,
    TableBlock,
    TableHeader,
    read_marks,
)
from rankcut.files.text_lines import TextLines, plain_blocks

# The number of a line, and its cells.
_Record: TypeAlias = tuple[int, list[Any]]

_QUOTED = re.compile(r'"[^"]*"')

# A number with a decimal comma, as in files whose cells are separated by semicolons.
_COMMA = re.compile(r"([+-]?[0-9]+),([0-9]{1,2})")


def text_blocks(
    source: Source,
    *,
    delimiter: str | None = ",",
    header: Header = 1,
    rows: int | None = None,
) -> Iterator[TableBlock]:
    """The blocks of a CSV or TSV file, at least one.

    ``header`` is the line with the columns' names, or the first and last of several, whose cells
    are joined; 0 means there is none, and the columns are called 1, 2, …. ``rows`` is how many
    rows a block has. A ``delimiter`` of None is a comma, or a semicolon or tab if the header has
    no comma.
    """
    name = source_name(source)
    with open_utf8(source) as stream:
        lines = TextLines(stream, name)
        delimiter = _delimiter(lines, header) if delimiter is None else delimiter
        table, _ = _titled(_text_records(lines, name, delimiter), name, header, rows)
        lines.give_back()
        careful = _blocks(_text_records(lines, name, delimiter), table)
        while not lines.are_many():
            block = next(careful, None)
            if block is None:
                return
            yield block
        yield from plain_blocks(lines, delimiter, table)
        yield from careful


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
            cells = enumerate(table.iter_rows(values_only=True), start=1)
            records = ((line, _trimmed(map(_plain_cell, row))) for line, row in cells)
            table, record = _titled(records, name, header, rows)
            yield from _blocks(chain([record], records), table, ragged=True)
        finally:
            book.close()


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


def _delimiter(lines: TextLines, header: Header) -> str:
    """The delimiter of a header's last line: a comma, semicolon or tab."""
    last = header if isinstance(header, int) else header[1]
    opening = lines.peek(max(1, min(last, 1000)), 1000)
    bare = _QUOTED.sub("", opening[-1]) if opening else ""
    return next((mark for mark in ",;\t" if mark in bare), ",")


def _text_records(lines: TextLines, name: str, delimiter: str) -> Iterator[_Record]:
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for record in reader:
            if delimiter == ";":
                record = [
                    _COMMA.sub(r"\1.\2", cell) if _COMMA.fullmatch(cell) else cell
                    for cell in record
                ]
            yield lines.number, record
            lines.forget()
    except csv.Error as problem:
        raise RankingFileError(f"not a table: {problem}", name, lines.number) from None


def _titled(
    records: Iterator[_Record], name: str, header: Header, rows: int | None
) -> tuple[TableHeader, _Record]:
    """What the header says about a table, and its first record."""
    first, last = (header, header) if isinstance(header, int) else header
    if first < 0 or last < first or (first == 0 and last > 0):
        raise RankingFileError(
            f"a header is a line, counted from 1, or a first and a last one; got {first}-{last}",
            name,
            remedy=["correct ", Setting("header")],
        )
    titles: list[list[Any]] = []
    line = 0
    for number, (line, record) in enumerate(records, start=1):
        if number < first or not record:
            continue
        if number <= last or (last > 0 and not titles):
            # The names stand on the first line from there on that is not blank.
            if titles or "".join(map(str, record)).strip() or len(record) > 1:
                titles.append(record)
            continue
        width = max(len(record), *map(len, titles)) if titles else len(record)
        names, repeats = _column_names(titles, width)
        names, declared = read_marks(names, name)
        step = rows or max(1, BLOCK_CELLS // width)
        return TableHeader(name, names, repeats, declared, step), (line, record)
    if not titles and 0 < line < first:
        raise RankingFileError(
            f"the file ends before line {first}, where the header should be",
            name,
            max(1, line),
            remedy=["name another line with ", Setting("header")],
        )
    raise RankingFileError(
        "the table has no rows" if titles else "the file is empty", name, max(1, line)
    )


def _blocks(
    records: Iterable[_Record], table: TableHeader, *, ragged: bool = False
) -> Iterator[TableBlock]:
    """Blocks of records; only those of a spreadsheet may leave out empty cells at their end."""
    width = len(table.names)
    pending: list[list[Any]] = []
    lines: list[int] = []
    for line, record in records:
        if not record:
            continue
        if len(record) > width and any(record[width:]):
            raise _uneven(record, table, line)
        if len(record) < width:
            if not ragged:
                raise _uneven(record, table, line)
            record = [*record, *[""] * (width - len(record))]
        pending.append(record[:width])
        lines.append(line)
        if len(pending) == table.step:
            yield table.block(list(zip(*pending, strict=True)), np.array(lines))
            pending, lines = [], []
    if pending:
        yield table.block(list(zip(*pending, strict=True)), np.array(lines))


def _uneven(record: list[Any], table: TableHeader, line: int) -> RankingFileError:
    return RankingFileError(
        f"this row has {amount(len(record), 'cell')}, and the table has "
        f"{amount(len(table.names), 'column')}",
        table.source,
        line,
        remedy="quote cells that contain the delimiter, and leave none out",
    )


def _column_names(titles: list[list[Any]], width: int) -> tuple[list[str], dict[int, int]]:
    """A name for each column, each different, unnamed ones numbered; and which repeat which."""
    if not titles:
        return [str(i) for i in range(1, width + 1)], {}
    names: dict[str, int] = {}
    repeats: dict[int, int] = {}
    for i in range(width):
        parts = (str(title[i]).strip() for title in titles if i < len(title))
        base = " ".join(part for part in parts if part) or f"column {i + 1}"
        name = base
        if base in names:
            repeats[i] = names[base]
            name = f"{base} ({i + 1})"
        while name in names:
            name += "'"
        names[name] = i
    return list(names), repeats


def format_text(columns: Columns, delimiter: str, declared: Declared | None = None) -> bytes:
    """The bytes of a CSV or TSV file, whose header marks the items, as in ``rank: toro``."""
    names = list(columns)
    if declared is not None:
        mark = next(mark for mark, layout in MARKS.items() if layout == declared.layout)
        names = [f"{mark}{name}" if i in declared.items else name for i, name in enumerate(names)]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()
