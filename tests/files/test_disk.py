"""Writing leaves the whole new file or the old one, and nothing else."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from rankcut import RankingSet, read_file, write_file
from rankcut.files import RankingFileError
from rankcut.files.disk import atomic_file, atomic_path

VOTES = RankingSet(np.array([[1.0, 2.0]]), ("toro", "uni"))


class Interrupted(BaseException):
    """Like KeyboardInterrupt, no Exception."""


@pytest.mark.parametrize("problem", [Interrupted, OSError(28, "No space left on device")])
def test_an_interrupt_or_a_full_disk_leaves_the_old_file(tmp_path, problem):
    place = tmp_path / "votes.csv"
    place.write_text("old")

    def write():
        with atomic_file(place) as file:
            file.write(b"half of the n")
            file.flush()
            raise problem

    with pytest.raises((Interrupted, RankingFileError)) as caught:
        write()
    assert place.read_text() == "old"
    assert os.listdir(tmp_path) == ["votes.csv"]
    if problem is not Interrupted:
        assert "No space left" in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_stopped_leaves_nothing_behind(tmp_path, number):
    source = tmp_path / "endless.csv"
    os.mkfifo(source)
    place = tmp_path / "features.npy"
    place.write_bytes(b"old")
    command = [sys.executable, "-c", "from rankcut.cli import app; app()", "features"]
    running = subprocess.Popen(
        [*command, str(source), "-o", str(place), "--block", "2", "--header", "1"],
        stderr=subprocess.PIPE,
    )
    with source.open("w") as pipe:
        pipe.write("toro,uni\n" + "1,2\n" * 50_000)
        pipe.flush()
        deadline = time.monotonic() + 300
        while len(os.listdir(tmp_path)) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(os.listdir(tmp_path)) == 3, "no temporary file appeared"
        running.send_signal(number)
        try:
            running.wait(timeout=300)
        finally:
            running.kill()
    assert running.returncode not in (0, -signal.SIGKILL)
    assert place.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["endless.csv", "features.npy"]
    assert b"Traceback" not in running.stderr.read()
    running.stderr.close()


def test_the_new_file_keeps_the_rights_of_the_old_and_links_stay_links(tmp_path):
    place = tmp_path / "votes.csv"
    place.write_text("old")
    place.chmod(0o640)
    link = tmp_path / "link.csv"
    link.symlink_to(place)
    write_file(VOTES, link)
    assert link.is_symlink()
    assert place.read_text() == "rank: toro,rank: uni\n1,2\n"
    assert place.stat().st_mode & 0o777 == 0o640


def test_pipes_are_written_to_directly():
    with atomic_path(os.devnull) as draft:
        assert draft.is_char_device()


@pytest.mark.parametrize("place", ["", "missing/votes.csv"])
def test_places_that_cannot_be_written(tmp_path, place):
    with pytest.raises(RankingFileError, match=r"directory|No such file"):
        write_file(VOTES, tmp_path / place, "csv")


@pytest.mark.parametrize("text", ["toro,uni\n1,2\n2,1\n", "toro,uni,ebi\nuni,ebi\nuni\ntoro,uni\n"])
def test_a_pipe_is_read_as_a_file_is(tmp_path, text):
    """What a shell names in place of a file: it can be read only once."""
    place, pipe = tmp_path / "votes.csv", tmp_path / "pipe.csv"
    place.write_text(text)
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    read = read_file(pipe)
    writer.join()
    whole = read_file(place)
    assert read.items == whole.items
    np.testing.assert_array_equal(read.ranks, whole.ranks)
