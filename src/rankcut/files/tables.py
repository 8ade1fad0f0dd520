"""A table in blocks of rows, each a list of columns: what CSV, TSV, Parquet and frames become.

A cell is text, a number, or None. In text, an empty cell, ``NA``, ``nan`` and similar words
mean that there is no value.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from typing import Any, Literal, NoReturn, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from rankcut.errors import RankingFileError, Setting, Text
from rankcut.parameters import EXACT
from rankcut.rankings.ratings import level_of

Header: TypeAlias = int | tuple[int, int]
Layout: TypeAlias = Literal["wide", "ratings", "long", "ballots", "orders"]
Columns: TypeAlias = dict[str, Sequence[Any]]

# A block has about this many cells.
BLOCK_CELLS = 1 << 18

ORDINALS = [
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "eleventh", "twelfth"),
]
_ORDINAL = re.compile(rf"([0-9]{{1,9}})(?:st|nd|rd|th)|({'|'.join(ORDINALS)})")
_DIGITS = re.compile(r"([+-]?)([0-9]+)")

_MISSING = frozenset(
    {
        *("", "na", "n/a", "n.a.", "#n/a", "nan", "null", "none", ".", "-", "--", "–", "—"),
        *("don't know", "don’t know", "dont know", "no answer", "not applicable"),
        *("prefer not to say", "refused"),
    }
)


# How a header marks the columns of items.
MARK = "rank: "


def read_marks(names: Sequence[str], source: str) -> tuple[list[str], list[int] | None]:
    """The columns' names without marks, and the columns that are marked; None if none is.

    >>> read_marks(["town", "rank: toro", "rank: uni"], "votes.csv")
    (['town', 'toro', 'uni'], [1, 2])
    """
    found = [i for i, own in enumerate(names) if own.lower().startswith(MARK) and own[len(MARK) :]]
    marked = {*found}
    bare = [name[len(MARK) :] if i in marked else name for i, name in enumerate(names)]
    if found and len(set(bare)) < len(bare):
        twice = next(name for i, name in enumerate(bare) if name in bare[:i])
        raise RankingFileError(f"two columns are called {twice!r}", source, remedy="rename one")
    return bare, found or None


@dataclass(frozen=True, eq=False)
class TableBlock:
    """Some rows of a table."""

    source: str  #: the file's name
    names: list[str]  #: the columns' names, each different
    #: Numbers as float64; anything else as a tuple of str, other objects or None
    columns: list[Any]
    #: The line of the file on which each row stands; rows of a frame count from 1
    lines: NDArray[np.int64]
    #: Columns with the same title as an earlier one, and that one
    repeats: dict[int, int] = field(default_factory=dict)
    marked: list[int] | None = None  #: the columns that the table says are items
    #: What a second row of the header, or the file otherwise, says about each column
    labels: tuple[str, ...] = ()
    tool: str = ""  #: the program that wrote a table with such labels
    #: What codes in the cells stand for, if another sheet says
    codes: Mapping[str, str] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()  #: the sheets of its workbook
    _numbers: dict[int, NDArray[np.float64] | None] = field(
        default_factory=dict, init=False, repr=False
    )

    def __len__(self) -> int:
        return len(self.lines)

    def numbers(self, column: int, role: str) -> NDArray[np.float64]:
        """A column as numbers, NaN where there is no value."""
        values = self._plain_numbers(column)
        if values is None:
            cells = enumerate(self.columns[column])
            values = np.array([self._number(i, cell, column, role) for i, cell in cells])
        if np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            self.refuse(row, column, f"{role} is infinite", "leave the cell empty if there is none")
        return values

    def _plain_numbers(self, column: int) -> NDArray[np.float64] | None:
        """The column as numbers, found once; None if a cell is neither a number nor empty."""
        if column not in self._numbers:
            self._numbers[column] = _floats(self.columns[column])
        return self._numbers[column]

    def levels(self, column: int, scale: Mapping[str, float]) -> NDArray[np.float64]:
        """A column of words as their levels on a scale, NaN where there is no value."""
        found = np.empty(len(self))
        for row, cell in enumerate(self.objects(column)):
            level = level_of(cell, scale)
            if level is None:
                self.refuse(
                    row,
                    column,
                    f"{str(cell)[:40]!r} is not on the scale {', '.join(scale)}",
                    ["add it to ", Setting("scale"), ", or choose other ", Setting("item_columns")],
                )
            found[row] = level
        return found

    def is_on(self, column: int, scale: Mapping[str, float]) -> bool:
        """Whether the column has a value, and all are on a scale."""
        found = [level_of(cell, scale) for cell in self.objects(column)]
        return None not in found and any(level == level for level in found)

    def _number(self, row: int, cell: Any, column: int, role: str) -> float:
        if is_missing(cell):
            return np.nan
        number = number_of(cell)
        if number is None:
            self.refuse(
                row,
                column,
                f"{role} is {str(cell)[:40]!r}, which is not a number",
                "write it as a number",
            )
        return number

    def refuse(self, row: int, column: int, problem: str, remedy: Text = "") -> NoReturn:
        """Raise with the place of a cell."""
        raise self.mistake(f"column {self.names[column]!r}: {problem}", remedy, row, column)

    def mistake(
        self, problem: str, remedy: Text = "", row: int = 0, column: int | None = None
    ) -> RankingFileError:
        """What is wrong with the table, and where."""
        name = None if column is None else self.names[column]
        line = int(self.lines[row])
        return RankingFileError(problem, self.source, line, remedy=remedy, column=name)

    def objects(self, column: int, missing: Callable[[Any], bool] | None = None) -> NDArray[Any]:
        """A column as objects, None where there is no value, by default as is_missing says."""
        missing = missing or is_missing
        cells = self.columns[column]
        if isinstance(cells, np.ndarray):
            cells = cells.tolist()
        values = np.empty(len(self), dtype=object)
        try:
            # Most columns of text have few different cells.
            known = {cell: None if missing(cell) else cell for cell in {*cells}}
            values[:] = [known[cell] for cell in cells]
        except (TypeError, KeyError):
            values[:] = [None if missing(cell) else cell for cell in cells]
        return values

    @classmethod
    def joined(cls, blocks: Sequence["TableBlock"]) -> "TableBlock":
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

    def some(self, rows: NDArray[np.bool_]) -> "TableBlock":
        """The rows of a mask."""
        columns = [
            cells[rows] if isinstance(cells, np.ndarray) else tuple(compress(cells, rows))
            for cells in self.columns
        ]
        return replace(self, columns=columns, lines=self.lines[rows])

    def without(self, codes: Collection[str]) -> "TableBlock":
        """The same with no value in cells that hold one of some codes."""
        numbers = [n for code in codes if (n := number_of(code, ordinals=False)) is not None]
        cells = [
            np.where(np.isin(own, numbers), np.nan, own)
            if isinstance(own, np.ndarray)
            else tuple(None if cell is not None and shown(cell) in codes else cell for cell in own)
            for own in self.columns
        ]
        return replace(self, columns=cells)

    def empty_columns(self) -> set[int]:
        """The columns in which no cell has a value."""
        return {i for i, cells in enumerate(self.columns) if all(map(is_missing, cells))}

    def is_numeric(self, column: int) -> bool:
        """Whether the column has only numbers and missing values."""
        return self._plain_numbers(column) is not None or all(
            is_missing(cell) or number_of(cell) is not None for cell in self.columns[column]
        )

    def has_ordinals(self, column: int) -> bool:
        """Whether the column has cells such as ``1st``."""
        return self._plain_numbers(column) is None and any(
            isinstance(cell, str) and _ORDINAL.fullmatch(cell.strip().lower())
            for cell in self.columns[column]
        )

    def check_not_mistyped(self, column: int, others_pass: Callable[[], bool]) -> None:
        """Refuse a column of numbers with a few other cells, which may or may not be an item.

        It may be none if the other columns are rankings without it.
        """
        if self.is_numeric(column):
            return
        values = [(row, c) for row, c in enumerate(self.columns[column]) if not is_missing(c)]
        strays = [(row, cell) for row, cell in values if not _could_be_number(cell)]
        if strays and 2 * len(strays) <= len(values):
            row, cell = strays[0]
            words = {str(other).strip() for _, other in strays}
            largest = max((number_of(other) or 0.0 for _, other in values), default=0.0)
            no_answer: Text = []
            if len(words) == 1 and "," not in str(cell) and largest <= len(self.names):
                no_answer = ["if that is no answer, pass ", Setting("missing", *words), "; "]
            remedy: Text = [
                "if it is a rank, write it as a number; otherwise name the items with ",
                Setting("item_columns"),
            ]
            if others_pass():
                columns = Setting("columns", self.names[column])
                remedy = ["if this column is not an item, pass ", columns]
            problem = f"{str(cell)[:40]!r} is not a number, and others are"
            self.refuse(row, column, problem, [*no_answer, *remedy])


def _floats(cells: Any) -> NDArray[np.float64] | None:
    """The cells as numbers, NaN where one is empty; None if one is anything else."""
    if isinstance(cells, np.ndarray):
        return cells.astype(np.float64, copy=False)
    try:
        # Twice as fast as an array of text that becomes one of numbers.
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except (TypeError, ValueError, OverflowError):
        pass
    try:
        filled = (np.nan if cell is None or cell == "" else float(cell) for cell in cells)
        return np.fromiter(filled, np.float64, len(cells))
    except (TypeError, ValueError, OverflowError):
        return None


def shown(cell: Any) -> str:
    """A cell as text; a whole number without its decimal point."""
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip()


def is_missing(cell: Any) -> bool:
    """Whether a cell has no value."""
    if isinstance(cell, str):
        return cell.strip().lower() in _MISSING
    return is_empty(cell)


def is_empty(cell: Any) -> bool:
    """Whether a cell is empty; here a word such as NA is a value."""
    return not cell.strip() if isinstance(cell, str) else cell is None or cell != cell


def number_of(cell: Any, *, ordinals: bool = True) -> float | None:
    """The number in a cell, which may be ``1st`` or ``first``; None if there is none."""
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        text = cell.strip().lower() if ordinals and isinstance(cell, str) else ""
        found = _ORDINAL.fullmatch(text)
        if found is None:
            return None
        return float(found[1] or ORDINALS.index(found[2]) + 1)


def _could_be_number(cell: Any) -> bool:
    return is_missing(cell) or number_of(cell, ordinals=False) is not None


def side_column(values: NDArray[Any]) -> NDArray[Any]:
    """Like typed, but codes that a number would change stay text.

    >>> side_column(np.array(["02139", "10001"], dtype=object))
    array(['02139', '10001'], dtype=object)
    """
    if not any(map(_is_code, {*values})):
        return typed(values)
    # Numbers among them come from blocks without such codes.
    cells = [cell if cell is None or isinstance(cell, str) else shown(cell) for cell in values]
    return np.array(cells, dtype=object)


def _is_code(cell: Any) -> bool:
    """Whether text of digits has a zero or sign in front, or is too long for a float to hold."""
    if not isinstance(cell, str) or not (match := _DIGITS.fullmatch(cell.strip())):
        return False
    digits = match[2]
    padded = match[1] == "+" or (digits.startswith("0") and digits != "0")
    return padded or len(digits) > 16 or int(digits) > EXACT


def typed(values: NDArray[Any]) -> NDArray[Any]:
    """Objects as float64 if all that have a value are numbers, and unchanged otherwise.

    >>> typed(np.array(["3", None, "1.5"], dtype=object))
    array([3. , nan, 1.5])
    """
    if all(map(_could_be_number, values)):
        return np.array([np.nan if is_missing(cell) else float(cell) for cell in values])
    return values


def frame_blocks(frame: Any, name: str, rows: int | None = None) -> Iterator[TableBlock]:
    """The blocks of a pandas, Polars or PyArrow table."""
    table = nw.from_native(frame, eager_only=True)
    n_rows, width = table.shape
    if n_rows == 0 or width == 0:
        raise RankingFileError("the table has no rows", name)
    step = rows or max(1, BLOCK_CELLS // width)
    names, marked = read_marks([str(column) for column in table.columns], name)
    for start in range(0, n_rows, step):
        some = table[start : start + step]
        columns = [_cells(some[column]) for column in table.columns]
        lines = np.arange(start, start + len(some)) + 1
        yield TableBlock(name, names, columns, lines, marked=marked)


def _cells(series: nw.Series[Any]) -> Any:
    numbers = series.dtype.is_numeric()
    if numbers and not (series.dtype.is_integer() and _too_large(series)):
        return series.cast(nw.Float64).to_numpy().astype(np.float64)
    cells = series.to_list()
    if numbers or series.dtype == nw.Boolean:
        # Text that a float would change, or turn into a rank, stays text, as in a CSV file.
        return tuple(None if cell is None else str(cell) for cell in cells)
    return tuple(cells)


def _too_large(series: nw.Series[Any]) -> bool:
    ends = [end for end in (series.min(), series.max()) if end is not None]
    return any(abs(int(end)) > EXACT for end in ends)
