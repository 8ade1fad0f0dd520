"""Views of a list: its order, which items it lists, and both smoothed over similar items.

On the complete graph the features of a list are its order plus γ·n·(listed − k/n), a multiple of
which items it lists. As separate views, a model can weigh them itself: γ = 0 is the order only, a
large γ the listing only. Smoothed over the item graph, they say the same about similar items.
"""

from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from rankcut._loops.types import Floats
from rankcut.features.graph_cut import graph_cut_features
from rankcut.features.smoothing import Smoother
from rankcut.graphs import AgreementGraph
from rankcut.graphs.derived import joining_like_items
from rankcut.rankings import RankMatrix


def like_items_graph(graph: Any) -> Any:
    """The graph to smooth views over: the user's, or one to be learned from the rankings."""
    return AgreementGraph() if graph is None else joining_like_items(graph)


def order_view(rankings: RankMatrix) -> Floats:
    """(k + 1 − 2·rank) of each of k listed items and 0 of the others, scaled to unit length.

    >>> from rankcut.rankings import read_rankings
    >>> order_view(read_rankings([[1, 2, 3, np.nan]])).round(3) + 0.0
    array([[ 0.707,  0.   , -0.707,  0.   ]])
    """
    return np.asarray(normalize(_raw_order(rankings)))


def _raw_order(rankings: RankMatrix) -> Floats:
    order: Floats = graph_cut_features(
        rankings.sparse if rankings.sparse is not None else rankings.read(0, rankings.shape[0]),
        unranked="anywhere",
        unlisted_weight=0.0,
        completions="closed_form",
        dtype=np.float64,
        sparse_output=False,
    )
    return order


def listing_view(rankings: RankMatrix) -> Floats:
    """1/√k of each of k listed items and 0 of the others.

    >>> from rankcut.rankings import read_rankings
    >>> listing_view(read_rankings([[1, 2, 2, 3], [np.nan, 1, np.nan, np.nan]]))
    array([[0.5, 0.5, 0.5, 0.5],
           [0. , 1. , 0. , 0. ]])
    """
    if rankings.sparse is not None:
        listed = np.zeros(rankings.shape)
        ranked = ~np.isnan(rankings.sparse.data)
        rows = np.repeat(np.arange(rankings.shape[0]), np.diff(rankings.sparse.indptr))
        listed[rows[ranked], rankings.sparse.indices[ranked]] = 1.0
    else:
        listed = (~np.isnan(rankings.read(0, rankings.shape[0]))).astype(np.float64)
    return np.asarray(listed / np.sqrt(np.maximum(listed.sum(axis=1, keepdims=True), 1.0)))


def top_view(rankings: RankMatrix) -> Floats:
    """1/rank of each listed item and 0 of the others, scaled to unit length: first choices count.

    >>> from rankcut.rankings import read_rankings
    >>> top_view(read_rankings([[1, 2, 4, np.nan]])).round(3)
    array([[0.857, 0.429, 0.286, 0.   ]])
    """
    listed = listing_view(rankings) > 0
    ranks = (listed.sum(axis=1, keepdims=True) + 1 - _raw_order(rankings)) / 2
    return np.asarray(normalize(np.where(listed, 1.0 / np.maximum(ranks, 1.0), 0.0)))


def plain_views(rankings: RankMatrix) -> dict[str, Floats]:
    """Order, listing, both at once, and first choices.

    In "both", an item has one weight for its place and for being listed: these are the features
    of a list with a balanced weight for unlisted items.
    """
    order, listing = order_view(rankings), listing_view(rankings)
    return {
        "order": order,
        "listing": listing,
        "both": np.asarray(normalize(order + listing)),
        "top": top_view(rankings),
    }


def all_views(rankings: RankMatrix, smoother: Smoother | None) -> dict[str, Floats]:
    """The plain views, and order and listing smoothed over the graph."""
    views = plain_views(rankings)
    if smoother is not None:
        for name in ("order", "listing"):
            smoothed = views[name].copy()
            smoother.smooth(smoothed, normalize=True)
            views[f"smooth {name}"] = smoothed
    return views
