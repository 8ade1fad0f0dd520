"""All ordered partitions of a few items: the names of a base polytope's faces."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from typing import TypeAlias

Groups: TypeAlias = tuple[tuple[int, ...], ...]


def ordered_partitions(n_items: int) -> Iterator[Groups]:
    """Every ranking of n items with ties, best group first: 1, 3, 13, 75, 541, 4,683, … of them.

    >>> list(ordered_partitions(2))
    [((0,), (1,)), ((1,), (0,)), ((0, 1),)]
    """
    return _of(tuple(range(n_items)))


def _of(items: tuple[int, ...]) -> Iterator[Groups]:
    if not items:
        yield ()
    for size in range(1, len(items) + 1):
        for first in combinations(items, size):
            for rest in _of(tuple(item for item in items if item not in first)):
                yield (first, *rest)


def refining_orders(groups: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Every full order that agrees with an ordered partition."""
    for parts in product(*(permutations(group) for group in groups)):
        yield tuple(item for part in parts for item in part)
