"""Text: a path or a file object opened, unpacked and decoded; CSV and TSV tables."""

import codecs
import csv
import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from rankcut.errors import RankingFileError, Setting, amount
from rankcut.files.disk import unpacked_gzip
from rankcut.files.tables import (
    BLOCK_CELLS,
    IMPORT_IDS,
    MARK,
    Cells,
    Header,
    TableBlock,
    is_missing,
    number_of,
    plain_cells,
    read_marks,
    shown,
)
from rankcut.parameters import EXACT, ROWS_AT_ONCE

Source: TypeAlias = str | os.PathLike[str] | IO[bytes] | IO[str]

_QUOTED = re.compile(r'"[^"]*"')
_BREAK = re.compile(r"\r\n|\r|\n")

# What stands between items in one cell.
_LISTED = re.compile(r"[;,|>=\[\](){}'\"]")

# Text that begins with one of these is a formula to a spreadsheet.
_FORMULA = ("=", "+", "-", "@")

# What may separate cells, the usual first.
DELIMITERS = ",;\t|"

# A number with a decimal comma, as in files whose cells are separated by semicolons.
_DECIMAL = re.compile(r"^([+-]?[0-9]+),([0-9]+)$")


def source_name(source: Source) -> str:
    """The name of a source in messages."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


@contextmanager
def open_bytes(source: Source) -> Iterator[io.BufferedReader]:
    """The bytes of a source, unpacked if they are gzip. A file object is left open."""
    name = source_name(source)
    with ExitStack() as stack:
        try:
            if isinstance(source, str | os.PathLike):
                stream = stack.enter_context(Path(source).open("rb"))
            else:
                stream = _buffered(source)
            packed = stream.peek(2)[:2] == b"\x1f\x8b"
        except OSError as problem:
            raise RankingFileError(_why_not(problem), name) from None
        yield unpacked_gzip(stream, name) if packed else stream


def _why_not(problem: OSError) -> str:
    if isinstance(problem, FileNotFoundError):
        return "there is no such file"
    if isinstance(problem, IsADirectoryError):
        return "this is a directory; name a file in it"
    return f"cannot be read: {problem.strerror or problem}"


def _buffered(source: IO[Any]) -> io.BufferedReader:
    if isinstance(source, io.BufferedReader):
        return source
    if not hasattr(source, "read"):
        raise TypeError(f"a file is a path or a file object, not {type(source).__name__}")
    content = source.read()
    if isinstance(content, str):
        content = content.encode("utf-8", errors="surrogateescape")
    return io.BufferedReader(io.BytesIO(content))


def read_all(source: Source) -> bytes:
    """All bytes of a source, unpacked if they are gzip."""
    with open_bytes(source) as stream:
        return stream.read()


@contextmanager
def open_text(source: Source) -> Iterator[io.TextIOWrapper]:
    """The text of a source, line breaks as they are; see :func:`decoded` for the encoding."""
    with open_bytes(source) as stream:
        if stream.peek(4)[:4] == b"PK\x03\x04":
            raise RankingFileError(
                "this is an Excel file, or another zip archive, and no text",
                source_name(source),
                1,
                remedy=["name its format: ", Setting("format", "xlsx")],
            )
        encoding = _encoding(stream.peek(4))
        text = io.TextIOWrapper(stream, encoding=encoding, errors="rankcut-latin-1", newline="")
        try:
            yield text
        finally:
            text.detach()


def decoded(content: bytes) -> str:
    """Text in UTF-8; a byte that is not UTF-8 is taken as Latin-1, as older files have it.

    UTF-16, which Excel calls Unicode text, and UTF-32 are recognised by their first bytes.

    >>> decoded("Müller".encode("latin-1")), decoded("Müller".encode("utf-16"))
    ('Müller', 'Müller')
    """
    return content.decode(_encoding(content), errors="rankcut-latin-1")


def _encoding(start: bytes) -> str:
    """The encoding of a text that starts with these bytes."""
    if start[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        return "utf-32"
    if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    # Without a mark: every other byte of plain letters is zero.
    if b"\0\0" in (start[:4:2], start[1:4:2]):
        return "utf-16-be" if start[0] == 0 else "utf-16-le"
    return "utf-8-sig"


def _latin_1(problem: UnicodeError) -> tuple[str, int]:
    assert isinstance(problem, UnicodeDecodeError)
    return problem.object[problem.start : problem.end].decode("latin-1"), problem.end


codecs.register_error("rankcut-latin-1", _latin_1)


def whole_number(text: str) -> int | None:
    """The number written in plain digits, up to 2**53, or None.

    Python's ``int`` accepts more than a file should: other scripts' digits, signs, underscores.

    >>> whole_number("42"), whole_number("4_2"), whole_number("٤٢")
    (42, None, None)
    """
    if not (text.isascii() and text.isdigit() and len(text) < 17):
        return None
    return int(text) if int(text) <= EXACT else None


def text_blocks(
    source: Source,
    *,
    delimiter: str | None = ",",
    header: Header = None,
    rows: int | None = None,
    blanks: bool = False,
    ragged: bool = False,
) -> Iterator[TableBlock]:
    """The blocks of a CSV or TSV file, at least one.

    ``header`` is the line with the columns' names, or the first and last of several, whose cells
    are joined; 0 means there is none, and the columns are called 1, 2, …; None is the first line.
    ``rows`` is how many rows a block has. A ``delimiter`` of None is a comma, semicolon, tab or
    bar: the first that the header has, and the next line as often, if there is one. ``blanks`` are
    one too, where there is no other. ``ragged`` rows may lack cells at their end.
    """
    name = source_name(source)
    with open_text(source) as text:
        n_lines = _header_lines(header, name)[1]
        opening = _opening(text, n_lines)
        if delimiter is None:
            last = "".join(opening[max(0, n_lines - 1) :]).lstrip("\r\n")
            row = "".join(islice(text, 1))
            opening += [row] if row else []
            titles, cells = (_QUOTED.sub("", line) for line in (last, row or last))
            marks = [mark for mark in DELIMITERS if mark in titles]
            # A comma in the name of an item is not what separates the columns.
            fitting = [mark for mark in marks if titles.count(mark) == cells.count(mark)]
            delimiter = next(iter([*fitting, *marks]), " " if blanks else ",")
        if delimiter == " ":
            counted = enumerate(chain(opening, text), start=1)
            place = [0]
            records: Iterator[list[str]] = _split_at_blanks(counted, place)
            yield from titled_blocks(records, lambda: place[0], name, header, rows)
            return
        reader = csv.reader(chain(opening, text), delimiter=delimiter, strict=True)
        records = map(_with_points, reader) if delimiter == ";" else reader
        try:
            blocks = titled_blocks(
                records, lambda: reader.line_num, name, header, rows, ragged=ragged
            )
            for block in blocks:
                _check_no_zero(block)
                yield block
        except csv.Error as problem:
            line = max(1, reader.line_num)
            raise RankingFileError(f"not a table: {problem}", name, line) from None


def _split_at_blanks(lines: Iterator[tuple[int, str]], place: list[int]) -> Iterator[list[str]]:
    """The cells of lines that blanks separate, two or more where a line has such."""
    wide = None
    for number, line in lines:
        place[0] = number
        cells = line.strip()
        if wide is None and cells:
            wide = "  " in cells
        yield re.split(r"\t|\s{2,}" if wide else r"\s+", cells) if cells else []


def _with_points(record: list[str]) -> list[str]:
    return [_DECIMAL.sub(r"\1.\2", cell) if "," in cell else cell for cell in record]


def _check_no_zero(block: TableBlock) -> None:
    """Refuse a zero byte, which text never has."""
    for i, cells in enumerate(block.columns):
        if "\0" in "".join(cells.distinct):
            code = next(code for code, cell in enumerate(cells.distinct) if "\0" in cell)
            raise RankingFileError(
                "contains a zero byte, which text never does",
                block.source,
                int(block.lines[np.argmax(block.columns[i].codes == code)]),
                remedy="the file is damaged, or of another format",
            )


def _opening(lines: Iterator[str], n_lines: int) -> list[str]:
    """The lines up to the end of a header; comments above it, from ``#`` on, are blank."""
    opening = []
    for line in lines:
        opening.append(line)
        if len(opening) >= n_lines and line.strip() and not line.startswith("#"):
            break
    # A name in quotes may hold line breaks.
    while opening and opening[-1].count('"') % 2 and (line := next(lines, "")):
        opening[-1] += line
    cells = [max(map(_QUOTED.sub("", line).count, DELIMITERS)) for line in opening]
    return [
        # A column may be called "#": such a line has as many cells as the others.
        "\n" if re.match(r"#[^,;\t|]", line) and n_cells < cells[-1] else line
        for line, n_cells in zip(opening, cells, strict=True)
    ]


def titled_blocks(
    records: Iterator[list[Any]],
    n_lines: Callable[[], int],
    name: str,
    header: Header,
    rows: int | None,
    *,
    ragged: bool = False,
) -> Iterator[TableBlock]:
    """Blocks of records under a header; ``ragged`` ones may leave out empty cells at their end.

    ``n_lines`` says how many lines of the file were read so far.
    """
    titles = _titles(records, n_lines, name, header)
    line = n_lines()
    opening: list[list[Any]] = []
    while not (opening and opening[-1]) and (record := next(records, None)) is not None:
        opening.append(record)
    if not opening or not opening[-1]:
        problem = "the table has no rows" if titles else "the file is empty"
        raise RankingFileError(problem, name, max(1, n_lines()))
    width = max(map(len, [*titles, opening[-1]]))
    records = chain(opening, records)
    if header is None and len(titles) == 1:
        start = list(islice(records, SEEN_FOR_HEADER))
        records = chain(start, records)
        if len(titles[0]) == width - 1 and _name_rows(start, width):
            titles = [["", *titles[0]]]
        elif len(titles[0]) == width and _is_no_header(
            titles[0], [record for record in start if len(record) == width]
        ):
            records, titles, line = chain(titles, records), [], line - 1
        elif _is_title(titles[0], start):
            titles, line = [next(records)], line + 1
    names, repeats = _column_names(titles, width)
    names, marked = read_marks(names, name)
    step = rows or max(1, BLOCK_CELLS // width)
    columns: list[list[Any]] = [[] for _ in names]
    lines: list[int] = []

    def block() -> TableBlock:
        cells = [Cells.of(column) for column in columns]
        titled = bool(titles)
        return TableBlock(name, names, cells, np.array(lines), repeats, marked, titled=titled)

    # So few records at once that Python does not look for garbage among them, which takes as long
    # as all the rest.
    while some := list(islice(records, min(ROWS_AT_ONCE, step - len(lines)))):
        numbers = _lines_of(some, line, n_lines())
        line = numbers[-1]
        if {*map(len, some)} != {width}:
            numbers = [number for number, record in zip(numbers, some, strict=True) if record]
            some = [record for record in some if record]
            for i, record in enumerate(some):
                # Programs leave out what is empty at the end of wide rows, and write blank ones.
                short = ragged or not any(record) or len(record) >= _SHARE_FILLED * width > 8
                if any(record[width:]) or (len(record) < width and not short):
                    raise RaggedError(
                        f"this row has {amount(len(record), 'cell')}, but the table has "
                        f"{amount(width, 'column')}",
                        name,
                        numbers[i],
                        remedy="quote cells that contain the delimiter, and keep empty cells",
                    )
                some[i] = [*record[:width], *[""] * (width - len(record))]
        lines += numbers
        for cells, more in zip(columns, zip(*some, strict=True), strict=False):
            cells += more
        if len(lines) == step:
            yield block()
            columns, lines = [[] for _ in names], []
    if lines:
        yield block()


class RaggedError(RankingFileError):
    """A row of a table has too many cells, or too few."""


# Rows of wide tables have at least this share of their cells.
_SHARE_FILLED = 0.8

# So many rows tell whether the first line is a header.
SEEN_FOR_HEADER = 64


def _name_rows(rows: list[list[Any]], width: int) -> bool:
    """Whether the first cells name the rows, above which R writes no name of a column."""
    names = {shown(row[0]) for row in rows if len(row) == width and shown(row[-1])}
    return len(names) == len(rows) > 1 and "" not in names


def _is_title(first: list[Any], rows: list[list[Any]]) -> bool:
    """Whether a line has one text alone, as a title above the names of columns has."""
    filled = [shown(cell) for cell in first if shown(cell)]
    below = [shown(cell) for cell in rows[0]]
    several = len(rows) > 1 and sum(map(bool, below)) > 1
    words = all(number_of(cell) is None for cell in [*filled, *below])
    return len(first) > 2 and len(filled) == 1 and several and words


def _is_no_header(title: list[Any], rows: list[list[Any]]) -> bool:
    """Whether the first line of a table is a row as all others: each cell is one of its column."""
    columns = list(zip(*rows, strict=True))
    if not columns or any(str(cell).startswith(IMPORT_IDS) for row in rows[:2] for cell in row):
        return False
    texts = [shown(cell) for cell in title]
    # A header may come again, and columns may be numbered in order.
    if (
        len(texts) > 1
        and texts in [[*map(shown, row)] for row in rows]
        and not any(map(number_of, texts))
    ):
        return False
    if len(texts) == 1 and not _lists_the_same(texts[0], columns[0]):
        return [texts[0]] in [[*map(shown, row)] for row in rows] and number_of(texts[0]) is None
    numbered = [text for text in texts if number_of(text) is not None]
    in_order = numbered == [str(i + 1) for i in range(len(numbered))] and len(numbered) > 1
    if (len({*texts}) < 2 and len(texts) > 1) or (in_order and not any(map(is_missing, texts))):
        return False
    agree = judged = 0
    numeric = {number_of(cell) for cells in columns for cell in cells if not is_missing(cell)}
    for text, cells in zip(texts, columns, strict=True):
        numbers: list[Any] = [number_of(cell) for cell in cells if not is_missing(cell)]
        number = None if is_missing(text) else number_of(text)
        if None in numbers:
            if is_missing(text) and any(map(is_missing, cells)):
                continue
            if number is not None or is_missing(text):
                return False
            # A column that names the rows has each name once.
            same = _lists_the_same(text, cells)
            judged += same or len({*cells}) < len(cells)
            agree += same or text in map(shown, cells)
        elif number is None and not is_missing(text):
            return False
        elif (
            number is not None
            and numbers
            and numbers != [number + i for i in range(1, len(numbers) + 1)]
        ):
            judged += 1
            agree += min(numbers) <= number <= max(numbers) or number in numeric
    return 2 * agree > judged


def _lists_the_same(text: str, cells: Sequence[Any]) -> bool:
    """Whether a text lists what others list, as in "toro > uni" and "uni;toro"."""
    parts = {part.strip() for part in _LISTED.split(text)} - {""}
    others = {part.strip() for cell in cells for part in _LISTED.split(shown(cell))}
    return len(parts) > 1 and parts <= others


def _lines_of(records: Sequence[list[Any]], before: int, after: int) -> Sequence[int]:
    """The last line of each record, where the lines before and after all of them are known."""
    if after - before == len(records):
        return range(before + 1, after + 1)
    breaks = [sum(len(_BREAK.findall(str(cell))) for cell in record) for record in records]
    return list(accumulate((1 + each for each in breaks), initial=before))[1:]


def _header_lines(header: Any, name: str) -> tuple[int, int]:
    """The first and the last line of a header."""
    header = 1 if header is None else header
    lines = (header, header) if isinstance(header, int) else header
    is_range = (
        isinstance(lines, tuple) and len(lines) == 2 and all(isinstance(n, int) for n in lines)
    )
    if not is_range or lines[0] < 0 or lines[1] < lines[0] or (lines[0] == 0 and lines[1] > 0):
        text = f"{lines[0]}-{lines[1]}" if is_range else repr(header)
        raise RankingFileError(
            f"a header is a line, counted from 1, or a first and a last one; got {text}",
            name,
            remedy=["correct ", Setting("header")],
        )
    return lines


def _titles(
    records: Iterator[list[Any]], n_lines: Callable[[], int], name: str, header: Header
) -> list[list[Any]]:
    """The rows of a table's header."""
    first, last = _header_lines(header, name)
    titles: list[list[Any]] = []
    for number, record in enumerate(records if last else (), start=1):
        # The names stand on the first line from there on that is not blank.
        filled = titles or "".join(map(str, record)).strip() or len(record) > 1
        if number >= first and record and filled:
            titles.append(record)
        if number >= last and titles:
            return titles
    if 0 < n_lines() < first and not titles:
        raise RankingFileError(
            f"the file ends before line {first}, where the header should be",
            name,
            n_lines(),
            remedy=["name another line with ", Setting("header")],
        )
    return titles


def _column_names(titles: list[list[Any]], width: int) -> tuple[list[str], dict[int, int]]:
    """A name for each column, each different, unnamed ones numbered; and which repeat which."""
    if not titles:
        return [str(i) for i in range(1, width + 1)], {}
    names: dict[str, int] = {}
    repeats: dict[int, int] = {}
    for i in range(width):
        parts = [str(title[i]) for title in titles if i < len(title)]
        base = " ".join(part.strip() for part in parts if part.strip()) or f"column {i + 1}"
        if parts and parts[-1].startswith(MARK):
            # As we write it: blanks at its ends, or no name at all, are an item's own.
            base = parts[-1]
        name = base
        if base in names:
            repeats[i] = names[base]
            name = f"{base} ({i + 1})"
        while name in names:
            name += "'"
        names[name] = i
    return list(names), repeats


def format_text(columns: dict[str, Any], delimiter: str, *, spreadsheet: bool = False) -> bytes:
    """The bytes of a CSV or TSV file; for a spreadsheet, text stays text."""
    columns = {
        name: plain_cells(values) if isinstance(values, np.ndarray) else values
        for name, values in columns.items()
    }
    if spreadsheet:
        columns = {defused(name): list(map(defused, values)) for name, values in columns.items()}
    text = io.StringIO()
    # A name that holds another delimiter, or a line break, is quoted, and so is a cell with one.
    names = any(mark in str(name) for name in columns for mark in ";\t\r\n")
    breaks = any("\r" in cell for cells in columns.values() for cell in cells if type(cell) is str)
    plain = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    quoted = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    (quoted if names else plain).writerow(columns)
    (quoted if breaks else plain).writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def defused(cell: Any) -> Any:
    """The cell as a spreadsheet shows it: text that begins like a formula stays text.

    >>> defused("=1+1"), defused("toro"), defused(-1.5)
    ("'=1+1", 'toro', -1.5)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
