"""Views of a list: its order, which items it lists, both smoothed; and linear models of them.

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

A linear model of several views,

    y = Σ_b Z_b w_b + noise,  w_b ~ N(0, v_b·I),  noise ~ N(0, s)

with labels coded as ±1 has the evidence N(y | 0, Σ_b v_b Z_b Z_bᵀ + s·I), known in closed form.
It rises where a view explains the labels and falls with every variance that explains nothing. So
its maximum weights the views without cross-validation, which is noisy with few labels.

Rotated samples have the same evidence. A rotation leaves no more of them than there are weights;
the others have no features, and only their number and squares count. A sample that counts c times
is one times √c, and c − 1 others of which nothing is left.

With these variances as scales s_v, classes are those of a logistic regression,

    log odds = Σ_v s_v·S_v·p(L)·w_v + b,    w ~ N(0, I)

at the maximum of the posterior density; b has no prior, so means of views need not be subtracted.
Of two classes the first has the score 0; of more, each has weights of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cho_factor
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.preprocessing import normalize

from rankcut._loops.types import Floats
from rankcut.cuts.options import check_steps
from rankcut.cuts.smoothing import Smoother
from rankcut.graphs import AgreementGraph, ItemGraph
from rankcut.graphs.item_graph import fit_graph
from rankcut.graphs.learned import list_positions, listed_ranks, with_entries
from rankcut.graphs.recipes import joining_like_items
from rankcut.parameters import AT_ONCE, EQUAL_WITHIN, MOST_COMPARED, MOST_LISTED
from rankcut.rankings import Rankings
from rankcut.saved_arrays import Saved

# A weak prior on log v: around 0.05, the share of the labels' variance that rankings usually
# explain, give or take two powers of e. Without it, chance in a few labels can switch off a view
# or the noise.
USUAL, SPREAD = 0.05, 2.0


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
    recipe = AgreementGraph() if graph is None else joining_like_items(graph)
    built = fit_graph(recipe, rankings)
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
    """Rows with other numbers at the same places, scaled to unit length; zeros stay zeros."""
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

    _levels: Annotated[Floats, Saved("*")]

    def __init__(self, ratings: Rankings) -> None:
        rated = listed_ranks(ratings)
        weights = np.repeat(ratings.counts, _sizes(rated))
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
            level, entry = np.nonzero(self._levels[:, None] == rated.data)
            columns = rated.indices[entry].astype(np.int64) * n_levels + level
            shape = (n_rows, n_items * n_levels)
            entries = np.ones(len(entry)), (rows[entry], columns)
            views["levels"] = View(sparse.csr_array(entries, shape=shape))
        return views


def weigh_views(
    views: dict[str, View], targets: Floats, counts: Floats
) -> tuple[dict[str, float], dict[str, float]]:
    """The prior variance of each view, and the factor that scales it for weights of variance 1.

    ``targets``, a column each, have a variance of about 1. Views that are the same for all rankings
    have no factor.
    """
    width = sum(view.width for view in views.values())
    rows, counts = _rows_to_weigh(counts, width)
    targets, views = targets[rows], {name: view[rows] for name, view in views.items()}
    targets = targets - np.average(targets, axis=0, weights=counts)
    summed = sum_rotated if width <= MOST_COMPARED else sum_samples
    evidence = summed(list(views.values()), targets, counts)
    # Rows of mean square 1, centred, make variances comparable.
    sizes = np.sqrt([max(np.trace(gram), 0.0) / counts.sum() for gram in evidence.grams])
    filled = [b for b, size in enumerate(sizes) if size > EQUAL_WITHIN]
    scaled = [evidence.grams[b] / sizes[b] ** 2 for b in filled]
    shares = np.zeros(len(views))
    if filled:
        shares[filled] = replace(evidence, grams=scaled).best_variances()
    names = list(views)
    return dict(zip(names, shares.tolist(), strict=True)), {
        names[b]: float(np.sqrt(shares[b]) / sizes[b]) for b in filled
    }


def _rows_to_weigh(counts: Floats, width: int) -> tuple[slice | NDArray[np.intp], Floats]:
    """Rows to find the variances from, and how often each counts.

    Rows are drawn at random, because the first ones may be of one kind. If counts are whole
    numbers, people are drawn.
    """
    counted = bool((counts == np.floor(counts)).all())
    total = int(counts.sum()) if counted else len(counts)
    if min(width, total) <= MOST_COMPARED:
        return slice(None), counts
    some = np.sort(np.random.default_rng(0).permutation(total)[:MOST_COMPARED])
    if not counted:
        return some, counts[some]
    people = np.searchsorted(np.cumsum(counts), some, side="right")
    rows, repeats = np.unique(people, return_counts=True)
    return rows, repeats.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence as a function of variances and noise."""

    grams: Sequence[Floats]  #: (n_samples, n_samples) each: Z_b Z_bᵀ of each view
    targets: Floats  #: (n_samples, n_targets): y, centred; their evidences are multiplied
    n_others: float = 0.0  #: number of samples without features
    squares: float = 0.0  #: the sum of the squares of their targets

    def loss(self, logs: Floats) -> tuple[float, Floats]:
        """−log evidence but for a constant, and its slopes, in log v of all views and log s."""
        *variances, noise = np.exp(logs).tolist()
        covariance = np.zeros((len(self.targets),) * 2)
        for v, gram in zip(variances, self.grams, strict=True):
            covariance += v * gram
        # Beside large counts, the noise may be lost in rounding.
        rounding = np.finfo(float).eps * np.trace(covariance)
        covariance[np.diag_indices(len(covariance))] += noise + rounding
        factor, _ = cho_factor(covariance, lower=True)
        inverse = np.tril(dpotri(factor, lower=1)[0])
        inverse += np.tril(inverse, -1).T
        solved = inverse @ self.targets
        n_targets = self.targets.shape[1]
        determinant = 2 * np.log(np.diag(factor)).sum() + self.n_others * np.log(noise)
        fit = (self.targets * solved).sum() + self.squares / noise
        slopes = [
            v * (n_targets * np.vdot(inverse, gram) - np.vdot(solved, gram @ solved))
            for v, gram in zip(variances, self.grams, strict=True)
        ]
        of_noise = n_targets * (noise * np.trace(inverse) + self.n_others)
        of_noise -= noise * (solved**2).sum() + self.squares / noise
        return 0.5 * float(fit + n_targets * determinant), 0.5 * np.array([*slopes, of_noise])

    def best_variances(self) -> Floats:
        """The variances v at which the evidence, times the prior, is largest."""
        n_views = len(self.grams)

        def loss(logs: Floats) -> tuple[float, Floats]:
            value, slopes = self.loss(logs)
            away = np.append((logs[:-1] - np.log(USUAL)) / SPREAD, 0.0)
            return value + 0.5 * float(away @ away), slopes + away / SPREAD

        # At first views explain a tenth. Beyond the bounds nothing is explained, or all.
        start = np.log([0.1 / n_views] * n_views + [0.9])
        bounds = [(-14.0, 6.0)] * len(start)
        best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
        return np.asarray(np.exp(best.x[:-1]))


def sum_samples(views: Sequence[View], targets: Floats, counts: Floats) -> Evidence:
    """The evidence by inner products of all samples, holding one dense block of rows at a time."""
    roots = np.sqrt(counts)[:, None]
    mean = counts / counts.sum()
    grams = []
    for view in views:
        step = max(1, AT_ONCE // view.width)
        # S·p(L)·p(L)·Sᵀ, with both filters on the left.
        blocks = [
            view.rows @ view.smoothed(view[start : start + step].toarray()).T
            for start in range(0, len(targets), step)
        ]
        gram = np.hstack(blocks)
        across = gram @ mean
        gram = gram - across - across[:, None] + mean @ across
        grams.append(roots * (gram + gram.T) / 2.0 * roots.T)
    return Evidence(grams, roots * targets, float(counts.sum()) - len(targets))


def sum_rotated(views: Sequence[View], targets: Floats, counts: Floats) -> Evidence:
    """The evidence by at most as many rotated samples as there are weights."""
    total = counts.sum()
    means = [view.smoothed((counts @ view.rows / total)[None]) for view in views]
    width = sum(view.width for view in views)
    inner, towards = np.zeros((width, width)), np.zeros((width, targets.shape[1]))
    step = max(1, AT_ONCE // width)
    for start in range(0, len(targets), step):
        some = slice(start, start + step)
        centred = [view[some].toarray() - mean for view, mean in zip(views, means, strict=True)]
        features = np.hstack(centred)
        inner += (features.T * counts[some]) @ features
        towards += (features.T * counts[some]) @ targets[some]
    # Features are Q·√Λ·Vᵀ, and the rotation is Q.
    values, vectors = np.linalg.eigh(inner)
    there = values > np.finfo(float).eps * width * max(values[-1], 0.0)
    roots, vectors = np.sqrt(values[there]), vectors[:, there]
    rotated = (vectors.T @ towards) / roots[:, None]
    parts = np.split(roots[:, None] * vectors.T, np.cumsum([view.width for view in views])[:-1], 1)
    residual = float(counts @ (targets**2).sum(axis=1)) - float((rotated**2).sum())
    return Evidence([part @ part.T for part in parts], rotated, total - len(rotated), residual)


class ViewRegression:
    """The weights w of all views that are used, one after another, and the intercept.

    ``scales`` has s of the views to use, and ``codes`` the classes, from 0 on.
    """

    weights: Annotated[Floats, Saved("functions", "*")]
    _offsets: Annotated[Floats, Saved("functions")]
    _weights: Annotated[dict[str, Floats], Saved("*", "functions")]

    def __init__(
        self,
        views: Mapping[str, View],
        scales: Mapping[str, float],
        codes: NDArray[np.intp],
        counts: Floats,
    ) -> None:
        classes = np.arange(codes.max() + 1)
        aims = (codes[:, None] == classes).astype(np.float64)
        n_scores = 1 if len(classes) == 2 else len(classes)
        total = float(counts.sum())
        ends = np.cumsum([0] + [views[name].width for name in scales])
        places = {name: slice(*ends[i : i + 2]) for i, name in enumerate(scales)}
        transposed = {name: views[name].rows.T.tocsr() for name in scales}

        def split(parameters: Floats) -> tuple[Floats, Floats]:
            return parameters[n_scores:].reshape(n_scores, -1), parameters[:n_scores]

        def loss(parameters: Floats) -> tuple[float, Floats]:
            rows, offsets = split(parameters)
            scores = np.tile(offsets, (len(codes), 1))
            for name, place in places.items():
                view = views[name]
                scores += scales[name] * (view.rows @ view.smoothed(rows[:, place]).T)
            logs = _log_probabilities(scores)
            losses = -logs[np.arange(len(codes)), codes]
            missed = (np.exp(logs) - aims)[:, -n_scores:] * counts[:, None]
            slopes = np.empty_like(parameters)
            of_rows, of_offsets = split(slopes)
            of_offsets[:] = missed.sum(axis=0)
            for name, place in places.items():
                pulled = (transposed[name] @ missed).T
                of_rows[:, place] = scales[name] * views[name].smoothed(pulled)
            of_rows += rows
            value = float(counts @ losses) + 0.5 * float((rows**2).sum())
            return value / total, slopes / total

        best = minimize(
            loss,
            np.zeros(n_scores * (1 + int(ends[-1]))),
            jac=True,
            method="L-BFGS-B",
            options={"maxfun": np.inf, "gtol": 1e-7, "ftol": 0.0},
        )
        self.weights, self._offsets = split(best.x)
        self.scales = dict(scales)
        # What multiplies the sparse rows, smoothing included.
        self._weights = {
            name: scales[name] * views[name].smoothed(self.weights[:, place]).T
            for name, place in places.items()
        }

    def features(self, views: Mapping[str, View]) -> Floats:
        """The scaled views side by side, filled: what the weights w multiply."""
        empty = np.zeros((views["order"].rows.shape[0], 0))
        filled = [scale * views[name].toarray() for name, scale in self.scales.items()]
        return np.hstack([empty, *filled])

    def scores(self, views: Mapping[str, View]) -> Floats:
        """Log odds of the second of two classes, or scores of all classes."""
        scores = np.tile(self._offsets, (views["order"].rows.shape[0], 1))
        for name, weights in self._weights.items():
            scores += views[name].rows @ weights
        return np.asarray(scores[:, 0] if scores.shape[1] == 1 else scores)

    def probabilities(self, views: Mapping[str, View]) -> Floats:
        """The probability of each class."""
        scores = self.scores(views).reshape(-1, len(self._offsets))
        return np.asarray(np.exp(_log_probabilities(scores)))


def _log_probabilities(scores: Floats) -> Floats:
    """The logarithm of each class's probability: of two classes, the first has the score 0."""
    if scores.shape[1] == 1:
        return -np.logaddexp(0.0, np.hstack([scores, -scores]))
    return np.asarray(log_softmax(scores, axis=1))
