"""Prior variances of views of the data, by the evidence of a linear model.

    y = Σ_b Z_b w_b + noise,  w_b ~ N(0, v_b·I),  noise ~ N(0, s)

with labels coded as ±1 has the evidence N(y | 0, Σ_b v_b Z_b Z_bᵀ + s·I), known in closed form.
It rises where a view explains the labels and falls with every variance that explains nothing. So
its maximum weights the views without cross-validation, which is noisy with few labels.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize

from rankcut._loops.types import Floats
from rankcut.regression.views import View

# A weak prior on log v: around 0.05, the share of the labels' variance that rankings usually
# explain, give or take two powers of e. Without it, chance in a few labels can switch off a view
# or the noise.
_USUAL, _SPREAD = 0.05, 2.0

_BOUNDS = (-14.0, 6.0)

# Variances of weights are found from at most this many rankings, a sample if there are more: a
# thousand are enough for a handful of variances.
_MOST_ROWS = 1000

# Views of these rankings become dense if they have no more entries than this.
_MOST_FILLED = 1 << 22

_ROUNDING = 1e-9


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
    n_rows = len(targets)
    width = sum(view.rows.shape[1] for view in views.values())
    rows, repeats = _rows_to_weigh(n_rows, counts, width)
    weights = np.ones(n_rows) if counts is None else counts
    targets = (targets - np.average(targets, axis=0, weights=weights))[rows]
    some = {name: view[rows] for name, view in views.items()}
    means = {name: weights @ view.rows / weights.sum() for name, view in views.items()}
    filled = len(targets) * max(view.rows.shape[1] for view in views.values()) <= _MOST_FILLED
    known: dict[str, Floats] = {}
    sizes: dict[str, float] = {}
    for name, view in some.items():
        if filled:
            centred = view.toarray() - view.smoothed(means[name][None])
            squares = (centred**2).sum(axis=1)
        else:
            centred = view.gram(means[name])
            squares = np.diag(centred)
        size = float(np.sqrt(max(np.average(squares, weights=repeats), 0.0)))
        # A view that is the same for all rankings would be scaled up from rounding.
        if size > _ROUNDING:
            sizes[name] = size
            known[name] = centred / (size if filled else size**2)
    variances = dict.fromkeys(views, 0.0)
    if known:
        find = view_variances if filled else view_variances_of_grams
        found = find(list(known.values()), targets, repeats)
        variances.update(zip(known, found.tolist(), strict=True))
    return variances, {name: float(np.sqrt(variances[name])) / sizes[name] for name in sizes}


def _rows_to_weigh(
    n_rows: int, counts: Floats | None, width: int
) -> tuple[slice | NDArray[np.intp], Floats | None]:
    """Rows to find the variances from, and how often each counts.

    Rows are drawn at random, because the first ones may be of one kind. If counts are whole
    numbers, people are drawn.
    """
    whole = counts is not None and bool((counts == np.floor(counts)).all())
    total = int(counts.sum()) if counts is not None and whole else n_rows
    if min(width, total) <= _MOST_ROWS:
        return slice(None), counts
    drawn = np.random.default_rng(0).permutation(total)[:_MOST_ROWS]
    if counts is None:
        return np.sort(drawn), None
    if not whole:
        return np.sort(drawn), counts[np.sort(drawn)]
    rows, repeats = np.unique(
        np.searchsorted(np.cumsum(counts), drawn, side="right"), return_counts=True
    )
    return rows, repeats.astype(np.float64)


class _Value(NamedTuple):
    """The negative logarithm of the evidence and its slopes in log v_b and log s."""

    loss: float
    slopes: Floats
    noise_slope: float


def view_variances(
    views: Sequence[Floats], targets: Floats, counts: Floats | None = None
) -> Floats:
    """The prior variance v of each view, at the maximum of the evidence.

    Parameters
    ----------
    views : sequence of arrays of shape (n_samples, n_features of the view)
        Centred, with rows of mean square 1.
    targets : array of shape (n_samples, n_targets)
        ±1, centred; the evidences of several targets are multiplied.
    counts : array of shape (n_samples,) or None
        How often each sample counts: 3 is the same as the row three times.

    Returns
    -------
    ndarray of shape (n_views,)
    """
    if sum(view.shape[1] for view in views) >= len(targets):
        return view_variances_of_grams([view @ view.T for view in views], targets, counts)
    if counts is None:
        return _maximum(_WeightSpace(views, targets), len(views))
    # c copies of a row are one row times √c, except for the noise of the other c − 1.
    roots = np.sqrt(counts)[:, None]
    n_copies = float(counts.sum()) - len(counts)
    scaled = [roots * view for view in views]
    return _maximum(_WeightSpace(scaled, roots * targets, n_copies), len(views))


def view_variances_of_grams(
    grams: Sequence[Floats], targets: Floats, counts: Floats | None = None
) -> Floats:
    """The same from the inner products of the rows of each view, for views that are wide.

    Parameters
    ----------
    grams : sequence of arrays of shape (n_samples, n_samples)
        Z_b Z_bᵀ of each view.
    targets, counts : arrays
        As for :func:`view_variances`.

    Returns
    -------
    ndarray of shape (n_views,)
    """
    if counts is None:
        return _maximum(_SampleSpace(grams, targets), len(grams))
    roots = np.sqrt(counts)[:, None]
    n_copies = float(counts.sum()) - len(counts)
    scaled = [roots * gram * roots.T for gram in grams]
    return _maximum(_SampleSpace(scaled, roots * targets, n_copies), len(grams))


def _maximum(evidence: "_WeightSpace | _SampleSpace", n_views: int) -> Floats:
    """The variances at which the evidence, times the prior, is largest."""

    def loss(parameters: Floats) -> tuple[float, Floats]:
        logs, noise = parameters[:-1], parameters[-1]
        here = evidence(np.exp(logs), float(np.exp(noise)))
        away = (logs - np.log(_USUAL)) / _SPREAD
        slopes = np.append(here.slopes + away / _SPREAD, here.noise_slope)
        return here.loss + 0.5 * float(away @ away), slopes

    start = np.append(np.full(n_views, np.log(0.1 / n_views)), np.log(0.9))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[_BOUNDS] * (n_views + 1))
    return np.asarray(np.exp(found.x[:-1]))


class _WeightSpace:
    """The evidence by matrices of features × features."""

    def __init__(self, views: Sequence[Floats], targets: Floats, n_copies: float = 0.0) -> None:
        features = np.hstack(views)
        self._view = np.repeat(np.arange(len(views)), [view.shape[1] for view in views])
        self._inner = features.T @ features
        self._towards = features.T @ targets
        self._square = float((targets**2).sum())
        self._n_samples, self._n_targets = len(targets) + n_copies, targets.shape[1]

    def __call__(self, variances: Floats, noise: float) -> _Value:
        scale = np.sqrt(variances)[self._view]
        precision = scale[:, None] * self._inner * scale / noise
        precision[np.diag_indices_from(precision)] += 1.0
        factor = cho_factor(precision, lower=True)
        weights = scale[:, None] * cho_solve(factor, scale[:, None] * self._towards) / noise
        explained = self._inner @ weights
        # Zᵀ C⁻¹ y, for C the covariance of y, and yᵀ C⁻¹ C⁻¹ y.
        left = (self._towards - explained) / noise
        missed = (
            self._square - 2 * (self._towards * weights).sum() + (weights * explained).sum()
        ) / noise**2
        # v·Zᵀ C⁻¹ Z, the diagonal: how much each weight is determined by the data.
        determined = 1.0 - np.diag(dpotri(factor[0], lower=1)[0])
        log_determinant = 2 * np.log(np.diag(factor[0])).sum() + self._n_samples * np.log(noise)
        fit = (self._square - (self._towards * weights).sum()) / noise
        n = self._n_targets
        of_weights = n * determined - scale**2 * (left**2).sum(axis=1)
        slopes = np.array([of_weights[self._view == b].sum() for b in range(len(variances))])
        of_noise = n * (self._n_samples - determined.sum()) - noise * missed
        return _Value(0.5 * (fit + n * log_determinant), 0.5 * slopes, 0.5 * float(of_noise))


class _SampleSpace:
    """The evidence by matrices of samples × samples."""

    def __init__(self, grams: Sequence[Floats], targets: Floats, n_copies: float = 0.0) -> None:
        self._grams = grams
        self._targets = targets
        self._n_copies = n_copies

    def __call__(self, variances: Floats, noise: float) -> _Value:
        covariance = sum(
            variance * gram for variance, gram in zip(variances, self._grams, strict=True)
        ) + noise * np.eye(len(self._targets))
        factor = cho_factor(covariance, lower=True)
        inverse = np.tril(dpotri(factor[0], lower=1)[0])
        inverse += np.tril(inverse, -1).T
        solved = inverse @ self._targets
        n = self._targets.shape[1]
        log_determinant = 2 * np.log(np.diag(factor[0])).sum() + self._n_copies * np.log(noise)
        fit = (self._targets * solved).sum()
        slopes = [
            variance * (n * (inverse * gram).sum() - (solved * (gram @ solved)).sum())
            for variance, gram in zip(variances, self._grams, strict=True)
        ]
        of_noise = noise * (n * np.trace(inverse) - (solved**2).sum()) + n * self._n_copies
        return _Value(
            float(0.5 * (fit + n * log_determinant)), 0.5 * np.array(slopes), 0.5 * float(of_noise)
        )
