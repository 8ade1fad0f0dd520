"""``python -m reproduction`` as a process, and its page in a real browser."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import reproduction
from reproduction.__main__ import main
from reproduction.parts import NAMES

pytestmark = pytest.mark.slow

# The command, interrupted when half of the work is done; as from a terminal, with all processes.
INTERRUPTED = """
import os, signal
from reproduction.__main__ import main
from reproduction.store import Store

write = Store.write

def write_and_stop(store, *given):
    write(store, *given)
    if len(list(store.directory.iterdir())) == 2:
        os.killpg(0, signal.SIGINT)

Store.write = write_and_stop
main()
"""
HOME = Path(reproduction.__file__).parents[1]


def run(*arguments, program=("-m", "reproduction"), **options):
    """The program on its own, without any data."""
    return subprocess.run(
        [sys.executable, *program, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={key: value for key, value in os.environ.items() if key != "RANKCUT_DATA"},
        cwd=HOME,
        **options,
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report of some quick parts, and what was said."""
    output = tmp_path_factory.mktemp("reproduction")
    done = run("statements", "example", "theory", "--quick", "-o", str(output))
    assert done.returncode == 0, done.stderr
    # Progress is for terminals, and this is a pipe.
    assert done.stderr == ""
    return output, done.stdout


def test_what_is_said(report):
    output, said = report
    lines = said.splitlines()
    assert lines[0] == (
        "Skipping example: no sushi data. Get it from https://www.kamishima.net/sushi/ "
        "(for research; not to be redistributed) and name its directory with --data."
    )
    assert lines[-1] == f"report:        {output / 'report.html'}"
    counts = [int(line.split()[-2]) for line in lines[1:6]]
    assert counts[0] > 10
    assert counts[4] == 4


def test_what_is_written(report):
    output, _ = report
    markdown = (output / "report.md").read_text()
    assert "Without the sushi data, the parts that need it were left out." in markdown
    assert "– not checked" in markdown
    # In the order of the parts, not of the command line.
    assert markdown.index('id="example"') < markdown.index('id="statements"')
    rows = json.loads((output / "statements-f1.json").read_text())
    assert rows[-1]["accuracy"] == 0.5
    assert (output / "statements-f1.csv").read_text().startswith("predicted positive,accuracy,F1")
    assert (output / "figures" / "theory-polytope-1.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_in_a_browser(report, width, show):
    with show(report[0] / "report.html", width) as page:
        assert page.errors() == []
        assert page.evaluate("document.title").endswith("reproduced")
        images = page.evaluate(
            "Array.from(document.images, i => [i.complete, i.naturalWidth, i.clientWidth, "
            "i.clientHeight])"
        )
        assert len(images) == 5
        assert all(loaded and min(sizes) > 100 for loaded, *sizes in images)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        # Links to sections lead somewhere.
        assert page.evaluate(
            "Array.from(document.querySelectorAll('a[href^=\"#\"]'))"
            ".every(a => document.getElementById(a.hash.slice(1)))"
        )


def test_interrupted_it_goes_on_where_it_stopped(tmp_path):
    output = tmp_path / "out"
    cache = output / "cache"
    arguments = ["kinds", "--quick", "-o", str(output)]
    stopped = run(*arguments, program=("-c", INTERRUPTED), start_new_session=True)
    assert (stopped.returncode, stopped.stdout) == (130, "")
    assert stopped.stderr == (
        f"reproduction: interrupted; finished work is in {output}, run again to continue\n"
    )
    finished = {path: path.stat().st_mtime_ns for path in cache.iterdir()}
    assert len(finished) == 2
    assert not (output / "report.html").exists()
    spoiled = min(finished)
    spoiled.write_text("{")
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    again = {path: path.stat().st_mtime_ns for path in cache.iterdir()}
    assert len(again) == 4
    for path, when in finished.items():
        assert (again[path] == when) == (path != spoiled)
    assert (output / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing", "-o", "out"], "there is no part 'nothing'; the parts are example, "),
        (["--data", "nowhere", "-o", "out"], "nowhere: the sushi files are not there. Get them"),
        (["kinds", "-o", "file"], "File exists: 'file'"),
        (["kinds", "-o", "file/out"], "Not a directory: 'file/out'"),
        (["kinds"], "the following arguments are required: -o/--output"),
    ],
)
def test_a_mistake_is_said_in_one_line(tmp_path, monkeypatch, capsys, arguments, says):
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RANKCUT_DATA", raising=False)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code in (1, 2)
    said, complained = capsys.readouterr()
    assert said == ""
    assert says in complained.splitlines()[-1]
    assert "Traceback" not in complained
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_help_names_all_parts(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    words = capsys.readouterr().out.replace(",", " ").replace(".", " ").split()
    assert set(NAMES) <= set(words)
