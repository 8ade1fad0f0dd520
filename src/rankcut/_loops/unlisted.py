"""Cuts in which comparisons with unlisted items have a weight γ.

Let R be the listed items, and F_R the cut of the graph restricted to R. Then the cut is
F_γ = γ·F + (1 − γ)·F_R. Along any completion of a ranking, F_R rises with the listed groups by the
same amounts as along the ranking itself.
"""

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Chains, Floats, Indices, Ints


@compiled
def reverse_listed(chains: Chains, turned: Indices, turned_ends: Ints) -> None:
    """Reverse the groups of each partition, except the last one."""
    order, ends, n_groups = chains
    for r in range(order.shape[0]):
        last = n_groups[r] - 1
        place = 0
        for t in range(last):
            group = last - 1 - t
            for p in range(ends[r, group - 1] if group > 0 else 0, ends[r, group]):
                turned[r, place] = order[r, p]
                place += 1
            turned_ends[r, t] = place
        for p in range(place, order.shape[1] - 1):
            turned[r, p] = order[r, p]
        if last >= 0:
            turned_ends[r, last] = ends[r, last]


@compiled
def weigh_lists(
    n_groups: Ints, unlisted_weights: Floats, forwards: Floats, backwards: Floats
) -> None:
    """From rises of F along lists to those of F_γ, in place; the last group is unlisted.

    With worse and better listed items and the unlisted, F rises by worse + unlisted − better
    with a group, and on the way back, ``backwards``, by better + unlisted − worse.
    """
    for r in range(n_groups.shape[0]):
        last = n_groups[r] - 1
        weight = unlisted_weights[r]
        for t in range(last):
            listed = 0.5 * (forwards[r, t] - backwards[r, last - 1 - t])
            forwards[r, t] = weight * forwards[r, t] + (1.0 - weight) * listed
        if last >= 0:
            forwards[r, last] *= weight


@compiled
def weigh_completions(
    base: Chains,
    unlisted_weights: Floats,
    listed: Floats,
    rankings: Ints,
    task_ends: Ints,
    chains: Chains,
    increments: Floats,
) -> None:
    """From rises of F to those of F_γ, in place.

    The rows up to ``task_ends[k]`` are completions of the partition ``rankings[k]``, whose groups
    raise F_R by ``listed``. A group of a completion is a listed one if it begins with the item
    that the next listed group begins with.
    """
    base_order, base_ends, base_groups = base
    order, ends, n_groups = chains
    row = 0
    for task in range(rankings.shape[0]):
        ranking = rankings[task]
        weight = unlisted_weights[ranking]
        while row < task_ends[task]:
            next_listed = 0
            base_start = 0
            start = 0
            for t in range(n_groups[row]):
                increments[row, t] *= weight
                if (
                    next_listed < base_groups[ranking]
                    and order[row, start] == base_order[ranking, base_start]
                ):
                    increments[row, t] += (1.0 - weight) * listed[ranking, next_listed]
                    base_start = base_ends[ranking, next_listed]
                    next_listed += 1
                start = ends[row, t]
            row += 1
