"""Kernel ridge regression with the Laplacian kernel, tuned by its leave-one-out error.

With features z(x) such that ⟨z(x), z(x')⟩ = exp(−‖x − x'‖/ℓ), the weights minimise
Σ_r w_r·‖y_r − Zθ‖² + λ‖θ‖². Without row r its residual would be (y_r − ŷ_r)/(1 − h_r), with h_r
the leverage of one of its w_r copies: every λ and ℓ is judged without another fit. z is exact
where there are few rows, and the Nyström features of some of the rows (landmarks) otherwise.

Distances depend on the scales of the covariates. There are two: standard scores, which keep linear
relations, and normal scores of ranks, which are robust to outliers and skew.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import ndtri

from rankcut._loops.types import Floats, Indices

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

# With more landmarks, penalties within this many decades of the best one are tried.
_NEAR = 1.1

# Directions of the kernel matrix below this share of its trace are rounding.
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
        kernel = np.exp(cdist(rows, self.landmarks) / -self.lengthscale)
        return np.asarray(self.offset + kernel @ self.coefficients)


@dataclass(frozen=True, eq=False)
class KernelModels:
    """Kernel models of groups of targets; a target of several groups has their mean.

    Attributes
    ----------
    models : list of KernelModel
        A model for each group.
    columns : list of ndarrays
        The targets of each group.
    left_out : ndarray of shape (n_rows, n_targets)
        Predictions of training rows by models without them.
    """

    models: list[KernelModel]
    columns: list[Indices]
    left_out: Floats

    def predict(self, rows: Floats) -> Floats:
        """Predicted targets."""
        n_targets = self.left_out.shape[1]
        total = np.zeros((len(rows), n_targets))
        for model, columns in zip(self.models, self.columns, strict=True):
            total[:, columns] += model.predict(rows)
        times = np.bincount(np.concatenate(self.columns), minlength=n_targets)
        return np.asarray(total / np.maximum(times, 1))


def fit_kernels(
    rows: Floats,
    targets: Floats,
    weights: Floats,
    groups: Sequence[NDArray[np.intp]],
    members: Sequence[NDArray[np.intp]],
    seed: int,
) -> KernelModels:
    """A kernel model for each group of targets.

    Parameters
    ----------
    rows, targets, weights, seed
        As in :func:`fit_kernel`.
    groups : sequence of arrays of columns
        The targets that a model predicts.
    members : sequence of arrays of rows
        The rows that each is fitted to, one at least.
    """
    total, times = np.zeros(targets.shape), np.zeros(targets.shape)
    models = []
    for columns, own in zip(groups, members, strict=True):
        block = np.ix_(own, columns)
        model = fit_kernel(rows[own], targets[block], weights[own], seed)
        total[block] += model.left_out
        times[block] += 1.0
        models.append(replace(model, left_out=model.left_out[:0]))
    left_out = total / np.maximum(times, 1.0)
    return KernelModels(models, [columns.astype(np.uint32) for columns in groups], left_out)


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
    order = np.random.default_rng(seed).permutation(len(rows))
    few = len(rows) <= _MOST_LANDMARKS
    some = np.arange(len(rows)) if few else order[:_SEARCH_ROWS]
    landmarks = rows if few else rows[order[:_SEARCH_LANDMARKS]]
    distances = cdist(rows[some], landmarks)
    between = distances if few else cdist(landmarks, landmarks)
    unit = np.sqrt(max(rows.shape[1], 1))
    # Every other penalty is enough to find the best lengthscale.
    penalties = _PENALTIES if few else _PENALTIES[::2]
    found = (
        _spectrum(distances, between, weights[some], landmarks, unit * scale).fit(
            targets[some], weights[some], penalties
        )
        for scale in _SCALES
    )
    best = min(found, key=lambda model: model.loss)
    if few:
        return best
    landmarks = rows[order[:_MOST_LANDMARKS]]
    distances, between = cdist(rows, landmarks), cdist(landmarks, landmarks)
    spectrum = _spectrum(distances, between, weights, landmarks, best.lengthscale)
    # The best penalty hardly depends on the number of landmarks.
    near = np.abs(np.log10(_PENALTIES / best.penalty)) < _NEAR
    return spectrum.fit(targets, weights, _PENALTIES[near])


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Orthogonal directions of a kernel's features: all that a fit needs besides the targets.

    Attributes
    ----------
    landmarks : ndarray of shape (n_landmarks, n_columns)
        Rows that new ones are compared with.
    lengthscale : float
        ℓ.
    vectors : ndarray of shape (n_rows, n_directions)
        V, the rows' coordinates: VᵀWV is diagonal.
    values : ndarray of shape (n_directions,)
        The diagonal of VᵀWV.
    basis : ndarray of shape (n_landmarks, n_directions)
        From the kernel's values to coordinates.
    centre : ndarray of shape (n_directions,)
        The rows' mean coordinates, which V is without.
    """

    landmarks: Floats
    lengthscale: float
    vectors: Floats
    values: Floats
    basis: Floats
    centre: Floats

    def fit(self, targets: Floats, weights: Floats, penalties: Floats) -> KernelModel:
        """The model with the penalty that has the least leave-one-out error."""
        total = weights.sum()
        mean = weights @ targets / total
        centred = targets - mean
        moments = self.vectors.T @ (weights[:, None] * centred)
        shrinkage = 1.0 / (self.values[:, None] + penalties)
        leverages = self.vectors**2 @ shrinkage + 1.0 / total
        stays = 1.0 - np.minimum(leverages, _MOST_LEVERAGE)
        best = np.inf
        for place, penalty in enumerate(penalties.tolist()):
            theta = shrinkage[:, place, None] * moments
            residuals = (centred - self.vectors @ theta) / stays[:, place, None]
            loss = float(weights @ (residuals**2).mean(axis=1) / total) if residuals.size else 0.0
            if loss < best:
                best = loss
                chosen = penalty, theta, targets - residuals
        penalty, theta, left_out = chosen
        return KernelModel(
            self.landmarks,
            self.basis @ theta,
            mean - self.centre @ theta,
            self.lengthscale,
            penalty,
            left_out,
            best,
        )


def _spectrum(
    distances: Floats, between: Floats, weights: Floats, landmarks: Floats, lengthscale: float
) -> Spectrum:
    """Directions of the kernel with this lengthscale.

    Parameters
    ----------
    distances : ndarray of shape (n_rows, n_landmarks)
        From each row to each landmark.
    between : ndarray of shape (n_landmarks, n_landmarks)
        Between landmarks; ``distances`` itself if all rows are landmarks.
    weights, landmarks, lengthscale
        As in :func:`fit_kernel` and :class:`Spectrum`.
    """
    kernel = np.exp(distances / -lengthscale)
    roots = np.sqrt(weights)
    share = weights / weights.sum()
    if between is distances:
        # W^½KW^½ of the centred kernel: its eigenvectors are the directions.
        centre = share @ kernel
        centred = kernel - centre - (centre - centre @ share)[:, None]
        values, vectors = _eigen(roots[:, None] * centred * roots, weights.sum())
        basis = roots[:, None] * vectors / np.sqrt(values)
        vectors *= np.sqrt(values) / roots[:, None]
        return Spectrum(landmarks, lengthscale, vectors, values, basis, centre @ basis)
    values, vectors = _eigen(np.exp(between / -lengthscale), len(landmarks))
    whitener = vectors / np.sqrt(values)
    features = kernel @ whitener
    features -= share @ features
    scaled = roots[:, None] * features
    values, rotation = np.linalg.eigh(scaled.T @ scaled)
    basis = whitener @ rotation
    centre = share @ kernel @ basis
    return Spectrum(
        landmarks, lengthscale, features @ rotation, np.maximum(values, 0.0), basis, centre
    )


def _eigen(matrix: Floats, trace: float) -> tuple[Floats, Floats]:
    """Eigenvalues and eigenvectors of a kernel's matrix, without those that are rounding."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > _ROUNDING * trace
    return values[kept], vectors[:, kept]
