"""Parquet files and data sets, read in blocks and written.

A file that this library wrote says in its metadata which columns are items.
"""

import glob
import io
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankcut.errors import RankingFileError
from rankcut.files.archives import check_proportion, reading_as
from rankcut.files.table_columns import Columns
from rankcut.files.tables import BLOCK_CELLS, Declared, TableBlock, frame_blocks
from rankcut.files.text import Source, read_all, source_name

_KEY = b"rankcut"
# The form of what we write beside the columns; a newer one is refused.
_VERSION = 1


def parquet_blocks(source: Source, *, rows: int | None = None) -> Iterator[TableBlock]:
    """The blocks of a Parquet file or data set, read a batch at a time with PyArrow."""
    files: Sequence[Source] = parquet_files(source) or [source]
    names: list[str] | None = None
    for file in files:
        name = source_name(file)
        block = None
        with opened_parquet(file) as opened:
            step = rows or max(1, BLOCK_CELLS // max(1, len(opened.schema_arrow)))
            for block in batches(opened, name, step):
                names = names or list(block.names)
                check_columns(block.names, names, name, source_name(files[0]))
                yield block
        if block is None:
            raise RankingFileError("the table has no rows", name)


def batches(
    file: Any, name: str, step: int, groups: Sequence[int] | None = None
) -> Iterator[TableBlock]:
    """The blocks of a file, or of some of its row groups."""
    pa, _ = import_pyarrow()
    declared = _declared(file.schema_arrow, name)
    first = 0
    for batch in file.iter_batches(batch_size=step, row_groups=groups):
        for block in frame_blocks(pa.Table.from_batches([batch]), name, rows=step):
            lines = block.lines + first
            yield replace(block, lines=lines, declared=declared or block.declared)
        first += len(batch)


def _declared(schema: Any, name: str) -> Declared | None:
    """The columns that are items, if the file says so; missing ones are ignored."""
    content = (schema.metadata or {}).get(_KEY)
    if content is None:
        return None
    told = json.loads(content)
    if told["version"] > _VERSION:
        raise RankingFileError(
            "was written by a newer version of rankcut", name, remedy="install that version"
        )
    place = {column: i for i, column in enumerate(schema.names)}
    return Declared(told["layout"], [place[item] for item in told["items"] if item in place])


@contextmanager
def opened_parquet(source: Source) -> Iterator[Any]:
    """The file of PyArrow; whatever it raises is one line that names the file."""
    name = source_name(source)
    _, pq = import_pyarrow()
    on_disk = isinstance(source, str | os.PathLike)
    if on_disk and not Path(source).exists():  # type: ignore[arg-type]
        raise RankingFileError("there is no such file", name)
    content = source if on_disk else io.BytesIO(read_all(source))
    with reading_as("a Parquet file", name), pq.ParquetFile(content) as file:
        names = file.schema_arrow.names
        if len(set(names)) < len(names):
            twice = next(column for i, column in enumerate(names) if column in names[:i])
            raise RankingFileError(f"two columns are called {twice!r}", name)
        size = os.path.getsize(source) if on_disk else content.getbuffer().nbytes  # type: ignore[arg-type,union-attr]
        check_proportion(file.metadata.num_rows * len(names), size, name)
        yield file


def check_columns(names: Sequence[str], expected: Sequence[str], file: str, first: str) -> None:
    """Refuse a file of a data set whose columns are not those of the first one."""
    if list(names) != list(expected):
        odd = sorted(set(names) ^ set(expected)) or ["their order"]
        raise RankingFileError(f"its columns differ from those of {first}: see {odd[0]!r}", file)


def parquet_files(source: Source) -> list[str] | None:
    """The files of a Parquet data set: a directory, or a pattern such as ``votes/*.parquet``.

    None for anything else. Files whose names begin with a dot or an underscore do not count.
    """
    if not isinstance(source, str | os.PathLike):
        return None
    place = Path(source)
    if place.is_dir():
        found = [str(file) for file in place.rglob("*.parquet") if file.name[0] not in "._"]
        what = "there is no Parquet file in this directory"
    elif glob.has_magic(os.fspath(source)) and not place.exists():
        found = [file for file in glob.glob(os.fspath(source)) if Path(file).name[0] not in "._"]
        what = "no file has a name like this"
    else:
        return None
    if not found:
        raise RankingFileError(what, os.fspath(source))
    return sorted(found)


def import_pyarrow() -> tuple[Any, Any]:
    """PyArrow and its Parquet module, or a line that says how to get them."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ModuleNotFoundError(
            'Parquet files need PyArrow: pip install "rankcut[parquet]"'
        ) from None
    return pyarrow, pyarrow.parquet


def format_parquet(columns: Columns, declared: Declared | None = None) -> bytes:
    """The bytes of a Parquet file, which says which columns are items."""
    pa, pq = import_pyarrow()
    sink = io.BytesIO()
    table = pa.table({name: _arrow(pa, cells) for name, cells in columns.items()})
    if declared is not None:
        items = [table.schema.names[i] for i in declared.items]
        told = {"version": _VERSION, "layout": declared.layout, "items": items}
        table = table.replace_schema_metadata({_KEY: json.dumps(told).encode()})
    pq.write_table(table, sink)
    return sink.getvalue()


def _arrow(pa: Any, cells: Sequence[Any]) -> Any:
    present = {type(cell) for cell in cells if cell is not None}
    if present <= {int, float}:
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if len(present) > 1:
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
    return pa.array(cells)
