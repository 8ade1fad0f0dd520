"""Loops of rank-biased overlap: the weight of each listed item, and what two lists share."""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.pairs import TWINS, columns_of, mirror
from rankcut._loops.types import Chains, Floats, Indices, Longs


@compiled
def weigh_listed(chains: Chains, place_weights: Floats, weights: Floats) -> None:
    """Give each item of ``order`` the weight of its place; tied items share that of their places.

    ``weights`` lists the rankings one after the other, each item where it is in its ranking.
    """
    order, ends, n_groups = chains
    entry = 0
    for r in range(order.shape[0]):
        begin = 0
        for t in range(n_groups[r]):
            end = ends[r, t]
            total = 0.0
            for place in range(begin, end):
                total += place_weights[place]
            for _ in range(begin, end):
                weights[entry] = total / (end - begin)
                entry += 1
            begin = end


@compiled
def overlap_values(
    starts: Longs,
    items: Indices,
    weights: Floats,
    other_starts: Longs,
    other_items: Indices,
    other_weights: Floats,
    n_items: int,
    pairs: int,
    out: Floats,
) -> None:
    """Σ_i min(w_i, w'_i) over the items that two lists share, for each pair of lists.

    The items of a list are in ascending order, so that a pair has the same sum both ways round.
    """
    row_weights = np.zeros(n_items)
    n_columns = len(other_starts) - 1
    for r in range(len(starts) - 1):
        for entry in range(starts[r], starts[r + 1]):
            row_weights[items[entry]] = weights[entry]
        first, last = columns_of(r, n_columns, pairs)
        for c in range(first, last):
            total = 0.0
            for entry in range(other_starts[c], other_starts[c + 1]):
                total += min(row_weights[other_items[entry]], other_weights[entry])
            out[r, c - first if pairs == TWINS else c] = total
        for entry in range(starts[r], starts[r + 1]):
            row_weights[items[entry]] = 0.0
    mirror(pairs, out)
