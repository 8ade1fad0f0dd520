"""The paper's procedures done literally, in plain Python: what they cost is part of the story.

Here rankings are lists of groups and nothing is shared between them. Kernels on full rankings are
carried over to others by going through all full rankings that agree with each, one pair after the
other, as convolution kernels are written down.
"""

import math
import time
from bisect import bisect_right, insort
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from rankcut.graphs import ItemGraph
from rankcut.theory.cones import refining_orders

Cut = Callable[[Collection[int]], float]
Groups = list[list[int]]


def cut_oracle(graph: ItemGraph) -> Cut:
    """F(A) by going through the edges, which is what the paper assumes of its oracle."""
    weights = graph.to_dense()
    edges = [
        (int(i), int(j), float(weights[i, j]))
        for i, j in zip(*np.nonzero(np.triu(weights)), strict=True)
    ]

    def cut(inside: Collection[int]) -> float:
        return sum(weight for i, j, weight in edges if (i in inside) != (j in inside))

    return cut


def pool_literally(groups: Groups, cut: Cut, *, remember: bool) -> dict[int, float]:
    """The pooling of the paper's algorithm box: from the last prefix down, one step at a time.

    ``groups`` lists the least preferred first, as the paper does. The box asks the oracle for
    F(B_{k−1}) and F(B_k) in every step; with ``remember`` it asks once for each prefix.

    >>> from rankcut.graphs import as_item_graph
    >>> path = cut_oracle(as_item_graph([[0, 1, 0], [1, 0, 2], [0, 2, 0]]))
    >>> pool_literally([[0], [2], [1]], path, remember=True)
    {1: 3.0, 0: -1.5, 2: -1.5}
    """
    prefixes: list[set[int]] = [set()]
    for group in groups:
        prefixes.append(prefixes[-1] | set(group))
    known: dict[int, float] = {}

    def value(k: int) -> float:
        if not remember:
            return cut(prefixes[k])
        if k not in known:
            known[k] = cut(prefixes[k])
        return known[k]

    # Blocks from the top down: (upper prefix, lower prefix, slope).
    blocks: list[tuple[int, int, float]] = []
    for k in range(len(groups), 0, -1):
        upper, lower = k, k - 1
        while True:
            size = len(prefixes[upper]) - len(prefixes[lower])
            slope = -(value(lower) - value(upper)) / -size
            if not blocks or slope <= blocks[-1][2]:
                break
            upper = blocks.pop()[0]
        blocks.append((upper, lower, slope))
    return {
        item: slope for upper, lower, slope in blocks for item in prefixes[upper] - prefixes[lower]
    }


def groups_of(row: NDArray[np.float64]) -> Groups:
    """The groups of a row of ranks, best first; unranked items are in none."""
    return [np.flatnonzero(row == rank).tolist() for rank in np.unique(row[~np.isnan(row)])]


def coherent_partitions(row: NDArray[np.float64]) -> Iterator[Groups]:
    """R(A): each unranked item in one of the gaps of the groups, those of one gap tied.

    >>> len(list(coherent_partitions(np.array([1.0, 2.0, np.nan, np.nan]))))
    9
    """
    groups, free = groups_of(row), np.flatnonzero(np.isnan(row)).tolist()
    for gaps in product(range(len(groups) + 1), repeat=len(free)):
        completed: Groups = []
        for gap in range(len(groups) + 1):
            completed.append([item for item, own in zip(free, gaps, strict=True) if own == gap])
            completed += groups[gap : gap + 1]
        yield [group for group in completed if group]


def full_orders(row: NDArray[np.float64]) -> Iterator[tuple[int, ...]]:
    """All full orders, best first, that agree with a ranking: ties broken, the others anywhere.

    >>> list(full_orders(np.array([1.0, 1.0, 2.0])))
    [(0, 1, 2), (1, 0, 2)]
    >>> sorted(full_orders(np.array([1.0, np.nan, 2.0])))
    [(0, 1, 2), (0, 2, 1), (1, 0, 2)]
    """
    free = np.flatnonzero(np.isnan(row)).tolist()
    for ranked in refining_orders(groups_of(row)):
        for others in permutations(free):
            yield from _interleaved(ranked, others)


def _interleaved(first: Sequence[int], second: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Both sequences shuffled into one, each in its own order."""
    if not first or not second:
        yield (*first, *second)
        return
    for rest in _interleaved(first[1:], second):
        yield (first[0], *rest)
    for rest in _interleaved(first, second[1:]):
        yield (second[0], *rest)


def count_full_orders(row: NDArray[np.float64]) -> int:
    """How many full orders agree with a ranking, without going through them."""
    sizes = [len(group) for group in groups_of(row)]
    n_free = len(row) - sum(sizes)
    ties = math.prod(map(math.factorial, sizes))
    return ties * math.factorial(len(row)) // math.factorial(len(row) - n_free)


def discordant_pairs(first: Sequence[int], second: Sequence[int]) -> int:
    """Pairs of items that two full orders order differently, in n log n comparisons.

    >>> discordant_pairs((0, 1, 2), (2, 0, 1))
    2
    """
    place = {item: position for position, item in enumerate(second)}
    seen: list[int] = []
    count = 0
    for item in first:
        count += len(seen) - bisect_right(seen, place[item])
        insort(seen, place[item])
    return count


def merge_comparisons(values: list[int]) -> int:
    """Comparisons that merging takes to sort, and with it to count what is out of order.

    >>> merge_comparisons([0, 1, 2, 3])
    4
    """
    count = 0

    def sort(some: list[int]) -> list[int]:
        nonlocal count
        if len(some) < 2:
            return some
        left, right = sort(some[: len(some) // 2]), sort(some[len(some) // 2 :])
        merged, i, j = [], 0, 0
        while i < len(left) and j < len(right):
            count += 1
            if left[i] <= right[j]:
                merged.append(left[i])
                i += 1
            else:
                merged.append(right[j])
                j += 1
        return merged + left[i:] + right[j:]

    sort(values)
    return count


def kendall_tau(first: Sequence[int], second: Sequence[int]) -> float:
    """Kendall's τ of two full orders."""
    n = len(first)
    return 1.0 - 4.0 * discordant_pairs(first, second) / (n * (n - 1))


def expected_kendall(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """The mean of Kendall's τ over all full orders that agree with two incomplete rankings.

    In closed form, as the authors' program has it: if one of two items is listed, at place r of k,
    it is expected to be ahead by 1 − 2r/(k + 1).

    >>> one, other = np.array([1.0, 2.0, np.nan]), np.array([np.nan, 1.0, 2.0])
    >>> round(27 * expected_kendall(one, other), 9)
    -5.0
    """
    one, other = _lead(first), _lead(second)
    common = [item for item in one if item in other]
    alone = [[item for item in one if item not in other], [i for i in other if i not in one]]
    n = len(first)
    orders = [sorted(common, key=lambda item: row[item]) for row in (first, second)]
    shared = len(common)
    total = shared * (shared - 1) / 2 - 2.0 * discordant_pairs(*orders)
    for place, (own, against) in enumerate(((one, other), (other, one))):
        # An item of both against one that only this ranking lists.
        row, order = (first, second)[place], orders[place]
        ahead = {item: position for position, item in enumerate(order)}
        listed = {item: p for p, item in enumerate(sorted(own, key=lambda item: row[item]))}
        for item in common:
            above = listed[item] - ahead[item]
            total += (len(alone[place]) - 2 * above) * against[item]
    neither = n - shared - len(alone[0]) - len(alone[1])
    total += neither * sum(one[item] * other[item] for item in common)
    total -= sum(one[item] for item in alone[0]) * sum(other[item] for item in alone[1])
    return total / (n * (n - 1) / 2)


def _lead(row: NDArray[np.float64]) -> dict[int, float]:
    """How far each listed item is expected to be ahead of one that is not."""
    order = sorted(np.flatnonzero(~np.isnan(row)).tolist(), key=lambda item: row[item])
    k = len(order)
    return {item: 1.0 - 2.0 * (place + 1) / (k + 1) for place, item in enumerate(order)}


def mallows(first: Sequence[int], second: Sequence[int], lam: float) -> float:
    """The Mallows kernel of two full orders."""
    return math.exp(-lam * discordant_pairs(first, second))


def convolved(
    kernel: Callable[[Sequence[int], Sequence[int]], float],
    first: Sequence[Sequence[int]],
    second: Sequence[Sequence[int]],
) -> float:
    """The mean of a kernel over all pairs of full orders, one from each side."""
    total = sum(kernel(one, other) for one in first for other in second)
    return total / (len(first) * len(second))


# A trial repeats what takes less than this, and takes the mean.
_SHORT = 0.004


def seconds_of(work: Callable[[], object], trials: int) -> tuple[float, float]:
    """Mean and standard deviation over trials, after one call that does not count.

    The time is that of the processor; all is in one thread, so that on an idle machine it is the
    time on the wall as well.
    """
    work()
    start = time.process_time()
    work()
    repeats = int(np.clip(_SHORT / max(time.process_time() - start, 1e-7), 1, 200))
    seconds = []
    for _ in range(trials):
        start = time.process_time()
        for _ in range(repeats):
            work()
        seconds.append((time.process_time() - start) / repeats)
    return float(np.mean(seconds)), float(np.std(seconds))
