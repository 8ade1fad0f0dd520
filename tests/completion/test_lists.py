"""Scores of places, against SciPy's ranks and quantiles."""

import numpy as np
import pytest
from listed import lists_of
from ranking_sets import stored
from scipy.stats import norm, rankdata, truncnorm

from rankcut.completion.lists import LONGEST

NAN = np.nan
RANKS = np.array(
    [
        [1.0, 2.0, NAN, 2.0, 9.0],
        [NAN, NAN, 3.0, 1.0, NAN],
        [NAN, NAN, NAN, NAN, NAN],
        [5.0, 5.0, 5.0, 5.0, 5.0],
    ]
)


@pytest.mark.parametrize("form", [np.asarray, stored])
def test_scores_are_normal_scores_of_mean_places(form):
    lists = lists_of(form(RANKS))
    assert lists.lengths.tolist() == [4, 2, 0, 5]
    for person, ranks in enumerate(RANKS):
        listed = np.flatnonzero(~np.isnan(ranks))
        place = lists.entries(person)
        assert lists.items[place].tolist() == listed.tolist()
        if len(listed):
            k = len(listed)
            expected = norm.ppf((k - rankdata(ranks[listed]) + 0.5) / k)
            np.testing.assert_allclose(lists.scores[place], expected, rtol=1e-12, atol=1e-15)
    assert not lists.blurs.any()


def test_unlisted_items_share_the_lower_part_of_the_scores():
    lists = lists_of(RANKS, unranked="last")
    assert lists.lengths.tolist() == [5, 5, 0, 5]
    place = lists.entries(1)
    scores, blurs = lists.scores[place], lists.blurs[place]
    np.testing.assert_allclose(scores[[3, 2]], norm.ppf([4.5 / 5, 3.5 / 5]), rtol=1e-12)
    lower = truncnorm(-np.inf, norm.ppf(3 / 5))
    np.testing.assert_allclose(scores[[0, 1, 4]], lower.mean(), rtol=1e-9)
    np.testing.assert_allclose(blurs[[0, 1, 4]], lower.var(), rtol=1e-9)
    assert not blurs[[2, 3]].any()


def test_of_a_large_catalogue_some_unlisted_items_are_drawn_by_the_list_alone():
    n_items = LONGEST + 50
    ranks = np.full((3, n_items), NAN)
    ranks[0, [4, 7]] = ranks[2, [4, 7]] = 1.0, 2.0
    ranks[1, [1, 2]] = 1.0, 2.0
    lists = lists_of(ranks, unranked="last", seed=3)
    alone = lists_of(ranks[2:], unranked="last", seed=3)
    first, second, third = (lists.items[lists.entries(person)].tolist() for person in range(3))
    assert first == third == alone.items.tolist()
    assert first != second
    assert len(first) == 22


def test_equal_lists_are_counted_whatever_their_order():
    rows = np.array([[1, 2, 3], [3, 2, 1], [1, 2, 3], [NAN, 1, 2], [NAN, NAN, 1]])
    lists = lists_of(rows, counts=np.array([1.0, 2.0, 4.0, 0.0, 8.0])).distinct()
    assert sorted(zip(lists.counts.tolist(), lists.lengths.tolist(), strict=True)) == [
        (2.0, 3),
        (5.0, 3),
    ]
    other = lists_of(rows[[1, 1, 0]], counts=np.array([1.0, 1.0, 5.0])).distinct()
    np.testing.assert_array_equal(lists.scores, other.scores)
    np.testing.assert_array_equal(lists.counts, other.counts)


def test_long_lists_are_shortened_to_some_of_their_entries():
    ranks = np.vstack([np.arange(9.0), np.where(np.arange(9) < 3, 1.0, NAN)])
    lists = lists_of(ranks)
    short = lists.shortened(4, np.random.default_rng(0))
    assert short.lengths.tolist() == [4, 3]
    kept = short.items[short.entries(0)]
    np.testing.assert_array_equal(short.scores[short.entries(0)], lists.scores[kept])
