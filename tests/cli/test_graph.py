"""``rankcut graph``: graphs of all kinds from a table of items."""

import re
from pathlib import Path

import numpy as np
import pytest
from commands import fail, run, succeed

from rankcut import read_file
from rankcut.files import read_graph
from rankcut.graphs import AgreementGraph, CoListingGraph


def test_graph_of_neighbours_and_categories(lunch):
    said = succeed("graph", "dishes.csv", "-o", "g.npz", "--neighbors", "2", "--columns", "2-4")
    assert "compared by:  sweet, savoury, juicy" in said
    graph = read_graph("g.npz")
    assert graph.items[0] == "cake"
    assert graph.n_edges < 28


def test_items_from_standard_input_with_any_delimiter(lunch):
    expected = succeed("graph", "dishes.csv")
    text = (lunch / "dishes.csv").read_text()
    assert succeed("graph", "-", input=text) == expected
    for spelling in ("tab", "\\t"):
        tabs = text.replace(",", "\t")
        assert succeed("graph", "-", "--delimiter", spelling, input=tabs) == expected


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("graph dishes.csv --neighbors 2 --keep 0.5", "give only one of --neighbors and --keep"),
        ("graph dishes.csv --columns nine", "no column 'nine'"),
        ("graph dishes.csv --delimiter ;;", "--delimiter must be one character"),
        ("graph dishes.csv --rank place", "--rank describes rankings"),
        ("graph dishes.csv --layout wide", "--layout describes rankings.*--learn"),
        ("graph dishes.csv -o g.npz -o g.txt", r"\.html, \.png, \.svg or \.pdf"),
        ("graph full.csv --learn agreement --keep 0.5", "--neighbors is the only"),
        ("graph full.csv --learn co-listing", "full.csv: .*use --learn agreement"),
        ("features full.csv -o g.npy --graph dishes.csv", "dishes.csv: not an item graph"),
    ],
)
def test_mistakes_are_one_line_and_leave_no_file(lunch, arguments, says):
    fail(*arguments.split(), says=says)
    assert not list(lunch.glob("g.*"))


VOTES = """4 1
3 1 2 3 4 0
2 4 3 2 1 0
4 3 4 0
1 1 2 0
0
"Ann"
"Bob"
"Cy"
"Dan"
"council"
"""


@pytest.mark.parametrize(
    ("kind", "recipe"), [("agreement", AgreementGraph), ("co-listing", CoListingGraph)]
)
def test_graph_learned_from_rankings(lunch, kind, recipe):
    (lunch / "votes.blt").write_text(VOTES)
    succeed("convert", "votes.blt", "votes.csv")
    votes = read_file("votes.blt").expanded()
    expected = recipe(shrinkage=10.0).build_from(votes.ranks, votes.items).to_dense()
    assert expected.any()
    for file in ("votes.blt", "votes.csv"):
        said = succeed("graph", file, "--learn", kind, "-o", "learned.npz", "-o", "learned.png")
        assert re.search(f"compared by: +{kind} in 10 rankings", said)
        assert "most similar: " in said
        graph = read_graph("learned.npz")
        assert graph.items == ("Ann", "Bob", "Cy", "Dan")
        np.testing.assert_allclose(graph.to_dense(), expected, rtol=1e-12)
    piped = ["--learn", kind, "--format", "blt", "--neighbors", "1", "-o", "one.npz"]
    succeed("graph", "-", *piped, input=VOTES.encode())
    assert read_graph("one.npz").n_edges <= np.count_nonzero(expected) / 2
    succeed("features", "votes.csv", "--unranked", "last", "--graph", "learned.npz", "-o", "f.npy")
    assert np.load("f.npy").shape == (10, 4)


def test_what_a_learned_graph_needs(lunch):
    (lunch / "votes.blt").write_text(VOTES)
    fail("graph", "votes.blt", says="votes.blt: holds rankings.*--learn agreement or --learn co-l")
    for file in ("votes.csv", "votes.parquet"):
        succeed("convert", "votes.blt", file)
        fail("graph", file, says=f"{file}: holds rankings; it is not.*--learn agreement")
    (lunch / "apart.csv").write_text("a,b,c\n1,,\n,1,\n,,1\n")
    done = run("graph", "apart.csv", "--layout", "wide", "--learn", "co-listing")
    assert done.exit_code == 0
    assert "no two items are listed together" in done.stderr


def test_rankings_to_learn_from_are_read_as_in_every_command(lunch):
    rows = [f"{year},{(year % 3) + 1},{((year + 1) % 3) + 1},{((year + 2) % 3) + 1}\n"
            for year in range(1990, 2002)]  # fmt: skip
    (lunch / "years.csv").write_text("held in,Ann,Bob,Cy\n" + "".join(rows))
    said = run("graph", "years.csv", "--learn", "agreement", "-o", "learned.npz").stderr
    assert "'held in' is no item" in said
    for described in (["--columns", "held in"], ["--item-columns", "2-4"]):
        succeed("graph", "years.csv", "--learn", "agreement", "-o", "other.npz", *described)
        assert Path("other.npz").read_bytes() == Path("learned.npz").read_bytes()
        assert read_graph("learned.npz").items == ("Ann", "Bob", "Cy")
    (lunch / "stars.csv").write_text("who,film,stars\n" + "1,A,5\n1,B,3\n2,A,4\n2,C,1\n")
    named = ["--ranking", "who", "--item", "film", "--score", "stars"]
    succeed("graph", "stars.csv", "--learn", "co-listing", *named, "-o", "learned.npz")
    assert read_graph("learned.npz").items == ("A", "B", "C")


def test_a_title_is_not_compared_unless_asked(lunch):
    rows = [f"{i},film {i},{'comedy' if i % 2 else 'drama'}" for i in range(30)]
    (lunch / "films.csv").write_text("\n".join(["id,title,genre", *rows, ""]))
    says = r"'title' has 30 different texts for 30 items.*compare by the others: --columns genre\n"
    fail("graph", "films.csv", "-o", "films.npz", says=says)
    succeed("graph", "films.csv", "-o", "films.npz", "--columns", "genre")
