"""``rankcut consensus``: the table, files, groups and mistakes."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import fail, run, succeed

from rankcut import Consensus, make_mallows

NAMES = ["uni", "ika", "ebi", "toro"]
RANKS = make_mallows(60, 4, phi=0.5, random_state=0).ranks


@pytest.fixture
def votes(tmp_path):
    table = pd.DataFrame(RANKS.astype(int), columns=NAMES)
    table["town"] = np.where(np.arange(60) % 2, "Oslo", "Bergen")
    table["person"] = np.arange(60) // 3
    file = tmp_path / "votes.csv"
    table.to_csv(file, index=False)
    return file


def test_a_table_in_the_terminal(votes):
    lines = succeed("consensus", votes, "--columns", "town,person").splitlines()
    assert lines[0].split() == ["place", "item", "95", "%", "sure", "first", "in", "1", "4"]
    model = Consensus().fit(RANKS)
    assert [line.split()[1] for line in lines[1:5]] == [
        NAMES[i] for i in np.argsort(model.ranking_)
    ]
    assert "'uni' beats every other item in a pairwise comparison." in lines
    assert lines[-1].startswith("Agreement: Kendall's W")


def test_files_go_by_suffix_and_agree(votes, tmp_path):
    targets = [tmp_path / f"out{end}" for end in (".csv", ".json", ".html", ".svg")]
    options = [part for target in targets for part in ("-o", target)]
    succeed("consensus", votes, "--columns", "town,person", "-m", "kemeny", *options)
    table = pd.read_csv(targets[0])
    assert list(table) == ["place", "item", "best", "worst", "first", "score", "mean_rank"]
    model = Consensus("kemeny").fit(RANKS)
    data = json.loads(targets[1].read_text())
    assert data["items"] == NAMES
    (group,) = data["groups"]
    assert group["places"] == model.ranking_.tolist()
    assert group["intervals"] == model.rank_intervals_.tolist()
    assert group["people"] == 60
    assert np.isnan(model.pairwise_[0, 0])
    assert group["pairwise"][0][0] is None
    page = targets[2].read_text()
    assert page.startswith("<!doctype html>")
    assert "<svg" in page
    assert "http" not in page
    assert targets[3].read_text().startswith("<?xml")
    options = ["--columns", "town", "--people", "person", "-m", "kemeny", "--json"]
    (group,) = json.loads(succeed("consensus", votes, *options))["groups"]
    own = Consensus("kemeny").fit(RANKS, people=[str(i // 3) for i in range(60)])
    assert group["people"] == 20
    assert group["intervals"] == own.rank_intervals_.tolist()


def test_groups_side_by_side(votes, tmp_path):
    out = tmp_path / "out.csv"
    page = tmp_path / "out.html"
    said = succeed("consensus", votes, "--by", "town", "--columns", "person", "-o", out, "-o", page)
    assert said.splitlines()[0].split() == ["item", "Bergen", "Oslo"]
    assert "Oslo (30 people):\n  " in said
    table = pd.read_csv(out)
    assert table["group"].tolist() == ["Bergen"] * 4 + ["Oslo"] * 4
    own = Consensus().fit(RANKS[1::2])
    oslo = table[table["group"] == "Oslo"].set_index("item")
    assert oslo.loc[NAMES, "place"].tolist() == own.ranking_.tolist()
    assert "<h2>Oslo (30)</h2>" in page.read_text()


def test_an_item_nobody_ranks_is_said_and_nothing_else(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("uni,ika,ebi\n1,2,\n2,1,\n1,2,\n")
    done = run("consensus", file, "--unranked", "last")
    assert done.exit_code == 0
    assert done.stderr == ""
    assert "Nobody ranks 'ebi': placed last, though any place is possible." in done.stdout


def test_mistakes_are_one_line(votes, tmp_path):
    file = tmp_path / "lists.csv"
    file.write_text("uni,ika\n1,\n1,2\n")
    fail("consensus", file, says="--unranked last")
    fail("consensus", votes, "--by", "city", says="city")
    last = ["consensus", file, "--unranked", "last"]
    fail(*last, "--n-bootstraps", 5, says="--n-bootstraps is 5, too few")
