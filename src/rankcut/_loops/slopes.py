"""From increments along a chain to features: slopes made non-increasing by pooling neighbours."""

import numpy as np

from rankcut._loops.compilation import compiled
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
