"""Streams that take a part of what they are given get the rest as well."""

import io

import numpy as np
import pytest

from rankcut import RankingSet, write_file
from rankcut.files.whole_writes import copy_whole


class Few(io.RawIOBase):
    """Takes seven bytes at a time."""

    def __init__(self):
        self.taken = b""

    def writable(self):
        return True

    def write(self, content):
        self.taken += bytes(content[:7])
        return min(len(content), 7)


class Silent:
    """Takes all, and does not say so."""

    def __init__(self):
        self.taken = b""

    def write(self, content):
        self.taken += content


@pytest.mark.parametrize("stream", [Few(), Silent()], ids=["few", "silent"])
def test_rankings_are_written_whole(stream):
    votes = RankingSet(np.array([[1.0, 2.0], [2.0, 1.0]] * 9), ("toro", "uni"))
    whole = io.BytesIO()
    for sink in (whole, stream):
        write_file(votes, sink, "csv")
    assert stream.taken == whole.getvalue()


class Full(Few):
    """Would have to wait, and does not."""

    def write(self, content):
        return None


def test_what_a_stream_does_not_take_is_not_lost_in_silence():
    with pytest.raises(BlockingIOError, match="takes no more"):
        copy_whole(io.BytesIO(b"ranks"), Full())


def test_files_are_copied_whole():
    stream, content = Few(), bytes(range(256)) * 9
    copy_whole(io.BytesIO(content), stream)
    assert stream.taken == content
