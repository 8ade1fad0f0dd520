"""A table to a file, whole or not at all, or to standard output; where files can be written."""

import os
import sys
from pathlib import Path

from rankcut.files.atomic import atomic_file
from rankcut.files.errors import RankingFileError
from rankcut.files.table_writing import Columns, format_text


def write_table(columns: Columns, target: str) -> None:
    """Write a CSV table."""
    content = format_text(columns, ",")
    if target == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with atomic_file(target) as file:
        file.write(content)


def check_target(target: str | None) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    if target is None:
        return
    if target == "-":
        raise RankingFileError("this is not written to standard output; name a file", target)
    place = Path(target).resolve()
    if place.is_dir():
        raise RankingFileError("this is a directory; name a file in it", target)
    if place.exists() and not place.is_file():
        return
    if not place.parent.is_dir():
        raise RankingFileError(f"there is no directory {place.parent}", target)
    if not os.access(place.parent, os.W_OK):
        raise RankingFileError(f"directory {place.parent} cannot be written to", target)
