"""Increments along chains of prefixes, F(B_t) − F(B_{t−1}), for set functions other than cuts.

Each loop goes through the items of a row in order, keeps the state of the function, and adds up
the gains of the items of a group. The gain of the last group follows from F(V) = ``total``, so a
top-k list costs no more than its k items.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Chains, Floats, Indices, Ints


@compiled
def cardinality_increments(ends: Ints, n_groups: Ints, values: Floats, increments: Floats) -> None:
    """F(B) = ``values[|B|]``."""
    for r in range(ends.shape[0]):
        start = 0
        for t in range(n_groups[r]):
            end = ends[r, t]
            increments[r, t] = values[end] - values[start]
            start = end


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
def hypergraph_increments(
    chains: Chains,
    starts: Indices,
    edges: Indices,
    sizes: Ints,
    weights: Floats,
    increments: Floats,
) -> None:
    """A hyperedge is cut from its first item until its last.

    The hyperedges of item i are ``edges[starts[i]:starts[i + 1]]``.
    """
    order, ends, n_groups = chains
    placed = np.empty(sizes.shape[0], dtype=np.int32)
    for r in range(order.shape[0]):
        placed[:] = 0
        start = 0
        running = 0.0
        for t in range(n_groups[r] - 1):
            increment = 0.0
            for p in range(start, ends[r, t]):
                item = order[r, p]
                for k in range(starts[item], starts[item + np.uint32(1)]):
                    edge = edges[k]
                    placed[edge] += 1
                    if placed[edge] == 1:
                        increment += weights[edge]
                    if placed[edge] == sizes[edge]:
                        increment -= weights[edge]
            increments[r, t] = increment
            running += increment
            start = ends[r, t]
        if n_groups[r] > 0:
            increments[r, n_groups[r] - 1] = -running


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
        start = 0
        running = 0.0
        for t in range(n_groups[r] - 1):
            increment = 0.0
            for p in range(start, ends[r, t]):
                item = order[r, p]
                for k in range(starts[item], starts[item + np.uint32(1)]):
                    element = elements[k]
                    if covered_in[element] != r:
                        covered_in[element] = r
                        increment += weights[element]
            increments[r, t] = increment
            running += increment
            start = ends[r, t]
        if n_groups[r] > 0:
            increments[r, n_groups[r] - 1] = total - running


@compiled
def facility_increments(
    chains: Chains, utilities: Floats, total: float, increments: Floats
) -> None:
    """``utilities[i]`` is the value of item i to each client; a client keeps the best so far."""
    order, ends, n_groups = chains
    best = np.empty(utilities.shape[1])
    for r in range(order.shape[0]):
        best[:] = 0.0
        start = 0
        running = 0.0
        for t in range(n_groups[r] - 1):
            for p in range(start, ends[r, t]):
                offered = utilities[order[r, p]]
                for client in range(best.shape[0]):
                    best[client] = max(best[client], offered[client])
            value = best.sum()
            increments[r, t] = value - running
            running = value
            start = ends[r, t]
        if n_groups[r] > 0:
            increments[r, n_groups[r] - 1] = total - running


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
        last = n_groups[r] - 1
        stop = ends[r, last - 1] if last > 0 else 0
        permuted = np.empty((stop, stop))
        for p in range(stop):
            row = matrix[order[r, p]]
            for q in range(p + 1):
                # Fill both halves, because the factorisation may read either.
                permuted[p, q] = row[order[r, q]]
                permuted[q, p] = permuted[p, q]
        factor = np.linalg.cholesky(permuted)
        start = 0
        running = 0.0
        for t in range(last):
            increment = 0.0
            for p in range(start, ends[r, t]):
                increment += np.log(factor[p, p])
            increments[r, t] = increment
            running += increment
            start = ends[r, t]
        if last >= 0:
            increments[r, last] = total - running
