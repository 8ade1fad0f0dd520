"""How many blocs: the gap to a population without blocs, and stability under resampling.

For each k, k-means on the main directions of the vectors leaves a sum of squares W_k. The gap is
the mean of log W_k/W_1 over samples of a population of rankings that has the same mean and
covariance but no blocs, minus that of the data: how much more the data gain from k centres than
such a population would.

Stability is how well blocs found in two halves of the people agree on all people, as an
adjusted Rand index. A number of blocs counts if its stability is at least :data:`STABLE`, and its
gap, in standard deviations over samples without blocs, times its stability is at least :data:`SURE`
for two blocs, or :data:`SURE_OF_MORE` for more, which have more chances. From :data:`MANY` on, the
number before has to count too, because one of many numbers may stand out by chance. There
is one bloc unless a number counts. Of those that do, it is the one with the largest product of gap
and stability, or the smallest within one standard deviation of it.

In the population without blocs each person has normal utilities u ~ N(μ, Σ) and ranks by them.
μ and Σ are chosen so that such rankings of the same lists, with the same ties, have the same mean
position vectors and the same covariance: they are moved against the difference, with the same
random numbers each time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from rankcut._loops.centres import grow_centres, nearest_centres
from rankcut._loops.partitions import NOWHERE, centred_positions
from rankcut._loops.types import Floats, Indices, Longs
from rankcut.rankings.value import ROUNDING

# Steps towards the moments of the data.
_MOMENT_STEPS = 10

# A direction of the utilities has at least this share of the mean variance.
_LEAST = 1e-3

#: Least product of the gap, in standard deviations, and the stability.
SURE, SURE_OF_MORE = 2.0, 2.2

#: From this many blocs on, a number counts only if the one before does.
MANY = 7

#: Least adjusted Rand index of blocs found in two halves of the people.
STABLE = 0.5

#: Number of people to choose by; if there are more, a sample of this size is drawn.
MOST_PEOPLE = 2_000

# Samples of the population without blocs, and pairs of resamples of people.
_NULLS, _RESAMPLES = 16, 10

# Starts of k-means for each number, and steps of each.
_STARTS, _KMEANS_STEPS = 3, 25


@dataclass(frozen=True, eq=False)
class NullPopulation:
    """Normal utilities: u = μ + L·z with independent normal z."""

    mean: Floats
    root: Floats

    def draw(self, shapes: Indices, rng: np.random.Generator) -> Indices:
        """A ranking for each row of ``shapes``, of the same items and with the same ties."""
        return rank_like(shapes, self.mean + rng.standard_normal(shapes.shape) @ self.root.T)


def rank_like(shapes: Indices, utilities: Floats) -> Indices:
    """Rankings by utilities, with the items and the sizes of groups of ``shapes``.

    >>> shape = np.array([[0, 1, 1, NOWHERE]], dtype=np.uint32)
    >>> rank_like(shape, np.array([[0.1, 0.5, 0.3, 9.0]])).tolist() == [[1, 0, 1, NOWHERE]]
    True
    """
    wanted = np.where(shapes == NOWHERE, -np.inf, utilities)
    order = np.argsort(-wanted, axis=1)
    rankings = np.empty_like(shapes)
    np.put_along_axis(rankings, order, np.sort(shapes, axis=1), axis=1)
    return rankings


def fit_null(rankings: Indices, weights: Floats, rng: np.random.Generator) -> NullPopulation:
    """The population of normal utilities with the moments of these rankings."""
    n_items = rankings.shape[1]
    listed = 1.0 - float((rankings == NOWHERE).mean())
    mean, covariance = _moments(rankings, weights)
    z = rng.standard_normal(rankings.shape)
    own_mean, own = mean / listed, covariance / listed**2 + np.full((n_items, n_items), 1e-9)
    root = _root(own)
    for _ in range(_MOMENT_STEPS):
        now, spread = _moments(rank_like(rankings, own_mean + z @ root.T), weights)
        own_mean = own_mean + (mean - now) / listed
        own = own + (covariance - spread) / listed**2
        root = _root(own)
    return NullPopulation(own_mean, root)


def _moments(rankings: Indices, weights: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of the position vectors."""
    vectors = np.empty(rankings.shape)
    centred_positions(np.ascontiguousarray(rankings), vectors)
    total = weights.sum()
    mean = weights @ vectors / total
    vectors -= mean
    return mean, (vectors * weights[:, None]).T @ vectors / total


def _root(covariance: Floats) -> Floats:
    """L with LLᵀ the nearest covariance matrix whose variances are not tiny."""
    values, directions = np.linalg.eigh((covariance + covariance.T) / 2)
    least = max(_LEAST * float(values.clip(0).mean()), 1e-9)
    root: Floats = directions * np.sqrt(np.maximum(values, least))
    return root


@dataclass(frozen=True, eq=False)
class Selection:
    """The evidence for each number of blocs.

    Attributes
    ----------
    numbers : ndarray of int64
        The numbers considered, from 1.
    inertia : ndarray
        Σ ‖x − centre‖², relative to one bloc.
    null_inertia : ndarray
        The same in a population without blocs: its geometric mean over samples.
    gap, error : ndarray
        log null inertia − log inertia, and how much it varies over samples without blocs.
    stability : ndarray
        Adjusted Rand index of blocs found in two halves of the people, for all people.
    n_people : int
        Number of people considered.
    """

    numbers: Longs
    inertia: Floats
    null_inertia: Floats
    gap: Floats
    error: Floats
    stability: Floats
    n_people: int

    def choose(self, least: int, most: int) -> int:
        """The number from ``least`` to ``most`` that the evidence favours."""
        within = (self.numbers >= max(least, 2)) & (self.numbers <= most)
        stability = np.clip(self.stability, 0.0, 1.0)
        weighed, error = self.gap * stability, self.error * stability
        least_sure = np.where(self.numbers > 2, SURE_OF_MORE, SURE)
        counts = (weighed >= least_sure * self.error) & (weighed > 0) & (stability >= STABLE)
        counts[1:] &= counts[:-1] | (self.numbers[1:] < MANY)
        good = within & counts
        if not good.any():
            if least == 1 or not within.any():
                return least
            good = within
        best = int(np.argmax(np.where(good, weighed, -np.inf)))
        return int(self.numbers[np.argmax(good & (weighed >= weighed[best] - error[best]))])

    def columns(self) -> dict[str, Any]:
        """As columns of a table."""
        return {
            "n_blocs": self.numbers,
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
        Seed.
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
        # The covariance of a sample varies too, which says nothing about blocs.
        own_lengths = _lengths(drawn, weights)
        drawn *= np.divide(lengths, own_lengths, where=own_lengths > 0, out=np.zeros_like(lengths))
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
    """A row number for each person; of very many people, a sample is drawn."""
    total = int(counts.sum())
    if total <= MOST_PEOPLE:
        return np.repeat(np.arange(len(counts)), counts)
    rng = np.random.default_rng([seed, 13])
    places = np.sort(rng.choice(total, MOST_PEOPLE, replace=False))
    return np.searchsorted(np.cumsum(counts), places, side="right")


def _stability(points: Floats, weights: Floats, most: int, seed: int) -> Floats:
    """Mean adjusted Rand index of the blocs that two halves find."""
    found = np.ones(most)
    labels = np.empty((2, len(points)), dtype=np.uint32)
    squares = np.empty(len(points))
    if len(points) < 4:
        return found
    for sample in range(_RESAMPLES):
        rng = np.random.default_rng([seed, 14, sample])
        order = rng.permutation(len(points))
        halves = [np.sort(order[::2]), np.sort(order[1::2])]
        centres = [_grow(points[half], weights[half], most, rng, _STARTS)[0] for half in halves]
        for k in range(2, most + 1):
            for side in range(2):
                own = np.ascontiguousarray(centres[side][k - 1, :k])
                nearest_centres(points, own, labels[side], squares)
            agreed = rand_index(labels[0], labels[1], k)
            found[k - 1] += (agreed - found[k - 1]) / (sample + 1)
    return found


def rand_index(one: Indices, other: Indices, k: int) -> float:
    """The adjusted Rand index of two divisions in k: scikit-learn's takes ten times as long."""
    table = np.bincount(one * k + other, minlength=k * k).reshape(k, k).astype(np.float64)
    sums: list[Floats] = [table, table.sum(axis=1), table.sum(axis=0), table.sum(keepdims=True)]
    both, first, second, all_pairs = (float((n * (n - 1) / 2).sum()) for n in sums)
    by_chance, most = first * second / all_pairs, (first + second) / 2
    return 1.0 if most == by_chance else (both - by_chance) / (most - by_chance)


def _main_directions(vectors: Floats, weights: Floats, number: int) -> Floats:
    """Centred vectors along their main directions: k centres span fewer than k dimensions."""
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
    return np.where(found > ROUNDING * found.max(initial=0.0), found, 0.0)


def _log_inertia(
    points: Floats, weights: Floats, most: int, rng: np.random.Generator, n_starts: int
) -> Floats:
    """Log W_k/W_1 for k from 1."""
    totals = _grow(points, weights, most, rng, n_starts)[1]
    if not totals[0] > 0:
        return np.zeros(most)
    found: Floats = np.log(np.maximum(totals / totals[0], 1e-12))
    return found


def _grow(
    points: Floats, weights: Floats, most: int, rng: np.random.Generator, n_starts: int
) -> tuple[Floats, Floats]:
    """Centres and sums of squares for 1 to ``most`` blocs."""
    centres = np.zeros((most, most, points.shape[1]))
    totals = np.empty(most)
    draws = rng.random((most, n_starts, most))
    grow_centres(np.ascontiguousarray(points), weights, draws, centres, totals, _KMEANS_STEPS)
    return centres, totals
