"""The best order of items by pairwise gains: dynamic programming and insertion moves.

``gains[i, j]`` is the gain of placing i before j.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Longs


@compiled
def best_order(gains: Floats, order: Longs, by_first: Floats) -> None:
    """The order of largest gain, by dynamic programming over subsets, in 2^n·n steps.

    ``by_first`` receives the largest gain of an order that begins with each item. ``best[S]`` is
    the largest gain of pairs whose first item is outside S, if the items of S come first. It is
    filled from the full set down.
    """
    n = gains.shape[0]
    n_sets = 1 << n
    best = np.empty(n_sets)
    following = np.empty(n_sets, dtype=np.int8)
    best[n_sets - 1] = 0.0
    rest = np.empty(n, dtype=np.int64)
    for chosen in range(n_sets - 2, -1, -1):
        n_rest = 0
        for i in range(n):
            if not (chosen >> i) & 1:
                rest[n_rest] = i
                n_rest += 1
        most = -np.inf
        which = 0
        for p in range(n_rest):
            i = rest[p]
            gain = best[chosen | (1 << i)]
            for q in range(n_rest):
                gain += gains[i, rest[q]]
            by_first[i] = gain  # of the empty set in the end
            if gain > most:
                most = gain
                which = i
        best[chosen] = most
        following[chosen] = which
    chosen = 0
    for place in range(n):
        order[place] = following[chosen]
        chosen |= 1 << order[place]


@compiled
def improve_order(gains: Floats, order: Longs) -> float:
    """Move single items to their best places until no move gains; returns the gain of the order.

    ``gains`` must have a zero diagonal and be antisymmetric.
    """
    n = order.shape[0]
    slack = 0.0
    for i in range(n):
        for j in range(n):
            slack = max(slack, abs(gains[i, j]))
    # Moves that gain less than this are rounding; without a threshold, moves might never end.
    slack *= 1e-9
    moved = True
    while moved:
        moved = False
        for place in range(n):
            item = order[place]
            most = slack
            target = place
            change = 0.0
            for q in range(place - 1, -1, -1):
                change += 2 * gains[item, order[q]]
                if change > most:
                    most = change
                    target = q
            change = 0.0
            for q in range(place + 1, n):
                change -= 2 * gains[item, order[q]]
                if change > most:
                    most = change
                    target = q
            if target != place:
                moved = True
                step = 1 if target > place else -1
                for q in range(place, target, step):
                    order[q] = order[q + step]
                order[target] = item
    total = 0.0
    for p in range(n):
        for q in range(p + 1, n):
            total += gains[order[p], order[q]]
    return total
