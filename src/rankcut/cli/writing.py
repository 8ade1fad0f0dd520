"""A table to a file, whole or not at all, or to standard output."""

import sys

from rankcut.files.atomic import atomic_file
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
