"""People as units who say the same; means over people, bootstrap samples and exchanged labels.

A *unit* is all people of one stratum who say the same with the same weights: one ranking each, or
several. Units are sorted by what they say, whatever the order of rows and items, the names of
people, and whether rows are counted or repeated. So all of these give the same sums to the last
bit, and the same seed draws the same samples.

Unit u adds up to the vector X_u with weight W_u and stands for c_u people. The mean is
μ = Σ c_u X_u / Σ c_u W_u. Its error is that of a ratio: unit u contributes X_u − W_u·μ.
A bootstrap sample draws as many people as there are, with replacement.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, issparse

from rankcut._loops.random_streams import draw_people, shuffle_rows
from rankcut._loops.types import Flags, Floats, Indices, Longs
from rankcut.parameters import AT_ONCE, KEPT
from rankcut.rankings import Rankings, Unranked
from rankcut.rankings.partitions import BLOCK
from rankcut.sample.entries import ListEntries
from rankcut.sample.units import Units, read_units

#: From the groups of some rankings to a vector for each.
Vectors: TypeAlias = Callable[[Indices], Floats]

# Whole numbers below this are exact in single precision.
_WHOLE = int(2 / np.finfo(np.float32).eps)


@dataclass(frozen=True, eq=False)
class Mean:
    """A mean over people, and how sure it is."""

    vector: Floats  #: the mean
    variance: Floats  #: the square of its standard error; infinite if there is a single person
    covariance: Floats | None  #: the covariance of the mean, if asked for
    n_effective: float  #: number of people of equal weight that would give the same certainty


@dataclass(frozen=True, eq=False)
class Block:
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

    def split(self, width: int) -> Iterator[tuple[slice, "Block"]]:
        """Blocks of fewer units, whose vectors of ``width`` coordinates fit in the cache.

        Of very long vectors, blocks that do not.
        """
        n_units = len(self.counts)
        each = max(1, len(self.groups) // n_units)
        # A product of fewer units takes less time than adding it to the sums.
        step = max(64, BLOCK // (max(width, 1) * each))
        for start in range(0, n_units, step):
            units = slice(start, min(start + step, n_units))
            rows, starts = units, None
            if self.starts is not None:
                ends = np.append(self.starts, len(self.groups))
                rows = slice(int(ends[units.start]), int(ends[units.stop]))
                starts = self.starts[units] - rows.start
            weights = None if self.weights is None else self.weights[rows]
            yield units, Block(self.groups[rows], weights, starts, self.counts[units])


@dataclass(frozen=True, eq=False)
class Sample:
    """Rankings, and who stands behind them.

    Examples
    --------
    Ann says the same twice, and three others say the same once:

    >>> from rankcut.rankings import read_rankings
    >>> rankings = read_rankings(
    ...     [[1, 2, 3], [1, 2, 3], [3, 1, 2]], people=["Ann", "Ann", "Bob"]
    ... )
    >>> sample = Sample.of(rankings)
    >>> sample.n_people, sample.n_effective
    (2, 1.8)
    >>> sample.mean(lambda groups: groups.astype(float), 3).vector.round(3).tolist()
    [0.667, 0.667, 1.667]
    """

    rankings: Rankings  #: the different rankings
    listed: Flags  #: whether anyone lists the item
    which: Longs  #: the different ranking that each row is; −1: it lists nothing, or counts 0 times
    units: Units  #: who says what

    @classmethod
    def of(
        cls,
        rankings: Rankings,
        *,
        strata: Longs | None = None,
        beside: Longs | None = None,
        once: bool = False,
        as_listed: bool = False,
    ) -> Self:
        """The people behind rankings: whose they are, if that is known, or else one for each.

        Rows that list nothing, or count 0 times, are left out. Only ratios of weights matter: they
        are divided by the largest.

        Parameters
        ----------
        rankings : Rankings
            With their people, counts and weights.
        strata : array of shape (n_rows,) or None
            A number for the stratum of each row, from 0; a person is in one.
        beside : array of shape (n_rows,) or None
            A number for what is said beside each ranking, such as covariates: rows that differ in
            it are different.
        once : bool
            Whether each person counts once, however many rankings they made: the weights of a
            person's rankings add up to 1, or to the mean of their survey weights.
        as_listed : bool
            Whether a list that ends in a tie and a shorter one differ although unranked items come
            last.
        """
        different, listed, which, units = read_units(
            rankings, strata, beside, once=once, as_listed=as_listed
        )
        sample = cls(different, listed, which, units)
        different = different.with_weights(sample.ranking_weights, counted=sample.alike)
        return replace(sample, rankings=different)

    @classmethod
    def numbered(cls, rankings: Rankings, numbers: Longs) -> Self:
        """The people behind rankings, where it is known already which of them are equal.

        ``numbers`` has the different ranking of each row, from 0.
        """
        return cls(*read_units(rankings, None, None, once=False, as_listed=True, numbers=numbers))

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.rankings.shape[1]

    @property
    def unranked(self) -> Unranked:
        """What an unranked item means."""
        return self.rankings.unranked

    @property
    def compares(self) -> bool:
        """Whether anyone puts two items in order."""
        if self.rankings.sparse is None:
            return any((block.groups + 1 > 1).any() for block in self.blocks(self.n_items))
        entries = ListEntries.of(self.rankings)
        partial = self.unranked == "last" and bool((entries.lengths < self.n_items).any())
        return partial or bool(entries.group.any())

    @property
    def counts(self) -> Longs:
        """How many people each unit stands for."""
        return self.units.counts

    @property
    def n_people(self) -> int:
        """Number of people."""
        return int(self.counts.sum())

    @property
    def alike(self) -> bool:
        """Whether each person has one ranking, all of the same weight."""
        return self.units.weights is None and self.units.starts is None

    @property
    def single(self) -> bool:
        """Whether each person has one ranking."""
        return self.units.starts is None

    @cached_property
    def membership(self) -> csr_array:
        """The weight of each different ranking in each unit, (n_units, n_different)."""
        members, weights = self.units.members, self.units.weights
        weights = np.ones(len(members)) if weights is None else weights
        shape = (len(self.counts), self.rankings.shape[0])
        return csr_array((weights, members, self._starts), shape=shape)

    @cached_property
    def masses(self) -> Floats:
        """The sum of the weights of each unit."""
        if self.units.weights is None and self.units.starts is None:
            return np.ones(len(self.counts))
        return np.asarray(self.membership.sum(axis=1), dtype=np.float64).ravel()

    @property
    def total(self) -> float:
        """The sum of the weights of all people."""
        return float(self.counts @ self.masses)

    @property
    def n_effective(self) -> float:
        """How many people who count alike would say as much (Kish)."""
        if self.alike:
            return float(self.n_people)
        return self.total**2 / float(self.counts @ self.masses**2)

    @cached_property
    def ranking_weights(self) -> Floats:
        """The sum of the weights of each different ranking, over all people."""
        return np.asarray(self.counts.astype(np.float64) @ self.membership)

    def arranged(self, order: Longs) -> "Sample":
        """The sample with its items in another order."""
        rankings = self.rankings.among(order)
        return replace(self, rankings=rankings, listed=self.listed[order])

    def as_rankings(self) -> Rankings:
        """The rankings, sorted: equal ones counted, or with their weights and whose they are."""
        units, starts = self.units, self._starts
        if self.alike:
            rows = self.rankings.rows(units.members)
            return rows.with_weights(self.counts.astype(np.float64), counted=True)
        entries = np.concatenate([np.arange(*starts[unit : unit + 2]) for unit in self.owners])
        people = np.repeat(np.arange(self.n_people), np.diff(starts)[self.owners])
        rows = self.rankings.rows(units.members[entries])
        if not self.single:
            rows = rows.with_people(people)
        if units.weights is None:
            return rows.without_weights()
        return rows.with_weights(units.weights[entries], counted=False)

    def blocks(self, width: int) -> Iterator[Block]:
        """All units in blocks, for vectors of ``width`` coordinates."""
        for start, stop in self._bounds():
            for _, block in self._block(start, stop).split(width):
                yield block

    def sums(self, vectors: Vectors, width: int) -> Floats:
        """Σ over people of the weighted vectors of their rankings."""
        total = np.zeros(width)
        for block in self.blocks(width):
            total += block.counts.astype(np.float64) @ block.totals(vectors(block.groups))
        return total

    def mean(self, vectors: Vectors, width: int, *, covariance: bool = False) -> Mean:
        """The mean over people of vectors of ``width`` coordinates, with its standard error."""
        mass, squared_mass = 0.0, 0.0
        total, crossed = np.zeros(width), np.zeros(width)
        second = np.zeros((width, width) if covariance else width)
        for block in self.blocks(width):
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
        mean, n_people = total / mass, self.n_people
        if n_people < 2:
            infinite = np.full(width, np.inf)
            return Mean(mean, infinite, np.diag(infinite) if covariance else None, 1.0)
        scale = n_people / (n_people - 1) / mass**2
        n_effective = mass**2 / squared_mass
        if not covariance:
            variance = second - 2 * mean * crossed + squared_mass * mean**2
            return Mean(mean, np.maximum(variance, 0.0) * scale, None, n_effective)
        outer = np.outer(mean, crossed)
        spread = (second - outer - outer.T + squared_mass * np.outer(mean, mean)) * scale
        return Mean(mean, np.maximum(np.diag(spread), 0.0), spread, n_effective)

    def bootstrap(
        self, vectors: Vectors, width: int, n_bootstraps: int, seed: int
    ) -> Iterator[Floats]:
        """Means in bootstrap samples, some samples at a time: arrays of (n_samples, width).

        Memory does not grow with the number of people or samples.
        """
        bounds = self._bounds()
        sizes = np.array([self.counts[start:stop].sum() for start, stop in bounds])
        step = max(1, min(n_bootstraps, AT_ONCE // max(width, 1)))
        # Vectors are made once for all samples, unless they are many.
        keeps = step < n_bootstraps and len(self.counts) * width <= KEPT // 4
        totals_of: dict[tuple[int, int], Floats] = {}
        for first in range(0, n_bootstraps, step):
            n_samples = min(step, n_bootstraps - first)
            rng = np.random.default_rng([seed, first])
            n_drawn_of = rng.multinomial(self.n_people, sizes / sizes.sum(), size=n_samples)
            sums, masses = np.zeros((n_samples, width)), np.zeros(n_samples)
            # One array for all blocks: allocating memory costs as much as the work itself.
            space: NDArray[Any] = np.empty(
                n_samples * max(stop - start for start, stop in bounds),
                dtype=np.float32 if n_drawn_of.max() < _WHOLE else np.float64,
            )
            for (start, stop), n_drawn in zip(bounds, n_drawn_of.T, strict=True):
                block = self._block(start, stop)
                times = space[: n_samples * (stop - start)].reshape(n_samples, stop - start)
                _draw(block.counts, np.ascontiguousarray(n_drawn), rng, times)
                masses += n_drawn if self.alike else times @ block.masses()
                for some, inner in block.split(width):
                    totals = totals_of.get((start, some.start))
                    if totals is None:
                        totals = inner.totals(vectors(inner.groups))
                    if keeps:
                        totals_of[start, some.start] = totals
                    sums += _weighted_sums(times[:, some], totals, int(n_drawn.max()))
            yield sums / masses[:, None]

    def per_person(self, rows: Any) -> Any:
        """Weighted sums by unit of rows, one for each different ranking; dense or sparse."""
        return self.membership @ rows

    def variation(
        self, sums: Any, left: Floats | None = None, right: Floats | None = None
    ) -> Floats:
        """Σ over people of the squares of their sums, each minus its part of the mean.

        It is n/(n − 1) times as large, n the number of people: the middle of the sandwich.

        Parameters
        ----------
        sums : array or CSR array of shape (n_units, width)
            What a person of each unit adds up to.
        left, right : arrays of shapes (n_units, k) and (k, width), or None
            Their product is added to sparse sums, without making it.
        """
        counts, masses = self.counts.astype(np.float64), self.masses
        total, n_people = float(counts @ masses), self.n_people
        if not issparse(sums):
            apart = sums - np.outer(masses, counts @ sums / total)
            squares = (apart * counts[:, None]).T @ apart
        else:
            columns = np.empty((len(counts), 0)) if left is None else left
            across = np.empty((0, sums.shape[1])) if right is None else right
            mean = (counts @ sums + (counts @ columns) @ across) / total
            columns, across = np.column_stack([columns, -masses]), np.vstack([across, mean])
            counted = columns * counts[:, None]
            crossed = (sums.T @ counted) @ across
            squares = (sums.T @ diags_array(counts) @ sums).toarray()
            squares = squares + crossed + crossed.T + across.T @ (columns.T @ counted) @ across
        return np.asarray(squares * (n_people / max(1, n_people - 1)))

    def table(self, labels: Longs, n_labels: int) -> Longs:
        """How many people of each unit have each label, (n_units, n_labels).

        ``labels`` has a number for each row, from 0; a person has one.
        """
        rows = np.flatnonzero(self.units.of_rows >= 0)
        cells = self.units.of_rows[rows] * n_labels + labels[rows]
        size = len(self.counts) * n_labels
        table = np.bincount(cells, self.units.heads[rows].astype(np.float64), size)
        return table.reshape(-1, n_labels).astype(np.int64)

    @cached_property
    def owners(self) -> Longs:
        """The unit of each person."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def stratum_starts(self) -> Longs:
        """The first unit of each stratum, and the end."""
        changes = np.flatnonzero(np.diff(self.units.strata)) + 1
        return np.concatenate([[0], changes, [len(self.counts)]]).astype(np.int64)

    def exchanged_places(self, n_exchanges: int, seed: int, first: int = 0) -> NDArray[np.int32]:
        """The person whose place each takes, within strata; (n_exchanges, n_people), unit by unit.

        Exchange number ``first + k`` depends on the seed and this number alone.
        """
        places = np.empty((n_exchanges, self.n_people), dtype=np.int32)
        shuffle_rows(self._people_starts, np.uint64(seed), first, places)
        return places

    @property
    def _people_starts(self) -> Longs:
        """The first person of each stratum, and the end."""
        return np.concatenate([[0], np.cumsum(self.counts)])[self.stratum_starts]

    @property
    def _starts(self) -> Longs:
        """The first entry of each unit, and the end."""
        starts = self.units.starts
        return np.arange(len(self.counts) + 1) if starts is None else starts

    def _bounds(self) -> list[tuple[int, int]]:
        """The first unit of each block, and the one after its last."""
        step, n_units = max(1, BLOCK // self.n_items), len(self.counts)
        blocks = self._starts[:-1] // step
        ends = [*np.flatnonzero(np.diff(blocks, prepend=-1)).tolist(), n_units]
        return list(pairwise(ends))

    def _block(self, start: int, stop: int) -> Block:
        """The units from ``start`` to ``stop``."""
        first, last, starts = start, stop, None
        if self.units.starts is not None:
            first, last = int(self.units.starts[start]), int(self.units.starts[stop])
            starts = self.units.starts[start:stop] - first
        members = self.units.members[first:last]
        if (np.diff(members) == 1).all():
            groups = self.rankings.groups(int(members[0]), int(members[-1]) + 1)
        else:
            groups = self.rankings.rows(members).groups()
        weights = None if self.units.weights is None else self.units.weights[first:last]
        return Block(groups, weights, starts, self.counts[start:stop])


def weighted_median(values: NDArray[Any], counts: NDArray[Any]) -> float:
    """The median of values that occur so often; 0 without any.

    >>> weighted_median(np.array([5.0, 1.0, 2.0]), np.array([1, 1, 2]))
    2.0
    """
    if not len(values):
        return 0.0
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(counts[order])
    low, high = (np.searchsorted(ends, ends[-1] / 2, side) for side in ("left", "right"))
    return float(values[order[low]] + values[order[min(high, len(order) - 1)]]) / 2


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
    # One by one, unless units stand for many.
    if n_people > 16 * len(counts):
        times[:] = rng.multinomial(n_drawn, counts / n_people)
        return
    owners = np.repeat(np.arange(len(counts), dtype=np.uint32), counts)
    seeds = rng.integers(0, 1 << 64, size=len(n_drawn), dtype=np.uint64)
    draw_people(owners, n_drawn, seeds, times)
