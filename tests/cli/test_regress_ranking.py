"""``rankcut regress-ranking``: tables, words, pictures and mistakes."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from commands import fail, run, succeed

from rankcut import ItemGraph, RankingSet, StrengthRegression
from rankcut.files import write_graph

ITEMS = ("uni", "ika", "toro")


@pytest.fixture
def votes(tmp_path, monkeypatch):
    """Older people prefer uni; two rankings of each person, one without an age."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    age = np.repeat(rng.integers(20, 80, 80), 2)
    noisy = np.outer((age - 50) / 15, [1, -1, 0]) + rng.gumbel(size=(160, 3))
    ranks = (-noisy).argsort(axis=1).argsort(axis=1) + 1
    towns = np.where(np.arange(160) % 4 < 2, "Kobe", "Nara")
    with Path("votes.csv").open("w", encoding="utf-8") as file:
        file.write("person,age,town," + ",".join(ITEMS) + "\n")
        for row in range(160):
            cells = [f"p{row // 2}", age[row] if row else "", towns[row], *ranks[row]]
            file.write(",".join(map(str, cells)) + "\n")
    write_graph(ItemGraph.complete(3), "graph.npz")
    Path("items.csv").write_text("item,price\nuni,3\nika,1\ntoro,5\n")
    return age[1:, None].astype(float), RankingSet(ranks[1:].astype(float), ITEMS)


def test_the_table_is_that_of_the_estimator(votes):
    done = run("regress-ranking", "votes.csv", "--on", "age", "--people", "person", "--json")
    age, rankings = votes
    model = StrengthRegression().fit(age, rankings, people=np.arange(1, 160) // 2)
    found = json.loads(done.stdout)
    errors = [row["std_error"] for row in found["coefficients"]]
    np.testing.assert_allclose(errors, model.coefficients_["std_error"], rtol=1e-9)
    assert found["coefficients"][3]["column"] == "age"
    assert found["sentences"][-1].startswith("1 ranking without a value")


def test_words_tests_page_and_picture(votes):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    said = succeed(
        "regress-ranking", "votes.csv", "--on", "age,C(town)", "--units", "age=10", "--explain",
        "--reference", "town=Nara", "-o", "page.html", "-o", "forest.png", "-o", "table.csv",
    )  # fmt: skip
    assert said.startswith("Related to the rankings: age.")
    assert "age 10 higher: uni beats ika in " in said
    assert "town Kobe rather than Nara: no pair" in said
    assert "AIC" in said
    page = Path("page.html").read_text(encoding="utf-8")
    assert "age 10 higher" in page
    assert "Related to the rankings: age." in page
    assert Path("forest.png").stat().st_size > 1000
    with Path("table.csv").open(encoding="utf-8") as file:
        assert [row["item"] for row in csv.DictReader(file)] == list(ITEMS) * 3


def test_a_saved_model_predicts_rankings_of_new_people(votes):
    pytest.importorskip("skops", reason="skops is not installed")
    succeed("regress-ranking", "votes.csv", "--on", "age,town", "-o", "model.skops")
    Path("new.csv").write_text("town,age\nKobe,20\nNara,79\n")
    rows = list(csv.DictReader(succeed("predict", "model.skops", "new.csv").splitlines()))
    assert [row["uni"] for row in rows] == ["3", "1"]
    Path("new.csv").write_text("town,age\nUji,20\n")
    fail("predict", "model.skops", "new.csv", says="'Uji', which is not among Nara, Kobe")
    arguments = ["--items", "items.csv", "--on", "price", "--columns", "age,person"]
    fail("regress-ranking", "votes.csv", *arguments, "-o", "m.skops", says="nothing to predict")


def test_features_of_items_and_a_prior(votes):
    arguments = ["regress-ranking", "votes.csv", "--items", "items.csv", "--json"]
    found = json.loads(succeed(*arguments, "--on", "price,age:price"))
    assert [row["column"] for row in found["coefficients"]] == ["price", "age:price"]
    alone = json.loads(succeed(*arguments, "--on", "price", "--columns", "age,person"))
    assert [row["column"] for row in alone["coefficients"]] == ["price"]
    near = json.loads(succeed(*arguments, "--on", "age", "--prior", "evidence"))
    assert len(near["coefficients"]) == 6


def test_without_a_maximum_there_is_a_prior(votes):
    Path("same.csv").write_text("age,uni,ika\n" + "".join(f"{30 + i},1,2\n" for i in range(9)))
    arguments = ["regress-ranking", "same.csv", "--on", "age", "--columns", "age"]
    done = run(*arguments)
    assert "could be anything" in done.stdout
    assert "A prior chosen by the evidence pulls coefficients to 0" in done.stdout
    fail(*arguments, "--prior", "none", says="use --prior evidence, or leave it out")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "name the covariates with --on"),
        (
            "--on town --columns age --graph graph.npz --prior none",
            "--graph is used by a prior only; use --prior",
        ),
        ("--on size", "there is no column 'size'"),
        ("--on age --units ten", "--units must be like column=value; got 'ten'"),
    ],
)
def test_mistakes_are_one_line(votes, arguments, says):
    fail("regress-ranking", "votes.csv", *arguments.split(), says=says)


@pytest.fixture
def games(tmp_path, monkeypatch):
    """Votes with a length of each answer, a language and a date."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    models = ("ada", "bob", "cyd")
    lines = ["model_a,model_b,winner,length_a,length_b,gap,language,date,judge"]
    for vote in range(200):
        first = int(rng.integers(0, 3))
        second = (first + int(rng.integers(1, 3))) % 3
        long = rng.integers(1, 6, 2)
        won = rng.random() < 1 / (1 + np.exp(0.5 * (first - second) - 0.4 * (long[0] - long[1])))
        cells = [models[first], models[second], "model_a" if won else "model_b", *long]
        cells += [long[0] - long[1], "de" if vote % 2 else "en", f"2024-{1 + vote // 20:02}-01"]
        lines.append(",".join(map(str, [*cells, vote % 30])))
    Path("games.csv").write_text("\n".join(lines) + "\n")


def test_votes_take_features_contexts_and_dates(games):
    options = ("--adjust", "length", "--by", "language", "--people", "judge", "--json")
    found = json.loads(succeed("regress-ranking", "games.csv", *options))
    rows = {row["item"] or row["term"]: row for row in found["coefficients"]}
    assert rows["length"]["low"] < 0.4 < rows["length"]["high"]
    assert {row["language"] for row in found["contexts"]} == {"de", "en"}
    over = json.loads(succeed("regress-ranking", "games.csv", "--over", "date", "--json"))
    assert over["over_time"][0]["period"].startswith("2024-")
    said = succeed("regress-ranking", "games.csv", "--by", "language", "-o", "page.html")
    assert "Strengths in each language:" in said
    assert "<svg" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--adjust", "gap"], "column 'gap' has one value for both items of a vote"),
        (["--adjust", "size"], "there is 'length'"),
        (["--by", "town"], "columns are 'length_a', 'length_b', 'gap', 'language', 'date'"),
        (["--over", "language"], "neither a date nor a number"),
        (["--adjust", "length", "-o", "model.skops"], "there is no model to save"),
    ],
)
def test_what_cannot_stand_beside_votes_is_named(games, options, says):
    fail("regress-ranking", "games.csv", *options, says=says)
