"""Views of lists by their definition, item by item."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import rankdata

from rankcut import ItemGraph
from rankcut.cuts.smoothing import Smoother
from rankcut.rankings import read_rankings
from rankcut.regression.views import LevelViews, list_views


def by_definition(ranks):
    order, listing, top = (np.zeros(len(ranks)) for _ in range(3))
    listed = np.flatnonzero(~np.isnan(ranks))
    places = rankdata(ranks[listed])
    order[listed] = len(listed) + 1 - 2 * places
    listing[listed] = 1.0
    top[listed] = 1 / places
    return [view / (np.linalg.norm(view) or 1.0) for view in (order, listing, top)]


@pytest.mark.parametrize("as_sparse", [False, True])
def test_order_listing_and_top(as_sparse):
    ranks = np.random.default_rng(1).integers(1, 5, size=(40, 6)).astype(float)
    ranks[np.random.default_rng(2).random(ranks.shape) < 0.4] = np.nan
    expected = [by_definition(row) for row in ranks]
    given = sparse.csr_array(np.nan_to_num(ranks)) if as_sparse else ranks
    views = list_views(read_rankings(given, unranked="anywhere"))
    for place, name in enumerate(("order", "listing", "top")):
        view = views[name].toarray()
        assert view == pytest.approx(np.array([row[place] for row in expected]))


def test_smoothed_views_of_like_items_are_alike():
    graph = ItemGraph(np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]), 4)
    nan = np.nan
    rankings = read_rankings([[1, nan, 2, nan], [nan, 1, nan, 2]], unranked="anywhere")
    views = list_views(rankings, Smoother(graph, 8.0))
    one, other = views["order"].toarray()
    assert one @ other == 0
    one, other = views["smooth order"].toarray()
    assert one @ other == pytest.approx(np.linalg.norm(one) * np.linalg.norm(other))


def test_levels_by_definition():
    stars = np.array([[5.0, 4.0, np.nan], [2.0, np.nan, 4.0]])
    views = LevelViews(read_rankings(stars, unranked="anywhere"))(
        read_rankings(stars, unranked="anywhere")
    )
    scores = (stars - np.nanmean(stars)) / np.nanstd(stars)
    np.testing.assert_allclose(views["ratings"].toarray(), np.nan_to_num(scores))
    np.testing.assert_allclose(
        views["mean level"].toarray(), np.nanmean(scores, axis=1)[:, None], atol=1e-15
    )
    levels = views["levels"].toarray().reshape(2, 3, 3)  # of each item: 2, 4 and 5
    expected = (stars[:, :, None] == [2.0, 4.0, 5.0]).astype(float)
    np.testing.assert_array_equal(levels, expected)


def test_levels_that_were_not_fitted_are_no_level():
    fitted = LevelViews(read_rankings([[1.0, 2.0], [2.0, 1.0]], unranked="anywhere"))
    views = fitted(read_rankings([[1.5, 7.0], [2.0, np.nan]], unranked="anywhere"))
    np.testing.assert_array_equal(views["levels"].toarray(), [[0, 0, 0, 0], [0, 1, 0, 0]])


def test_many_levels_have_no_columns():
    numbers = read_rankings(np.arange(20.0).reshape(4, 5), unranked="anywhere")
    assert list(LevelViews(numbers)(numbers)) == ["ratings", "mean level"]
