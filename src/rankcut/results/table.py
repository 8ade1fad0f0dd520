"""Tables of results, and plain values for JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.util import find_spec
from math import isfinite
from typing import Any

import narwhals as nw

from rankcut.parameters import check_choice
from rankcut.pictures.theme import MOST_IN_FIGURE, shorten

# Characters of a cell of text in a terminal: about two names of items fill half of a line.
_WIDEST = 28


class Table:
    """Columns of equal length.

    Parameters
    ----------
    columns : mapping of str to sequence or array
        The columns, in their order.

    Examples
    --------
    >>> table = Table({"item": ["uni", "ika"], "p_value": [0.0123, 0.5]})
    >>> table
    item  p_value
    uni    0.0123
    ika       0.5
    >>> table["item"], table[1]
    (['uni', 'ika'], {'item': 'ika', 'p_value': 0.5})
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.columns = {
            name: list(values.tolist() if hasattr(values, "tolist") else values)
            for name, values in columns.items()
        }

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Any]]) -> "Table":
        """The table with an object for each row, all with the same names; there is at least one.

        >>> Table.from_rows([{"row": 0, "count": 5}, {"row": 1, "count": 1}]).columns
        {'row': [0, 1], 'count': [5, 1]}
        """
        return cls({name: [row[name] for row in rows] for name in rows[0]})

    @classmethod
    def from_lists(cls, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> "Table":
        """The table with a list for each row.

        >>> Table.from_lists(["row", "count"], [[0, 5], [1, 1]]).columns
        {'row': [0, 1], 'count': [5, 1]}
        """
        return cls({name: [row[k] for row in rows] for k, name in enumerate(names)})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __getitem__(self, which: int | str) -> Any:
        """A column by its name, or a row by its number."""
        if isinstance(which, str):
            return self.columns[which]
        return {name: values[which] for name, values in self.columns.items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[row] for row in range(len(self)))

    def to_frame(self, backend: Any = None) -> Any:
        """The table as a pandas or Polars frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            Which library; None is the one that is installed, pandas first.
        """
        if backend is None:
            backend = next((name for name in ("pandas", "polars") if find_spec(name)), None)
        if backend is None:
            raise ModuleNotFoundError(
                "a frame needs pandas or Polars, and neither is installed; read the columns of the "
                "table, or install one of them"
            )
        check_choice(backend, ("pandas", "polars", "pyarrow"), "backend")
        columns = {name: one_type(values) for name, values in self.columns.items()}
        return nw.from_dict(columns, backend=backend).to_native()

    def lines(self, most: int | None = None) -> list[str]:
        """Text for a terminal: the names of columns and the first rows, long cells cut.

        >>> Table({"item": ["uni", "ika"], "place": [1, 2]}).lines(1)
        ['item  place', 'uni       1', '… and 1 more']
        """
        columns = {name: values[:most] for name, values in self.columns.items()}
        cells = [[in_cell(value) for value in values] for values in columns.values()]
        if most is not None:
            cells = [[shorten(cell, _WIDEST) for cell in column] for column in cells]
        numeric = [all(isinstance(v, int | float) for v in vs) for vs in columns.values()]
        widths = [
            max(map(len, [name, *column])) for name, column in zip(columns, cells, strict=True)
        ]
        rows = [list(columns), *map(list, zip(*cells, strict=True))]
        lines = [
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(row, widths, numeric, strict=True)
            ).rstrip()
            for row in rows
        ]
        n_more = 0 if most is None else len(self) - most
        return [*lines, f"… and {n_more:,} more"] if n_more > 0 else lines

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = (
            "".join(f"<td>{escape(in_cell(value))}</td>" for value in self[row].values())
            for row in range(min(len(self), MOST_IN_FIGURE))
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        n_more = len(self) - MOST_IN_FIGURE
        more = f"<p>… and {n_more:,} more rows</p>" if n_more > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def in_cell(value: Any) -> str:
    """A value as a cell of a table shows it.

    >>> in_cell(None), in_cell(0.123456), in_cell("uni")
    ('–', '0.1235', 'uni')
    """
    if value is None or value != value:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def one_type(values: Sequence[Any]) -> list[Any]:
    """The values of a column, as text if text is among them and they are not all text.

    >>> one_type(["uni", 3, None]), one_type([1, 2.5])
    (['uni', '3', None], [1.0, 2.5])
    """
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2:
        return list(values)
    as_kind = float if kinds <= {int, float} else str
    return [None if value is None else as_kind(value) for value in values]


def plain(value: Any) -> Any:
    """Nothing but text, finite numbers, lists and dictionaries, as JSON has them.

    >>> plain({1: (float("nan"), 2)}), plain(Table({"item": ["uni"]}))
    ({'1': [None, 2]}, [{'item': 'uni'}])
    """
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | Table):
        return [plain(each) for each in value]
    if hasattr(value, "tolist"):  # NumPy's
        return plain(value.tolist())
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def json_text(data: Any, *, ascii_only: bool = False) -> str:
    """JSON of values that :func:`plain` can make plain."""
    return json.dumps(plain(data), indent=2, ensure_ascii=ascii_only, allow_nan=False)
