"""From increments along a chain to features: slopes made non-increasing by pooling neighbours."""

import numpy as np

from rankcut._loops.compilation import AHEAD, choose, compiled, prefetch
from rankcut._loops.types import Floats, Indices, Ints, Longs

# In rankings of more items, which spend little of their time in pooling, items are not paired.
MOST_PAIRED = 256

# The reciprocal of a smaller number may be infinite.
_SMALLEST = float(np.finfo(np.float64).tiny)


@compiled
def pool_rows(
    order: Indices,
    ends: Ints,
    n_groups: Ints,
    rows: Indices,
    increments: Floats,
    pools: Floats,
    features: Floats,
) -> None:
    """Antitonic regression of the slopes of some rows, weighted by group size, spread over items.

    The pooled slopes are those of the least concave majorant of the points (|B_t|, F(B_t)); items
    in no group have 0. ``features`` may be float32: the arithmetic stays in float64.

    ``pools``, of shape (3, n + 2), is room for the rise, the size and the end of each pool. It is
    given, as Numba is slow to compile what allocates arrays.
    """
    n = features.shape[1]
    one = np.uint64(1)
    # Pool 0 is a sentinel that no slope exceeds. The last pool is also kept in variables, which
    # saves the loop a trip to memory.
    pools[0, 0], pools[1, 0] = np.inf, 1.0
    for r in rows:
        last = np.uint64(0)
        last_rise, last_size = np.inf, 1.0
        start = 0
        for t in range(n_groups[r]):
            rise = increments[r, t]
            end = ends[r, t]
            size = float(end - start)
            # A pool absorbs its left neighbour while it is steeper; products instead of
            # quotients keep divisions out of the comparison.
            while rise * last_size > last_rise * size:
                rise += last_rise
                size += last_size
                last -= one
                last_rise, last_size = pools[0, last], pools[1, last]
            last += one
            pools[0, last], pools[1, last], pools[2, last] = rise, size, end
            last_rise, last_size = rise, size
            start = end
        # The items in no group, if any, are like one more pool.
        last += one
        pools[0, last], pools[1, last], pools[2, last] = 0.0, 1.0, n
        # Without a branch on where pools end: their lengths cannot be predicted.
        k = one
        for p in range(n):
            k += np.uint64(p >= pools[2, k])
            features[r, order[r, p]] = pools[0, k] / pools[1, k]


@compiled
def pair_up(rows: Indices, ends: Ints, n_groups: Ints, increments: Floats) -> None:
    """In rankings without ties, join each item that gains more than the one before it to that one.

    Both end in the same pool. ``pool_in_fives`` does so too; thus sums have the same bits.
    """
    for r in rows:
        n_pairs = 0
        t = 0
        while t < n_groups[r]:
            rise = increments[r, t]
            t += 1
            if t < n_groups[r] and increments[r, t] > rise:
                rise += increments[r, t]
                t += 1
            increments[r, n_pairs], ends[r, n_pairs] = rise, t
            n_pairs += 1
        n_groups[r] = n_pairs


def room_for_fives(n_items: int) -> tuple[Floats, Longs, Indices]:
    """Room for what ``pool_in_fives`` keeps of five rankings.

    Each takes at most 2 n steps. One that has all its n items goes on taking one in each step
    until the others have finished.
    """
    shape = (5, 3 * n_items + 3)
    return np.empty((3, *shape)), np.empty(shape, np.int64), np.zeros((2, *shape), np.uint32)


@compiled
def pool_in_fives(
    order: Indices,
    rows: Indices,
    increments: Floats,
    numbers: Floats,
    n_taken: Longs,
    places: Indices,
    features: Floats,
) -> None:
    """The same as ``pair_up``, for up to MOST_PAIRED items, and ``pool_rows``, in less time.

    No ranking has ties. Whether a pool absorbs its neighbour cannot be predicted: so five rankings
    take each step together, without a branch. They do so in the room from ``room_for_fives``.
    """
    n, width = features.shape[1], n_taken.shape[1]
    # The gain of one or two items from each place on, and their number. A ranking that has finished
    # before the others goes on with gains of −∞, in pools of their own.
    gains, rises, sizes = numbers[0], numbers[1], numbers[2]
    stops, ended = places[0], places[1]
    for q in range(5):
        for k in range(2):
            rises[q, k], sizes[q, k] = np.inf, 1.0
        for k in range(width):
            gains[q, k], n_taken[q, k] = -np.inf, 1
    # Each ranking has its own part of these. Pointers to all the parts would not fit in a
    # processor's registers, so places count from the start of the whole.
    room = (gains.ravel(), n_taken.ravel(), rises.ravel(), sizes.ravel(), stops.ravel())
    marks = ended.ravel()
    # Compared with an int64, a uint64 would become a float64.
    most_a, most_b, most_c = np.uint64(n), np.uint64(n + width), np.uint64(n + 2 * width)
    most_d, most_e = np.uint64(n + 3 * width), np.uint64(n + 4 * width)
    paired = n <= MOST_PAIRED
    last_row = rows.shape[0] - 1
    for first in range(0, rows.shape[0], 5):
        for q in range(5):
            # The last ranking is repeated to make five.
            r = rows[min(first + q, last_row)]
            prefetch(features, rows[min(first + q + AHEAD, last_row)])
            for p in range(n - 1):
                gain, after = increments[r, p], increments[r, p + 1]
                both = paired & (after > gain)
                gains[q, p] = gain + after if both else gain
                n_taken[q, p] = 1 + both
            gains[q, n - 1] = increments[r, n - 1]
        a, b, c = first_step(room, 0), first_step(room, width), first_step(room, 2 * width)
        d, e = first_step(room, 3 * width), first_step(room, 4 * width)
        while (
            a[0] <= most_a or b[0] <= most_b or c[0] <= most_c or d[0] <= most_d or e[0] <= most_e
        ):
            a = push_or_absorb(room, *a)
            b = push_or_absorb(room, *b)
            c = push_or_absorb(room, *c)
            d = push_or_absorb(room, *d)
            e = push_or_absorb(room, *e)
        ends = (a, b, c, d, e)
        for q in range(min(5, rows.shape[0] - first)):
            r = rows[first + q]
            # Without pools of −∞, which were taken beyond the n items.
            taken, last = ends[q][0], ends[q][1]
            n_pools = np.int64(most_a + last - taken)
            for k in range(n_pools):
                rises[q, k + 2] /= sizes[q, k + 2]
            for k in range(n_pools):
                marks[stops[q, k + 2]] = 1
            pool = np.uint32(2)
            for p in range(n):
                pool += ended[q, p]
                features[r, order[r, p]] = rises[q, pool]
            # Not within that loop, whose time goes into what it stores.
            for p in range(n):
                ended[q, p] = 0


@compiled
def first_step(
    room: tuple[Floats, Longs, Floats, Floats, Indices], start: int
) -> tuple[np.uint64, np.uint64, float, float, float, float]:
    """What the first step of a ranking takes that starts there in the room."""
    n_taken = room[1][start]
    taken = np.uint64(start + n_taken)
    return taken, np.uint64(start + 1), room[0][start], float(n_taken), np.inf, 1.0


@compiled
def push_or_absorb(
    room: tuple[Floats, Longs, Floats, Floats, Indices],
    taken: np.uint64,
    last: np.uint64,
    rise: float,
    size: float,
    last_rise: float,
    last_size: float,
) -> tuple[np.uint64, np.uint64, float, float, float, float]:
    """A step of ``pool_in_fives``: the new pool absorbs the last one, or is put after it.

    The new pool ends with the last item taken. Returns what the next step takes.
    """
    gains, n_taken, rises, sizes, stops = room
    one = np.uint64(1)
    rises[last + one], sizes[last + one], stops[last + one] = rise, size, taken
    absorb = rise * last_size > last_rise * size
    push = np.uint64(not absorb)
    rise = choose(absorb, rise + last_rise, gains[taken])
    size = choose(absorb, size + last_size, float(n_taken[taken]))
    taken += np.uint64(choose(absorb, 0, n_taken[taken]))
    last += push + push - one
    return taken, last, rise, size, rises[last], sizes[last]


@compiled
def scale_to_unit_length(vectors: Floats, noise: float, units: Floats) -> None:
    """Each row divided by its length; one whose entries are all within ``noise`` of 0 becomes 0.

    ``units`` may be float32, or ``vectors`` itself.
    """
    n = vectors.shape[1]
    for r in range(vectors.shape[0]):
        largest = 0.0
        for i in range(n):
            size = abs(vectors[r, i])
            largest = size if size > largest else largest
        # Squares of tiny or huge numbers would vanish or overflow.
        scale = 1.0 / max(largest, _SMALLEST) if largest > noise else 0.0
        square = 0.0
        for i in range(n):
            part = scale * vectors[r, i]
            square += part * part
        length = np.sqrt(square) if square > 0.0 else 1.0
        for i in range(n):
            # Adding 0 turns −0 into 0.
            units[r, i] = scale * vectors[r, i] / length + 0.0


@compiled
def spread_slopes(
    order: Indices, ends: Ints, n_groups: Ints, increments: Floats, features: Floats
) -> None:
    """The slope of each item's group, without pooling."""
    for r in range(order.shape[0]):
        start = 0
        for t in range(n_groups[r]):
            end = ends[r, t]
            slope = increments[r, t] / (end - start)
            for p in range(start, end):
                features[r, order[r, p]] = slope
            start = end


@compiled
def break_ties(
    order: Indices, ends: Ints, n_groups: Ints, backwards: bool, broken: Indices, places: Ints
) -> None:
    """Put each item in its own group; tied items in the order listed, or ``backwards``."""
    for r in range(order.shape[0]):
        start = 0
        for t in range(n_groups[r]):
            end = ends[r, t]
            for p in range(start, end):
                broken[r, p] = order[r, start + end - 1 - p if backwards else p]
                places[r, p] = p + 1
            start = end


@compiled
def add_gains(order: Indices, gains: Floats, features: Floats) -> None:
    """Add half of the gain of each item to its feature."""
    for r in range(features.shape[0]):
        for p in range(features.shape[1]):
            features[r, order[r, p]] += 0.5 * gains[r, p]
