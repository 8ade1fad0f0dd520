"""Slopes of top-k lists over a large catalogue, without a number for each unlisted item.

All unlisted items are tied last, so they share one slope. With γ the weight of comparisons with
them, group t of a list raises the cut by

    Σ_{i in the group} (Σ_{listed j worse} W_ij − Σ_{listed j better} W_ij + γ·Σ_{unlisted j} W_ij)

and the last group, of all u unlisted items, lowers it by γ times the weight between listed and
unlisted items. Slopes are then pooled as for any other ranking.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Chains, Floats, Indices, Links


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
            while rise * sizes[last] > rises[last] * size:
                rise += rises[last]
                size += sizes[last]
                last -= 1
            last += 1
            rises[last], sizes[last], stops[last] = rise, size, end
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
