"""Views of a list: its order, which items it lists, and both smoothed over similar items.

On the complete graph the features of a list are its order plus γ·n·(listed − k/n), a multiple of
which items it lists. As separate views, a model can weight them itself: γ = 0 is the order only, a
large γ the listing only. Smoothed over the item graph, they say the same about similar items.

Views are sparse: a row has an entry for each listed item. Smoothing is symmetric, so it is applied
to the weights of a model instead of the rows, and no row ever becomes dense.

A logistic regression on several views learns a scale for each:

    log odds = Σ_v s_v·S_v·p(L)·w_v + b,    w ~ N(0, I)

at the maximum of the posterior density; b has no prior, so means of views need not be subtracted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp

from rankcut._loops.types import Floats
from rankcut.cuts.options import check_steps
from rankcut.cuts.smoothing import Smoother
from rankcut.graphs import AgreementGraph, ItemGraph
from rankcut.graphs.derived import joining_like_items
from rankcut.graphs.item_graph import fit_graph
from rankcut.graphs.learned import list_positions, listed_ranks
from rankcut.rankings import Rankings

# With more levels than this, a rating is a number and each level says little by itself.
_MOST_LEVELS = 12

# Entries of rows that are dense at the same time.
_AT_ONCE = 1 << 22

# The search ends when no slope of the mean loss is larger than this.
_SLOPE = 1e-7
_MOST_ITERATIONS = 5000

_ROUNDING = 1e-9


def fit_smoother(
    graph: Any, steps: float, rankings: Rankings, counts: Floats | None
) -> tuple[ItemGraph | None, Smoother | None]:
    """The graph that connects like items, and what smooths over it; neither without steps."""
    check_steps(steps)
    if not steps:
        return None, None
    built = fit_graph(like_items_graph(graph), rankings, counts)
    return built, Smoother(built, steps)


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


def order_view(rankings: Rankings) -> sparse.csr_array:
    """(k + 1 − 2·rank) for each of k listed items and 0 for the others, scaled to unit length.

    >>> from rankcut.rankings import read_rankings
    >>> order_view(read_rankings([[1, 2, 3, np.nan]])).toarray().round(3) + 0.0
    array([[ 0.707,  0.   , -0.707,  0.   ]])
    """
    listed = listed_ranks(rankings)
    return _normalised(_like(listed, list_positions(listed)))


def listing_view(rankings: Rankings) -> sparse.csr_array:
    """1/√k for each of k listed items and 0 for the others.

    >>> from rankcut.rankings import read_rankings
    >>> listing_view(read_rankings([[1, 2, 2, 3], [np.nan, 1, np.nan, np.nan]])).toarray()
    array([[0.5, 0.5, 0.5, 0.5],
           [0. , 1. , 0. , 0. ]])
    """
    listed = listed_ranks(rankings)
    return _normalised(_like(listed, np.ones(listed.nnz)))


def top_view(rankings: Rankings) -> sparse.csr_array:
    """1/rank for each listed item and 0 for the others, scaled to unit length: first choices count.

    >>> from rankcut.rankings import read_rankings
    >>> top_view(read_rankings([[1, 2, 4, np.nan]])).toarray().round(3)
    array([[0.857, 0.429, 0.286, 0.   ]])
    """
    listed = listed_ranks(rankings)
    k = np.repeat(_sizes(listed), _sizes(listed))
    ranks = (k + 1 - list_positions(listed) * (k - 1)) / 2.0
    return _normalised(_like(listed, 1.0 / ranks))


def list_views(rankings: Rankings, smoother: Smoother | None = None) -> dict[str, View]:
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

    def __init__(self, ratings: Rankings, counts: Floats | None = None) -> None:
        rated = listed_ranks(ratings)
        weights = np.ones(rated.nnz) if counts is None else np.repeat(counts, _sizes(rated))
        total = max(float(weights.sum()), 1.0)
        self._mean = float(weights @ rated.data) / total
        self._spread = float(np.sqrt(weights @ (rated.data - self._mean) ** 2 / total)) or 1.0
        levels = np.unique(rated.data)
        self._levels = levels if 2 <= len(levels) <= _MOST_LEVELS else levels[:0]

    def __call__(self, ratings: Rankings) -> dict[str, View]:
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


class ViewRegression:
    """The weights of all views, and the intercept.

    Parameters
    ----------
    views : mapping of View
        All views of the same rankings.
    scales : mapping of float
        s of the views to use.
    codes : array of int, shape (n_rankings,)
        Classes from 0 on.
    counts : array of shape (n_rankings,) or None
        How often each ranking counts.

    Attributes
    ----------
    weights : ndarray of shape (n_scores, n_weights)
        w of all views that are used, one after another.
    scales : dict of float
        s of these views.
    """

    def __init__(
        self,
        views: Mapping[str, View],
        scales: Mapping[str, float],
        codes: NDArray[np.intp],
        counts: Floats | None,
    ) -> None:
        n_classes = int(codes.max()) + 1
        n_scores = 1 if n_classes == 2 else n_classes
        weights = np.ones(len(codes)) if counts is None else counts
        total = float(weights.sum())
        names = list(scales)
        widths = [views[name].rows.shape[1] for name in names]
        ends = np.cumsum([0, *widths])
        transposed = {name: views[name].rows.T.tocsr() for name in names}
        aims = (
            (codes == 1).astype(float)[:, None]
            if n_scores == 1
            else (codes[:, None] == np.arange(n_classes)).astype(float)
        )

        def split(parameters: Floats) -> tuple[Floats, Floats]:
            return parameters[n_scores:].reshape(n_scores, -1), parameters[:n_scores]

        def loss(parameters: Floats) -> tuple[float, Floats]:
            rows, offsets = split(parameters)
            scores = np.tile(offsets, (len(codes), 1))
            for name, start, end in zip(names, ends, ends[1:], strict=False):
                view = views[name]
                scores += scales[name] * (view.rows @ view.smoothed(rows[:, start:end]).T)
            missed, losses = _missed(scores, aims)
            missed *= weights[:, None]
            slopes = np.empty_like(parameters)
            of_rows, of_offsets = split(slopes)
            of_offsets[:] = missed.sum(axis=0)
            for name, start, end in zip(names, ends, ends[1:], strict=False):
                pulled = (transposed[name] @ missed).T
                of_rows[:, start:end] = scales[name] * views[name].smoothed(pulled)
            of_rows += rows
            value = float(weights @ losses) + 0.5 * float((rows**2).sum())
            return value / total, slopes / total

        start = np.zeros(n_scores * (1 + int(ends[-1])))
        found = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _MOST_ITERATIONS, "gtol": _SLOPE, "ftol": 0.0, "maxfun": 10**6},
        )
        rows, self._offsets = split(found.x)
        self.weights: Floats = rows
        self.scales = dict(scales)
        # What multiplies the sparse rows, smoothing included.
        self._weights: dict[str, Floats] = {
            name: scales[name] * views[name].smoothed(rows[:, start:end]).T
            for name, start, end in zip(names, ends, ends[1:], strict=False)
        }

    def features(self, views: Mapping[str, View]) -> Floats:
        """The scaled views side by side, filled: what the weights w multiply."""
        n_rows = len(next(iter(views.values())))
        filled = [scale * views[name].toarray() for name, scale in self.scales.items()]
        return np.hstack([np.zeros((n_rows, 0)), *filled])

    def scores(self, views: Mapping[str, View]) -> Floats:
        """Log odds of the second of two classes, or scores of all classes."""
        n_rows = len(next(iter(views.values())))
        scores = np.tile(self._offsets, (n_rows, 1))
        for name, weights in self._weights.items():
            scores += views[name].rows @ weights
        return np.asarray(scores[:, 0] if scores.shape[1] == 1 else scores)

    def probabilities(self, views: Mapping[str, View]) -> Floats:
        """The probability of each class."""
        scores = self.scores(views)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return np.asarray(np.exp(scores - logsumexp(scores, axis=1, keepdims=True)))


def _missed(scores: Floats, aims: Floats) -> tuple[Floats, Floats]:
    """Probabilities minus aims, and the loss of each ranking."""
    if scores.shape[1] == 1:
        signs = 1.0 - 2.0 * aims
        losses = np.logaddexp(0.0, signs * scores)[:, 0]
        return np.exp(-np.logaddexp(0.0, -scores)) - aims, losses
    top = logsumexp(scores, axis=1, keepdims=True)
    return np.exp(scores - top) - aims, (top - (scores * aims).sum(axis=1, keepdims=True))[:, 0]


def laplace_covariance(
    features: Floats, probabilities: Floats, C: float, counts: Floats | None = None
) -> Floats:
    """The inverse of the curvature of a penalised logistic loss, for each score.

    For two classes there is one score; for more, each class is compared with the rest, the
    other weights held where they are.
    """
    n = features.shape[1]
    design = np.column_stack([features, np.ones(len(features))])
    chosen = probabilities[:, 1:] if probabilities.shape[1] == 2 else probabilities
    found = []
    for p in chosen.T:
        weight = p * (1.0 - p) if counts is None else counts * p * (1.0 - p)
        curvature = (design.T * weight) @ design
        curvature[np.arange(n), np.arange(n)] += 1.0 / C
        # The constant has no penalty; where all is certain, nothing else bounds it.
        curvature[n, n] += _ROUNDING
        found.append(np.linalg.inv(curvature)[:n, :n])
    return np.array(found)
