"""Increments of the cut function of a large dense graph, for many chains.

Of two items, the one placed later loses twice their weight: the gain of item i is its degree minus
2 Σ_{j placed before i} W_ij. A weight is loaded once for both of them.

Items are compared in fours, which are 32 columns apart in panels of 128. For one ranking, a vector
holds neighbouring columns, each of another four; for many, it holds the same four in each of them.
Either way an item adds up a four, then the fours in their order: so a ranking has the same bits in
any batch.
"""

import numpy as np

from rankcut._loops.compilation import compiled, wide_vectors
from rankcut._loops.types import Floats, Indices, Ints, Longs

# Number of rankings whose places are compared at once. With more, each load of a weight and each
# start of a loop serves more; with too many, the places of a few items outgrow the cache.
LANES = 128

# For fewer rankings, it is faster to compare the places of many items.
FEW_LANES = 16

# Vector instructions leave a remainder to be computed one by one, and short loops do not use them
# at all: so lanes are a multiple of this number, and at least twice as many; some are idle.
_VECTORS = 16

# Columns between the items of a four, and in a panel.
_APART = 32
_PANEL = 4 * _APART

# Pairs within a square of this many items are compared twice, once for each item, as that is
# simpler; a multiple of the fours that a vector may hold.
_SQUARE = 32

# Rankings in many lanes compare this many items with a four before they turn to the next.
_ROWS = 16

# Entries for a panel in ``gains_of_one``: levels, places, and sums of four items.
_PLACES, _SUMS, _ONE_PANEL = _PANEL, 2 * _PANEL, 3 * _PANEL

# Numbers in a cache line, at which wide vectors should start.
_LINE = 8

# Lanes that are filled together, so that each cache line of theirs is fetched once.
_TOGETHER = 16

# If at most one item in this many is placed, the weights between those are looked up.
_SHORT = 3


def arrange_weights(weights: Floats, degrees: Floats) -> tuple[Indices, Indices, Floats, Floats]:
    """The row and the column of each item, the table of twice the weights, and starts.

    An item starts with its degree less what it would lose if it came after each item of its
    square and of later ones; then it gets back the weights of those that it precedes.
    """
    n = len(weights)
    items = np.arange(n)
    panels, within = np.divmod(items, _PANEL)
    sizes = np.minimum(_PANEL, n - _PANEL * panels)
    quarters, fours = np.divmod(within, -(-sizes // 4))
    rows = _PANEL * panels + 4 * fours + quarters
    columns = _PANEL * panels + _APART * quarters + fours
    n_rows = -(-n // 4) * 4
    # An odd number of cache lines: rows a power of two apart would compete for the same places.
    n_columns = -(-n // _PANEL) * _PANEL + _LINE
    table = aligned_table(n_rows, n_columns)
    table[rows[:, None], columns] = weights
    table *= 2.0
    starts = np.zeros(n_rows)
    starts[rows] = degrees
    by_row = np.full(n_rows, n_columns - 1)
    by_row[rows] = columns
    for top in range(0, n_rows, _SQUARE):
        square = slice(top, top + _SQUARE)
        starts[square] -= table[square][:, by_row[top:]].sum(axis=1)
    return rows.astype(np.uint32), columns.astype(np.uint32), table, starts


def aligned_table(n_rows: int, n_columns: int) -> Floats:
    """Zeros that start at a cache line."""
    room = np.zeros(n_rows * n_columns + _LINE)
    start = -room.ctypes.data // 8 % _LINE
    return room[start : start + n_rows * n_columns].reshape(n_rows, n_columns)


@compiled
def pair_increments(
    order: Indices,
    ends: Ints,
    n_groups: Ints,
    rows: Indices,
    columns: Indices,
    twice_weights: Floats,
    degrees: Floats,
    starts: Floats,
    increments: Floats,
) -> None:
    """The table and what comes with it are from ``arrange_weights``."""
    n_items = degrees.shape[0]
    n_rows, n_columns = twice_weights.shape
    many = order.shape[0] >= FEW_LANES
    places = aligned(n_rows * LANES // 2 if many else 0).view(np.int32)
    levels = aligned(n_rows * LANES if many else _ONE_PANEL * (n_columns // _PANEL))
    chosen = np.empty(LANES, np.int64)
    n_lanes = 0
    for r in range(order.shape[0]):
        last = n_groups[r] - 1
        stop = ends[r, last - 1] if last > 0 else 0
        if _SHORT * stop <= n_items:
            gains_of_short(order[r], stop, rows, columns, twice_weights, degrees, increments[r])
        else:
            chosen[n_lanes] = r
            n_lanes += 1
        if n_lanes == LANES or (n_lanes > 0 and r == order.shape[0] - 1):
            if n_lanes < FEW_LANES:
                for k in range(n_lanes):
                    one = chosen[k]
                    gains_of_one(
                        order[one], rows, columns, twice_weights, starts, levels, increments[one]
                    )
            else:
                enter_places(order, chosen[:n_lanes], rows, places)
                gains_of_many(n_lanes, twice_weights, starts, places, levels)
                read_levels(chosen[:n_lanes], rows, places, levels, increments)
            n_lanes = 0
    sum_by_group(ends, n_groups, increments)


@compiled
def aligned(size: int) -> Floats:
    """Room for numbers that starts at a cache line."""
    room = np.empty(size + _LINE)
    start = -room.ctypes.data // 8 % _LINE
    return room[start : start + size]


@compiled
def sum_by_group(ends: Ints, n_groups: Ints, gains: Floats) -> None:
    """From gains of items to those of groups, in place; the last of a row brings F back to 0."""
    for r in range(ends.shape[0]):
        last = n_groups[r] - 1
        if 0 <= last < gains.shape[1] - 1:
            start = 0
            for t in range(last):
                gain = 0.0
                for p in range(start, ends[r, t]):
                    gain += gains[r, p]
                gains[r, t] = gain
                start = ends[r, t]
        # Four sums side by side, which a processor adds up at once.
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for t in range(0, last - 3, 4):
            a += gains[r, t]
            b += gains[r, t + 1]
            c += gains[r, t + 2]
            d += gains[r, t + 3]
        for t in range(max(last, 0) // 4 * 4, last):
            a += gains[r, t]
        if last >= 0:
            gains[r, last] = -((a + b) + (c + d))


@compiled
def gains_of_short(
    order: Indices,
    stop: int,
    rows: Indices,
    columns: Indices,
    twice_weights: Floats,
    degrees: Floats,
    gains: Floats,
) -> None:
    """The gains of the first items of a ranking, from the weights between them."""
    placed = np.empty(stop, np.uint32)
    for p in range(stop):
        row = twice_weights[rows[order[p]]]
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        q = 0
        while q + 4 <= p:
            a += row[placed[q]]
            b += row[placed[q + 1]]
            c += row[placed[q + 2]]
            d += row[placed[q + 3]]
            q += 4
        while q < p:
            a += row[placed[q]]
            q += 1
        gains[p] = degrees[order[p]] - ((a + b) + (c + d))
        placed[p] = columns[order[p]]


@compiled
def gains_of_one(
    order: Indices,
    rows: Indices,
    columns: Indices,
    twice_weights: Floats,
    starts: Floats,
    room: Floats,
    gains: Floats,
) -> None:
    """The gains of all items of a ranking: four of them against many, which share a vector."""
    wide_vectors()
    n_rows = twice_weights.shape[0]
    n_fours = n_rows // 4
    n_panels = (n_rows + _PANEL - 1) // _PANEL
    for at in range(room.shape[0]):
        room[at] = 0.0
    for p in range(rows.shape[0]):
        column = columns[order[p]]
        at = _ONE_PANEL * (column // _PANEL) + column % _PANEL
        room[at] = starts[rows[order[p]]]
        room[at + _PLACES] = p
    own = np.empty(_SQUARE)
    for top in range(0, n_rows, _SQUARE):
        bottom = min(n_rows, top + _SQUARE)
        first = top // _PANEL
        for i in range(top, bottom):
            own[i - top] = room[_ONE_PANEL * first + i // 4 % _APART + _APART * (i % 4)]
        for i in range(top, bottom, 4):
            at = _ONE_PANEL * first + i // 4 % _APART + _PLACES
            a, b = room[at], room[at + _APART]
            c, d = room[at + 2 * _APART], room[at + 3 * _APART]
            level_a, level_b = own[i - top], own[i - top + 1]
            level_c, level_d = own[i - top + 2], own[i - top + 3]
            for panel in range(first, n_panels):
                left = top % _PANEL // 4 if panel == first else 0
                size = min(_APART, n_fours - _APART * panel) - left
                # All in one array, so that a compiler sees what does not overlap.
                part = room[_ONE_PANEL * panel + left : _ONE_PANEL * (panel + 1)]
                start = _PANEL * panel + left
                row_a, row_b = twice_weights[i, start:], twice_weights[i + 1, start:]
                row_c, row_d = twice_weights[i + 2, start:], twice_weights[i + 3, start:]
                for k in range((size + 7) // 8 * 8):
                    sum_a, sum_b, sum_c, sum_d = 0.0, 0.0, 0.0, 0.0
                    for quarter in range(0, _PANEL, _APART):
                        here, level = part[k + quarter + _PLACES], part[k + quarter]
                        x = row_a[k + quarter] if a < here else 0.0
                        sum_a += x
                        level -= x
                        x = row_b[k + quarter] if b < here else 0.0
                        sum_b += x
                        level -= x
                        x = row_c[k + quarter] if c < here else 0.0
                        sum_c += x
                        level -= x
                        x = row_d[k + quarter] if d < here else 0.0
                        sum_d += x
                        level -= x
                        part[k + quarter] = level
                    part[k + _SUMS], part[k + _SUMS + _APART] = sum_a, sum_b
                    part[k + _SUMS + 2 * _APART], part[k + _SUMS + 3 * _APART] = sum_c, sum_d
                for k in range(size):
                    level_a += part[k + _SUMS]
                    level_b += part[k + _SUMS + _APART]
                    level_c += part[k + _SUMS + 2 * _APART]
                    level_d += part[k + _SUMS + 3 * _APART]
            own[i - top], own[i - top + 1] = level_a, level_b
            own[i - top + 2], own[i - top + 3] = level_c, level_d
        # Those of the square have lost weights to each other: that counted for ``own`` alone.
        for i in range(top, bottom):
            room[_ONE_PANEL * first + i // 4 % _APART + _APART * (i % 4)] = own[i - top]
    for p in range(rows.shape[0]):
        column = columns[order[p]]
        gains[p] = room[_ONE_PANEL * (column // _PANEL) + column % _PANEL]


@compiled
def enter_places(order: Indices, chosen: Longs, rows: Indices, places: Ints) -> None:
    """Place of item i in the k-th ranking that was chosen: ``places[LANES * rows[i] + k]``."""
    n_items = rows.shape[0]
    some = np.empty(_TOGETHER * n_items, np.int32)
    for first in range(0, chosen.shape[0], _TOGETHER):
        size = min(_TOGETHER, chosen.shape[0] - first)
        for k in range(size):
            row = order[chosen[first + k]]
            for p in range(n_items):
                some[n_items * k + row[p]] = p
        for i in range(n_items):
            lanes = places[LANES * rows[i] + first : LANES * rows[i] + first + _TOGETHER]
            for k in range(size):
                lanes[k] = some[n_items * k + i]


@compiled
def read_levels(chosen: Longs, rows: Indices, places: Ints, levels: Floats, gains: Floats) -> None:
    """Put what each item of the rankings chosen is left with at its place."""
    whole = chosen.shape[0] - chosen.shape[0] % 4
    for first in range(0, whole, 4):
        gains_a, gains_b = gains[chosen[first]], gains[chosen[first + 1]]
        gains_c, gains_d = gains[chosen[first + 2]], gains[chosen[first + 3]]
        for i in range(rows.shape[0]):
            start = LANES * rows[i] + first
            place, level = places[start : start + 4], levels[start : start + 4]
            gains_a[np.uint32(place[0])] = level[0]
            gains_b[np.uint32(place[1])] = level[1]
            gains_c[np.uint32(place[2])] = level[2]
            gains_d[np.uint32(place[3])] = level[3]
    for k in range(whole, chosen.shape[0]):
        for i in range(rows.shape[0]):
            start = LANES * rows[i] + k
            gains[chosen[k], places[start]] = levels[start]


@compiled
def gains_of_many(
    n_rankings: int, twice_weights: Floats, starts: Floats, places: Ints, levels: Floats
) -> None:
    """The gains of all items of some rankings: two items against a four, in many lanes.

    That of item i in the k-th of them is ``levels[LANES * rows[i] + k]``.
    """
    wide_vectors()
    n_rows = twice_weights.shape[0]
    n_lanes = max(2 * _VECTORS, (n_rankings + _VECTORS - 1) // _VECTORS * _VECTORS)
    for i in range(n_rows):
        for k in range(n_lanes):
            levels[LANES * i + k] = starts[i]
    for top in range(0, n_rows, _SQUARE):
        bottom = min(n_rows, top + _SQUARE)
        compare_square(top, bottom, n_lanes, twice_weights, places, levels)
        for upper in range(top, bottom, _ROWS):
            for four in range(bottom // 4, n_rows // 4):
                # With rows of a constant length, a compiler sees that they do not overlap.
                of_four = places[4 * LANES * four : 4 * LANES * (four + 1)]
                levels_of_four = levels[4 * LANES * four : 4 * LANES * (four + 1)]
                column = _PANEL * (four // _APART) + four % _APART
                for i in range(upper, min(bottom, upper + _ROWS), 2):
                    of_two = places[LANES * i : LANES * (i + 2)]
                    levels_of_two = levels[LANES * i : LANES * (i + 2)]
                    row_a, row_b = twice_weights[i, column:], twice_weights[i + 1, column:]
                    aw, ax, ay, az = row_a[0], row_a[_APART], row_a[2 * _APART], row_a[3 * _APART]
                    bw, bx, by, bz = row_b[0], row_b[_APART], row_b[2 * _APART], row_b[3 * _APART]
                    # A choice between a number and 0 takes no time if it is subtracted.
                    minus_aw, minus_ax, minus_ay, minus_az = -aw, -ax, -ay, -az
                    minus_bw, minus_bx, minus_by, minus_bz = -bw, -bx, -by, -bz
                    for k in range(n_lanes):
                        a, b = of_two[k], of_two[k + LANES]
                        sum_a, sum_b = 0.0, 0.0
                        here, level = of_four[k], levels_of_four[k]
                        level -= aw if a < here else 0.0
                        sum_a -= minus_aw if a < here else 0.0
                        level -= bw if b < here else 0.0
                        sum_b -= minus_bw if b < here else 0.0
                        levels_of_four[k] = level
                        here, level = of_four[k + LANES], levels_of_four[k + LANES]
                        level -= ax if a < here else 0.0
                        sum_a -= minus_ax if a < here else 0.0
                        level -= bx if b < here else 0.0
                        sum_b -= minus_bx if b < here else 0.0
                        levels_of_four[k + LANES] = level
                        here, level = of_four[k + 2 * LANES], levels_of_four[k + 2 * LANES]
                        level -= ay if a < here else 0.0
                        sum_a -= minus_ay if a < here else 0.0
                        level -= by if b < here else 0.0
                        sum_b -= minus_by if b < here else 0.0
                        levels_of_four[k + 2 * LANES] = level
                        here, level = of_four[k + 3 * LANES], levels_of_four[k + 3 * LANES]
                        level -= az if a < here else 0.0
                        sum_a -= minus_az if a < here else 0.0
                        level -= bz if b < here else 0.0
                        sum_b -= minus_bz if b < here else 0.0
                        levels_of_four[k + 3 * LANES] = level
                        levels_of_two[k] += sum_a
                        levels_of_two[k + LANES] += sum_b


@compiled
def compare_square(
    top: int, bottom: int, n_lanes: int, twice_weights: Floats, places: Ints, levels: Floats
) -> None:
    """Each item of a square gets back the weights of those of the square that it precedes."""
    wide_vectors()
    for four in range(top // 4, bottom // 4):
        of_four = places[4 * LANES * four : 4 * LANES * (four + 1)]
        column = _PANEL * (four // _APART) + four % _APART
        for i in range(top, bottom, 2):
            of_two = places[LANES * i : LANES * (i + 2)]
            levels_of_two = levels[LANES * i : LANES * (i + 2)]
            row_a, row_b = twice_weights[i, column:], twice_weights[i + 1, column:]
            aw, ax, ay, az = -row_a[0], -row_a[_APART], -row_a[2 * _APART], -row_a[3 * _APART]
            bw, bx, by, bz = -row_b[0], -row_b[_APART], -row_b[2 * _APART], -row_b[3 * _APART]
            for k in range(n_lanes):
                a, b = of_two[k], of_two[k + LANES]
                sum_a, sum_b = 0.0, 0.0
                here = of_four[k]
                sum_a -= aw if a < here else 0.0
                sum_b -= bw if b < here else 0.0
                here = of_four[k + LANES]
                sum_a -= ax if a < here else 0.0
                sum_b -= bx if b < here else 0.0
                here = of_four[k + 2 * LANES]
                sum_a -= ay if a < here else 0.0
                sum_b -= by if b < here else 0.0
                here = of_four[k + 3 * LANES]
                sum_a -= az if a < here else 0.0
                sum_b -= bz if b < here else 0.0
                levels_of_two[k] += sum_a
                levels_of_two[k + LANES] += sum_b
