"""Rankings as the targets of a regression, and predicted targets as rankings and probabilities.

With e_ij the expected sign of a pair, +1 where item i is better than item j, the score of item i
is s_i = Σ_j e_ij / (n − 1). On a full ranking the scores are its positions, scaled to [−1, 1].

A pair with the predicted sign e has the raw probability (1 + e)/2 that its first item is
preferred. The calibrated one is p with logit p = a·logit((1 + c·e)/2): c < 1 keeps it off 0 and 1,
and a sharpens or flattens it. Both maximise the likelihood of held-out pairs.
Swapping the items of a pair gives 1 − p.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from rankcut._loops.pairs import expected_signs
from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats
from rankcut.kernels.kendall import count_pairs
from rankcut.rankings import Rankings

# Two numbers are fitted, so more pairs than this would add nothing.
_MOST_PAIRS = 200_000

# Bounds of log slope and logit shrinkage, wide enough for any sample.
_BOUNDS = [(-4.0, 4.0), (-4.0, 9.0)]


@dataclass(frozen=True, eq=False)
class PairTargets:
    """The sign of each pair of items in each ranking."""

    #: (n_rankings, n_pairs): signs of (0, 1), (0, 2), …, (1, 2), …: +1 if the first is better
    signs: Floats
    known: NDArray[np.bool_]  #: (n_rankings, n_pairs): whether a ranking ranks both items
    listed: NDArray[np.bool_]  #: (n_rankings, n_items): whether a ranking ranks an item


def pair_targets(rankings: Rankings, n_jobs: int | None = None) -> PairTargets:
    """Expected signs of all pairs, and which of them are known.

    >>> from rankcut.rankings import read_rankings
    >>> targets = pair_targets(read_rankings([[1, 2, np.nan]], unranked="anywhere"))
    >>> targets.signs.round(2).tolist(), targets.known.tolist()
    ([[1.0, 0.33, -0.33]], [[True, False, False]])
    """
    groups = rankings.groups(n_jobs=n_jobs)
    signs = np.empty((len(groups), count_pairs(groups.shape[1])))
    expected_signs(groups, signs)
    listed = groups != NOWHERE
    first, second = np.triu_indices(groups.shape[1], 1)
    return PairTargets(signs, listed[:, first] & listed[:, second], listed)


def scores_of_pairs(signs: Floats, n_items: int) -> Floats:
    """s_i = Σ_j e_ij / (n − 1) for each item.

    >>> scores_of_pairs(np.array([[1.0, 1.0, -1.0]]), 3)
    array([[ 1., -1.,  0.]])
    """
    first, second = np.triu_indices(n_items, 1)
    spread = np.zeros((len(first), n_items))
    pairs = np.arange(len(first))
    spread[pairs, first] = 1.0
    spread[pairs, second] = -1.0
    return np.asarray(signs @ spread) / max(n_items - 1, 1)


def differences(scores: Floats) -> Floats:
    """s_i − s_j for each pair i < j.

    >>> differences(np.array([[3.0, 1.0, 0.0]]))
    array([[2., 3., 1.]])
    """
    first, second = np.triu_indices(scores.shape[1], 1)
    return np.asarray(scores[:, first] - scores[:, second])


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
    """The calibration that makes the outcomes of held-out pairs with these signs most likely.

    An outcome is 1 where the first item was preferred, 0 where the second, ½ where they were tied;
    ``weights`` say how often each pair counts. Of very many pairs, ``seed`` draws a sample.
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
