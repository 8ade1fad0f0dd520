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
from rankcut.strengths import ChoiceLikelihood
from rankcut.strengths.fitting import MOST_DENSE


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


def describe_blocs(
    likelihood: ChoiceLikelihood, mixture: Mixture, confidence: float
) -> BlocDescriptions:
    """What the camps of a mixture say."""
    k, n_items = len(mixture.blocks), likelihood.n_items
    covariance = _covariance(likelihood, mixture)
    strengths = mixture.blocks[:, :n_items]
    strengths = strengths - strengths.mean(axis=1, keepdims=True)
    chances, weights = mixture.chances[:, :k], likelihood.choices.weights
    masses = weights @ chances
    freedom = np.maximum(masses**2 / np.maximum(weights @ chances**2, ROUNDING) - 1, 0.5)
    errors, rankings, intervals, inside, slopes = [], [], [], [], []
    n_pairs = max(1, n_items * (n_items - 1) // 2)
    for bloc, theta in enumerate(strengths):
        own = covariance[bloc, :, bloc]
        centred = own - own.mean(axis=0)
        centred = centred - centred.mean(axis=1, keepdims=True)
        errors.append(np.sqrt(np.maximum(np.diag(centred), 0.0)))
        variance = np.diag(own)
        apart = np.maximum(variance[:, None] + variance - 2 * own, 0.0)
        critical = -special.stdtrit(freedom[bloc], (1 - confidence) / (2 * n_pairs))
        sure = theta[:, None] - theta > critical * np.sqrt(apart) + ROUNDING
        intervals.append(places_by_pairs(sure))
        rankings.append(rankdata(-theta.round(9), method="min").astype(np.int64))
        before = special.expit(theta - theta[:, None])
        slope = before * (1 - before)
        np.fill_diagonal(slope, 0.0)
        np.fill_diagonal(slope, -slope.sum(axis=1))
        inside.append(before.sum(axis=1) + 0.5)
        slopes.append(slope)
    places = np.array(inside)
    outside, margin = np.full((2, k, n_items), np.nan) if k > 1 else np.zeros((2, 1, n_items))
    for bloc in range(k if k > 1 else 0):
        others = np.where(np.arange(k) == bloc, 0.0, masses)
        rates = others / others.sum()
        outside[bloc] = rates @ places
        rates = np.where(np.arange(k) == bloc, 1.0, -rates)
        turned = np.concatenate(
            [rate * slope for rate, slope in zip(rates, slopes, strict=True)], 1
        )
        whole = covariance.reshape(k * n_items, k * n_items)
        variance = np.einsum("ij,ij->i", turned @ whole, turned)
        critical = -special.stdtrit(freedom.min(), (1 - confidence) / (2 * k * n_items))
        margin[bloc] = critical * np.sqrt(np.maximum(variance, 0.0))
    if k == 1:
        outside = places
    return BlocDescriptions(
        strengths,
        np.array(errors),
        np.array(rankings),
        np.array(intervals),
        places,
        outside,
        margin,
    )


def _covariance(likelihood: ChoiceLikelihood, mixture: Mixture) -> Floats:
    """The covariance of strengths: blocs and items, by blocs and items."""
    k, size = mixture.blocks.shape
    n_items, choices = likelihood.n_items, likelihood.choices
    squares, missing = np.zeros((k * size, k * size)), np.zeros((k, size, size))
    scores = [likelihood.scores(own) for own in mixture.parameters[:k]]
    step = block_rows(k * size)
    for start in range(0, choices.n_rankings, step):
        stop = min(start + step, choices.n_rankings)
        scored = [each.rows(start, stop) for each in scores]
        weights = choices.weights[start:stop, None]
        chances = mixture.chances[start:stop]
        joint = np.concatenate([chances[:, [b]] * scored[b] for b in range(k)], axis=1)
        squares += (joint * weights).T @ joint
        for b in range(k):
            missing[b] += (scored[b] * (weights * chances[:, [b]])).T @ scored[b]
    prior = np.full((k, size), ROUNDING)
    prior[:, :n_items] = 1.0 / mixture.scales[:, None]
    complete, less = [], []
    for b in range(k):
        own = replace(choices, weights=choices.weights * mixture.chances[:, b])
        curvature = replace(likelihood, choices=own).derivatives(mixture.parameters[b])[2]
        complete.append(curvature + np.diag(prior[b]))
        less.append(complete[b] - missing[b])
    if k * size > MOST_DENSE:
        # Blocs one by one, as if it were known who belongs to which.
        found = np.zeros((k, size, k, size))
        for b in range(k):
            rows = slice(b * size, (b + 1) * size)
            inverse = linalg.inv(complete[b])
            middle = squares[rows, rows] + np.diag(prior[b])
            found[b, :, b] = inverse @ middle @ inverse
    else:
        try:
            linalg.cholesky(linalg.block_diag(*less) + squares)
            inverse = linalg.inv(linalg.block_diag(*less) + squares)
        except linalg.LinAlgError:
            inverse = linalg.inv(linalg.block_diag(*complete))
        middle = squares + np.diag(prior.ravel())
        found = (inverse @ middle @ inverse).reshape(k, size, k, size)
    return np.ascontiguousarray(found[:, :n_items, :, :n_items])
