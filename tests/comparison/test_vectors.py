"""Vectors that comparisons look at."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rankcut._loops.partitions import NOWHERE
from rankcut.comparison.rows import read_rows
from rankcut.comparison.vectors import orders_of_listed, pairs, places, places_given_length
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


def test_orders_of_listed_items_say_nothing_of_what_is_listed():
    """By loops over pairs: the sign of each, less its mean among rankings of the kind."""
    rng = np.random.default_rng(0)
    rankings = rng.integers(0, 4, (30, 5)).astype(np.uint32)
    rankings[rng.random((30, 5)) < 0.4] = NOWHERE
    weight, kinds = rng.integers(1, 4, 30).astype(float), rng.integers(0, 2, 30)
    found = orders_of_listed(rankings, weight, kinds).vectors(np.arange(30))

    listed = rankings != NOWHERE
    groups = rankings.astype(float)
    expected = np.zeros((30, 5))
    for kind in (0, 1):
        for i in range(5):
            for j in range(5):
                rows = np.flatnonzero((kinds == kind) & listed[:, i] & listed[:, j])
                if i != j and rows.size:
                    signs = np.sign(groups[rows, j] - groups[rows, i])
                    expected[rows, i] += signs - np.average(signs, weights=weight[rows])
    assert_allclose(found, expected, atol=1e-12)
    assert (found[~listed] == 0).all()
    for kind in (0, 1):
        rows = kinds == kind
        assert_allclose(weight[rows] @ found[rows], 0, atol=1e-10)


def test_places_given_length_are_those_beyond_the_mean_of_lists_as_long():
    rng = np.random.default_rng(0)
    ranks = rng.random((30, 5)).argsort(axis=1) + 1.0
    ranks[ranks > rng.integers(1, 5, (30, 1))] = NAN
    weight = rng.integers(1, 4, 30).astype(float)
    rankings = read_rankings(ranks, unranked="last", sample_weight=weight)
    rows, _ = read_rows(rankings, np.arange(30), np.zeros(30, int), None, None)
    found = places_given_length(rows).vectors(rows.index)
    own = places(rankings).vectors(np.arange(30))
    lengths = np.isfinite(ranks).sum(axis=1)
    for row, value in enumerate(found):
        alike = lengths == lengths[row]
        mean = np.average(own[alike], axis=0, weights=weight[alike])
        assert_allclose(value, own[row] - mean, atol=1e-12)
