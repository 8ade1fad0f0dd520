"""What every answer has, written once over its sentences, tables and picture."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import Any

from rankcut.errors import InputError
from rankcut.parameters import check_choice
from rankcut.pictures.figures import draw_axes, draw_figure
from rankcut.pictures.page import Html, page, show_picture, tag
from rankcut.pictures.page import table as show_table
from rankcut.pictures.scene import Picture
from rankcut.pictures.theme import shorten
from rankcut.results.table import Table, plain

# Characters of the sentence that stands for an answer: one or two lines of a terminal.
_SENTENCE_LETTERS = 160


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
        from rankcut.results.files import save_result

        save_result(self, path, title=title or None, spreadsheet=spreadsheet, **options)

    def headline(self) -> str:
        """The main sentence, on a line."""
        return shorten(next(iter(self.sentences()), ""), _SENTENCE_LETTERS)

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
