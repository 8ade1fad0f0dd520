"""Views of lists by their definition, item by item."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import rankdata

from rankcut import ItemGraph
from rankcut.estimators.views import list_views, listing_view, order_view, top_view
from rankcut.features.smoothing import Smoother
from rankcut.rankings import read_rankings


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
    rankings = read_rankings(given)
    for place, view in enumerate((order_view, listing_view, top_view)):
        assert view(rankings).toarray() == pytest.approx(np.array([row[place] for row in expected]))


def test_smoothed_views_of_like_items_are_alike():
    graph = ItemGraph(np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]), 4)
    nan = np.nan
    rankings = read_rankings([[1, nan, 2, nan], [nan, 1, nan, 2]])
    views = list_views(rankings, Smoother(graph, 8.0))
    one, other = views["order"].toarray()
    assert one @ other == 0
    one, other = views["smooth order"].toarray()
    assert one @ other == pytest.approx(np.linalg.norm(one) * np.linalg.norm(other))
