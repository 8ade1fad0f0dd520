"""Mean slopes over all completions, in closed form: no completion is ever made.

With l groups, u unranked items and p = 1/(l + 1), the mean over completions of the slope before
pooling is

* for item i of group t: the group's mean of
  Σ_{ranked j worse} W_ij − Σ_{ranked j better} W_ij + (Σ_{unranked j} W_ij)·(l + 1 − 2t)·p;
* for an unranked item: c1·q_i + c2·(Q − q_i), where q_i = Σ_{ranked j} W_ij·(2t_j − l − 1)·p,
  Q = Σ_{unranked} q, c1 = (1 − (1 − p)^u)/(u·p) and c2 = (1 − c1)/(u − 1), or 0 if u = 1.

Where comparisons with unranked items have a weight of their own, all W_ij between a ranked and an
unranked item are multiplied by it.

An unranked item that is joined to no ranked one has the constant c2·Q: a vector is that constant,
and entries of its own for ranked items and their neighbours.
"""

import numpy as np

from rankcut._loops.compiling import compiled
from rankcut._loops.types import Floats, Indices, Ints


@compiled
def expect_rows(
    order: Indices,
    ends: Ints,
    n_groups: Ints,
    unlisted_weights: Floats,
    n_items: int,
    starts: Indices,
    neighbours: Indices,
    weights: Floats,
    items: Indices,
    values: Floats,
    entry_ends: Indices,
    constants: Floats,
) -> None:
    """Mean slopes of each partition on a graph given row by row.

    The entries of partition r are ``items`` and ``values`` up to ``entry_ends[r]``; all other
    items have ``constants[r]``.
    """
    # group[i]: 1, 2, … for a ranked item, −1 for an unranked one met already, otherwise 0.
    group = np.zeros(n_items, dtype=np.int32)
    pull = np.zeros(n_items)
    entry = 0
    for r in range(n_groups.shape[0]):
        last = n_groups[r]
        first_entry = entry
        start = 0
        for t in range(last):
            for at in range(start, ends[r, t]):
                group[order[r, at]] = t + 1
                items[entry] = order[r, at]
                entry += 1
            start = ends[r, t]
        n_ranked = start
        p = 1.0 / (last + 1)
        start = 0
        met = entry
        for t in range(1, last + 1):
            towards_top = unlisted_weights[r] * ((last + 1 - 2 * t) * p)
            total = 0.0
            for at in range(start, ends[r, t - 1]):
                item = order[r, at]
                for edge in range(starts[item], starts[item + np.uint32(1)]):
                    other = neighbours[edge]
                    weight = weights[edge]
                    if group[other] > 0:
                        total += weight * ((group[other] > t) - np.int64(group[other] < t))
                    else:
                        total += weight * towards_top
                        pull[other] -= weight * towards_top
                        if group[other] == 0:
                            group[other] = -1
                            items[met] = other
                            met += 1
            for at in range(start, ends[r, t - 1]):
                values[first_entry + at] = total / (ends[r, t - 1] - start)
            start = ends[r, t - 1]
        n_unranked = n_items - n_ranked
        own, others = 1.0, 0.0
        if n_unranked > 1 and last > 0:
            own = -np.expm1(n_unranked * np.log1p(-p)) / (n_unranked * p)
            others = (1.0 - own) / (n_unranked - 1)
        total = 0.0
        for at in range(entry, met):
            total += pull[items[at]]
        for at in range(entry, met):
            values[at] = own * pull[items[at]] + others * (total - pull[items[at]])
            pull[items[at]] = 0.0
        constants[r] = others * total
        entry = met
        for at in range(first_entry, entry):
            group[items[at]] = 0
        entry_ends[r] = entry


@compiled
def expect_complete_rows(
    order: Indices,
    ends: Ints,
    n_groups: Ints,
    unlisted_weights: Floats,
    n_items: int,
    items: Indices,
    values: Floats,
    entry_ends: Indices,
    constants: Floats,
) -> None:
    """The same on the complete graph, where all unranked items have one value."""
    entry = 0
    for r in range(n_groups.shape[0]):
        last = n_groups[r]
        n_ranked = ends[r, last - 1] if last > 0 else 0
        n_unranked = n_items - n_ranked
        pull = 0.0
        start = 0
        for t in range(1, last + 1):
            end = ends[r, t - 1]
            towards_top = unlisted_weights[r] * ((last + 1 - 2 * t) / (last + 1))
            for at in range(start, end):
                items[entry] = order[r, at]
                values[entry] = (n_ranked - start - end) + n_unranked * towards_top
                entry += 1
            pull -= (end - start) * towards_top
            start = end
        entry_ends[r] = entry
        constants[r] = pull


@compiled
def spread_rows(
    items: Indices,
    values: Floats,
    entry_ends: Indices,
    constants: Floats,
    normalize: bool,
    features: Floats,
) -> None:
    """Constants and entries as dense rows."""
    n_items = features.shape[1]
    start = 0
    for r in range(constants.shape[0]):
        end = entry_ends[r]
        largest, rest = 1.0, 1.0
        if normalize:
            largest, rest = length(values[start:end], constants[r], n_items)
        for i in range(n_items):
            features[r, i] = constants[r] / largest / rest
        for entry in range(start, end):
            features[r, items[entry]] = values[entry] / largest / rest
        start = end


@compiled
def length(values: Floats, constant: float, n_items: int) -> tuple[float, float]:
    """Euclidean length of a row, as two factors: its largest entry, and the rest.

    Equal neighbours are counted together, as pooling counts a group, so that a complete ranking
    on the complete graph comes out the same to the last bit. The length of zeros is given as 1.
    """
    largest = abs(constant) if values.shape[0] < n_items else 0.0
    for value in values:
        largest = max(largest, abs(value))
    if largest == 0.0:
        return 1.0, 1.0
    square = 0.0
    run = 0
    for entry in range(values.shape[0]):
        run += 1
        if entry + 1 == values.shape[0] or values[entry + 1] != values[entry]:
            square += run * (values[entry] / largest) ** 2
            run = 0
    square += (n_items - values.shape[0]) * (constant / largest) ** 2
    return largest, float(np.sqrt(square))
