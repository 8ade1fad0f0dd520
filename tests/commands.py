"""Commands in this process, and what they say."""

import json
import re

import pandas as pd
import pytest
from typer.testing import CliRunner

from rankcut.cli import app

ITEMS = ["ann", "bob", "cy", "dan"]
# How many rankings, in which town, by people of which age; complete or not, with and without ties.
BALLOTS = [
    (4, "Kobe", 31, "1,2,3,4"),
    (1, "Kobe", 35, "1,1,2,"),
    (3, "Kobe", 40, "2,1,,"),
    (2, "Nara", 52, "4,3,2,1"),
    (5, "Nara", 60, ",2,1,"),
    (2, "Nara", 58, ",,1,1"),
    (1, "Nara", 47, "3,,2,1"),
]


def run(*arguments, **options):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


def succeed(*arguments, **options):
    done = run(*arguments, **options)
    if isinstance(done.exception, Exception):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def fail(*arguments, says, **options):
    done = run(*arguments, **options)
    assert done.exit_code in (1, 2), done.output
    mistake = notes(done.stderr)
    assert mistake.startswith("rankcut: "), done.output
    assert mistake.count("\n") == 1, done.stderr
    assert re.search(says, mistake), done.stderr
    return done


def json_answer(stdout):
    """The JSON that a command prints, without how it read its files."""
    data = json.loads(stdout)
    return {k: v for k, v in data.items() if k != "read_as"} if isinstance(data, dict) else data


def notes(stderr):
    """What a command says on standard error, without the lines on how it read its files."""
    return "".join(line for line in stderr.splitlines(True) if ": read as " not in line)


def add_columns(file, target, **columns):
    """Write a table of rankings with further columns to another file."""
    pd.read_csv(file, dtype=str).assign(**columns).to_csv(target, index=False)


def assert_same(one, other):
    """Assert that data are equal, numbers up to the rounding of sums in another order."""
    if isinstance(one, dict):
        assert list(one) == list(other)
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list | tuple):
        assert len(one) == len(other)
        for first, second in zip(one, other, strict=True):
            assert_same(first, second)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9)
    else:
        assert one == other
