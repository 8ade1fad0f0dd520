"""Packed files: gzip and zip, none of which may unpack out of proportion to its size."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rankcut.errors import InputError, RankingFileError
from rankcut.parameters import AT_ONCE

# A packed file may unpack to this many bytes whatever its size, and beyond that to at most this
# many times its size: rankings in text shrink 5 to 20 times, files made to fill memory 1,000 times.
_SMALL, _MOST_TIMES = 1 << 24, 100


def unpack_archive(content: bytes, name: str) -> dict[str, bytes]:
    """The members of a zip archive.

    Sizes that the archive declares may be forged: what is read is counted too.
    """
    most = _most_unpacked(len(content))
    members: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(member.file_size for member in archive.infolist()) > most:
            raise _out_of_proportion(name)
        for member in archive.infolist():
            parts = []
            with archive.open(member) as stream:
                # In chunks, because zipfile unpacks all it is asked for before it checks sizes.
                while part := stream.read(AT_ONCE):
                    most -= len(part)
                    if most < 0:
                        raise _out_of_proportion(name)
                    parts.append(part)
            members[member.filename] = b"".join(parts)
    return members


def pack_archive(members: Mapping[str, bytes]) -> bytes:
    """A zip archive of members, the same bytes for the same members, that our readers accept."""
    size = sum(map(len, members.values()))
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        sink = io.BytesIO()
        with zipfile.ZipFile(sink, "w") as archive:
            for member, content in members.items():
                # A ZipInfo without a date always has the same one.
                archive.writestr(zipfile.ZipInfo(member), content, method)
        if size <= _most_unpacked(sink.tell()):
            break
    return sink.getvalue()


def unpacked_gzip(stream: io.BufferedReader, name: str) -> io.BufferedReader:
    """What a gzip stream holds."""
    return io.BufferedReader(_Unpacking(stream, name))


@contextmanager
def reading_as(kind: str, name: str) -> Iterator[None]:
    """Turn whatever a library raises over a damaged file into one line that names the file."""
    try:
        yield
    except (InputError, ModuleNotFoundError, MemoryError):
        raise
    except Exception as problem:
        said = " ".join(str(problem).split())[:200]
        if not said or "<" in said:  # an object that the library prints, with its address
            said = type(problem).__name__
        raise RankingFileError(
            f"not {kind}, or damaged ({said})", name, remedy="download or write it again"
        ) from None


def check_proportion(n_cells: int, size: int, name: str) -> None:
    """Refuse a file of some size whose table would fill far more memory."""
    if 8 * n_cells > _most_unpacked(size):
        raise RankingFileError(
            f"has {n_cells:,} cells in {size:,} bytes, as files made to exhaust memory do",
            name,
            remedy="if you trust it, write it as CSV",
        )


def _most_unpacked(size: int) -> int:
    """How many bytes a packed file of some size may unpack to."""
    return max(_SMALL, _MOST_TIMES * size)


def _out_of_proportion(name: str) -> RankingFileError:
    return RankingFileError(
        f"unpacks to over {_MOST_TIMES} times its size, as files made to exhaust memory do",
        name,
        remedy="if you trust it, unpack it yourself first",
    )


class _Unpacking(io.RawIOBase):
    """A gzip stream that stops when it grows out of proportion."""

    def __init__(self, packed: io.BufferedReader, name: str) -> None:
        self._packed = _Counted(packed)
        self._gzip = gzip.GzipFile(fileobj=self._packed)  # type: ignore[call-overload]
        self._name = name
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            chunk: bytes = self._gzip.read(len(buffer))
        except (OSError, EOFError, zlib.error) as problem:
            raise RankingFileError(
                f"the gzip file is damaged ({problem}); download or compress it again", self._name
            ) from None
        self._unpacked += len(chunk)
        if self._unpacked > _most_unpacked(self._packed.count):
            raise _out_of_proportion(self._name)
        buffer[: len(chunk)] = chunk
        return len(chunk)


class _Counted:
    """A stream that counts the bytes read from it."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        chunk = self._stream.read(size)
        self.count += len(chunk)
        return chunk
