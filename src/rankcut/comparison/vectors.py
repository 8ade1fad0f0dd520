"""The vectors by which rankings are compared: places, pairs, lists, orders, features, kernels."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.partitions import NOWHERE, centred_positions
from rankcut._loops.signs import expected_signs
from rankcut._loops.types import Floats, Indices
from rankcut.comparison.design import Vectors, slices
from rankcut.kernels.chosen_features import choose_features
from rankcut.rankings import Unranked

# Pairs are compared up to this many items: 4,950 pairs.
PAIR_ITEMS = 100


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


def places(rankings: Indices, unranked: Unranked) -> Coordinates:
    """Mean place of each item, 1 = best: (n + 1 − φ)/2 with features φ of the complete graph."""
    closed = _closed(rankings, unranked)
    n_items = rankings.shape[1]

    def vectors(numbers: NDArray[Any]) -> Floats:
        values = np.empty((len(numbers), n_items))
        centred_positions(np.ascontiguousarray(closed[numbers], dtype=np.uint32), values)
        values -= n_items + 1.0
        values /= -2.0
        return values

    return Coordinates(vectors, n_items, name="mean places")


def places_given_length(rankings: Indices, weight: Floats, unranked: Unranked) -> Coordinates:
    """Place of each item minus its mean over lists of the same length.

    Items that are not listed share the places that are left, which depend only on the length.
    """
    lengths = np.unique((rankings != NOWHERE).sum(axis=1), return_inverse=True)[1].ravel()
    own = places(rankings, unranked).vectors
    n_lengths, n_items = int(lengths.max()) + 1, rankings.shape[1]
    sums, counts = np.zeros((n_lengths, n_items)), np.zeros(n_lengths)
    for some in slices(len(rankings)):
        membership = np.eye(n_lengths)[:, lengths[some]] * weight[some]
        sums += membership @ own(np.arange(some.start, some.stop))
        counts += membership.sum(axis=1)
    means = sums / counts[:, np.newaxis]

    def vectors(numbers: NDArray[Any]) -> Floats:
        values = own(numbers)
        values -= means[lengths[numbers]]
        return values

    return Coordinates(vectors, n_items)


def pairs(rankings: Indices, unranked: Unranked) -> Coordinates:
    """Share that puts i before j, for each pair i < j: a tie counts half."""
    closed = _closed(rankings, unranked)
    n_items = rankings.shape[1]
    width = n_items * (n_items - 1) // 2

    def vectors(numbers: NDArray[Any]) -> Floats:
        values = np.empty((len(numbers), width))
        expected_signs(np.ascontiguousarray(closed[numbers], dtype=np.uint32), values)
        values += 1.0
        values /= 2.0
        return values

    return Coordinates(vectors, width)


def listings(rankings: Indices) -> Coordinates:
    """1 for each item that is listed."""

    def vectors(numbers: NDArray[Any]) -> Floats:
        return np.asarray(rankings[numbers] != NOWHERE, dtype=np.float64)

    return Coordinates(vectors, rankings.shape[1])


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


def side_by_side(parts: Sequence[Coordinates]) -> tuple[Vectors, list[slice]]:
    """All coordinates side by side, and the columns of each part."""
    ends = np.cumsum([part.width for part in parts]).tolist()
    columns = [slice(end - part.width, end) for end, part in zip(ends, parts, strict=True)]

    def vectors(numbers: NDArray[Any]) -> Floats:
        together = np.empty((len(numbers), ends[-1]))
        for part, where in zip(parts, columns, strict=True):
            together[:, where] = part.vectors(numbers)
        return together

    return vectors, columns


def features_of(
    features: Any,
    rankings: Indices,
    unranked: Unranked,
    items: tuple[Hashable, ...] | None,
    seed: int,
) -> Coordinates:
    """Vectors of a feature estimator, or of a kernel by its Gram matrix."""
    ranks = _ranks(rankings)
    chosen = choose_features(features, ranks, unranked, items, seed)
    values = chosen.vectors(ranks)
    return Coordinates(
        values.__getitem__, values.shape[1], chosen.missed(ranks, values), chosen.name
    )


def _closed(rankings: Indices, unranked: Unranked) -> Indices:
    """With unranked items tied last, if that is what they mean."""
    if unranked != "last" or not (rankings == NOWHERE).any():
        return rankings
    listed = rankings != NOWHERE
    last = np.where(listed, rankings, 0).max(axis=1) + listed.any(axis=1)
    return np.where(listed, rankings, last[:, np.newaxis]).astype(np.uint32)


def _ranks(rankings: Indices) -> Floats:
    return np.where(rankings == NOWHERE, np.nan, rankings.astype(np.float64) + 1.0)
