"""Whether a set function is submodular.

F(A) + F(B) ≥ F(A ∪ B) + F(A ∩ B) holds for all sets A and B if and only if it holds for
A = C + i and B = C + j, for every set C and two items i and j outside it. So submodularity is
proved for few items, and a counterexample is searched for many.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats
from rankcut.cuts.set_function import SetFunction
from rankcut.parameters import EQUAL_WITHIN
from rankcut.rankings.partitions import block_rows


@dataclass(frozen=True)
class Counterexample:
    """Two sets for which F(A) + F(B) < F(A ∪ B) + F(A ∩ B)."""

    first: frozenset[int]
    second: frozenset[int]
    values: tuple[float, float, float, float]

    @property
    def violation(self) -> float:
        """F(A ∪ B) + F(A ∩ B) − F(A) − F(B)."""
        first, second, union, common = self.values
        return union + common - first - second

    def __str__(self) -> str:
        first, second, union, common = self.values
        a, b = self.first, self.second
        f, g, h, k = ("{" + ", ".join(map(str, sorted(s))) + "}" for s in (a, b, a | b, a & b))
        return f"F({f}) + F({g}) = {first + second:.6g} < {union + common:.6g} = F({h}) + F({k})"


@dataclass(frozen=True)
class SubmodularityCheck:
    """What :func:`check_submodular` found; true if it found no counterexample."""

    proved: bool  #: whether every inequality was checked, so that the answer is certain
    n_checked: int  #: number of inequalities
    counterexample: Counterexample | None  #: the worst that was found

    def __bool__(self) -> bool:
        return self.counterexample is None

    def __str__(self) -> str:
        if self.counterexample is not None:
            return f"not submodular: {self.counterexample}"
        if self.proved:
            return f"submodular: all {self.n_checked:,} inequalities hold"
        return f"perhaps submodular: no counterexample in {self.n_checked:,} random inequalities"


def check_submodular(
    function: SetFunction,
    *,
    n_trials: int = 10_000,
    exhaustive_items: int = 14,
) -> SubmodularityCheck:
    """Check that a set function is submodular, or show two sets for which it is not.

    Parameters
    ----------
    function : SetFunction
        The function.
    n_trials : int
        How many random inequalities to check, if there are too many to check all.
    exhaustive_items : int
        With up to this many items each inequality is checked: 2**14 values and 91 pairs take a
        fraction of a second.

    Examples
    --------
    >>> from rankcut.cuts import FromCallable, GraphCut
    >>> print(check_submodular(GraphCut([[0, 1, 2], [1, 0, 1], [2, 1, 0]])))
    submodular: all 6 inequalities hold
    >>> print(check_submodular(FromCallable(lambda items: len(items) ** 2, 3)))
    not submodular: F({0}) + F({1}) = 2 < 4 = F({0, 1}) + F({})
    """
    n_checked, largest = 0, 0.0
    worst: Counterexample | None = None
    exhaustive = function.n_items <= exhaustive_items
    batches = _all_inequalities(function) if exhaustive else _some(function, n_trials)
    for sets, i, j, values in batches:
        n_checked += values.shape[1]
        if not values.size:
            continue
        largest = max(largest, float(np.abs(values).max()))
        violations = values[2] + values[3] - values[0] - values[1]
        k = int(np.argmax(violations))
        if worst is None or violations[k] > worst.violation:
            common = frozenset(np.flatnonzero(sets[k]).tolist())
            first, second, union, shared = values[:, k].tolist()
            worst = Counterexample(
                common | {int(i[k])}, common | {int(j[k])}, (first, second, union, shared)
            )
    if worst is not None and worst.violation <= EQUAL_WITHIN * largest:
        worst = None
    return SubmodularityCheck(exhaustive, n_checked, worst)


# A batch of inequalities: sets C as rows of truth values, items i and j, and the values of F on
# C + i, C + j, C + i + j and C.
_Batch = tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64], Floats]


def _all_inequalities(function: SetFunction) -> Iterator[_Batch]:
    n = function.n_items
    table = function.table()
    masks = np.arange(len(table))
    for i, j in combinations(range(n), 2):
        common = masks[(masks >> i) & 1 | (masks >> j) & 1 == 0]
        values = np.stack([table[common | extra] for extra in (1 << i, 1 << j, 1 << i | 1 << j, 0)])
        sets = (common[:, None] >> np.arange(n)) & 1 == 1
        yield sets, np.full(len(common), i), np.full(len(common), j), values


def _some(function: SetFunction, n_trials: int) -> Iterator[_Batch]:
    """Random sets of all sizes, each with two random items outside."""
    n = function.n_items
    rng = np.random.default_rng(0)
    step = block_rows(n)
    for start in range(0, n_trials, step):
        m = min(step, n_trials - start)
        orders = rng.permuted(np.tile(np.arange(n), (m, 1)), axis=1)
        sizes = rng.integers(0, n - 1, m)
        rows = np.arange(m)
        i, j = orders[rows, sizes], orders[rows, sizes + 1]
        common = np.zeros((m, n), dtype=bool)
        np.put_along_axis(common, orders, np.arange(n) < sizes[:, None], axis=1)
        values = np.empty((4, m))
        for k, extra in enumerate(((i,), (j,), (i, j), ())):
            inside = common.copy()
            for item in extra:
                inside[rows, item] = True
            values[k] = function.of_sets(inside)
        yield common, i, j, values
