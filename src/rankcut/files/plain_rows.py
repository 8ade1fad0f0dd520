"""Rows of a long CSV or TSV file, many at once as long as they are plain.

Python's csv module knows all rules, but takes two microseconds for a row of ten cells, and their
numbers take as long again. Where rows are plain, a compiled loop finds the cells and reads the
numbers.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.cells import ODD, scan_cells
from rankcut.files.streams import AT_ONCE
from rankcut.files.tables import BLOCK_CELLS, TableBlock, TableHeader, TextColumn

if TYPE_CHECKING:
    from rankcut.files.sheets import TextLines

# Places of cells are 32-bit numbers.
_MOST_BYTES = np.iinfo(np.int32).max

_PARTS_OF_NUMBERS = b"0123456789.-NA"


class _Cells(NamedTuple):
    """Room for the cells of some rows."""

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    lines: NDArray[np.int64]
    numbers: NDArray[np.float64]
    numeric: NDArray[np.bool_]

    @classmethod
    def room(cls, n_rows: int, width: int) -> "_Cells":
        shape = n_rows, width
        return cls(
            np.empty(shape, np.int32),
            np.empty(shape, np.int32),
            np.empty(n_rows, np.int64),
            np.empty(shape),
            np.ones(width, np.bool_),
        )

    def enlarged(self, n_rows: int) -> "_Cells":
        more = self.room(n_rows - len(self.lines), len(self.numeric))
        return _Cells(
            np.concatenate([self.starts, more.starts]),
            np.concatenate([self.ends, more.ends]),
            np.concatenate([self.lines, more.lines]),
            np.concatenate([self.numbers, more.numbers]),
            self.numeric,
        )

    def columns(self, content: bytes, n_rows: int) -> list[TextColumn]:
        return [
            TextColumn(
                content,
                self.starts[:n_rows, i],
                self.ends[:n_rows, i],
                self.numbers[:n_rows, i] if numeric else None,
            )
            for i, numeric in enumerate(self.numeric)
        ]


def plain_blocks(lines: "TextLines", delimiter: str, table: TableHeader) -> Iterator[TableBlock]:
    """The blocks of a table up to the first that is not plain."""
    mark = delimiter.encode()
    if len(mark) > 1 or mark in _PARTS_OF_NUMBERS or mark in b'"\r\n\0':
        return
    data, start, line = b"", 0, lines.number
    is_all = False
    while start < len(data) or not is_all:
        if start > AT_ONCE:
            data, start = data[start:], 0
        cells = _Cells.room(
            min(table.step, max(1, BLOCK_CELLS // len(table.names))), len(table.names)
        )
        end, row, end_line = start, 0, line
        while True:
            stopped, row, end, end_line = scan_cells(
                np.frombuffer(data, np.uint8), end, row, end_line, mark[0], is_all, *cells
            )
            # A decimal comma is for the other reader.
            commas = delimiter == ";" and b"," in data[start:end]
            if stopped == ODD or commas or len(data) > _MOST_BYTES:
                lines.give_back_bytes(data[start:], line)
                return
            if row == table.step or (is_all and row < len(cells.lines)):
                break
            if row == len(cells.lines):
                cells = cells.enlarged(min(table.step, 2 * row))
            else:
                more = lines.take_bytes()
                is_all = not more
                data += more
        if row:
            yield table.block(cells.columns(data, row), cells.lines[:row])
        start, line = end, end_line
    lines.number = line
