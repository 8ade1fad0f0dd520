"""Frames and Parquet files as blocks of columns."""

import glob
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from rankcut.files.columns import BLOCK_CELLS, LARGEST_EXACT, Block
from rankcut.files.errors import RankingFileError
from rankcut.files.opening import Source, read_all, source_name


def frame_blocks(frame: Any, name: str, rows: int | None = None) -> Iterator[Block]:
    """The blocks of a pandas, Polars or PyArrow table."""
    table = nw.from_native(frame, eager_only=True)
    n_rows, width = table.shape
    if n_rows == 0 or width == 0:
        raise RankingFileError("the table has no rows", name)
    step = rows or max(1, BLOCK_CELLS // width)
    names = [str(column) for column in table.columns]
    for start in range(0, n_rows, step):
        piece = table[start : start + step]
        columns = [_cells(piece[column]) for column in table.columns]
        yield Block(name, names, columns, np.arange(start, start + len(piece)) + 1)


def _cells(series: nw.Series[Any]) -> Any:
    numbers = series.dtype.is_numeric()
    if numbers and not (series.dtype.is_integer() and _too_large(series)):
        return series.cast(nw.Float64).to_numpy().astype(np.float64)
    cells = series.to_list()
    if numbers or series.dtype == nw.Boolean:
        # What a float would change, or make a rank of, is text, as it would be in a CSV file.
        return tuple(None if cell is None else str(cell) for cell in cells)
    return tuple(cells)


def _too_large(series: nw.Series[Any]) -> bool:
    ends = [end for end in (series.min(), series.max()) if end is not None]
    return any(abs(int(end)) > LARGEST_EXACT for end in ends)


def parquet_blocks(source: Source, *, rows: int | None = None) -> Iterator[Block]:
    """The blocks of a Parquet file, read a batch at a time with PyArrow."""
    name = source_name(source)
    files = parquet_files(source)
    if files is not None:
        yield from _blocks_of_files(files, rows)
        return
    pa, pq = import_pyarrow()
    opened = source if isinstance(source, str) or hasattr(source, "__fspath__") else None
    try:
        file = pq.ParquetFile(io.BytesIO(read_all(source)) if opened is None else opened)
        with file:
            width = max(1, len(file.schema_arrow))
            step = rows or max(1, BLOCK_CELLS // width)
            first = 1
            for batch in file.iter_batches(batch_size=step):
                for block in frame_blocks(pa.Table.from_batches([batch]), name):
                    yield Block(name, block.names, block.columns, block.lines + first - 1)
                first += len(batch)
    except FileNotFoundError:
        raise RankingFileError("there is no such file", name) from None
    except (pa.ArrowException, OSError) as problem:
        raise RankingFileError(f"not a Parquet file: {problem}", name) from None
    if first == 1:
        raise RankingFileError("the table has no rows", name)


def _blocks_of_files(files: list[str], rows: int | None) -> Iterator[Block]:
    names: list[str] | None = None
    for file in files:
        for block in parquet_blocks(file, rows=rows):
            names = names or list(block.names)
            check_columns(block.names, names, file, files[0])
            yield block


def check_columns(names: Sequence[str], expected: Sequence[str], file: str, first: str) -> None:
    """Refuse a file of a data set whose columns are not those of the first one."""
    if list(names) != list(expected):
        odd = sorted(set(names) ^ set(expected)) or ["their order"]
        raise RankingFileError(f"its columns are not those of {first}: see {odd[0]!r}", file)


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
