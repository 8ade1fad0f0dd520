"""``rankcut classify``, ``regress``, ``learn-ranking`` and ``predict``: scores, models, effects."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from commands import fail, json_answer, notes, run, succeed

from rankcut import RankingClassifier, read_file
from rankcut.label_ranking import models


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


def test_odd_spellings_and_rare_classes_do_not_stop_it(lunch):
    rows = ["a,b,c,sex", *["1,2,3,female", "3,2,1,male"] * 6]
    rows += ["1,2,3,Female ", "3,1,2,prefer not to say", "2,1,3,nonbinary"]
    (lunch / "form.csv").write_text("\n".join(rows))
    done = run("classify", "form.csv", "--target", "sex")
    assert "sex (female: 7, male: 6), 5-fold" in done.stdout
    assert "joined with class 'female': 'Female'" in done.stderr
    assert "left out, with fewer rankings than folds: 'nonbinary'" in done.stderr


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
    report = json_answer(succeed("classify", *options, "--json"))
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
    assert notes(run("predict", "m.skops", "coded.csv", *known).stderr) == ""
    noted = "rankcut: coded.csv: ignored, because the model does not know them: 'team'\n"
    done = run("predict", "m.skops", "coded.csv")
    assert (done.exit_code, done.stdout, notes(done.stderr)) == (0, plain, noted)
    items = ["--item-columns", ",".join([*read_file("full.csv").items, "team"])]
    done = run("predict", "m.skops", "coded.csv", *items)
    assert (done.exit_code, done.stdout, notes(done.stderr)) == (0, plain, noted)
    pd.read_csv("coded.csv").drop(columns="cake").to_csv("fewer.csv", index=False)
    says = "does not know 'guest', 'team', and its item 'cake' is missing"
    fail("predict", "m.skops", "fewer.csv", says=says)
    succeed("predict", "m.skops", "fewer.csv", "--columns", "guest,team")


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    monkeypatch.setattr(models, "_TREES", 3)


@pytest.fixture
def ages(lunch):
    """The small data set with an age that the place of one dish decides."""
    table = pd.read_csv("full.csv")
    dish = next(name for name in table.columns if table[name].dtype.kind in "if")
    noise = np.random.default_rng(0).normal(0, 0.5, len(table))
    table["age"] = (60 - 3 * table[dish] + noise).round(2)
    table.to_csv("ages.csv", index=False)
    return dish


def test_a_number_is_predicted_saved_and_explained(ages):
    options = ["--target", "age", "--explain", "-o", "m.skops"]
    said = succeed("regress", "ages.csv", *options)
    assert "age, 48 rankings, 5-fold cross-validation" in said
    line = next(line for line in said.splitlines() if line.startswith("rankcut "))
    assert float(line.split()[1]) > 0.8
    assert f"  {ages}: +" in said
    succeed("predict", "m.skops", "ages.csv", "-o", "predicted.csv")
    table, predicted = pd.read_csv("ages.csv"), pd.read_csv("predicted.csv")
    assert np.abs(predicted["age"] - table["age"]).mean() < 1
    assert ((predicted["low"] < table["age"]) & (table["age"] < predicted["high"])).mean() > 0.9


def test_scores_go_to_a_table_and_to_json(ages):
    found = json.loads(
        succeed("regress", "ages.csv", "--target", "age", "--json", "--explain", "-o", "s.csv")
    )
    assert [row["method"] for row in found["scores"]] == ["rankcut", "mean", "Borda, ridge"]
    assert found["effects"]["items"][0]["item"] == ages
    scores = pd.read_csv("s.csv")
    assert scores["r2"].tolist() == pytest.approx([row["r2"] for row in found["scores"]])
    assert 0.8 <= scores["coverage"][0] <= 1


def test_a_target_that_is_no_number_is_refused(ages):
    fail("regress", "full.csv", "--target", "guest", says="which is not a number")
    fail("regress", "full.csv", "--target", "none", says="no column 'none'")


def test_more_folds_than_rankings_or_groups_are_refused(ages):
    told = ["regress", "ages.csv", "--target", "age", "--folds"]
    fail(*told, "49", says="--folds is 49, more than the number of rankings, 48")
    fail(*told, "3", "--group", "guest", says="--folds is 3, more than the number of groups, 2")


def test_classes_are_explained(lunch):
    options = ["--target", "guest", "--folds", "2", "-o", "m.skops"]
    said = succeed("classify", "full.csv", *options, "--explain")
    assert "Item ranked first instead of last" in said
    # 24 of each class are too few for the 14 directions of views.
    assert "too few rankings for 14 directions" in said
    result = run("predict", "m.skops", "full.csv", "--explain", "-o", "p.csv")
    assert result.exit_code == 0
    assert "Item ranked first instead of last" in result.stderr
    assert "intervals need" in result.stderr


@pytest.fixture
def people(lunch):
    """People whose town decides whether they like the first dish; some values are missing."""
    rng = np.random.default_rng(1)
    north = rng.uniform(size=60) < 0.5
    ranks = np.where(north[:, None], [[1, 2, 3]], [[3, 2, 1]])
    about = pd.DataFrame(
        {
            "town": np.where(north, "north", "south"),
            "age": np.where(rng.uniform(size=60) < 0.1, np.nan, rng.uniform(20, 80, 60)),
        }
    )
    votes = pd.DataFrame(ranks, columns=["soup", "curry", "salad"])
    about.to_csv("people.csv", index=False)
    votes.to_csv("votes.csv", index=False)
    votes.assign(town=about["town"]).to_csv("both.csv", index=False)


@pytest.mark.parametrize("options", [["people.csv", "--rankings", "votes.csv"], ["both.csv"]])
def test_rankings_are_learned_from_people(people, options):
    said = succeed("learn-ranking", *options, "--folds", "2", "-o", "m.skops")
    line = next(line for line in said.splitlines() if line.startswith("rankcut "))
    assert float(line.split()[1]) > 0.9
    assert "one ranking for all" in said
    # Three of three items would always be right.
    assert "top 1" in said
    succeed("predict", "m.skops", "people.csv", "-o", "predicted.csv")
    found = pd.read_csv("predicted.csv")
    north = pd.read_csv("people.csv")["town"] == "north"
    assert ((found["soup"] == 1) == north).mean() > 0.95
    assert list(found.columns) == ["person", "soup", "curry", "salad"]


def test_mistakes_are_named(people):
    pd.read_csv("people.csv").head(9).to_csv("few.csv", index=False)
    fail("learn-ranking", "few.csv", "--rankings", "votes.csv", says="9 rows")
    fail("learn-ranking", "votes.csv", says="no column beside the items")
    succeed("learn-ranking", "both.csv", "--folds", "2", "-o", "m.skops")
    fail("predict", "m.skops", "votes.csv", says="has no column 'town'")
    fail("predict", "m.skops", "both.csv", "--explain", says="classes or numbers")
    found = json.loads(succeed("learn-ranking", "both.csv", "--folds", "2", "--json"))
    assert {"test", "method", "kendall", "spearman", "top_overlap"} == set(found["scores"][0])
