"""From increments along a chain to features: slopes made non-increasing by pooling neighbours."""

import numpy as np

from rankcut._loops.compilation import choose, compiled
from rankcut._loops.types import Floats, Indices, Ints


@compiled
def pool_rows(
    order: Indices,
    ends: Ints,
    n_groups: Ints,
    increments: Floats,
    normalize: bool,
    noise: float,
    features: Floats,
) -> None:
    """Antitonic regression of each row's slopes, weighted by group size, spread over its items.

    The pooled slopes are those of the least concave majorant of the points (|B_t|, F(B_t)).
    ``features`` may be float32: the arithmetic stays in float64. ``normalize`` scales rows to unit
    length; those whose slopes are all within ``noise`` of zero become zero.
    """
    n = features.shape[1]
    # Pool k ends before position stops[k]. Pool 0 is a sentinel that no slope exceeds. The last
    # pool is also kept in variables, which saves the loop a trip to memory.
    rises = np.empty(n + 1)
    sizes = np.empty(n + 1)
    stops = np.empty(n + 1, dtype=np.int32)
    slopes = np.empty(n + 1)
    rises[0], sizes[0], stops[0] = np.inf, 1.0, 0
    for r in range(order.shape[0]):
        last = 0
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
                last -= 1
                last_rise, last_size = rises[last], sizes[last]
            last += 1
            rises[last], sizes[last], stops[last] = rise, size, end
            last_rise, last_size = rise, size
            start = end
        for k in range(1, last + 1):
            slopes[k] = rises[k] / sizes[k]
        if normalize:
            # Slices: a number that starts as 0 would be compiled twice.
            scale_to_unit_length(slopes[1 : last + 1], sizes[1 : last + 1], noise)
        # Without a branch on where pools end: their lengths cannot be predicted.
        k = 1
        for p in range(start):
            k += p >= stops[k]
            features[r, order[r, p]] = slopes[k]
        for p in range(start, n):
            features[r, order[r, p]] = 0.0


@compiled
def pool_in_fours(
    order: Indices, increments: Floats, normalize: bool, noise: float, features: Floats
) -> int:
    """The same as ``pool_rows`` for rankings without ties, in less time.

    Whether a pool absorbs its neighbour cannot be predicted: so four rankings take each step
    together, without a branch. Returns how many were pooled, a multiple of four.
    """
    n = features.shape[1]
    # A ranking that has finished before the others goes on with gains of −∞, in pools of their own.
    size = 2 * n + 3
    gains, rises, sizes = np.empty((4, size)), np.empty((4, size)), np.empty((4, size))
    stops = np.empty((4, size), dtype=np.uint32)
    for q in range(4):
        for k in range(2):
            rises[q, k], sizes[q, k] = np.inf, 1.0
        for k in range(size):
            gains[q, k] = -np.inf
    room_a = (gains[0], rises[0], sizes[0], stops[0])
    room_b = (gains[1], rises[1], sizes[1], stops[1])
    room_c = (gains[2], rises[2], sizes[2], stops[2])
    room_d = (gains[3], rises[3], sizes[3], stops[3])
    slopes = np.empty(n + 1)
    ended = np.zeros(n + 1, dtype=np.uint32)
    n_pools = np.empty(4, np.int64)
    # Compared with an int64, a uint64 would become a float64.
    one, most = np.uint64(1), np.uint64(n)
    whole = order.shape[0] // 4 * 4
    for r in range(0, whole, 4):
        for q in range(4):
            for p in range(n):
                gains[q, p] = increments[r + q, p]
        a = (one, one, gains[0, 0], 1.0, np.inf, 1.0)
        b = (one, one, gains[1, 0], 1.0, np.inf, 1.0)
        c = (one, one, gains[2, 0], 1.0, np.inf, 1.0)
        d = (one, one, gains[3, 0], 1.0, np.inf, 1.0)
        while a[0] <= most or b[0] <= most or c[0] <= most or d[0] <= most:
            a = push_or_absorb(room_a, *a)
            b = push_or_absorb(room_b, *b)
            c = push_or_absorb(room_c, *c)
            d = push_or_absorb(room_d, *d)
        # Without those of −∞, which were taken beyond the n items.
        n_pools[0], n_pools[1] = most + a[1] - a[0], most + b[1] - b[0]
        n_pools[2], n_pools[3] = most + c[1] - c[0], most + d[1] - d[0]
        for q in range(4):
            last = n_pools[q]
            for k in range(last):
                slopes[k] = rises[q, k + 2] / sizes[q, k + 2]
            for k in range(last):
                ended[stops[q, k + 2]] = 1
            if normalize:
                scale_to_unit_length(slopes[:last], sizes[q, 2 : last + 2], noise)
            pool = np.uint32(0)
            for p in range(n):
                pool += ended[p]
                features[r + q, order[r + q, p]] = slopes[pool]
            # Not within that loop, whose time goes into what it stores.
            for p in range(n):
                ended[p] = 0
    return int(whole)


@compiled
def push_or_absorb(
    room: tuple[Floats, Floats, Floats, Indices],
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
    gains, rises, sizes, stops = room
    one = np.uint64(1)
    rises[last + one], sizes[last + one], stops[last + one] = rise, size, taken
    absorb = rise * last_size > last_rise * size
    push = np.uint64(not absorb)
    next_last_rise = choose(absorb, rises[last - one], rise)
    next_last_size = choose(absorb, sizes[last - one], size)
    rise = choose(absorb, rise + last_rise, gains[taken])
    size = choose(absorb, size + last_size, 1.0)
    return taken + push, last - one + push + push, rise, size, next_last_rise, next_last_size


@compiled
def scale_to_unit_length(slopes: Floats, sizes: Floats, noise: float) -> None:
    """Divide slopes by the norm of the vector that repeats each; noise becomes 0."""
    largest = 0.0
    for k in range(slopes.shape[0]):
        largest = max(largest, abs(slopes[k]))
    square = 0.0
    for k in range(slopes.shape[0]):
        part = slopes[k] / largest if largest > noise else 0.0
        slopes[k] = part
        square += sizes[k] * (part * part)
    norm = np.sqrt(square)
    if norm > 0.0:
        for k in range(slopes.shape[0]):
            slopes[k] /= norm


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
