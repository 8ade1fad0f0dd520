"""Ordered partitions: from rows of ranks to them, and from increments along them to vectors.

A row of ranks becomes its items, best first, and the end of each group. The increments of a set
function along the groups become slopes, made non-increasing by pooling neighbours.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Chains, Floats, Indices, Ints

# The group of an unranked item.
NOWHERE = np.uint32(0xFFFFFFFF)

# The reciprocal of a smaller number may be infinite.
_SMALLEST = float(np.finfo(np.float64).tiny)


@compiled
def sort_by_key(
    keys: Floats, items: Indices, size: int, spare_keys: Floats, spare_items: Indices
) -> None:
    """Sort the first ``size`` keys and their ``items`` by merging; equal keys keep their order."""
    width = 1
    while width < size:
        for start in range(0, size, 2 * width):
            middle, stop = min(start + width, size), min(start + 2 * width, size)
            left, right = start, middle
            for k in range(start, stop):
                if right >= stop or (left < middle and keys[left] <= keys[right]):
                    spare_keys[k], spare_items[k] = keys[left], items[left]
                    left += 1
                else:
                    spare_keys[k], spare_items[k] = keys[right], items[right]
                    right += 1
        for k in range(size):
            keys[k], items[k] = spare_keys[k], spare_items[k]
        width *= 2


@compiled
def order_permutations(ranks: Floats, chains: Chains) -> int:
    """Order the rows of a dense rank matrix that rank the items 1 to n, or 0 to n − 1, each once.

    Row r becomes ``order[r]``, its items, best first, and ``ends[r, :n_groups[r]]``, the end of
    each group in that list. For other rows ``n_groups[r]`` is −1; returns their number. The first
    answer about full rankings does not wait for ``order_other_rows`` to be compiled.

    That takes neither comparisons nor counts: n items have distinct places if no place is free.
    Counting takes three times as long.
    """
    order, ends, n_groups = chains
    n = ranks.shape[1]
    n_waiting = 0
    for r in range(ranks.shape[0]):
        n_wrong, n_zero = 0, 0
        for i in range(n):
            rank = ranks[r, i]
            place = np.int32(rank) if (rank >= 0.0) & (rank <= n) else np.int32(0)
            n_wrong += place != rank
            n_zero += place == 0
            ends[r, i] = place
        lowest = np.int32(n_zero == 0)
        if n_wrong == 0:
            order[r] = n
            for i in range(n):
                order[r, np.uint32(ends[r, i] - lowest)] = i
            for p in range(n):
                n_wrong += order[r, p] == n
                ends[r, p] = p + 1
        if n_wrong == 0:
            n_groups[r] = n
        else:
            n_groups[r] = -1
            n_waiting += 1
    return n_waiting


@compiled
def order_other_rows(ranks: Floats, close: bool, chains: Chains) -> None:
    """Order the rows that ``order_permutations`` left; items ranked NaN are listed last.

    With ``close``, the unranked items form one last group; without it, they come after the last
    end, in no group.
    """
    order, ends, n_groups = chains
    n = ranks.shape[1]
    keys = np.empty(n)
    spare_keys = np.empty(n)
    spare_items = np.empty(n + 1, dtype=np.uint32)
    counts = np.empty(n + 1, dtype=np.uint32)
    for r in range(ranks.shape[0]):
        if n_groups[r] >= 0:
            continue
        n_ranked = 0
        for i in range(n):
            n_ranked += ranks[r, i] == ranks[r, i]
        unranked = n_ranked
        ranked = 0
        countable = True
        for i in range(n):
            rank = ranks[r, i]
            if rank == rank:
                keys[ranked] = rank
                order[r, ranked] = i
                ranked += 1
                countable &= rank >= 0.0 and rank <= n and np.floor(rank) == rank
            else:
                order[r, unranked] = i
                unranked += 1
        if countable:
            groups = count_by_key(keys, order[r], n_ranked, ends[r], counts, spare_items)
        else:
            sort_by_key(keys, order[r], n_ranked, spare_keys, spare_items)
            groups = end_groups(keys, n_ranked, ends[r])
        if close and n_ranked < n:
            ends[r, groups] = n
            groups += 1
        n_groups[r] = groups


@compiled
def count_by_key(
    keys: Floats, items: Indices, size: int, ends: Ints, counts: Indices, spare_items: Indices
) -> int:
    """Sort ``items`` by ``size`` keys that are whole numbers from 0 to n, without comparisons."""
    for bucket in range(counts.shape[0]):
        counts[bucket] = 0
    for p in range(size):
        counts[np.uint32(keys[p])] += 1
    groups = 0
    filled = 0
    for bucket in range(counts.shape[0]):
        count = counts[bucket]
        counts[bucket] = filled
        if count > 0:
            filled += count
            ends[groups] = filled
            groups += 1
    for p in range(size):
        place = np.uint32(keys[p])
        spare_items[counts[place]] = items[p]
        counts[place] += 1
    for p in range(size):
        items[p] = spare_items[p]
    return groups


@compiled
def end_groups(keys: Floats, size: int, ends: Ints) -> int:
    """Write the end of each run of equal sorted keys; returns the number of runs."""
    groups = 0
    for p in range(size):
        if p + 1 == size or keys[p + 1] > keys[p]:
            ends[groups] = p + 1
            groups += 1
    return groups


@compiled
def order_sparse_rows(
    starts: Indices,
    columns: Indices,
    stored: Floats,
    n_items: int,
    close: bool,
    everything: bool,
    chains: Chains,
) -> None:
    """Order each row of a CSR rank matrix: the counterpart of ``order_other_rows``.

    Unranked items are listed only with ``everything``.
    """
    order, ends, n_groups = chains
    keys = np.empty(stored.shape[0])
    spare_keys = np.empty(stored.shape[0])
    spare_items = np.empty(stored.shape[0], dtype=np.uint32)
    listed = np.zeros(n_items, dtype=np.bool_)
    for r in range(n_groups.shape[0]):
        ranked = 0
        for entry in range(starts[r], starts[r + 1]):
            rank = stored[entry]
            if rank == rank:
                keys[ranked] = rank
                order[r, ranked] = columns[entry]
                listed[columns[entry]] = True
                ranked += 1
        if everything:
            unranked = ranked
            for i in range(n_items):
                if not listed[i]:
                    order[r, unranked] = i
                    unranked += 1
        for p in range(ranked):
            listed[order[r, p]] = False
        sort_by_key(keys, order[r], ranked, spare_keys, spare_items)
        groups = end_groups(keys, ranked, ends[r])
        if close and ranked < n_items:
            ends[r, groups] = n_items
            groups += 1
        n_groups[r] = groups


@compiled
def group_rows(chains: Chains, groups: Indices) -> None:
    """From ordered partitions to ``groups[r, i]``: 0 is the best group, NOWHERE is unranked."""
    order, ends, n_groups = chains
    n = groups.shape[1]
    for r in range(groups.shape[0]):
        start = 0
        for t in range(n_groups[r]):
            for p in range(start, ends[r, t]):
                groups[r, order[r, p]] = t
            start = ends[r, t]
        for p in range(start, n):
            groups[r, order[r, p]] = NOWHERE


def close_rows(groups: Indices) -> None:
    """Put the unranked items of each row into one last group."""
    # One more than NOWHERE is 0, so only ranked items count.
    last = (groups + np.uint32(1)).max(axis=1, initial=0)
    np.copyto(groups, last[:, None], where=groups == NOWHERE)


@compiled
def count_groups(row: Indices, sizes: Ints) -> tuple[int, int]:
    """Fill ``sizes[t]`` with the size of group t; returns the numbers of groups and items."""
    n = row.shape[0]
    for t in range(n):
        sizes[t] = 0
    n_groups, n_ranked = 0, 0
    for i in range(n):
        if row[i] != NOWHERE:
            sizes[row[i]] += 1
            n_groups = max(n_groups, int(row[i]) + 1)
            n_ranked += 1
    return n_groups, n_ranked


@compiled
def centred_positions(groups: Indices, features: Floats) -> None:
    """φ_i = worse − better items, unranked ones at their mean over the l + 1 gaps of l groups.

    A ranked item of group t (counted from 1) is better than an unranked one in l + 1 − t of the
    gaps and worse in t of them.
    """
    n = groups.shape[1]
    sizes = np.empty(n, dtype=np.int32)
    values = np.empty(n)
    for r in range(groups.shape[0]):
        n_groups, n_ranked = count_groups(groups[r], sizes)
        above = 0
        unranked = 0.0
        for t in range(n_groups):
            lean = (n_groups - 1 - 2 * t) / (n_groups + 1)
            below = n_ranked - above - sizes[t]
            values[t] = (below - above) + (n - n_ranked) * lean
            unranked -= sizes[t] * lean
            above += sizes[t]
        for i in range(n):
            group = groups[r, i]
            features[r, i] = unranked if group == NOWHERE else values[group]


@compiled
def increments_by_size(chains: Chains, values: Floats, increments: Floats) -> None:
    """F(B_t) − F(B_{t−1}) for F(B) = ``values[|B|]``."""
    _, ends, n_groups = chains
    for r in range(n_groups.shape[0]):
        start = 0
        for t in range(n_groups[r]):
            increments[r, t] = values[ends[r, t]] - values[start]
            start = ends[r, t]


@compiled
def pool_rows(chains: Chains, increments: Floats, features: Floats) -> None:
    """Antitonic regression of slopes, weighted by group size, spread over items.

    The pooled slopes are those of the least concave majorant of the points (|B_t|, F(B_t)); items
    in no group have 0. ``features`` may be float32: the arithmetic stays in float64.
    """
    order, ends, n_groups = chains
    n = features.shape[1]
    rises, sizes, stops = np.empty(n + 2), np.empty(n + 2), np.empty(n + 2, dtype=np.int32)
    # Pool 0 is a sentinel that no slope exceeds.
    rises[0], sizes[0] = np.inf, 1.0
    for r in range(order.shape[0]):
        last = 0
        start = 0
        for t in range(n_groups[r]):
            size = float(ends[r, t] - start)
            start = ends[r, t]
            last = add_to_pools(increments[r, t], size, start, rises, sizes, stops, last)
        # The items in no group, if any, are like one more pool.
        rises[last + 1], sizes[last + 1], stops[last + 1] = 0.0, 1.0, n
        pool = 1
        for p in range(n):
            pool += p >= stops[pool]
            features[r, order[r, p]] = rises[pool] / sizes[pool]


@compiled
def add_to_pools(
    rise: float, size: float, stop: int, rises: Floats, sizes: Floats, stops: Ints, last: int
) -> int:
    """Pool adjacent violators: a new pool absorbs the last one while it is steeper.

    Returns the number of the new pool. Products keep divisions out of the comparison.
    """
    while rise * sizes[last] > rises[last] * size:
        rise += rises[last]
        size += sizes[last]
        last -= 1
    rises[last + 1], sizes[last + 1], stops[last + 1] = rise, size, stop
    return last + 1


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
