"""No traceback and no surprise: closed streams, loops, plain terminals, names that are commands."""

import csv
import os
import pty
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from commands import fail, notes, run, succeed
from matplotlib.font_manager import fontManager

from rankcut.cli import app

RANKCUT = [sys.executable, "-m", "rankcut"]


def shell(line, **environment):
    line = line.replace("rankcut", f"'{sys.executable}' -m rankcut", 1)
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        timeout=300,
        env={**os.environ, **environment},
    )


@pytest.mark.slow
@pytest.mark.parametrize("command", ["info lunch:full", "convert lunch:full - --to csv"])
def test_standard_output_that_is_closed(command):
    done = shell(f"rankcut {command} >&-")
    assert done.returncode == 1
    assert done.stderr.startswith(b"rankcut: standard output is closed")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.slow
def test_other_streams_that_are_closed():
    done = shell("rankcut info - --format csv <&-")
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    done = shell("rankcut info missing.csv 2>&-")
    assert (done.returncode, done.stdout) == (1, b"")


@pytest.mark.slow
def test_an_interrupt_while_modules_are_imported():
    program = """
import sys

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
from rankcut.cli import app
app(["consensus", "lunch:full"])
"""
    for name in ("typer", "rankcut.cli.learning", "rankcut.consensus.result"):
        command = [sys.executable, "-c", program.format(name=name)]
        done = subprocess.run(command, capture_output=True, timeout=300)
        assert (done.returncode, done.stdout, done.stderr) == (130, b"", b""), name


def test_a_loop_of_links_is_no_place_to_write(lunch):
    for one, other in (("a.csv", "b.csv"), ("b.csv", "a.csv")):
        (lunch / one).symlink_to(other)
    for arguments in (["consensus", "full.csv", "-o", "a.csv"], ["convert", "full.csv", "a.csv"]):
        fail(*arguments, says="a.csv: symbolic links that lead to each other")
    fail("info", "a.csv", says="a.csv: cannot be read: Too many levels")


def test_compiled_code_that_cannot_be_read(monkeypatch):
    def cut_off(*_):
        raise EOFError("Ran out of input")

    monkeypatch.setattr("typer.core.TyperGroup.invoke", cut_off)
    fail("info", "full.csv", says=r"cannot read compiled code \(Ran out of input\); delete /")


NAMES = "Zürich,b,東京\n1,2,3\n2,1,3\n1,3,2\n1,2,3\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_a_terminal_without_unicode(tmp_path, environment):
    (tmp_path / "votes.csv").write_text(NAMES, encoding="utf-8")
    file = tmp_path / "votes.csv"
    said = shell(f"rankcut consensus {file}", **environment)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.decode("ascii").splitlines()
    assert lines[1].split()[:2] == ["1", "Zurich"]
    assert "??" in said.stdout.decode("ascii")
    assert "o" in lines[1].split()[-1]
    # Data are complete: JSON by escapes, CSV in UTF-8.
    data = shell(f"rankcut consensus {file} --json", **environment)
    assert b"Z\\u00fcrich" in data.stdout
    assert "Zürich".encode() in shell(f"rankcut consensus {file} -o -", **environment).stdout


def on_a_terminal(*arguments):
    """All that a command sends to a terminal."""
    shown, terminal = pty.openpty()
    command = subprocess.Popen(
        [*RANKCUT, *arguments],
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(terminal)
    said = b""
    while True:
        try:
            part = os.read(shown, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.close(shown)
    assert command.wait(timeout=300) == 0, said
    return said.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    ["info", "consensus", "consensus --json", "compare --by town", "similar --to 0", "complete"],
)
def test_names_do_not_command_a_terminal(tmp_path, arguments):
    name, town = "a\x1b]0;title\x07b", "x\x9b2J\u202e"
    rows = "".join(f"{town},1,2,3\ny,3,2,1\n" for _ in range(4))
    (tmp_path / "votes.csv").write_text(f"town,{name},c,d\n{rows}", encoding="utf-8")
    command, *options = arguments.split()
    said = on_a_terminal(command, str(tmp_path / "votes.csv"), *options)
    assert not [sign for sign in ("\x1b]", "\x07", "\x9b", "\u202e") if sign in said]
    assert "]0;title" in said


FORMULAS = {"=1+1": "'=1+1", "+x": "'+x", "-y": "'-y", "@z": "'@z", "plain": "plain"}


def test_names_that_a_spreadsheet_would_run(lunch):
    header = ",".join(FORMULAS)
    (lunch / "odd.csv").write_text(f"town,{header}\n" + "=cmd(),1,2,3,4,5\nNara,5,4,3,2,1\n" * 3)
    exact = {row["item"] for row in csv.DictReader(succeed_csv("consensus", "odd.csv"))}
    safe = succeed_csv("consensus", "odd.csv", "--spreadsheet")
    assert exact == set(FORMULAS)
    assert {row["item"] for row in csv.DictReader(safe)} == set(FORMULAS.values())
    for command in (["convert", "odd.csv", "-", "--to", "csv"], ["complete", "odd.csv"]):
        (first, *_) = csv.DictReader(succeed(*command, "--spreadsheet").splitlines())
        assert first["town"] == "'=cmd()"
        # Behind its mark, the name of an item is no formula.
        assert {f"rank: {name}" for name in FORMULAS} <= {*first}
    # Other formats run nothing, and keep names as they are.
    succeed("convert", "odd.csv", "odd.soi", "--spreadsheet")
    assert "'=1+1" not in (lunch / "odd.soi").read_text()


def succeed_csv(*arguments):
    return succeed(*arguments, "--n-bootstraps", "0", "-o", "-").splitlines()


def test_warnings_of_libraries_do_not_reach_the_user(lunch, monkeypatch):
    """Ours become notes; whoever asks for errors, as this suite does, gets them all."""
    from rankcut.consensus import description

    def warn(*arguments, **options):
        warnings.warn_explicit("overflow", RuntimeWarning, "numpy/core.py", 1, "numpy.core")
        warnings.warn_explicit("no default style", UserWarning, "openpyxl.py", 1, "openpyxl.styles")
        warnings.warn_explicit("look at row 3", UserWarning, "x.py", 1, "rankcut.report")
        return found(*arguments, **options)

    found = description.describe
    monkeypatch.setattr(description, "describe", warn)
    with warnings.catch_warnings():
        warnings.resetwarnings()
        assert notes(run("info", "full.csv").stderr) == "rankcut: look at row 3\n"
    with pytest.raises(RuntimeWarning, match="overflow"):
        app(["info", "full.csv"])


def test_a_picture_of_signs_that_no_font_has(lunch, monkeypatch):
    usual = [font for font in fontManager.ttflist if font.name == "DejaVu Sans"]
    monkeypatch.setattr(fontManager, "ttflist", usual)
    (lunch / "odd.csv").write_text("\U00013000,b\n1,2\n2,1\n", encoding="utf-8")
    for command in ("consensus", "map"):
        done = run(command, "odd.csv", "-o", "odd.png")
        said = "rankcut: no font here has \U00013000, drawn as boxes: "
        assert notes(done.stderr).startswith(said), done.output
        assert done.exit_code == 0
    assert Path("odd.png").read_bytes().startswith(b"\x89PNG")
