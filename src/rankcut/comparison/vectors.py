"""The vectors by which rankings are compared: places, pairs, lists, features."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.partitions import centred_positions
from rankcut._loops.signs import expected_signs
from rankcut._loops.types import Floats
from rankcut.comparison.rows import ComparedRows, Design
from rankcut.kernels.chosen_features import choose_features
from rankcut.parameters import KEPT
from rankcut.rankings import Rankings
from rankcut.rankings.value import ROUNDING

# Cells whose vectors are made at once.
_BLOCK = 8192

Vectors: TypeAlias = Callable[[NDArray[Any]], Floats]
"""``vectors(numbers)`` returns the vectors of the different rankings with these numbers."""


class Coordinates(NamedTuple):
    """Vectors of a certain width; ``error`` is the share of a kernel that they miss."""

    vectors: Vectors
    width: int
    error: float = 0.0
    name: str = ""

    def notes(self) -> list[str]:
        """How much of a kernel is missed, in words."""
        if not self.error:
            return []
        return [f"The kernel is approximated: its vectors miss {100 * self.error:.2g} % of it."]


def places(rankings: Rankings) -> Coordinates:
    """Mean place of each item, 1 = best: (n + 1 − φ)/2 with features φ of the complete graph."""
    n_items = rankings.shape[1]

    def vectors(numbers: NDArray[Any]) -> Floats:
        values = np.empty((len(numbers), n_items))
        centred_positions(rankings.rows(numbers).groups(), values)
        values -= n_items + 1.0
        values /= -2.0
        return values

    return Coordinates(vectors, n_items, name="mean places")


def pairs(rankings: Rankings) -> Coordinates:
    """Share that puts i before j, for each pair i < j: a tie counts half."""
    n_items = rankings.shape[1]
    width = n_items * (n_items - 1) // 2

    def vectors(numbers: NDArray[Any]) -> Floats:
        values = np.empty((len(numbers), width))
        expected_signs(rankings.rows(numbers).groups(), values)
        values += 1.0
        values /= 2.0
        return values

    return Coordinates(vectors, width)


def listings(rows: ComparedRows) -> Coordinates:
    """1 for each item that is listed."""
    return stored(rows.listed().astype(np.float64))


def stored(values: Floats, error: float = 0.0, name: str = "") -> Coordinates:
    """Vectors that are computed already, a row for each different ranking."""
    return Coordinates(values.__getitem__, values.shape[1], error, name)


def features_of(features: Any, rankings: Rankings, seed: int) -> Coordinates:
    """Vectors of a feature estimator, or of a kernel by its Gram matrix."""
    ranks = rankings.read(0, rankings.shape[0])
    chosen = choose_features(features, ranks, rankings.unranked, rankings.items, seed)
    values = chosen.vectors(ranks)
    return stored(values, chosen.missed(ranks, values), chosen.name)


def agreement(rows: ComparedRows, vectors: Coordinates) -> Coordinates:
    """How far each ranking agrees with the mean of all: its product with that about its mean.

    It differs if one group is more of one mind than another.
    """
    often = np.bincount(rows.index, rows.count * rows.weight, rows.rankings.shape[0])
    mean = np.zeros(vectors.width)
    for some in slices(len(often)):
        mean += often[some] @ vectors.vectors(np.arange(some.start, some.stop))
    along = (mean - mean.mean()) / often.sum()
    # Where items do not differ, rounding has no direction.
    along = np.where(np.abs(along).max() > ROUNDING * len(along), along, 0.0)[:, np.newaxis]
    return Coordinates(lambda numbers: vectors.vectors(numbers) @ along, 1)


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
    """

    def __init__(self, design: Design, parts: Mapping[str, Coordinates]) -> None:
        self.design = design
        self.columns, self.width = {}, 0
        for name, part in parts.items():
            self.columns[name] = slice(self.width, self.width + part.width)
            self.width += part.width
        self._parts = parts
        fits = len(design.table) * self.width <= KEPT
        self._stored = np.empty((len(design.table), self.width)) if fits else None
        n_strata = len(design.starts) - 1
        sums, squares = np.zeros((n_strata, self.width)), np.zeros(self.width)
        for cells in slices(len(design.table)):
            members, vectors = self._members(cells)
            raw = np.asarray(members @ vectors)
            if self._stored is not None:
                self._stored[cells] = raw
            often = design.counts[cells].astype(np.float64)
            membership = csr_array(
                (often, (design.strata[cells], np.arange(len(raw)))), shape=(n_strata, len(raw))
            )
            sums += membership @ raw
            squares += (often @ members) @ vectors**2
        weights = np.add.reduceat(design.counts * design.weight, design.starts[:-1])
        self._centres = sums / weights[:, np.newaxis]
        self.centre = sums.sum(axis=0) / weights.sum()
        self.total = np.maximum(squares - weights @ self._centres**2, 0.0)
        if self._stored is not None:
            for cells in slices(len(design.table)):
                self._stored[cells] -= self._expected(cells)
        self.own = np.zeros(self.width)
        for cells, block in self.blocks():
            self.own += design.counts[cells] @ block**2

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Vectors of some cells at a time."""
        for cells in slices(len(self.design.table)):
            if self._stored is not None:
                yield cells, self._stored[cells]
            else:
                members, vectors = self._members(cells)
                yield cells, members @ vectors - self._expected(cells)

    def within(self, rows: ComparedRows, parts: Sequence[str]) -> dict[str, Floats]:
        """The total variance of single rankings in each group, for the vectors of some parts."""
        n_groups, n_distinct = self.design.table.shape[1], rows.rankings.shape[0]
        weight = rows.count * rows.weight
        weight = weight / np.bincount(rows.group, weight)[rows.group]
        shares = csr_array((weight, (rows.group, rows.index)), shape=(n_groups, n_distinct))
        found = {}
        for name in parts:
            squares, means = np.zeros(n_groups), np.zeros((n_groups, self._parts[name].width))
            for some in slices(n_distinct):
                vectors = self._parts[name].vectors(np.arange(some.start, some.stop))
                own = shares[:, some]
                squares += own @ (vectors**2).sum(axis=1)
                means += own @ vectors
            found[name] = np.maximum(squares - (means**2).sum(axis=1), 0.0)
        return found

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

    def _members(self, cells: slice) -> tuple[csr_array, Floats]:
        """The weights of different rankings in some cells, and the vectors of these rankings."""
        own = self.design.members[cells]
        used, columns = np.unique(own.indices, return_inverse=True)
        members = csr_array((own.data, columns, own.indptr), shape=(own.shape[0], len(used)))
        vectors = np.empty((len(used), self.width))
        for name, part in self._parts.items():
            vectors[:, self.columns[name]] = part.vectors(used)
        return members, vectors

    def _expected(self, cells: slice) -> Floats:
        means: Floats = self._centres[self.design.strata[cells]]
        return means * self.design.weight[cells, np.newaxis]


def slices(size: int) -> list[slice]:
    """Slices of the numbers from 0, a block at a time."""
    return [slice(start, min(start + _BLOCK, size)) for start in range(0, size, _BLOCK)]
