"""``rankcut utilities``: best–worst tasks with and without a design, files, mistakes."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import fail, succeed

ITEMS = np.array(["price", "taste", "health", "speed", "local", "brand"])


@pytest.fixture
def survey(tmp_path, monkeypatch):
    """A design of two versions, answers by place with a row a person, and the same by task."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    design = pd.DataFrame(
        [
            [version, task, *rng.choice(ITEMS, 4, replace=False)]
            for version in (1, 2)
            for task in (1, 2, 3)
        ],
        columns=["version", "task", "item1", "item2", "item3", "item4"],
    )
    people, tasks = [], []
    for person in range(20):
        version = 1 + person % 2
        row = {"respondent": f"r{person:02}", "version": version, "age": 30 + person}
        for task in (1, 2, 3):
            of_task = (design["version"] == version) & (design["task"] == task)
            shown = design[of_task].iloc[0, 2:].tolist()
            best, worst = rng.choice(4, 2, replace=False)
            row |= {f"t{task}_best": best + 1, f"t{task}_worst": worst + 1}
            items = {f"item{k + 1}": item for k, item in enumerate(shown)}
            tasks.append(
                {"respondent": row["respondent"], **items}
                | {"best": shown[best], "worst": shown[worst]}
            )
        people.append(row)
    design.to_csv("design.csv", index=False)
    pd.DataFrame(people).to_csv("answers.csv", index=False)
    pd.DataFrame(tasks).to_csv("tasks.csv", index=False)
    return pd.DataFrame(people)


def test_a_row_a_person_and_a_row_a_task_say_the_same(survey):
    words = succeed("utilities", "answers.csv", "--design", "design.csv", "-o", "one.csv")
    assert "20 people with 60 tasks" in words
    succeed("utilities", "tasks.csv", "-o", "two.csv")
    one, two = pd.read_csv("one.csv"), pd.read_csv("two.csv")
    assert one["person"].tolist() == survey["respondent"].tolist()
    assert sorted(one.columns[1:]) == sorted(ITEMS)
    pd.testing.assert_frame_equal(one, two[one.columns])
    np.testing.assert_allclose(one[ITEMS].sum(axis=1), 0, atol=1e-9)


def test_answers_by_name_are_those_by_place(survey):
    design = pd.read_csv("design.csv").set_index(["version", "task"])
    named = survey.copy()
    for task in (1, 2, 3):
        for side in ("best", "worst"):
            column = f"t{task}_{side}"
            named[column] = [
                design.loc[(version, task)].iloc[place - 1]
                for version, place in zip(survey["version"], survey[column], strict=True)
            ]
    named.to_csv("named.csv", index=False)
    for file, target in (("answers.csv", "one.csv"), ("named.csv", "two.csv")):
        succeed("utilities", file, "--design", "design.csv", "-o", target)
    pd.testing.assert_frame_equal(pd.read_csv("one.csv"), pd.read_csv("two.csv"))


def test_a_long_design_is_that_of_columns(survey):
    design = pd.read_csv("design.csv").melt(["version", "task"], value_name="item")
    design["position"] = design.pop("variable").str[-1]
    design.sort_values(["version", "task", "position"]).to_csv("long.csv", index=False)
    for file, target in (("design.csv", "one.csv"), ("long.csv", "two.csv")):
        succeed("utilities", "answers.csv", "--design", file, "-o", target)
    one, two = pd.read_csv("one.csv"), pd.read_csv("two.csv")
    pd.testing.assert_frame_equal(one, two[one.columns])


def test_json_pictures_and_scales(survey):
    data = json.loads(succeed("utilities", "tasks.csv", "--json", "--scale", "probability"))
    assert {"sentences", "utilities", "items", "errors"} <= set(data)
    rows = pd.DataFrame(data["utilities"]).set_index("person")
    np.testing.assert_allclose(rows.sum(axis=1), 100)
    succeed("utilities", "tasks.csv", "-o", "utilities.svg", "-o", "utilities.html")
    succeed("utilities", "tasks.csv", "--anchor", "price", "-o", "anchored.csv")
    assert (pd.read_csv("anchored.csv")["price"] == 0).all()


def test_tasks_without_an_answer_are_left_out(survey):
    survey = survey.astype({"t1_best": object, "t2_best": object})
    survey.loc[0, "t1_best"] = None
    survey.loc[1, "t2_best"] = survey.loc[1, "t2_worst"]
    survey.to_csv("blank.csv", index=False)
    words = succeed("utilities", "blank.csv", "--design", "design.csv")
    assert "58 tasks" in words
    # Who went away at once has no version either.
    survey = survey.astype(object)
    survey.iloc[5, 1:] = None
    survey.to_csv("blank.csv", index=False)
    assert "19 people with 55 tasks" in succeed("utilities", "blank.csv", "--design", "design.csv")


def test_ties_like_nothing_best(tmp_path):
    (tmp_path / "tie.csv").write_text("a,b,c\n" + "1,1,1\n" * 9)
    words = succeed("utilities", tmp_path / "tie.csv")
    assert "none is clearly liked better on average than another, by 9 people" in words


def test_one_person_differs_from_nobody(survey):
    survey.head(1).to_csv("one.csv", index=False)
    words = succeed("utilities", "one.csv", "--design", "design.csv")
    assert "1 person with 3 tasks" in words
    assert "People differ" not in words
    assert "camps" not in words


def test_mistakes(survey):
    answers = survey.copy()
    answers.loc[3, "t2_worst"] = 9
    answers.to_csv("wrong.csv", index=False)
    said = "wrong.csv:5: column 't2_worst': '9' is not among the 4 items"
    fail("utilities", "wrong.csv", "--design", "design.csv", says=said)
    answers = survey.assign(version=3)
    answers.to_csv("wrong.csv", index=False)
    said = "wrong.csv:2: column 'version': the design has no version '3'"
    fail("utilities", "wrong.csv", "--design", "design.csv", says=said)
    pd.read_csv("design.csv").query("task < 3").to_csv("short.csv", index=False)
    fail("utilities", "answers.csv", "--design", "short.csv", says="version '1' has no task 3")
    survey.drop(columns="version").to_csv("wrong.csv", index=False)
    said = "has no column of versions, of which the design has 2"
    fail("utilities", "wrong.csv", "--design", "design.csv", says=said)
    fail("utilities", "answers.csv", "--design", "tasks.csv", says="is no design")
    fail("utilities", "design.csv", "--design", "design.csv", says="has no columns of answers")
    twice = pd.read_csv("design.csv")
    twice.loc[2, "item2"] = twice.loc[2, "item1"]
    twice.to_csv("twice.csv", index=False)
    fail("utilities", "answers.csv", "--design", "twice.csv", says="twice.csv:4: column 'item2'")


def test_a_design_of_each_person_and_places_in_any_order(survey):
    design = pd.read_csv("design.csv")
    succeed("utilities", "answers.csv", "--design", "design.csv", "-o", "one.csv")
    one = pd.read_csv("one.csv")
    each = survey[["respondent", "version"]].merge(design, on="version").drop(columns="version")
    each.to_csv("each.csv", index=False)
    survey.drop(columns="version").to_csv("people.csv", index=False)
    succeed("utilities", "people.csv", "--design", "each.csv", "-o", "two.csv")
    pd.testing.assert_frame_equal(one, pd.read_csv("two.csv")[one.columns])
    long = design.melt(["version", "task"], value_name="item")
    long["position"] = long.pop("variable").str[-1]
    long.sample(frac=1, random_state=0).to_csv("shuffled.csv", index=False)
    succeed("utilities", "answers.csv", "--design", "shuffled.csv", "-o", "three.csv")
    pd.testing.assert_frame_equal(one, pd.read_csv("three.csv")[one.columns])


def test_numbers_of_items_with_decimals(survey):
    """Empty cells make a column of whole numbers one of floats, where pandas writes the file."""
    numbers = {item: k + 1 for k, item in enumerate(ITEMS)}
    design = pd.read_csv("design.csv").replace(numbers).infer_objects()
    design.to_csv("numbers.csv", index=False)
    survey.loc[0, ["t1_best", "t1_worst"]] = np.nan
    survey.to_csv("floats.csv", index=False)
    succeed("utilities", "floats.csv", "--design", "numbers.csv", "-o", "one.csv")
    succeed("utilities", "floats.csv", "--design", "design.csv", "-o", "two.csv")
    one, two = pd.read_csv("one.csv"), pd.read_csv("two.csv").rename(columns=numbers)
    assert list(one.columns) == ["person", *"123456"]
    pd.testing.assert_frame_equal(one, two.rename(columns=str)[one.columns])


def test_conjoint_from_a_table_of_alternatives(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = []
    for person in range(30):
        for task in range(6):
            brands, prices = rng.choice(list("xyz"), 3), rng.integers(1, 4, 3)
            chosen = np.argmax((brands == "x") - 0.5 * prices + rng.gumbel(size=3))
            rows += [[person, task, brands[k], prices[k], int(k == chosen)] for k in range(3)]
    names = ["respondent", "task", "brand", "price", "choice"]
    pd.DataFrame(rows, columns=names).to_csv("conjoint.csv", index=False)
    words = succeed("utilities", "conjoint.csv", "-o", "worths.csv")
    assert "30 people with 180 tasks" in words
    worths = pd.read_csv("worths.csv")
    assert list(worths) == ["person", "brand: x", "brand: y", "brand: z", "price"]
    pd.DataFrame({"brand": ["x", "z"], "price": [3, 1]}).to_csv("offers.csv", index=False)
    succeed("utilities", "conjoint.csv", "--profiles", "offers.csv", "-o", "shares.csv")
    assert pd.read_csv("shares.csv")["share"].sum() == pytest.approx(1)
    assert "in units of" not in succeed("utilities", "conjoint.csv", "--price", "price")
    succeed("utilities", "conjoint.csv", "--attributes", "brand,price", "--levels", "price",
            "-o", "levels.csv")  # fmt: skip
    assert "price: 2" in pd.read_csv("levels.csv")
    fail("utilities", "conjoint.csv", "--price", "brand", says="'brand' is no attribute")
    took = ("--attributes", "brand", "--winner", "took")
    fail("utilities", "conjoint.csv", *took, says="has no column 'took'")
