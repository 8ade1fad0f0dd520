"""From predicted signs to calibrated probabilities.

A pair with the predicted sign e has the raw probability (1 + e)/2 that its first item is
preferred. The calibrated one is p with logit p = a·logit((1 + c·e)/2): c < 1 keeps it off 0 and 1,
and a sharpens or flattens it. Both maximise the likelihood of held-out pairs.
Swapping the items of a pair gives 1 − p.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from rankcut._loops.types import Floats

# Two numbers are fitted, so more pairs than this would add nothing.
_MOST_PAIRS = 200_000

# Bounds of log slope and logit shrinkage, wide enough for any sample.
_BOUNDS = [(-4.0, 4.0), (-4.0, 9.0)]


@dataclass(frozen=True)
class Calibration:
    """p with logit p = slope·logit((1 + shrinkage·e)/2).

    >>> Calibration(slope=2.0, shrinkage=0.5).probabilities(np.array([-1.0, 0.0, 1.0]))
    array([0.1, 0.5, 0.9])
    """

    slope: float = 1.0
    shrinkage: float = 0.99

    def probabilities(self, signs: Floats) -> Floats:
        """The probability that the first item of each pair is preferred."""
        return np.asarray(1.0 / (1.0 + np.exp(-_logits(signs, self.slope, self.shrinkage))))


def calibrate(signs: Floats, outcomes: Floats, weights: Floats, seed: int) -> Calibration:
    """The calibration that makes these outcomes most likely.

    Parameters
    ----------
    signs : ndarray of shape (n_pairs,)
        Predicted signs of held-out pairs.
    outcomes : ndarray of shape (n_pairs,)
        1 where the first item was preferred, 0 where the second, ½ where they were tied.
    weights : ndarray of shape (n_pairs,)
        How often each pair counts.
    seed : int
        Seed of the sample that is drawn if there are very many pairs.
    """
    if len(signs) > _MOST_PAIRS:
        some = np.random.default_rng(seed).choice(len(signs), _MOST_PAIRS, replace=False)
        signs, outcomes, weights = signs[some], outcomes[some], weights[some]
    if not len(signs):
        return Calibration()

    def loss(parameters: Floats) -> float:
        slope, shrinkage = _read(parameters)
        logits = _logits(signs, slope, shrinkage)
        # −log p where preferred, −log(1 − p) where not.
        return float(weights @ (np.logaddexp(0.0, logits) - outcomes * logits) / weights.sum())

    found = minimize(loss, [0.0, 3.0], method="L-BFGS-B", bounds=_BOUNDS)
    return Calibration(*_read(found.x))


def _read(parameters: Floats) -> tuple[float, float]:
    """Slope and shrinkage from unconstrained parameters."""
    return float(np.exp(parameters[0])), float(1.0 / (1.0 + np.exp(-parameters[1])))


def _logits(signs: Floats, slope: float, shrinkage: float) -> Floats:
    return np.asarray(2.0 * slope * np.arctanh(shrinkage * np.clip(signs, -1.0, 1.0)))
