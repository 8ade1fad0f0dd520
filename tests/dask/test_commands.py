"""The command on a cluster: what it writes is what it writes without one, and it goes on."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import commands
import numpy as np
import pandas as pd
import pytest
import zarr

RANKCUT = [sys.executable, "-m", "rankcut"]

# The command, killed when it has written twenty parts and is about to put the next in its place.
KILLED = """
import os, signal
from pathlib import Path
from rankcut.cli import app

replace = Path.replace

def replace_or_die(draft, place):
    if len(list(Path("parts").glob("part-*"))) == 20:
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(draft, place)

Path.replace = replace_or_die
app()
"""


@pytest.fixture
def votes(tmp_path, monkeypatch):
    """A Parquet data set in the working directory: three files, row groups of 20 rankings."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    Path("votes").mkdir()
    for number in range(3):
        types = rng.integers(0, 2, 120)
        scores = np.array([[2, 1, 0, 0, 1], [0, 0, 1, 2, 1]])[types] + rng.gumbel(size=(120, 5))
        ranks = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
        frame = pd.DataFrame(ranks, columns=["toro", "uni", "ika", "ebi", "tako"])
        frame.insert(0, "ranking", [f"{number}-{row}" for row in range(120)])
        frame["town"] = np.array(["Kobe", "Nara"])[types]
        frame.to_parquet(f"votes/{number}.parquet", row_group_size=20)
    return tmp_path


def succeed(line):
    return commands.succeed(*line.split())


def fail(line, says):
    return commands.fail(*line.split(), says=says)


def matrix(folder):
    return pd.read_parquet(folder)[["toro", "uni", "ika", "ebi", "tako"]].to_numpy()


@pytest.mark.slow
def test_features_and_gram(votes, cluster):
    where = f"--scheduler {cluster.scheduler_address} --block 50"
    succeed("features votes -o one.npy --normalize")
    succeed(f"features votes -o parts/ --normalize {where}")
    assert len(list(Path("parts").glob("part-*.parquet"))) == 9
    np.testing.assert_array_equal(matrix("parts"), np.load("one.npy"))

    succeed("gram votes -o gram.npy --normalize")
    succeed(f"gram votes -o gram.zarr --normalize {where}")
    stored = zarr.open_array("gram.zarr", mode="r")[:]
    np.testing.assert_allclose(stored, np.load("gram.npy"), atol=1e-14)


@pytest.mark.slow
def test_a_run_that_was_killed_is_finished_by_the_next(votes):
    frame = pd.concat([pd.read_parquet("votes")] * 4, ignore_index=True)
    frame["ranking"] = range(len(frame))
    frame.to_parquet("many.parquet", row_group_size=10)
    command = ["features", "many.parquet", "-o", "parts/", "--block", "10"]
    killed = subprocess.run([sys.executable, "-c", KILLED, *command], timeout=300)
    assert killed.returncode == -signal.SIGKILL
    before = {part: part.stat().st_mtime_ns for part in Path("parts").glob("part-*")}
    assert len(before) == 20
    assert list(Path("parts").glob(".*"))
    succeed("features many.parquet -o parts/ --block 10")
    assert {part: part.stat().st_mtime_ns for part in before} == before
    assert len(list(Path("parts").glob("part-*"))) == 144
    assert not list(Path("parts").glob(".*"))
    succeed("features many.parquet -o one.npy")
    np.testing.assert_array_equal(matrix("parts"), np.load("one.npy"))


def test_missing_stripes_of_a_gram_matrix_are_written(votes, monkeypatch):
    from rankcut.dask import parquet

    monkeypatch.setattr(parquet, "SIDE", 100)
    succeed("gram votes -o gram.zarr")
    stored = zarr.open_array("gram.zarr", mode="r+")
    expected = stored[:]
    stored[:] = 0.0
    Path("gram.zarr.parts/part-000002.done").unlink()
    succeed("gram votes -o gram.zarr")
    assert not stored[:200].any()
    np.testing.assert_array_equal(stored[200:300], expected[200:300])
    assert not stored[300:].any()
    # One that was removed is written anew.
    shutil.rmtree("gram.zarr")
    succeed("gram votes -o gram.zarr")
    succeed("gram votes -o gram.npy")
    stored = zarr.open_array("gram.zarr", mode="r")[:]
    np.testing.assert_allclose(stored, np.load("gram.npy"), atol=1e-14)


@pytest.mark.slow
def test_conditions_may_leave_nothing_of_a_block(votes):
    where = "--where town=Kobe --where ranking!=0-0 --block 20"
    for number in (0, 1):
        frame = pd.read_parquet(f"votes/{number}.parquet")
        frame.loc[20 * number : 20 * number + 40, "town"] = "Nara"
        frame.to_parquet(f"votes/{number}.parquet", row_group_size=20)
    succeed(f"features votes -o parts/ {where}")
    succeed(f"features votes -o one.npy {where}")
    np.testing.assert_array_equal(matrix("parts"), np.load("one.npy"))
    assert 0 in [len(pd.read_parquet(part)) for part in Path("parts").glob("part-*")]
    succeed(f"gram votes -o gram.zarr {where}")
    succeed("gram votes -o gram.npy --where town=Kobe --where ranking!=0-0")
    stored = zarr.open_array("gram.zarr", mode="r")[:]
    np.testing.assert_allclose(stored, np.load("gram.npy"), atol=1e-14)


@pytest.mark.slow
def test_ctrl_c_is_for_the_command_and_its_workers_say_nothing(votes):
    frame = pd.concat([pd.read_parquet("votes")] * 20, ignore_index=True)
    frame.to_parquet("many.parquet", row_group_size=10)
    command = [*RANKCUT, "features", "many.parquet", "-o", "parts/", "--block", "10"]
    process = subprocess.Popen(
        [*command, "--workers", "1"], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 300
    while len(list(Path("parts").glob("part-*"))) < 5:
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.005)
    # As a terminal does, to all processes.
    os.killpg(process.pid, signal.SIGINT)
    (read_as,) = process.communicate(timeout=300)[1].splitlines()
    assert read_as.startswith("rankcut: many.parquet: read as ranks: 5 items")
    assert process.returncode == 130
    assert 5 <= len(list(Path("parts").glob("part-*"))) < 720


@pytest.mark.slow
def test_processes_of_its_own(votes):
    command = [*RANKCUT, "features", "votes", "-o", "parts/", "--workers", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "")
    (read_as,) = done.stderr.splitlines()
    assert read_as.startswith("rankcut: votes: read as ranks: 5 items")
    succeed("features votes -o one.npy")
    np.testing.assert_array_equal(matrix("parts"), np.load("one.npy"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("features votes -o one.npy --workers 1", "end its name in /"),
        ("features lunch:full -o parts/", "only Parquet files can be read in blocks"),
        ("features votes -o parts/ --workers 1 --scheduler tcp://x:1", "either --scheduler or"),
        ("features votes -o votes/", "has other files in it"),
        ("gram votes -o gram.npy --workers 1", "written to a Zarr array"),
    ],
)
def test_mistakes_are_one_line(votes, line, says):
    fail(line, says)


def test_other_settings_are_not_mixed(votes):
    succeed("features votes -o parts/")
    says = "was begun with normalize=false, and now it is true"
    fail("features votes -o parts/ --normalize", says)
    succeed("features votes -o parts/ --normalize --restart")
    np.testing.assert_allclose((matrix("parts") ** 2).sum(axis=1), 1.0)


@pytest.mark.slow
def test_a_mistake_in_a_block_names_the_file_and_the_row(votes):
    frame = pd.read_parquet("votes/2.parquet")
    frame["uni"] = frame["uni"].astype(float)
    frame.loc[50, "uni"] = np.nan
    frame.to_parquet("votes/2.parquet", row_group_size=20)
    says = "2.parquet: row 50: item 'uni' is not ranked"
    fail("features votes -o parts/ --block 20", says)
    # What was finished before stays, for the next run.
    assert len(list(Path("parts").glob("part-*"))) == 14
    some = f"--where town={frame['town'][50]} --block 20"
    fail(f"features votes -o others/ {some}", says)
