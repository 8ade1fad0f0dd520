"""``rankcut blocs``: blocs in words, files, cross tables and mistakes."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import fail, succeed

from rankcut import RankingBlocs, make_mallows

NAMES = ["uni", "ika", "ebi", "toro"]
VOTES = make_mallows(80, 4, phi=0.2, centers=[[1, 2, 3, 4], [4, 3, 2, 1]], random_state=0)


@pytest.fixture
def votes(tmp_path):
    table = pd.DataFrame(VOTES.ranks.astype(int), columns=NAMES)
    table["town"] = np.where(VOTES.target == 1, "Oslo", "Bergen")
    file = tmp_path / "votes.csv"
    table.to_csv(file, index=False)
    return file


def test_blocs_in_words_with_a_cross_table(votes, tmp_path):
    page = tmp_path / "page.html"
    lines = succeed("blocs", votes, "-k", "2", "--by", "town", "-o", page).splitlines()
    assert lines[0] == "Cut in 2 blocs, as asked."
    orders = {line.split(": ")[1] for line in lines if line.startswith("Bloc ")}
    assert orders == {"uni > ika > ebi > toro", "toro > ebi > ika > uni"}
    shares = {line.split()[0]: line.split()[1:] for line in lines[-2:]}
    assert sorted(shares) == ["Bergen", "Oslo"]
    assert all(max(int(part) for part in row[::2]) > 90 for row in shares.values())
    assert "<h2>Blocs and town</h2>" in page.read_text(encoding="utf-8")


def test_people_and_weights(tmp_path):
    table = pd.DataFrame(VOTES.ranks.astype(int), columns=NAMES)
    table["who"], table["weight"] = np.arange(80) // 2, np.linspace(0.3, 1.7, 80)
    table.to_csv(tmp_path / "votes.csv", index=False)
    options = ["-k", "2", "--people", "who", "--weight", "weight"]
    assert "Cut in 2 blocs" in succeed(
        "blocs", tmp_path / "votes.csv", *options, "-o", tmp_path / "out.html"
    )
    assert "<svg" in (tmp_path / "out.html").read_text()


def test_files_go_by_suffix_and_agree(votes, tmp_path):
    targets = [tmp_path / f"out{end}" for end in (".csv", ".json", ".html", ".svg")]
    options = [part for target in targets for part in ("-o", target)]
    succeed("blocs", votes, "--columns", "town", "-k", "2", *options)
    model = RankingBlocs(2).fit(VOTES.ranks)
    table = pd.read_csv(targets[0])
    assert len(table) == 8
    assert table["size"].tolist() == np.repeat(model.sizes_, 4).tolist()
    first = table[table["bloc"] == 1].set_index("item")
    assert first.loc[NAMES, "place"].tolist() == model.rankings_[0].tolist()
    assert first.loc[NAMES, ["best", "worst"]].to_numpy().tolist() == (
        model.rank_intervals_[0].tolist()
    )
    data = json.loads(targets[1].read_text())
    assert data["rankings"] == model.rankings_.tolist()
    assert data["n_blocs"] == 2
    page = targets[2].read_text()
    assert page.startswith("<!doctype html>")
    assert "Bloc 2" in page
    assert "<svg" in page
    assert targets[3].read_text().startswith("<?xml")
    assert json.loads(succeed("blocs", votes, "--columns", "town", "-k2", "--json")) == data


def test_the_evidence_is_in_the_page(votes, tmp_path):
    page = tmp_path / "blocs.html"
    printed = succeed("blocs", votes, "--columns", "town", "-k", "1-3", "-o", page)
    assert "Camps or not" in page.read_text()
    assert printed.startswith("People fall into 2 camps.")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("-k", "two"), "--n-blocs must be auto, a number, or a range"),
        (("-k", "3-2"), "--n-blocs must be a whole number"),
        (("-k", "0"), "--n-blocs must be a whole number"),
        (("--by", "village"), "village"),
    ],
)
def test_mistakes_are_one_line(votes, options, says):
    fail("blocs", votes, "--columns", "town", *options, says=says)


def test_saved_blocs_say_the_bloc_of_each_ranking(votes, tmp_path):
    saved, members = tmp_path / "blocs.skops", tmp_path / "members.csv"
    succeed("blocs", votes, "--columns", "town", "-k2", "-o", saved)
    succeed("predict", saved, votes, "-o", members)
    labels = RankingBlocs(2).fit(VOTES.ranks).labels_
    assert pd.read_csv(members)["bloc"].tolist() == (labels + 1).tolist()
