"""Views of a list: its order, which items it lists, and both smoothed over similar items.

On the complete graph the features of a list are its order plus γ·n·(listed − k/n), a multiple of
which items it lists. As separate views, a model can weight them itself: γ = 0 is the order only, a
large γ the listing only. Smoothed over the item graph, they say the same about similar items.

=============== ================================================================================
order           k + 1 − 2·rank for each of k listed items
listing         1 for each listed item
both            the sum of these two: one weight for an item's place and for being listed, as in the
                features of a list with a balanced weight for unlisted items
top             1/rank: first choices count
smooth order    order and listing, smoothed over the item graph
smooth listing
ratings         of ratings: the rating of each item, standardised over all fitted ones
mean level      of ratings: the mean of all rated items
levels          of ratings, if levels are few: a column for each item and level
=============== ================================================================================

The first four have 0 for other items, and unit length. Views are sparse: a row has an entry for
each listed item. Smoothing is symmetric, so it is applied to the weights of a model instead of the
rows, and no row ever becomes dense.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize

from rankcut._loops.types import Floats
from rankcut.cuts.options import check_steps
from rankcut.cuts.smoothing import Smoother
from rankcut.graphs import AgreementGraph, ItemGraph
from rankcut.graphs.item_graph import fit_graph
from rankcut.graphs.learned import list_positions, listed_ranks, with_entries
from rankcut.graphs.recipes import joining_like_items
from rankcut.parameters import MOST_LISTED
from rankcut.rankings import Rankings


@dataclass(frozen=True, eq=False)
class View:
    """Rows S·p(L): sparse ones, and the smoothing over the item graph, if there is any."""

    rows: sparse.csr_array
    smoother: Smoother | None = None

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.rows.shape[1])

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


def fit_smoother(
    graph: Any, steps: float, rankings: Rankings
) -> tuple[ItemGraph | None, Smoother | None]:
    """The graph that connects like items, and what smooths over it; neither without steps.

    Without a graph, one is learned from the rankings.
    """
    check_steps(steps)
    if not steps:
        return None, None
    chosen = AgreementGraph() if graph is None else joining_like_items(graph)
    built = fit_graph(chosen, rankings)
    return built, Smoother(built, steps)


def list_views(rankings: Rankings, smoother: Smoother | None = None) -> dict[str, View]:
    """The views of lists, by name.

    >>> from rankcut.rankings import read_rankings
    >>> views = list_views(read_rankings([[1, 2, 3, np.nan]], unranked="anywhere"))
    >>> views["order"].toarray().round(3) + 0.0
    array([[ 0.707,  0.   , -0.707,  0.   ]])
    >>> views["top"].toarray().round(3)
    array([[0.857, 0.429, 0.286, 0.   ]])
    """
    listed = listed_ranks(rankings)
    positions = list_positions(listed)
    k = np.repeat(_sizes(listed), _sizes(listed))
    ranks = (k + 1 - positions * (k - 1)) / 2.0
    order, listing = _unit(listed, positions), _unit(listed, np.ones(listed.nnz))
    views = {
        "order": View(order),
        "listing": View(listing),
        "both": View(_unit(listed, order.data + listing.data)),
        "top": View(_unit(listed, 1.0 / ranks)),
    }
    if smoother is not None:
        views["smooth order"] = View(order, smoother)
        views["smooth listing"] = View(listing, smoother)
    return views


def _unit(rows: sparse.csr_array, data: Floats) -> sparse.csr_array:
    """The same places with other numbers, scaled to rows of unit length; zeros stay zeros."""
    return sparse.csr_array(normalize(with_entries(rows, data)))


def _sizes(rows: sparse.csr_array) -> NDArray[Any]:
    return np.diff(rows.indptr)


class LevelViews:
    """Views of ratings that keep their level, which their order leaves out.

    Examples
    --------
    >>> from rankcut.rankings import read_rankings
    >>> stars = read_rankings([[5, 4, 5], [2, 1, np.nan]], unranked="anywhere")
    >>> views = LevelViews(stars)(stars)
    >>> {name: view.rows.shape for name, view in views.items()}
    {'ratings': (2, 3), 'mean level': (2, 1), 'levels': (2, 12)}
    """

    def __init__(self, ratings: Rankings, counts: Floats | None = None) -> None:
        rated = listed_ranks(ratings)
        weights = np.ones(rated.nnz) if counts is None else np.repeat(counts, _sizes(rated))
        total = max(float(weights.sum()), 1.0)
        self._mean = float(weights @ rated.data) / total
        self._spread = float(np.sqrt(weights @ (rated.data - self._mean) ** 2 / total)) or 1.0
        levels = np.unique(rated.data)
        self._levels = levels if 2 <= len(levels) <= MOST_LISTED else levels[:0]

    def __call__(self, ratings: Rankings) -> dict[str, View]:
        """The views of some ratings."""
        rated = listed_ranks(ratings)
        n_rows, n_items = rated.shape
        scores = (rated.data - self._mean) / self._spread
        rows = np.repeat(np.arange(n_rows), _sizes(rated))
        means = np.bincount(rows, scores, minlength=n_rows) / np.maximum(_sizes(rated), 1)
        views = {
            "ratings": View(with_entries(rated, scores)),
            "mean level": View(sparse.csr_array(means[:, None])),
        }
        if n_levels := len(self._levels):
            # A level that was not fitted is none of these.
            found, known = np.nonzero(self._levels[:, None] == rated.data)
            columns = rated.indices[known].astype(np.int64) * n_levels + found
            shape = (n_rows, n_items * n_levels)
            entries = np.ones(len(known)), (rows[known], columns)
            views["levels"] = View(sparse.csr_array(entries, shape=shape))
        return views
