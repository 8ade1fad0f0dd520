"""The group of each item: the form in which two rankings are compared item by item."""

import numpy as np

from rankcut._loops.compiling import compiled
from rankcut._loops.types import Floats, Indices, Ints

# The group of an item that is in none.
NOWHERE = np.uint32(0xFFFFFFFF)


@compiled
def group_rows(order: Indices, ends: Ints, n_groups: Ints, groups: Indices) -> None:
    """From ordered partitions to ``groups[r, i]``: 0 is the best group, NOWHERE is unranked."""
    n = groups.shape[1]
    for r in range(groups.shape[0]):
        start = 0
        for t in range(n_groups[r]):
            for p in range(start, ends[r, t]):
                groups[r, order[r, p]] = t
            start = ends[r, t]
        for p in range(start, n):
            groups[r, order[r, p]] = NOWHERE


@compiled
def count_groups(row: Indices, sizes: Ints) -> tuple[int, int]:
    """Fill ``sizes[t]`` with the size of group t; returns how many groups, how many items."""
    sizes[:] = 0
    n_ranked = 0
    for group in row:
        if group != NOWHERE:
            sizes[group] += 1
            n_ranked += 1
    n_groups = 0
    while n_groups < sizes.shape[0] and sizes[n_groups] > 0:
        n_groups += 1
    return n_groups, n_ranked


@compiled
def centred_positions(groups: Indices, features: Floats) -> None:
    """φ_i = worse − better items, unranked ones at their mean over the l + 1 gaps of l groups.

    A ranked item of group t (counted from 1) is better than an unranked one in l + 1 − t of the
    gaps and worse in t of them.
    """
    n = groups.shape[1]
    sizes = np.empty(n, dtype=np.int32)
    values = np.empty(n)
    for r in range(groups.shape[0]):
        n_groups, n_ranked = count_groups(groups[r], sizes)
        above = 0
        unranked = 0.0
        for t in range(n_groups):
            lean = (n_groups - 1 - 2 * t) / (n_groups + 1)
            below = n_ranked - above - sizes[t]
            values[t] = (below - above) + (n - n_ranked) * lean
            unranked -= sizes[t] * lean
            above += sizes[t]
        for i in range(n):
            group = groups[r, i]
            features[r, i] = unranked if group == NOWHERE else values[group]
