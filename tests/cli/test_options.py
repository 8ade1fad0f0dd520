"""What the command says of itself, in which words, and how it looks on a terminal."""

import json
import re
from inspect import signature
from typing import get_args

import pytest
from commands import fail, succeed

import rankcut
from rankcut.cli import COMMANDS, consensus, files, options, reading, regress_ranking
from rankcut.cli.reading import Reading
from rankcut.consensus import methods
from rankcut.files import formats, tables
from rankcut.rankings import Unranked
from rankcut.strengths import Ties


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (reading.Format, formats.Format),
        (files.Written, formats.Written),
        (reading.Layout, tables.Layout),
        (options.Unranked, Unranked),
        (consensus.Method, methods.Method),
        (regress_ranking.Ties, Ties),
    ],
)
def test_words_are_those_of_the_library(ours, theirs):
    assert get_args(ours) == get_args(theirs)


def test_version():
    assert succeed("--version") == f"rankcut {rankcut.__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_short_and_has_an_example(command):
    said = succeed(command, "--help")
    assert succeed(command, "-h") == said
    assert f"Example: rankcut {command} " in said
    listed, _, topics = said.partition("\nOptions:\n")[2].partition("\n\n")
    names = set(re.findall(r"^  (?:-\w, )?(--?[\w-]+)", listed, re.MULTILINE))
    assert len(names - {"--output", "--to", "--json", "--spreadsheet", "--help"}) <= 12
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
    fail("help", "me", says="no topic 'me'; name a command, or reading or cluster")


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
    assert said["kinds"] == {"full": 3, "incomplete": 3}
    # A missing value is not another value.
    assert said["columns"] == {"town": 1, "age": 1}
    succeed("info", "towns.csv", "--columns", "age", "-o", "towns.json")
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
