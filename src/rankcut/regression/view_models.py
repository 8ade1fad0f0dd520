"""Linear models on several views of a list: prior variances by the evidence, and classes.

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
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize
from scipy.special import log_softmax

from rankcut._loops.types import Floats
from rankcut.parameters import AT_ONCE, MOST_COMPARED
from rankcut.rankings.value import ROUNDING
from rankcut.regression.views import View

# A weak prior on log v: around 0.05, the share of the labels' variance that rankings usually
# explain, give or take two powers of e. Without it, chance in a few labels can switch off a view
# or the noise.
USUAL, SPREAD = 0.05, 2.0

# The search for weights ends when no slope of the mean loss is larger than this.
_SLOPE = 1e-7


def weigh_views(
    views: dict[str, View], targets: Floats, counts: Floats | None
) -> tuple[dict[str, float], dict[str, float]]:
    """The prior variance of each view, and the factor that scales it for weights of variance 1.

    Parameters
    ----------
    views : dict of View
        All views of the same rankings.
    targets : ndarray of shape (n_rankings, n_targets)
        What to predict, with a variance of about 1.
    counts : ndarray of shape (n_rankings,) or None
        How often each ranking counts.

    Returns
    -------
    variances : dict of float
        Of all views.
    scales : dict of float
        Of the views that are not the same for all rankings.
    """
    width = sum(view.width for view in views.values())
    rows, counts = _rows_to_weigh(len(targets), counts, width)
    targets, views = targets[rows], {name: view[rows] for name, view in views.items()}
    counts = np.ones(len(targets)) if counts is None else counts
    targets = targets - np.average(targets, axis=0, weights=counts)
    summed = sum_rotated if width <= MOST_COMPARED else sum_samples
    evidence = summed(list(views.values()), targets, counts)
    # Rows of mean square 1, centred, make variances comparable.
    sizes = np.sqrt([max(np.trace(gram), 0.0) / counts.sum() for gram in evidence.grams])
    known = [b for b, size in enumerate(sizes) if size > ROUNDING]
    scaled = [evidence.grams[b] / sizes[b] ** 2 for b in known]
    found = np.zeros(len(views))
    if known:
        found[known] = Evidence(scaled, *evidence.others()).best_variances()
    names = list(views)
    return dict(zip(names, found.tolist(), strict=True)), {
        names[b]: float(np.sqrt(found[b]) / sizes[b]) for b in known
    }


def _rows_to_weigh(
    n_rows: int, counts: Floats | None, width: int
) -> tuple[slice | NDArray[np.intp], Floats | None]:
    """Rows to find the variances from, and how often each counts.

    Rows are drawn at random, because the first ones may be of one kind. If counts are whole
    numbers, people are drawn.
    """
    whole = counts is not None and bool((counts == np.floor(counts)).all())
    total = int(counts.sum()) if counts is not None and whole else n_rows
    if min(width, total) <= MOST_COMPARED:
        return slice(None), counts
    drawn = np.sort(np.random.default_rng(0).permutation(total)[:MOST_COMPARED])
    if counts is None or not whole:
        return drawn, None if counts is None else counts[drawn]
    people = np.searchsorted(np.cumsum(counts), drawn, side="right")
    rows, repeats = np.unique(people, return_counts=True)
    return rows, repeats.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence as a function of variances and noise.

    Attributes
    ----------
    grams : sequence of arrays of shape (n_samples, n_samples)
        Z_b Z_bᵀ of each view.
    targets : ndarray of shape (n_samples, n_targets)
        y, centred; the evidences of several targets are multiplied.
    n_others : float
        Number of samples without features.
    squares : float
        The sum of the squares of their targets.
    """

    grams: Sequence[Floats]
    targets: Floats
    n_others: float = 0.0
    squares: float = 0.0

    def others(self) -> tuple[Floats, float, float]:
        """All but the views."""
        return self.targets, self.n_others, self.squares

    def loss(self, logs: Floats) -> tuple[float, Floats]:
        """−log evidence but for a constant, and its slopes, in log v of all views and log s."""
        *variances, noise = np.exp(logs).tolist()
        weighted = [v * gram for v, gram in zip(variances, self.grams, strict=True)]
        covariance = np.sum(weighted, axis=0)
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
            n_targets * (inverse * part).sum() - (solved * (part @ solved)).sum()
            for part in weighted
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
        found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
        return np.asarray(np.exp(found.x[:-1]))


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
    left = float(counts @ (targets**2).sum(axis=1)) - float((rotated**2).sum())
    return Evidence([part @ part.T for part in parts], rotated, total - len(rotated), left)


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
        classes = np.arange(codes.max() + 1)
        aims = (codes[:, None] == classes).astype(np.float64)
        n_scores = 1 if len(classes) == 2 else len(classes)
        weights = np.ones(len(codes)) if counts is None else counts
        total = float(weights.sum())
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
            missed = (np.exp(logs) - aims)[:, -n_scores:] * weights[:, None]
            slopes = np.empty_like(parameters)
            of_rows, of_offsets = split(slopes)
            of_offsets[:] = missed.sum(axis=0)
            for name, place in places.items():
                pulled = (transposed[name] @ missed).T
                of_rows[:, place] = scales[name] * views[name].smoothed(pulled)
            of_rows += rows
            value = float(weights @ losses) + 0.5 * float((rows**2).sum())
            return value / total, slopes / total

        found = minimize(
            loss,
            np.zeros(n_scores * (1 + int(ends[-1]))),
            jac=True,
            method="L-BFGS-B",
            options={"maxfun": np.inf, "gtol": _SLOPE, "ftol": 0.0},
        )
        self.weights, self._offsets = split(found.x)
        self.scales = dict(scales)
        # What multiplies the sparse rows, smoothing included.
        self._weights: dict[str, Floats] = {
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
