"""Kernel ridge regression with the Laplacian kernel, tuned by its leave-one-out error.

With features z(x) such that ⟨z(x), z(x')⟩ = exp(−‖x − x'‖/ℓ), the weights minimise
Σ_r w_r·‖y_r − Zθ‖² + λ‖θ‖². Without row r its residual would be (y_r − ŷ_r)/(1 − h_r), with h_r
the leverage of one of its w_r copies: every λ and ℓ is judged without another fit. z is exact
where there are few rows, and the Nyström features of some of the rows (landmarks) otherwise.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from rankcut._loops.types import Floats
from rankcut.kernels.chosen_features import RANK
from rankcut.parameters import MOST_COMPARED

# Lengthscales, in units of the root mean square distance of a covariate, and penalties: each
# about a factor of two or three from the next, as far as either end was ever the best
# (benchmarks/label_ranking.py).
_SCALES = (0.35, 0.6, 1.0, 1.8, 3.2, 6.0, 12.0)
_PENALTIES = 10.0 ** np.arange(-5.0, 2.01, 0.5)


@dataclass(frozen=True, eq=False)
class KernelModel:
    """A fitted kernel ridge regression."""

    landmarks: Floats  #: (n_landmarks, n_columns): rows that new ones are compared with
    coefficients: Floats  #: (n_landmarks, n_targets): weights of the kernel's values
    offset: Floats  #: (n_targets,): what is added
    lengthscale: float  #: ℓ, as found
    penalty: float  #: λ, as found
    loss: float  #: weighted mean square of the residuals of rows left out

    def predict(self, rows: Floats) -> Floats:
        """Predicted targets."""
        kernel = np.exp(cdist(rows, self.landmarks) / -self.lengthscale)
        return np.asarray(self.offset + kernel @ self.coefficients)


def fit_kernel(
    rows: Floats, targets: Floats, weights: Floats, seed: int
) -> tuple[KernelModel, Floats]:
    """The kernel ridge regression with the least leave-one-out error, and rows by those without.

    ``rows`` are covariates, scaled, and ``weights`` say how often each counts, above 0. With many
    rows, the lengthscale is the best of a model of the landmarks alone, which ``seed`` draws.
    """
    if len(rows) > MOST_COMPARED:
        some = np.random.default_rng(seed).permutation(len(rows))[:MOST_COMPARED]
        best, _ = fit_kernel(rows[some], targets[some], weights[some], seed)
        spectrum = landmark_spectrum(rows, weights, rows[some], best.lengthscale)
        return spectrum.fit(targets, weights, _PENALTIES)
    distances = cdist(rows, rows)
    unit = np.sqrt(max(rows.shape[1], 1))
    found = (
        exact_spectrum(rows, distances, weights, unit * scale).fit(targets, weights, _PENALTIES)
        for scale in _SCALES
    )
    return min(found, key=lambda each: each[0].loss)


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Orthogonal directions of a kernel's features: all that a fit needs besides the targets."""

    landmarks: Floats  #: (n_landmarks, n_columns): rows that new ones are compared with
    lengthscale: float  #: ℓ
    vectors: Floats  #: (n_rows, n_directions): V, the rows' coordinates: VᵀWV is diagonal
    values: Floats  #: (n_directions,): the diagonal of VᵀWV
    basis: Floats  #: (n_landmarks, n_directions): from the kernel's values to coordinates
    centre: Floats  #: (n_directions,): the rows' mean coordinates, which V is without

    def fit(
        self, targets: Floats, weights: Floats, penalties: Floats
    ) -> tuple[KernelModel, Floats]:
        """The model of least leave-one-out error, and the predictions without one copy of a row."""
        total = weights.sum()
        mean = weights @ targets / total
        centred = targets - mean
        moments = self.vectors.T @ (weights[:, None] * centred)
        best = np.inf
        for penalty in penalties.tolist():
            shrinkage = 1.0 / (self.values + penalty)
            leverages = self.vectors**2 @ shrinkage + 1.0 / total
            theta = shrinkage[:, None] * moments
            # A row that decides its own prediction says nothing about itself.
            stays = np.maximum(1.0 - leverages, 1e-6)
            residuals = (centred - self.vectors @ theta) / stays[:, None]
            loss = float(weights @ (residuals**2).mean(axis=1) / total) if residuals.size else 0.0
            if loss < best:
                best, chosen = loss, (penalty, theta, targets - residuals)
        penalty, theta, left_out = chosen
        coefficients, offset = self.basis @ theta, mean - self.centre @ theta
        model = KernelModel(self.landmarks, coefficients, offset, self.lengthscale, penalty, best)
        return model, left_out


def exact_spectrum(
    rows: Floats, distances: Floats, weights: Floats, lengthscale: float
) -> Spectrum:
    """Directions of the kernel between all rows: the eigenvectors of W^½KW^½, centred."""
    kernel = np.exp(distances / -lengthscale)
    roots = np.sqrt(weights)
    share = weights / weights.sum()
    centre = share @ kernel
    centred = kernel - centre - (centre - centre @ share)[:, None]
    values, vectors = _eigen(roots[:, None] * centred * roots, weights.sum())
    basis = roots[:, None] * vectors / np.sqrt(values)
    vectors *= np.sqrt(values) / roots[:, None]
    return Spectrum(rows, lengthscale, vectors, values, basis, centre @ basis)


def landmark_spectrum(
    rows: Floats, weights: Floats, landmarks: Floats, lengthscale: float
) -> Spectrum:
    """Directions of the Nyström features of the kernel."""
    kernel = np.exp(cdist(rows, landmarks) / -lengthscale)
    between = np.exp(cdist(landmarks, landmarks) / -lengthscale)
    share = weights / weights.sum()
    values, vectors = _eigen(between, len(landmarks))
    whitener = vectors / np.sqrt(values)
    features = kernel @ whitener
    features -= share @ features
    scaled = np.sqrt(weights)[:, None] * features
    values, rotation = np.linalg.eigh(scaled.T @ scaled)
    basis = whitener @ rotation
    return Spectrum(
        landmarks,
        lengthscale,
        features @ rotation,
        np.maximum(values, 0.0),
        basis,
        share @ kernel @ basis,
    )


def _eigen(matrix: Floats, trace: float) -> tuple[Floats, Floats]:
    """Eigenvalues and eigenvectors of a kernel's matrix, without those that are rounding."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > RANK * trace
    return values[kept], vectors[:, kept]
