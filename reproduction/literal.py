"""The paper's procedures done literally, in plain Python: what they cost is part of the story.

Rankings are lists of groups and nothing is shared between them. Kernels on full rankings are
carried over to others by all full orders that agree with each, pair by pair, which are counted.
"""

import math
from bisect import bisect_right, insort
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import product

import numpy as np

from rankcut import ItemGraph
from reproduction.methods import Floats

Cut = Callable[[Collection[int]], float]
Groups = list[list[int]]
Order = Sequence[int]


def cut_oracle(graph: ItemGraph) -> Cut:
    """F(A) by going through the edges, which is what the paper assumes of its oracle."""
    weights = graph.to_dense()
    ends = zip(*np.nonzero(np.triu(weights)), strict=True)
    edges = [(int(i), int(j), float(weights[i, j])) for i, j in ends]

    def cut(inside: Collection[int]) -> float:
        return sum(weight for i, j, weight in edges if (i in inside) != (j in inside))

    return cut


def pool_literally(groups: Groups, cut: Cut) -> dict[int, float]:
    """The pooling of the paper's algorithm box: from the last prefix down, one step at a time.

    ``groups`` lists the least preferred first, as the paper does. The box asks the oracle for
    F(B_{k−1}) and F(B_k) in every step.

    >>> from rankcut.graphs import as_item_graph
    >>> path = cut_oracle(as_item_graph([[0, 1, 0], [1, 0, 2], [0, 2, 0]]))
    >>> pool_literally([[0], [2], [1]], path)
    {1: 3.0, 0: -1.5, 2: -1.5}
    """
    prefixes: list[set[int]] = [set()]
    for group in groups:
        prefixes.append(prefixes[-1] | set(group))
    # Blocks from the top down: (upper prefix, lower prefix, slope).
    blocks: list[tuple[int, int, float]] = []
    for k in range(len(groups), 0, -1):
        upper, lower = k, k - 1
        while True:
            size = len(prefixes[upper]) - len(prefixes[lower])
            slope = -(cut(prefixes[lower]) - cut(prefixes[upper])) / -size
            if not blocks or slope <= blocks[-1][2]:
                break
            upper = blocks.pop()[0]
        blocks.append((upper, lower, slope))
    return {
        item: slope for upper, lower, slope in blocks for item in prefixes[upper] - prefixes[lower]
    }


def literal_features(row: Floats, cut: Cut) -> Floats:
    """The mean vector over all coherent partitions, by the algorithm box."""
    vectors = []
    for groups in coherent_partitions(row):
        values = pool_literally(groups[::-1], cut)
        vectors.append([values[item] for item in range(len(row))])
    return np.asarray(np.mean(vectors, axis=0))


def groups_of(row: Floats) -> Groups:
    """The groups of a row of ranks, best first; unranked items are in none."""
    return [np.flatnonzero(row == rank).tolist() for rank in np.unique(row[~np.isnan(row)])]


def coherent_partitions(row: Floats) -> Iterator[Groups]:
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


def count_full_orders(row: Floats) -> int:
    """How many full orders agree with a ranking, without going through them."""
    sizes = [len(group) for group in groups_of(row)]
    ties = math.prod(map(math.factorial, sizes))
    return ties * math.factorial(len(row)) // math.factorial(sum(sizes))


def discordant_pairs(first: Order, second: Order) -> int:
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


def kendall_tau(first: Order, second: Order) -> float:
    """Kendall's τ of two full orders."""
    n = len(first)
    return 1.0 - 4.0 * discordant_pairs(first, second) / (n * (n - 1))


def expected_kendall(first: Floats, second: Floats) -> float:
    """The mean of Kendall's τ over all full orders that agree with two incomplete rankings.

    In closed form, as the authors' program has it: if one of two items is listed, at place r of k,
    it is expected to be ahead by 1 − 2r/(k + 1).

    >>> one, other = np.array([1.0, 2.0, np.nan]), np.array([np.nan, 1.0, 2.0])
    >>> round(27 * expected_kendall(one, other), 9)
    -5.0
    """
    total, n = 0.0, len(first)
    ahead = [_lead(first), _lead(second)]
    for i in range(n):
        for j in range(i):
            total += math.prod(_expected_sign(lead, i, j) for lead in ahead)
    return total / (n * (n - 1) / 2)


def _lead(row: Floats) -> dict[int, float]:
    """How far each listed item is expected to be ahead of one that is not."""
    order = sorted(np.flatnonzero(~np.isnan(row)).tolist(), key=lambda item: row[item])
    k = len(order)
    return {item: 1.0 - 2.0 * (place + 1) / (k + 1) for place, item in enumerate(order)}


def _expected_sign(lead: dict[int, float], i: int, j: int) -> float:
    if i in lead and j in lead:
        return 1.0 if lead[i] > lead[j] else -1.0
    return lead.get(i, 0.0) - lead.get(j, 0.0)
