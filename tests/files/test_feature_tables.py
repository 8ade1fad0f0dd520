"""Tables of people: what is missing stays missing, and mistakes are named."""

import io

import numpy as np
import pytest

from rankcut.files import RankingFileError
from rankcut.files.feature_tables import read_people


def table(text):
    return io.StringIO(text)


def test_numbers_and_text_with_missing_values():
    people = read_people(table("who,age,town\na,31,york\nb,,\nc,7,leeds\n"), person="who")
    assert people.ids == ("a", "b", "c")
    np.testing.assert_array_equal(people.columns["age"], [31, np.nan, 7])
    assert people.columns["town"].tolist() == ["york", None, "leeds"]
    later = people.rows([2, 0])
    assert later.ids == ("c", "a")
    assert later.columns["age"].tolist() == [7, 31]


def test_covariates_are_an_array_or_a_frame():
    people = read_people(table("age,town\n31,york\n7,\n"))
    assert people.covariates(["age"]).tolist() == [[31], [7]]
    assert list(people.covariates(["town", "age"]).columns) == ["town", "age"]


@pytest.mark.parametrize(
    ("text", "person", "says"),
    [
        ("who,age\na,1\na,2\n", "who", "'a' has two rows"),
        ("who,age\na,1\n", "name", "name"),
        ("who\na\n", "who", "no columns besides"),
    ],
)
def test_mistakes_are_named(text, person, says):
    with pytest.raises(RankingFileError, match=says):
        read_people(table(text), person=person)
