"""Increments of the cut function of a small dense graph, for many chains.

The level of an item is its degree minus twice its weight to the items already placed: what it gains
if it is placed next. Items are placed in twos or fours. All items lose twice their weights to these
in one pass over rows of the table, which leaves the levels in registers; weights among these are
looked up.
"""

import numpy as np

from rankcut._loops.compilation import compiled, wide_vectors
from rankcut._loops.pair_increments import aligned, aligned_table, sum_by_group
from rankcut._loops.registers import VECTOR, load_row, store_row, subtract_rows
from rankcut._loops.types import Floats, Indices, Ints

# Up to this many vectors of levels, the table is in the nearest cache: then it takes less time to
# store levels after every two items than to look up the weights among four.
_MOST_IN_TWOS = 9


def arrange_levels(weights: Floats, degrees: Floats) -> tuple[Floats, Floats, tuple[int, ...]]:
    """The table of twice the weights, the first levels, and a tuple like a row of vectors."""
    n = len(weights)
    n_vectors = -(-n // VECTOR)
    table = aligned_table(n, VECTOR * n_vectors)
    table[:, :n] = 2.0 * weights
    levels = np.zeros(VECTOR * n_vectors)
    levels[:n] = degrees
    return table, levels, (0,) * n_vectors


@compiled
def level_increments(
    order: Indices,
    ends: Ints,
    n_groups: Ints,
    twice_weights: Floats,
    first_levels: Floats,
    like: tuple[int, ...],
    increments: Floats,
) -> None:
    """The table and what comes with it are from ``arrange_levels``."""
    wide_vectors()
    levels = aligned(first_levels.shape[0])
    in_fours = len(like) > _MOST_IN_TWOS
    for r in range(order.shape[0]):
        last = n_groups[r] - 1
        stop = ends[r, last - 1] if last > 0 else 0
        whole = stop // 4 * 4
        sum_a, sum_b, sum_c, sum_d = 0.0, 0.0, 0.0, 0.0
        row = load_row(first_levels, like)
        store_row(row, levels)
        for p in range(0, whole, 4):
            a, b, c, d = order[r, p], order[r, p + 1], order[r, p + 2], order[r, p + 3]
            gain_a = levels[a]
            gain_b = levels[b] - twice_weights[a, b]
            row = subtract_rows(row, twice_weights, a, b)
            if in_fours:
                gain_c = (levels[c] - twice_weights[a, c]) - twice_weights[b, c]
                gain_d = (levels[d] - twice_weights[a, d]) - twice_weights[b, d]
            else:
                store_row(row, levels)
                gain_c, gain_d = levels[c], levels[d]
            gain_d -= twice_weights[c, d]
            row = subtract_rows(row, twice_weights, c, d)
            store_row(row, levels)
            increments[r, p], increments[r, p + 1] = gain_a, gain_b
            increments[r, p + 2], increments[r, p + 3] = gain_c, gain_d
            sum_a += gain_a
            sum_b += gain_b
            sum_c += gain_c
            sum_d += gain_d
        for p in range(whole, stop):
            gain = levels[order[r, p]]
            for q in range(whole, p):
                gain -= twice_weights[order[r, q], order[r, p]]
            increments[r, p] = gain
            sum_a += gain
        if stop > last:
            sum_by_group(ends[r : r + 1], n_groups[r : r + 1], increments[r : r + 1])
        else:
            # The last one brings F back to 0.
            increments[r, last] = -((sum_a + sum_b) + (sum_c + sum_d))
