"""From a table of item features to points."""

import datetime

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rankcut.graphs.item_features import item_points


def table(frames):
    return frames.DataFrame(
        {
            "price": [1.0, 2.0, 6.0],
            "maki": [True, False, False],
            "group": ["roe", "clam", "roe"],
        }
    )


def test_numbers_are_scaled_and_words_one_hot(frames):
    points, items = item_points(table(frames), None, scale=True, one_hot=True)
    assert items is None
    price = np.array([1.0, 2.0, 6.0])
    maki = np.array([1.0, 0.0, 0.0])
    assert_allclose(points[:, 0], (price - price.mean()) / price.std())
    assert_allclose(points[:, 1], (maki - maki.mean()) / maki.std())
    assert_array_equal(points[:, 2:], [[0, 1], [1, 0], [0, 1]])


def test_scaling_can_be_turned_off(frames):
    points, _ = item_points(table(frames), None, scale=False, one_hot=True)
    assert_array_equal(points[:, :2], [[1, 1], [2, 0], [6, 0]])


def test_one_hot_can_be_turned_off(frames):
    numeric = table(frames)[["price", "maki"]]
    assert item_points(numeric, None, scale=True, one_hot=False)[0].shape == (3, 2)
    with pytest.raises(ValueError, match=r"column 'group' .* not numbers; one_hot=True"):
        item_points(table(frames), None, scale=True, one_hot=False)


def test_a_column_labels_the_items(frames):
    named = frames.DataFrame({"name": ["uni", "ika", "ebi"], "price": [1, 2, 6]})
    points, items = item_points(named, "name", scale=False, one_hot=True)
    assert items == ("uni", "ika", "ebi")
    assert_array_equal(points, [[1], [2], [6]])


def test_the_index_of_pandas_labels_the_items():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"price": [1, 2]}, index=["uni", "ika"])
    assert item_points(frame, None, scale=True, one_hot=True)[1] == ("uni", "ika")


def test_columns_of_pandas_that_are_numbers():
    pd = pytest.importorskip("pandas")
    points, _ = item_points(pd.DataFrame([[1, 5], [2, 6]]), None, scale=False, one_hot=True)
    assert_array_equal(points, [[1, 5], [2, 6]])


def test_a_constant_column_scales_to_zero(frames):
    frame = frames.DataFrame({"one": [3.0, 3.0], "two": [1, 2]})
    assert_array_equal(item_points(frame, None, scale=True, one_hot=True)[0], [[0, -1], [0, 1]])


def test_an_array_is_taken_as_it_is():
    points, items = item_points([[1, 2], [3, 4]], None, scale=True, one_hot=True)
    assert_array_equal(points, [[1, 2], [3, 4]])
    assert items is None
    with pytest.raises(ValueError, match="no named columns"):
        item_points([[1, 2]], "name", scale=True, one_hot=True)


def test_missing_values_are_named(frames):
    frame = frames.DataFrame({"name": ["uni", "ika"], "price": [1.0, None]})
    with pytest.raises(ValueError, match="item 'ika' has no value in column 'price'"):
        item_points(frame, "name", scale=True, one_hot=True)
    words = frames.DataFrame({"group": ["roe", None]})
    with pytest.raises(ValueError, match="item 1 has no value in column 'group'"):
        item_points(words, None, scale=True, one_hot=True)


def test_infinite_values_are_named(frames):
    frame = frames.DataFrame({"name": ["uni", "ika"], "price": [1.0, np.inf]})
    with pytest.raises(ValueError, match="item 'ika' has the value inf in column 'price'"):
        item_points(frame, "name", scale=False, one_hot=True)


def test_dates_are_neither_numbers_nor_categories(frames):
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]
    frame = frames.DataFrame({"day": np.array(days, dtype="M8[ms]")})
    with pytest.raises(ValueError, match=r"column 'day' .* neither numbers nor categories"):
        item_points(frame, None, scale=True, one_hot=True)


def test_an_item_twice(frames):
    frame = frames.DataFrame({"name": ["uni", "uni"], "price": [1, 2]})
    with pytest.raises(ValueError, match="item 'uni' has two rows"):
        item_points(frame, "name", scale=True, one_hot=True)


def test_no_such_column(frames):
    with pytest.raises(ValueError, match=r"items='id' should name .* 'price', 'maki', 'group'"):
        item_points(table(frames), "id", scale=True, one_hot=True)


def test_nothing_but_labels(frames):
    with pytest.raises(ValueError, match="they need items and columns"):
        item_points(frames.DataFrame({"name": ["uni"]}), "name", scale=True, one_hot=True)
