"""Tables of items and people: what is missing, and mistakes by name."""

import io

import numpy as np
import pytest

from rankcut.files import RankingFileError
from rankcut.files.feature_tables import read_items, read_people


def test_numbers_and_text_with_missing_values():
    people = read_people(io.StringIO("age,town\n31,york\n,\n7,leeds\n"))
    np.testing.assert_array_equal(people.columns["age"], [31, np.nan, 7])
    assert people.columns["town"].tolist() == ["york", None, "leeds"]
    assert people.rows([2, 0]).columns["age"].tolist() == [7, 31]


def test_covariates_are_an_array_or_a_frame():
    people = read_people(io.StringIO("age,town\n31,york\n7,\n"))
    assert people.covariates(["age"]).tolist() == [[31], [7]]
    assert list(people.covariates(["town", "age"]).columns) == ["town", "age"]


def test_tables_of_items():
    table = read_items(io.StringIO("dish,price,code\ntoro,9,a\nuni,7,b\n"))
    assert table.features["code"].tolist() == ["a", "b"]
    assert table.points().shape == (2, 3)
    for text, says in (
        ("dish,price\ntoro,\n", "'toro' has no value in column 'price'"),
        ("dish,price\ntoro,1\ntoro,2\n", "'toro' has two rows.* with item$"),
        ("dish,price\n,1\n", "no name"),
        ("dish\ntoro\n", "at least one column besides the names"),
        ("dish,price\ntoro,1\nuni,1e309\n", "item 'uni' has .* not a finite number"),
        ("dish,price\ntoro,1\nuni,inf\n", "item 'uni' has .* not a finite number"),
    ):
        with pytest.raises(RankingFileError, match=says):
            read_items(io.StringIO(text))
