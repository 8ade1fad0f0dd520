"""``rankcut info`` and ``rankcut convert``: files of all formats and layouts."""

import json
import re

import pytest
from commands import fail, run, succeed
from ranking_sets import orders_of

from rankcut import read_file


def test_info_reports_problems(lunch):
    (lunch / "odd.toc").write_text(
        "# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 4\n# NUMBER VOTERS: 9\n"
        "# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: a\n2: 1\n1: {1,2}\n1: {2,1}\n"
    )
    said = succeed("info", "odd.toc")
    assert "4 in 3 rows" in said
    assert "distinct:        2; the most frequent occurs 2 times" in said
    for problem in (
        "the name of another one, 'a': read as 'a \\(2\\)'",
        "2 rankings rank a single item",
        "2 items in no ranking, such as '3'",
    ):
        assert re.search(problem, said), problem


def test_columns_that_are_no_ranks_are_noticed(lunch):
    (lunch / "years.csv").write_text("year,points\n1975,3\n1976,5\n")
    fail("info", "years.csv", says="csv:3: column 'year' reaches")
    said = succeed("info", "years.csv", "--item-columns", "1-2")
    assert "all rankings are the same" in said
    assert "ranks go up to 1,976, with 2 items" in said


def test_questions_that_begin_alike_are_one_line(lunch):
    said = [f"Please say whether you agree with statement {k}" for k in (1, 2)]
    (lunch / "long.csv").write_text(
        f"a,b,{said[0]},{said[1]},town\n1,2,yes,no,Ayr\n2,1,no,no,Ayr\n"
    )
    columns = succeed("info", "long.csv").partition("columns:")[2].split("problems:")[0]
    assert [line.split(" (")[1] for line in columns.splitlines() if "(" in line] == [
        "2 columns)",
        "1 value)",
    ]


@pytest.mark.parametrize("suffix", ["toi", "csv", "tsv", "parquet", "blt", "toi.gz", "csv.gz"])
def test_convert_to_each_format_and_back(lunch, suffix):
    succeed("convert", "incomplete.csv", f"votes.{suffix}")
    succeed("convert", f"votes.{suffix}", "back.csv", "--expand")
    assert orders_of(read_file("back.csv")) == orders_of(read_file("incomplete.csv"))


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_convert_to_each_layout_and_back(lunch, layout):
    succeed("convert", "top-k.csv", "votes.csv", "--to-layout", layout)
    for asked in ([], ["--layout", layout]):
        succeed("convert", "votes.csv", "back.csv", *asked)
        assert orders_of(read_file("back.csv")) == orders_of(read_file("top-k.csv"))


@pytest.mark.parametrize(
    ("table", "layout"),
    [
        ("order\nAnn\nBob\n", "orders"),
        ("age,order\n30,Ann > Bob\n40,Bob\n", "orders"),
        ("order,a,b\nup,1,2\ndown,2,1\n", "wide"),
        ("age,choice 1,choice 2\n30,Ann,Bob\n40,Bob,\n", "ballots"),
        ("rank1,rank2\nAnn,Bob\nBob,\n", "ballots"),
        ("1st language,a,b\nWelsh,1,2\nGaelic,2,1\n", "wide"),
    ],
)
def test_the_layout_of_a_table_with_text(lunch, table, layout):
    (lunch / "votes.csv").write_text(table)
    found, asked = read_file("votes.csv"), read_file("votes.csv", layout=layout)
    assert orders_of(found) == orders_of(asked)
    assert list(found.columns) == list(asked.columns)


def test_convert_drops_rankings_that_rank_nothing(lunch):
    (lunch / "gaps.csv").write_text("a,b\n1,2\n,\n")
    fail("convert", "gaps.csv", "gaps.soi", says="row 1 ranks no item")
    succeed("convert", "gaps.csv", "gaps.soi", "--drop-empty")
    assert len(read_file("gaps.soi")) == 1
    (lunch / "none.csv").write_text("a,b\n,\n")
    fail("convert", "none.csv", "none.soi", "--drop-empty", says="no row ranks any item")


def test_options_for_tables_reach_the_reader(lunch):
    (lunch / "votes.txt").write_text(
        "x|y|z\nby|film|stars\nann|A|5\nann|B|3\nbob|B|1\nbob|B|2\neve|A|1\n"
    )
    options = ["-f", "csv", "--delimiter", "|", "--header", "2", "--ranking", "by", "--item"]
    options += ["film", "--score", "stars", "--repeats", "last", "--where", "by!=eve"]
    succeed("convert", "votes.txt", "out.csv", *options)
    assert (lunch / "out.csv").read_text() == "ranking,rank: A,rank: B\nann,1,2\nbob,,1\n"
    fail("info", "votes.txt", "-f", "csv", "--header", "x", says="--header must be the number")
    fail("info", "votes.txt", "-f", "csv", "--delimiter", "ab", says="one character")
    fail("info", "votes.txt", says="'stars' is not a number")


def test_info_says_what_it_takes_unranked_items_for(lunch):
    said = succeed("info", "top-k.csv")
    assert "items left out may be anywhere (after all others: --unranked last)" in said
    last = succeed("info", "top-k.csv", "--unranked", "last")
    assert "items left out come after all others" in last
    agreed = [line for line in last.splitlines() if line.startswith("agreement")]
    shown = succeed("consensus", "top-k.csv", "--unranked", "last", "--n-bootstraps", "0")
    assert agreed[0].split("Kendall's W ")[1][:4] in shown
    assert "unranked" not in succeed("info", "full.csv")


def test_blank_rows_leave_every_statistic(lunch):
    blanks = (lunch / "full.csv").read_text().splitlines()
    width = blanks[0].count(",")
    blanks += [f"blank {i}" + "," * width for i in range(11)]
    (lunch / "blanks.csv").write_text("\n".join([*blanks, ""]))
    for command in (["info"], ["consensus", "--unranked", "last", "--n-bootstraps", "200"]):
        with_blanks, without = (
            [line for line in run(*command, file).stdout.splitlines() if "Kendall" in line]
            for file in ("blanks.csv", "full.csv")
        )
        assert with_blanks == without
        assert with_blanks
    assert "left out 11 rows that rank nothing" in run("consensus", "blanks.csv").stderr


def test_a_learned_graph_obeys_what_unranked_items_mean(lunch):
    one, other = "1,2,,,,", ",,,,1,2"
    (lunch / "votes.csv").write_text("\n".join(["a,b,c,d,e,f", *[one, other] * 30, ""]))
    anywhere = succeed("graph", "votes.csv", "--learn", "agreement")
    last = succeed("graph", "votes.csv", "--learn", "agreement", "--unranked", "last")
    assert "a - b" not in anywhere
    assert "a - b" in last


def test_weights_count_like_copies_and_need_not_be_whole(lunch):
    rows = (lunch / "full.csv").read_text().splitlines()
    weights = [1 + i % 3 for i in range(len(rows) - 1)]
    for scale, file in ((1, "weighted.csv"), (0.5, "halves.csv")):
        lines = [f"{row},{scale * w}" for row, w in zip(rows[1:], weights, strict=True)]
        (lunch / file).write_text("\n".join([f"{rows[0]},w", *lines, ""]))
    options = ["--n-bootstraps", "0", "--json"]
    counted = succeed("consensus", "weighted.csv", "--count", "w", *options)
    weighted = succeed("consensus", "weighted.csv", "--weight", "w", *options)
    halves = succeed("consensus", "halves.csv", "--weight", "w", *options)
    places = [json.loads(said)["places"] for said in (counted, weighted, halves)]
    assert places[0] == places[1] == places[2]
    assert places[0] != json.loads(succeed("consensus", "full.csv", *options))["places"]
    assert "rankings:        48" in succeed("info", "halves.csv", "--weight", "w")
    succeed("blocs", "halves.csv", "--weight", "w")
    succeed("map", "halves.csv", "--weight", "w", "-o", "map.html")
    options = ["--weight", "w", "-o", "page.html"]
    succeed("report", "halves.csv", *options)
    succeed("graph", "halves.csv", "--learn", "agreement", "--weight", "w")
