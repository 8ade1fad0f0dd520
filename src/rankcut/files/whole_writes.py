"""Write to a stream all there is, or fail.

A stream without a buffer, as standard output is where PYTHONUNBUFFERED is set, may take a part of
what it is given and say how much; the error is that of the next write.
"""

import io
from typing import BinaryIO

_AT_ONCE = 1 << 20


def write_whole(stream: BinaryIO, content: bytes) -> None:
    """Write as often as it takes."""
    while content:
        taken: int | None = stream.write(content)
        if taken is None and isinstance(stream, io.RawIOBase):
            raise BlockingIOError("the reader takes no more for now, and nothing waits for it")
        # Streams of a user's own often return nothing.
        content = b"" if taken is None else content[taken:]


def copy_whole(source: BinaryIO, stream: BinaryIO) -> None:
    """Write what is left of a file, and see it off."""
    while content := source.read(_AT_ONCE):
        write_whole(stream, content)
    stream.flush()
