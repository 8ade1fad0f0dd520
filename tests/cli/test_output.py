"""Progress and colours: shown to people, and to nobody else."""

import io

import pytest

from rankcut.cli.output import counted, say, steps, styled, working
from rankcut.datasets import load_lunch


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
