"""Each option that a message suggests works when it is pasted, and is right."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from commands import fail, succeed

from rankcut import read_file

RANKS = np.array([[1, 2, 3, 4], [2, 1, 4, 3], [4, 3, 2, 1], [3, 4, 1, 2]] * 3)
ITEMS = ["toro", "uni", "ika", "ebi"]


def table(names, rows):
    return "\n".join([",".join(names), *(",".join(map(str, row)) for row in rows), ""])


def beside(**columns):
    """Rankings with columns beside them."""
    rows = [
        [*known, *row]
        for known, row in zip(zip(*columns.values(), strict=True), RANKS, strict=True)
    ]
    return table([*columns, *ITEMS], rows)


def without_fourths(text):
    """Lists of three: no row is a permutation, which would say by itself what is an item."""
    return re.sub(r",4(?=[,\n])", ",", text)


CODED = RANKS.copy()
CODED[[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 0, 1]] = 99
AGREE = ["Strongly agree", "Agree", "Neutral", "Disagree"]
SUGGESTED = {
    "a year and an age": (
        without_fourths(beside(held=range(1956, 1980, 2), took=range(40, 64, 2))),
        ["--columns", "held,took"],
    ),
    "weights": (beside(weights=[1, 2] * 6), ["--weight", "weights"]),
    "a name with a comma": (
        without_fourths(beside(**{'"held, in"': range(1956, 1980, 2)})),
        ["--columns", "1"],
    ),
    "a code for no answer": (table(ITEMS, CODED), ["--missing", "99"]),
    "words of a usual scale": (
        table(["who", *ITEMS],
              [[f"p{i}", *(AGREE[(i * k) % 4] for k in range(4))] for i in range(9)]),
        ["--scale", "Strongly agree > Agree > Neutral > Disagree"],
    ),
    "places by other names": (
        "who,best,next\nann,toro,uni\nbob,uni,toro\ncy,uni,ika\n",
        ["--layout", "ballots", "--item-columns", "best,next"],
    ),
    "scores": (
        table(ITEMS, np.random.default_rng(0).integers(1, 6, (40, 4))),
        ["--layout", "ratings"],
    ),
    "a code for no answer beside an id": (
        table(["id", *ITEMS], [[100 + i, *row] for i, row in enumerate(CODED)]),
        ["--missing", "99", "--columns", "id"],
    ),
    "a word for no answer": (
        table(ITEMS, np.where(CODED == 99, "weiß nicht", CODED)),
        ["--missing", "weiß nicht"],
    ),
    "places of two contests": (
        table(["Mayor 1st", "Mayor 2nd", "Clerk 1st", "Clerk 2nd"],
              [["toro", "uni", "ika", "ebi"], ["uni", "toro", "ebi", "ika"]]),
        ["--question", "Mayor"],
    ),
    "a word among numbers": ("a,b,c\n1,2,5\n2,1,x\n1,2,4\n2,1,6\n", ["--columns", "c"]),
    "a repeated item": ("ranking,item,rank\nx,a,1\nx,b,2\nx,a,3\n", ["--repeats", "first"]),
}  # fmt: skip


def suggested(said):
    """The first options that a message suggests, as words of a command."""
    found = re.search(r"(?:--[a-z-]+(?: (?!--)(?:'[^']*'|[^\s;]+))? ?)+", said)
    return shlex.split(found[0])


@pytest.mark.parametrize("case", SUGGESTED)
def test_the_option_that_a_message_suggests_works(case, tmp_path):
    text, expected = SUGGESTED[case]
    place = tmp_path / "votes.csv"
    place.write_text(text)
    said = fail("info", place, says="").stderr
    assert suggested(said) == expected, said
    succeed("convert", place, tmp_path / "out.csv", *expected)
    votes = read_file(tmp_path / "out.csv")
    if {*votes.items} == {*ITEMS} and case not in ("scores", "words of a usual scale"):
        ranks = votes.with_items(ITEMS).ranks
        listed = CODED != 99 if "for no answer" in case else ~np.isnan(ranks)
        np.testing.assert_array_equal(votes.with_items(ITEMS).ranks[listed], RANKS[listed])


@pytest.mark.parametrize("cell", ["two", "-2", "7", "7.0", "2.3"])
def test_a_column_is_not_offered_if_the_others_are_no_rankings_without_it(cell, tmp_path):
    place = tmp_path / "votes.csv"
    rows = RANKS.astype(str).astype(object)
    rows[2, 1] = cell
    place.write_text(table(ITEMS, rows))
    said = fail("info", place, says=r"votes\.csv:4: column 'uni'").stderr
    assert suggested(said) == ["--missing", cell]
    assert "--columns" not in said
    succeed("info", place, *suggested(said))


def test_negative_codes_of_a_parquet_file_are_no_answer(tmp_path):
    frame = pd.DataFrame(np.where(CODED == 99, -99.0, CODED), columns=ITEMS)
    frame.to_parquet(tmp_path / "votes.parquet")
    said = fail("info", tmp_path / "votes.parquet", says="-99, and ranks are not").stderr
    succeed("info", tmp_path / "votes.parquet", *suggested(said))


def test_words_that_nobody_knows_are_not_put_in_an_order(tmp_path):
    place = tmp_path / "votes.csv"
    place.write_text("a,b\nMEH,MEH\nJOY,MEH\nJOY,JOY\n")
    said = fail("info", place, says="from best to worst with --scale").stderr
    assert "MEH >" not in said


def test_tables_of_items_suggest_columns_that_work(tmp_path):
    place = tmp_path / "films.csv"
    films = [[i, f"Film {i}", "Drama" if i % 2 else "War", 1990 + i % 7] for i in range(50)]
    place.write_text(table(["id", "title", "genre", "year"], films))
    options = suggested(fail("graph", place, says="").stderr)
    assert options == ["--columns", "genre,year"]
    succeed("graph", place, *options)
    place.write_text(table(["year", "title"], [[1990 + i % 7, f"Film {i}"] for i in range(15)]))
    fail("graph", place, says="name the column of their names with --item\n")
    succeed("graph", place, "--item", "title")


def test_a_graph_of_many_items_asks_for_neighbours(tmp_path):
    place = tmp_path / "films.csv"
    place.write_text(table(["film", "year"], [[f"f{i}", 1900 + i % 90] for i in range(3100)]))
    said = fail("graph", place, says="4,803,450 edges").stderr
    assert suggested(said) == ["--neighbors", "10"]
    succeed("graph", place, *suggested(said))
