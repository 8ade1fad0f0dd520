"""Columns of a table as numbers and labels, and what their names say."""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from rankcut._loops.types import Floats, Longs
from rankcut.errors import InputError
from rankcut.files.tables import Cells, TableBlock
from rankcut.rankings import as_frame

Labels: TypeAlias = tuple[Hashable, ...]

# Goals of both teams at full time, as football-data.co.uk names them.
_SHORT = {"fthg": ["home", "goals"], "ftag": ["away", "goals"]}

# Cells of text that mean no value.
_MISSING = {"", "na", "nan", "null", "n/a"}


def tokens_of(name: str) -> list[str]:
    """The words of a column's name.

    >>> tokens_of("model_a"), tokens_of("HomeTeam"), tokens_of("player1")
    (['model', 'a'], ['home', 'team'], ['player', '1'])
    """
    parts = re.split(r"[\s_.-]+|(?<=[a-z])(?=[12]$|[A-Z])", name.strip())
    return _SHORT.get(name.strip().lower()) or [part.lower() for part in parts if part]


@dataclass(frozen=True, eq=False)
class TableColumn:
    """A column of a table.

    >>> column = TableColumn(["uni", None, "ika ", "ika"])
    >>> codes, labels = column.coded
    >>> codes.tolist(), labels
    ([0, -1, 1, 1], ['uni', 'ika'])
    """

    cells: Any  #: a sequence, a series of the user's library, or Cells
    values: Floats | None = None  #: the cells as numbers; None if some are none

    @property
    def is_numeric(self) -> bool:
        """Whether all cells are numbers, or empty."""
        return self.values is not None

    @property
    def numbers(self) -> Floats:
        """The cells of a column of numbers, NaN where one is empty."""
        assert self.values is not None
        return self.values

    @cached_property
    def coded(self) -> tuple[Longs, list[Any]]:
        """The cells as numbers, −1 where there is none, and the labels that these stand for."""
        if isinstance(self.cells, Cells):
            codes, values = self.cells.codes, self.cells.distinct
        elif hasattr(self.cells, "factorize"):
            numbers, values = self.cells.factorize()
            codes, values = np.asarray(numbers, dtype=np.int64), list(values)
        else:
            cells = self.cells.tolist() if hasattr(self.cells, "tolist") else list(self.cells)
            values = list(dict.fromkeys(cells))
            number = {value: code for code, value in enumerate(values)}
            codes = np.fromiter(map(number.__getitem__, cells), np.int64, len(cells))
        labels = [label_of_cell(value) for value in values]
        distinct = {
            label: code
            for code, label in enumerate(dict.fromkeys(x for x in labels if x is not None))
        }
        places = [-1 if label is None else distinct[label] for label in labels]
        return np.array([*places, -1], dtype=np.int64)[codes], list(distinct)


def read_columns(table: Any) -> dict[str, TableColumn]:
    """The columns of a frame, or of a table that was read from a file."""
    if isinstance(table, TableBlock):
        return {
            name: TableColumn(
                table.columns[i],
                table.numbers(i, "the number") if table.is_numeric(i) else None,
            )
            for i, name in enumerate(table.names)
        }
    frame = as_frame(table)
    if frame is None:
        raise InputError("this is no frame", remedy="pass one of pandas, Polars or PyArrow")
    columns: dict[str, TableColumn] = {}
    for series in frame.iter_columns():
        if series.dtype in (nw.Object, nw.Struct):
            columns |= _columns_within(str(series.name), series.to_list())
            continue
        numeric = series.dtype.is_numeric()
        numbers = series.to_numpy().astype(np.float64) if numeric else None
        native = series.to_native()
        cells = native if hasattr(native, "factorize") else series.to_list()
        columns[str(series.name)] = TableColumn(cells, numbers)
    return columns


def _columns_within(name: str, cells: list[Any]) -> dict[str, TableColumn]:
    """A column of the user's objects; of records, a column for each of their entries."""
    if not any(isinstance(cell, dict) for cell in cells):
        return {name: TableColumn(cells)}
    records = [cell if isinstance(cell, dict) else {} for cell in cells]
    columns: dict[str, TableColumn] = {}
    for key in dict.fromkeys(key for record in records for key in record):
        inner = [record.get(key) for record in records]
        values = [np.nan if cell is None else cell for cell in inner]
        if all(isinstance(value, int | float) for value in values):
            numbers = np.array(values, dtype=np.float64)
            columns[f"{name}.{key}"] = TableColumn(inner, numbers)
        else:
            columns |= _columns_within(f"{name}.{key}", inner)
    return columns


def label_of_cell(value: Any) -> Any:
    """A cell as a label: plain numbers and stripped text; None where there is no value."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str):
        text = value.strip()
        return None if text.lower() in _MISSING else text
    if value is None or value != value:
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def sorted_labels(*columns: Sequence[Any]) -> tuple[Any, ...]:
    """All labels in their order, then for each column where its labels are; −1 stays −1.

    >>> labels, places = sorted_labels(["uni", "ika"])
    >>> labels, places.tolist()
    (('ika', 'uni'), [1, 0, -1])
    """
    labels = {label for column in columns for label in column}
    try:
        every = sorted(labels)
    except TypeError:
        every = sorted(labels, key=str)
    place = {label: number for number, label in enumerate(every)}
    return tuple(every), *(
        np.array([*(place[label] for label in column), -1], dtype=np.int64) for column in columns
    )
