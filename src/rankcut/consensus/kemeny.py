"""Kemeny's consensus: the order that agrees most with the pairwise margins, and a proof of it.

An order gains Σ_{i before j} margins_ij. Finding the best one is NP-hard, but easy in practice:

1. items split into sets that beat each other in cycles; the order of the sets is forced;
2. a set of up to 10 items is solved by dynamic programming over its subsets;
3. a larger one by a linear program over which item of each pair comes first, in which a cycle of
   three is forbidden once a solution has it. Its solution usually is an order; if not, a
   mixed-integer program continues from there;
4. when time is up, the best order found is returned with the best bound.

The variables of the linear program x_ij, i < j, say whether i comes before j. An order has no
cycle i, j, k, so x_ij + x_jk + x_ki ≤ 2. There are n³/3 of these, few of which matter: those
that a solution violates are added, and the program is solved again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from rankcut._loops.linear_orders import best_order, improve_order, unavoidable_loss
from rankcut._loops.types import Floats, Longs
from rankcut.consensus.pairs import beats, components
from rankcut.parameters import ROUNDING

# Dynamic programming takes a millisecond for this many items; each further item doubles it.
_MOST_BY_SUBSETS = 10

# With more items the linear program itself takes longer than anyone would wait.
_MOST_BY_PROGRAM = 250

#: Called with the gain of the best order so far and the upper bound.
Progress: TypeAlias = Callable[[float, float], None]

# Number of cycles to forbid at once.
_MOST_CYCLES = 20_000

# Orders near a solution from which single items are moved: how many, and how many places apart.
_STARTS, _SHIFT = 32, 2.0

# The solver's tolerance: what violates a constraint by more, and how wide its gap is when it stops.
# Orders whose gains differ by less than twice this share of the largest margin are equally good.
_SLACK = 1e-6


@dataclass(frozen=True, eq=False)
class KemenyOrder:
    """An order, what it gains, and what no order can exceed.

    Attributes
    ----------
    order : ndarray of int64
        The items, best first.
    ranks : ndarray of int64
        The rank of each item; neighbours are tied where all margins between them are 0.
    value : float
        Σ_{i before j} margins_ij of the order.
    bound : float
        A proven upper bound for each order; equal to ``value`` if the order is proven best.
    optimal : bool
        Whether it is proven that no order gains more, up to 2 millionths of the largest margin.
    """

    order: NDArray[np.int64]
    ranks: NDArray[np.int64]
    value: float
    bound: float
    optimal: bool


def kemeny_order(
    margins: Floats,
    *,
    step: float = 0.0,
    time_limit: float = 60.0,
    progress: Progress | None = None,
) -> KemenyOrder:
    """The order of largest gain, proven best if time allows.

    Parameters
    ----------
    margins : array of shape (n_items, n_items)
        Antisymmetric; ``margins[i, j]`` is gained by an order that places i before j.
    step : float
        What gains are multiples of, up to a constant; 0 if unknown. A bound that is less than a
        step away proves an order best.
    time_limit : float
        Seconds after which the best order so far is returned.
    progress : callable or None
        Called as ``progress(value, bound)`` with what is known so far of the current set of items.

    Examples
    --------
    >>> cycle = np.array([[0.0, 3.0, -1.0], [-3.0, 0.0, 2.0], [1.0, -2.0, 0.0]])
    >>> found = kemeny_order(cycle)
    >>> found.order, found.value, found.optimal
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
        found, best, proven = _order_set(inner, step, end, progress)
        order.extend(items[found].tolist())
        most = np.abs(inner).sum() / 2
        lost += most - _value(inner, found)
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
    found: list[int] = []
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
        found.extend(items[best & free].tolist())
    return np.array(sorted(found))


def _order_set(
    gains: Floats, step: float, end: float, progress: Progress | None
) -> tuple[Longs, float, bool]:
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

    bound = most - 2 * unavoidable_loss(gains)
    value = _value(gains, order)
    if not is_proven(value, bound) and n_items <= _MOST_BY_PROGRAM:
        order, bound = solve_program(gains, order, bound, is_proven, end, progress)
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
    bound: float,
    is_proven: Callable[[float, float], bool],
    end: float,
    progress: Progress | None,
) -> tuple[Longs, float]:
    """A better order and bound than those given, until ``is_proven`` or time is up."""
    program = _Program(gains, order, bound, end, progress)
    for solve in (program.solve_relaxed, program.solve_whole):
        while not is_proven(program.value, program.bound) and program.remaining() > 0:
            if not solve():
                break
    return program.order, program.bound


def find_cycles(before: Floats) -> Longs:
    """Triples i, j, k with before_ij + before_jk + before_ki > 2, the smallest item first.

    Of very many, every second, third, … one.
    """
    found = [np.empty((0, 3), dtype=np.int64)]
    for i in range(len(before)):
        later = slice(i + 1, None)
        total = before[i, later, None] + before[later, later] + before[later, i]
        j, k = np.nonzero(total > 2 + _SLACK)
        found.append(np.column_stack([np.full(len(j), i), i + 1 + j, i + 1 + k]))
    cycles = np.concatenate(found)
    return cycles[:: max(1, -(-len(cycles) // _MOST_CYCLES))]


class _Program:
    def __init__(
        self, gains: Floats, order: Longs, bound: float, end: float, progress: Progress | None
    ) -> None:
        n_items = len(gains)
        self._gains = gains
        self._pairs = np.triu_indices(n_items, 1)
        self._column = np.zeros((n_items, n_items), dtype=np.int64)
        self._column[self._pairs] = np.arange(len(self._pairs[0]))
        self._column += self._column.T
        # Scaled, so that the solver's tolerances mean the same for all margins.
        self._scale = float(np.abs(gains).max())
        self._cost = gains[self._pairs] / self._scale
        self._left = csr_array((0, len(self._cost)))
        self._right = np.empty(0)
        self._shifts = _SHIFT * np.random.default_rng(0).standard_normal((_STARTS, n_items))
        self._shifts[0] = 0.0
        self._end = end
        self._progress = progress
        self.order = order
        self.value = float(np.triu(gains[np.ix_(order, order)], 1).sum())
        self.bound = bound
        self._forbid((self._cost > 0).astype(np.float64))

    def remaining(self) -> float:
        """Seconds left."""
        return self._end - monotonic()

    def solve_relaxed(self) -> bool:
        """Solve one linear program; returns whether cycles were forbidden, so another may help."""
        from scipy.optimize import linprog

        solution = linprog(
            -2 * self._cost,
            A_ub=self._left,
            b_ub=self._right,
            bounds=(0, 1),
            method="highs-ds",
            options={"time_limit": max(self.remaining(), 0.01)},
        )
        if solution.status != 0:
            return False
        # Whatever the solver's tolerance, nonnegative multipliers give a bound for all orders.
        multipliers = np.maximum(-solution.ineqlin.marginals, 0.0)
        reduced = 2 * self._cost - self._left.T @ multipliers
        bound = np.maximum(reduced, 0.0).sum() + multipliers @ self._right - self._cost.sum()
        idle = solution.slack > _SLACK
        if idle.any():
            self._left, self._right = self._left[~idle], self._right[~idle]
        return self._learn(solution.x, bound)

    def solve_whole(self) -> bool:
        """Solve one mixed-integer program; returns the same."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        solution = milp(
            -2 * self._cost,
            integrality=np.ones(len(self._cost)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(self._left, -np.inf, self._right),
            options={"time_limit": max(self.remaining(), 0.01), "mip_rel_gap": 0.0},
        )
        if solution.mip_dual_bound is None or solution.x is None:
            return False
        bound = -solution.mip_dual_bound - self._cost.sum() + _SLACK
        return self._learn(np.round(solution.x), bound) and solution.status == 0

    def _learn(self, before: Floats, bound: float) -> bool:
        """Keep what a solution says about the best order, and forbid the cycles it has."""
        self.bound = min(self.bound, bound * self._scale)
        wins = self._matrix(before).sum(axis=1)
        for shift in self._shifts:
            order = np.argsort(shift - wins, kind="stable")
            value = improve_order(self._gains, order)
            if value > self.value:
                self.order, self.value = order, value
        if self._progress is not None:
            self._progress(self.value, max(self.value, self.bound))
        return self._forbid(before)

    def _matrix(self, before: Floats) -> Floats:
        matrix = np.zeros_like(self._gains)
        matrix[self._pairs] = before
        matrix.T[self._pairs] = 1 - before
        return matrix

    def _forbid(self, before: Floats) -> bool:
        """Forbid the cycles that a solution has; returns whether there are any."""
        cycles = find_cycles(self._matrix(before))
        found = len(cycles)
        if not found:
            return False
        tails, heads = cycles.ravel(), np.roll(cycles, -1, axis=1).ravel()
        forward = tails < heads
        rows = np.repeat(np.arange(found), 3)
        signs = np.where(forward, 1.0, -1.0)
        left: Any = csr_array(
            (signs, (rows, self._column[tails, heads])), shape=(found, len(self._cost))
        )
        self._left = vstack([self._left, left], format="csr")
        backward = np.bincount(rows[~forward], minlength=found)
        self._right = np.concatenate([self._right, 2.0 - backward])
        return True
