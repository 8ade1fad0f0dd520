"""Kernel ridge regression with the Laplacian kernel, tuned by its leave-one-out error.

With features z(x) such that ⟨z(x), z(x')⟩ = exp(−‖x − x'‖/ℓ), the weights minimise
Σ_r w_r·‖y_r − Zθ‖² + λ‖θ‖². Without row r its residual would be (y_r − ŷ_r)/(1 − h_r), with h_r
the leverage of one of its w_r copies: every λ and ℓ is judged without another fit. z is exact
where there are few rows, and the Nyström features of some of the rows (landmarks) otherwise.

Distances depend on the scales of the covariates. There are two: standard scores, which keep linear
relations, and normal scores of ranks, which are robust to outliers and skew.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import ndtri

from rankcut._loops.types import Floats

_MOST_QUANTILES = 1000

# Normal scores beyond this are cut off.
_FARTHEST = 3.0

# Lengthscales, in units of the root mean square distance of a covariate, and penalties.
_SCALES = (0.35, 0.6, 1.0, 1.8, 3.2, 6.0, 12.0)
_PENALTIES = 10.0 ** np.arange(-5.0, 2.01, 0.5)

# The lengthscale is chosen on at most this many rows and landmarks; the model has more landmarks.
_SEARCH_ROWS = 4000
_SEARCH_LANDMARKS = 400
_MOST_LANDMARKS = 1000

# Directions of the kernel matrix below this share of the largest are rounding.
_ROUNDING = 1e-10
_MOST_LEVERAGE = 1.0 - 1e-6


@dataclass(frozen=True, eq=False)
class StandardScale:
    """(x − mean)/deviation; indicators are only centred."""

    mean: Floats
    deviation: Floats

    def __call__(self, rows: Floats) -> Floats:
        """Scaled rows."""
        return np.asarray((rows - self.mean) / self.deviation)


@dataclass(frozen=True, eq=False)
class NormalScale:
    """Φ⁻¹ of the share of training rows below; indicators as in the standard scale."""

    quantiles: list[Floats | None]
    standard: StandardScale

    def __call__(self, rows: Floats) -> Floats:
        """Scaled rows."""
        scaled = self.standard(rows)
        for column, quantiles in enumerate(self.quantiles):
            if quantiles is not None:
                scaled[:, column] = _normal_scores(rows[:, column], quantiles)
        return scaled


def fit_scales(
    rows: Floats, is_indicator: NDArray[np.bool_], weights: Floats
) -> tuple[StandardScale, NormalScale]:
    """Both scales of these covariates."""
    mean = weights @ rows / weights.sum()
    deviation = np.sqrt(weights @ (rows - mean) ** 2 / weights.sum())
    # A constant column carries no information, and indicators have a natural scale.
    deviation[is_indicator | ~(deviation > 0)] = 1.0
    standard = StandardScale(mean, deviation)
    grid = np.linspace(0.0, 1.0, min(_MOST_QUANTILES, max(len(rows), 2)))
    quantiles = [
        None if plain else np.quantile(column, grid)
        for column, plain in zip(rows.T, is_indicator.tolist(), strict=True)
    ]
    return standard, NormalScale(quantiles, standard)


def _normal_scores(values: Floats, quantiles: Floats) -> Floats:
    grid = np.linspace(0.0, 1.0, len(quantiles))
    # The middle of its range of shares, for a value that occurs often.
    up = np.interp(values, quantiles, grid)
    down = -np.interp(-values, -quantiles[::-1], -grid[::-1])
    return np.asarray(np.clip(ndtri((up + down) / 2.0), -_FARTHEST, _FARTHEST))


@dataclass(frozen=True, eq=False)
class KernelModel:
    """A fitted kernel ridge regression.

    Attributes
    ----------
    landmarks : ndarray of shape (n_landmarks, n_columns)
        Rows that new ones are compared with.
    coefficients : ndarray of shape (n_landmarks, n_targets)
        Weights of the kernel's values.
    offset : ndarray of shape (n_targets,)
        What is added.
    lengthscale, penalty : float
        ℓ and λ, as found.
    left_out : ndarray of shape (n_rows, n_targets)
        The prediction of each training row by a model without one copy of it.
    loss : float
        Weighted mean square of the residuals.
    """

    landmarks: Floats
    coefficients: Floats
    offset: Floats
    lengthscale: float
    penalty: float
    left_out: Floats
    loss: float

    def predict(self, rows: Floats) -> Floats:
        """Predicted targets."""
        kernel = _laplacian(rows, self.landmarks, self.lengthscale)
        return np.asarray(self.offset + kernel @ self.coefficients)


def fit_kernel(rows: Floats, targets: Floats, weights: Floats, seed: int) -> KernelModel:
    """The kernel ridge regression with the least leave-one-out error.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        Covariates, scaled.
    targets : ndarray of shape (n_rows, n_targets)
        What to predict.
    weights : ndarray of shape (n_rows,)
        How often each row counts, above 0.
    seed : int
        Seed of the landmarks.
    """
    rng = np.random.default_rng(seed)
    n_rows = len(rows)
    order = rng.permutation(n_rows)
    unit = np.sqrt(max(rows.shape[1], 1))
    few = n_rows <= _MOST_LANDMARKS
    some = order if few else order[:_SEARCH_ROWS]
    landmarks = rows[order] if few else rows[order[:_SEARCH_LANDMARKS]]
    # Every other penalty tells which lengthscale is best.
    penalties = _PENALTIES if few else _PENALTIES[::2]
    found = [
        _fit(rows[some], targets[some], weights[some], landmarks, unit * scale, penalties)
        for scale in _SCALES
    ]
    best = min(found, key=lambda model: model.loss)
    if few:
        left_out = np.empty_like(best.left_out)
        left_out[some] = best.left_out
        return KernelModel(**{**best.__dict__, "left_out": left_out})
    landmarks = rows[order[:_MOST_LANDMARKS]]
    return _fit(rows, targets, weights, landmarks, best.lengthscale, _PENALTIES)


def _fit(
    rows: Floats,
    targets: Floats,
    weights: Floats,
    landmarks: Floats,
    lengthscale: float,
    penalties: Floats,
) -> KernelModel:
    """The model with this lengthscale, and the penalty with the least leave-one-out error."""
    total = weights.sum()
    mean = weights @ targets / total
    values, vectors = np.linalg.eigh(_laplacian(landmarks, landmarks, lengthscale))
    kept = values > _ROUNDING * values[-1]
    whitener = vectors[:, kept] / np.sqrt(values[kept])
    features = _laplacian(rows, landmarks, lengthscale) @ whitener
    centre = weights @ features / total
    features -= centre
    spectrum, rotation = np.linalg.eigh((features.T * weights) @ features)
    spectrum = np.maximum(spectrum, 0.0)
    features = features @ rotation
    squares = features**2
    moments = (features.T * weights) @ (targets - mean)
    best = np.inf
    for penalty in penalties.tolist():
        shrunk = moments / (spectrum + penalty)[:, None]
        leverage = squares @ (1.0 / (spectrum + penalty)) + 1.0 / total
        residuals = (targets - mean - features @ shrunk) / (
            1.0 - np.minimum(leverage, _MOST_LEVERAGE)
        )[:, None]
        loss = float(weights @ (residuals**2).mean(axis=1) / total) if residuals.size else 0.0
        if loss < best:
            best = loss
            chosen = penalty, shrunk, targets - residuals
    penalty, shrunk, left_out = chosen
    theta = rotation @ shrunk
    return KernelModel(
        landmarks, whitener @ theta, mean - centre @ theta, lengthscale, penalty, left_out, best
    )


def _laplacian(rows: Floats, others: Floats, lengthscale: float) -> Floats:
    distances: Floats = cdist(rows, others)
    distances /= -lengthscale
    return np.exp(distances, out=distances)
