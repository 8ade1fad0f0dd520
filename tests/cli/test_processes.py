"""Commands as processes of their own: pipes, terminals, mistakes, and what they import."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import notes

RANKCUT = str(Path(sys.executable).with_name("rankcut"))


def run(*arguments, text=True, **options):
    return subprocess.run(
        [RANKCUT, *arguments], capture_output=True, text=text, timeout=300, **options
    )


def succeed(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr
    # Progress is for terminals, and this is a pipe.
    assert not notes(done.stderr)
    return done.stdout


def bytes_of(*arguments, **options):
    """What a command writes to standard output, and to standard error."""
    done = run(*arguments, text=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout, notes(done.stderr.decode())


@pytest.mark.slow
def test_a_model_through_a_pipe(lunch):
    report = succeed("classify", "full.csv", "--target", "guest", "-o", "model.skops")
    model, said = bytes_of("classify", "full.csv", "--target", "guest", "-o", "-")
    assert said == report
    predicted, _ = bytes_of("predict", "-", "full.csv", input=model)
    assert predicted == bytes_of("predict", "model.skops", "full.csv")[0]


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_stops_listening_is_no_mistake(lunch, unbuffered):
    (lunch / "many.csv").write_text("toro,uni\n" + "1,2\n" * 200_000)
    shell = f"'{RANKCUT}' convert many.csv - --to csv | head -n 1; echo ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["bash", "-c", shell], capture_output=True, text=True, timeout=300, env=environment
    )
    # Not all was written, which the code tells.
    assert done.stdout == "rank: toro,rank: uni\n1\n"
    assert notes(done.stderr) == ""


@pytest.mark.slow
def test_plain_tables_need_no_library_of_frames(lunch):
    program = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pandas", "polars", "pyarrow"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
from rankcut.cli import app
app()
"""
    arguments = ["features", "full.csv", "-o", "-", "--items", "dishes.csv"]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 49


@pytest.mark.slow
def test_info_of_a_small_file_needs_no_scikit_learn(lunch):
    code = (
        "import sys\nfrom rankcut.cli import app\n"
        "for source in ('lunch:full', 'top-k.csv'):\n"
        "    sys.argv = ['rankcut', 'info', source]\n"
        "    try:\n        app()\n    except SystemExit as end:\n        assert not end.code\n"
        "print(sorted({'pandas', 'scipy.stats', 'sklearn'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.count("agreement:") == 2
    assert said.splitlines()[-1] == "[]"
