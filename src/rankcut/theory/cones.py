"""The two cones of an ordered partition, their minimum-norm points and the isotonic problem.

For groups G_1, …, G_l with prefixes B_t, the *tangent cone* keeps those inequalities of the base
polytope that belong to prefixes, s(B_t) ≤ F(B_t). The *majorant cone* reverses them,
s(B_t) ≥ F(B_t). Both keep s(V) = F(V), and they meet in the face of the ordered partition.

Features are minimum-norm points of majorant cones. The paper defines them by tangent cones, but a
cut is never negative and is 0 on V, so the tangent cone contains s = 0 for every ranking.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.types import Floats
from rankcut.cuts import SetFunction
from rankcut.errors import InputError
from rankcut.parameters import within_floats
from rankcut.rankings.value import ROUNDING, Partitions

Groups: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class IsotonicSolution:
    """The solution of the isotonic problem of a cone, dual to the minimum-norm problem.

    Attributes
    ----------
    values : ndarray of shape (n_groups,)
        v, one number per group; s = −v_t on group t.
    primal : float
        Σ_t v_t·(F(B_t) − F(B_{t−1})) + ½ Σ_t |G_t|·v_t².
    dual : float
        −½‖s‖² for the minimum-norm point s.
    """

    values: Floats
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """Primal minus dual: never negative, and 0 at the optimum, up to rounding."""
        return self.primal - self.dual


class _PrefixCone:
    """The common part of both cones; ``_side`` is 1 for ≤ and −1 for ≥."""

    _side: int

    def __init__(self, function: SetFunction, groups: Sequence[Sequence[int]]) -> None:
        self.function = function
        self.groups: Groups = tuple(tuple(int(item) for item in group) for group in groups)
        self._partition = Partitions.of_groups([self.groups], function.n_items)
        rises = np.empty((1, function.n_items))
        function.increments(self._partition, rises)
        self.rises: Floats = rises[0, : len(self.groups)]
        self._sizes = np.array([len(group) for group in self.groups], dtype=np.float64)

    def contains(self, s: ArrayLike, *, tolerance: float = ROUNDING) -> bool:
        """Whether s is in the cone; ``tolerance`` is a share of the size of the vectors."""
        point = self._vector(s)
        above = np.cumsum([point[list(group)].sum() for group in self.groups])
        above -= np.cumsum(self.rises)
        room = tolerance * max(self.function.magnitude, float(np.abs(point).sum()))
        return bool(abs(above[-1]) <= room and (self._side * above[:-1] <= room).all())

    def _vector(self, numbers: ArrayLike) -> Floats:
        with within_floats("the vector"):
            vector = np.asarray(numbers, dtype=np.float64)
        if vector.shape != (self.function.n_items,):
            raise InputError(
                f"the vector must be {self.function.n_items} numbers; got shape {vector.shape}"
            )
        return vector

    def support(self, w: ArrayLike) -> float:
        """The supremum of ⟨w, s⟩: infinite unless w has one value per group, in order."""
        values = self.levels(w)
        if values is None or (self._side * np.diff(values) > 0).any():
            return float("inf")
        return float(values @ self.rises)

    def levels(self, w: ArrayLike) -> Floats | None:
        """The v with w = Σ_t v_t·1_{G_t}, if w is constant on the groups."""
        vector = self._vector(w)
        values = np.array([vector[group[0]] for group in self.groups])
        constant = all(
            (vector[list(group)] == value).all()
            for group, value in zip(self.groups, values, strict=True)
        )
        return values if constant else None

    def objective(self, values: ArrayLike) -> float:
        """The isotonic objective: Σ v_t·(F(B_t) − F(B_{t−1})) + ½ Σ |G_t|·v_t²."""
        v = np.asarray(values, dtype=np.float64)
        return float(v @ self.rises + 0.5 * self._sizes @ v**2)

    def min_norm_point(self) -> Floats:
        """The shortest vector of the cone, by pooling adjacent groups."""
        n = self.function.n_items
        rises = np.zeros((1, n))
        rises[0, : len(self.groups)] = -self._side * self.rises
        pooled = np.empty((1, n))
        self._partition.pool(rises, pooled)
        return np.asarray(0.0 - self._side * pooled[0])

    def isotonic(self) -> IsotonicSolution:
        """Solve the dual of the minimum-norm problem, with the values of both."""
        shortest = self.min_norm_point()
        values = -np.array([shortest[group[0]] for group in self.groups])
        return IsotonicSolution(values, self.objective(values), -0.5 * float(shortest @ shortest))

    def basic_partition(self) -> Groups:
        """The ordered partition, with groups of equal value in the minimum-norm point merged.

        On it the solution is strict and has a closed form, (F(B_t) − F(B_{t−1})) / |G_t|.
        """
        shortest = self.min_norm_point()
        merged: list[tuple[int, ...]] = []
        for group in self.groups:
            if merged and shortest[group[0]] == shortest[merged[-1][0]]:
                merged[-1] += group
            else:
                merged.append(group)
        return tuple(merged)


class TangentCone(_PrefixCone):
    """{s : s(B_t) ≤ F(B_t) for t < l, s(V) = F(V)}: it contains the base polytope.

    The dual isotonic problem is over v_1 ≥ … ≥ v_l, and the minimum-norm point has the slopes of
    the greatest convex minorant of (|B_t|, F(B_t)).

    Parameters
    ----------
    function : SetFunction
        F.
    groups : sequence of sequences of items
        The ordered partition, best group first.

    Examples
    --------
    >>> from rankcut.cuts import Coverage, GraphCut
    >>> path = GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    >>> TangentCone(path, [[1], [2], [0]]).min_norm_point()
    array([0., 0., 0.])
    >>> cone = TangentCone(Coverage([{"fish", "raw"}, {"fish"}, {"rice"}]), [[1], [2], [0]])
    >>> cone.min_norm_point()
    array([1., 1., 1.])
    """

    _side = 1


class MajorantCone(_PrefixCone):
    """{s : s(B_t) ≥ F(B_t) for t < l, s(V) = F(V)}: its shortest vector is the feature vector.

    The dual isotonic problem is over v_1 ≤ … ≤ v_l, and the minimum-norm point has the slopes of
    the least concave majorant of (|B_t|, F(B_t)).

    Parameters
    ----------
    function : SetFunction
        F.
    groups : sequence of sequences of items
        The ordered partition, best group first.

    Examples
    --------
    >>> from rankcut.cuts import GraphCut
    >>> cone = MajorantCone(GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]]), [[1], [2], [0]])
    >>> cone.rises
    array([ 3., -2., -1.])
    >>> cone.min_norm_point()
    array([-1.5,  3. , -1.5])
    >>> cone.basic_partition()
    ((1,), (2, 0))
    >>> cone.isotonic().gap
    0.0
    """

    _side = -1


def ordered_partitions(n_items: int) -> Iterator[Groups]:
    """All rankings of n items with ties, best group first: 1, 3, 13, 75, 541, 4,683, … of them.

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
    """All full orders that agree with an ordered partition."""
    for parts in product(*(permutations(group) for group in groups)):
        yield tuple(item for part in parts for item in part)
