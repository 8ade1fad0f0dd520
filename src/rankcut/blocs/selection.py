"""How many blocs: the gap to a population without blocs, and stability under resampling.

For each k, k-means on the main directions of the vectors leaves a sum of squares W_k. The gap is
the mean of log W_k/W_1 over samples of a population of rankings that has the same mean and
covariance but no blocs (:mod:`rankcut.blocs.null_population`), less that of the data: how much more
the data gain from k centres than such a population would.

A number of blocs is *sure* if its gap exceeds :data:`SURE` standard deviations of what samples
without blocs vary by, and *stable* if the blocs that two halves of the people find agree on all
people with an adjusted Rand index of at least :data:`STABLE`. There is one bloc unless a number is
both. Of those that are, it is the smallest whose gap is within one standard deviation of the
largest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from rankcut._loops.centres import best_centres, nearest_centres
from rankcut._loops.types import Floats, Indices, Longs
from rankcut.blocs.null_population import fit_null

#: Gaps above this many standard deviations are not chance.
SURE = 3.0

#: Blocs that agree less between two halves of the people are not stable.
STABLE = 0.5

#: People that the number is chosen by; of more, as many are drawn.
MOST_PEOPLE = 2_000

# Samples of the population without blocs, and pairs of resamples of people.
_NULLS = 20
_RESAMPLES = 6

_STARTS = 4
_STEPS = 30


@dataclass(frozen=True, eq=False)
class Selection:
    """The evidence for each number of blocs.

    Attributes
    ----------
    numbers : ndarray of int64
        The numbers looked at, from 1.
    inertia : ndarray
        Σ ‖x − centre‖², relative to one bloc.
    null_inertia : ndarray
        The same in a population without blocs: its geometric mean over samples.
    gap, error : ndarray
        log null inertia − log inertia, and how much it varies over samples without blocs.
    stability : ndarray
        Adjusted Rand index of the blocs that two halves of the people find, for all people.
    n_people : int
        How many people were looked at.
    """

    numbers: Longs
    inertia: Floats
    null_inertia: Floats
    gap: Floats
    error: Floats
    stability: Floats
    n_people: int

    def choose(self, least: int, most: int) -> int:
        """The number from ``least`` to ``most`` that the evidence is for."""
        number, gap, error = self.numbers, self.gap, self.error
        within = (number >= max(least, 2)) & (number <= most)
        good = within & (gap > SURE * error) & (self.stability >= STABLE)
        if not good.any():
            if least == 1 or not within.any():
                return least
            good = within
        best = int(np.argmax(np.where(good, gap, -np.inf)))
        return int(number[np.argmax(good & (gap >= gap[best] - error[best]))])

    def columns(self) -> dict[str, Any]:
        """As columns of a table."""
        return {
            "n_clusters": self.numbers,
            "inertia": self.inertia,
            "null_inertia": self.null_inertia,
            "gap": self.gap,
            "error": self.error,
            "stability": self.stability,
        }


def weigh_numbers(
    rankings: Indices,
    weights: Floats,
    vectors: Callable[[Indices], Floats],
    most: int,
    seed: int,
) -> Selection:
    """The evidence for 1 to ``most`` blocs among people with these rankings.

    Parameters
    ----------
    rankings : ndarray of uint32 of shape (n_people, n_items)
        The group of each item.
    weights : ndarray of shape (n_people,)
        The weight of each person.
    vectors : callable
        From rankings to vectors.
    most : int
        The largest number.
    seed : int
        Names the random draws.
    """
    numbers = np.arange(1, most + 1)
    points = _main_directions(vectors(rankings), weights, most)
    lengths = _lengths(points, weights)
    own = _log_inertia(points, weights, most, np.random.default_rng([seed, 10]), 2 * _STARTS)
    population = fit_null(rankings, weights, np.random.default_rng([seed, 11]))
    null = np.empty((_NULLS, most))
    for sample in range(_NULLS):
        rng = np.random.default_rng([seed, 12, sample])
        drawn = _main_directions(vectors(population.draw(rankings, rng)), weights, most)
        # A sample varies in its covariance too, which says nothing of blocs.
        drawn *= np.divide(lengths, _lengths(drawn, weights), where=lengths > 0, out=lengths * 0)
        null[sample] = _log_inertia(drawn, weights, most, rng, _STARTS)
    return Selection(
        numbers,
        np.exp(own),
        np.exp(null.mean(axis=0)),
        null.mean(axis=0) - own,
        null.std(axis=0, ddof=1),
        _stability(points, weights, most, seed),
        len(rankings),
    )


def sample_people(counts: Longs, seed: int) -> Longs:
    """Row numbers of people, as often as each row counts; of very many, some are drawn."""
    total = int(counts.sum())
    if total <= MOST_PEOPLE:
        return np.repeat(np.arange(len(counts)), counts)
    rng = np.random.default_rng([seed, 13])
    places = np.sort(rng.choice(total, MOST_PEOPLE, replace=False))
    return np.searchsorted(np.cumsum(counts), places, side="right")


def rand_index(one: Longs, other: Longs, weights: Floats) -> float:
    """Adjusted Rand index of two labellings of the same people.

    >>> same = np.array([0, 0, 1, 1])
    >>> rand_index(same, 1 - same, np.ones(4))
    1.0
    """
    table = np.zeros((int(one.max()) + 1, int(other.max()) + 1))
    np.add.at(table, (one, other), weights)

    def pairs(counts: Floats) -> float:
        return float((counts * (counts - 1)).sum()) / 2

    both, total = pairs(table), pairs(table.sum())
    rows, columns = pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    expected = rows * columns / total if total > 0 else 0.0
    largest = (rows + columns) / 2
    return 1.0 if largest == expected else (both - expected) / (largest - expected)


def _stability(points: Floats, weights: Floats, most: int, seed: int) -> Floats:
    """Mean adjusted Rand index of the blocs that two halves find."""
    found = np.ones(most)
    labels = np.empty((2, len(points)), dtype=np.uint32)
    squares = np.empty(len(points))
    if len(points) < 4:
        return found
    for k in range(2, most + 1):
        total = 0.0
        for sample in range(_RESAMPLES):
            rng = np.random.default_rng([seed, 14, k, sample])
            order = rng.permutation(len(points))
            for side, half in enumerate((order[::2], order[1::2])):
                half = np.sort(half)
                centres = np.empty((k, points.shape[1]))
                inner = np.empty(len(half), dtype=np.uint32)
                best_centres(
                    points[half], weights[half], rng.random((_STARTS, k)), centres, inner, _STEPS
                )
                nearest_centres(points, centres, labels[side], squares)
            total += rand_index(labels[0].astype(np.int64), labels[1].astype(np.int64), weights)
        found[k - 1] = total / _RESAMPLES
    return found


def _main_directions(vectors: Floats, weights: Floats, number: int) -> Floats:
    """Centred vectors along their main directions: k centres span less than k."""
    share = weights / weights.sum()
    centred = vectors - share @ vectors
    width = vectors.shape[1]
    covariance = (centred * share[:, None]).T @ centred
    first = max(0, width - number)
    _, directions = eigh(covariance, subset_by_index=[first, width - 1])
    return np.ascontiguousarray(centred @ directions[:, ::-1])


def _lengths(points: Floats, weights: Floats) -> Floats:
    """The standard deviation along each direction, with those of rounding errors at 0."""
    found: Floats = np.sqrt(weights @ points**2 / weights.sum())
    return np.where(found > 1e-9 * found.max(initial=0.0), found, 0.0)


def _log_inertia(
    points: Floats, weights: Floats, most: int, rng: np.random.Generator, n_starts: int
) -> Floats:
    """Log W_k/W_1 for k from 1."""
    whole = float(weights @ (points**2).sum(axis=1))
    found = np.zeros(most)
    labels = np.empty(len(points), dtype=np.uint32)
    for k in range(2, most + 1):
        centres = np.empty((k, points.shape[1]))
        left = best_centres(points, weights, rng.random((n_starts, k)), centres, labels, _STEPS)
        found[k - 1] = np.log(max(left, 1e-12 * whole) / whole) if whole > 0 else 0.0
    return found
