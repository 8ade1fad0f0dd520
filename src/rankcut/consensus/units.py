"""What a bootstrap draws, and who counts how often.

A *unit* is all people with the same ranking, or one person with a weight, or one person with
several rankings. Equal rankings are merged and sorted, so rows that are counted and rows that are
repeated give the same units in the same order, and the same seed draws the same samples.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats, Indices, Longs
from rankcut.errors import InputError, Setting
from rankcut.rankings import Rankings, Unranked, merge_rankings
from rankcut.rankings.value import BLOCK


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
    """Rankings as units, read block by block.

    Attributes
    ----------
    rankings : Rankings
        The different rankings.
    listed : ndarray of bool
        Whether anyone lists the item.
    counts : ndarray of int64
        How many people each unit stands for.
    members : ndarray of int64 or None
        The ranking of each row, unit by unit; None: a unit is a ranking.
    weights : ndarray of float64 or None
        The weight of each row; None: all are 1.
    starts : ndarray of int64 or None
        Where the rows of each unit begin, and where the last ends; None: each has one.
    """

    rankings: Rankings
    listed: NDArray[np.bool_]
    counts: Longs
    members: Longs | None = None
    weights: Floats | None = None
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
