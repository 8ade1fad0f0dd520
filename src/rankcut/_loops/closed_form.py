"""Vectors of lists over a large catalogue, without a number for each unlisted item.

Where unranked items may be anywhere, :func:`expect_rows` has the mean slopes over all completions
in closed form: no completion is ever made. With l groups, u unranked items and p = 1/(l + 1), the
mean of the slope before pooling is

* for item i of group t: the group's mean of
  Σ_{ranked j worse} W_ij − Σ_{ranked j better} W_ij + (Σ_{unranked j} W_ij)·(l + 1 − 2t)·p;
* for an unranked item: c1·q_i + c2·(Q − q_i), where q_i = Σ_{ranked j} W_ij·(2t_j − l − 1)·p,
  Q = Σ_{unranked} q, c1 = (1 − (1 − p)^u)/(u·p) and c2 = (1 − c1)/(u − 1), or 0 if u = 1.

If comparisons with unranked items have a weight, all W_ij between a ranked and an unranked item
are multiplied by it.

These are *shared*: items that are tied have the mean of their group. Unshared, each item has its
own sum Σ_j W_ij·e_ij of expected signs, and an unranked one has q_i.

An unranked item without ranked neighbours has the value c2·Q. So a vector is that constant, except
for the ranked items and their neighbours. Everything is linear in the weights, so weights in
several parts are added up part by part.

Where unranked items are tied last, :func:`pool_top_lists` has the pooled slopes. With γ the weight
of comparisons with them, group t of a list raises the cut by

    Σ_{i in the group} (Σ_{listed j worse} W_ij − Σ_{listed j better} W_ij + γ·Σ_{unlisted j} W_ij)

and the last group, of all unlisted items, lowers it by γ times the weight between listed and
unlisted items.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.increments import inner_product
from rankcut._loops.partitions import add_to_pools, scale_to_unit_length
from rankcut._loops.types import Chains, Floats, Indices, Links


@compiled
def expect_rows(
    chains: Chains,
    unlisted_weights: Floats,
    shared: bool,
    constant: float,
    links: Links,
    factors: Floats,
    signed_factors: Floats,
    items: Indices,
    values: Floats,
    entry_ends: Indices,
    constants: Floats,
) -> None:
    """Mean slopes of each partition, with weights c + S_ij + ⟨z_i, σ z_j⟩ in three parts.

    S is given row by row; ``factors`` has z_i and ``signed_factors`` σ z_i as rows, if any. The
    entries of partition r are ``items`` and ``values`` up to ``entry_ends[r]``; all other items
    have ``constants[r]``. With factors, there are no other items.
    """
    order, ends, n_groups = chains
    starts, neighbours, weights = links
    n_items, rank = factors.shape
    # With only a constant, all unranked items have the same value, and groups are not needed.
    grouped = weights.shape[0] > 0 or rank > 0
    # group[i]: 1, 2, … for a ranked item, −1 for an unranked one already listed, otherwise 0.
    group = np.zeros(n_items, dtype=np.int32)
    pull = np.zeros(n_items)
    # Sums of σ z: over all items; over the unranked; over the groups below minus those above the
    # current group; over the current group; and over the ranked, times their pull on the unranked.
    everything, unranked, below, inside, pulling = np.zeros((5, rank))
    for i in range(n_items):
        for q in range(rank):
            everything[q] += signed_factors[i, q]
    entry = 0
    for r in range(n_groups.shape[0]):
        last = n_groups[r]
        first_entry = entry
        start = 0
        for t in range(last):
            for at in range(start, ends[r, t]):
                item = order[r, at]
                if grouped:
                    group[item] = t + 1
                items[entry] = item
                entry += 1
            start = ends[r, t]
        n_ranked = start
        n_unranked = n_items - n_ranked
        if rank > 0:
            below[:] = 0.0
            pulling[:] = 0.0
            for at in range(first_entry, entry):
                for q in range(rank):
                    below[q] += signed_factors[items[at], q]
            for q in range(rank):
                unranked[q] = everything[q] - below[q]
        p = 1.0 / (last + 1)
        start = 0
        met = entry
        uniform_pull = 0.0
        for t in range(1, last + 1):
            end = ends[r, t - 1]
            towards_top = unlisted_weights[r] * ((last + 1 - 2 * t) * p)
            total = 0.0
            for at in range(start, end):
                values[first_entry + at] = 0.0
            for at in range(start, end if grouped else start):
                item = order[r, at]
                own = 0.0
                for edge in range(starts[item], starts[item + np.uint32(1)]):
                    other = neighbours[edge]
                    weight = weights[edge]
                    if group[other] > 0:
                        gain = weight * ((group[other] > t) - np.int64(group[other] < t))
                    else:
                        gain = weight * towards_top
                        pull[other] -= gain
                        if group[other] == 0:
                            group[other] = -1
                            items[met] = other
                            met += 1
                    own += gain
                    total += gain
                values[first_entry + at] = own
            if rank > 0:
                inside[:] = 0.0
                for at in range(start, end):
                    for q in range(rank):
                        inside[q] += signed_factors[order[r, at], q]
                for q in range(rank):
                    below[q] -= inside[q]
                    pulling[q] -= inside[q] * towards_top
                for at in range(start, end):
                    factor = factors[order[r, at]]
                    from_ranked = inner_product(factor, below)
                    from_unranked = inner_product(factor, unranked) * towards_top
                    values[first_entry + at] += from_ranked + from_unranked
                    total += from_ranked
                    total += from_unranked
                for q in range(rank):
                    below[q] -= inside[q]
            mean = total / (end - start)
            level = constant * ((n_ranked - start - end) + n_unranked * towards_top)
            for at in range(start, end):
                values[first_entry + at] = level + (mean if shared else values[first_entry + at])
            uniform_pull -= (end - start) * towards_top
            start = end
        if rank > 0:
            for i in range(n_items):
                if group[i] <= 0:
                    pull[i] += inner_product(factors[i], pulling)
                    if group[i] == 0:
                        group[i] = -1
                        items[met] = i
                        met += 1
        own, others = 1.0, 0.0
        if shared and n_unranked > 1 and last > 0:
            own = -np.expm1(n_unranked * np.log1p(-p)) / (n_unranked * p)
            others = (1.0 - own) / (n_unranked - 1)
        total = 0.0
        for at in range(entry, met):
            total += pull[items[at]]
        # A pull that is the same for all unranked items moves each of them by that amount.
        alike = constant * uniform_pull
        for at in range(entry, met):
            values[at] = alike + own * pull[items[at]] + others * (total - pull[items[at]])
            pull[items[at]] = 0.0
        constants[r] = alike + others * total
        entry = met
        if grouped:
            for at in range(first_entry, entry):
                group[items[at]] = 0
        entry_ends[r] = entry


@compiled
def pool_top_lists(
    n_items: int,
    chains: Chains,
    unlisted_weights: Floats,
    constant: float,
    links: Links,
    items: Indices,
    values: Floats,
    entry_ends: Indices,
    constants: Floats,
) -> None:
    """Pooled slopes of each partition, with weights c + S_ij; S is given row by row.

    The entries of partition r are ``items`` and ``values`` up to ``entry_ends[r]``, one for each
    listed item; all others have ``constants[r]``.
    """
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


@compiled
def spread_rows(
    items: Indices,
    values: Floats,
    entry_ends: Indices,
    constants: Floats,
    normalize: bool,
    noise: float,
    features: Floats,
) -> None:
    """Constants and entries as dense rows.

    With ``normalize``, they have unit length; one whose entries are all within ``noise`` of 0
    becomes 0.
    """
    row = np.empty((1, features.shape[1]))
    start = 0
    for r in range(constants.shape[0]):
        end = entry_ends[r]
        row[0] = constants[r]
        for entry in range(start, end):
            row[0, items[entry]] = values[entry]
        start = end
        if normalize:
            scale_to_unit_length(row, noise, features[r : r + 1])
        else:
            features[r] = row[0]


@compiled
def row_lengths(
    values: Floats,
    entry_ends: Indices,
    constants: Floats,
    n_items: int,
    noise: float,
    lengths: Floats,
) -> None:
    """Euclidean length of each row; infinite if its entries are all within ``noise`` of 0."""
    start = 0
    for r in range(constants.shape[0]):
        end = entry_ends[r]
        n_others = n_items - (end - start)
        largest = abs(constants[r]) if n_others > 0 else 0.0
        for entry in range(start, end):
            largest = max(largest, abs(values[entry]))
        lengths[r] = np.inf
        if largest > noise:
            square = n_others * (constants[r] / largest) ** 2
            for entry in range(start, end):
                square += (values[entry] / largest) ** 2
            lengths[r] = largest * np.sqrt(square)
        start = end
