"""Views of a list: its order, which items it lists, and both smoothed over similar items.

On the complete graph the features of a list are its order plus γ·n·(listed − k/n), a multiple of
which items it lists. As separate views, a model can weight them itself: γ = 0 is the order only, a
large γ the listing only. Smoothed over the item graph, they say the same about similar items.

Views are sparse: a row has an entry for each listed item. Smoothing is symmetric, so it is applied
to the weights of a model instead of the rows, and no row ever becomes dense.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.types import Floats
from rankcut.features.smoothing import Smoother
from rankcut.graphs import AgreementGraph
from rankcut.graphs.derived import joining_like_items
from rankcut.graphs.learned import list_positions, listed_ranks
from rankcut.rankings import RankMatrix

# With more levels than this, a rating is a number and each level says little by itself.
_MOST_LEVELS = 12

# Entries of rows that are dense at the same time.
_AT_ONCE = 1 << 22


def like_items_graph(graph: Any) -> Any:
    """The graph to smooth views over: the user's, or one to be learned from the rankings."""
    return AgreementGraph() if graph is None else joining_like_items(graph)


@dataclass(frozen=True, eq=False)
class View:
    """Rows S·p(L): sparse ones, and the smoothing over the item graph, if there is any."""

    rows: sparse.csr_array
    smoother: Smoother | None = None

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def __getitem__(self, rows: Any) -> "View":
        return View(self.rows[rows], self.smoother)

    def smoothed(self, vectors: Floats) -> Floats:
        """Vectors·p(L), one vector in each row."""
        vectors = np.array(vectors, dtype=np.float64)
        if self.smoother is not None:
            self.smoother.smooth(vectors)
        return vectors

    def toarray(self) -> Floats:
        """The rows as a dense array."""
        return self.smoothed(self.rows.toarray())

    def gram(self, mean: Floats) -> Floats:
        """Inner products of all rows minus their mean, holding no more than one dense block.

        ``mean`` is that of the sparse rows, before smoothing.
        """
        n_rows, width = self.rows.shape
        gram = np.empty((n_rows, n_rows))
        across = np.asarray(self.rows @ self.smoothed(self.smoothed(mean[None]))[0])
        step = max(1, _AT_ONCE // width)
        for start in range(0, n_rows, step):
            block = self.rows[start : start + step].toarray()
            # S·p(L)·p(L)·Sᵀ, with both filters on the left.
            gram[start : start + step] = (self.rows @ self.smoothed(self.smoothed(block)).T).T
        squared = float(((self.smoothed(mean[None])) ** 2).sum())
        gram += squared - across - across[:, None]
        return (gram + gram.T) / 2.0


def _normalised(rows: sparse.csr_array) -> sparse.csr_array:
    """Rows of unit length; zeros stay zeros."""
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return _like(rows, rows.data / np.repeat(np.where(lengths > 0, lengths, 1.0), _sizes(rows)))


def _like(rows: sparse.csr_array, data: Floats) -> sparse.csr_array:
    """The same places with other numbers."""
    return sparse.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)


def _sizes(rows: sparse.csr_array) -> NDArray[Any]:
    return np.diff(rows.indptr)


def order_view(rankings: RankMatrix) -> sparse.csr_array:
    """(k + 1 − 2·rank) of each of k listed items and 0 of the others, scaled to unit length.

    >>> from rankcut.rankings import read_rankings
    >>> order_view(read_rankings([[1, 2, 3, np.nan]])).toarray().round(3) + 0.0
    array([[ 0.707,  0.   , -0.707,  0.   ]])
    """
    listed = listed_ranks(rankings)
    return _normalised(_like(listed, list_positions(listed)))


def listing_view(rankings: RankMatrix) -> sparse.csr_array:
    """1/√k of each of k listed items and 0 of the others.

    >>> from rankcut.rankings import read_rankings
    >>> listing_view(read_rankings([[1, 2, 2, 3], [np.nan, 1, np.nan, np.nan]])).toarray()
    array([[0.5, 0.5, 0.5, 0.5],
           [0. , 1. , 0. , 0. ]])
    """
    listed = listed_ranks(rankings)
    return _normalised(_like(listed, np.ones(listed.nnz)))


def top_view(rankings: RankMatrix) -> sparse.csr_array:
    """1/rank of each listed item and 0 of the others, scaled to unit length: first choices count.

    >>> from rankcut.rankings import read_rankings
    >>> top_view(read_rankings([[1, 2, 4, np.nan]])).toarray().round(3)
    array([[0.857, 0.429, 0.286, 0.   ]])
    """
    listed = listed_ranks(rankings)
    k = np.repeat(_sizes(listed), _sizes(listed))
    ranks = (k + 1 - list_positions(listed) * (k - 1)) / 2.0
    return _normalised(_like(listed, 1.0 / ranks))


def list_views(rankings: RankMatrix, smoother: Smoother | None = None) -> dict[str, View]:
    """Order, listing, both at once, first choices, and order and listing smoothed.

    In "both", an item has one weight for its place and for being listed: these are the features
    of a list with a balanced weight for unlisted items.
    """
    order, listing = order_view(rankings), listing_view(rankings)
    views = {
        "order": View(order),
        "listing": View(listing),
        "both": View(_normalised(_like(order, order.data + listing.data))),
        "top": View(top_view(rankings)),
    }
    if smoother is not None:
        views["smooth order"] = View(order, smoother)
        views["smooth listing"] = View(listing, smoother)
    return views


class LevelViews:
    """Views of ratings that keep their level, which their order leaves out.

    "ratings" has the rating of each item and "mean level" that of all rated items, standardised
    over all fitted ratings; "levels" has a column for each item and level, if levels are few.

    Examples
    --------
    >>> from rankcut.rankings import read_rankings
    >>> stars = read_rankings([[5, 4, 5], [2, 1, np.nan]])
    >>> views = LevelViews(stars)(stars)
    >>> {name: view.rows.shape for name, view in views.items()}
    {'ratings': (2, 3), 'mean level': (2, 1), 'levels': (2, 12)}
    """

    def __init__(self, ratings: RankMatrix, counts: Floats | None = None) -> None:
        rated = listed_ranks(ratings)
        weights = np.ones(rated.nnz) if counts is None else np.repeat(counts, _sizes(rated))
        total = max(float(weights.sum()), 1.0)
        self._mean = float(weights @ rated.data) / total
        self._spread = float(np.sqrt(weights @ (rated.data - self._mean) ** 2 / total)) or 1.0
        levels = np.unique(rated.data)
        self._levels = levels if 2 <= len(levels) <= _MOST_LEVELS else levels[:0]

    def __call__(self, ratings: RankMatrix) -> dict[str, View]:
        """The views of some ratings."""
        rated = listed_ranks(ratings)
        scores = (rated.data - self._mean) / self._spread
        sizes = np.maximum(_sizes(rated), 1)
        rows = np.repeat(np.arange(rated.shape[0]), _sizes(rated))
        means = np.bincount(rows, scores, minlength=rated.shape[0]) / sizes
        views = {
            "ratings": View(_like(rated, scores)),
            "mean level": View(sparse.csr_array(means[:, None])),
        }
        if len(self._levels):
            n_levels = len(self._levels)
            found = np.searchsorted(self._levels, rated.data)
            known = self._levels[np.minimum(found, n_levels - 1)] == rated.data
            columns = rated.indices.astype(np.int64) * n_levels + found
            shape = (rated.shape[0], rated.shape[1] * n_levels)
            ones = np.ones(int(known.sum()))
            views["levels"] = View(
                sparse.csr_array((ones, (rows[known], columns[known])), shape=shape)
            )
        return views
