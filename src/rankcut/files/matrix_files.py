"""Matrices as files of several formats at once, written block by block."""

import csv
import io
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, BinaryIO, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from rankcut.errors import RankingFileError
from rankcut.files.drafts import atomic_file
from rankcut.files.parquet import import_pyarrow
from rankcut.files.table_columns import Columns

MatrixFormat: TypeAlias = Literal["npy", "csv", "parquet"]


class MatrixBlock(NamedTuple):
    """Rows of a matrix, and columns that describe them.

    ``known`` are columns in front of a table. Where rows have ``counts``, npy files, which
    have no columns, repeat each row.
    """

    matrix: NDArray[Any]
    known: Columns
    counts: NDArray[np.int64] | None = None

    def rows(self) -> NDArray[np.float64]:
        """A row for each ranking."""
        repeated = self.matrix if self.counts is None else self.matrix.repeat(self.counts, axis=0)
        return np.ascontiguousarray(repeated, dtype="<f8")


class _Writer(Protocol):
    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None: ...

    def add(self, block: MatrixBlock) -> None: ...

    def close(self) -> None: ...


def write_matrix(
    blocks: Iterable[MatrixBlock], names: Sequence[str], targets: Mapping[str, MatrixFormat]
) -> None:
    """Write a matrix block by block, to one file or to several.

    Parameters
    ----------
    blocks : iterable of MatrixBlock
        Rows of the matrix, and columns that describe them.
    names : sequence of str
        The columns' names.
    targets : mapping
        The format of each path.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> place = str(Path(tempfile.mkdtemp()) / "features.csv")
    >>> block = MatrixBlock(np.eye(2), {"ranking": ["a", "b"]})
    >>> write_matrix([block], ["toro", "uni"], {place: "csv"})
    >>> print(Path(place).read_text())
    ranking,toro,uni
    a,1.0,0.0
    b,0.0,1.0
    <BLANKLINE>
    """
    kinds: dict[MatrixFormat, type[_Writer]] = {
        "npy": _NpyWriter,
        "csv": _CsvWriter,
        "parquet": _ParquetWriter,
    }
    tables = [target for target, kind in targets.items() if kind in ("csv", "parquet")]
    with ExitStack() as stack:
        files = {target: stack.enter_context(atomic_file(target)) for target in targets}
        writers = [kinds[targets[target]](file, names) for target, file in files.items()]
        try:
            for block in blocks:
                if tables:
                    _check_distinct([*block.known, *names], tables[0])
                for writer in writers:
                    writer.add(block)
        finally:
            for writer in writers:
                writer.close()


def _check_distinct(columns: Sequence[str], target: str) -> None:
    if len(set(columns)) < len(columns):
        twice, _ = Counter(columns).most_common(1)[0]
        raise RankingFileError(
            f"two columns would be called {twice!r}; rename the item or the ranking, or write "
            "npy, which has no names",
            target,
        )


class _NpyWriter:
    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        self.file = file
        self.header = {"descr": "<f8", "fortran_order": False, "shape": (0, len(names))}
        npy.write_array_header_1_0(file, self.header)
        self.start = file.tell()
        self.n_rows = 0
        self.n_columns = len(names)

    def add(self, block: MatrixBlock) -> None:
        rows = block.rows()
        self.file.write(rows.data)
        self.n_rows += len(rows)

    def close(self) -> None:
        # NumPy leaves room in the header for the number of rows to grow, so that it can be filled
        # in when it is known.
        self.file.seek(0)
        shape = (self.n_rows, self.n_columns)
        npy.write_array_header_1_0(self.file, {**self.header, "shape": shape})
        assert self.file.tell() == self.start, "the header of an npy file grew over its numbers"
        self.file.seek(0, os.SEEK_END)


class _CsvWriter:
    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        self.text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        self.writer = csv.writer(self.text, lineterminator="\n")
        self.names = names
        self.started = False

    def add(self, block: MatrixBlock) -> None:
        if not self.started:
            self.writer.writerow([*block.known, *self.names])
            self.started = True
        rows = zip(*block.known.values(), block.matrix.tolist(), strict=True)
        self.writer.writerows([*front, *row] for *front, row in rows)

    def close(self) -> None:
        self.text.detach()


class _ParquetWriter:
    def __init__(self, file: BinaryIO, names: Sequence[str]) -> None:
        self.file = file
        self.names = names
        self.writer: Any = None

    def add(self, block: MatrixBlock) -> None:
        pa, pq = import_pyarrow()
        columns = {
            name: pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
            for name, cells in block.known.items()
        }
        columns |= {name: pa.array(block.matrix[:, i]) for i, name in enumerate(self.names)}
        table = pa.table(columns)
        self.writer = self.writer or pq.ParquetWriter(self.file, table.schema)
        self.writer.write_table(table)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
