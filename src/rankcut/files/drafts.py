"""Write a file completely or not at all: first a temporary file beside it, then a rename.

An interrupt, an error or a full disk leaves the old file as it was, and nothing beside it; only a
process that is killed leaves its temporary file.
"""

import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from rankcut.errors import RankingFileError
from rankcut.parameters import AT_ONCE


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
        taken: int | None = stream.write(content)
        if taken is None and isinstance(stream, io.RawIOBase):
            raise BlockingIOError("the reader is not ready, and the stream does not wait")
        # Streams that users define often return nothing.
        content = b"" if taken is None else content[taken:]


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
