"""The vectors by which rankings are compared: places, pairs, features; and those of people."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.pairs import expected_signs
from rankcut._loops.partitions import centred_positions
from rankcut._loops.types import Floats, Longs
from rankcut.comparison.rows import Design
from rankcut.comparison.statistics import Moments, variance_scale
from rankcut.kernels.chosen_features import choose_features
from rankcut.parameters import KEPT
from rankcut.rankings import Rankings
from rankcut.rankings.value import ROUNDING

# Groups with fewer units have no variance to rely on: `python benchmarks/comparison.py few`.
FEW_UNITS = 10

# Cells whose vectors are made at once.
BLOCK = 8192


class Coordinates(NamedTuple):
    """``vectors(numbers)`` are those of the different rankings with these numbers.

    ``error`` is the share of a kernel that they miss.
    """

    vectors: Callable[[NDArray[Any]], Floats]
    width: int
    error: float = 0.0
    name: str = ""


def places(rankings: Rankings) -> Coordinates:
    """Mean place of each item, 1 = best: (n + 1 − φ)/2 with features φ of the complete graph."""
    n_items = rankings.shape[1]
    return _looped(rankings, n_items, centred_positions, lambda phi: (n_items + 1.0 - phi) / 2.0)


def pairs(rankings: Rankings) -> Coordinates:
    """Share that puts i before j, for each pair i < j: a tie counts half."""
    width = rankings.shape[1] * (rankings.shape[1] - 1) // 2
    return _looped(rankings, width, expected_signs, lambda sign: (sign + 1.0) / 2.0)


def _looped(
    rankings: Rankings, width: int, loop: Any, scaled: Callable[[Floats], Floats]
) -> Coordinates:
    """What a compiled loop makes of the groups of each ranking, in other units."""

    def vectors(numbers: NDArray[Any]) -> Floats:
        values = np.empty((len(numbers), width))
        loop(rankings.rows(numbers).groups(), values)
        return scaled(values)

    return Coordinates(vectors, width)


def stored(values: Floats, error: float = 0.0, name: str = "") -> Coordinates:
    """Vectors that are computed already, a row for each different ranking."""
    return Coordinates(values.__getitem__, values.shape[1], error, name)


def features_of(features: Any, rankings: Rankings, seed: int) -> Coordinates:
    """Vectors of a feature estimator, or of a kernel by its Gram matrix."""
    ranks = rankings.read(0, rankings.shape[0])
    chosen = choose_features(features, ranks, rankings.unranked, rankings.items, seed)
    values = chosen.vectors(ranks)
    return stored(values, chosen.missed(ranks, values), chosen.name)


class Scores:
    """The vectors of units: sums of their weighted vectors, minus what their stratum expects.

    Attributes
    ----------
    columns : dict of slices
        The coordinates of each part.
    centre : (width,)
        The mean vector of all rankings.
    total : (width,)
        Sum of squares of the rankings' coordinates about the means of their strata.
    own : (width,)
        Sum of squares of the units' vectors.
    varies : (width,)
        Coordinates that are not all rounding.
    """

    def __init__(self, design: Design, parts: Mapping[str, Coordinates]) -> None:
        self.design = design
        self.columns, self.width = {}, 0
        for name, part in parts.items():
            self.columns[name] = slice(self.width, self.width + part.width)
            self.width += part.width
        self._parts = parts
        n_cells, n_strata = len(design.table), len(design.starts) - 1
        self._kept: dict[int, Floats] | None = {} if n_cells * self.width <= KEPT else None
        sums, squares = np.zeros((n_strata, self.width)), np.zeros(self.width)
        for cells in slices(n_cells):
            members, vectors = self._vectors(cells)
            often = design.counts[cells].astype(np.float64)
            places = (design.strata[cells], np.arange(len(often)))
            sums += csr_array((often, places), shape=(n_strata, len(often))) @ (members @ vectors)
            squares += (often @ members) @ vectors**2
        weights = np.add.reduceat(design.counts * design.weight, design.starts[:-1])
        self._centres = sums / weights[:, np.newaxis]
        self.centre = sums.sum(axis=0) / weights.sum()
        self.total = np.maximum(squares - weights @ self._centres**2, 0.0)
        self.own = np.zeros(self.width)
        for cells, block in self.blocks():
            self.own += design.counts[cells] @ block**2
        self.varies = self.own > ROUNDING * max(float(self.own.max(initial=0.0)), 1e-300)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Vectors of some cells at a time."""
        for cells in slices(len(self.design.table)):
            block = None if self._kept is None else self._kept.get(cells.start)
            if block is None:
                members, vectors = self._vectors(cells)
                means = self._centres[self.design.strata[cells]]
                block = members @ vectors - means * self.design.weight[cells, np.newaxis]
            if self._kept is not None:
                self._kept[cells.start] = block
            yield cells, block

    def moments(self, name: str) -> Moments:
        """Those of the groups as they are, for the vectors of a part."""
        design, columns = self.design, self.columns[name]
        weights = design.weight @ design.table
        means = np.zeros((len(weights), self._parts[name].width))
        for cells, block in self.blocks():
            means += design.table[cells].T @ block[:, columns]
        means /= weights[:, np.newaxis]
        spread = np.zeros((*means.shape, means.shape[1]))
        for cells, block in self.blocks():
            part, weight = block[:, columns], design.weight[cells, np.newaxis]
            for group, mean in enumerate(means):
                often = design.table[cells, group]
                own = np.flatnonzero(often)
                left = part[own] - weight[own] * mean
                spread[group] += (left * often[own, np.newaxis]).T @ left
        sizes = design.table.sum(axis=0)
        spread *= variance_scale(weights, sizes)[:, np.newaxis, np.newaxis]
        return Moments(means, np.einsum("gii->gi", spread), weights, sizes, spread)

    def within(self, name: str) -> Floats:
        """The total variance of single rankings in each group, for the vectors of a part."""
        shares = csr_array(self.design.table.T.astype(np.float64)) @ self.design.members
        shares = shares.multiply(1.0 / shares.sum(axis=1)[:, np.newaxis]).tocsr()
        n_groups, n_distinct = shares.shape
        squares, means = np.zeros(n_groups), np.zeros((n_groups, self._parts[name].width))
        for some in slices(n_distinct):
            vectors = self._parts[name].vectors(np.arange(some.start, some.stop))
            squares += shares[:, some] @ (vectors**2).sum(axis=1)
            means += shares[:, some] @ vectors
        return np.asarray(np.maximum(squares - (means**2).sum(axis=1), 0.0))

    def is_nearly_normal(self, enough: int) -> bool:
        """Whether every unit weighs less than one of ``enough`` equal units."""
        weight, counts = self.design.weight, self.design.counts
        return float(weight.max() ** 2 / (counts @ weight**2)) < 1.0 / enough

    def adjusted_means(self, means: Floats, weights: Floats) -> Floats:
        """Means of groups; with strata, as if each group had the same share of each stratum.

        The coefficients of groups in a regression on groups and strata.
        """
        design = self.design
        table = design.table * design.weight[:, np.newaxis]
        of_strata = np.add.reduceat(table, design.starts[:-1], axis=0)
        shares = of_strata / of_strata.sum(axis=1, keepdims=True)
        mixing = np.diag(of_strata.sum(axis=0)) - of_strata.T @ shares
        found = np.linalg.pinv(mixing, rcond=ROUNDING) @ (weights[:, np.newaxis] * means)
        return np.asarray(self.centre + found - weights @ found / weights.sum())

    def sums(self, part: Coordinates, cells: slice) -> Floats:
        """Weighted sums of other vectors over the rankings of each unit of some cells."""
        members, used = self._members(cells)
        return np.asarray(members @ part.vectors(used))

    def _vectors(self, cells: slice) -> tuple[csr_array, Floats]:
        """The weights of different rankings in some cells, and the vectors of these rankings."""
        members, used = self._members(cells)
        vectors = np.empty((len(used), self.width))
        for name, part in self._parts.items():
            vectors[:, self.columns[name]] = part.vectors(used)
        return members, vectors

    def _members(self, cells: slice) -> tuple[csr_array, Longs]:
        """The weights of different rankings in some cells, and which rankings these are."""
        own = self.design.members[cells]
        used, columns = np.unique(own.indices, return_inverse=True)
        shape = (own.shape[0], len(used))
        return csr_array((own.data, columns, own.indptr), shape=shape), used


def slices(size: int) -> list[slice]:
    """Slices of the numbers from 0, a block at a time."""
    return [slice(start, min(start + BLOCK, size)) for start in range(0, size, BLOCK)]
