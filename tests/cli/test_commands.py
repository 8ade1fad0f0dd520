"""Variants of the commands, in this process."""

import re
import sys
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from ranking_sets import orders_of
from typer.testing import CliRunner

from rankcut import RankingSet, read_file, read_graph, write_file
from rankcut.cli import app
from rankcut.reports.model_files import read_model

COMMANDS = ["info", "convert", "graph", "features", "gram", "similar", "classify", "predict", "map"]


def run(*arguments, **options):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


def succeed(*arguments, **options):
    done = run(*arguments, **options)
    assert done.exit_code == 0, done.output
    return done.stdout


def fail(*arguments, says, **options):
    done = run(*arguments, **options)
    assert done.exit_code in (1, 2), done.output
    assert done.stderr.startswith("rankcut: ")
    assert done.stderr.count("\n") == 1
    assert re.search(says, done.stderr), done.stderr


@pytest.mark.parametrize("command", [*COMMANDS, "demo"])
def test_help_has_an_example(command):
    assert f"Example: rankcut {command} " in succeed(command, "--help")


def test_without_arguments_the_help_is_shown():
    done = run()
    assert done.exit_code == 2
    assert "Usage: " in done.output


@pytest.mark.parametrize("arguments", [["inform"], ["info"], ["info", "--bad"], ["info", "a", "b"]])
def test_mistakes_of_the_command_line_itself(arguments):
    fail(*arguments, says=r"inform|FILE|--bad|unexpected")


def test_info_reports_problems(lunch):
    (lunch / "odd.toc").write_text(
        "# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 4\n# NUMBER VOTERS: 9\n"
        "# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: a\n2: 1\n1: {1,2}\n1: {2,1}\n"
    )
    said = succeed("info", "odd.toc")
    assert "4 in 3 rows" in said
    assert "different:       2; the most frequent occurs 2 times" in said
    for problem in (
        "like another one: read as 'a \\(2\\)'",
        "2 rankings rank a single item",
        "2 items are in no ranking, such as '3'",
        "number voters: 9, and there are 4",
        "strict orders, and there are ties",
        "complete orders, and some leave items out",
    ):
        assert re.search(problem, said), problem


@pytest.mark.parametrize("suffix", ["toi", "csv", "tsv", "parquet", "blt", "toi.gz", "csv.gz"])
def test_convert_to_each_format_and_back(lunch, suffix):
    succeed("convert", "incomplete.csv", f"votes.{suffix}")
    succeed("convert", f"votes.{suffix}", "back.csv", "--expand")
    assert orders_of(read_file("back.csv")) == orders_of(read_file("incomplete.csv"))


@pytest.mark.parametrize("layout", ["wide", "ratings", "long", "ballots"])
def test_convert_to_each_layout_and_back(lunch, layout):
    succeed("convert", "top-k.csv", "votes.csv", "--to-layout", layout)
    succeed("convert", "votes.csv", "back.npy", "--layout", layout)
    assert np.load("back.npy").shape == (48, 8)


def test_convert_drops_rankings_that_rank_nothing(lunch):
    (lunch / "gaps.csv").write_text("a,b\n1,2\n,\n")
    fail("convert", "gaps.csv", "gaps.soi", says="row 1 ranks no item")
    succeed("convert", "gaps.csv", "gaps.soi", "--drop-empty")
    assert len(read_file("gaps.soi")) == 1
    (lunch / "none.csv").write_text("a,b\n,\n")
    fail("convert", "none.csv", "none.soi", "--drop-empty", says="every ranking ranks nothing")


def test_streams_need_a_format(lunch):
    fail("info", "-", says="--format")
    fail("convert", "full.csv", "-", says="--to")


def test_options_for_tables_reach_the_reader(lunch):
    (lunch / "votes.txt").write_text(
        "x|y|z\nby|film|stars\nann|A|5\nann|B|3\nbob|B|1\nbob|B|2\neve|A|1\n"
    )
    options = ["-f", "csv", "--delimiter", "|", "--header", "2", "--ranking", "by", "--item"]
    options += ["film", "--score", "stars", "--repeats", "last", "--where", "by!=eve"]
    succeed("convert", "votes.txt", "out.csv", *options)
    assert (lunch / "out.csv").read_text() == "ranking,A,B\nann,1,2\nbob,,1\n"
    fail("info", "votes.txt", "-f", "csv", "--header", "x", says="--header is a line's number")
    fail("info", "votes.txt", "-f", "csv", "--delimiter", "ab", says="one character")
    fail("info", "votes.txt", says="name the format")


def test_graph_of_neighbours_and_categories(lunch):
    said = succeed("graph", "dishes.csv", "-o", "g.npz", "--neighbors", "2", "--columns", "2-4")
    assert "features:        sweet, savoury, juicy" in said
    graph = read_graph("g.npz")
    assert graph.items[0] == "cake"
    assert graph.n_edges < 28
    fail("graph", "dishes.csv", "--neighbors", "2", "--keep", "0.5", says="one of --neighbors")
    fail("graph", "dishes.csv", "--columns", "nine", says="no column 'nine'")


def test_graph_of_unlike_items(lunch):
    alike = succeed("graph", "dishes.csv", "-o", "like.npz", "--neighbors", "2")
    said = succeed("graph", "dishes.csv", "-o", "unlike.npz", "--neighbors", "2", "--dissimilar")
    like, unlike = read_graph("like.npz"), read_graph("unlike.npz")
    np.testing.assert_allclose(unlike.to_dense(), 1 - np.eye(8) - like.to_dense(), atol=1e-15)
    assert unlike.items == like.items
    first = re.search("most alike: *(.*) \\(", alike).group(1)
    assert re.search(f"most alike: *{first}", said)
    succeed("graph", "dishes.csv", "-o", "even.npz", "--dissimilar", "--normalized", "-p", "g.png")
    dense = 1 - np.eye(8) - read_graph_of("dishes.csv").to_dense()
    roots = np.sqrt(dense.sum(axis=0))
    np.testing.assert_allclose(read_graph("even.npz").to_dense(), dense / np.outer(roots, roots))
    succeed("features", "full.csv", "-o", "f.npy", "--graph", "unlike.npz")
    assert np.load("f.npy").shape[1] == 8


def test_graph_of_low_rank(lunch):
    said = succeed("graph", "dishes.csv", "-o", "low.npz", "--rank", "8")
    assert re.search(
        r"approximation: +rank 8, relative error \d.*, smallest weight .* all pairs", said
    )
    expected = read_graph_of("dishes.csv").to_dense()
    np.testing.assert_allclose(read_graph("low.npz").to_dense(), expected, atol=1e-5)
    fail("graph", "dishes.csv", "--rank", "8", "--keep", "0.5", says="one of --neighbors, --keep")
    fail("graph", "dishes.csv", "--exact", says="ways to find --neighbors")
    fail("graph", "dishes.csv", "--rank", "8", "--kernel", "exponential", says="squared exponent")


def test_those_most_like_each(lunch):
    from rankcut import graph_cut_kernel

    done = run("similar", "full.csv", "-n", "3")
    assert done.exit_code == 0, done.output
    lines = pd.read_csv(StringIO(done.stdout))
    ranks = read_file("full.csv").ranks
    gram = graph_cut_kernel(ranks, normalize=True)
    assert (lines["row"].to_numpy() == np.repeat(np.arange(len(ranks)), 3)).all()
    assert (lines["row"] != lines["similar"]).all()
    found = gram[lines["row"], lines["similar"]]
    np.testing.assert_allclose(lines["similarity"], found, atol=6e-5)
    np.fill_diagonal(gram, -np.inf)
    np.testing.assert_allclose(found.reshape(-1, 3), -np.sort(-gram, axis=1)[:, :3])
    index = run("similar", "full.csv", "-n", "3", "--approximate")
    assert re.fullmatch(r"rankcut: the index finds [\d.]+% of the nearest\n", index.stderr)
    np.testing.assert_allclose(
        pd.read_csv(StringIO(index.stdout))["similarity"], lines["similarity"], atol=1e-4
    )
    fail("similar", "full.csv", "--to", "0", "--approximate", says="search without --to")


def read_graph_of(table):
    succeed("graph", table, "-o", "plain.npz")
    return read_graph("plain.npz")


def test_items_from_standard_input_with_any_delimiter(lunch):
    expected = succeed("graph", "dishes.csv")
    text = (lunch / "dishes.csv").read_text()
    assert succeed("graph", "-", input=text) == expected
    for spelling in ("tab", "\\t"):
        tabs = text.replace(",", "\t")
        assert succeed("graph", "-", "--delimiter", spelling, input=tabs) == expected
    fail("graph", "dishes.csv", "--delimiter", ";;", says="--delimiter is one character")


@pytest.mark.parametrize(
    "arguments",
    [
        ["graph", "dishes.csv"],
        ["classify", "full.csv", "--target", "guest"],
        ["map", "full.csv"],
        ["features", "missing.csv"],
        ["gram", "missing.csv"],
    ],
)
def test_targets_are_checked_before_the_work(lunch, arguments):
    (lunch / "folder.png").mkdir()
    mistakes = [("nowhere/out.png", "nowhere/out.png: there is no directory")]
    if arguments[0] not in ("features", "gram"):
        # These two write a directory of parts.
        mistakes.append(("folder.png", "this is a directory"))
    for target, says in mistakes:
        fail(*arguments, "-o", target, says=says)
        assert run(*arguments, "-o", target).stdout == ""


def test_streams_hold_one_thing(lunch):
    fail("graph", "dishes.csv", "-o", "-", "-p", "-", says="one of -o and --picture")
    fail("predict", "-", "-", says="one of MODEL and FILE")
    fail("map", "full.csv", "-o", "-", says="name the format with --to")


def test_a_picture_of_a_graph_has_a_format_before_the_work(lunch):
    fail("graph", "dishes.csv", "-o", "g.npz", "--picture", "g.txt", says="a .png, .svg or .pdf")
    assert not (lunch / "g.npz").exists()


def test_a_table_is_no_graph(lunch):
    fail("features", "full.csv", "-o", "f.npy", "--graph", "dishes.csv", says="for --items")


@pytest.mark.parametrize("suffix", ["npy", "npz", "csv", "parquet"])
def test_features_in_blocks_are_the_features(lunch, suffix):
    from rankcut import graph_cut_features

    rankings = read_file("top-k.csv")
    expected = graph_cut_features(rankings.ranks, unranked="last")
    for source in ("top-k.csv", "top-k.npy", "top-k.parquet"):
        write_file(rankings, source)
        out = f"features.{suffix}"
        succeed("features", source, "-o", out, "--unranked", "last", "--block", "5")
        found = {
            "npy": lambda out: np.load(out),
            "npz": lambda out: np.load(out)["matrix"],
            "csv": lambda out: pd.read_csv(out).iloc[:, -8:],
            "parquet": lambda out: pd.read_parquet(out).iloc[:, -8:],
        }[suffix](out)
        np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_features_stop_at_a_mistake_in_a_later_block_and_write_nothing(lunch):
    (lunch / "late.csv").write_text("a,b\n" + "1,2\n" * 9 + "1,x\n")
    fail("features", "late.csv", "-o", "late.npy", "--block", "4", says=r"late.csv:11: .*'x'")
    assert not (lunch / "late.npy").exists()


def test_items_and_graph_exclude_each_other_and_must_match(lunch):
    both = ["--items", "dishes.csv", "--graph", "g.npz"]
    fail("gram", "full.csv", "-o", "k.npy", *both, says="one of --items and --graph")
    (lunch / "other.csv").write_text("dish,price\nsoup,1\nstew,2\n")
    fail("gram", "full.csv", "-o", "k.npy", "--items", "other.csv", says="do not match")


@pytest.mark.parametrize("unranked", ["last", "anywhere"])
def test_unranked_items_reach_the_feature_map(lunch, unranked):
    succeed("gram", "incomplete.csv", "-o", "k.npy", "--unranked", unranked)
    plain = np.load("k.npy")
    assert np.isfinite(plain).all()
    weight = ["--unlisted-weight", "balanced"]
    succeed("gram", "incomplete.csv", "-o", "k.npy", "--unranked", unranked, *weight)
    assert (np.load("k.npy") != plain).any()
    weight[1] = "often"
    fail("gram", "incomplete.csv", "-o", "k.npy", *weight, says="--unlisted-weight must be")


def test_smoothing_reaches_each_command(lunch):
    lists = ["incomplete.csv", "--unranked", "last", "--items", "dishes.csv"]
    succeed("features", *lists, "-o", "x.npy", "--normalize")
    plain = np.load("x.npy")
    lists += ["--smoothing", "1.5"]
    succeed("features", *lists, "-o", "x.npy", "--normalize")
    vectors = np.load("x.npy")
    assert np.abs(vectors - plain).max() > 0.01
    succeed("gram", *lists, "-o", "k.npy", "--normalize")
    gram = np.load("k.npy")
    np.testing.assert_allclose(gram, vectors @ vectors.T, atol=1e-12)
    nearest = succeed("similar", *lists, "--to", "0", "-n", "1").splitlines()[2].split(",")
    assert float(nearest[2]) == pytest.approx(gram[0, 1:].max(), abs=1e-4)
    of_each = succeed("similar", *lists, "-n", "1").splitlines()[1].split(",")
    assert of_each[-1] == nearest[2]
    succeed("map", *lists, "-o", "map.html")
    trained = [*lists, "--target", "guest", "--folds", "2", "-o", "model.skops"]
    succeed("classify", *trained)
    assert read_model("model.skops").features.smoothing == 1.5
    assert len(succeed("predict", "model.skops", "incomplete.csv").splitlines()) == len(gram) + 1


def test_smoothing_needs_a_graph_and_a_number_of_steps(lunch):
    options = ["full.csv", "-o", "x.npy", "--smoothing"]
    fail("features", *options, "1", says="give --items or --graph")
    fail("features", *options, "-1", "--items", "dishes.csv", says="0 or more steps")
    assert not (lunch / "x.npy").exists()


def test_a_gram_matrix_larger_than_memory_is_refused(lunch):
    np.save("large.npy", np.tile([1.0, 2.0], (100_000, 1)))
    fail("gram", "large.npy", "-o", "k.npy", says="80 GB")


def test_similar_by_row_with_counts_and_ties(lunch):
    votes = RankingSet(np.array([[1.0, 1, 2], [1, 2, 3], [3, 2, 1]]), ("a", "b", "c"), [5, 2, 1])
    write_file(votes, "votes.toi")
    lines = succeed("similar", "votes.toi", "--to", "0").splitlines()
    assert lines[0] == "row,similarity,count,order"
    assert lines[1] == "0,1.0000,5,a = b > c"
    assert [line.split(",")[0] for line in lines[1:]] == ["0", "1", "2"]
    succeed("similar", "votes.toi", "--to", "1", "-o", "near.csv")
    assert len((lunch / "near.csv").read_text().splitlines()) == 4


def test_classify_a_column_of_numbers_and_test_on_another_file(lunch):
    table = (lunch / "full.csv").read_text().replace("sweet tooth", "1").replace("juicy eater", "0")
    (lunch / "coded.csv").write_text(table)
    options = ["--target", "guest", "--test", "coded.csv", "--folds", "3", "--items", "dishes.csv"]
    said = succeed("classify", "coded.csv", *options)
    assert "guest (0: 24, 1: 24), 3-fold cross-validation" in said
    assert "guest, 48 rankings of coded.csv" in said


def test_classify_keeps_groups_together(lunch):
    lines = (lunch / "full.csv").read_text().splitlines()
    grouped = [f"{lines[0]},team", *(f"{line},t{i % 12}" for i, line in enumerate(lines[1:]))]
    (lunch / "grouped.csv").write_text("\n".join(grouped) + "\n")
    said = succeed("classify", "grouped.csv", "--target", "guest", "--group", "team")
    assert "5-fold" in said
    fail("classify", "grouped.csv", "--target", "guest", "--group", "no", says="no column 'no'")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b,t\n1,2,x\n2,1,x\n", "'x' everywhere"),
        ("a,b,t\n1,2,x\n2,1,y\n", "too few for 5 folds"),
        ("a,b,t\n1,2,\n2,1,\n", "has no values"),
    ],
)
def test_a_target_that_cannot_be_told(lunch, text, says):
    (lunch / "t.csv").write_text(text)
    fail("classify", "t.csv", "--target", "t", says=says)


def test_a_format_without_columns_has_no_target(lunch):
    succeed("convert", "full.csv", "full.soc")
    fail("classify", "full.soc", "--target", "guest", says="soc files have no columns")


def test_predict_matches_items_by_name(lunch):
    succeed("classify", "full.csv", "--target", "guest", "-o", "m.skops", "--unranked", "last")
    succeed("convert", "full.csv", "long.csv", "--to-layout", "long")
    shuffled = (lunch / "long.csv").read_text().splitlines()
    (lunch / "long.csv").write_text("\n".join([shuffled[0], *sorted(shuffled[1:])[::-1]]) + "\n")
    succeed("predict", "m.skops", "full.csv", "-o", "one.csv")
    succeed("predict", "m.skops", "long.csv", "-o", "two.csv")
    assert sorted((lunch / "one.csv").read_text().splitlines()) == sorted(
        (lunch / "two.csv").read_text().splitlines()
    )
    (lunch / "soup.csv").write_text("soup,cake\n1,2\n")
    fail("predict", "m.skops", "soup.csv", says="item 'soup' is not among the 8 known ones")
    (lunch / "few.csv").write_text("pizza,cake\n1,2\n")
    assert len(succeed("predict", "m.skops", "few.csv").splitlines()) == 2


def test_a_gaussian_process_is_trained_saved_and_predicts(lunch):
    options = ["--target", "guest", "--model", "gp", "-o", "m.skops"]
    assert "rankcut, gp " in succeed("classify", "full.csv", *options)
    succeed("predict", "m.skops", "full.csv", "-o", "told.csv")
    told, truth = pd.read_csv("told.csv"), pd.read_csv("full.csv")
    assert (told["guest"] == truth["guest"]).mean() > 0.9


def write_coded(lunch):
    """The rankings with numbers for the guest and for a team of each."""
    table = pd.read_csv("full.csv")
    table["guest"] = (table["guest"] == "sweet tooth").astype(int)
    table["team"] = np.arange(len(table)) % 12
    table.to_csv("coded.csv", index=False)


def test_columns_of_numbers_are_no_items_of_a_model(lunch):
    write_coded(lunch)
    options = ["--target", "guest", "--group", "team", "--test", "coded.csv", "-o", "m.skops"]
    assert "guest, 48 rankings of coded.csv" in succeed("classify", "coded.csv", *options)
    plain = succeed("predict", "m.skops", "coded.csv", "--columns", "guest,team")
    done = run("predict", "m.skops", "coded.csv")
    assert done.exit_code == 0
    assert done.stdout == plain
    assert done.stderr == "rankcut: coded.csv: left out what is no item of the model: 'team'\n"
    pd.read_csv("coded.csv").drop(columns=["team", "cake"]).to_csv("fewer.csv", index=False)
    fail("predict", "m.skops", "fewer.csv", says="row 0 leaves out items, .* train it again")
    pd.read_csv("coded.csv").drop(columns="cake").to_csv("fewer.csv", index=False)
    fail("predict", "m.skops", "fewer.csv", says="'team' is not among .* --columns")
    (lunch / "none.csv").write_text("guest\n1\n")
    fail("predict", "m.skops", "none.csv", says="no item of the model")


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "html"])
def test_map_in_each_format(lunch, suffix):
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "html": b"<!doctype html>"}
    for color in ([], ["--color", "guest"]):
        succeed("map", "full.csv", "-o", f"map.{suffix}", *color)
        assert (lunch / f"map.{suffix}").read_bytes().lower().startswith(starts[suffix].lower())
    assert not list(lunch.glob(".map*"))


def test_map_coloured_by_a_number(lunch):
    (lunch / "aged.csv").write_text("age,a,b,c\n30,1,2,3\n40,3,1,2\n,2,1,3\n")
    for suffix in ("png", "html"):
        succeed("map", "aged.csv", "-o", f"map.{suffix}", "--color", "age")
    fail("map", "aged.csv", "-o", "map.png", "--color", "town", says="no column 'town'")
    (lunch / "town.csv").write_text("town,a,b,c\nKobe,1,2,3\n,3,1,2\nNara,2,1,3\n")
    for suffix in ("svg", "html"):
        succeed("map", "town.csv", "-o", f"map.{suffix}", "--color", "town")
        assert "not known" in (lunch / f"map.{suffix}").read_text()
    (lunch / "one.csv").write_text("a,b\n1,2\n")
    fail("map", "one.csv", "-o", "map.png", says="two rankings")


@pytest.mark.parametrize(
    ("module", "arguments", "remedy"),
    [
        ("matplotlib.figure", ["map", "full.csv", "-o", "map.png"], "plot"),
        ("matplotlib.figure", ["graph", "dishes.csv", "-p", "g.png"], "plot"),
        ("hnswlib", ["similar", "full.csv", "--approximate"], "neighbors"),
        ("pynndescent", ["graph", "dishes.csv", "--neighbors", "2", "--approximate"], "neighbors"),
        ("plotly.graph_objects", ["map", "full.csv", "-o", "map.html"], "plot"),
        ("pyarrow", ["convert", "full.csv", "full.parquet"], "parquet"),
        ("skops.io", ["predict", "m.skops", "full.csv"], "model"),
    ],
)
def test_an_extra_that_is_missing_is_named(lunch, monkeypatch, module, arguments, remedy):
    monkeypatch.setitem(sys.modules, module, None)
    fail(*arguments, says=rf'pip install "rankcut\[{remedy}\]"')


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
    assert "edges:           28" in succeed("graph", "lunch:full")
    monkeypatch.delenv("RANKCUT_DATA", raising=False)
    fail("info", "sushi:a", says=r"kamishima\.net.*RANKCUT_DATA")


def test_columns_that_are_no_ranks_are_noticed(lunch):
    (lunch / "years.csv").write_text("year,points\n1975,3\n1976,5\n")
    said = succeed("info", "years.csv")
    assert "all rankings are the same" in said
    assert "ranks reach 1,976, though there are 2 items" in said


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
    more = ["--target", "jury_or_televoting", "--group", "from_country", "--unranked", "last"]
    assert "jury_or_televoting (J: " in succeed("classify", votes, *options, *more)
