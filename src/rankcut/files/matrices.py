"""Rank matrices as NumPy files: numbers alone, mapped from the disk rather than read.

No pickled object is ever read: a file that holds one is refused.
"""

import csv
import io
import math
import os
import shutil
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TypeAlias, get_args

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from rankcut.errors import RankingFileError
from rankcut.files.drafts import atomic_path
from rankcut.files.parquet import import_pyarrow
from rankcut.files.streams import (
    Source,
    copy_whole,
    open_bytes,
    read_all,
    reading_as,
    source_name,
    unpack_archive,
)
from rankcut.files.table_columns import Columns
from rankcut.ranking_set import RankingSet

# Ranks are checked about this many at a time, so that a mapped file stays on the disk.
_CHECKED_CELLS = 1 << 20


def read_npy(source: Source) -> RankingSet:
    """Read a rank matrix from a NumPy file; its items have no names, and count from 0."""
    ranks = read_array(source)
    if ranks.ndim != 2 or 0 in ranks.shape:
        raise RankingFileError(
            f"a rank matrix has a row for each ranking and a column for each item; this array "
            f"has shape {ranks.shape}",
            source_name(source),
        )
    step = max(1, _CHECKED_CELLS // ranks.shape[1])
    for start in range(0, len(ranks), step):
        infinite = np.isinf(ranks[start : start + step])
        if infinite.any():
            row, column = np.argwhere(infinite)[0].tolist()
            raise RankingFileError(
                f"row {start + row}, column {column}: the rank is infinite; write NaN if there "
                "is none",
                source_name(source),
            )
    return RankingSet(ranks, tuple(range(ranks.shape[1])))


def read_array(source: Source) -> NDArray[Any]:
    """The numbers of a NumPy file: mapped if the source is a plain file on disk.

    Its header is checked against the length of the file before any memory is taken.
    """
    name = source_name(source)
    with open_bytes(source) as stream:
        shape, order, dtype = _read_header(stream, name, "fiub")
        size = math.prod(shape) * dtype.itemsize
        if isinstance(source, str | os.PathLike) and isinstance(stream.raw, io.FileIO):
            offset = stream.tell()
            _check_length(os.path.getsize(source) - offset, size, name)
            if size == 0:
                return np.empty(shape, dtype, order)
            return np.memmap(source, dtype, "r", offset, shape, order)
        return _read_numbers(stream, shape, order, dtype, name)


def read_arrays(source: Source) -> dict[str, NDArray[Any]]:
    """The arrays of numbers and text in an npz archive, by name.

    Nothing is unpacked that would take memory out of proportion to the file, and no array takes
    more than its bytes.
    """
    name = source_name(source)
    content = read_all(source)
    with reading_as("an archive of arrays (npz)", name):
        arrays = {}
        for member, array in unpack_archive(content, name).items():
            stream = io.BytesIO(array)
            header = _read_header(stream, name, "fiubU")
            arrays[member.removesuffix(".npy")] = _read_numbers(stream, *header, name)
        return arrays


def _read_header(
    stream: IO[bytes], name: str, kinds: str
) -> tuple[tuple[int, ...], Literal["F", "C"], np.dtype[Any]]:
    """Shape, order and type of an array; anything odd in them is a damaged file."""
    with reading_as("a NumPy file of numbers", name):
        version = npy.read_magic(stream)
        header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        if version not in header:
            raise RankingFileError(f"NumPy's format {version} is not read", name)
        shape, fortran, dtype = header[version](stream)
        if dtype.kind not in kinds or dtype.hasobject:
            raise RankingFileError(
                f"holds {dtype}, not numbers (objects are never read from a file)", name
            )
        if not all(type(length) is int and 0 <= length < 1 << 48 for length in shape):
            raise RankingFileError(f"its header has the shape {shape}, which no array has", name)
    return shape, "F" if fortran else "C", dtype


def _read_numbers(
    stream: IO[bytes],
    shape: tuple[int, ...],
    order: Literal["F", "C"],
    dtype: np.dtype[Any],
    name: str,
) -> NDArray[Any]:
    content = stream.read()
    _check_length(len(content), math.prod(shape) * dtype.itemsize, name)
    if dtype.itemsize == 0:
        return np.empty(shape, dtype, order)
    return np.frombuffer(content, dtype, math.prod(shape)).reshape(shape, order=order)


def _check_length(found: int, expected: int, name: str) -> None:
    if found < expected:
        raise RankingFileError(
            f"the file is cut off: its header promises {expected:,} bytes of numbers, and there "
            f"are {found:,}",
            name,
        )


MatrixFormat: TypeAlias = Literal["npy", "npz", "csv", "parquet"]

# A block is a matrix, and columns that stand in front of it in a table.
MatrixBlock: TypeAlias = tuple[NDArray[Any], Columns]


def write_matrix(
    blocks: Iterable[MatrixBlock],
    names: Sequence[str],
    target: str,
    format: MatrixFormat | None = None,  # noqa: A002 - called what every user calls it
) -> tuple[int, int]:
    """Write a matrix block by block, and return its shape.

    Parameters
    ----------
    blocks : iterable of (ndarray, dict)
        Rows of the matrix, and what is known of each: columns in front of a table; npy and npz
        have the matrix alone, npz with the columns' names.
    names : sequence of str
        The columns' names.
    target : str
        A path, or ``-`` for standard output.
    format : {"npy", "npz", "csv", "parquet"} or None
        None goes by the suffix.

    Examples
    --------
    >>> place = str(Path(tempfile.mkdtemp()) / "features.csv")
    >>> write_matrix([(np.eye(2), {"ranking": ["a", "b"]})], ["toro", "uni"], place)
    (2, 2)
    >>> print(Path(place).read_text())
    ranking,toro,uni
    a,1.0,0.0
    b,0.0,1.0
    <BLANKLINE>
    """
    suffix = Path(target).suffix[1:].lower()
    chosen = format or suffix
    if chosen not in get_args(MatrixFormat):
        raise RankingFileError(
            f"a matrix is written as {', '.join(get_args(MatrixFormat))}; name one by the suffix "
            "or the option",
            target,
        )
    if chosen in ("csv", "parquet"):
        blocks = _with_distinct_columns(blocks, names, target)
    write = {"npy": _write_npy, "npz": _write_npz, "csv": _write_csv, "parquet": _write_parquet}
    if target != "-":
        with atomic_path(target) as draft, draft.open("wb") as file:
            return write[chosen](blocks, names, file)
    with tempfile.TemporaryFile() as file:
        shape = write[chosen](blocks, names, file)
        file.seek(0)
        copy_whole(file, sys.stdout.buffer)
    return shape


def _with_distinct_columns(
    blocks: Iterable[MatrixBlock], names: Sequence[str], target: str
) -> Iterator[MatrixBlock]:
    for matrix, known in blocks:
        columns = [*known, *names]
        if len(set(columns)) < len(columns):
            twice, _ = Counter(columns).most_common(1)[0]
            raise RankingFileError(
                f"two columns would be called {twice!r}; rename the item or the ranking, or write "
                "npy, which has no names",
                target,
            )
        yield matrix, known


def _write_npy(
    blocks: Iterable[MatrixBlock], names: Sequence[str], file: BinaryIO
) -> tuple[int, int]:
    # NumPy leaves room in the header for the number of rows to grow, so that it can be filled in
    # when it is known.
    header = {"descr": "<f8", "fortran_order": False, "shape": (0, len(names))}
    npy.write_array_header_1_0(file, header)
    start = file.tell()
    n_rows = 0
    for matrix, _ in blocks:
        file.write(np.ascontiguousarray(matrix, dtype="<f8").data)
        n_rows += len(matrix)
    file.seek(0)
    npy.write_array_header_1_0(file, {**header, "shape": (n_rows, len(names))})
    assert file.tell() == start, "the header of an npy file grew over its numbers"
    file.seek(0, os.SEEK_END)
    return n_rows, len(names)


def _write_npz(
    blocks: Iterable[MatrixBlock], names: Sequence[str], file: BinaryIO
) -> tuple[int, int]:
    with tempfile.TemporaryFile() as whole:
        shape = _write_npy(blocks, names, whole)
        whole.seek(0)
        labels = io.BytesIO()
        np.save(labels, np.array(list(names)), allow_pickle=False)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("matrix.npy", "w", force_zip64=True) as member:
                shutil.copyfileobj(whole, member)
            archive.writestr("names.npy", labels.getvalue())
    return shape


def _write_csv(
    blocks: Iterable[MatrixBlock], names: Sequence[str], file: BinaryIO
) -> tuple[int, int]:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    n_rows = 0
    for matrix, known in blocks:
        if n_rows == 0:
            writer.writerow([*known, *names])
        rows = zip(*known.values(), matrix.tolist(), strict=True)
        writer.writerows([*front, *row] for *front, row in rows)
        n_rows += len(matrix)
    text.detach()
    return n_rows, len(names)


def _write_parquet(
    blocks: Iterable[MatrixBlock], names: Sequence[str], file: BinaryIO
) -> tuple[int, int]:
    pa, pq = import_pyarrow()
    writer = None
    n_rows = 0
    try:
        for matrix, known in blocks:
            columns = {
                name: pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
                for name, cells in known.items()
            }
            columns |= {name: pa.array(matrix[:, i]) for i, name in enumerate(names)}
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(file, table.schema)
            writer.write_table(table)
            n_rows += len(matrix)
    finally:
        if writer is not None:
            writer.close()
    return n_rows, len(names)
