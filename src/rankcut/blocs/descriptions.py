"""What each bloc says: its strengths, its order, and what sets it apart, with intervals.

The errors of strengths are those of all blocs at once: the sandwich A⁻¹·B·A⁻¹, with the curvature A
of the mixture's log-likelihood by Louis's formula (1982), so that not knowing who belongs where
makes strengths less sure, and with the squares B of people's scores.

The mean place of item i in a bloc is 1 + Σ_j P(j before i), which follows from the strengths; its
error is by the delta method. Intervals of a bloc hold for all its items at once, and those of what
sets blocs apart for all items of all blocs (Bonferroni), with quantiles of Student's t.

Where blocs have too many items together for a matrix of all pairs, A and B are taken for their
diagonals: of a large catalogue hardly any two items meet.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, special
from scipy.sparse import csr_array, diags_array

from rankcut._loops.types import Floats, Longs
from rankcut.blocs.mixtures import STRENGTH_VARIANCE, Mixture, MixtureLikelihood
from rankcut.errors import InputError, amount
from rankcut.parameters import EQUAL_WITHIN
from rankcut.rankings.orders import to_ranking
from rankcut.rankings.partitions import block_rows
from rankcut.strengths import ChoiceLikelihood
from rankcut.strengths.likelihood import RankingScores
from rankcut.strengths.terms import MOST_DENSE


class BlocDescriptions(NamedTuple):
    """What blocs say; arrays have a row for each bloc and a column for each item."""

    strengths: Floats  #: with mean 0
    errors: Floats  #: their standard errors
    rankings: Longs  #: places by strength: 1 = best
    intervals: Longs  #: best and worst possible place, along a third axis
    inside: Floats  #: mean places in the bloc
    outside: Floats  #: mean places in the others
    margin: Floats  #: margin of error of their difference

    def columns(self, items: Sequence[Hashable]) -> dict[str, list[Any]]:
        """The differences whose interval excludes 0, the largest of each bloc first."""
        difference = self.inside - self.outside
        sure = np.where(np.abs(difference) > self.margin, np.abs(difference), 0.0)
        bloc, item = np.nonzero(sure)
        order = np.lexsort((item, -sure[bloc, item], bloc))
        rows = bloc[order], item[order]
        numbers = {
            "place": self.inside,
            "elsewhere": self.outside,
            "difference": difference,
            "low": difference - self.margin,
            "high": difference + self.margin,
        }
        return {
            "bloc": rows[0].tolist(),
            "item": [items[i] for i in rows[1].tolist()],
            **{name: values[rows].tolist() for name, values in numbers.items()},
        }


def describe_blocs(
    likelihood: MixtureLikelihood, mixture: Mixture, confidence: float
) -> BlocDescriptions:
    """What the camps of a mixture say."""
    k, n_items = mixture.blocks.shape
    covariance = _covariance(likelihood, mixture)
    strengths = mixture.blocks - mixture.blocks.mean(axis=1, keepdims=True)
    chances, weights = mixture.chances[:, :k], likelihood.choices.weights
    masses = weights @ chances
    freedom = np.maximum(masses**2 / np.maximum(weights @ chances**2, EQUAL_WITHIN) - 1, 0.5)
    n_pairs = max(1, n_items * (n_items - 1) // 2)
    critical = -special.stdtrit(freedom, (1 - confidence) / (2 * n_pairs))
    # How much each bloc counts among those outside another.
    rates = np.tile(masses, (k, 1)) / np.maximum(masses.sum() - masses[:, None], EQUAL_WITHIN)
    np.fill_diagonal(rates, 0.0)
    errors, places, variance = np.zeros((3, k, n_items))
    better, worse = np.zeros((2, k, n_items), dtype=np.int64)
    step = block_rows(n_items)
    for start in range(0, n_items, step):
        rows = slice(start, min(start + step, n_items))
        slopes = []
        for bloc, theta in enumerate(strengths):
            part = slice(bloc * n_items, (bloc + 1) * n_items)
            block = covariance[part, part]
            shared = block[rows] if isinstance(block, np.ndarray) else block[rows].toarray()
            apart = block.diagonal()[rows, None] + block.diagonal() - 2 * shared
            ahead = theta[rows, None] - theta
            sure = ahead > critical[bloc] * np.sqrt(np.maximum(apart, 0.0)) + EQUAL_WITHIN
            better[bloc] += sure.sum(axis=0)
            worse[bloc, rows] = sure.sum(axis=1)
            centred = block.diagonal()[rows] - 2 * shared.mean(axis=1) + block.sum() / n_items**2
            errors[bloc, rows] = np.sqrt(np.maximum(centred, 0.0))
            before = special.expit(-ahead)
            places[bloc, rows] = before.sum(axis=1) + 0.5
            slope = before * (1 - before)
            slope[np.arange(len(slope)), np.arange(n_items)[rows]] -= slope.sum(axis=1)
            slopes.append(slope)
        for bloc, signed in enumerate(rates - np.eye(k)):
            turned = np.hstack([rate * slope for rate, slope in zip(signed, slopes, strict=True)])
            variance[bloc, rows] = np.einsum("ij,ij->i", turned @ covariance, turned)
    least = -special.stdtrit(freedom.min(), (1 - confidence) / (2 * k * n_items))
    return BlocDescriptions(
        strengths,
        errors,
        to_ranking(strengths.round(9)),
        np.stack([1 + better, n_items - worse], axis=2),
        places,
        rates @ places if k > 1 else places,
        least * np.sqrt(np.maximum(variance, 0.0)),
    )


def _covariance(likelihood: MixtureLikelihood, mixture: Mixture) -> Any:
    """The covariance of the strengths of all blocs, sparse if it is taken for its diagonal."""
    (k, size), choices = mixture.blocks.shape, likelihood.choices
    dense = k * size <= MOST_DENSE
    if choices.tied and not dense:
        raise InputError(
            f"ties among {size:,} items are too many for {amount(k, 'bloc')}",
            remedy="break the ties, or leave rare items out",
        )
    plain = ChoiceLikelihood(choices, "efron" if choices.tied else "davidson")
    n_rows = choices.n_rankings
    members = csr_array((np.ones(n_rows), np.arange(n_rows), likelihood.people))
    weights, chances = members @ choices.weights, mixture.chances[likelihood.people[:-1]].T
    scores, complete = [], []
    for chance, theta in zip(chances, mixture.blocks, strict=False):
        rows = plain.scores(theta)
        of_people = {name: members @ getattr(rows, name) for name in ("entries", "tails")}
        scores.append(replace(rows, **of_people))
        of_bloc = replace(plain, choices=replace(choices, weights=members.T @ (weights * chance)))
        curvature = of_bloc.derivatives(theta)[2] if dense else of_bloc.slope(theta)[2].diagonal
        # Nothing changes if all strengths rise: the prior holds them, whatever the counts.
        mean = float((curvature.diagonal() if dense else curvature).mean())
        prior = max(1 / STRENGTH_VARIANCE, EQUAL_WITHIN * mean)
        complete.append(curvature + prior * (np.eye(size) if dense else 1.0))
    if not dense:
        both = list(zip(scores, chances, strict=False))
        certain = np.concatenate(complete)
        lost = np.concatenate([_squares(each, weights * chance) for each, chance in both])
        squares = np.concatenate([_squares(each, weights * chance**2) for each, chance in both])
        remaining = certain - lost + squares
        observed = np.where(remaining > 0, remaining, certain)
        return csr_array(diags_array((squares + 1 / STRENGTH_VARIANCE) / observed**2))
    pairs = [
        [_products(scores[b], scores[c], weights * chances[b] * chances[c]) for c in range(k)]
        for b in range(k)
    ]
    squares = np.block(pairs)
    missing = [_products(scores[b], scores[b], weights * chances[b]) for b in range(k)]
    observed = linalg.block_diag(*np.subtract(complete, missing)) + squares
    if linalg.eigvalsh(observed, subset_by_index=[0, 0])[0] <= 0:
        # Blocs one by one, as if it were known who belongs to which.
        observed = linalg.block_diag(*complete)
    inverse = linalg.inv(observed)
    return np.asarray(inverse @ (squares + np.eye(k * size) / STRENGTH_VARIANCE) @ inverse)


def _squares(scores: RankingScores, weights: Floats) -> Floats:
    """Σ weights·s² over rankings with the scores s, for each item."""
    entries, tails, worths = scores.entries, scores.tails, scores.worths
    across = entries.T @ (weights * tails)
    each = entries.power(2).T @ weights
    return np.asarray(each - 2 * worths * across + worths**2 * float(weights @ tails**2))


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
