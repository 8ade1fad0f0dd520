"""Prior variances of views of the data, by the evidence of a linear model.

    y = Σ_b Z_b w_b + noise,  w_b ~ N(0, v_b·I),  noise ~ N(0, s)

with labels coded as ±1 has the evidence N(y | 0, Σ_b v_b Z_b Z_bᵀ + s·I), known in closed form.
It rises where a view explains the labels and falls with every variance that explains nothing. So
its maximum weights the views without cross-validation, which is noisy with few labels.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize

from rankcut._loops.types import Floats

# A weak prior on log v: around 0.05, the share of the labels' variance that rankings usually
# explain, give or take two powers of e. Without it, chance in a few labels can switch off a view
# or the noise.
_USUAL, _SPREAD = 0.05, 2.0

_BOUNDS = (-14.0, 6.0)


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
