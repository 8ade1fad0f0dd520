"""``rankcut consensus``: the table, files, groups and mistakes."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import fail, notes, run, succeed

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
    places = {row["item"]: row for row in data["places"]}
    assert [places[name]["place"] for name in NAMES] == model.ranking_.tolist()
    intervals = [[places[name]["best"], places[name]["worst"]] for name in NAMES]
    assert intervals == model.rank_intervals_.tolist()
    assert data["people"] == 60
    assert len(data["pairs"]) == 6
    page = targets[2].read_text()
    assert page.startswith("<!doctype html>")
    assert "<svg" in page
    assert "http" not in page
    assert targets[3].read_text().startswith("<?xml")
    options = ["--columns", "town", "--people", "person", "-m", "kemeny", "--json"]
    data = json.loads(succeed("consensus", votes, *options))
    by_person = Consensus("kemeny").fit(RANKS, people=[str(i // 3) for i in range(60)])
    assert data["people"] == 20
    places = {row["item"]: [row["best"], row["worst"]] for row in data["places"]}
    assert [places[name] for name in NAMES] == by_person.rank_intervals_.tolist()


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
    assert "<h2>Oslo (30 people)</h2>" in page.read_text()


def test_intervals_are_as_sure_as_one_asks(votes):
    options = [votes, "--columns", "town,person", "-m", "strengths"]
    sure, unsure = (
        json.loads(succeed("consensus", *options, "--confidence", level, "--json"))
        for level in (0.99, 0.5)
    )
    width = [sum(row["worst"] - row["best"] for row in each["places"]) for each in (sure, unsure)]
    assert width[0] > width[1]
    assert "± half of a 50 % interval" in succeed("consensus", *options, "--confidence", 0.5)


def test_an_item_nobody_ranks_is_said_and_nothing_else(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("uni,ika,ebi\n1,2,\n2,1,\n1,2,\n")
    done = run("consensus", file, "--unranked", "last", "--item-columns", "1-3")
    assert done.exit_code == 0
    assert notes(done.stderr) == ""
    assert "Nobody ranks 'ebi': placed last, though any place is possible." in done.stdout


def test_an_empty_cell_does_not_stop_a_consensus_of_full_rankings(tmp_path):
    rng = np.random.default_rng(0)
    ranks = np.argsort(np.argsort(rng.standard_normal((60, 4)) + np.arange(4), axis=1), axis=1) + 1
    table = pd.DataFrame(ranks, columns=list("abcd"))
    full, gap = tmp_path / "full.csv", tmp_path / "gap.csv"
    table.to_csv(full, index=False)
    table.astype(object).mask(np.arange(240).reshape(60, 4) == 43, "").to_csv(gap, index=False)
    done = run("consensus", gap)
    assert done.exit_code == 0
    assert "1 row that leaves out items" in done.stderr
    data = json.loads(succeed("consensus", gap, "--json"))
    whole = json.loads(succeed("consensus", full, "--json"))
    assert data["method"] == whole["method"] == "borda"
    scores = [[row["score"] for row in each["places"]] for each in (data, whole)]
    assert scores[0] == pytest.approx(scores[1], abs=0.1)
    half = tmp_path / "half.csv"
    table.astype(object).mask(np.arange(240).reshape(60, 4) % 8 == 3, "").to_csv(half, index=False)
    assert "--unranked last" in run("consensus", half).stderr


def test_mistakes_are_one_line(votes, tmp_path):
    file = tmp_path / "lists.csv"
    file.write_text("uni,ika\n1,\n1,2\n")
    fail("consensus", file, says="--unranked last")
    fail("consensus", votes, "--by", "city", says="city")
    last = ["consensus", file, "--unranked", "last"]
    fail(*last, "--n-bootstraps", 5, says="--n-bootstraps is 5, too few")
