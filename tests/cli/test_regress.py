"""``rankcut regress``, ``learn-ranking`` and ``predict`` with their models; effects in words."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import fail, run, succeed

from rankcut.label_ranking import models


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
    assert {"method", "kendall", "spearman", "top_overlap"} == set(found["scores"][0])
