"""The people whose rankings are combined: who counts how often, and what is resampled.

A *unit* is what a bootstrap draws: all people with the same ranking, or one person with a weight,
or one person with several rankings. Equal rankings are counted once and sorted, so
rows that are counted and rows that are repeated give the same units in the same order, and the
same seed draws the same samples.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut._loops.equal_rows import pack_rows, unpack_rows
from rankcut._loops.partitions import NOWHERE, close_rows, group_rows
from rankcut._loops.types import Indices, Words
from rankcut.errors import InputError, Setting
from rankcut.parameters import check_counts
from rankcut.rankings import Rankings, Unranked
from rankcut.rankings.partitions import block_rows, read_partitions

# Units are read in blocks of this many, or of this many entries if there are many items.
_BLOCK_UNITS = 1024
_BLOCK_ENTRIES = 1 << 19

# Entries of the vectors to compute at once.
_CACHED_ENTRIES = 1 << 19

# A sparse matrix with more cells than this, ranked or not, is not packed.
_MOST_PACKED = 1 << 27

# Counts up to this are exact in float64.
_EXACT = 2.0**53


@dataclass(frozen=True, eq=False)
class Packed:
    """Rankings in words: each different one once with its count, or each with its weight."""

    n_items: int
    words: Words
    weights: NDArray[np.float64]
    listed: NDArray[np.bool_]

    def select(self, rows: Any) -> "Packed":
        """Some of the rows, in any order."""
        return Packed(self.n_items, self.words[rows], self.weights[rows], self.listed)

    def groups(self, start: int, stop: int) -> Indices:
        """The group of each item in some of the rows."""
        groups = np.empty((stop - start, self.n_items), dtype=np.uint32)
        unpack_rows(self.words[start:stop], _bits(self.n_items), groups)
        return groups


@dataclass(frozen=True, eq=False)
class Block:
    """Some units: the groups of their rankings, and how rankings add up to units."""

    groups: Indices  #: one row for each ranking
    weights: NDArray[np.float64] | None  #: of each ranking; None: all are 1
    starts: NDArray[np.int64] | None  #: first ranking of each unit; None: each has one
    counts: NDArray[np.int64]  #: how many people each unit stands for

    def totals(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weighted sum of the rankings' vectors, for each unit."""
        if self.weights is not None:
            vectors = (vectors.T * self.weights).T
        return vectors if self.starts is None else np.add.reduceat(vectors, self.starts, axis=0)

    def masses(self) -> NDArray[np.float64]:
        """The sum of the weights of each unit."""
        return self.totals(np.ones(len(self.groups)))

    def split(self, width: int) -> Iterator[tuple[slice, "Block"]]:
        """Blocks of fewer units, whose vectors of ``width`` coordinates fit in the cache."""
        n_units = len(self.counts)
        each = max(1, len(self.groups) // n_units)
        step = max(1, _CACHED_ENTRIES // (max(width, 1) * each))
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
class People:
    """Rankings as units, read block by block.

    Attributes
    ----------
    n_items : int
        Number of items.
    counts : ndarray of int64
        How many people each unit stands for.
    listed : ndarray of bool
        Whether anyone ranks the item.
    """

    n_items: int
    counts: NDArray[np.int64]
    listed: NDArray[np.bool_]
    rows: Packed | Rankings
    unranked: Unranked
    weights: NDArray[np.float64] | None
    starts: NDArray[np.int64] | None

    @property
    def n_people(self) -> int:
        """Number of people."""
        return int(self.counts.sum())

    def bounds(self) -> list[tuple[int, int]]:
        """The first unit of each block, and the one after its last."""
        step = max(1, min(_BLOCK_UNITS, _BLOCK_ENTRIES // self.n_items))
        n_units = len(self.counts)
        return [(start, min(start + step, n_units)) for start in range(0, n_units, step)]

    def block(self, start: int, stop: int) -> Block:
        """The units from ``start`` to ``stop``."""
        counts = self.counts[start:stop]
        if self.starts is None:
            first, last, starts = start, stop, None
        else:
            first, last = int(self.starts[start]), int(self.starts[stop])
            starts = self.starts[start:stop] - first
        weights = None if self.weights is None else self.weights[first:last]
        if isinstance(self.rows, Packed):
            groups = self.rows.groups(first, last)
        else:
            groups = read_rows(self.rows, first, last)
            if self.unranked == "last":
                close_rows(groups)
        return Block(groups, weights, starts, counts)

    def blocks(self, width: int) -> Iterator[Block]:
        """All units in blocks, for vectors of ``width`` coordinates."""
        for start, stop in self.bounds():
            for _, block in self.block(start, stop).split(width):
                yield block


def check_weights(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    """A weight for each row, not all 0; sums of them are exact."""
    weights = check_counts(sample_weight, n_rows)
    if float(weights.sum()) > _EXACT:
        raise InputError("adds up to more than 2**53", parameter="sample_weight")
    return weights


def are_counts(weights: NDArray[np.float64]) -> bool:
    """Whether weights are whole numbers, and so say how many people a row stands for."""
    return bool((weights == np.floor(weights)).all())


def gather(
    rankings: Rankings,
    unranked: Unranked = "error",
    sample_weight: ArrayLike | None = None,
    people: Sequence[Hashable] | NDArray[Any] | None = None,
) -> People:
    """The people behind checked rankings.

    Parameters
    ----------
    rankings : Rankings
        Rankings, one per row.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means.
    sample_weight : array of shape (n_rankings,) or None
        Whole numbers count people; other numbers weigh them, each row one person.
    people : array of shape (n_rankings,) or None
        Rows with the same value belong to one person.
    """
    weights = check_weights(sample_weight, rankings.shape[0])
    if people is not None:
        return _gather_persons(rankings, unranked, weights, people)
    if rankings.sparse is not None and rankings.shape[0] * rankings.shape[1] > _MOST_PACKED:
        return _gather_stored(rankings, unranked, weights)
    return gather_packed([pack(rankings, unranked, weights)], unranked, are_counts(weights))


def pack(rankings: Rankings, unranked: Unranked, weights: NDArray[np.float64]) -> Packed:
    """The rows that have a weight, in words."""
    n_rows, n_items = rankings.shape
    bits = _bits(n_items)
    words = np.empty((n_rows, -(-n_items // (64 // bits))), dtype=np.uint64)
    listed = np.zeros(n_items, dtype=bool)
    step = block_rows(n_items)
    for start in range(0, n_rows, step):
        stop = min(start + step, n_rows)
        groups = read_rows(rankings, start, stop)
        used = weights[start:stop] > 0
        listed |= (groups[used] != NOWHERE).any(axis=0)
        if unranked == "last":
            close_rows(groups)
        pack_rows(groups, bits, words[start:stop])
    kept = weights > 0
    if kept.all():
        return Packed(n_items, words, weights, listed)
    return Packed(n_items, words[kept], weights[kept], listed)


def count_distinct(packed: Packed) -> Packed:
    """Each different ranking once, sorted, with the sum of its counts."""
    ordered = packed.select(_order(packed))
    if len(ordered.words) < 2:
        return ordered
    new = np.ones(len(ordered.words), dtype=bool)
    new[1:] = (ordered.words[1:] != ordered.words[:-1]).any(axis=1)
    first = np.flatnonzero(new)
    counts = np.add.reduceat(ordered.weights, first)
    return Packed(packed.n_items, ordered.words[first], counts, packed.listed)


def gather_packed(blocks: Sequence[Packed], unranked: Unranked, counted: bool) -> People:
    """The people behind rankings in words, which may come in several blocks."""
    packed = blocks[0]
    if len(blocks) > 1:
        packed = Packed(
            packed.n_items,
            np.concatenate([block.words for block in blocks]),
            np.concatenate([block.weights for block in blocks]),
            np.any([block.listed for block in blocks], axis=0),
        )
    if counted:
        packed = count_distinct(packed)
        counts, weights = packed.weights.astype(np.int64), None
    else:
        packed = packed.select(_order(packed))
        counts, weights = np.ones(len(packed.words), dtype=np.int64), packed.weights
    return _checked(People(packed.n_items, counts, packed.listed, packed, unranked, weights, None))


def _gather_persons(
    rankings: Rankings, unranked: Unranked, weights: NDArray[np.float64], people: Any
) -> People:
    """Units are persons, in the order of their names; each has the rows of that name."""
    names = np.asarray(people)
    if names.shape != (len(weights),):
        raise InputError(
            f"must name the person of each of the {len(weights)} rankings; got shape {names.shape}",
            parameter="people",
        )
    try:
        person = np.unique(names, return_inverse=True)[1]
    except TypeError:
        # Names of several types have no order, so they are ordered as text.
        person = np.unique(names.astype(str), return_inverse=True)[1]
    used = weights > 0
    packed = pack(rankings, unranked, weights)
    person = person[used]
    order = np.lexsort((packed.weights, *packed.words.T[::-1], person))
    packed, person = packed.select(order), person[order]
    starts = np.flatnonzero(np.diff(person, prepend=-1) != 0)
    return _checked(
        People(
            packed.n_items,
            np.ones(len(starts), dtype=np.int64),
            packed.listed,
            packed,
            unranked,
            packed.weights,
            np.append(starts, len(person)),
        )
    )


def _gather_stored(rankings: Rankings, unranked: Unranked, weights: NDArray[np.float64]) -> People:
    """Units are the rows of a large sparse matrix, as they are stored."""
    matrix = rankings.sparse
    used = weights > 0
    entries = np.repeat(used, np.diff(matrix.indptr))  # type: ignore[union-attr]
    listed = np.zeros(rankings.shape[1], dtype=bool)
    listed[matrix.indices[entries]] = True  # type: ignore[union-attr]
    counted = are_counts(weights)
    # A row without weight stays: it stands for nobody, so it is never drawn.
    counts = weights.astype(np.int64) if counted else used.astype(np.int64)
    return _checked(
        People(
            rankings.shape[1],
            counts,
            listed,
            rankings,
            unranked,
            None if counted else weights,
            None,
        )
    )


def _checked(people: People) -> People:
    if not people.listed.any():
        raise InputError(
            "no ranking ranks any item: there is nothing to combine",
            remedy=["check the ranks, or what ", Setting("unranked"), " says about them"],
        )
    return people


def _order(packed: Packed) -> NDArray[np.int64]:
    """Rows sorted by their words, equal ones by weight."""
    if packed.words.shape[1] == 1 and (packed.weights == packed.weights[0]).all():
        return np.argsort(packed.words[:, 0], kind="stable")
    return np.lexsort((packed.weights, *packed.words.T[::-1]))


def read_rows(rankings: Rankings, start: int, stop: int) -> Indices:
    """The group of each item in some of the rankings; NOWHERE is unranked."""
    groups = np.empty((stop - start, rankings.shape[1]), dtype=np.uint32)
    for first, block in read_partitions(rankings, start, stop, close=False):
        rows = groups[first - start : first - start + len(block)]
        group_rows(block.order, block.ends, block.n_groups, rows)
    return groups


def _bits(n_items: int) -> int:
    """Bits that hold a group, counted from 1, or 0."""
    return int(n_items).bit_length()
