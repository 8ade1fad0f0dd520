"""The best order by linear and mixed-integer programs, circles of three forbidden as they appear.

The variables x_ij, i < j, say whether i comes before j. An order has no circle i, j, k, so
x_ij + x_jk + x_ki ≤ 2. There are n³/3 of these, few of which matter: each solution shows which of
them it breaks, and is solved again with those.
"""

from collections.abc import Callable
from time import monotonic
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array, vstack

from rankcut._loops.linear_orders import find_cycles, improve_order
from rankcut._loops.types import Floats, Longs

#: Called with the gain of the best order so far and the upper bound.
Progress: TypeAlias = Callable[[float, float], None]

# Number of cycles to forbid at once.
_MOST_CYCLES = 20_000

# Orders near a solution from which single items are moved: how many, and how many places apart.
_STARTS = 32
_SHIFT = 2.0

# A circle is broken if it is by more than the solver's tolerance.
_SLACK = 1e-6


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
        """Seconds that are left."""
        return self._end - monotonic()

    def solve_relaxed(self) -> bool:
        """One linear program; returns whether it broke a circle, and so another may help."""
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
        # Whatever the solver's tolerance, multipliers of 0 or above make a bound for all orders.
        multipliers = np.maximum(-solution.ineqlin.marginals, 0.0)
        reduced = 2 * self._cost - self._left.T @ multipliers
        bound = np.maximum(reduced, 0.0).sum() + multipliers @ self._right - self._cost.sum()
        idle = solution.slack > _SLACK
        if idle.any():
            self._left, self._right = self._left[~idle], self._right[~idle]
        return self._learn(solution.x, bound)

    def solve_whole(self) -> bool:
        """One mixed-integer program, likewise."""
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
        # The solver's gap is this wide when it stops.
        bound = -solution.mip_dual_bound - self._cost.sum() + _SLACK
        return self._learn(np.round(solution.x), bound) and solution.status == 0

    def _learn(self, before: Floats, bound: float) -> bool:
        """Keep what a solution says of the best order, and forbid the circles it has."""
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
        """Forbid circles that a solution has; returns whether there are any."""
        matrix = self._matrix(before)
        cycles = np.empty((_MOST_CYCLES, 3), dtype=np.int64)
        found = find_cycles(matrix, _SLACK, 1, cycles)
        if found > _MOST_CYCLES:
            find_cycles(matrix, _SLACK, -(-found // _MOST_CYCLES), cycles)
            found = -(-found // -(-found // _MOST_CYCLES))
        if not found:
            return False
        ends = cycles[:found]
        tails, heads = ends.ravel(), np.roll(ends, -1, axis=1).ravel()
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
