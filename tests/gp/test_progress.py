import io
import re

import numpy as np
import pytest
from rich.console import Console

from rankcut import GPClassifier, make_food
from rankcut.gp import fits


@pytest.fixture
def terminal(monkeypatch):
    """What a terminal would be sent, with every fit counting as long."""
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=120)
    monkeypatch.setattr(fits, "Console", lambda stderr: console)
    monkeypatch.setattr(fits, "_LONG", 0.0)
    return written


def fit():
    food = make_food(120, noise=1.0, random_state=0)
    # The last class in order of the alphabet is fitted last.
    names = np.array(["Salty", "Sour", "[/b]"])[np.arange(120) % 3]
    GPClassifier().fit(food.ranks, names)


def test_a_long_fit_shows_the_class_the_step_and_the_bound(terminal, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    fit()
    # The line is drawn a few times a second, and once more at the end.
    last = r"class \[/b\]: step \d+ of at most 200: ELBO -\d+\.\d+, about \d.* below its maximum"
    assert re.search(last, terminal.getvalue())


def test_nothing_is_shown_where_nobody_looks(terminal, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    fit()
    assert terminal.getvalue() == ""


def test_nothing_is_shown_for_a_short_fit(terminal, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(fits, "_LONG", 1e9)
    fit()
    assert terminal.getvalue() == ""
