"""Which rankings there are, in which groups, and which labels may be exchanged with which.

A *unit* is what is permuted: a ranking, or a person with all of their rankings. Labels are
exchanged among the units of a *stratum*. Units of a stratum with equal rankings are a *cell*,
counted once. Each cell has a score, a vector that is centred in its stratum; a test is a function
of the sums of scores over groups.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.types import Floats, Longs
from rankcut.comparison.rows import ComparedRows

# Numbers below this share of the largest are rounding errors.
ROUNDING = 1e-9

# Up to this many scores are kept (512 MB); more are recomputed in each pass.
KEPT = 1 << 26

# Cells whose scores are made or multiplied at once.
BLOCK = 8192

Vectors: TypeAlias = Callable[[NDArray[Any]], Floats]
"""``vectors(numbers)`` returns the vectors of the different rankings with these numbers."""


@dataclass(frozen=True)
class Design:
    """Cells in the order of their strata.

    Attributes
    ----------
    table : (n_cells, n_groups) int64
        How many units of each cell are in each group.
    starts : (n_strata + 1,)
        Where the cells of each stratum begin.
    members : (n_cells, n_distinct) sparse, or None
        The weight of each different ranking in a unit of the cell; None: only ``ranking``.
    ranking : (n_cells,)
        The different ranking of each cell, if ``members`` is None.
    weight : (n_cells,)
        The weight of a unit.
    n_distinct : int
        Number of different rankings.
    """

    table: Longs
    starts: Longs
    members: csr_array | None
    ranking: Longs
    weight: Floats
    n_distinct: int

    @cached_property
    def counts(self) -> Longs:
        """Units of each cell."""
        return np.asarray(self.table.sum(axis=1), dtype=np.int64)

    @cached_property
    def sizes(self) -> Longs:
        """Units of each group in each stratum."""
        return np.asarray(np.add.reduceat(self.table, self.starts[:-1], axis=0), dtype=np.int64)

    @cached_property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.table.sum())

    @cached_property
    def strata(self) -> Longs:
        """The stratum of each cell."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def make_design(rows: ComparedRows, refine: Longs | None = None) -> Design:
    """The cells of these rows; ``refine`` splits strata further where units are single rows."""
    n_groups = int(rows.group.max()) + 1
    n_distinct = rows.rankings.shape[0]
    stratum = rows.stratum
    if refine is not None and rows.person is None:
        stratum = stratum * (int(refine.max()) + 1) + refine
    if rows.person is None and rows.counted:
        keys, cell = np.unique(stratum * n_distinct + rows.index, return_inverse=True)
        table = np.bincount(
            cell * n_groups + rows.group, rows.weight, minlength=len(keys) * n_groups
        )
        return Design(
            np.rint(table).astype(np.int64).reshape(-1, n_groups),
            _starts(keys // n_distinct),
            None,
            keys % n_distinct,
            np.ones(len(keys)),
            n_distinct,
        )
    if rows.person is None:
        # So that results do not depend on the order of rows.
        order = np.lexsort((rows.group, rows.weight, rows.index, stratum))
        unit = np.empty(len(order), dtype=np.int64)
        unit[order] = np.arange(len(order))
    else:
        keys, unit = np.unique(
            stratum * (int(rows.person.max()) + 1) + rows.person, return_inverse=True
        )
    n_units = int(unit.max()) + 1
    members = csr_array((rows.weight, (unit, rows.index)), shape=(n_units, n_distinct))
    table = np.zeros((n_units, n_groups), dtype=np.int64)
    table[unit, rows.group] = 1
    strata = np.empty(n_units, dtype=np.int64)
    strata[unit] = stratum
    weight = np.asarray(members.sum(axis=1)).ravel()
    return Design(table, _starts(strata), members, np.empty(0, np.int64), weight, n_distinct)


class Scores:
    """The vector of a cell's unit, minus its weight times the mean of the stratum.

    Attributes
    ----------
    width : int
        Number of coordinates.
    means : (n_groups, width)
        Mean vector of each group.
    total : (width,)
        Sum of squares of the rankings' coordinates about the means of their strata.
    own : (width,)
        Sum of squares of the units' scores.
    """

    def __init__(self, design: Design, vectors: Vectors, width: int) -> None:
        self.design = design
        self.width = width
        self._vectors = vectors
        # Units share rankings, whose vectors are computed once.
        self._shared = None if design.members is None else vectors(np.arange(design.n_distinct))
        fits = len(design.table) * width <= KEPT
        self._stored = np.empty((len(design.table), width)) if fits else None
        self._centre()

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Scores of some cells at a time."""
        for cells in slices(len(self.design.table)):
            if self._stored is not None:
                yield cells, self._stored[cells]
            else:
                yield cells, self._raw(cells) - self._expected(cells)

    def _raw(self, cells: slice) -> Floats:
        if self.design.members is None:
            return self._vectors(self.design.ranking[cells])
        return np.asarray(self.design.members[cells] @ self._shared)

    def _expected(self, cells: slice) -> Floats:
        means: Floats = self._centres[self.design.strata[cells]]
        return means * self.design.weight[cells, np.newaxis]

    def _centre(self) -> None:
        design = self.design
        n_strata = len(design.starts) - 1
        counts = design.counts
        sums = np.zeros((n_strata, self.width))
        of_groups = np.zeros((design.table.shape[1], self.width))
        for cells in slices(len(counts)):
            raw = self._raw(cells)
            if self._stored is not None:
                self._stored[cells] = raw
            membership = csr_array(
                (counts[cells].astype(float), (self.design.strata[cells], np.arange(len(raw)))),
                shape=(n_strata, len(raw)),
            )
            sums += membership @ raw
            of_groups += design.table[cells].T.astype(float) @ raw
        weights = np.add.reduceat(counts * design.weight, design.starts[:-1])
        self._centres = sums / weights[:, np.newaxis]
        self.group_weights = design.table.T @ design.weight
        self.means = of_groups / self.group_weights[:, np.newaxis]
        if self._stored is not None:
            for cells in slices(len(counts)):
                self._stored[cells] -= self._expected(cells)
        self.own = np.zeros(self.width)
        for cells, block in self.blocks():
            self.own += counts[cells] @ block**2
        self.total = self.own if design.members is None else self._total(weights)

    def _total(self, weights: Floats) -> Floats:
        """For units with several rankings or with weights: from the rankings themselves."""
        assert self.design.members is not None
        assert self._shared is not None
        of_rankings = np.asarray(self.design.members.sum(axis=0)).ravel()
        squares = of_rankings @ self._shared**2
        total: Floats = np.maximum(squares - weights @ self._centres**2, 0.0)
        return total


def slices(size: int, step: int = BLOCK) -> list[slice]:
    """Slices of the numbers from 0, a few at a time."""
    return [slice(start, min(start + step, size)) for start in range(0, size, step)]


def _starts(strata: Longs) -> Longs:
    """Where each stratum begins, and where the last one ends."""
    changes = np.flatnonzero(np.diff(strata)) + 1
    return np.concatenate([[0], changes, [len(strata)]]).astype(np.int64)
