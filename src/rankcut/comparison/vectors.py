"""The vectors by which rankings are compared: places, pairs, lists, orders, features, kernels.

Each cell has a score, a vector that is centred in its stratum; a test is a function of the sums of
scores over groups.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.partitions import NOWHERE, centred_positions
from rankcut._loops.signs import expected_signs
from rankcut._loops.types import Floats, Indices
from rankcut.comparison.rows import ComparedRows, Design
from rankcut.kernels.chosen_features import choose_features
from rankcut.rankings import Rankings

# Up to this many scores are kept (512 MB); more are recomputed in each pass.
KEPT = 1 << 26

# Cells whose scores are made or multiplied at once.
BLOCK = 8192

# Pairs are compared up to this many items: 4,950 pairs.
PAIR_ITEMS = 100

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


def places_given_length(rows: ComparedRows) -> Coordinates:
    """Place of each item minus its mean over lists of the same length.

    Items that are not listed share the places that are left, which depend only on the length.
    """
    lengths = np.unique(rows.listed().sum(axis=1), return_inverse=True)[1].ravel()
    weight = rows.ranking_weights()
    own = places(rows.rankings).vectors
    n_lengths, n_items = int(lengths.max()) + 1, rows.rankings.shape[1]
    sums, counts = np.zeros((n_lengths, n_items)), np.zeros(n_lengths)
    for some in slices(len(lengths)):
        membership = np.eye(n_lengths)[:, lengths[some]] * weight[some]
        sums += membership @ own(np.arange(some.start, some.stop))
        counts += membership.sum(axis=1)
    means = sums / counts[:, np.newaxis]

    def vectors(numbers: NDArray[Any]) -> Floats:
        values = own(numbers)
        values -= means[lengths[numbers]]
        return values

    return Coordinates(vectors, n_items)


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
    listed = rows.listed()

    def vectors(numbers: NDArray[Any]) -> Floats:
        return np.asarray(listed[numbers], dtype=np.float64)

    return Coordinates(vectors, listed.shape[1])


def orders_of_listed(rankings: Indices, weight: Floats, kinds: NDArray[np.int64]) -> Coordinates:
    """How far each listed item is ahead of the other listed ones, relative to all rankings.

    Σ_j (e_ij − ē_ij) over listed items j, with ē_ij the mean of e_ij over rankings of the same
    kind that list both. It is 0 for items that are not listed, and 0 on average for those that are:
    it does not say which items a ranking lists.
    """
    n_items = rankings.shape[1]
    values = np.empty(rankings.shape)
    listed = rankings != NOWHERE
    for kind in range(int(kinds.max()) + 1):
        rows = np.flatnonzero(kinds == kind)
        own = listed[rows].astype(np.float64)
        signs = np.zeros((n_items, n_items))
        lead = np.zeros(own.shape)
        for i in range(n_items):
            mine, others = rankings[rows, i][:, np.newaxis], rankings[rows]
            both = own[:, i : i + 1] * own
            e = both * ((mine < others).astype(np.float64) - (mine > others))
            lead[:, i] = e.sum(axis=1)
            signs[i] = weight[rows] @ e
        together = (own * weight[rows, np.newaxis]).T @ own
        mean = np.divide(signs, together, out=np.zeros_like(signs), where=together > 0)
        values[rows] = lead - own * (own @ mean.T)
    return Coordinates(values.__getitem__, n_items)


def side_by_side(parts: Mapping[str, Coordinates]) -> tuple[Vectors, dict[str, slice]]:
    """All coordinates side by side, and the columns of each part."""
    columns, width = {}, 0
    for name, part in parts.items():
        columns[name] = slice(width, width + part.width)
        width += part.width

    def vectors(numbers: NDArray[Any]) -> Floats:
        together = np.empty((len(numbers), width))
        for name, part in parts.items():
            together[:, columns[name]] = part.vectors(numbers)
        return together

    return vectors, columns


def features_of(features: Any, rankings: Rankings, seed: int) -> Coordinates:
    """Vectors of a feature estimator, or of a kernel by its Gram matrix."""
    ranks = rankings.read(0, rankings.shape[0])
    chosen = choose_features(features, ranks, rankings.unranked, rankings.items, seed)
    values = chosen.vectors(ranks)
    return Coordinates(
        values.__getitem__, values.shape[1], chosen.missed(ranks, values), chosen.name
    )


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
