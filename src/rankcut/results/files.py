"""A result as a file, by the suffix of its name."""

import os
from pathlib import Path
from typing import Any

from rankcut.errors import InputError
from rankcut.files.disk import atomic_file, atomic_path
from rankcut.files.stored_tables import format_excel, format_parquet
from rankcut.files.text import format_text
from rankcut.pictures.figures import draw_figure, save_figure
from rankcut.results.result import Result
from rankcut.results.table import Table, json_text, one_type

TABLES = (".csv", ".json", ".parquet", ".xlsx")
PICTURES = (".png", ".svg", ".pdf")
SUFFIXES = (*TABLES, ".html", *PICTURES)
"""The suffixes of files that every result can be written to."""


def save_result(
    result: Result,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    spreadsheet: bool = False,
    **options: Any,
) -> None:
    """Write a result to a file, whole or not at all: see :meth:`Result.save`."""
    suffix = Path(path).suffix.lower()
    if suffix in PICTURES:
        picture = result.titled_picture(title, **options)
        if picture is None:
            raise InputError("there is nothing to draw", file=os.fspath(path))
        with atomic_path(path) as draft:
            save_figure(draw_figure(picture), draft)
        return
    content = file_content(result, suffix, title, spreadsheet=spreadsheet, file=os.fspath(path))
    with atomic_file(path) as file:
        file.write(content)


def file_content(
    result: Result, suffix: str, title: str | None, *, spreadsheet: bool, file: str
) -> bytes:
    """The bytes of a table or a page."""
    tables = result.tables()
    main = next(iter(tables.values()), Table({}))
    if suffix == ".html":
        return result.page(title).encode()
    if suffix == ".json":
        return json_text(result.to_dict()).encode() + b"\n"
    if suffix == ".csv":
        return format_text(main.columns, ",", spreadsheet=spreadsheet)
    if suffix == ".parquet":
        return format_parquet({name: one_type(values) for name, values in main.columns.items()})
    if suffix == ".xlsx":
        return format_excel({name: {**table.columns} for name, table in tables.items()})
    raise InputError(f"unknown suffix {suffix!r}; write one of {', '.join(SUFFIXES)}", file=file)
