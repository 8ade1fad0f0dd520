"""CSV and TSV files: rows of cells under a header."""

import csv
import io
from collections.abc import Iterator

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.blocks import BLOCK_CELLS, Block, Header
from rankcut.files.streams import Source, open_text, source_name
from rankcut.files.table_columns import Columns


def text_blocks(
    source: Source, *, delimiter: str = ",", header: Header = 1, rows: int | None = None
) -> Iterator[Block]:
    """The blocks of a CSV or TSV file, at least one.

    ``header`` is the line with the columns' names, or the first and last of several, whose cells
    are joined; 0 says there is none, and the columns are called 1, 2, …. ``rows`` is how many
    rows a block has.
    """
    name = source_name(source)
    with open_text(source) as text:
        yield from _parsed(text, name, delimiter, header, rows)


def _parsed(
    text: io.TextIOBase, name: str, delimiter: str, header: Header, rows: int | None
) -> Iterator[Block]:
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    names: list[str] = []
    repeats: dict[int, int] = {}
    pending: list[list[str]] = []
    lines: list[int] = []
    first, last = (header, header) if isinstance(header, int) else header
    if first < 0 or last < first or (first == 0 and last > 0):
        raise RankingFileError(
            f"the header is a line, counted from 1, or a first and a last one in this order, and "
            f"not {first}-{last} (header=, or --header)",
            name,
        )
    titles: list[list[str]] = []
    any_block = False
    try:
        for number, record in enumerate(reader, start=1):
            if number < first or not record:
                continue
            if number <= last or (last > 0 and not titles):
                # The names stand on the first line from there on that is not blank.
                if titles or "".join(record).strip() or len(record) > 1:
                    titles.append(record)
                continue
            if not names:
                width = max(len(record), *map(len, titles)) if titles else len(record)
                names, repeats = _column_names(titles, width)
                step = rows or max(1, BLOCK_CELLS // width)
            if len(record) < len(names) or any(record[len(names) :]):
                raise RankingFileError(
                    f"this row has {len(record)} cells, and the table has {len(names)} columns; "
                    "quote cells that contain the delimiter, and leave none out",
                    name,
                    reader.line_num,
                )
            pending.append(record[: len(names)])
            lines.append(reader.line_num)
            if len(pending) == step:
                columns = list(zip(*pending, strict=True))
                yield Block(name, names, columns, np.array(lines), repeats)
                any_block = True
                pending, lines = [], []
    except csv.Error as problem:
        raise RankingFileError(f"not a table: {problem}", name, reader.line_num) from None
    if pending:
        yield Block(name, names, list(zip(*pending, strict=True)), np.array(lines), repeats)
    elif not any_block:
        complaint = "the table has no rows" if titles else "the file is empty"
        if not titles and 0 < reader.line_num < first:
            complaint = (
                f"the file ends before line {first}, where its columns' names should be; name "
                "another line (header=, or --header)"
            )
        raise RankingFileError(complaint, name, max(1, reader.line_num))


def _column_names(titles: list[list[str]], width: int) -> tuple[list[str], dict[int, int]]:
    """A name for each column, each different, unnamed ones numbered; and which repeat which."""
    if not titles:
        return [str(i) for i in range(1, width + 1)], {}
    names: dict[str, int] = {}
    repeats: dict[int, int] = {}
    for i in range(width):
        parts = (title[i].strip() for title in titles if i < len(title))
        base = " ".join(part for part in parts if part) or f"column {i + 1}"
        name = base
        if base in names:
            repeats[i] = names[base]
            name = f"{base} ({i + 1})"
        while name in names:
            name += "'"
        names[name] = i
    return list(names), repeats


def format_text(columns: Columns, delimiter: str) -> bytes:
    """The bytes of a CSV or TSV file."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()
