"""CSV, TSV and Excel files: rows of cells under a header."""

import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from rankcut.errors import RankingFileError, Setting, amount
from rankcut.files.plain_rows import plain_blocks
from rankcut.files.streams import (
    AT_ONCE,
    Source,
    decoded_part,
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

# The number of a line, and its cells.
_Record: TypeAlias = tuple[int, list[Any]]

# Shorter files are read before the compiled loop is loaded.
_SHORT = 1 << 20

_QUOTED = re.compile(r'"[^"]*"')

# A number with a decimal comma, as in files whose cells are separated by semicolons.
_COMMA = re.compile(r"([+-]?[0-9]+),([0-9]{1,2})")


class TextLines(Iterator[str]):
    """The lines of a text, with their line breaks.

    Attributes
    ----------
    number : int
        How many lines were taken so far.
    """

    def __init__(self, stream: io.BufferedReader, name: str) -> None:
        self.number = 0
        self._stream = stream
        self._name = name
        self._waiting: deque[bytes] = deque()
        self._taken: list[bytes] = []
        self._size = 0

    def __next__(self) -> str:
        line = self._next_line()
        if not line:
            raise StopIteration
        self._taken.append(line)
        self.number += 1
        if b"\0" in line:
            raise RankingFileError(
                "contains a zero byte, which text never does",
                self._name,
                self.number,
                remedy="the file is damaged, or of another format",
            )
        return decoded_part(line, "utf-8-sig" if self.number == 1 else "utf-8")

    def _next_line(self) -> bytes:
        if not self._waiting:
            line = self._stream.readline()
            self._size += len(line)
            # A carriage return by itself ends a line too.
            self._waiting.extend(line.splitlines(keepends=True))
        return self._waiting.popleft() if self._waiting else b""

    def peek(self, least: int, most: int) -> list[str]:
        """The next lines: as many as asked for, and if the last is blank up to one that is not."""
        lines: list[bytes] = []
        while len(lines) < least or (not lines[-1].strip() and len(lines) < most):
            line = self._next_line()
            if not line:
                break
            lines.append(line)
        self._waiting.extendleft(reversed(lines))
        return list(map(decoded_part, lines))

    def forget(self) -> None:
        """Forget the lines taken so far: they will not be given back."""
        self._taken.clear()

    def give_back(self) -> None:
        """Give back the lines that were not forgotten."""
        self._waiting.extendleft(reversed(self._taken))
        self.number -= len(self._taken)
        self._taken.clear()

    def are_many(self) -> bool:
        """Whether the text, as far as is known, is long enough to load a compiled loop for it."""
        if self._size < _SHORT and self._stream.seekable():
            place = self._stream.tell()
            self._size = self._stream.seek(0, io.SEEK_END)
            self._stream.seek(place)
        return self._size >= _SHORT

    def take_bytes(self) -> bytes:
        """The next bytes, as many as can be had without waiting for more; none at the end."""
        waiting = b"".join(self._waiting)
        self._waiting.clear()
        return waiting or self._stream.read1(AT_ONCE)

    def give_back_bytes(self, content: bytes, number: int) -> None:
        """Give back the last bytes taken, before which the text has this number of lines."""
        self._waiting.extend((content + self._stream.readline()).splitlines(keepends=True))
        self.number = number


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
