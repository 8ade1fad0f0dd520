"""The lines of a CSV or TSV file: as text one at a time, or many at once if they are plain.

Python's csv module knows all rules, but takes two microseconds for a row of ten cells, and their
numbers take as long again. Where rows are plain, a compiled loop finds the cells and reads the
numbers.
"""

import io
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.cells import ODD, scan_cells
from rankcut.errors import RankingFileError
from rankcut.files.streams import AT_ONCE, decoded_part
from rankcut.files.tables import BLOCK_CELLS, TableBlock, TableHeader, TextColumn

# Shorter files are read before the compiled loop is loaded.
_SHORT = 1 << 20

# Places of cells are 32-bit numbers.
_MOST_BYTES = np.iinfo(np.int32).max

_PARTS_OF_NUMBERS = b"0123456789.-NA"


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


def plain_blocks(lines: TextLines, delimiter: str, table: TableHeader) -> Iterator[TableBlock]:
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
