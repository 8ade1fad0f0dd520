"""Files that cannot harm: written whole or not at all, and unpacked in proportion to their size.

A file is first written beside its place, then renamed: an interrupt, an error or a full disk leaves
the old file as it was, and nothing beside it; only a process that is killed leaves its draft. No
gzip or zip archive may unpack out of proportion to its size.
"""

import gzip
import io
import os
import secrets
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from rankcut.errors import InputError, RankingFileError
from rankcut.parameters import AT_ONCE

# A packed file may unpack to this many bytes whatever its size, and beyond that to at most this
# many times its size: rankings in text shrink 5 to 20 times, files made to fill memory 1,000 times.
_UNPACKED_BYTES, _MOST_TIMES = 1 << 24, 100


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
        reason = " ".join(str(problem).split())[:200]
        if not reason or "<" in reason:  # an object that the library prints, with its address
            reason = type(problem).__name__
        raise RankingFileError(
            f"not {kind}, or damaged ({reason})", name, remedy="download or write it again"
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
    return max(_UNPACKED_BYTES, _MOST_TIMES * size)


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


@contextmanager
def atomic_path(target: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to, which takes the target's place when the block ends without error.

    For libraries that insist on opening the file themselves. What is neither a file nor absent,
    such as a pipe, is written to directly.
    """
    place = Path(target).resolve()
    if place.is_dir():
        raise RankingFileError("this is a directory; name a file in it", os.fspath(target))
    if place.exists() and not place.is_file():
        yield place
        return
    # Keep the suffix, because some libraries choose the format by it.
    draft = place.with_name(f".{place.name}.{secrets.token_hex(6)}{place.suffix}")
    try:
        try:
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            if place.exists():
                draft.chmod(stat.S_IMODE(place.stat().st_mode))
            yield draft
            _settle(draft)
            draft.replace(place)
            _settle(place.parent)
        except OSError as problem:
            raise RankingFileError(
                f"cannot be written: {problem.strerror or problem}", os.fspath(target)
            ) from problem
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()


@contextmanager
def atomic_file(target: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file, which takes the target's place when the block ends without error.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "votes.txt"
    >>> with atomic_file(place) as file:
    ...     _ = file.write(b"3,1,2")
    ...     place.exists()
    False
    >>> place.read_bytes()
    b'3,1,2'
    """
    with atomic_path(target) as draft, draft.open("wb") as file:
        yield file


def write_whole(stream: BinaryIO, content: bytes) -> None:
    """Write all of the content, in several calls if needed."""
    while content:
        n_written: int | None = stream.write(content)
        if n_written is None and isinstance(stream, io.RawIOBase):
            raise BlockingIOError("the reader is not ready, and the stream does not wait")
        # Words that users define often return nothing.
        content = b"" if n_written is None else content[n_written:]


def copy_whole(source: BinaryIO, stream: BinaryIO) -> None:
    """Copy the rest of a file to a stream, and flush it."""
    while content := source.read(AT_ONCE):
        write_whole(stream, content)
    stream.flush()


def _settle(path: Path) -> None:
    """Wait until the data are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        # Some file systems cannot sync a directory; the file itself must be.
        if not path.is_dir():
            raise
    finally:
        os.close(handle)
