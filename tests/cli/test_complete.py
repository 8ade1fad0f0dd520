"""``rankcut complete``: tables, recommendations, saved models and mistakes."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import fail, run, succeed

from rankcut import RankingCompleter, read_file

NAN = np.nan
LISTS = pd.DataFrame(
    {
        "ranking": [f"p{i}" for i in range(40)],
        "toro": [1, 2, NAN, 1] * 10,
        "uni": [2, NAN, 1, 2] * 10,
        "ika": [NAN, 1, 2, 4] * 10,
        "ebi": [3, 3, 3, 3] * 10,
    }
)


@pytest.fixture
def votes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    LISTS.to_csv("votes.csv", index=False)
    return tmp_path / "votes.csv"


def test_completed_rankings_are_those_of_the_estimator(votes):
    succeed("complete", votes, "-o", "out.csv", "-o", "out.json")
    expected = (
        RankingCompleter(unranked="anywhere")
        .fit(LISTS.drop(columns="ranking"))
        .complete(LISTS.drop(columns="ranking"))
    )
    found = read_file("out.csv")
    assert found.items == ("toro", "uni", "ika", "ebi")
    assert found.ids == tuple(LISTS["ranking"])
    np.testing.assert_array_equal(found.ranks, expected)
    first = json.loads((votes.parent / "out.json").read_text())[0]
    assert first == {"ranking": "p0", **dict(zip(found.items, expected[0].tolist(), strict=True))}


def test_recommendations_on_standard_output(votes):
    lines = succeed("complete", votes, "--top", 2).splitlines()
    assert lines[0] == "ranking,place,item,score"
    assert [line.rpartition(",")[0] for line in lines[1:3]] == ["p0,1,ika", "p1,1,uni"]
    assert not any(line.startswith("p3,") for line in lines)


@pytest.mark.parametrize("top", [[], ["--top", "1"]])
def test_a_saved_model_completes_other_lists(votes, top):
    options = ["--unranked", "last"]
    whole = succeed("complete", votes, *options, *top, "-o", "-", "-o", "model.skops")
    LISTS.iloc[:, [0, 3, 2, 4, 1]].to_csv("other.csv", index=False)
    assert succeed("predict", "model.skops", "other.csv", *top) == whole


def test_a_graph_of_items(lunch):
    found = succeed("complete", "lunch:incomplete", "--items", "lunch:incomplete")
    assert len(found.splitlines()) > 10


def test_mistakes(votes):
    pd.DataFrame({"a": [1.0, NAN], "b": [NAN, 1.0]}).to_csv("single.csv", index=False)
    fail("complete", "single.csv", "--layout", "wide", says="no ranking orders two items")
    succeed("complete", votes, "-o", "model.skops")
    pd.DataFrame({"toro": [1], "tako": [2]}).to_csv("other.csv", index=False)
    fail("predict", "model.skops", "other.csv", says="the model does not know 'tako'")


def test_lists_by_taste_are_noted_with_the_option_that_mends_it(tmp_path):
    rng = np.random.default_rng(0)
    liked = rng.normal(size=(200, 1)) * np.linspace(-1, 1, 12) + 0.3 * rng.normal(size=(200, 12))
    rows = [(r, i, liked[r, i]) for r in range(200) for i in np.argsort(-liked[r])[:4]]
    path = tmp_path / "ratings.csv"
    pd.DataFrame(rows, columns=["user", "title", "rating"]).to_csv(path, index=False)
    said = run("complete", path, "--top", 1).stderr
    assert "200 users" in said
    assert "pass --listing taste" in said
    assert "listed more often" not in run("complete", path, "--listing", "taste", "--top", 1).stderr
