"""A table in blocks of rows, each a list of columns: what CSV, TSV, Parquet and frames become.

A cell is text, a number, or None. From text, an empty cell, ``NA``, ``nan`` and their like mean
that there is no value.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcut.files.errors import RankingFileError
from rankcut.files.opening import Source, open_text, source_name

Header: TypeAlias = int | tuple[int, int]

# A block has about this many cells.
BLOCK_CELLS = 1 << 18

# Whole numbers up to this one are float64 exactly.
LARGEST_EXACT = 1 << 53

_DIGITS = re.compile(r"([+-]?)([0-9]+)")

_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "."})


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of a table.

    Attributes
    ----------
    source : str
        The file's name.
    names : list of str
        The columns' names, each different.
    columns : list of ndarrays or tuples
        Numbers as float64; anything else as a tuple of str, other objects or None.
    lines : ndarray
        The line of the file on which each row stands; rows of a frame count from 1.
    repeats : dict of int
        Columns with the same title as an earlier one, and that one.
    """

    source: str
    names: list[str]
    columns: list[Any]
    lines: NDArray[np.int64]
    repeats: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    def numbers(self, column: int, role: str) -> NDArray[np.float64]:
        """A column as numbers, NaN where there is no value."""
        cells = self.columns[column]
        try:
            values = np.asarray(
                cells
                if isinstance(cells, np.ndarray)
                else ["nan" if cell is None or cell == "" else cell for cell in cells],
                dtype=np.float64,
            )
        except (TypeError, ValueError):
            values = np.array([self._number(i, cell, column, role) for i, cell in enumerate(cells)])
        if np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            self.refuse(row, column, f"{role} is infinite; leave the cell empty if there is none")
        return values

    def _number(self, row: int, cell: Any, column: int, role: str) -> float:
        if is_missing(cell):
            return np.nan
        try:
            return float(cell)
        except (TypeError, ValueError):
            self.refuse(
                row,
                column,
                f"{role} is {str(cell)[:40]!r}, which is not a number; if this column is no item "
                "but something known of each ranking, say so (columns=, or --columns)",
            )
            raise AssertionError("unreachable") from None

    def refuse(self, row: int, column: int, complaint: str) -> None:
        """Raise with the place of a cell."""
        raise RankingFileError(
            f"column {self.names[column]!r}: {complaint}", self.source, int(self.lines[row])
        )

    def objects(self, column: int, missing: Callable[[Any], bool] | None = None) -> NDArray[Any]:
        """A column as objects, None where there is no value, by default as is_missing says."""
        missing = missing or is_missing
        cells = self.columns[column]
        values = np.empty(len(self), dtype=object)
        if isinstance(cells, np.ndarray):
            values[:] = [None if np.isnan(cell) else cell for cell in cells.tolist()]
        else:
            values[:] = [None if missing(cell) else cell for cell in cells]
        return values

    @classmethod
    def joined(cls, blocks: Sequence["Block"]) -> "Block":
        """The rows of several blocks of a table in one."""
        first = blocks[0]
        if len(blocks) == 1:
            return first
        columns = [
            tuple(chain.from_iterable(block.columns[i] for block in blocks))
            for i in range(len(first.names))
        ]
        lines = np.concatenate([block.lines for block in blocks])
        return replace(first, columns=columns, lines=lines)

    def empty_columns(self) -> set[int]:
        """The columns in which no cell has a value."""
        return {i for i, cells in enumerate(self.columns) if all(map(is_missing, cells))}

    def is_numeric(self, column: int) -> bool:
        """Whether the column has no cell but numbers and missing ones."""
        cells = self.columns[column]
        return isinstance(cells, np.ndarray) or all(map(_could_be_number, cells))

    def check_not_mistyped(self, column: int) -> None:
        """Refuse a column of numbers but for a few cells, which might be an item or might not."""
        if self.is_numeric(column):
            return
        values = [(row, c) for row, c in enumerate(self.columns[column]) if not is_missing(c)]
        strays = [(row, cell) for row, cell in values if not _could_be_number(cell)]
        if 2 * len(strays) < len(values):
            row, cell = strays[0]
            self.refuse(
                row,
                column,
                f"{str(cell)[:40]!r} is not a number, and most others are: correct it, or say that "
                "this column is no item (columns=, or --columns)",
            )


class NoSuchRowsError(RankingFileError):
    """No row of a table meets the conditions."""


def meeting(blocks: Iterable[Block], conditions: Sequence[str]) -> Iterator[Block]:
    """The blocks with the rows alone that meet ``column=value`` or ``column!=value``."""
    any_row = False
    for block in blocks:
        kept = np.ones(len(block), dtype=bool)
        for condition in conditions:
            name, equals, value = condition.partition("=")
            if not equals:
                raise RankingFileError(
                    f"the condition {condition!r} should read column=value or column!=value",
                    block.source,
                )
            (place,) = positions([name.removesuffix("!").strip()], block.names, block.source)
            cells = ("" if cell is None else _shown(cell) for cell in block.objects(place))
            same = np.array([cell == value.strip() for cell in cells])
            kept &= ~same if name.endswith("!") else same
        any_row = any_row or bool(kept.any())
        if kept.all():
            yield block
        elif kept.any():
            columns = [
                cells[kept] if isinstance(cells, np.ndarray) else tuple(compress(cells, kept))
                for cells in block.columns
            ]
            yield replace(block, columns=columns, lines=block.lines[kept])
    if not any_row:
        raise NoSuchRowsError(
            f"no row meets {' and '.join(conditions)}", block.source, int(block.lines[-1])
        )


def _shown(cell: Any) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip()


def is_missing(cell: Any) -> bool:
    """Whether a cell has no value."""
    if isinstance(cell, str):
        return cell.strip().lower() in _MISSING
    return is_empty(cell)


def is_empty(cell: Any) -> bool:
    """Whether a cell has nothing in it, which no word such as NA stands for."""
    return not cell.strip() if isinstance(cell, str) else cell is None or cell != cell


def _could_be_number(cell: Any) -> bool:
    if is_missing(cell):
        return True
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def side_column(values: NDArray[Any]) -> NDArray[Any]:
    """Like typed, but codes that a number would change are left as the text that they are.

    >>> side_column(np.array(["02139", "10001"], dtype=object))
    array(['02139', '10001'], dtype=object)
    """
    if not any(map(_is_code, values)):
        return typed(values)
    # Numbers among them come from blocks without such codes.
    cells = [cell if cell is None or isinstance(cell, str) else _shown(cell) for cell in values]
    return np.array(cells, dtype=object)


def _is_code(cell: Any) -> bool:
    """Whether text of digits has a zero or sign in front, or is too long for a float to hold."""
    if not isinstance(cell, str) or not (match := _DIGITS.fullmatch(cell.strip())):
        return False
    digits = match[2]
    padded = match[1] == "+" or (digits.startswith("0") and digits != "0")
    return padded or len(digits) > 16 or int(digits) > LARGEST_EXACT


def typed(values: NDArray[Any]) -> NDArray[Any]:
    """Objects as float64 if all that have a value are numbers, and unchanged otherwise.

    >>> typed(np.array(["3", None, "1.5"], dtype=object))
    array([3. , nan, 1.5])
    """
    if all(map(_could_be_number, values)):
        return np.array([np.nan if is_missing(cell) else float(cell) for cell in values])
    return values


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


def positions(chosen: str | Sequence[str], names: Sequence[str], source: str) -> list[int]:
    """The columns that a user names, one by one or, as ``10-15``, by their numbers from 1.

    >>> positions("uni,1,3-4", ["toro", "uni", "ika", "ebi"], "votes.csv")
    [1, 0, 2, 3]
    """
    places: list[int] = []
    for part in _parts(chosen, names):
        if part in names:
            places.append(list(names).index(part))
            continue
        first, _, last = part.partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not last)) or len(part) > 20:
            raise RankingFileError(
                f"there is no column {part!r}; the columns are {_listed(names)}", source
            )
        numbers = range(int(first), int(last or first) + 1)
        if not numbers or not 1 <= numbers[0] <= numbers[-1] <= len(names):
            raise RankingFileError(
                f"there are no columns {part}: they are numbered from 1 to {len(names)}", source
            )
        places.extend(number - 1 for number in numbers)
    return list(dict.fromkeys(places))


def _parts(chosen: str | Sequence[str], names: Sequence[str]) -> list[str]:
    if not isinstance(chosen, str):
        return [part for each in chosen for part in _parts(each, names)]
    # A name may itself have a comma.
    return [chosen] if chosen in names else [part.strip() for part in chosen.split(",")]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return ", ".join(map(repr, names[:12])) + more
