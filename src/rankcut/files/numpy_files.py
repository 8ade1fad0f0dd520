"""NumPy files: rank matrices, mapped from disk rather than read, and archives of arrays.

No pickled object is ever read: a file that holds one is refused.
"""

import io
import math
import os
from typing import IO, Any, Literal

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from rankcut.errors import RankingFileError
from rankcut.files.streams import (
    Source,
    open_bytes,
    read_all,
    reading_as,
    source_name,
    unpack_archive,
)
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
