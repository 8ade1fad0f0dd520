"""What each bloc says: its strengths, its order, and what sets it apart, with intervals.

The errors of strengths are those of all blocs at once: the sandwich A⁻¹·B·A⁻¹, with the curvature A
of the mixture's log-likelihood by Louis's formula (1982), so that not knowing who belongs where
makes strengths less sure, and with the squares B of people's scores.

The mean place of item i in a bloc is 1 + Σ_j P(j before i), which follows from the strengths; its
error is by the delta method. Intervals of a bloc hold for all its items at once, and those of what
sets blocs apart for all items of all blocs (Bonferroni), with quantiles of Student's t.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg, special
from scipy.stats import rankdata

from rankcut._loops.types import Floats, Longs
from rankcut.blocs.mixtures import Mixture
from rankcut.consensus.intervals import places_by_pairs
from rankcut.rankings.value import ROUNDING, block_rows
from rankcut.strengths import ChoiceLikelihood, Choices
from rankcut.strengths.fitting import MOST_DENSE, WIDE
from rankcut.strengths.likelihood import RankingScores


@dataclass(frozen=True, eq=False)
class BlocDescriptions:
    """What blocs say; arrays have a row for each bloc and a column for each item.

    Attributes
    ----------
    strengths, errors : ndarray of shape (n_blocs, n_items)
        Strengths with mean 0, and their standard errors.
    rankings : ndarray of int64 of shape (n_blocs, n_items)
        Places by strength: 1 = best.
    intervals : ndarray of int64 of shape (n_blocs, n_items, 2)
        Best and worst possible place.
    inside, outside : ndarray of shape (n_blocs, n_items)
        Mean places in the bloc, and in the others.
    margin : ndarray of shape (n_blocs, n_items)
        Margin of error of their difference.
    """

    strengths: Floats
    errors: Floats
    rankings: Longs
    intervals: Longs
    inside: Floats
    outside: Floats
    margin: Floats

    def columns(self, items: Sequence[Hashable]) -> dict[str, list[Any]]:
        """The differences whose interval excludes 0, the largest of each bloc first."""
        difference = self.inside - self.outside
        sure = np.where(np.abs(difference) > self.margin, np.abs(difference), 0.0)
        rows = [
            (bloc, int(i))
            for bloc in range(len(sure))
            for i in np.argsort(-sure[bloc], kind="stable")
            if sure[bloc, i] > 0
        ]
        return {
            "bloc": [bloc for bloc, _ in rows],
            "item": [items[i] for _, i in rows],
            "place": [float(self.inside[where]) for where in rows],
            "elsewhere": [float(self.outside[where]) for where in rows],
            "difference": [float(difference[where]) for where in rows],
            "low": [float((difference - self.margin)[where]) for where in rows],
            "high": [float((difference + self.margin)[where]) for where in rows],
        }


def describe_blocs(choices: Choices, mixture: Mixture, confidence: float) -> BlocDescriptions:
    """What the camps of a mixture say."""
    k, n_items = mixture.blocks.shape
    covariance = _covariance(choices, mixture)
    strengths = mixture.blocks - mixture.blocks.mean(axis=1, keepdims=True)
    chances, weights = mixture.chances[:, :k], choices.weights
    masses = weights @ chances
    freedom = np.maximum(masses**2 / np.maximum(weights @ chances**2, ROUNDING) - 1, 0.5)
    n_pairs = max(1, n_items * (n_items - 1) // 2)
    errors, intervals, slopes = [], [], []
    for bloc, theta in enumerate(strengths):
        own = covariance[bloc][:, bloc * n_items : (bloc + 1) * n_items]
        centred = own - own.mean(axis=0)
        errors.append(np.sqrt(np.maximum(np.diag(centred) - centred.mean(axis=1), 0.0)))
        variance = np.diag(own)
        apart = np.maximum(variance[:, None] + variance - 2 * own, 0.0)
        critical = -special.stdtrit(freedom[bloc], (1 - confidence) / (2 * n_pairs))
        sure = theta[:, None] - theta > critical * np.sqrt(apart) + ROUNDING
        intervals.append(places_by_pairs(sure))
        before = special.expit(theta - theta[:, None])
        slope = before * (1 - before)
        slope[np.diag_indices(n_items)] -= slope.sum(axis=1)
        slopes.append(slope)
    places = np.array([special.expit(own - own[:, None]).sum(axis=1) + 0.5 for own in strengths])
    outside, margin = places.copy(), np.zeros(places.shape)
    critical = -special.stdtrit(freedom.min(), (1 - confidence) / (2 * k * n_items))
    for bloc in range(k if k > 1 else 0):
        rates = np.where(np.arange(k) == bloc, 0.0, masses / (masses.sum() - masses[bloc]))
        outside[bloc] = rates @ places
        rates[bloc] = -1.0
        turned = np.hstack([rate * slope for rate, slope in zip(rates, slopes, strict=True)])
        parts = np.split(turned, k, axis=1)
        turned_twice = sum(part @ rows for part, rows in zip(parts, covariance, strict=True))
        variance = np.einsum("ij,ij->i", turned_twice, turned)
        margin[bloc] = critical * np.sqrt(np.maximum(variance, 0.0))
    return BlocDescriptions(
        strengths,
        np.array(errors),
        rankdata(-strengths.round(9), method="min", axis=1).astype(np.int64),
        np.array(intervals),
        places,
        outside,
        margin,
    )


def _covariance(choices: Choices, mixture: Mixture) -> Floats:
    """The covariance of strengths: blocs, items, and blocs and items together."""
    k, size = mixture.blocks.shape
    likelihood = ChoiceLikelihood(choices, "efron" if choices.tied else "davidson")
    weights, chances = choices.weights, mixture.chances
    scores = [likelihood.scores(own) for own in mixture.blocks]
    squares, missing = np.zeros((k * size, k * size)), np.zeros((k, size, size))
    for b in range(k):
        rows, own = slice(b * size, (b + 1) * size), weights * chances[:, b]
        missing[b] = _products(scores[b], scores[b], own)
        for c in range(k):
            columns = slice(c * size, (c + 1) * size)
            squares[rows, columns] = _products(scores[b], scores[c], own * chances[:, c])
    complete = []
    for b in range(k):
        members = replace(choices, weights=weights * chances[:, b])
        curvature = replace(likelihood, choices=members).derivatives(mixture.blocks[b])[2]
        # Nothing changes if all strengths rise: the prior holds them, whatever the counts.
        prior = max(1 / WIDE.scale, ROUNDING * float(np.trace(curvature)) / size)
        complete.append(curvature + prior * np.eye(size))
    observed = linalg.block_diag(*(complete - missing)) + squares
    if k * size > MOST_DENSE or linalg.eigvalsh(observed, subset_by_index=[0, 0])[0] <= 0:
        # Blocs one by one, as if it were known who belongs to which.
        inverse = linalg.block_diag(*(linalg.inv(own) for own in complete))
    else:
        inverse = linalg.inv(observed)
    middle = squares + np.eye(k * size) / WIDE.scale
    return np.asarray(inverse @ middle @ inverse).reshape(k, size, k * size)


def _products(one: RankingScores, other: RankingScores, weights: Floats) -> Floats:
    """Σ weights·s·tᵀ over rankings with the scores s and t."""
    if one.is_sparse:
        turned = one.entries.multiply(weights[:, None]).T.tocsr()
        return np.asarray(
            other.added(turned) - np.outer(one.worths, other.added(weights * one.tails))
        )
    n_rows, size = one.entries.shape
    total, step = np.zeros((size, size)), block_rows(size)
    for start in range(0, n_rows, step):
        some = slice(start, min(start + step, n_rows))
        scored = one.rows(some.start, some.stop) * weights[some, None]
        total += scored.T @ other.rows(some.start, some.stop)
    return total
