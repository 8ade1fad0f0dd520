"""From increments along a chain to features: slopes made non-increasing by pooling neighbours."""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Chains, Floats, Indices, Ints

# The reciprocal of a smaller number may be infinite.
_SMALLEST = float(np.finfo(np.float64).tiny)


@compiled
def pool_rows(chains: Chains, increments: Floats, features: Floats) -> None:
    """Antitonic regression of slopes, weighted by group size, spread over items.

    The pooled slopes are those of the least concave majorant of the points (|B_t|, F(B_t)); items
    in no group have 0. ``features`` may be float32: the arithmetic stays in float64.

    Pool-adjacent-violators: a pool absorbs its left neighbour while it is steeper. Products instead
    of quotients keep divisions out of the comparison.
    """
    order, ends, n_groups = chains
    n = features.shape[1]
    run_rises, run_ends = np.empty(n + 1), np.empty(n + 1, dtype=np.int32)
    rises, sizes, stops = np.empty(n + 2), np.empty(n + 2), np.empty(n + 2, dtype=np.int32)
    # Pool 0 is a sentinel that no slope exceeds.
    rises[0], sizes[0] = np.inf, 1.0
    for r in range(order.shape[0]):
        n_runs = join_rising(ends[r], n_groups[r], increments[r], run_rises, run_ends)
        last = 0
        start = 0
        for t in range(n_runs):
            rise, size = run_rises[t], float(run_ends[t] - start)
            start = run_ends[t]
            while rise * sizes[last] > rises[last] * size:
                rise += rises[last]
                size += sizes[last]
                last -= 1
            last += 1
            rises[last], sizes[last], stops[last] = rise, size, start
        # The items in no group, if any, are like one more pool.
        rises[last + 1], sizes[last + 1], stops[last + 1] = 0.0, 1.0, n
        pool = 1
        for p in range(n):
            pool += p >= stops[pool]
            features[r, order[r, p]] = rises[pool] / sizes[pool]


@compiled
def join_rising(
    ends: Ints, n_groups: int, increments: Floats, run_rises: Floats, run_ends: Ints
) -> int:
    """Join groups that are each steeper than the one before; returns the number of runs.

    They are in one pool in the end. This has no branch to predict: without it, pooling takes half
    as long again.
    """
    run = -1
    start = 0
    total, before, size_before = 0.0, np.inf, 1.0
    for t in range(n_groups):
        rise, size = increments[t], float(ends[t] - start)
        start = ends[t]
        rising = rise * size_before > before * size
        total = total + rise if rising else rise
        run += not rising
        run_rises[run], run_ends[run] = total, start
        before, size_before = rise, size
    return run + 1


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
def spread_slopes(chains: Chains, increments: Floats, features: Floats) -> None:
    """The slope of each item's group, without pooling."""
    order, ends, n_groups = chains
    for r in range(order.shape[0]):
        start = 0
        for t in range(n_groups[r]):
            end = ends[r, t]
            slope = increments[r, t] / (end - start)
            for p in range(start, end):
                features[r, order[r, p]] = slope
            start = end


@compiled
def break_ties(chains: Chains, backwards: bool, broken: Indices, places: Ints) -> None:
    """Put each item in its own group; tied items in the order listed, or ``backwards``."""
    order, ends, n_groups = chains
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
