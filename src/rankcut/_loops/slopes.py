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

    Both end in the same pool. ``pool_in_fours`` does so too; thus sums have the same bits.
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


@compiled
def pool_in_fours(order: Indices, rows: Indices, increments: Floats, features: Floats) -> None:
    """The same as ``pair_up``, for up to MOST_PAIRED items, and ``pool_rows``, in less time.

    No ranking has ties. Whether a pool absorbs its neighbour cannot be predicted: so four rankings
    take each step together, without a branch.
    """
    n = features.shape[1]
    # The gain of one or two items from each place on, and their number. A ranking that has finished
    # before the others goes on with gains of −∞, in pools of their own.
    size = 2 * n + 3
    gains, rises, sizes = np.empty((4, size)), np.empty((4, size)), np.empty((4, size))
    n_taken, stops = np.empty((4, size), dtype=np.int64), np.empty((4, size), dtype=np.uint32)
    for q in range(4):
        for k in range(2):
            rises[q, k], sizes[q, k] = np.inf, 1.0
        for k in range(size):
            gains[q, k], n_taken[q, k] = -np.inf, 1
    room_a = (gains[0], n_taken[0], rises[0], sizes[0], stops[0])
    room_b = (gains[1], n_taken[1], rises[1], sizes[1], stops[1])
    room_c = (gains[2], n_taken[2], rises[2], sizes[2], stops[2])
    room_d = (gains[3], n_taken[3], rises[3], sizes[3], stops[3])
    slopes = np.empty(n + 1)
    ended = np.zeros(n + 1, dtype=np.uint32)
    n_pools = np.empty(4, np.int64)
    # Compared with an int64, a uint64 would become a float64.
    most = np.uint64(n)
    paired = n <= MOST_PAIRED
    last_row = rows.shape[0] - 1
    for first in range(0, rows.shape[0], 4):
        for q in range(4):
            # The last ranking is repeated to make four.
            r = rows[min(first + q, last_row)]
            prefetch(features, rows[min(first + q + AHEAD, last_row)])
            for p in range(n - 1):
                gain, after = increments[r, p], increments[r, p + 1]
                both = paired & (after > gain)
                gains[q, p] = gain + after if both else gain
                n_taken[q, p] = 1 + both
            gains[q, n - 1] = increments[r, n - 1]
        a = first_step(room_a)
        b = first_step(room_b)
        c = first_step(room_c)
        d = first_step(room_d)
        while a[0] <= most or b[0] <= most or c[0] <= most or d[0] <= most:
            a = push_or_absorb(room_a, *a)
            b = push_or_absorb(room_b, *b)
            c = push_or_absorb(room_c, *c)
            d = push_or_absorb(room_d, *d)
        # Without those of −∞, which were taken beyond the n items.
        n_pools[0], n_pools[1] = most + a[1] - a[0], most + b[1] - b[0]
        n_pools[2], n_pools[3] = most + c[1] - c[0], most + d[1] - d[0]
        for q in range(min(4, rows.shape[0] - first)):
            r = rows[first + q]
            last = n_pools[q]
            for k in range(last):
                slopes[k] = rises[q, k + 2] / sizes[q, k + 2]
            for k in range(last):
                ended[stops[q, k + 2]] = 1
            pool = np.uint32(0)
            for p in range(n):
                pool += ended[p]
                features[r, order[r, p]] = slopes[pool]
            # Not within that loop, whose time goes into what it stores.
            for p in range(n):
                ended[p] = 0


@compiled
def first_step(
    room: tuple[Floats, Longs, Floats, Floats, Indices],
) -> tuple[np.uint64, np.uint64, float, float, float, float]:
    """What the first step of ``pool_in_fours`` takes."""
    n_taken = room[1][0]
    return np.uint64(n_taken), np.uint64(1), room[0][0], float(n_taken), np.inf, 1.0


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
    """A step of ``pool_in_fours``: the new pool absorbs the last one, or is put after it.

    The new pool ends with the last item taken. Returns what the next step takes.
    """
    gains, n_taken, rises, sizes, stops = room
    one = np.uint64(1)
    rises[last + one], sizes[last + one], stops[last + one] = rise, size, taken
    absorb = rise * last_size > last_rise * size
    push = np.uint64(not absorb)
    next_last_rise = choose(absorb, rises[last - one], rise)
    next_last_size = choose(absorb, sizes[last - one], size)
    rise = choose(absorb, rise + last_rise, gains[taken])
    size = choose(absorb, size + last_size, float(n_taken[taken]))
    taken += np.uint64(choose(absorb, 0, n_taken[taken]))
    return taken, last - one + push + push, rise, size, next_last_rise, next_last_size


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
