"""From rows with people, counts and weights to units: people who say the same.

Rankings are sorted by a key: the sum over items of words that depend on the place of the item and
on who puts it there, not on its column. So units have one order for any order of rows and items.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.random_streams import FIRST_FACTOR, SECOND_FACTOR, STEP
from rankcut._loops.types import Flags, Floats, Longs, Words
from rankcut.errors import InputError, Setting
from rankcut.parameters import KEPT
from rankcut.rankings import Rankings
from rankcut.rankings.partitions import block_rows
from rankcut.sample.entries import ListEntries

# Lists of fewer items than this share of all are short: sums over what they list are quicker.
_SHORT_SHARE = 1 / 8

#: Some rows; the row among them, the item and a word for the place of each entry.
_Listed: TypeAlias = tuple[slice, Longs, Longs, Words]


@dataclass(frozen=True, eq=False)
class Units:
    """People who say the same, as numbers of different rankings."""

    counts: Longs  #: how many people each unit stands for
    members: Longs  #: the different ranking of each entry, unit by unit
    weights: Floats | None  #: the weight of each entry; None: all are 1
    #: The first entry of each unit, and the end; None: each unit has one
    starts: Longs | None
    strata: Longs  #: the stratum of each unit, in increasing order
    of_rows: Longs  #: the unit of each row; −1: the row is left out
    heads: Longs  #: how many people each row adds to its unit: a person counts in one of theirs


@dataclass(frozen=True, eq=False)
class _Persons:
    """What each person says: entries, person by person, each a ranking with a weight."""

    members: Longs  #: the different ranking of each entry
    weights: Floats  #: the weight of each entry
    starts: Longs  #: the first entry of each person, and the end
    strata: Longs  #: the stratum of each person
    counts: Longs  #: how many people each stands for
    of_rows: Longs  #: the person of each row
    heads: Longs  #: how many people each row adds


def read_units(
    rankings: Rankings,
    strata: Longs | None,
    beside: Longs | None,
    *,
    once: bool,
    as_listed: bool,
    numbers: Longs | None = None,
) -> tuple[Rankings, Flags, Longs, Units]:
    """The different rankings, the items they list, which of them each row is, and the units."""
    counts, weights = _counts_and_weights(rankings)
    n_rows = rankings.shape[0]
    rows = np.flatnonzero(rankings.filled_rows() & (counts > 0) & (weights > 0))
    if not len(rows):
        raise InputError(
            "no ranking ranks any item: there is nothing to combine",
            remedy=["check the ranks, or what ", Setting("unranked"), " says about them"],
        )
    counts, weights = counts[rows], weights[rows]
    some = rankings.rows(rows)
    if numbers is None:
        different, index = _sorted_by_contents(some, counts, as_listed=as_listed)
    else:
        different = rankings.rows(np.unique(numbers, return_index=True)[1])
        index = numbers[rows]
    if beside is not None:
        base = int(beside.max(initial=0)) + 1
        pairs, index = np.unique(index * base + beside[rows], return_inverse=True)
        different = different.rows(pairs // base)
    stratum = np.zeros(len(rows), dtype=np.int64) if strata is None else strata[rows]
    weights = weights / weights.max()
    if some.people is None:
        alone = np.arange(len(rows) + 1)
        persons = _Persons(index, weights, alone, stratum, counts, alone[:-1], counts)
    else:
        persons = _persons(some.people, index, counts, weights, stratum, once=once)
    units = _units(persons)
    which, of_rows, heads = np.full((3, n_rows), -1, dtype=np.int64)
    which[rows], of_rows[rows], heads[rows] = index, units.of_rows, units.heads
    units = replace(units, of_rows=of_rows, heads=np.maximum(heads, 0))
    return different, some.listed(), which, units


def _counts_and_weights(rankings: Rankings) -> tuple[Longs, Floats]:
    """How many people each row stands for, and the survey weight of each of them."""
    alike = np.ones(rankings.shape[0])
    if rankings.counted:
        return rankings.counts.astype(np.int64), alike
    return alike.astype(np.int64), rankings.counts


def _sorted_by_contents(
    rankings: Rankings, counts: Longs, *, as_listed: bool
) -> tuple[Rankings, Longs]:
    """Each different ranking once, in an order of their contents, and which of them each row is.

    Short lists are stored as a sparse matrix, so that their sums cost as much as what is listed.
    """
    closed = rankings.unranked == "last" and not as_listed
    rankings = _short_or_dense(rankings.with_people(None))
    if rankings.sparse is None:
        counted = rankings.with_weights(counts.astype(np.float64), counted=True)
        different, which = counted.merged(as_listed=as_listed)
        keys = _keys(
            different.counts, rankings.shape[1], partial(_dense_entries, different, closed=closed)
        )
        order = np.argsort(keys, kind="stable")
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        return different.rows(order), places[which]
    entries = ListEntries.of(rankings)
    if closed:
        # All items: those of the last group are the rest.
        complete = entries.lengths[entries.row] == entries.n_items
        entries = entries.some(~complete | (entries.n_not_worse < entries.n_items))
    place = _scrambled(entries.group.astype(np.uint64))
    all_rows = slice(0, entries.n_rows)
    keys = _keys(
        counts, entries.n_items, lambda: iter([(all_rows, entries.row, entries.item, place)])
    )
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return rankings.rows(first), which


def _short_or_dense(rankings: Rankings) -> Rankings:
    """Short lists as a sparse matrix, others as an array where there is room."""
    n_entries = rankings.shape[0] * rankings.shape[1]
    if rankings.sparse is None:
        if rankings.unranked == "error" or rankings.listed_items is not None:
            return rankings
        n_listed = int((~np.isnan(rankings.read(0, rankings.shape[0]))).sum())
        return rankings.as_lists() if n_listed < _SHORT_SHARE * n_entries else rankings
    many = rankings.sparse.nnz >= _SHORT_SHARE * n_entries and n_entries <= KEPT
    return rankings.dense() if many else rankings


def _keys(counts: NDArray[Any], n_items: int, entries: Callable[[], Iterator[_Listed]]) -> Words:
    """A word for each ranking, whatever the order of rows and items; equal for equal ones."""
    often = counts.astype(np.uint64)
    keys = np.zeros(len(often), dtype=np.uint64)
    # Items that have the same places are told apart by who puts them there, so there are two
    # rounds.
    for _ in range(2):
        items = np.zeros(n_items, dtype=np.uint64)
        for rows, row, item, place in entries():
            np.add.at(items, item, often[rows][row] * _scrambled(keys[rows][row] + place))
        colours, keys = _scrambled(items), np.zeros_like(keys)
        for rows, row, item, place in entries():
            np.add.at(keys[rows], row, _scrambled(place + colours[item]))
    return keys


def _dense_entries(rankings: Rankings, *, closed: bool) -> Iterator[_Listed]:
    """Some rows at a time, and the row, the item and the place of each item that they list."""
    step = block_rows(rankings.shape[1])
    nowhere = np.iinfo(rankings.stored.dtype).max
    for start in range(0, rankings.shape[0], step):
        rows = slice(start, start + step)
        groups = rankings.stored[rows]
        listed = groups != nowhere
        if closed:
            listed &= groups < groups.max(axis=1, keepdims=True)
        row, item = np.nonzero(listed)
        yield rows, row, item, _scrambled(groups[row, item].astype(np.uint64))


def _scrambled(words: Words) -> Words:
    """The bits of each word, spread: the finaliser of splitmix64."""
    words = words + STEP
    words = (words ^ (words >> np.uint64(30))) * FIRST_FACTOR
    words = (words ^ (words >> np.uint64(27))) * SECOND_FACTOR
    return np.asarray(words ^ (words >> np.uint64(31)))


def _persons(
    people: Longs, index: Longs, counts: Longs, weights: Floats, stratum: Longs, *, once: bool
) -> _Persons:
    """What each person says; equal rankings of a person are one entry."""
    _, heads, person = np.unique(people, return_index=True, return_inverse=True)
    if (stratum != stratum[heads[person]]).any():
        raise InputError(
            "has people in several strata, whose rankings cannot be exchanged together",
            parameter="people",
            remedy="give each person one stratum",
        )
    order = np.lexsort((weights, index, person))
    keys = np.stack([person[order], index[order], weights[order]])
    new = np.flatnonzero((np.diff(keys, prepend=-1.0) != 0).any(axis=0))
    entries = order[new]
    often = np.add.reduceat(counts[order], new)
    starts = np.flatnonzero(np.diff(person[entries], prepend=-1))
    starts = np.append(starts, len(entries))
    share = weights[entries] * often
    if once:
        share = share / np.bincount(person, counts)[person[entries]]
    single = np.ones(len(heads), dtype=np.int64)
    first = np.zeros(len(person), dtype=np.int64)
    first[heads] = 1
    return _Persons(index[entries], share, starts, stratum[heads], single, person, first)


def _units(persons: _Persons) -> Units:
    """People of one stratum who say the same, sorted by stratum and by what they say."""
    n_persons, sizes = len(persons.counts), np.diff(persons.starts)
    levels, level = np.unique(persons.weights, return_inverse=True)
    codes = persons.members * len(levels) + level
    unit, n_units = np.empty(n_persons, dtype=np.int64), 0
    for size in np.unique(sizes):
        some = np.flatnonzero(sizes == size)
        alike = np.unique(persons.strata[some], return_inverse=True)[1]
        for number in range(size):
            if alike.max() + 1 == len(some):
                break
            code = codes[persons.starts[some] + number]
            both = alike * (int(codes.max()) + 1) + code
            alike = np.unique(both, return_inverse=True)[1]
        unit[some] = n_units + alike
        n_units += int(alike.max()) + 1
    first = np.unique(unit, return_index=True)[1]
    order = np.lexsort((np.arange(n_units), persons.strata[first]))
    places = np.empty_like(order)
    places[order] = np.arange(n_units)
    unit, first = places[unit], first[order]
    counts = np.zeros(n_units, dtype=np.int64)
    np.add.at(counts, unit, persons.counts)
    starts = np.concatenate([[0], np.cumsum(sizes[first])])
    entries = np.repeat(persons.starts[first] - starts[:-1], sizes[first]) + np.arange(starts[-1])
    weights = persons.weights[entries]
    return Units(
        counts,
        persons.members[entries],
        None if (weights == 1.0).all() else weights,
        None if (sizes[first] == 1).all() else starts,
        persons.strata[first],
        unit[persons.of_rows],
        persons.heads,
    )
