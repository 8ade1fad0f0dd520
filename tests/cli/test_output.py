"""Progress: shown to people, and to nobody else."""

import io

import pytest

from rankcut.cli.output import counted, steps, working
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
