"""Vectors that comparisons look at."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rankcut.comparison.vectors import pairs, places
from rankcut.rankings import read_rankings

NAN = np.nan


@pytest.mark.parametrize(
    ("unranked", "mean_places", "shares"),
    [
        (
            "last",
            [[2, 1, 3.5, 3.5], [3, 3, 3, 1]],
            [[0, 1, 1, 1, 1, 0.5], [0.5, 0.5, 0, 0.5, 0, 0]],
        ),
        (
            "anywhere",
            # Two listed items divide the five steps from 0 to 5 into thirds.
            [[10 / 3, 5 / 3, 2.5, 2.5], [2.5, 2.5, 2.5, 2.5]],
            [[0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 0.5], [0.5] * 6],
        ),
    ],
)
def test_unlisted_items_are_tied_last_or_anywhere(unranked, mean_places, shares):
    lists = read_rankings([[2, 1, NAN, NAN], [NAN, NAN, NAN, 1]], unranked=unranked)
    rows = np.arange(2)
    assert_allclose(places(lists).vectors(rows), mean_places, rtol=1e-12)
    assert_allclose(pairs(lists).vectors(rows), shares, rtol=1e-12)
