"""CSV, TSV and Excel files: rows of cells under a header."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np

from rankcut.errors import RankingFileError, Setting, amount
from rankcut.files.blocks import BLOCK_CELLS, MARKS, Block, Declared, Header, read_marks
from rankcut.files.streams import (
    Source,
    open_text,
    pack_archive,
    read_all,
    reading_as,
    source_name,
    unpack_archive,
)
from rankcut.files.table_columns import Columns

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
) -> Iterator[Block]:
    """The blocks of a CSV or TSV file, at least one.

    ``header`` is the line with the columns' names, or the first and last of several, whose cells
    are joined; 0 means there is none, and the columns are called 1, 2, …. ``rows`` is how many
    rows a block has. A ``delimiter`` of None is a comma, or a semicolon or tab if the header has
    no comma.
    """
    name = source_name(source)
    with open_text(source) as text:
        yield from _parsed(_text_records(text, name, delimiter, header), name, header, rows)


def excel_blocks(
    source: Source, *, sheet: str | None = None, header: Header = 1, rows: int | None = None
) -> Iterator[Block]:
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
            yield from _parsed(records, name, header, rows, ragged=True)
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


def _text_records(
    text: io.TextIOBase, name: str, delimiter: str | None, header: Header
) -> Iterator[_Record]:
    last = header if isinstance(header, int) else header[1]
    opening = list(islice(text, max(1, min(last, 1000))))
    while opening and not opening[-1].strip() and len(opening) < 1000:
        line = text.readline()
        if not line:
            break
        opening.append(line)
    if delimiter is None:
        bare = _QUOTED.sub("", opening[-1]) if opening else ""
        delimiter = next((mark for mark in ",;\t" if mark in bare), ",")
    lines = _without_zeros(chain(opening, text), name)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for record in reader:
            if delimiter == ";":
                record = [
                    _COMMA.sub(r"\1.\2", cell) if _COMMA.fullmatch(cell) else cell
                    for cell in record
                ]
            yield reader.line_num, record
    except csv.Error as problem:
        raise RankingFileError(f"not a table: {problem}", name, reader.line_num) from None


def _without_zeros(lines: Iterable[str], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            raise RankingFileError(
                "contains a zero byte, which text never does",
                name,
                number,
                remedy="the file is damaged, or of another format",
            )
        yield line


def _parsed(
    records: Iterator[_Record],
    name: str,
    header: Header,
    rows: int | None,
    *,
    ragged: bool = False,
) -> Iterator[Block]:
    """Blocks of records; only those of a spreadsheet may leave out empty cells at their end."""
    names: list[str] = []
    repeats: dict[int, int] = {}
    declared: Declared | None = None
    pending: list[list[Any]] = []
    lines: list[int] = []
    first, last = (header, header) if isinstance(header, int) else header
    if first < 0 or last < first or (first == 0 and last > 0):
        raise RankingFileError(
            f"a header is a line, counted from 1, or a first and a last one; got {first}-{last}",
            name,
            remedy=["correct ", Setting("header")],
        )
    titles: list[list[Any]] = []
    any_block = False
    line = 0
    for number, (line, record) in enumerate(records, start=1):
        if number < first or not record:
            continue
        if number <= last or (last > 0 and not titles):
            # The names stand on the first line from there on that is not blank.
            if titles or "".join(map(str, record)).strip() or len(record) > 1:
                titles.append(record)
            continue
        if not names:
            width = max(len(record), *map(len, titles)) if titles else len(record)
            names, repeats = _column_names(titles, width)
            names, declared = read_marks(names, name)
            step = rows or max(1, BLOCK_CELLS // width)
        if len(record) > len(names) and any(record[len(names) :]):
            raise _uneven(record, names, name, line)
        if len(record) < len(names):
            if not ragged:
                raise _uneven(record, names, name, line)
            record = [*record, *[""] * (len(names) - len(record))]
        pending.append(record[: len(names)])
        lines.append(line)
        if len(pending) == step:
            columns = list(zip(*pending, strict=True))
            yield Block(name, names, columns, np.array(lines), repeats, declared)
            any_block = True
            pending, lines = [], []
    if pending:
        columns = list(zip(*pending, strict=True))
        yield Block(name, names, columns, np.array(lines), repeats, declared)
    elif not any_block:
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


def _uneven(record: list[Any], names: list[str], name: str, line: int) -> RankingFileError:
    return RankingFileError(
        f"this row has {amount(len(record), 'cell')}, and the table has "
        f"{amount(len(names), 'column')}",
        name,
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
