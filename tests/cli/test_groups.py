"""``rankcut compare`` and ``rankcut blocs``: words, files, periods, cross tables and mistakes."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from commands import add_columns, fail, json_answer, run, succeed

from rankcut import RankingBlocs, make_mallows, read_file


def test_a_verdict_and_bars(lunch):
    said = succeed("compare", "full.csv", "--by", "guest", "--n-permutations", "199")
    assert said.startswith("Groups differ (p ≤ 0.005); the group explains ")
    assert "█" in said
    assert "places higher in sweet tooth than in juicy eater" in said
    assert "Rankings: juicy eater (24), sweet tooth (24). 199 random permutations." in said


def test_json_page_picture_and_table(lunch):
    options = ["--by", "guest", "--n-permutations", "99", "-o", "page.html", "-o", "items.png"]
    said = succeed(
        "compare", "lunch:top-k", *options, "-o", "items.csv", "--unranked", "last", "--json"
    )
    data = json.loads(said)
    assert data["p_value"] == 0.01
    assert data["verdict"].startswith("Groups differ")
    assert data["listing"]["p_value"] == 0.01
    assert isinstance(data["items"][0]["item"], str)
    page = (lunch / "page.html").read_text()
    assert data["verdict"].replace("'", "&#x27;") in page
    assert page.count('class="track"') == 8
    assert "http" not in page
    assert (lunch / "items.png").stat().st_size > 5_000
    header, first, *_ = (lunch / "items.csv").read_text().splitlines()
    assert header.startswith("item,difference,higher_in,lower_in,p_value")
    assert first.startswith(data["items"][0]["item"])


def test_periods_strata_and_people(lunch):
    about = {
        "year": [2020 + i % 3 for i in range(48)],
        "town": [f"t{i % 2}" for i in range(48)],
        "person": [f"p{i}" for i in range(48)],
    }
    add_columns("full.csv", "years.csv", **about)
    options = ["--n-permutations", "99", "--columns", "guest"]
    said = succeed("compare", "years.csv", "--over", "year", "--strata", "town", *options)
    assert "2020 to 2021" in said
    assert "2021 to 2022" in said
    assert said.count("Rankings: ") == 2
    said = succeed("compare", "years.csv", "--over", "year", "--json", *options)
    data = json.loads(said)["comparisons"]
    assert [each["title"] for each in data] == ["2020 to 2021", "2021 to 2022"]
    smaller, larger = sorted(each["p_value"] for each in data)
    assert sorted(each["p_adjusted"] for each in data) == [
        min(2 * smaller, 1),
        min(max(2 * smaller, larger), 1),
    ]
    succeed("compare", "years.csv", "--over", "year", "-o", "page.html", *options)
    page = (lunch / "page.html").read_text()
    assert page.count("<h2>202") == page.count("For all comparisons together: p = ") == 2
    succeed("compare", "years.csv", "--over", "year", "-o", "years.svg", "-o", "p.csv", *options)
    assert "<svg" in (lunch / "years.svg").read_text()
    assert pd.read_csv(lunch / "p.csv")["p_adjusted"].tolist() == pytest.approx(
        [each["p_adjusted"] for each in data]
    )
    options[-1] = "year"
    said = succeed("compare", "years.csv", "--by", "guest", "--people", "person", *options)
    assert "Groups differ" in said


def test_periods_of_each_group(lunch):
    years = [2020 + (i % 3 == 0) for i in range(48)]
    towns = [*("Ayr" if i % 5 else "Bude" for i in range(47)), "Rye"]
    add_columns("full.csv", "years.csv", year=years, town=towns)
    table = (lunch / "years.csv").read_text().splitlines()
    options = ["--by", "town", "--over", "year", "--n-permutations", "99", "--columns", "guest"]
    said = succeed("compare", "years.csv", *options)
    assert said.startswith("0 of 2 show a change; p-values here hold for all of them (Holm).")
    few = run("compare", "years.csv", *options, "--n-permutations", "19")
    assert "2 comparisons can only show a change with 40 permutations or more" in few.stderr
    assert said.count("Rankings: ") == 2
    alone = [
        json.loads(succeed("compare", f"{name}.csv", *options[2:], "--json"))["details"][
            "2020 to 2021"
        ]
        for name in ("Ayr", "Bude")
        if (lunch / f"{name}.csv").write_text(
            "\n".join([table[0], *(line for line in table[1:] if line.endswith(name))])
        )
    ]
    together = json.loads(succeed("compare", "years.csv", *options, "--json"))["details"]
    assert list(together) == ["Ayr, 2020 to 2021", "Bude, 2020 to 2021"]
    for name in ("p_value", "items"):
        ours, theirs = ([each[name] for each in some] for some in (together.values(), alone))
        assert ours == theirs


def test_comparisons_that_cannot_be_made_are_skipped(lunch):
    add_columns("full.csv", "years.csv", year=[*(2020 + i % 2 for i in range(47)), 2022])
    table = (lunch / "years.csv").read_text().splitlines()
    options = ["--n-permutations", "99", "--columns", "guest"]
    done = run("compare", "years.csv", "--over", "year", *options)
    assert done.exit_code == 0
    assert "2021 to 2022 is skipped: column 'year' has one ranking in group '2022'" in done.stderr
    assert done.stdout.startswith("2020 to 2021\n")
    assert done.stdout.count("Rankings: ") == 1
    (lunch / "years.csv").write_text("\n".join([table[0], *table[-2:]]) + "\n")
    fail("compare", "years.csv", "--over", "year", *options, says="column 'year' has one ranking")


def test_each_two_of_three_groups(lunch):
    guests = read_file("full.csv").columns["guest"]
    kinds = [kind if i % 4 else "other" for i, kind in enumerate(guests, 1)]
    add_columns("full.csv", "kinds.csv", kind=kinds)
    said = succeed(
        "compare", "kinds.csv", "--by", "kind", "--columns", "guest", "--n-permutations", "199"
    )
    assert re.search(r"pairs of groups differ:\n  .* and .* \(p = ", said)


def test_mistakes(lunch):
    fail("compare", "full.csv", says="name the groups with --by COLUMN, or periods with --over")
    fail("compare", "full.csv", "--by", "guest", "--people", "guest", says="column 'guest' has one")
    fail("compare", "full.csv", "--by", "town", says="no column 'town'")
    fail("compare", "top-k.csv", "--by", "guest", says="is not ranked.*--unranked last")


def test_a_missing_rank_is_named_by_its_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Neither the blank row nor the group, which both move the rows, moves the line.
    rows = ["name,town,toro,uni,ika", "Z,Kobe,,,", "A,Kobe,1,2,3", "B,Nara,1,,2", "C,Nara,3,2,1"]
    (tmp_path / "votes.csv").write_text("\n".join(rows) + "\n")
    for command in ("consensus", "compare"):
        said = run(command, "votes.csv", "--by", "town").stderr
        assert "left out 1 row that ranks nothing\n" in said
        assert "votes.csv:4: item 'uni' is not ranked; pass --unranked last" in said


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("votes.csv", "ranking,item,rank\na,x,1\na,y,2\n\nb,y,1\n", 5),
        ("votes.soi", "# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: x\n\n3: 1,2\n\n1: 2\n", 6),
        ("votes.blt", '2 1\n-2\n1 1 2 0\n1 2 0\n0\n"x"\n"y"\n', 4),
        ("votes.abif", "# Two votes\n1: x > y\n1: y\n", 3),
    ],
)
def test_a_missing_rank_is_named_by_the_line_of_its_ranking(name, text, line, tmp_path):
    (tmp_path / name).write_text(text)
    fail("consensus", tmp_path / name, says=rf"{name}:{line}: item 'x' is not ranked; pass --unr")
    succeed("consensus", tmp_path / name, "--unranked", "last")


def test_weights_of_a_survey(lunch):
    add_columns("full.csv", "weighted.csv", weight=range(100, 148))
    said = succeed(
        "compare", "weighted.csv", "--by", "guest", "--weight", "weight", "--n-permutations", "99"
    )
    assert "Rankings: juicy eater (24), sweet tooth (24)." in said
    assert "Design effect: juicy eater 1.0" in said


def test_what_is_measured(lunch):
    options = ["--by", "guest", "--n-permutations", "99", "--unranked", "last"]
    said = {
        measure: succeed("compare", "top-k.csv", *options, "--measure", measure)
        for measure in ("places", "strengths", "order", "listing")
    }
    assert "Compared: mean places; each person counts once." in said["places"]
    assert "Compared: strengths (log odds of being chosen)" in said["strengths"]
    assert "Compared: strengths among the items that each list has" in said["order"]
    assert "Compared: how often each item is listed" in said["listing"]
    assert re.search(r"listed [\d.]+ points more often in ", said["listing"])
    assert "list different items" not in said["listing"]
    options += ["--measure", "listing", "-o", "page.html", "-o", "items.png"]
    succeed("compare", "top-k.csv", *options)
    assert "Compared: how often each item is listed" in (lunch / "page.html").read_text()
    fail("compare", "full.csv", *options, says="nothing to compare: all rankings list the same")


def test_an_item_graph_draws_differences_together(lunch):
    options = ["--by", "guest", "--n-permutations", "99", "--items", "lunch:full"]
    said = succeed("compare", "full.csv", *options, "-o", "page.html")
    assert "with the graph</" in (lunch / "page.html").read_text()
    assert "Compared: strengths (log odds of being chosen)" in said
    assert re.search(
        r"stronger in .* than in .* \(odds .*; p [=≤] .*; [\d.]+ with the graph\)", said
    )
    fail("compare", "full.csv", *options, "--measure", "places", says="graph.*not places")


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
    assert lines[0] == "Cut into 2 blocs, as asked."
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
    assert "Cut into 2 blocs" in succeed(
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
    assert json_answer(succeed("blocs", votes, "--columns", "town", "-k2", "--json")) == data


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
