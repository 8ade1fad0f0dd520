"""Errors as data."""

import pickle

import pytest

from rankcut.errors import InputError, Setting

REMEDY = ["pass ", Setting("unranked", "last"), " or ", Setting("n_draws", 4)]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "is wrong"),
        ({"row": 3}, "row 3: is wrong"),
        ({"row": 3, "item": "uni"}, "row 3: item 'uni' is wrong"),
        ({"file": "a.csv"}, "a.csv: is wrong"),
        ({"file": "a.csv", "line": 2, "item": 5}, "a.csv:2: item 5 is wrong"),
        ({"parameter": "top"}, "top is wrong"),
        ({"remedy": REMEDY}, 'is wrong; pass unranked="last" or n_draws=4'),
    ],
)
def test_the_message_names_the_place_then_the_mistake_then_the_remedy(fields, text):
    error = InputError("is wrong", **fields)
    assert str(error) == text
    assert error.args == (text,)
    assert isinstance(error, ValueError)


def test_another_speaker_renders_settings_in_its_own_words():
    error = InputError("must be 1 to 9; got 0", parameter="top", remedy=REMEDY)
    text = error.render(lambda setting: f"--{setting.name.replace('_', '-')}")
    assert text == "--top must be 1 to 9; got 0; pass --unranked or --n-draws"


def test_moved_changes_the_place_alone():
    error = InputError("is wrong", row=3, item="uni", remedy=REMEDY)
    moved = error.moved(row=1003)
    assert (moved.row, moved.item, moved.remedy) == (1003, "uni", REMEDY)
    assert str(moved).startswith("row 1003: item 'uni' is wrong")
    assert error.row == 3


def test_errors_survive_pickling():
    error = InputError("is wrong", row=3, item="uni", remedy=REMEDY)
    again = pickle.loads(pickle.dumps(error))
    assert vars(again) == vars(error)
    assert str(again) == str(error)
