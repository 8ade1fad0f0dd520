"""Who counts how often, means of vectors over people with their errors, and bootstrap samples.

A *unit* is all people with the same ranking, or one person with a weight, or one person with
several rankings. Equal rankings are merged and sorted, so rows that are counted and rows that are
repeated give the same units in the same order, and the same seed draws the same samples.

Unit u adds up to the vector X_u with weight W_u and stands for c_u people. The mean is
μ = Σ c_u X_u / Σ c_u W_u. Its error is that of a ratio: unit u contributes X_u − W_u·μ.
A bootstrap sample draws as many people as there are, with replacement.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.closed_form import spread_rows
from rankcut._loops.partitions import NOWHERE, centred_positions, close_rows
from rankcut._loops.random_streams import draw_people
from rankcut._loops.types import Floats, Indices, Longs
from rankcut.errors import InputError, Setting
from rankcut.parameters import AT_ONCE
from rankcut.rankings import Rankings, Unranked, merge_rankings
from rankcut.rankings.value import BLOCK, FEW_ENTRIES

if TYPE_CHECKING:
    from rankcut.graphs import ItemGraph

#: From the groups of some rankings to a vector for each.
Vectors: TypeAlias = Callable[[Indices], Floats]

# Whole numbers below this are exact in single precision.
_WHOLE = int(2 / np.finfo(np.float32).eps)

# People are drawn one by one, unless a unit stands for more than this many on average.
_DRAWN_SINGLY = 16


@dataclass(frozen=True, eq=False)
class UnitBlock:
    """Some units: the groups of their rankings, and how rankings add up to units."""

    groups: Indices  #: one row for each ranking
    weights: Floats | None  #: of each ranking; None: all are 1
    starts: Longs | None  #: first ranking of each unit; None: each has one
    counts: Longs  #: how many people each unit stands for

    def totals(self, vectors: Floats) -> Floats:
        """The weighted sum of the rankings' vectors, for each unit."""
        if self.weights is not None:
            vectors = (vectors.T * self.weights).T
        return vectors if self.starts is None else np.add.reduceat(vectors, self.starts, axis=0)

    def masses(self) -> Floats:
        """The sum of the weights of each unit."""
        return self.totals(np.ones(len(self.groups)))

    def split(self, width: int) -> Iterator[tuple[slice, "UnitBlock"]]:
        """Blocks of fewer units, whose vectors of ``width`` coordinates fit in the cache."""
        n_units = len(self.counts)
        each = max(1, len(self.groups) // n_units)
        step = max(1, BLOCK // (max(width, 1) * each))
        for start in range(0, n_units, step):
            units = slice(start, min(start + step, n_units))
            rows, starts = units, None
            if self.starts is not None:
                ends = np.append(self.starts, len(self.groups))
                rows = slice(int(ends[units.start]), int(ends[units.stop]))
                starts = self.starts[units] - rows.start
            weights = None if self.weights is None else self.weights[rows]
            yield units, UnitBlock(self.groups[rows], weights, starts, self.counts[units])


@dataclass(frozen=True, eq=False)
class Units:
    """Rankings as units, read block by block."""

    rankings: Rankings  #: the different rankings
    listed: NDArray[np.bool_]  #: whether anyone lists the item
    counts: Longs  #: how many people each unit stands for
    #: The ranking of each row, unit by unit; None: a unit is a ranking
    members: Longs | None = None
    weights: Floats | None = None  #: the weight of each row; None: all are 1
    #: Where the rows of each unit begin, and where the last ends; None: each has one
    starts: Longs | None = None

    @classmethod
    def of(cls, rankings: Rankings) -> Self:
        """The units of rankings: persons if they are known, or else equal rankings.

        Rankings that list nothing are left out. Only ratios of weights matter: they are divided by
        the largest, and equal ones are none.
        """
        rankings = rankings.rows(rankings.says_something() & (rankings.counts > 0))
        if not rankings.shape[0]:
            raise InputError(
                "no ranking ranks any item: there is nothing to combine",
                remedy=["check the ranks, or what ", Setting("unranked"), " says about them"],
            )
        if not rankings.counted:
            weights = rankings.counts / rankings.counts.max()
            alike = bool((weights == 1.0).all())
            rankings = replace(rankings, weights=None if alike else weights, counted=alike)
        merged, index = merge_rankings(rankings)
        listed = merged.listed()
        if rankings.people is None and rankings.counted:
            return cls(merged, listed, merged.counts.astype(np.int64))
        used = np.flatnonzero(index >= 0)
        members, weights = index[used], rankings.counts[used]
        if rankings.people is None:
            order = np.lexsort((weights, members))
            alone = np.ones(len(used), dtype=np.int64)
            return cls(merged, listed, alone, members[order], weights[order])
        person = rankings.people[used]
        order = np.lexsort((weights, members, person))
        starts = np.flatnonzero(np.diff(person[order], prepend=-1) != 0)
        persons = np.ones(len(starts), dtype=np.int64)
        starts = np.append(starts, len(used))
        return cls(merged, listed, persons, members[order], weights[order], starts)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.rankings.shape[1]

    @property
    def unranked(self) -> Unranked:
        """What an unranked item means."""
        return self.rankings.unranked

    @property
    def n_people(self) -> int:
        """Number of people."""
        return int(self.counts.sum())

    @property
    def n_effective(self) -> float:
        """How many people who count alike would say as much (Kish)."""
        if self.weights is None:
            return float(self.n_people)
        masses = self.weights
        if self.starts is not None:
            masses = np.add.reduceat(masses, self.starts[:-1])
        return float(masses.sum() ** 2 / (masses**2).sum())

    def as_rankings(self) -> Rankings:
        """The rankings, sorted: equal ones counted, or with their weights and whose they are."""
        if self.members is None:
            return self.rankings
        people = None
        if self.starts is not None:
            people = np.repeat(np.arange(len(self.counts)), np.diff(self.starts))
        rows = self.rankings.rows(self.members)
        return replace(rows, weights=self.weights, people=people)

    def bounds(self) -> list[tuple[int, int]]:
        """The first unit of each block, and the one after its last."""
        step = max(1, BLOCK // self.n_items)
        n_units = len(self.counts)
        return [(start, min(start + step, n_units)) for start in range(0, n_units, step)]

    def block(self, start: int, stop: int) -> UnitBlock:
        """The units from ``start`` to ``stop``."""
        first, last, starts = start, stop, None
        if self.starts is not None:
            first, last = int(self.starts[start]), int(self.starts[stop])
            starts = self.starts[start:stop] - first
        if self.members is None:
            groups = self.rankings.groups(first, last)
        else:
            groups = self.rankings.rows(self.members[first:last]).groups()
        weights = None if self.weights is None else self.weights[first:last]
        return UnitBlock(groups, weights, starts, self.counts[start:stop])

    def blocks(self, width: int) -> Iterator[UnitBlock]:
        """All units in blocks, for vectors of ``width`` coordinates."""
        for start, stop in self.bounds():
            for _, block in self.block(start, stop).split(width):
                yield block


@dataclass(frozen=True, eq=False)
class Mean:
    """A mean over people, and how sure it is."""

    vector: Floats  #: the mean
    variance: Floats  #: the square of its standard error; infinite if there is a single person
    covariance: Floats | None  #: the covariance of the mean, if asked for
    n_effective: float  #: number of people of equal weight that would give the same certainty


def borda_vectors(groups: Indices) -> Floats:
    """Worse minus better items, for each item: the vectors of the complete graph.

    >>> borda_vectors(np.array([[0, 1, 1, 2]], dtype=np.uint32))
    array([[ 3.,  0.,  0., -3.]])
    """
    if groups.size * groups.shape[1] <= FEW_ENTRIES and not (groups == NOWHERE).any():
        places = groups.astype(np.int64)
        signs = np.sign(places[:, None, :] - places[:, :, None])
        return np.asarray(signs.sum(axis=2), dtype=np.float64)
    vectors = np.empty(groups.shape)
    centred_positions(groups, vectors)
    return vectors


def graph_vectors(graph: "ItemGraph") -> Vectors:
    """Σ_j W_ij·e_ij with e_ij the expected sign, for each item i: positive where i is better.

    Tied items do not count for or against each other, and each keeps its own sum. In the vectors of
    the kernel they share the mean of their group: an item with strong edges would gain more where
    it is listed than it loses where it is not, and come first although nobody prefers it.

    >>> from rankcut.graphs import as_item_graph
    >>> chain = as_item_graph([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    >>> graph_vectors(chain)(np.array([[0, 1, 1], [1, 1, 0]], dtype=np.uint32))
    array([[ 1., -1.,  0.],
           [ 0., -2.,  2.]])
    """
    # Imported here, because item graphs import scikit-learn, which other vectors do not need.
    from rankcut.cuts.cut_functions import ExpectedSlopes

    slopes = ExpectedSlopes(graph)

    def vectors(groups: Indices) -> Floats:
        ranks = np.where(groups == NOWHERE, np.nan, groups)
        rows = np.empty(groups.shape)
        for first, block in slopes.read(Rankings(ranks, unranked="anywhere"), 0, len(groups)):
            entries = slopes.entries(block, np.ones(len(block)), shared=False)
            spread_rows(entries, rows[first : first + len(block)])
        return rows

    return vectors


def ratio_vectors(units: Units) -> Vectors:
    """Vectors whose mean is n − 1 times what share of comparisons an item wins, minus loses.

    For incomplete rankings of more items than pairs can be looked at.
    """
    n_items = units.n_items
    won, met, mass = np.zeros(n_items), np.zeros(n_items), 0.0
    for block in units.blocks(n_items):
        counts = block.counts.astype(np.float64)
        wins, meetings = listed_wins(block.groups)
        won += counts @ block.totals(wins)
        met += counts @ block.totals(meetings)
        mass += float(counts @ block.masses())
    share = np.divide(won, met, out=np.zeros(n_items), where=met > 0)
    each = np.divide(mass, met, out=np.zeros(n_items), where=met > 0)

    def vectors(groups: Indices) -> Floats:
        wins, meetings = listed_wins(groups)
        return np.asarray((n_items - 1) * (share + each * (wins - share * meetings)))

    return vectors


def listed_wins(groups: Indices) -> tuple[Floats, Floats]:
    """How many listed items each listed one beats minus how many beat it, and how many it meets.

    >>> nowhere = np.uint32(NOWHERE)
    >>> wins, meetings = listed_wins(np.array([[0, 0, 1, nowhere]], dtype=np.uint32))
    >>> wins.tolist(), meetings.tolist()
    ([[1.0, 1.0, -2.0, 0.0]], [[2.0, 2.0, 2.0, 0.0]])
    """
    unlisted = groups == NOWHERE
    n_unlisted = unlisted.sum(axis=1, keepdims=True)
    closed = groups.copy()
    # Tied after all others, unlisted items are beaten by each listed one.
    close_rows(closed)
    wins = np.where(unlisted, 0.0, borda_vectors(closed) - n_unlisted)
    return wins, np.where(unlisted, 0.0, groups.shape[1] - n_unlisted - 1.0)


def comparisons(groups: Indices) -> Floats:
    """1, −1 or 0 for each pair i < j: i is better, j is, or the ranking does not compare them.

    By NumPy, so that the first answer about full rankings does not wait for a loop to be compiled.
    """
    n_items = groups.shape[1]
    unranked = groups == NOWHERE
    signs = np.empty((len(groups), n_items * (n_items - 1) // 2))
    stop = 0
    for i in range(n_items - 1):
        start, stop = stop, stop + n_items - 1 - i
        own, others = groups[:, i : i + 1], groups[:, i + 1 :]
        np.subtract(own < others, own > others, out=signs[:, start:stop], dtype=np.float64)
        if unranked.any():
            signs[:, start:stop][unranked[:, i : i + 1] | unranked[:, i + 1 :]] = 0.0
    return signs


def mean_of(units: Units, vectors: Vectors, width: int, *, covariance: bool = False) -> Mean:
    """The mean over people of vectors of ``width`` coordinates, with its standard error."""
    mass, squared_mass = 0.0, 0.0
    total, crossed = np.zeros(width), np.zeros(width)
    second = np.zeros((width, width) if covariance else width)
    for block in units.blocks(width):
        masses = block.masses()
        totals = block.totals(vectors(block.groups))
        counts = block.counts.astype(np.float64)
        mass += float(counts @ masses)
        squared_mass += float(counts @ masses**2)
        total += counts @ totals
        crossed += (counts * masses) @ totals
        if covariance:
            second += (totals * counts[:, None]).T @ totals
        else:
            second += counts @ totals**2
    mean = total / mass
    n_people = units.n_people
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.float64(n_people) / np.float64(n_people - 1) / mass**2
    if covariance:
        outer = np.outer(mean, crossed)
        spread = second - outer - outer.T + squared_mass * np.outer(mean, mean)
        variance = np.diag(spread).copy()
    else:
        spread = None
        variance = second - 2 * mean * crossed + squared_mass * mean**2
    if n_people < 2:
        infinite = np.full(len(mean), np.inf)
        return Mean(mean, infinite, np.diag(infinite) if covariance else None, 1.0)
    return Mean(
        mean,
        np.maximum(variance, 0.0) * scale,
        None if spread is None else spread * scale,
        mass**2 / squared_mass,
    )


def resampled_means(
    units: Units, vectors: Vectors, width: int, n_bootstraps: int, seed: int
) -> Iterator[Floats]:
    """Means in bootstrap samples, some samples at a time: arrays of (n_samples, width).

    Memory does not grow with the number of people or samples.
    """
    bounds = units.bounds()
    sizes = np.array([units.counts[start:stop].sum() for start, stop in bounds], dtype=np.int64)
    step = max(1, min(n_bootstraps, AT_ONCE // max(width, 1)))
    for first in range(0, n_bootstraps, step):
        n_samples = min(step, n_bootstraps - first)
        rng = np.random.default_rng([seed, first])
        drawn = rng.multinomial(units.n_people, sizes / sizes.sum(), size=n_samples)
        sums = np.zeros((n_samples, width))
        masses = np.zeros(n_samples)
        # One array for all blocks: allocating memory costs as much as the work itself.
        space: NDArray[Any] = np.empty(
            n_samples * max(stop - start for start, stop in bounds),
            dtype=np.float32 if drawn.max() < _WHOLE else np.float64,
        )
        for (start, stop), n_drawn in zip(bounds, drawn.T, strict=True):
            block = units.block(start, stop)
            times = space[: n_samples * (stop - start)].reshape(n_samples, stop - start)
            _draw(block.counts, np.ascontiguousarray(n_drawn), rng, times)
            alike = block.weights is None and block.starts is None
            masses += n_drawn if alike else times @ block.masses()
            for chosen, some in block.split(width):
                sums += _weighted_sums(
                    times[:, chosen], some.totals(vectors(some.groups)), int(n_drawn.max())
                )
        yield sums / masses[:, None]


def _weighted_sums(times: NDArray[Any], totals: Floats, most_drawn: int) -> NDArray[Any]:
    """``times @ totals``, in single precision where that is exact, which takes half as long.

    It is exact for whole numbers whose sums are small, such as positions and signs.
    """
    largest = float(np.abs(totals).max(initial=0.0))
    if largest * most_drawn < _WHOLE and (totals == np.rint(totals)).all():
        return np.asarray(times, dtype=np.float32) @ totals.astype(np.float32)
    return np.asarray(times, dtype=np.float64) @ totals


def _draw(counts: Longs, n_drawn: Longs, rng: np.random.Generator, times: NDArray[Any]) -> None:
    """Write how often each unit of a block is drawn, in each sample."""
    n_people = int(counts.sum())
    if n_people > _DRAWN_SINGLY * len(counts):
        times[:] = rng.multinomial(n_drawn, counts / n_people)
        return
    owners = np.repeat(np.arange(len(counts), dtype=np.uint32), counts)
    seeds = rng.integers(0, 1 << 64, size=len(n_drawn), dtype=np.uint64)
    draw_people(owners, n_drawn, seeds, times)


def pair_matrix(upper: NDArray[np.float64], n_items: int) -> Floats:
    """An antisymmetric matrix from its entries i < j, or one for each row of entries.

    >>> pair_matrix(np.array([1.0]), 2)
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    matrix = np.zeros((*upper.shape[:-1], n_items, n_items))
    first, second = np.triu_indices(n_items, 1)
    matrix[..., first, second] = upper
    return matrix - np.swapaxes(matrix, -1, -2)
