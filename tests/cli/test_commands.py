"""What all commands share: help, mistakes, streams, targets, extras and data sets."""

import os
import re
import sys

import numpy as np
import pytest
from commands import fail, run, succeed


def test_without_arguments_the_help_is_shown():
    done = run()
    assert done.exit_code == 2
    assert "Usage: " in done.output


@pytest.mark.parametrize("arguments", [["inform"], ["info"], ["info", "--bad"], ["info", "a", "b"]])
def test_mistakes_of_the_command_line_itself(arguments):
    fail(*arguments, says=r"inform|FILE|--bad|unexpected")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["info", "missing.soi"], "missing.soi: there is no such file"),
        (["info", "guests.xyz"], "'.xyz' is not a format to read; name the format with --format:"),
        (["info", "missing/"], "missing/: there is no such file"),
        (["convert", "full.csv", "out.soi", "--ranking", "no"], "no column 'no'"),
        (["convert", "full.csv", "out.npy"], "'.npy' is not a format to write; name the format"),
        (["convert", "full.csv", "out"], "out: it has no suffix; name the format with --to:"),
        (["open", "lunch:full", "no.csv"], "no.csv: there is no such file"),
        (["graph", "full.csv", "--keep", "2"], "keep is the fraction"),
        (["features", "top-k.csv", "-o", "out.npy"], "pass --unranked last if"),
        (["gram", "full.csv", "-o", "out.png"], ".npy, .csv or .parquet"),
        (["similar", "full.csv", "--to", "g99"], "no row g99"),
        (["classify", "full.csv", "--target", "town"], "no column 'town'"),
        (["predict", "full.csv", "full.csv"], "not a model"),
        (["map", "full.csv", "-o", "map.gif"], "unknown suffix '.gif'; write a "),
        (["learn-ranking", "-", "--rankings", "-"], "cannot both be standard input"),
        (["regress-ranking", "full.csv", "--on", "none"], "there is no column 'none'"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_no_file(lunch, arguments, says):
    before = sorted(os.listdir(lunch))
    assert fail(*arguments, says=re.escape(says)).stdout == ""
    assert sorted(os.listdir(lunch)) == before


def test_streams_need_a_format_and_hold_one_thing(lunch):
    fail("predict", "-", "-", says="MODEL and FILE cannot both")
    fail("info", "-", says="--format")
    fail("convert", "full.csv", "-", says="--to")


@pytest.mark.parametrize(
    ("command", "file", "suffix"),
    [
        ("graph", "dishes.csv", "png"),
        ("map", "full.csv", "png"),
        ("consensus", "missing.csv", "html"),
        ("report", "missing.csv", "html"),
        ("convert", "missing.csv", "soi"),
        ("features", "missing.csv", "npy"),
        ("gram", "missing.csv", "npy"),
    ],
)
def test_targets_are_checked_before_the_work(lunch, command, file, suffix):
    folder = lunch / f"folder.{suffix}"
    folder.mkdir()
    mistakes = [(f"nowhere/out.{suffix}", f"nowhere/out.{suffix}: there is no directory")]
    if command != "features":  # which writes a directory of parts
        mistakes.append((folder.name, "this is a directory"))
    for target, says in mistakes:
        named = [target] if command == "convert" else ["-o", target]
        assert fail(command, file, *named, says=says).stdout == ""


@pytest.mark.parametrize(
    ("module", "arguments", "remedy"),
    [
        ("matplotlib.figure", ["map", "full.csv", "-o", "map.png"], "matplotlib"),
        ("pyarrow", ["convert", "full.csv", "full.parquet"], "pyarrow"),
        ("skops.io", ["predict", "m.skops", "full.csv"], "skops"),
        # Before the work: the files to read are not there.
        ("skops.io", ["classify", "none.csv", "--target", "t", "-o", "m.skops"], "skops"),
        ("matplotlib.figure", ["graph", "none.csv", "-o", "g.png"], "matplotlib"),
        ("matplotlib.figure", ["map", "none.csv", "-o", "map.pdf"], "matplotlib"),
        ("pyarrow", ["similar", "none.csv", "-o", "s.parquet"], "pyarrow"),
    ],
)
def test_an_extra_that_is_missing_is_named(lunch, monkeypatch, module, arguments, remedy):
    monkeypatch.setitem(sys.modules, module, None)
    fail(*arguments, says=rf"pip install {remedy}")


def test_a_misspelt_data_set_is_told_from_the_others(lunch):
    fail("info", "lunch:topk", says="lunch:topk: there is no such file; .*lunch:top-k, ")
    fail("graph", "sushi", says="sushi:a, sushi:b")
    (lunch / "sushi").write_text("a,b\n1,2\n")
    succeed("info", "sushi", "--format", "csv")


def test_data_sets_stand_in_for_files(lunch, monkeypatch):
    assert "48" in succeed("info", "lunch:ties")
    succeed("features", "lunch:full", "-o", "one.npy", "--items", "lunch:full")
    succeed("features", "full.csv", "-o", "two.npy", "--items", "dishes.csv")
    np.testing.assert_array_equal(np.load("one.npy"), np.load("two.npy"))
    assert "edges:        28" in succeed("graph", "lunch:full")
    monkeypatch.delenv("RANKCUT_DATA", raising=False)
    fail("info", "sushi:a", says=r"kamishima\.net.*RANKCUT_DATA")


@pytest.mark.slow
def test_real_data_sets_are_classified(data_home, lunch, monkeypatch):
    monkeypatch.setenv("RANKCUT_DATA", str(data_home))
    said = succeed("classify", "sushi:a", "--target", "side", "--items", "sushi:a")
    assert "side (east: 3,448, west: 1,552)" in said
    star_wars = data_home / "starwars" / "StarWars.csv"
    options = ["--header", "1-2", "--item-columns", "10-15"]
    assert "full: 834" in succeed("info", star_wars, *options)
    succeed("convert", star_wars, "films.soi", "--drop-empty", *options)
    votes = data_home / "eurovision" / "eurovision-votes.csv"
    ids = "edition,jury_or_televoting,from_country"
    options = ["--ranking", ids, "--item", "to_country", "--score", "points"]
    options += ["--where", "duplicate!=x", "--repeats", "last"]
    fail("info", votes, *options[:6], says="second time")
    assert "items:           55" in succeed("info", votes, *options)
    # Countries vote alike year by year, so a country is in training or in test, never in both.
    more = ["--target", "jury_or_televoting", "--group", "from_country"]
    assert "jury_or_televoting (J: " in succeed("classify", votes, *options, *more)
