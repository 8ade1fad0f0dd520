"""Write a file completely or not at all: first a temporary file beside it, then a rename.

An interrupt, an error or a full disk leaves the old file as it was, and nothing beside it. A
process that is killed leaves its temporary file, which the next write to the same place removes.
A directory of parts is written part by part: running again finishes an interrupted run.
"""

import hashlib
import io
import json
import os
import platform
import re
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from rankcut.errors import RankingFileError
from rankcut.files.archives import AT_ONCE

_MANIFEST = "_rankcut.json"

_UNREADABLE = (
    "the file is damaged, so that nobody knows which settings the parts beside it were made with; "
    "name another directory, or start again with --restart"
)


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
    mark = f"{_where()}-{os.getpid()}-{secrets.token_hex(6)}"
    draft = place.with_name(f".{place.name}.{mark}{place.suffix}")
    try:
        try:
            _remove_stale(place)
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


def _where() -> str:
    """A short mark of the machine and container, within which process numbers are unique."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.blake2s(f"{platform.node()} {space}".encode(), digest_size=4).hexdigest()


def _remove_stale(place: Path) -> None:
    """Remove the temporary files of this place whose process is dead."""
    if os.name != "posix":
        return
    ours = re.compile(
        rf"\.{re.escape(place.name)}\.{_where()}-(\d+)-[0-9a-f]{{12}}{re.escape(place.suffix)}"
    )
    for name in os.listdir(place.parent):
        found = ours.fullmatch(name)
        if found is not None and not _is_alive(int(found[1])):
            with suppress(OSError):
                place.with_name(name).unlink()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


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


class Parts:
    """The parts of one result, and the settings that made them.

    Parameters
    ----------
    folder : path
        Where they are; created if missing.
    suffix : str
        How the name of a part ends.
    settings : mapping
        Everything the result depends on, as JSON.
    restart : bool
        Delete parts made with other settings, instead of raising an error.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> parts = Parts(folder, "txt", {"normalize": True})
    >>> _ = parts.path(0).write_text("done")
    >>> Parts(folder, "txt", {"normalize": True}).missing(3)
    [1, 2]
    >>> Parts(folder, "txt", {"normalize": False})
    Traceback (most recent call last):
        ...
    rankcut.errors.RankingFileError: ...: was begun with normalize=true, and now it is \
false; finish it as it was begun, name another directory, or start again with --restart
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        suffix: str,
        settings: Mapping[str, Any],
        *,
        restart: bool = False,
    ) -> None:
        self.folder = Path(folder)
        self._suffix = suffix
        wanted = json.loads(json.dumps(settings))
        self.folder.mkdir(parents=True, exist_ok=True)
        manifest = self.folder / _MANIFEST
        if manifest.exists():
            found = _read_settings(manifest)
            if found != wanted and self._any() and not restart:
                if found is None:
                    raise RankingFileError(_UNREADABLE, str(manifest))
                raise RankingFileError(_difference(found, wanted), str(folder))
            if found != wanted:
                self.clear()
        elif any(_MANIFEST not in file.name for file in self.folder.iterdir()):
            raise RankingFileError(
                "this directory has other files in it; name a new or an empty one", str(folder)
            )
        # Left by a process that was killed while writing.
        for name in ("part-", _MANIFEST):
            for draft in self.folder.glob(f".{name}*"):
                draft.unlink(missing_ok=True)
        with atomic_file(manifest) as file:
            file.write(json.dumps(wanted, indent=1).encode())

    def path(self, number: int) -> Path:
        """The file of a part."""
        return self.folder / f"part-{number:06d}.{self._suffix}"

    def missing(self, n_parts: int) -> list[int]:
        """The numbers of the parts that are not there yet."""
        return [number for number in range(n_parts) if not self.path(number).exists()]

    def clear(self) -> None:
        """Delete all parts."""
        for part in self.folder.glob(f"part-*.{self._suffix}"):
            part.unlink()

    def _any(self) -> bool:
        return any(self.folder.glob(f"part-*.{self._suffix}"))


def _read_settings(manifest: Path) -> dict[str, Any] | None:
    """The settings that parts were made with, None if the file does not say."""
    try:
        found = json.loads(manifest.read_bytes())
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _difference(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    # As text, in which a setting without a value is not one that is missing.
    texts = [{name: json.dumps(value) for name, value in each.items()} for each in (found, wanted)]
    name = next(name for name in {**found, **wanted} if texts[0].get(name) != texts[1].get(name))
    before, now = (text.get(name, "not set") for text in texts)
    what = f"{name}={before}, and now it is {now}" if len(before + now) < 120 else f"other {name}"
    return (
        f"was begun with {what}; finish it as it was begun, name another directory, or start "
        "again with --restart"
    )
