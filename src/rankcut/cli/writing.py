"""Where output goes: to a file, whole or not at all, or to standard output."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rankcut.errors import RankingFileError
from rankcut.files.drafts import atomic_file
from rankcut.files.sheets import format_text
from rankcut.files.streams import copy_whole, write_whole
from rankcut.files.table_columns import Columns


def write_table(columns: Columns, target: str) -> None:
    """Write a CSV table."""
    content = format_text(columns, ",")
    if target == "-":
        write_whole(sys.stdout.buffer, content)
        sys.stdout.buffer.flush()
        return
    with atomic_file(target) as file:
        file.write(content)


@contextmanager
def destination(target: str, suffix: str) -> Iterator[str]:
    """A path to write to: the target itself, or a draft that goes to standard output at the end.

    The draft of ``-`` has the suffix, by which libraries choose the format.
    """
    if target != "-":
        yield target
        return
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / f"output{suffix}"
        yield str(draft)
        with draft.open("rb") as file:
            copy_whole(file, sys.stdout.buffer)


def report_to(*targets: str | None) -> TextIO:
    """Where a report goes: to standard output, unless one of the targets has that."""
    return sys.stderr if "-" in targets else sys.stdout


def picture_suffix(target: str, chosen: str | None, what: str, formats: tuple[str, ...]) -> str:
    """The suffix of a picture's format: the one chosen, or else that of the target."""
    suffix = f".{chosen}" if chosen is not None else Path(target).suffix.lower()
    if suffix[1:] in formats:
        return suffix
    listed = f"{', '.join(f'.{name}' for name in formats[:-1])} or .{formats[-1]}"
    if target == "-":
        raise ValueError("standard output has no suffix; name the format with --to")
    raise ValueError(f"{target}: {what} is a {listed} file")


def is_folder(output: str) -> bool:
    """Whether an output is a directory of parts."""
    return output.endswith("/") or Path(output).is_dir()


def check_target(target: str | None) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    if target is None or target == "-":
        return
    place = Path(target).resolve()
    if place.is_dir():
        raise RankingFileError("this is a directory; name a file in it", target)
    if place.exists() and not place.is_file():
        return
    if not place.parent.is_dir():
        raise RankingFileError(f"there is no directory {place.parent}", target)
    if not os.access(place.parent, os.W_OK):
        raise RankingFileError(f"directory {place.parent} cannot be written to", target)
