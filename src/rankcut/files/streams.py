"""Open what a user names: a path or a file object, plain or gzip, bytes or text."""

import codecs
import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeAlias

from rankcut.errors import InputError, RankingFileError
from rankcut.rankings.ranking_set import LARGEST_COUNT

Source: TypeAlias = str | os.PathLike[str] | IO[bytes] | IO[str]

# A packed file may unpack to this many bytes whatever its size, and beyond that to at most this
# many times its size: rankings in text shrink 5 to 20 times, files made to fill memory 1,000 times.
_SMALL = 1 << 24
_MOST_TIMES = 100

# Bytes that are copied or unpacked at once.
AT_ONCE = 1 << 20


def source_name(source: Source) -> str:
    """The name of a source in messages."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


@contextmanager
def open_bytes(source: Source) -> Iterator[io.BufferedReader]:
    """The bytes of a source, unpacked if they are gzip. A file object is left open."""
    name = source_name(source)
    if isinstance(source, str | os.PathLike):
        with _opened(Path(source)) as stream:
            yield _unpacked(stream, name)
        return
    yield _unpacked(_buffered(source, name), name)


def unpack_archive(content: bytes, name: str) -> dict[str, bytes]:
    """The members of a zip archive; one that unpacks out of proportion to its size is refused.

    Sizes that the archive declares may be forged: what is read is counted too.
    """
    most = most_unpacked(len(content))
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
        if size <= most_unpacked(sink.tell()):
            break
    return sink.getvalue()


def most_unpacked(size: int) -> int:
    """How many bytes a packed file of some size may unpack to."""
    return max(_SMALL, _MOST_TIMES * size)


def _out_of_proportion(name: str) -> RankingFileError:
    return RankingFileError(
        f"unpacks to over {_MOST_TIMES} times its size, as files made to exhaust memory do",
        name,
        remedy="if you trust it, unpack it yourself first",
    )


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


def read_all(source: Source) -> bytes:
    """All bytes of a source, unpacked if they are gzip."""
    with open_bytes(source) as stream:
        return stream.read()


@contextmanager
def open_text(source: Source) -> Iterator[io.TextIOWrapper]:
    """The text of a source, line breaks as they are; see :func:`decoded` for the encoding."""
    with open_bytes(source) as stream:
        encoding = _encoding(stream.peek(2))
        text = io.TextIOWrapper(stream, encoding=encoding, errors="rankcut-latin-1", newline="")
        try:
            yield text
        finally:
            text.detach()


@contextmanager
def open_utf8(source: Source) -> Iterator[io.BufferedReader]:
    """The text of a source as bytes, for :func:`decoded_part` to decode, line by line."""
    with open_bytes(source) as stream:
        if _encoding(stream.peek(2)) == "utf-16":
            yield io.BufferedReader(io.BytesIO(decoded(stream.read()).encode()))
        else:
            yield stream


def decoded(content: bytes) -> str:
    """Text in UTF-8; a byte that is not UTF-8 is taken as Latin-1, as older files have it.

    UTF-16, which Excel calls Unicode text, is recognised by its first two bytes.

    >>> decoded("Müller".encode("latin-1")), decoded("Müller".encode("utf-16"))
    ('Müller', 'Müller')
    """
    return decoded_part(content, _encoding(content))


def decoded_part(content: bytes, encoding: str = "utf-8") -> str:
    """Like decoded, for a part of a text in UTF-8."""
    return content.decode(encoding, errors="rankcut-latin-1")


def _encoding(start: bytes) -> str:
    """The encoding of a text that starts with these bytes."""
    return "utf-16" if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"


def _latin_1(problem: UnicodeError) -> tuple[str, int]:
    assert isinstance(problem, UnicodeDecodeError)
    return problem.object[problem.start : problem.end].decode("latin-1"), problem.end


codecs.register_error("rankcut-latin-1", _latin_1)


def _opened(path: Path) -> io.BufferedReader:
    try:
        return path.open("rb")
    except OSError as problem:
        raise RankingFileError(_why_not(problem), str(path)) from None


def _why_not(problem: OSError) -> str:
    if isinstance(problem, FileNotFoundError):
        return "there is no such file"
    if isinstance(problem, IsADirectoryError):
        return "this is a directory; name a file in it"
    return f"cannot be read: {problem.strerror or problem}"


def _buffered(source: IO[Any], name: str) -> io.BufferedReader:
    if isinstance(source, io.BufferedReader):
        return source
    if isinstance(source, io.TextIOBase):
        content = source.read().encode("utf-8", errors="surrogateescape")
        return io.BufferedReader(io.BytesIO(content))
    if not hasattr(source, "read"):
        raise TypeError(f"a file is a path or a file object, not {type(source).__name__}")
    return io.BufferedReader(_RawSource(source, name))


def _unpacked(stream: io.BufferedReader, name: str) -> io.BufferedReader:
    try:
        start = stream.peek(2)[:2]
    except OSError as problem:
        raise RankingFileError(_why_not(problem), name) from None
    if start != b"\x1f\x8b":
        return stream
    return io.BufferedReader(_Unpacking(stream, name))


class _RawSource(io.RawIOBase):
    """Any object with ``read`` as a raw stream."""

    def __init__(self, source: IO[Any], name: str) -> None:
        self._source = source
        self._name = name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self._source.read(len(buffer))
        if isinstance(chunk, str):
            raise TypeError(f"{self._name}: open the file in binary mode, or as a text stream")
        buffer[: len(chunk)] = chunk
        return len(chunk)


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
        if self._unpacked > most_unpacked(self._packed.count):
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


def whole_number(text: str) -> int | None:
    """The number written in plain digits, up to 10**15, or None.

    Python's ``int`` accepts more than a file should: other scripts' digits, signs, underscores.

    >>> whole_number("42"), whole_number("4_2"), whole_number("٤٢")
    (42, None, None)
    """
    if not (text.isascii() and text.isdigit() and len(text) < 17):
        return None
    return int(text) if int(text) <= LARGEST_COUNT else None


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
