"""Increments of the cut function of a dense graph, for many chains.

Of two items, the one placed later loses twice their weight: the gain of item i is its degree minus
2 Σ_{j placed before i} W_ij. Each item loses the weights of the others in the order of their
numbers, in each of the loops, so that a ranking has the same bits in any batch.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.cut_increments import sum_gains_by_group
from rankcut._loops.types import Floats, Indices, Ints, Longs

# Number of rankings whose places are compared at once. With more, each load of a weight and each
# start of a loop serves more; with too many, the places of a square of items outgrow the cache.
LANES = 128

# For fewer rankings, it is faster to compare the places of many items.
FEW_LANES = 16

# Vector instructions leave a remainder to be computed one by one, and short loops do not use them
# at all: so lanes are a multiple of this number, and at least twice as many; some are idle.
_VECTORS = 16

# Pairs of items are taken in squares of this many, whose places and gains stay in cache.
_SQUARE = 32

# If at most one item in this many is placed, the weights between those are looked up.
_SHORT = 3


@compiled
def dense_increments(
    order: Indices,
    ends: Ints,
    n_groups: Ints,
    twice_weights: Floats,
    degrees: Floats,
    places: Ints,
    levels: Floats,
    increments: Floats,
) -> None:
    """The weights are doubled, and padded with zeros to a multiple of four items.

    ``places`` and ``levels`` are room for an entry for each padded item, and for ``LANES`` entries
    each if there are ``FEW_LANES`` rankings or more.
    """
    n_items = degrees.shape[0]
    gains = np.empty(n_items)
    rows = np.empty(LANES, np.int64)
    n_lanes = 0
    for r in range(order.shape[0]):
        last = n_groups[r] - 1
        stop = ends[r, last - 1] if last > 0 else 0
        if _SHORT * stop <= n_items:
            gains_of_short(order[r], stop, twice_weights, degrees, gains)
            sum_gains_by_group(gains, ends[r], n_groups[r], increments[r])
        else:
            rows[n_lanes] = r
            n_lanes += 1
        if n_lanes == LANES or (n_lanes > 0 and r == order.shape[0] - 1):
            if n_lanes < FEW_LANES:
                for k in range(n_lanes):
                    gains_of_one(order[rows[k]], twice_weights, degrees, places, levels, gains)
                    sum_gains_by_group(gains, ends[rows[k]], n_groups[rows[k]], increments[rows[k]])
            else:
                gains_of_many(order, rows[:n_lanes], twice_weights, degrees, places, levels)
                for k in range(n_lanes):
                    for p in range(n_items):
                        gains[p] = levels[LANES * order[rows[k], p] + k]
                    sum_gains_by_group(gains, ends[rows[k]], n_groups[rows[k]], increments[rows[k]])
            n_lanes = 0


@compiled
def gains_of_short(
    order: Indices, stop: int, twice_weights: Floats, degrees: Floats, gains: Floats
) -> None:
    """The gains of the first items of a ranking, from the weights between them."""
    for p in range(stop):
        row = twice_weights[order[p]]
        # Four sums side by side, which a processor adds up at once.
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        q = 0
        while q + 4 <= p:
            a += row[order[q]]
            b += row[order[q + 1]]
            c += row[order[q + 2]]
            d += row[order[q + 3]]
            q += 4
        while q < p:
            a += row[order[q]]
            q += 1
        gains[p] = degrees[order[p]] - ((a + b) + (c + d))


@compiled
def gains_of_one(
    order: Indices,
    twice_weights: Floats,
    degrees: Floats,
    places: Ints,
    levels: Floats,
    gains: Floats,
) -> None:
    """The gains of all items of a ranking, many at a time."""
    n_items = degrees.shape[0]
    place = places[: twice_weights.shape[0]]
    level = levels[: twice_weights.shape[0]]
    place[:] = n_items
    for p in range(n_items):
        place[order[p]] = p
    level[:n_items] = degrees
    for i in range(0, twice_weights.shape[0], 4):
        a, b, c, d = place[i], place[i + 1], place[i + 2], place[i + 3]
        row_a, row_b = twice_weights[i], twice_weights[i + 1]
        row_c, row_d = twice_weights[i + 2], twice_weights[i + 3]
        for j in range(n_items):
            here = place[j]
            left = level[j]
            left -= row_a[j] if a < here else 0.0
            left -= row_b[j] if b < here else 0.0
            left -= row_c[j] if c < here else 0.0
            left -= row_d[j] if d < here else 0.0
            level[j] = left
    for p in range(n_items):
        gains[p] = level[order[p]]


@compiled
def gains_of_many(
    order: Indices,
    rows: Longs,
    twice_weights: Floats,
    degrees: Floats,
    places: Ints,
    levels: Floats,
) -> None:
    """The gains of all items of some rankings; item i of the k-th is ``levels[LANES * i + k]``.

    A pair of items is compared once for both of them.
    """
    n_padded = twice_weights.shape[0]
    n_items = degrees.shape[0]
    for k in range(rows.shape[0]):
        row = order[rows[k]]
        for p in range(n_items):
            places[LANES * row[p] + k] = p
    n_lanes = max(2 * _VECTORS, (rows.shape[0] + _VECTORS - 1) // _VECTORS * _VECTORS)
    for i in range(n_items):
        levels[LANES * i : LANES * i + n_lanes] = degrees[i]
    for top in range(0, n_padded, _SQUARE):
        for left in range(top, n_padded, _SQUARE):
            right = min(n_padded, left + _SQUARE)
            for i in range(top, min(n_padded, top + _SQUARE), 4):
                of_four = places[LANES * i : LANES * (i + 4)]
                levels_of_four = levels[LANES * i : LANES * (i + 4)]
                if left == top:
                    compare_four(
                        twice_weights[i : i + 4, i : i + 4], n_lanes, of_four, levels_of_four
                    )
                row_a, row_b = twice_weights[i], twice_weights[i + 1]
                row_c, row_d = twice_weights[i + 2], twice_weights[i + 3]
                for j in range(i + 4 if left == top else left, right, 2):
                    # With several items of each, places and levels are loaded less often; with
                    # rows of a constant length, a compiler sees that they do not overlap.
                    of_two = places[LANES * j : LANES * (j + 2)]
                    levels_of_two = levels[LANES * j : LANES * (j + 2)]
                    ax, bx, cx, dx = row_a[j], row_b[j], row_c[j], row_d[j]
                    ay, by, cy, dy = row_a[j + 1], row_b[j + 1], row_c[j + 1], row_d[j + 1]
                    for k in range(n_lanes):
                        a, b = of_four[k], of_four[k + LANES]
                        c, d = of_four[k + 2 * LANES], of_four[k + 3 * LANES]
                        level_a, level_b = levels_of_four[k], levels_of_four[k + LANES]
                        level_c, level_d = (
                            levels_of_four[k + 2 * LANES],
                            levels_of_four[k + 3 * LANES],
                        )
                        here, level = of_two[k], levels_of_two[k]
                        level -= ax if a < here else 0.0
                        level_a -= 0.0 if a < here else ax
                        level -= bx if b < here else 0.0
                        level_b -= 0.0 if b < here else bx
                        level -= cx if c < here else 0.0
                        level_c -= 0.0 if c < here else cx
                        level -= dx if d < here else 0.0
                        level_d -= 0.0 if d < here else dx
                        levels_of_two[k] = level
                        here, level = of_two[k + LANES], levels_of_two[k + LANES]
                        level -= ay if a < here else 0.0
                        level_a -= 0.0 if a < here else ay
                        level -= by if b < here else 0.0
                        level_b -= 0.0 if b < here else by
                        level -= cy if c < here else 0.0
                        level_c -= 0.0 if c < here else cy
                        level -= dy if d < here else 0.0
                        level_d -= 0.0 if d < here else dy
                        levels_of_two[k + LANES] = level
                        levels_of_four[k], levels_of_four[k + LANES] = level_a, level_b
                        levels_of_four[k + 2 * LANES], levels_of_four[k + 3 * LANES] = (
                            level_c,
                            level_d,
                        )


@compiled
def compare_four(twice_weights: Floats, n_lanes: int, places: Ints, levels: Floats) -> None:
    """Of each pair of four items, the one placed later loses their weight."""
    for a in range(4):
        for b in range(a + 1, 4):
            weight = twice_weights[a, b]
            for k in range(n_lanes):
                before = places[LANES * a + k] < places[LANES * b + k]
                levels[LANES * a + k] -= 0.0 if before else weight
                levels[LANES * b + k] -= weight if before else 0.0
