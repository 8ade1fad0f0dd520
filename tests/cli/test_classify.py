"""``rankcut classify`` and ``rankcut predict``: columns, folds, models and their items."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from commands import fail, run, succeed

from rankcut import RankingClassifier, read_file


def test_classify_a_column_of_numbers_and_test_on_another_file(lunch):
    table = (lunch / "full.csv").read_text().replace("sweet tooth", "1").replace("juicy eater", "0")
    (lunch / "coded.csv").write_text(table)
    options = ["--target", "guest", "--test", "coded.csv", "--folds", "3", "--items", "dishes.csv"]
    said = succeed("classify", "coded.csv", *options)
    assert "guest (0: 24, 1: 24), 3-fold cross-validation" in said
    assert "guest, 48 rankings of coded.csv" in said


def test_what_a_group_has_in_common_is_no_help_in_other_folds(lunch):
    # Each team has a ranking and a class of its own: seen once, it is known.
    rng = np.random.default_rng(1)
    team = np.repeat(np.arange(24), 3)
    ranks = rng.permuted(np.tile(np.arange(1, 31), (24, 1)), axis=1)[team]
    table = pd.DataFrame(ranks, columns=[f"item {i}" for i in range(30)])
    table["team"] = [f"t{number}" for number in team]
    table["side"] = np.array(["east", "west"])[rng.permutation(np.arange(24) % 2)[team]]
    table.to_csv("teams.csv", index=False)

    def f1(*options):
        said = succeed("classify", "teams.csv", "--target", "side", "--folds", "3", *options)
        return float(said.splitlines()[-1].split()[1])

    assert f1() > 0.9
    assert f1("--group", "team") < 0.75
    fail("classify", "teams.csv", "--target", "side", "--group", "no", says="no column 'no'")


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


@pytest.mark.parametrize("items", [[], ["--items", "dishes.csv"]])
def test_views_need_no_choice(lunch, items):
    """Rankings that leave out items are learned from and predicted, whatever that means."""
    options = ["--target", "guest", "--folds", "2", *items, "-o", "m.skops"]
    assert "presence" in succeed("classify", "top-k.csv", *options)
    succeed("predict", "m.skops", "top-k.csv", "-o", "predicted.csv")
    predicted = pd.read_csv(lunch / "predicted.csv")["guest"]
    assert (predicted == pd.read_csv(lunch / "top-k.csv")["guest"]).mean() > 0.8


def test_scores_as_data(lunch):
    options = ["full.csv", "--target", "guest", "--folds", "2", "-o", "s.csv", "-o", "s.json"]
    report = json.loads(succeed("classify", *options, "--json"))
    assert "juicy eater: 24, sweet tooth: 24" in report["scores"][0]["test"]
    assert [s["method"] for s in report["scores"]][-1] == "rankcut"
    assert json.loads((lunch / "s.json").read_text()) == report
    # Older versions of pandas read some numbers without their last bit.
    with (lunch / "s.csv").open(newline="") as file:
        written = [float(row["f1"]) for row in csv.DictReader(file)]
    assert written == [score["f1"] for score in report["scores"]]


def test_a_format_without_columns_has_no_target(lunch):
    succeed("convert", "full.csv", "full.soc")
    fail("classify", "full.soc", "--target", "guest", says="soc files have no columns")


def test_predict_matches_items_by_name(lunch):
    succeed("classify", "full.csv", "--target", "guest", "--folds", "2", "-o", "m.skops")
    succeed("convert", "full.csv", "long.csv", "--to-layout", "long")
    shuffled = (lunch / "long.csv").read_text().splitlines()
    (lunch / "long.csv").write_text("\n".join([shuffled[0], *sorted(shuffled[1:])[::-1]]) + "\n")
    succeed("predict", "m.skops", "full.csv", "-o", "one.csv")
    succeed("predict", "m.skops", "long.csv", "-o", "two.csv")
    assert sorted((lunch / "one.csv").read_text().splitlines()) == sorted(
        (lunch / "two.csv").read_text().splitlines()
    )
    (lunch / "soup.csv").write_text("soup,cake\n1,2\n")
    fail("predict", "m.skops", "soup.csv", says="the model does not know 'soup', and its item")
    (lunch / "few.csv").write_text("pizza,cake\n1,2\n")
    assert len(succeed("predict", "m.skops", "few.csv").splitlines()) == 2


def test_the_model_that_is_saved_has_learned_from_all_rankings(lunch):
    options = ["--target", "guest", "--folds", "2", "-o", "m.skops"]
    succeed("classify", "full.csv", *options)
    succeed("predict", "m.skops", "full.csv", "-o", "told.csv")
    rankings = read_file("full.csv")
    model = RankingClassifier()
    expected = model.fit(rankings.ranks, rankings.columns["guest"]).predict_proba(rankings.ranks)
    told = pd.read_csv("told.csv")[[f"probability of {name}" for name in model.classes_]]
    np.testing.assert_allclose(told, expected, atol=1e-4)


def write_coded(lunch):
    """The rankings with numbers for the guest and for a team of each."""
    table = pd.read_csv("full.csv")
    table["guest"] = (table["guest"] == "sweet tooth").astype(int)
    table["team"] = 1 + np.arange(len(table)) % 6
    table.to_csv("coded.csv", index=False)


def test_columns_of_numbers_are_no_items_of_a_model(lunch):
    write_coded(lunch)
    options = ["--target", "guest", "--group", "team", "--test", "coded.csv", "-o", "m.skops"]
    assert "guest, 48 rankings of coded.csv" in succeed("classify", "coded.csv", *options)
    known = ["--columns", "guest,team"]
    plain = succeed("predict", "m.skops", "coded.csv", *known)
    assert run("predict", "m.skops", "coded.csv", *known).stderr == ""
    noted = "rankcut: coded.csv: ignored, because the model does not know them: 'team'\n"
    done = run("predict", "m.skops", "coded.csv")
    assert (done.exit_code, done.stdout, done.stderr) == (0, plain, noted)
    items = ["--item-columns", ",".join([*read_file("full.csv").items, "team"])]
    done = run("predict", "m.skops", "coded.csv", *items)
    assert (done.exit_code, done.stdout, done.stderr) == (0, plain, noted)
    pd.read_csv("coded.csv").drop(columns="cake").to_csv("fewer.csv", index=False)
    says = "does not know 'guest', 'team', and its item 'cake' is missing"
    fail("predict", "m.skops", "fewer.csv", says=says)
    succeed("predict", "m.skops", "fewer.csv", "--columns", "guest,team")
