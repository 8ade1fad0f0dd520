"""Small tables of results: named columns that print as text and convert to frames."""

import html
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import narwhals as nw

from rankcut.parameters import check_choice


class Table:
    """Columns of equal length.

    Parameters
    ----------
    columns : mapping of str to sequence
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

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self.columns = {name: list(values) for name, values in columns.items()}

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
        return nw.from_dict(self.columns, backend=backend).to_native()

    def __repr__(self) -> str:
        cells = [[_shown(value) for value in values] for values in self.columns.values()]
        numeric = [all(isinstance(v, int | float) for v in vs) for vs in self.columns.values()]
        widths = [
            max(map(len, [name, *column])) for name, column in zip(self.columns, cells, strict=True)
        ]
        lines = [list(self.columns), *map(list, zip(*cells, strict=True))]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(line, widths, numeric, strict=True)
            ).rstrip()
            for line in lines
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(v))}</td>" for v in row.values()) + "</tr>"
            for row in self
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
