"""Descriptions of blocs: the consensus of each, what sets it apart, and the role of list length.

What sets a bloc apart is measured on people other than those who found it. Half of the people find
the blocs. The other half are assigned to the nearest bloc, and only they say how its people place
each item, and how others do. The intervals hold for all items of all blocs at once
(Bonferroni). They are about people *nearest to this centre*; :mod:`rankcut.blocs.selection`
decides whether there are blocs at all.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.optimize import linear_sum_assignment

from rankcut._loops.centres import squared_distances
from rankcut._loops.types import Floats, Indices, Longs
from rankcut.blocs.centres import Blocs, assign
from rankcut.blocs.order_vectors import closed
from rankcut.consensus import Resampling, Units, by_vectors
from rankcut.consensus.means import borda_vectors
from rankcut.rankings import Unranked

#: From vectors and weights to blocs.
Search: TypeAlias = Callable[[Floats, Floats], Blocs]


def rank_blocs(
    people: Units,
    labels: Longs,
    n_blocs: int,
    listed: NDArray[np.bool_],
    unranked: Unranked,
    resampling: Resampling,
) -> tuple[Longs, Longs | None]:
    """The ranking of each bloc, and the best and worst possible places if people are resampled.

    Parameters
    ----------
    people : Units
        Everyone.
    labels : ndarray of int64
        The bloc of each row.
    n_blocs : int
        Number of blocs.
    listed : ndarray of bool of shape (n_rows, n_items)
        Which items each row lists.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means.
    resampling : Resampling
        How people are resampled.
    """

    def vectors(groups: Indices) -> Floats:
        return borda_vectors(closed(groups, unranked))

    found = []
    for bloc in range(n_blocs):
        own = labels == bloc
        items = (listed & own[:, None]).any(axis=0)
        if not items.any():
            items = people.listed
        members = replace(people, counts=np.where(own, people.counts, 0), listed=items)
        found.append(by_vectors(members, vectors, resampling))
    rankings = np.array([outcome.ranking for outcome in found])
    if not resampling.n_bootstraps:
        return rankings, None
    return rankings, np.array([outcome.intervals for outcome in found])


def share_of_length(lengths: Longs, labels: Longs, weights: Floats) -> float | None:
    """The share of the variance of list lengths between blocs, corrected for chance (ε²).

    A division that has nothing to do with length has 0 on average; 1 means that length explains
    everything. None if all lists have the same length.

    >>> share_of_length(np.array([1, 1, 4, 4]), np.array([0, 0, 1, 1]), np.ones(4))
    1.0
    """
    total = float(weights.sum())
    mean = float(weights @ lengths) / total
    variation = float(weights @ (lengths - mean) ** 2)
    if variation <= 1e-12 * total:
        return None
    masses = np.bincount(labels, weights)
    sums = np.bincount(labels, weights * lengths)
    means = np.divide(sums, masses, out=np.zeros_like(sums), where=masses > 0)
    within = float(weights @ (lengths - means[labels]) ** 2)
    k = int((masses > 0).sum())
    if k < 2 or total <= k:
        return 0.0
    return max(0.0, 1.0 - within / variation * (total - 1) / (total - k))


@dataclass(frozen=True, eq=False)
class Differences:
    """Mean places of items in each bloc and elsewhere, among people who did not find it.

    Attributes
    ----------
    inside, outside : ndarray of shape (n_blocs, n_items)
        Mean places.
    margin : ndarray of shape (n_blocs, n_items)
        Margin of error of the difference, for all at once; infinite with too few people.
    """

    inside: Floats
    outside: Floats
    margin: Floats

    @property
    def sure(self) -> Floats:
        """Inside minus outside where the interval excludes 0; 0 elsewhere."""
        difference = self.inside - self.outside
        return np.where(np.abs(difference) > self.margin, difference, 0.0)

    def columns(self, items: Sequence[Hashable]) -> dict[str, list[Any]]:
        """The sure differences as a table, the largest of each bloc first."""
        sure = self.sure
        rows = [
            (bloc, int(i))
            for bloc in range(len(sure))
            for i in np.argsort(-np.abs(sure[bloc]), kind="stable")
            if sure[bloc, i] != 0
        ]
        difference = self.inside - self.outside
        return {
            "bloc": [bloc for bloc, _ in rows],
            "item": [items[i] for _, i in rows],
            "place": [float(self.inside[where]) for where in rows],
            "elsewhere": [float(self.outside[where]) for where in rows],
            "difference": [float(difference[where]) for where in rows],
            "low": [float((difference - self.margin)[where]) for where in rows],
            "high": [float((difference + self.margin)[where]) for where in rows],
        }


def no_differences(n_items: int) -> Differences:
    """Those of a single bloc."""
    return Differences(*np.zeros((3, 0, n_items)))


def split_people(counts: Longs, seed: int) -> tuple[Longs, Longs]:
    """How many of the people behind each row are in either half."""
    rng = np.random.default_rng([seed, 20])
    total = int(counts.sum())
    if total == len(counts):
        one = np.zeros(len(counts), dtype=np.int64)
        one[rng.choice(total, total // 2, replace=False)] = 1
    else:
        drawn = np.sort(rng.choice(total, total // 2, replace=False))
        rows = np.searchsorted(np.cumsum(counts), drawn, side="right")
        one = np.bincount(rows, minlength=len(counts)).astype(np.int64)
    return one, counts - one


def measure_differences(
    vectors: Floats,
    places: Floats,
    counts: Longs,
    weights: Floats | None,
    centres: Floats,
    search: Search,
    confidence: float,
    seed: int,
) -> Differences:
    """Find the blocs with one half of the people, and measure them with the other.

    Parameters
    ----------
    vectors, places : ndarray of shape (n_rows, n_coordinates) and (n_rows, n_items)
        What blocs are found by, and the place of each item.
    counts : ndarray of int64
        How many people each row stands for.
    weights : ndarray or None
        The weight of each of them, if they differ.
    centres : ndarray
        Centres of the blocs, to which those found by the half are matched.
    search : callable
        Finds blocs.
    confidence : float
        Confidence with which all intervals hold at once.
    seed : int
        Seed of the random split.
    """
    k, n_items = len(centres), places.shape[1]
    finders, judges = split_people(counts, seed)
    each = np.ones(len(counts)) if weights is None else weights
    used, judged = finders > 0, judges > 0
    nothing = np.full((k, n_items), np.nan)
    infinite = np.full((k, n_items), np.inf)
    if not used.any() or not judged.any():
        return Differences(nothing, nothing, infinite)
    half = search(vectors[used], finders[used] * each[used])
    labels = np.full(int(judged.sum()), -1)
    found, _ = assign(vectors[judged], half.centres)
    apart = np.empty((len(half.centres), k))
    squared_distances(half.centres, centres, apart)
    for own, bloc in zip(*linear_sum_assignment(apart), strict=True):
        labels[found == own] = bloc
    people, mass, values = judges[judged].astype(np.float64), each[judged], places[judged]
    inside, outside, margin = nothing.copy(), nothing.copy(), infinite
    for bloc in range(k):
        own, other = labels == bloc, labels != bloc
        mean, variance, size = _mean(values[own], people[own], mass[own])
        rest, rest_variance, rest_size = _mean(values[other], people[other], mass[other])
        inside[bloc], outside[bloc] = mean, rest
        least = min(size, rest_size)
        if least < 2:
            continue
        tail = (1 - confidence) / (2 * k * n_items)
        margin[bloc] = -special.stdtrit(least - 1, tail) * np.sqrt(variance + rest_variance)
    return Differences(inside, outside, margin)


def _mean(values: Floats, people: Floats, mass: Floats) -> tuple[Floats, Floats, float]:
    """A mean, its squared standard error, and the effective number of people."""
    total = float(people @ mass)
    if total <= 0:
        empty = np.full(values.shape[1], np.nan)
        return empty, empty, 0.0
    mean = (people * mass) @ values / total
    size = total**2 / float(people @ mass**2)
    if size <= 1:
        return mean, np.full(values.shape[1], np.inf), 1.0
    spread = (people * mass**2) @ (values - mean) ** 2 / total**2
    return mean, spread * size / (size - 1), size
