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
    assert "left out 1 row without a covariate" in done.stderr
    age, rankings = votes
    model = StrengthRegression().fit(age, rankings, people=np.arange(1, 160) // 2)
    found = json.loads(done.stdout)
    errors = [row["std_error"] for row in found["coefficients"]]
    np.testing.assert_allclose(errors, model.coefficients_["std_error"], rtol=1e-9)
    assert found["coefficients"][3]["column"] == "age"
    assert "likelihood_ratio" not in found["terms"][0]


def test_words_tests_page_and_picture(votes):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    said = succeed(
        "regress-ranking", "votes.csv", "--on", "age,C(town)", "--units", "age=10", "--explain",
        "--reference", "town=Nara", "-o", "page.html", "-o", "forest.png", "-o", "table.csv",
    )  # fmt: skip
    assert said.startswith("Related to the rankings: age.")
    assert "age 10 higher: uni beats ika in " in said
    assert "town Kobe rather than Nara: no pair" in said
    assert "p of ratio" in said
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
    assert found["terms"][0]["likelihood_ratio"] is None
    alone = json.loads(succeed(*arguments, "--on", "price", "--columns", "age,person"))
    assert [row["column"] for row in alone["coefficients"]] == ["price"]
    near = json.loads(succeed(*arguments, "--on", "age", "--prior", "evidence"))
    assert len(near["coefficients"]) == 6


def test_without_a_maximum_there_is_a_prior(votes):
    Path("same.csv").write_text("age,uni,ika\n" + "".join(f"{30 + i},1,2\n" for i in range(9)))
    arguments = ["regress-ranking", "same.csv", "--on", "age", "--columns", "age"]
    done = run(*arguments)
    assert "could be anything" in done.stderr
    assert "A prior chosen by the evidence pulls coefficients to 0" in done.stdout
    fail(*arguments, "--prior", "none", says="use --prior evidence, or leave it out")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "name the covariates with --on"),
        (
            "--on town --columns age --graph graph.npz",
            "--graph is used by a prior only; use --prior",
        ),
        ("--on size", "there is no column 'size'"),
        ("--on age --units ten", "--units must be like column=value; got 'ten'"),
    ],
)
def test_mistakes_are_one_line(votes, arguments, says):
    fail("regress-ranking", "votes.csv", *arguments.split(), says=says)
