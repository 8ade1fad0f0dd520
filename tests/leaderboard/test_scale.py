"""Elo's scale and its anchors."""

import numpy as np
import pytest

from rankcut.errors import InputError
from rankcut.leaderboard.scale import Scale

ITEMS = ("ada", "bob", "cyd")


def test_four_hundred_points_are_ten_to_one():
    ratings = Scale.of("elo", None, ITEMS).ratings(np.array([np.log(10.0), 0.0, -1.0]))
    assert ratings[0] - ratings[1] == pytest.approx(400)
    assert ratings.mean() == pytest.approx(1000)


@pytest.mark.parametrize("anchor", ["bob=1200", {"bob": 1200}])
def test_an_anchor_has_its_rating_and_no_error(anchor):
    scale = Scale.of("elo", anchor, ITEMS)
    assert scale.ratings(np.array([0.3, 0.7, -1.0]))[1] == pytest.approx(1200)
    covariance = np.array([[0.2, 0.05, 0.0], [0.05, 0.3, 0.1], [0.0, 0.1, 0.4]])
    errors = scale.errors(covariance)
    assert errors[1] == pytest.approx(0)
    assert errors[0] == pytest.approx(scale.factor * np.sqrt(0.2 + 0.3 - 2 * 0.05))


def test_the_words_of_an_anchor_are_an_anchor():
    scale = Scale.of("elo", None, ITEMS)
    assert Scale.of("elo", scale.anchor, ITEMS).level == 1000


@pytest.mark.parametrize(
    ("anchor", "says"),
    [
        ("dan=1000", "names 'dan', which is not among"),
        ("bob", "such as 'ada=1000'"),
        ("bob=x", "such"),
        ({"ada": 1100, "cyd": 900}, "must be one item and its rating"),
    ],
)
def test_mistakes(anchor, says):
    with pytest.raises(InputError, match=says):
        Scale.of("elo", anchor, ITEMS)
