"""What the command says of itself, in which words, and how it looks on a terminal."""

import io
import json
import re
from inspect import signature

import pytest
from commands import fail, succeed

import rankcut
from rankcut.cli import COMMANDS
from rankcut.cli.output import counted, say, steps, styled, working
from rankcut.cli.reading import Reading
from rankcut.datasets import load_lunch


def test_version():
    assert succeed("--version") == f"rankcut {rankcut.__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_short_and_has_an_example(command):
    said = succeed(command, "--help")
    assert succeed(command, "-h") == said
    assert f"Example: rankcut {command} " in said
    listed, _, topics = said.partition("\nOptions:\n")[2].partition("\n\n")
    names = set(re.findall(r"^  (?:-\w, )?(--?[\w-]+)", listed, re.MULTILINE))
    assert len(names - {"--output", "--to", "--json", "--spreadsheet", "--help"}) <= 13
    takes_rankings = command not in ("demo", "help", "open")
    assert ("Options for reading files: rankcut help reading" in topics) == takes_rankings


def test_options_for_reading_are_explained_once():
    said = succeed("help", "reading")
    for option in signature(Reading).parameters:
        assert f"--{option.replace('_', '-')} " in said
        assert said.count(f"--{option.replace('_', '-')} ") == 1
    assert "--scheduler" in succeed("help", "cluster")
    assert succeed("help", "info") == succeed("info", "--help")
    assert succeed("help") == succeed("--help")
    fail("help", "me", says="no topic 'me'; name a command, or reading or cluster or board")


def test_the_list_of_commands_has_whole_sentences():
    lines = succeed("--help").partition("Commands:")[2].strip().splitlines()
    assert [line.split()[0] for line in lines] == list(COMMANDS)
    for line in lines:
        assert line.endswith(".")
        assert not line.endswith("...")


def test_info_as_json(lunch):
    (lunch / "towns.csv").write_text(
        "town,age,a,b,c,count\nKobe,30,1,2,3,2\n,,1,2,,3\nKobe,,2,1,3,1\n"
    )
    said = json.loads(succeed("info", "towns.csv", "--columns", "age", "--json"))
    assert (said["n_rankings"], said["n_rows"], said["n_items"]) == (6, 3, 3)
    assert said["read_as"]["towns.csv"].startswith("read as ranks: 3 items, 6 rankings; first ")
    assert said["kinds"] == {"full": 3, "incomplete": 3}
    # A missing value is not another value.
    assert said["columns"] == {"town": 1, "age": 1}
    succeed("info", "towns.csv", "--columns", "age", "-o", "towns.json")
    del said["read_as"]
    assert json.loads((lunch / "towns.json").read_text()) == said
    text = succeed("info", "towns.csv", "--columns", "age")
    assert "columns:         town (1 value)\n                 age (1 value)\n" in text


def test_one_of_a_thing_is_singular(lunch):
    (lunch / "one.csv").write_text("a,b\n1,2\n")
    said = succeed("info", "one.csv")
    assert "in 1 ranking)" in said
    assert "1 rankings" not in said
    (lunch / "count.csv").write_text("a,b,count\n1,2,5\n")
    assert "rankings:        5 in 1 row\n" in succeed("info", "count.csv")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def work():
    with working("reading") as say:
        say("half of [plot]")  # brackets are no markup
    with steps("folds") as step:
        step(1, 2)
    assert len(list(counted([load_lunch()], "features"))) == 1


@pytest.mark.parametrize("forced", [False, True])
def test_a_pipe_stays_empty(monkeypatch, forced):
    """Even if the environment asks for the colours of a terminal."""
    if forced:
        monkeypatch.setenv("FORCE_COLOR", "1")
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    work()
    assert pipe.getvalue() == ""


def test_a_terminal_shows_what_is_under_way(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    work()
    for said in ("reading: half of [plot]", "folds", "features: 48 rows"):
        assert said in terminal.getvalue()


def test_colour_is_for_terminals_that_want_it(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert styled("items:", Terminal(), fg="cyan") == "\x1b[36mitems:\x1b[0m"
    assert styled("items:", io.StringIO(), fg="cyan") == "items:"
    for name, value in (("TERM", "dumb"), ("NO_COLOR", "1")):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            assert styled("items:", Terminal(), fg="cyan") == "items:"


def test_only_our_own_colours_reach_a_terminal(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    shown, piped = Terminal(), io.StringIO()
    for file in (shown, piped):
        say(f"{styled('items:', file, fg='cyan')} a\x1b[8mb\nc", file)
    assert shown.getvalue() == "\x1b[36mitems:\x1b[0m a\\x1b[8mb\\nc\n"
    assert piped.getvalue() == "items: a\\x1b[8mb\\nc\n"
