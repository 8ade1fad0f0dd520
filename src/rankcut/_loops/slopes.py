"""Gains of single items: an order within each tied group, and the opposite one."""

from rankcut._loops.compiling import compiled
from rankcut._loops.types import Floats, Indices, Ints


@compiled
def break_ties(
    order: Indices, ends: Ints, n_groups: Ints, backwards: bool, broken: Indices, places: Ints
) -> None:
    """Put each item in a group of its own, tied ones as they are listed, or ``backwards``."""
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
