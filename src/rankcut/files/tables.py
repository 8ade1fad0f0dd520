"""A table in blocks of rows, each a list of columns: what CSV, TSV, Parquet and frames become.

A cell is text, a number, or None. In text, an empty cell, ``NA``, ``nan`` and similar words
mean that there is no value. Whatever is asked of cells is asked once of each distinct one.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from rankcut.errors import InputError, RankingFileError, Setting, Text
from rankcut.parameters import EXACT
from rankcut.rankings.ratings import level_of
from rankcut.rankings.reading import as_frame
from rankcut.sample.labels import REFUSALS
from rankcut.vocabulary import Layout as Layout

Header: TypeAlias = int | tuple[int, int] | None
Columns: TypeAlias = dict[str, Any]
"""Columns to write: a list or an array for each name."""

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
        *REFUSALS,
    }
)


# How a header marks the columns of items.
MARK = "rank: "

# How the cells of Qualtrics' third header line begin.
IMPORT_IDS = ('{"ImportId"', "{'ImportId'")

# What a ballot's cell says that names several candidates at one place, and no candidate.
OVERVOTE = "overvote"
NOBODY = frozenset({"", "skipped", "undervote", "blank"})


def read_marks(names: Sequence[str], source: str) -> tuple[list[str], list[int] | None]:
    """The columns' names without marks, and the columns that are marked; None if none is.

    >>> read_marks(["town", "rank: toro", "rank: uni"], "votes.csv")
    (['town', 'toro', 'uni'], [1, 2])
    """
    items = [i for i, name in enumerate(names) if name.lower().startswith(MARK)]
    marked = {*items}
    bare = [name[len(MARK) :] if i in marked else name for i, name in enumerate(names)]
    if items and len(set(bare)) < len(bare):
        twice = next(name for i, name in enumerate(bare) if name in bare[:i])
        raise RankingFileError(f"two columns are called {twice!r}", source, remedy="rename one")
    return bare, items or None


class Cells(NamedTuple):
    """A column that is not all numbers: its distinct cells, and which of them each row has."""

    codes: NDArray[np.int64]
    distinct: list[Any]

    @classmethod
    def of(cls, cells: Iterable[Any]) -> "Cells":
        """The cells of a column, in order of appearance.

        >>> Cells.of(["uni", "toro", "uni"]).distinct
        ['uni', 'toro']
        """
        listed = list(cells)
        try:
            numbers = {cell: number for number, cell in enumerate(dict.fromkeys(listed))}
        except TypeError:  # some cell is a list or the like
            return cls(np.arange(len(listed)), listed)
        codes = np.fromiter(map(numbers.__getitem__, listed), np.int64, len(listed))
        return cls(codes, list(numbers))

    def some(self, rows: Any) -> "Cells":
        """The cells of some rows; each distinct one occurs."""
        codes = self.codes[rows]
        present = np.zeros(len(self.distinct), dtype=bool)
        present[codes] = True
        distinct = [cell for cell, occurs in zip(self.distinct, present, strict=True) if occurs]
        return Cells((np.cumsum(present) - 1)[codes], distinct)

    def list(self) -> list[Any]:
        """A cell for each row."""
        return [self.distinct[code] for code in self.codes.tolist()]


class Labels(NamedTuple):
    """A column as text: the number of each row's, -1 where there is no value."""

    codes: NDArray[np.int64]
    texts: list[str]


@dataclass(frozen=True, eq=False)
class TableBlock:
    """Some rows of a table."""

    source: str  #: the file's name
    names: list[str]  #: the columns' names, each different
    #: Numbers as float64; anything else as Cells of str, other objects or None
    columns: list[Any]
    #: The line of the file on which each row stands; rows of a frame count from 1
    lines: NDArray[np.int64]
    #: Columns with the same title as an earlier one, and that one
    repeats: dict[int, int] = field(default_factory=dict)
    marked: list[int] | None = None  #: the columns that the table says are items
    #: What a second row of the header, or the file otherwise, says about each column
    about: tuple[str, ...] = ()
    tool: str = ""  #: the program that wrote a table with such labels
    #: What codes in the cells stand for, if another sheet says
    codes: Mapping[str, str] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()  #: the sheets of its workbook
    titled: bool = True  #: whether the names stand in the file
    weighted: int | None = None  #: the column that the table says holds weights
    notes: tuple[str, ...] = ()  #: what was left out already
    _cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.lines)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is worked out about the table, once."""
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]

    def cells(self, column: int) -> Cells:
        """A column by its distinct cells."""
        stored = self.columns[column]
        if isinstance(stored, Cells):
            return stored

        def make() -> Cells:
            distinct, codes = np.unique(stored, return_inverse=True)
            return Cells(codes, distinct.tolist())

        return self.once(("cells", column), make)  # type: ignore[no-any-return]

    def text(self, row: int, column: int) -> str:
        """A cell as text."""
        codes, distinct = self.cells(column)
        return shown(distinct[codes[row]])

    def labels(self, column: int, missing: Callable[[Any], bool] | None = None) -> Labels:
        """A column as text, without blanks around it; by default missing as is_missing says."""

        def make() -> Labels:
            cells = self.cells(column)
            texts: dict[str, int] = {}
            numbers = [
                -1 if (missing or is_missing)(cell) else texts.setdefault(shown(cell), len(texts))
                for cell in cells.distinct
            ]
            return Labels(np.array(numbers, dtype=np.int64)[cells.codes], list(texts))

        return self.once(("labels", column, missing), make)  # type: ignore[no-any-return]

    def numbers(self, column: int, role: str) -> NDArray[np.float64]:
        """A column as numbers, NaN where there is no value."""
        values = self._numbers(column)
        if values is None:
            cells = self.cells(column)
            wrong = [cell for cell in cells.distinct if not _could_be_number(cell, ordinals=True)]
            row = int(np.argmax(cells.codes == cells.distinct.index(wrong[0])))
            problem = f"{role} is {str(wrong[0])[:40]!r}, which is not a number"
            self.refuse(row, column, problem, "write it as a number")
        if np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            self.refuse(row, column, f"{role} is infinite", "leave the cell empty if there is none")
        return values

    def _numbers(self, column: int) -> NDArray[np.float64] | None:
        """The column as numbers; None if a cell is neither a number nor missing."""

        def make() -> NDArray[np.float64] | None:
            stored = self.columns[column]
            if not isinstance(stored, Cells):
                return np.asarray(stored, dtype=np.float64)
            values = _floats(stored.distinct)
            return None if values is None else values[stored.codes]

        return self.once(("numbers", column), make)  # type: ignore[no-any-return]

    def levels(self, column: int, scale: Mapping[str, float]) -> NDArray[np.float64]:
        """A column of words as their levels on a scale, NaN where there is no value."""
        codes, words = self.labels(column)
        levels = [level_of(word, scale) for word in words]
        if None in levels:
            word = levels.index(None)
            self.refuse(
                int(np.argmax(codes == word)),
                column,
                f"{words[word][:40]!r} is not on the scale {', '.join(scale)}",
                ["add it to ", Setting("scale"), ", or choose other ", Setting("item_columns")],
            )
        return np.array([*levels, np.nan], dtype=np.float64)[codes]

    def is_on(self, column: int, scale: Mapping[str, float]) -> bool:
        """Whether the column has a value, and all are on a scale."""
        words = self.labels(column).texts
        return bool(words) and all(level_of(word, scale) is not None for word in words)

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

    def objects(self, column: int) -> NDArray[Any]:
        """A column as objects, None where there is no value; who refuses to say one, says that."""
        cells = self.cells(column)
        values = np.empty(len(cells.distinct) + 1, dtype=object)
        values[:-1] = [
            None if is_missing(cell) and not refuses(cell) else cell for cell in cells.distinct
        ]
        return values[cells.codes]

    def column(self, column: int) -> NDArray[Any]:
        """A column beside the items: numbers as float64, anything else as objects."""
        stored = self.columns[column]
        if not isinstance(stored, Cells):
            return np.asarray(stored, dtype=np.float64)
        if any(map(_is_code, stored.distinct)):
            return side_column(self.objects(column))
        values = None if self.has_ordinals(column) else self._numbers(column)
        return self.objects(column) if values is None else values

    @classmethod
    def joined(cls, blocks: Sequence["TableBlock"]) -> "TableBlock":
        """The rows of several blocks of a table in one."""
        first = blocks[0]
        if len(blocks) == 1:
            return first
        columns = [_joined([block.columns[i] for block in blocks]) for i in range(len(first.names))]
        lines = np.concatenate([block.lines for block in blocks])
        return replace(first, columns=columns, lines=lines)

    def some(self, rows: Any) -> "TableBlock":
        """The rows of a mask, or by their numbers."""
        columns = [
            stored.some(rows) if isinstance(stored, Cells) else stored[rows]
            for stored in self.columns
        ]
        return replace(self, columns=columns, lines=self.lines[rows])

    def without(
        self, codes: Collection[str], columns: Collection[int] | None = None
    ) -> "TableBlock":
        """The table with no value in cells that hold one of some codes, in all or some columns."""
        numbers = [n for code in codes if (n := number_of(code, ordinals=False)) is not None]

        def emptied(stored: Any) -> Any:
            if not isinstance(stored, Cells):
                return np.where(np.isin(stored, numbers), np.nan, stored)
            distinct = [
                None if cell is not None and shown(cell) in codes else cell
                for cell in stored.distinct
            ]
            return Cells(stored.codes, distinct)

        places = range(len(self.names)) if columns is None else columns
        cells = [
            emptied(stored) if i in places else stored for i, stored in enumerate(self.columns)
        ]
        return replace(self, columns=cells)

    def columns_of(self, names: Iterable[str]) -> list[int]:
        """The places of columns with some names."""
        place = {name: i for i, name in enumerate(self.names)}
        return [place[name] for name in names]

    def empty_columns(self) -> set[int]:
        """The columns in which no cell has a value."""

        def make() -> set[int]:
            columns = enumerate(self.cells(i).distinct for i in range(len(self.names)))
            return {i for i, cells in columns if all(map(is_missing, cells))}

        return set(self.once("empty", make))

    def blank_rows(self) -> NDArray[np.bool_]:
        """The rows in which no cell has a value."""
        blank = np.ones(len(self), dtype=bool)
        for i in range(len(self.names)):
            codes, distinct = self.cells(i)
            blank &= np.array([is_missing(cell) for cell in distinct])[codes]
        return blank

    def is_numeric(self, column: int) -> bool:
        """Whether the column has only numbers and missing values."""
        return self._numbers(column) is not None

    def has_ordinals(self, column: int) -> bool:
        """Whether the column has cells such as ``1st``."""
        stored = self.columns[column]
        return isinstance(stored, Cells) and any(
            isinstance(cell, str) and _ORDINAL.fullmatch(cell.strip().lower())
            for cell in stored.distinct
        )


def n_distinct(codes: NDArray[np.int64]) -> int:
    """How many different numbers there are."""
    return 1 + int(np.count_nonzero(np.diff(np.sort(codes)))) if codes.size else 0


def _joined(columns: Sequence[Any]) -> Any:
    """One column of the columns of several blocks."""
    if not any(isinstance(part, Cells) for part in columns):
        return np.concatenate(columns)
    parts = [part if isinstance(part, Cells) else Cells.of(part.tolist()) for part in columns]
    distinct = Cells.of(cell for part in parts for cell in part.distinct)
    starts = np.cumsum([0, *(len(part.distinct) for part in parts)])
    codes = [
        distinct.codes[start : start + len(part.distinct)][part.codes]
        for start, part in zip(starts, parts, strict=False)
    ]
    return Cells(np.concatenate(codes), distinct.distinct)


def _floats(cells: Sequence[Any]) -> NDArray[np.float64] | None:
    """The cells as numbers, NaN where one is missing; None if one is anything else."""
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except (TypeError, ValueError, OverflowError):
        pass
    values = np.empty(len(cells))
    for i, cell in enumerate(cells):
        number = np.nan if is_missing(cell) else number_of(cell)
        if number is None:
            return None
        values[i] = number
    return values


def shown(cell: Any) -> str:
    """A cell as text; a whole number without its decimal point."""
    is_whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if is_whole else cell).strip()


def is_missing(cell: Any) -> bool:
    """Whether a cell has no value."""
    if isinstance(cell, str):
        return cell.strip().lower() in _MISSING
    return is_empty(cell)


def names_nobody(text: str) -> bool:
    """Whether a cell of a ballot says that nobody is chosen, as "$UNDERVOTE" does."""
    word = text.strip().lower()
    return word == "undervote" or (word[:1] == "$" and word[1:] in {*NOBODY, OVERVOTE})


def refuses(cell: Any) -> bool:
    """Whether somebody refuses an answer."""
    return isinstance(cell, str) and cell.strip().lower() in REFUSALS


def is_empty(cell: Any) -> bool:
    """Whether a cell is empty; here a word such as NA is a value."""
    return not cell.strip() if isinstance(cell, str) else cell is None or cell != cell


def number_of(cell: Any, *, ordinals: bool = True) -> float | None:
    """The number in a cell, which may be ``1st`` or ``first``; None if there is none."""
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        text = cell.strip().lower() if ordinals and isinstance(cell, str) else ""
        match = _ORDINAL.fullmatch(text)
        if match is None:
            return None
        return float(match[1] or ORDINALS.index(match[2]) + 1)


def _could_be_number(cell: Any, *, ordinals: bool = False) -> bool:
    return is_missing(cell) or number_of(cell, ordinals=ordinals) is not None


def side_column(values: NDArray[Any]) -> NDArray[Any]:
    """Objects as float64 if all that have a value are numbers, and unchanged otherwise.

    Codes that a number would change stay text.

    >>> side_column(np.array(["02139", "10001"], dtype=object))
    array(['02139', '10001'], dtype=object)
    >>> side_column(np.array(["3", None, "1.5"], dtype=object))
    array([3. , nan, 1.5])
    """
    if values.dtype.kind == "f":
        return values
    cells = Cells.of(values.tolist())
    if any(map(_is_code, cells.distinct)):
        # Numbers among them come from blocks without such codes.
        texts = [c if c is None or isinstance(c, str) else shown(c) for c in cells.distinct]
        return np.array([*texts, None], dtype=object)[cells.codes]
    return typed(values)


def _is_code(cell: Any) -> bool:
    """Whether text of digits has a zero or sign in front, or is too long for a float to hold."""
    if not isinstance(cell, str) or not (match := _DIGITS.fullmatch(cell.strip())):
        return False
    digits = match[2]
    padded = match[1] == "+" or (digits.startswith("0") and digits != "0")
    return padded or len(digits) > 16 or int(digits) > EXACT


def typed(values: NDArray[Any]) -> NDArray[Any]:
    """Objects as float64 if all that have a value are numbers, and unchanged otherwise."""
    cells = Cells.of(values.tolist())
    if not all(map(_could_be_number, cells.distinct)):
        return values
    numbers = [np.nan if is_missing(cell) else float(cell) for cell in cells.distinct]
    return np.array([*numbers, np.nan])[cells.codes]


def plain_cells(values: NDArray[Any]) -> list[Any]:
    """Python values: whole numbers as integers, None for NaN."""
    cells: list[Any] = values.tolist()
    if values.dtype.kind != "f":
        return cells
    return [
        None if cell != cell else int(cell) if cell.is_integer() and abs(cell) < EXACT else cell
        for cell in cells
    ]


def frame_blocks(frame: Any, name: str, rows: int | None = None) -> Iterator[TableBlock]:
    """The blocks of a pandas, Polars or PyArrow table."""
    table = as_frame(frame)
    if table is None:
        raise InputError("this is no frame", remedy="pass one of pandas, Polars or PyArrow")
    n_rows, width = table.shape
    if n_rows == 0 or width == 0:
        raise RankingFileError("the table has no rows", name)
    step = rows or n_rows
    names, marked = read_marks([str(column) for column in table.columns], name)
    for start in range(0, n_rows, step):
        some = table[start : start + step]
        columns = [_cells(series) for series in some.iter_columns()]
        lines = np.arange(start, start + len(some)) + 1
        yield TableBlock(name, names, columns, lines, marked=marked)


def _cells(series: nw.Series[Any]) -> Any:
    numbers = series.dtype.is_numeric()
    if numbers and not (series.dtype.is_integer() and _too_large(series)):
        return series.cast(nw.Float64).to_numpy().astype(np.float64)
    cells = series.to_list()
    if numbers or series.dtype == nw.Boolean:
        # Text that a float would change, or turn into a rank, stays text, as in a CSV file.
        return Cells.of(None if cell is None else str(cell) for cell in cells)
    return Cells.of(cells)


def _too_large(series: nw.Series[Any]) -> bool:
    ends = [end for end in (series.min(), series.max()) if end is not None]
    return any(abs(int(end)) > EXACT for end in ends)
