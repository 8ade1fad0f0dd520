"""Scores of places, against SciPy's ranks and quantiles."""

import numpy as np
import pytest
from listed import lists_of
from ranking_sets import stored
from scipy.stats import norm, rankdata

from rankcut.completion.lists import LONGEST_LIST, with_unlisted

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


@pytest.mark.parametrize("listing", [1.0, 0.6])
def test_unlisted_items_have_what_their_absence_says(listing):
    """Two of five items are listed: v is above the third quintile, and u has its correlation."""
    lists = with_unlisted(lists_of(RANKS), listing)
    assert lists.lengths.tolist() == [5, 5, 0, 5]
    place = lists.entries(1)
    scores, blurs = lists.scores[place], lists.blurs[place]
    draws = np.random.default_rng(0).multivariate_normal(
        [0, 0], [[1, listing], [listing, 1]], 400_000
    )
    above = draws[:, 0] > norm.ppf(3 / 5)
    liked, others = draws[above, 1], draws[~above, 1]
    # The posterior of a standard normal number with this score and blur.
    precision = 1 + 1 / blurs[[0, 1, 4]]
    np.testing.assert_allclose(1 / precision, others.var(), atol=0.01)
    np.testing.assert_allclose(scores[[0, 1, 4]] / blurs[0] / precision, others.mean(), atol=0.01)
    plain = norm.ppf([0.75, 0.25])
    np.testing.assert_allclose(scores[[3, 2]], liked.mean() + liked.std() * plain, atol=0.01)
    assert not blurs[[2, 3]].any()


def test_of_a_large_catalogue_some_unlisted_items_are_drawn_by_the_list_alone():
    n_items = 2 * LONGEST_LIST
    ranks = np.full((3, n_items), NAN)
    ranks[0, [4, 7]] = ranks[2, [4, 7]] = 1.0, 2.0
    ranks[1, [1, 2]] = 1.0, 2.0
    lists = lists_of(ranks, unranked="last")
    alone = lists_of(ranks[2:], unranked="last")
    first, second, third = (lists.items[lists.entries(person)].tolist() for person in range(3))
    assert first == third == alone.items.tolist()
    assert first != second
    assert len(first) == LONGEST_LIST + 2


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
