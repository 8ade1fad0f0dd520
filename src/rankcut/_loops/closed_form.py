"""Vectors of lists over a large catalogue, without a number for each unlisted item.

Where unranked items may be anywhere, :func:`expect_rows` has the mean slopes over all completions
in closed form: no completion is ever made. With l groups, u unranked items and p = 1/(l + 1), the
mean of the slope before pooling is

* for item i of group t: the group's mean of
  Σ_{ranked j worse} W_ij − Σ_{ranked j better} W_ij + (Σ_{unranked j} W_ij)·(l + 1 − 2t)·p;
* for an unranked item: c1·q_i + c2·(Q − q_i), where q_i = Σ_{ranked j} W_ij·(2t_j − l − 1)·p,
  Q = Σ_{unranked} q, c1 = (1 − (1 − p)^u)/(u·p) and c2 = (1 − c1)/(u − 1), or 0 if u = 1.

Comparisons of a ranked with an unranked item may have a weight γ, by which their W_ij are
multiplied. These means are *shared*: tied items have the mean of their group. Unshared, each item
has its own sum Σ_j W_ij·e_ij of expected signs, and an unranked one has q_i.

An unranked item without ranked neighbours has the value c2·Q. So a vector is that constant, except
for the ranked items and their neighbours.

Where unranked items are tied last, :func:`pool_top_lists` has the pooled slopes: group t of a list
raises the cut by

    Σ_{i in the group} (Σ_{listed j worse} W_ij − Σ_{listed j better} W_ij + γ·Σ_{unlisted j} W_ij)

and the last group, of all unlisted items, lowers it by γ times the weight between listed and
unlisted items.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.compilation import compiled
from rankcut._loops.partitions import add_to_pools
from rankcut._loops.types import Chains, Entries, Floats, Indices, Ints, Links


@compiled
def expect_rows(
    n_items: int,
    chains: Chains,
    unlisted_weights: Floats,
    shared: bool,
    constant: float,
    links: Links,
    entries: Entries,
) -> None:
    """Mean slopes of each partition, with weights c + S_ij; S is given row by row."""
    order, ends, n_groups = chains
    items, values, entry_ends, constants = entries
    # group[i]: 1, 2, … for a ranked item, −1 for an unranked one already listed, otherwise 0.
    group = np.zeros(n_items, dtype=np.int32)
    pull = np.zeros(n_items)
    first = 0
    for r in range(n_groups.shape[0]):
        last = n_groups[r]
        row, row_ends = order[r], ends[r, :last]
        n_ranked = row_ends[last - 1] if last > 0 else 0
        for at in range(n_ranked):
            items[first + at], values[first + at] = row[at], 0.0
        n_items_met = n_ranked
        weight = unlisted_weights[r]
        # With only a constant, all unranked items have the same value, and groups are not needed.
        if links.weights.shape[0] > 0:
            start = 0
            for t in range(last):
                for at in range(start, row_ends[t]):
                    group[row[at]] = t + 1
                start = row_ends[t]
            n_items_met = add_links(
                row_ends, weight, links, group, pull, items[first:], values[first:]
            )
        alike = share(row_ends, n_items, weight, constant, shared, values[first:])
        chance, others = 1.0, 0.0
        n_unranked = n_items - n_ranked
        if shared and n_unranked > 1 and last > 0:
            p = 1.0 / (last + 1)
            chance = -np.expm1(n_unranked * np.log1p(-p)) / (n_unranked * p)
            others = (1.0 - chance) / (n_unranked - 1)
        total = 0.0
        for at in range(first + n_ranked, first + n_items_met):
            total += pull[items[at]]
        for at in range(first + n_ranked, first + n_items_met):
            values[at] = alike + chance * pull[items[at]] + others * (total - pull[items[at]])
        constants[r] = alike + others * total
        for at in range(first, first + n_items_met):
            pull[items[at]] = 0.0
            group[items[at]] = 0
        first += n_items_met
        entry_ends[r] = first


@compiled
def towards_top(t: int, last: int) -> float:
    """The chance that an unranked item is below group t of ``last``, minus that it is above."""
    return (last - 1 - 2 * t) / (last + 1)


@compiled
def add_links(
    ends: Ints,
    weight: float,
    links: Links,
    group: Ints,
    pull: Floats,
    items: Indices,
    values: Floats,
) -> int:
    """Add what the links of each ranked item are worth to it, and to the pull on unranked ones.

    Unranked neighbours are listed after the ranked items; returns the number of both.
    """
    starts, neighbours, weights = links
    n_items_met = ends[-1] if ends.shape[0] > 0 else 0
    start = 0
    for t in range(ends.shape[0]):
        lean = weight * towards_top(t, ends.shape[0])
        for at in range(start, ends[t]):
            item = items[at]
            chance = 0.0
            for edge in range(starts[item], starts[item + np.uint32(1)]):
                other = neighbours[edge]
                place = group[other] - 1
                if place >= 0:
                    gain = weights[edge] * ((place > t) - np.int64(place < t))
                else:
                    gain = weights[edge] * lean
                    pull[other] -= gain
                    if group[other] == 0:
                        group[other] = -1
                        items[n_items_met] = other
                        n_items_met += 1
                chance += gain
            values[at] = chance
        start = ends[t]
    return n_items_met


@compiled
def share(
    ends: Ints, n_items: int, weight: float, constant: float, shared: bool, values: Floats
) -> float:
    """Share the values of a group among its items, if asked, and add those of constant weights.

    Returns what constant weights are worth to an unranked item.
    """
    last = ends.shape[0]
    n_ranked = ends[last - 1] if last > 0 else 0
    pull = 0.0
    start = 0
    for t in range(last):
        end = ends[t]
        lean = weight * towards_top(t, last)
        total = 0.0
        for at in range(start, end):
            total += values[at]
        level = constant * ((n_ranked - start - end) + (n_items - n_ranked) * lean)
        for at in range(start, end):
            values[at] = level + (total / (end - start) if shared else values[at])
        pull -= (end - start) * lean
        start = end
    return constant * pull


@compiled
def pool_top_lists(
    n_items: int,
    chains: Chains,
    unlisted_weights: Floats,
    constant: float,
    links: Links,
    entries: Entries,
) -> None:
    """Pooled slopes of each partition, with weights c + S_ij; entries are the listed items."""
    items, values, entry_ends, constants = entries
    order, ends, n_groups = chains
    starts, neighbours, weights = links
    group = np.zeros(n_items, dtype=np.int32)
    most = ends.shape[1] + 1
    rises, sizes = np.empty(most + 1), np.empty(most + 1)
    stops = np.empty(most + 1, dtype=np.int32)
    rises[0], sizes[0], stops[0] = np.inf, 1.0, 0
    entry = 0
    for r in range(n_groups.shape[0]):
        first_entry, start = entry, 0
        for t in range(n_groups[r]):
            for at in range(start, ends[r, t]):
                items[entry] = order[r, at]
                group[order[r, at]] = t + 1
                entry += 1
            start = ends[r, t]
        n_listed = start
        n_unlisted = n_items - n_listed
        gamma = unlisted_weights[r]
        last, start, outside = 0, 0, 0.0
        for t in range(n_groups[r] + (n_unlisted > 0)):
            if t < n_groups[r]:
                end = ends[r, t]
                rise, across = 0.0, 0.0
                for at in range(start, end):
                    item = order[r, at]
                    for edge in range(starts[item], starts[item + np.uint32(1)]):
                        other = group[neighbours[edge]]
                        if other == 0:
                            across += weights[edge]
                        else:
                            rise += weights[edge] * ((other > t + 1) - np.int64(other < t + 1))
                n_tied = end - start
                rise += n_tied * constant * (n_listed - start - end)
                across += n_tied * constant * n_unlisted
                rise += gamma * across
                outside += gamma * across
                size = float(n_tied)
            else:
                end, rise, size = n_items, -outside, float(n_unlisted)
            last = add_to_pools(rise, size, end, rises, sizes, stops, last)
            start = end
        pool = 1
        for at in range(n_listed):
            while at >= stops[pool]:
                pool += 1
            values[first_entry + at] = rises[pool] / sizes[pool]
        constants[r] = rises[last] / sizes[last] if n_unlisted > 0 and last > 0 else 0.0
        for at in range(first_entry, entry):
            group[items[at]] = 0
        entry_ends[r] = entry


def spread_rows(entries: Entries, rows: NDArray[Any]) -> None:
    """Constants and entries as dense rows."""
    items, values, ends, constants = entries
    rows[:] = constants[:, None]
    starts = np.concatenate([[0], ends]).astype(np.int64)
    rows[np.repeat(np.arange(len(ends)), np.diff(starts)), items] = values
