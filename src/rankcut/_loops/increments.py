"""Increments of a set function along a chain of prefixes, F(B_t) − F(B_{t−1}), for many chains.

Each loop places the items of a row in order, best first, keeps the state of the function, and adds
up the gains of the items of a group. The increment of the last group follows from F(V), which is
``total``, or 0 for cuts: so a top-k list costs no more than its k items.

In a graph, the gain of the next item i is its degree minus twice its weight to those already
placed: d_i − 2 Σ_{k placed} W_ik.
"""

import numpy as np

from rankcut._loops.compilation import compiled, compiled_in_any_order
from rankcut._loops.types import Chains, Floats, Indices, Ints, Links, Longs

# Rankings that share the weights of an item.
SHARING = 32


@compiled
def table_increments(chains: Chains, values: Floats, increments: Floats) -> None:
    """Few items: ``values[mask]`` holds F of every subset."""
    order, ends, n_groups = chains
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


@compiled
def dense_increments(
    chains: Chains, twice_weights: Floats, degrees: Floats, increments: Floats
) -> None:
    """A dense graph.

    Long rankings of many items wait for others, to share the weights that they read: without this,
    those of 2,000 items take six times as long.
    """
    order, ends, n_groups = chains
    level = np.empty(degrees.shape[0])
    places = np.zeros((SHARING, degrees.shape[0]), dtype=np.int32)
    waiting, stops = np.empty((2, SHARING), dtype=np.int64)
    n_waiting = 0
    for r in range(order.shape[0]):
        stop = end_of_gains(ends[r], n_groups[r])
        # By benchmarks/cuts/features.py, a core's cache holds so many weights.
        if stop * degrees.shape[0] <= 160 * 160:
            gains_by_levels(order[r], stop, twice_weights, degrees, level, increments[r])
        else:
            waiting[n_waiting], stops[n_waiting] = r, stop
            n_waiting += 1
        if n_waiting == SHARING or r == order.shape[0] - 1:
            rows = waiting[:n_waiting]
            gains_by_places(order, rows, stops, twice_weights, degrees, places, increments)
            n_waiting = 0
    sum_by_group(chains, 0.0, increments)


@compiled
def gains_by_levels(
    order: Indices, stop: int, twice_weights: Floats, degrees: Floats, level: Floats, gains: Floats
) -> None:
    """Read the level of each item, then lower all levels by twice the weights to that item.

    Two items are placed at a time; one by one would take a quarter longer.
    """
    level[:] = degrees
    for p in range(0, stop, 2):
        a, b = order[p], order[p + 1]
        lost_to_a, lost_to_b = twice_weights[a], twice_weights[b]
        gains[p] = level[a]
        gains[p + 1] = level[b] - lost_to_a[b]
        for i in range(level.shape[0]):
            level[i] = (level[i] - lost_to_a[i]) - lost_to_b[i]


@compiled
def gains_by_places(
    order: Indices,
    rows: Longs,
    stops: Longs,
    twice_weights: Floats,
    degrees: Floats,
    places: Ints,
    gains: Floats,
) -> None:
    """For each item and each of some rankings, add up the weights to the items before it."""
    n_items = twice_weights.shape[0]
    for k in range(rows.shape[0]):
        for p in range(n_items):
            places[k, order[rows[k], p]] = p
    for i in range(n_items):
        for k in range(rows.shape[0]):
            place = places[k, i]
            if place < stops[k]:
                lost = weight_before(twice_weights[i], places[k], place)
                gains[rows[k], np.uint32(place)] = degrees[i] - lost


@compiled_in_any_order
def weight_before(weights: Floats, places: Ints, place: int) -> float:
    """The weights of the items before a place."""
    total = 0.0
    for i in range(weights.shape[0]):
        total += weights[i] if places[i] < place else 0.0
    return total


@compiled
def end_of_gains(ends: Ints, n_groups: int) -> int:
    """The place from which on gains are not needed: where the last group begins."""
    return int(ends[n_groups - 2]) if n_groups > 1 else 0


@compiled
def sum_by_group(chains: Chains, full: float, gains: Floats) -> None:
    """From the gains of items to those of groups, in place; F of all items is ``whole``."""
    _, ends, n_groups = chains
    for r in range(n_groups.shape[0]):
        last = n_groups[r] - 1
        if end_of_gains(ends[r], n_groups[r]) > last:
            start = 0
            for t in range(last):
                gain = 0.0
                for p in range(start, ends[r, t]):
                    gain += gains[r, p]
                gains[r, t] = gain
                start = ends[r, t]
        if last >= 0:
            gains[r, last] = full - sum_of(gains[r, :last])


@compiled_in_any_order
def sum_of(numbers: Floats) -> float:
    """Their sum."""
    total = 0.0
    for number in numbers:
        total += number
    return total


@compiled
def sparse_increments(
    chains: Chains, constant: float, links: Links, degrees: Floats, increments: Floats
) -> None:
    """Weights c + S_ij: S by the links of each item, with twice their weights."""
    order, ends, n_groups = chains
    starts, neighbours, twice_weights = links
    level = np.empty(degrees.shape[0])
    for r in range(order.shape[0]):
        level[:] = degrees
        for p in range(end_of_gains(ends[r], n_groups[r])):
            item = order[r, p]
            increments[r, p] = level[item] - 2.0 * constant * p
            for edge in range(starts[item], starts[item + np.uint32(1)]):
                level[neighbours[edge]] -= twice_weights[edge]
    sum_by_group(chains, 0.0, increments)


@compiled
def modular_increments(chains: Chains, weights: Floats, increments: Floats) -> None:
    """F(B) = Σ_{i∈B} ``weights[i]``."""
    order, ends, n_groups = chains
    for r in range(order.shape[0]):
        start = 0
        for t in range(n_groups[r]):
            increment = 0.0
            for p in range(start, ends[r, t]):
                increment += weights[order[r, p]]
            increments[r, t] = increment
            start = ends[r, t]


@compiled
def coverage_increments(
    chains: Chains,
    starts: Indices,
    elements: Indices,
    weights: Floats,
    total: float,
    increments: Floats,
) -> None:
    """The gain of an item is the weight of its elements that no earlier item has.

    The elements of item i are ``elements[starts[i]:starts[i + 1]]``.
    """
    order, ends, n_groups = chains
    covered_in = np.full(weights.shape[0], -1, dtype=np.int32)
    for r in range(order.shape[0]):
        for p in range(end_of_gains(ends[r], n_groups[r])):
            item = order[r, p]
            increments[r, p] = 0.0
            for k in range(starts[item], starts[item + np.uint32(1)]):
                if covered_in[elements[k]] != r:
                    covered_in[elements[k]] = r
                    increments[r, p] += weights[elements[k]]
    sum_by_group(chains, total, increments)


@compiled
def log_determinant_increments(
    chains: Chains, matrix: Floats, total: float, increments: Floats
) -> None:
    """½ log det of ``matrix[B, B]`` for all prefixes B from one Cholesky factor.

    With the items in the order of the row, the factor of a prefix is the leading block of the
    whole factor: the gain of the item at place p is log L_pp.
    """
    order, ends, n_groups = chains
    for r in range(order.shape[0]):
        stop = end_of_gains(ends[r], n_groups[r])
        permuted = np.empty((stop, stop))
        for p in range(stop):
            row = matrix[order[r, p]]
            for q in range(p + 1):
                # Fill both halves, because the factorisation may read either.
                permuted[p, q] = row[order[r, q]]
                permuted[q, p] = permuted[p, q]
        factor = np.linalg.cholesky(permuted)
        for p in range(stop):
            increments[r, p] = np.log(factor[p, p])
    sum_by_group(chains, total, increments)
