"""Two scales of covariates for a model of distances: standard scores, and normal scores of ranks.

Normal scores are robust to outliers and skew; standard scores keep linear relations.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from rankcut._loops.types import Floats

_MOST_QUANTILES = 1000

# Normal scores beyond this are cut off.
_FARTHEST = 3.0


@dataclass(frozen=True, eq=False)
class StandardScale:
    """(x − mean)/deviation; indicators are only centred."""

    mean: Floats
    deviation: Floats

    def __call__(self, rows: Floats) -> Floats:
        """Scale rows."""
        return np.asarray((rows - self.mean) / self.deviation)


@dataclass(frozen=True, eq=False)
class NormalScale:
    """Φ⁻¹ of the share of training rows below; indicators as in the standard scale."""

    quantiles: list[Floats | None]
    standard: StandardScale

    def __call__(self, rows: Floats) -> Floats:
        """Scale rows."""
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
    # The middle of the shares at which a value occurs, where it occurs often.
    up = np.interp(values, quantiles, grid)
    down = -np.interp(-values, -quantiles[::-1], -grid[::-1])
    return np.asarray(np.clip(ndtri((up + down) / 2.0), -_FARTHEST, _FARTHEST))
