"""Frames and Parquet files as blocks of columns."""

import io
from collections.abc import Iterator
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
