"""Sums over random completions of the features of a graph cut, without ordering the completions.

Number the gaps and the l groups of a ranking in turn: gap g has the label 2g, group t (from 0) the
label 2t + 1. A completion is a label for each item. An edge inside a prefix of the completion is
one whose larger label is in it, so

    F(B_t) − F(B_{t−1}) = Σ_{i with label t} d_i − 2·Σ_{edges with larger label t} w

is one pass over the edges, and items of the same label share their slopes.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.gap_completions import draw_gaps
from rankcut._loops.types import Floats, Indices, Ints, Streams


@compiled
def add_cut_completions(
    base_order: Indices,
    base_ends: Ints,
    base_groups: Ints,
    rankings: Ints,
    targets: Ints,
    streams: Streams,
    exponents: Ints,
    mirror: bool,
    stratify: bool,
    starts: Indices,
    neighbours: Indices,
    twice_weights: Floats,
    degrees: Floats,
    gaps: Indices,
    pooled: Floats,
    plain: Floats,
) -> None:
    """Add the features of each task's completions to ``pooled[targets[k]]``.

    The tasks, and their draws, are those of ``draw_completions``; the slopes before pooling are
    added to ``plain``, unless it has no rows. The edges of item i to later items are at
    ``starts[i]:starts[i + 1]``. Each task is summed separately first, so that the rest of the block
    changes no bit.
    """
    n_items = degrees.shape[0]
    strata = np.empty(gaps.shape[0], dtype=np.uint64)
    # Of a draw, and of its mirror image.
    labels = np.empty((2, n_items), dtype=np.uint32)
    increments = np.empty((2, 2 * n_items + 1))
    pools = np.empty((3, 2 * n_items + 2))
    sizes = np.empty((2, 2 * n_items + 1))
    slopes = np.empty((2, 2 * n_items + 1))
    means = np.empty((2, 2 * n_items + 1))
    total_pooled = np.empty(n_items)
    total_plain = np.empty(n_items)
    for task in range(rankings.shape[0]):
        ranking = rankings[task]
        last = base_groups[ranking]
        n_ranked = base_ends[ranking, last - 1] if last > 0 else 0
        n_labels = 2 * last + 1
        draw_gaps(streams[task], exponents[task], last, n_items - n_ranked, stratify, strata, gaps)
        start = 0
        for t in range(last):
            for p in range(start, base_ends[ranking, t]):
                item = base_order[ranking, p]
                labels[0, item] = 2 * t + 1
                labels[1, item] = 2 * t + 1
            start = base_ends[ranking, t]
        for i in range(n_items):
            total_pooled[i] = 0.0
            total_plain[i] = 0.0
        for s in range(1 << exponents[task]):
            for p in range(n_ranked, n_items):
                item = base_order[ranking, p]
                gap = gaps[s, p - n_ranked]
                labels[0, item] = 2 * gap
                labels[1, item] = 2 * (last - gap)
            add_edges(
                labels, starts, neighbours, twice_weights, degrees, n_labels, sizes, increments
            )
            for side in range(2 if mirror else 1):
                pool_labels(side, n_labels, sizes, increments, pools, slopes, means)
            for i in range(n_items):
                total_pooled[i] += slopes[0, labels[0, i]]
                total_plain[i] += means[0, labels[0, i]]
            if mirror:
                for i in range(n_items):
                    total_pooled[i] += slopes[1, labels[1, i]]
                    total_plain[i] += means[1, labels[1, i]]
        for i in range(n_items):
            pooled[targets[task], i] += total_pooled[i]
        if plain.shape[0] > 0:
            for i in range(n_items):
                plain[targets[task], i] += total_plain[i]


@compiled
def add_edges(
    labels: Indices,
    starts: Indices,
    neighbours: Indices,
    twice_weights: Floats,
    degrees: Floats,
    n_labels: int,
    sizes: Floats,
    increments: Floats,
) -> None:
    """The size and the increment of each label, for a draw and its mirror image at once."""
    for t in range(n_labels):
        sizes[0, t] = 0.0
        sizes[1, t] = 0.0
        increments[0, t] = 0.0
        increments[1, t] = 0.0
    for i in range(degrees.shape[0]):
        own, other = labels[0, i], labels[1, i]
        sizes[0, own] += 1.0
        sizes[1, other] += 1.0
        increments[0, own] += degrees[i]
        increments[1, other] += degrees[i]
        for edge in range(starts[i], starts[i + 1]):
            j = neighbours[edge]
            increments[0, max(own, labels[0, j])] -= twice_weights[edge]
            increments[1, max(other, labels[1, j])] -= twice_weights[edge]


@compiled
def pool_labels(
    side: int,
    n_labels: int,
    sizes: Floats,
    increments: Floats,
    pools: Floats,
    slopes: Floats,
    means: Floats,
) -> None:
    """Slopes of the labels that have items, before pooling (``means``) and after it.

    As ``pool_rows``: the rows of ``pools`` are the rise, the size and the last label of each pool,
    and the last increment brings F back to 0.
    """
    final = 0
    for t in range(n_labels):
        if sizes[side, t] > 0.0:
            final = t
    rest = 0.0
    for t in range(final):
        rest += increments[side, t]
    increments[side, final] = -rest
    pools[0, 0], pools[1, 0] = np.inf, 1.0
    last = 0
    last_rise, last_size = np.inf, 1.0
    for t in range(n_labels):
        size = sizes[side, t]
        if size > 0.0:
            rise = increments[side, t]
            means[side, t] = rise / size
            while rise * last_size > last_rise * size:
                rise += last_rise
                size += last_size
                last -= 1
                last_rise, last_size = pools[0, last], pools[1, last]
            last += 1
            pools[0, last], pools[1, last], pools[2, last] = rise, size, t
            last_rise, last_size = rise, size
    t = 0
    for k in range(1, last + 1):
        slope = pools[0, k] / pools[1, k]
        while t <= pools[2, k]:
            slopes[side, t] = slope
            t += 1
