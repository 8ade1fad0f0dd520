"""Completions of incomplete rankings: unranked items fall into the gaps between ranked groups.

A ranking of l groups has l + 1 gaps, counted from 0 for the one before the first group. A row of
``gaps`` has the gap of each unranked item, in the order in which a partition lists them; items in
the same gap are tied. The draws of a ranking depend on it and the seed alone: see
:mod:`rankcut._loops.random_streams`.
"""

from typing import NamedTuple

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.random_streams import HALF_WORD, STEP, scramble
from rankcut._loops.types import Chains, Floats, Indices, Ints, Longs, Words

# A Latin hypercube has at most 2**LARGEST_EXPONENT draws; larger stages use several.
LARGEST_EXPONENT = 5


class Tasks(NamedTuple):
    """Which ranking each task completes, the sum that it adds to, its random numbers and draws."""

    rankings: Ints
    targets: Ints
    streams: Words
    exponents: Ints


@compiled
def plan_tasks(rankings: Ints, names: Words, sizes: Ints, n_replicates: int, stage: int) -> Tasks:
    """Share ``sizes[a]`` draws of ranking a evenly among its replicates, each into tasks.

    A task is a Latin hypercube of 2^k draws, largest first. Replicate r of the a-th ranking is
    target ``a * n_replicates + r``.
    """
    planned = Tasks(
        np.empty(sizes.sum(), np.int32),
        np.empty(sizes.sum(), np.int32),
        np.empty(sizes.sum(), np.uint64),
        np.empty(sizes.sum(), np.int32),
    )
    task = 0
    for a in range(rankings.shape[0]):
        for r in range(n_replicates):
            n_left = sizes[a] // n_replicates + (r < sizes[a] % n_replicates)
            piece = 0
            for exponent in range(LARGEST_EXPONENT, -1, -1):
                while n_left >> exponent:
                    n_left -= 1 << exponent
                    label = np.uint64((stage << 48) + (r << 32) + piece + 1)
                    planned.rankings[task] = rankings[a]
                    planned.targets[task] = a * n_replicates + r
                    planned.streams[task] = scramble(names[a] + STEP * scramble(label))
                    planned.exponents[task] = exponent
                    piece += 1
                    task += 1
    return Tasks(
        planned.rankings[:task],
        planned.targets[:task],
        planned.streams[:task],
        planned.exponents[:task],
    )


@compiled
def place_unranked(
    base: Chains,
    ranking: int,
    gaps: Indices,
    draw: int,
    mirrored: bool,
    chains: Chains,
    row: int,
    filled: Ints,
) -> None:
    """Write one completion: each unranked item into its gap, or into the mirror of its gap."""
    base_order, base_ends, base_groups = base
    order, ends, n_groups = chains
    n_items = base_order.shape[1] - 1
    last = base_groups[ranking]
    n_ranked = base_ends[ranking, last - 1] if last > 0 else 0
    for gap in range(last + 1):
        filled[gap] = 0
    for j in range(n_items - n_ranked):
        gap = last - gaps[draw, j] if mirrored else gaps[draw, j]
        filled[gap] += 1
    place = 0
    groups = 0
    start = 0
    for gap in range(last + 1):
        size = filled[gap]
        filled[gap] = place
        if size > 0:
            place += size
            ends[row, groups] = place
            groups += 1
        if gap < last:
            for p in range(start, base_ends[ranking, gap]):
                order[row, place] = base_order[ranking, p]
                place += 1
            start = base_ends[ranking, gap]
            ends[row, groups] = place
            groups += 1
    for j in range(n_items - n_ranked):
        gap = last - gaps[draw, j] if mirrored else gaps[draw, j]
        order[row, filled[gap]] = base_order[ranking, n_ranked + j]
        filled[gap] += 1
    n_groups[row] = groups


@compiled
def draw_gaps(
    word: np.uint64, exponent: int, last: int, n_unranked: int, strata: Words, gaps: Indices
) -> None:
    """Fill 2**exponent rows of ``gaps`` from the stream ``word``; gaps are 0 to ``last``.

    They form a Latin hypercube: the unit interval is cut into as many strata as there are draws,
    and each item visits each stratum once, in random order. A gap is an interval of this unit
    interval.
    """
    n_gaps = np.uint64(last + 1)
    n_draws = 1 << exponent
    shift = np.uint64(exponent)
    # A draw and its mirror image already halve the interval, so two strata add nothing.
    stratify = n_draws > 2
    for j in range(n_unranked):
        if stratify:
            for s in range(n_draws):
                strata[s] = s
            for s in range(n_draws - 1, 0, -1):
                word += STEP
                other = ((scramble(word) >> HALF_WORD) * np.uint64(s + 1)) >> HALF_WORD
                strata[s], strata[other] = strata[other], strata[s]
        for s in range(n_draws):
            word += STEP
            place = scramble(word) >> HALF_WORD
            if stratify:
                place = (n_gaps * ((strata[s] << HALF_WORD) + place)) >> shift
            else:
                place *= n_gaps
            gaps[s, j] = place >> HALF_WORD


@compiled
def draw_completions(
    base: Chains, rankings: Ints, streams: Words, exponents: Ints, gaps: Indices, chains: Chains
) -> None:
    """Random completions, one task after the other.

    Task k draws 2**exponents[k] completions of the partition ``rankings[k]`` from
    ``streams[k]``, each followed by its mirror image; ``draw_gaps`` says how.
    """
    base_order, base_ends, base_groups = base
    n_items = base_order.shape[1] - 1
    filled = np.empty(n_items + 1, dtype=np.int32)
    strata = np.empty(gaps.shape[0], dtype=np.uint64)
    row = 0
    for task in range(rankings.shape[0]):
        ranking = rankings[task]
        last = base_groups[ranking]
        n_ranked = base_ends[ranking, last - 1] if last > 0 else 0
        n_draws = 1 << exponents[task]
        draw_gaps(streams[task], exponents[task], last, n_items - n_ranked, strata, gaps)
        for s in range(n_draws):
            for mirrored in range(2):
                place_unranked(base, ranking, gaps, s, mirrored == 1, chains, row, filled)
                row += 1


@compiled
def enumerate_completions(
    base: Chains,
    rankings: Ints,
    firsts: Longs,
    task_ends: Ints,
    gaps: Indices,
    chains: Chains,
) -> None:
    """All completions in order, one task after the other.

    Task k lists the completions of partition ``rankings[k]`` from number ``firsts[k]``, and fills
    the rows up to ``task_ends[k]``. Completion number e puts unranked item j into the gap given by
    digit j of e in base l + 1.
    """
    base_order, base_ends, base_groups = base
    n_items = base_order.shape[1] - 1
    filled = np.empty(n_items + 1, dtype=np.int32)
    row = 0
    for task in range(rankings.shape[0]):
        ranking = rankings[task]
        last = base_groups[ranking]
        n_unranked = n_items - (base_ends[ranking, last - 1] if last > 0 else 0)
        number = firsts[task]
        for j in range(n_unranked):
            gaps[0, j] = number % (last + 1)
            number //= last + 1
        while row < task_ends[task]:
            place_unranked(base, ranking, gaps, 0, False, chains, row, filled)
            row += 1
            for j in range(n_unranked):
                if gaps[0, j] < last:
                    gaps[0, j] += np.uint32(1)
                    break
                gaps[0, j] = 0


@compiled
def add_tasks(rows: Floats, task_ends: Ints, targets: Ints, sums: Floats) -> None:
    """Add the rows of each task, ``rows[task_ends[k − 1]:task_ends[k]]``, to ``sums[targets[k]]``.

    Each task is summed separately first, so that the rest of the block changes no bit.
    """
    total = np.empty(rows.shape[1])
    start = 0
    for task in range(targets.shape[0]):
        total[:] = 0.0
        for r in range(start, task_ends[task]):
            for i in range(total.shape[0]):
                total[i] += rows[r, i]
        start = task_ends[task]
        for i in range(total.shape[0]):
            sums[targets[task], i] += total[i]
