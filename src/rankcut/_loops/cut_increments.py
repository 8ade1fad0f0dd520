"""Increments of the cut function along a chain of prefixes, F(B_t) − F(B_{t−1}), for many chains.

Placing the items one by one, best first, the gain of the next item i is its degree minus twice
its weight to those already placed: d_i − 2 Σ_{k placed} W_ik. The gains of a group's items, in
any order, add up to the increment of the group. The last increment brings F back to 0.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Indices, Ints


@compiled
def complete_increments(ends: Ints, n_groups: Ints, n_items: int, increments: Floats) -> None:
    """All weights 1: F(B) = |B|·(n − |B|)."""
    for r in range(ends.shape[0]):
        start = 0
        for t in range(n_groups[r]):
            end = ends[r, t]
            increments[r, t] = (end - start) * (n_items - start - end)
            start = end


@compiled
def table_increments(
    order: Indices, ends: Ints, n_groups: Ints, values: Floats, increments: Floats
) -> None:
    """Few items: ``values[mask]`` holds F of every subset."""
    for r in range(order.shape[0]):
        mask = np.uint64(0)
        p = 0
        before = 0.0
        for t in range(n_groups[r]):
            while p < ends[r, t]:
                mask |= np.uint64(1) << np.uint64(order[r, p])
                p += 1
            value = values[mask]
            increments[r, t] = value - before
            before = value


def tabulate_cut(weights: Floats) -> Floats:
    """F of every subset of a few items, indexed by the subset's bit mask.

    The subsets with i as their last item follow from those without it, all at once: NumPy does
    it without a loop, so nothing has to be compiled.
    """
    n = weights.shape[0]
    values = np.zeros(1 << n)
    for i in range(n):
        # The weight of i to each subset of the items before it, highest first.
        linked = np.zeros(1)
        for j in range(i - 1, -1, -1):
            linked = np.repeat(linked, 2)
            linked[1::2] += weights[i, j]
        degree = 0.0
        for weight in weights[i]:
            degree += weight
        values[1 << i : 2 << i] = values[: 1 << i] + (degree - 2.0 * linked)
    values[(1 << n) - 1] = 0.0
    return values


@compiled
def sparse_increments(
    order: Indices,
    ends: Ints,
    n_groups: Ints,
    starts: Indices,
    neighbours: Indices,
    twice_weights: Floats,
    degrees: Floats,
    increments: Floats,
) -> None:
    """A sparse graph, row by row: the neighbours of i are at ``starts[i]:starts[i + 1]``."""
    level = np.empty(degrees.shape[0])
    for r in range(order.shape[0]):
        level[:] = degrees
        start = 0
        total = 0.0
        for t in range(n_groups[r] - 1):
            increment = 0.0
            for p in range(start, ends[r, t]):
                item = order[r, p]
                increment += level[item]
                for edge in range(starts[item], starts[item + np.uint32(1)]):
                    level[neighbours[edge]] -= twice_weights[edge]
            increments[r, t] = increment
            total += increment
            start = ends[r, t]
        if n_groups[r] > 0:
            increments[r, n_groups[r] - 1] = -total


@compiled
def structured_increments(
    order: Indices,
    ends: Ints,
    n_groups: Ints,
    constant: float,
    starts: Indices,
    neighbours: Indices,
    twice_weights: Floats,
    factors: Floats,
    signed_factors: Floats,
    degrees: Floats,
    increments: Floats,
) -> None:
    """Weights c + S_ij + ⟨z_i, σ z_j⟩: S as for a sparse graph, and the rest by running sums.

    ``factors`` has z_i and ``signed_factors`` σ z_i as rows.
    """
    level = np.empty(degrees.shape[0])
    placed = np.empty(factors.shape[1])
    for r in range(order.shape[0]):
        level[:] = degrees
        placed[:] = 0.0
        start = 0
        total = 0.0
        for t in range(n_groups[r] - 1):
            increment = 0.0
            for p in range(start, ends[r, t]):
                item = order[r, p]
                linked = constant * p + inner_product(factors[item], placed)
                increment += level[item] - 2.0 * linked
                for edge in range(starts[item], starts[item + np.uint32(1)]):
                    level[neighbours[edge]] -= twice_weights[edge]
                for q in range(placed.shape[0]):
                    placed[q] += signed_factors[item, q]
            increments[r, t] = increment
            total += increment
            start = ends[r, t]
        if n_groups[r] > 0:
            increments[r, n_groups[r] - 1] = -total


@compiled
def inner_product(x: Floats, y: Floats) -> float:
    """Four sums side by side, which a processor adds up at once."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = x.shape[0] - x.shape[0] % 4
    for q in range(0, whole, 4):
        a += x[q] * y[q]
        b += x[q + 1] * y[q + 1]
        c += x[q + 2] * y[q + 2]
        d += x[q + 3] * y[q + 3]
    for q in range(whole, x.shape[0]):
        a += x[q] * y[q]
    return (a + b) + (c + d)
