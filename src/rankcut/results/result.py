"""What every answer has, written once over its sentences, tables and picture; and tables."""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Any

import narwhals as nw

from rankcut.errors import InputError
from rankcut.parameters import check_choice
from rankcut.pictures.figures import draw_axes, draw_figure, save_figure
from rankcut.pictures.page import Html, page, show_picture, tag
from rankcut.pictures.page import table as show_table
from rankcut.pictures.scene import Picture
from rankcut.pictures.theme import MOST_IN_FIGURE, shorten

TABLES = (".csv", ".json", ".parquet", ".xlsx")
PICTURES = (".png", ".svg", ".pdf")
SUFFIXES = (*TABLES, ".html", *PICTURES)
"""The suffixes of files that every result can be written to."""


NAME_LETTERS = 28
"""Characters of a name in a terminal: two of them fill about half of a line."""


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
            cells = [[shorten(cell, NAME_LETTERS) for cell in column] for column in cells]
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


class Result(ABC):
    """What an answer says, in words, tables and a picture.

    An answer writes :meth:`sentences`, :meth:`tables` and :meth:`picture`, and may write
    :meth:`facts`, :meth:`lines` and :meth:`body`.
    """

    @abstractmethod
    def sentences(self) -> list[str]:
        """The answer in plain words, the main sentence first."""

    @abstractmethod
    def tables(self) -> dict[str, Table]:
        """The tables by name, the main one first."""

    @abstractmethod
    def picture(self) -> Picture | None:
        """A drawing; None if there is nothing to draw."""

    def facts(self) -> dict[str, Any]:
        """Single values that no table has, for JSON."""
        return {}

    def lines(self, most: int = 20) -> list[str]:
        """Text for a terminal: the first rows of the main table, then the sentences."""
        table = next(iter(self.tables().values()), Table({}))
        return [*table.lines(most), "", *self.sentences()] if len(table) else self.sentences()

    def body(self) -> Iterator[Html]:
        """What a page shows below its heading: sentences, the picture, the tables."""
        yield from (tag("p", sentence) for sentence in self.sentences())
        picture = self.picture()
        if picture is not None:
            yield from show_picture(picture)
        tables = {name: table for name, table in self.tables().items() if len(table)}
        for name, table in tables.items():
            if len(tables) > 1:
                yield tag("h2", name.replace("_", " ").capitalize())
            yield show_table(list(table.columns), [list(row.values()) for row in table])

    def summary(self) -> str:
        """The answer in plain words, a sentence a line."""
        return "\n".join(self.sentences())

    def to_frame(self, table: str | None = None, backend: str | None = None) -> Any:
        """A table as a pandas or Polars frame.

        Parameters
        ----------
        table : str or None
            The name of one of :meth:`tables`; None is the first.
        backend : {"pandas", "polars", "pyarrow"} or None
            Which library; None is the one that is installed, pandas first.
        """
        tables = self.tables()
        if table is None:
            table = next(iter(tables))
        check_choice(table, tuple(tables), "table")
        return tables[table].to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything as text, numbers, lists and dictionaries, ready for JSON.

        ``sentences``, then single values, then for each table an object a row.
        """
        data = {"sentences": self.sentences(), **self.facts(), **self.tables()}
        return {name: plain(value) for name, value in data.items()}

    def plot(self, ax: Any = None, title: str | None = None, **options: Any) -> Any:
        """The picture by Matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or None
            Where to draw; None makes a figure with the heading and what is said about it.
        title : str or None
            The heading; None is that of the picture.
        **options
            What :meth:`picture` takes.

        Returns
        -------
        matplotlib.figure.Figure
        """
        picture = self.titled_picture(title, **options)
        if picture is None:
            raise InputError("there is nothing to draw")
        return draw_figure(picture) if ax is None else draw_axes(ax, picture)

    def titled_picture(self, title: str | None = None, **options: Any) -> Picture | None:
        """The picture with another heading, or with its own."""
        picture = self.picture(**options)
        return picture if picture is None or title is None else replace(picture, title=title)

    def page(self, title: str | None = None) -> str:
        """One HTML page, which needs no network."""
        picture = None if title else self.picture()
        heading = title or (self.headline() if picture is None else picture.title)
        return page(heading, tag("h1", heading), *self.body())

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        spreadsheet: bool = False,
        **options: Any,
    ) -> None:
        """Write a file by its suffix, whole or not at all.

        .csv and .parquet have the main table, .xlsx all tables, .json everything, .html a page,
        .png, .svg and .pdf the picture.

        Parameters
        ----------
        path : path
            Where to write.
        title : str or None
            Heading of a page or picture.
        spreadsheet : bool
            In CSV, write ``'`` before text that a spreadsheet takes for a formula.
        **options
            What :meth:`picture` takes.
        """
        from rankcut.files.disk import atomic_file, atomic_path

        suffix, file = Path(path).suffix.lower(), os.fspath(path)
        if suffix in PICTURES:
            picture = self.titled_picture(title or None, **options)
            if picture is None:
                raise InputError("there is nothing to draw", file=file)
            with atomic_path(path) as draft:
                save_figure(draw_figure(picture), draft)
            return
        content = self._content(suffix, title or None, spreadsheet=spreadsheet, file=file)
        with atomic_file(path) as sink:
            sink.write(content)

    def _content(self, suffix: str, title: str | None, *, spreadsheet: bool, file: str) -> bytes:
        """The bytes of a table or a page."""
        from rankcut.files.stored_tables import format_excel, format_parquet
        from rankcut.files.text import format_text

        tables = self.tables()
        main = next(iter(tables.values()), Table({})).columns
        if suffix == ".html":
            return self.page(title).encode()
        if suffix == ".json":
            return json_text(self.to_dict()).encode() + b"\n"
        if suffix == ".csv":
            return format_text(main, ",", spreadsheet=spreadsheet)
        if suffix == ".parquet":
            return format_parquet({name: one_type(values) for name, values in main.items()})
        if suffix == ".xlsx":
            return format_excel({name: {**table.columns} for name, table in tables.items()})
        words = ", ".join(SUFFIXES)
        raise InputError(f"unknown suffix {suffix!r}; write one of {words}", file=file)

    def headline(self) -> str:
        """The main sentence, on a line."""
        # One or two lines of a terminal.
        return shorten(next(iter(self.sentences()), ""), 160)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.headline()})"

    def _repr_html_(self) -> str:
        table = next(iter(self.tables().values()), None)
        content = "" if table is None else table._repr_html_()
        return f"<p>{escape(self.headline())}</p>{content}"


class EstimatorResult(Result):
    """An estimator that is the answer once it is fitted; it stands before ``BaseEstimator``."""

    def is_fitted(self) -> bool:
        """Whether there is an answer."""
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        estimator = super(Result, self).__repr__()
        return f"{estimator}: {self.headline()}" if self.is_fitted() else estimator

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if not self.is_fitted():
            return super(Result, self)._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
