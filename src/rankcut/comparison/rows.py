"""Read rankings, groups, strata, people and weights into the rows of a comparison."""

from collections.abc import Hashable
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Indices, Longs
from rankcut.comparison.columns import read_complete, read_weights
from rankcut.comparison.design import Rows
from rankcut.errors import InputError
from rankcut.parameters import check_choice
from rankcut.rankings import Unranked, read_rankings


class Orders(NamedTuple):
    """Rankings by the group of each item, in as few bytes as possible; all ones is unranked."""

    groups: NDArray[Any]
    items: tuple[Hashable, ...] | None


class People(NamedTuple):
    """Who ranks, and what is exchanged with what."""

    stratum: Longs
    person: Longs | None
    weight: Floats
    counted: bool
    notes: tuple[str, ...]


def read_orders(ranks: Any, unranked: Unranked) -> Orders:
    """The rankings, a byte or two for each item."""
    check_choice(unranked, get_args(Unranked), "unranked")
    rankings = read_rankings(ranks, unranked=unranked)
    kind = np.uint8 if rankings.shape[1] < 255 else np.uint32
    return Orders(rankings.groups(close=False).astype(kind), rankings.items)


def read_people(
    strata: Any, people: Any, sample_weight: Any, vary: Longs, kept: Longs, n_rows: int
) -> People:
    """What is exchanged with what, for the rows that are kept; ``vary`` codes their labels.

    Rankings of a person move together if the person has one label. If labels vary within a
    person, they are exchanged among the rankings of each person.
    """
    stratum = np.zeros(len(kept), dtype=np.int64)
    if strata is not None:
        stratum = read_complete(strata, kept, n_rows, "strata").codes
    weight = np.ones(len(kept))
    if sample_weight is not None:
        weight = read_weights(sample_weight, kept, n_rows)
    counted = bool((weight == np.rint(weight)).all())
    if people is None:
        return People(stratum, None, weight, counted, ())
    person = read_complete(people, kept, n_rows, "people").codes
    n_people = int(person.max()) + 1
    if _varies_within(vary, person):
        both = np.unique(stratum * n_people + person, return_inverse=True)[1]
        note = "Some people are in several groups: labels are exchanged within each person"
        note += " and stratum." if strata is not None else "."
        return People(both.astype(np.int64), None, weight, counted, (note,))
    if _varies_within(stratum, person):
        raise InputError(
            "has people in several strata, whose rankings cannot be permuted together",
            parameter="people",
            remedy="give each person one stratum",
        )
    return People(stratum, person, weight, counted, ())


def make_rows(orders: NDArray[Any], group: Longs, people: People) -> Rows:
    """Everything together, with equal rankings counted once, whatever the order of the rows."""
    heavy = people.weight > 0
    if not heavy.all():
        orders, group = orders[heavy], group[heavy]
        people = People(
            people.stratum[heavy],
            None if people.person is None else people.person[heavy],
            people.weight[heavy],
            people.counted,
            people.notes,
        )
    first, index = _distinct(orders)
    distinct = orders[first]
    rankings = distinct.astype(np.uint32)
    rankings[distinct == np.iinfo(distinct.dtype).max] = NOWHERE
    return Rows(
        rankings, index, group, people.stratum, people.person, people.weight, people.counted
    )


def kinds_of_lists(rankings: Indices, weight: Floats) -> tuple[Longs, str]:
    """Which rankings list the same items, or equally many.

    The same items, if there are twenty rankings or more for each set of them.
    """
    listed = rankings != NOWHERE
    packed = np.packbits(listed, axis=1)
    sets = np.unique(packed, axis=0, return_inverse=True)[1].ravel()
    if weight.sum() >= 20 * (int(sets.max()) + 1):
        return sets.astype(np.int64), "lists of the same items"
    lengths = np.unique(listed.sum(axis=1), return_inverse=True)[1]
    return lengths.astype(np.int64), "lists of the same length"


def _varies_within(codes: Longs, person: Longs) -> bool:
    """Whether a person has rows with different codes."""
    first = np.unique(person, return_index=True)[1]
    return bool((codes != codes[first[person]]).any())


def _distinct(orders: NDArray[Any]) -> tuple[Longs, Longs]:
    """The first occurrence of each distinct row, and the distinct row that each row is."""
    n_items = orders.shape[1]
    if n_items <= 15:
        # All of a row in one number.
        keys: NDArray[Any] = np.zeros(len(orders), dtype=np.uint64)
        for column in orders.T:
            keys *= np.uint64(n_items + 1)
            keys += np.minimum(column, n_items)
    else:
        rows = np.ascontiguousarray(orders)
        keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * n_items))).ravel()
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    return first, index.ravel().astype(np.int64)
