"""Kemeny's consensus: the order that agrees most with the pairwise margins, and a proof of it.

An order gains Σ_{i before j} margins_ij. Finding the best one is NP-hard, but easy in practice:

1. items split into sets that beat each other in cycles; the order of the sets is forced;
2. a set of up to 10 items is solved by dynamic programming over its subsets;
3. a larger one by a program over which item of each pair comes first. Its variables x_ij, i < j,
   say whether i comes before j. An order has no cycle i, j, k, so x_ij + x_jk + x_ki ≤ 2. There are
   n³/3 of these, few of which matter: those that a solution violates are added, and the program is
   solved again. Its solution usually is an order even if x may be any number from 0 to 1; if it is
   not, x is 0 or 1 from there on;
4. when time is up, a good order is returned with the best bound.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from rankcut._loops.permutations import best_order, improve_order
from rankcut._loops.types import Floats, Longs
from rankcut.consensus.pairs import beats, components, pair_number
from rankcut.parameters import ROUNDING

# Dynamic programming takes a millisecond for this many items; each further item doubles it.
_MOST_BY_SUBSETS = 10

# With more items the linear program itself takes longer than anyone would wait.
_MOST_BY_PROGRAM = 250

# Number of cycles to forbid at once.
_MOST_CYCLES = 20_000

# The solver's tolerance: what violates a constraint by more, and how wide its gap is when it stops.
# Orders whose gains differ by less than twice this share of the largest margin are equally good.
_SLACK = 1e-6


@dataclass(frozen=True, eq=False)
class KemenyOrder:
    """An order, what it gains, and what no order can exceed."""

    order: NDArray[np.int64]  #: the items, best first
    #: The rank of each item; neighbours are tied where all margins between them are 0
    ranks: NDArray[np.int64]
    value: float  #: σ_{i before j} margins_ij of the order
    #: A proven upper bound for each order; equal to ``value`` if the order is proven best
    bound: float
    #: Whether it is proven that no order gains more, up to 2 millionths of the largest margin
    optimal: bool


def kemeny_order(margins: Floats, *, step: float = 0.0, time_limit: float = 60.0) -> KemenyOrder:
    """The order of largest gain, proven best if time (in seconds) allows.

    ``margins[i, j]`` is gained by an order that places i before j. Gains are multiples of ``step``,
    up to a constant; 0 if unknown. A bound that is less than a step away proves an order best.

    >>> cycle = np.array([[0.0, 3.0, -1.0], [-3.0, 0.0, 2.0], [1.0, -2.0, 0.0]])
    >>> best = kemeny_order(cycle)
    >>> best.order, best.value, best.optimal
    (array([0, 1, 2]), 4.0, True)
    """
    end = monotonic() + time_limit
    gains = np.where(beats(np.abs(margins)), margins, 0.0)
    scores = gains.sum(axis=1)
    order: list[int] = []
    lost, proven_loss = 0.0, 0.0
    optimal = True
    for items in components(gains > 0, scores):
        inner = np.ascontiguousarray(gains[np.ix_(items, items)])
        places_in_set, best, proven = _order_set(inner, step, end)
        order.extend(items[places_in_set].tolist())
        most = np.abs(inner).sum() / 2
        lost += most - _value(inner, places_in_set)
        proven_loss += most - best
        optimal = optimal and proven
    # Pairs of different sets gain all they can.
    most = float(np.abs(gains).sum() / 2)
    value = most - float(lost)
    places = np.array(order, dtype=np.int64)
    return KemenyOrder(
        places,
        _ranks(gains, places),
        value,
        value if optimal else max(value, most - float(proven_loss)),
        optimal,
    )


def heuristic_order(margins: Floats) -> Longs:
    """A good order, quickly: by row sums, then single items moved to their best places."""
    order = np.argsort(-margins.sum(axis=1), kind="stable")
    improve_order(margins, order)
    return order


def possible_firsts(margins: Floats) -> NDArray[np.int64]:
    """The items with which a best order can begin.

    Of a set of more than 10 items that beat each other in cycles, only the item with
    which a good order begins.

    >>> possible_firsts(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [-1.0, -1.0, 0.0]]))
    array([0, 1])
    """
    gains = np.where(beats(np.abs(margins)), margins, 0.0)
    firsts: list[int] = []
    for items in components(gains > 0, gains.sum(axis=1)):
        # An item that others beat which it cannot beat in a cycle comes after them.
        free = (np.delete(gains[:, items], items, axis=0) <= 0).all(axis=0)
        if not free.any():
            continue
        inner = np.ascontiguousarray(gains[np.ix_(items, items)])
        by_first = np.zeros(len(items))
        if len(items) > _MOST_BY_SUBSETS:
            by_first[heuristic_order(inner)[0]] = 1.0
        else:
            best_order(inner, np.empty(len(items), dtype=np.int64), by_first)
        best = by_first >= by_first.max() - ROUNDING * len(items) ** 2
        firsts.extend(items[best & free].tolist())
    return np.array(sorted(firsts))


class BestOrders(NamedTuple):
    """Orders that all gain the most, and the items whose places differ in them."""

    orders: list[Longs]
    complete: bool  #: whether there are no others
    free: Longs


def best_orders(margins: Floats, most: int) -> BestOrders | None:
    """All orders of largest gain, up to a number.

    None if more than 10 items beat each other in cycles: it would take too long to look at all.

    >>> best = best_orders(np.array([[0.0, 3.0, -3.0], [-3.0, 0.0, 3.0], [3.0, -3.0, 0.0]]), 9)
    >>> [order.tolist() for order in best.orders], best.complete, best.free
    ([[0, 1, 2], [1, 2, 0], [2, 0, 1]], True, array([0, 1, 2]))
    """
    gains = np.where(beats(np.abs(margins)), margins, 0.0)
    sets = components(gains > 0, gains.sum(axis=1))
    if max(map(len, sets), default=0) > _MOST_BY_SUBSETS:
        return None
    orders = list(islice(_each_best(gains), most + 1))
    places = np.argsort(orders, axis=1)
    free = np.flatnonzero((places != places[0]).any(axis=0))
    return BestOrders(orders[:most], len(orders) <= most, free)


def _each_best(gains: Floats) -> Iterator[Longs]:
    """The orders of largest gain: each item that can be first, then the best orders of the rest."""
    if not len(gains):
        yield np.empty(0, dtype=np.int64)
        return
    for first in possible_firsts(gains).tolist():
        rest = np.delete(np.arange(len(gains)), first)
        for order in _each_best(gains[np.ix_(rest, rest)]):
            yield np.append(first, rest[order])


def _order_set(gains: Floats, step: float, end: float) -> tuple[Longs, float, bool]:
    """The best order of items that beat each other in cycles, an upper bound, whether proven."""
    n_items = len(gains)
    if n_items == 1:
        return np.zeros(1, dtype=np.int64), 0.0, True
    if n_items <= _MOST_BY_SUBSETS:
        order = np.empty(n_items, dtype=np.int64)
        best_order(gains, order, np.empty(n_items))
        return order, _value(gains, order), True
    order = heuristic_order(gains)
    most = float(np.abs(gains).sum() / 2)
    slack = max(2 * _SLACK * float(gains.max()), step * (1 - _SLACK))

    def is_proven(value: float, bound: float) -> bool:
        return bool(bound - value < slack)

    value, bound = _value(gains, order), most
    if n_items <= _MOST_BY_PROGRAM:
        order, bound = solve_program(gains, order, is_proven, end)
        value = _value(gains, order)
    return order, bound, is_proven(value, bound)


def _value(gains: Floats, order: Longs) -> float:
    return float(np.triu(gains[np.ix_(order, order)], 1).sum())


def _ranks(gains: Floats, order: Longs) -> NDArray[np.int64]:
    """Ranks along an order; a run of items is tied while all margins within it are 0."""
    ranks = np.empty(len(order), dtype=np.int64)
    first = 0
    for place, item in enumerate(order):
        if np.abs(gains[item, order[first:place]]).max(initial=0.0) > ROUNDING:
            first = place
        ranks[item] = first + 1
    return ranks


def solve_program(
    gains: Floats,
    order: Longs,
    is_proven: Callable[[float, float], bool],
    end: float,
) -> tuple[Longs, float]:
    """A better order than the one given and a bound, until ``is_proven`` or time is up."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    one, other = np.triu_indices(len(gains), 1)
    # Scaled, so that the solver's tolerances mean the same for all margins.
    scale = float(np.abs(gains).max())
    cost = gains[one, other] / scale
    before, integral = (cost > 0).astype(np.float64), False
    value, bound = _value(gains, order), float(np.abs(gains).sum() / 2)
    rows: Any = csr_array((0, len(cost)))
    right = np.empty(0)
    while not is_proven(value, bound) and (seconds := end - monotonic()) > 0:
        matrix = np.zeros_like(gains)
        matrix[one, other], matrix[other, one] = before, 1 - before
        cycles = find_cycles(matrix)
        if not len(cycles) and integral:
            break
        integral = integral or not len(cycles)
        more, limits = _forbid(cycles, len(gains))
        rows, right = vstack([rows, more], format="csr"), np.concatenate([right, limits])
        solution = milp(
            -2 * cost,
            integrality=np.full(len(cost), int(integral)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(rows, -np.inf, right),
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
        reached = solution.mip_dual_bound if integral else solution.fun
        if solution.x is None or reached is None:
            break
        if integral or solution.status == 0:
            bound = min(bound, (-reached - cost.sum() + _SLACK) * scale)
        before = np.round(solution.x) if integral else solution.x
        matrix[one, other], matrix[other, one] = before, 1 - before
        rounded = np.argsort(-matrix.sum(axis=1), kind="stable")
        if (better := improve_order(gains, rounded)) > value:
            order, value = rounded, better
    return order, bound


def _forbid(cycles: Longs, n_items: int) -> tuple[Any, Floats]:
    """Rows and limits of constraints, one for each cycle."""
    tails, heads = cycles.ravel(), np.roll(cycles, -1, axis=1).ravel()
    forward = tails < heads
    rows = np.repeat(np.arange(len(cycles)), 3)
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    columns = pair_number(low, high, n_items)
    shape = (len(cycles), n_items * (n_items - 1) // 2)
    signs = np.where(forward, 1.0, -1.0)
    limits = np.full(len(cycles), 2.0)
    limits -= np.bincount(rows[~forward], minlength=len(cycles))
    return csr_array((signs, (rows, columns)), shape=shape), limits


def find_cycles(before: Floats) -> Longs:
    """Triples i, j, k with before_ij + before_jk + before_ki > 2, the smallest item first.

    Of very many, every second, third, … one.
    """
    triples = [np.empty((0, 3), dtype=np.int64)]
    for i in range(len(before)):
        later = slice(i + 1, None)
        total = before[i, later, None] + before[later, later] + before[later, i]
        j, k = np.nonzero(total > 2 + _SLACK)
        triples.append(np.column_stack([np.full(len(j), i), i + 1 + j, i + 1 + k]))
    cycles = np.concatenate(triples)
    return cycles[:: max(1, -(-len(cycles) // _MOST_CYCLES))]
