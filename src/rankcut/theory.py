"""Lovász extension, base polytope and cones of ordered partitions: the theory of set functions.

With the items j_1, …, j_n in decreasing order of w, the extension of a set function from the
corners of the cube to all vectors is

    f(w) = Σ_k (w_{j_k} − w_{j_{k+1}})·F({j_1, …, j_k}) + w_{j_n}·F(V)

for k = 1, …, n − 1. It agrees with F on indicator vectors. It is convex if and only if F is
submodular; then it is the support function of the base polytope.

For groups G_1, …, G_l with prefixes B_t, the *tangent cone* keeps those inequalities of the base
polytope that belong to prefixes, s(B_t) ≤ F(B_t). The *majorant cone* reverses them,
s(B_t) ≥ F(B_t). Both keep s(V) = F(V), and they meet in the face of the ordered partition.

Features are minimum-norm points of majorant cones. The paper defines them by tangent cones, but a
cut is never negative and is 0 on V, so the tangent cone contains s = 0 for every ranking.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.types import Floats
from rankcut.cuts import Modular, SetFunction
from rankcut.cuts.set_function import power_of_two
from rankcut.errors import InputError
from rankcut.parameters import EQUAL_WITHIN, ROUNDING, within_floats
from rankcut.rankings.partitions import Partitions

__all__ = [
    "BasePolytope",
    "Face",
    "IsotonicSolution",
    "MajorantCone",
    "Membership",
    "TangentCone",
    "lovasz_extension",
    "lovasz_subgradient",
    "ordered_partitions",
]

Groups: TypeAlias = tuple[tuple[int, ...], ...]

# A point is optimal if no vertex is nearer to the origin by more than this share of the largest
# squared length of a vertex: a few rounding errors.
_OPTIMAL = 64 * float(np.finfo(np.float64).eps)


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

    def contains(self, s: ArrayLike, *, tolerance: float = EQUAL_WITHIN) -> bool:
        """Whether s is in the cone; ``tolerance`` is a share of the size of the vectors."""
        point = _vector(self.function, s)
        above = np.cumsum([point[list(group)].sum() for group in self.groups])
        above -= np.cumsum(self.rises)
        room = tolerance * max(self.function.magnitude, float(np.abs(point).sum()))
        return bool(abs(above[-1]) <= room and (self._side * above[:-1] <= room).all())

    def support(self, w: ArrayLike) -> float:
        """The supremum of ⟨w, s⟩: infinite unless w has one value per group, in order."""
        values = self.levels(w)
        if values is None or (self._side * np.diff(values) > 0).any():
            return float("inf")
        return float(values @ self.rises)

    def levels(self, w: ArrayLike) -> Floats | None:
        """The v with w = Σ_t v_t·1_{G_t}, if w is constant on the groups."""
        vector = _vector(self.function, w)
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
    the least concave majorant of (|B_t|, F(B_t)). Parameters are those of :class:`TangentCone`.

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


@dataclass(frozen=True, eq=False)
class Face:
    """The face of the base polytope where s(B_t) = F(B_t) for the prefixes B_t of a partition.

    Attributes
    ----------
    groups : tuple of tuples of items
        The ordered partition, best group first.
    vertices : ndarray of shape (n_vertices, n_items)
        Its distinct vertices: those of the orders that agree with the partition.
    dimension : int
        From 0, for a vertex, to at most n − 1, for the whole polytope.
    """

    groups: Groups
    vertices: Floats
    dimension: int


@dataclass(frozen=True)
class Membership:
    """Whether a point is in the base polytope; if not, a set that proves it.

    Attributes
    ----------
    violated : frozenset or None
        A set A with s(A) > F(A), or V if s(V) ≠ F(V). None if the point is inside.
    excess : float
        s(A) − F(A) for that set. For a point inside, the largest s(A) − F(A) over all sets,
        which is 0 up to rounding.
    """

    violated: frozenset[int] | None
    excess: float

    def __bool__(self) -> bool:
        return self.violated is None


class BasePolytope:
    """B(F) = {s : s(A) ≤ F(A) for all A ⊂ V, s(V) = F(V)}.

    Parameters
    ----------
    function : SetFunction
        A submodular F, see :func:`~rankcut.cuts.check_submodular`.

    Examples
    --------
    >>> from rankcut.cuts import GraphCut
    >>> polytope = BasePolytope(GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]]))
    >>> polytope
    BasePolytope(GraphCut of 3 items, 2 dimensions)
    >>> polytope.vertex([1, 2, 0])
    array([-1.,  3., -2.])
    >>> polytope.support([0.5, 0.0, 1.0])
    2.5
    >>> polytope.contains([2, 0, -2])
    Membership(violated=frozenset({0}), excess=1.0)
    """

    def __init__(self, function: SetFunction) -> None:
        self.function = function
        self.n_items = function.n_items

    def __repr__(self) -> str:
        dimension = self.n_items - 1
        return (
            f"BasePolytope({type(self.function).__name__} of {self.n_items} items, "
            f"{dimension} dimension{'' if dimension == 1 else 's'})"
        )

    def vertex(self, order: ArrayLike) -> Floats:
        """The vertex of a full order, by the greedy algorithm: what each item adds to F."""
        return np.asarray(self.function.gains(np.asarray(order)[None])[0])

    def vertices(self) -> Floats:
        """The distinct vertices, as rows; for few items.

        >>> from rankcut.cuts import GraphCut
        >>> BasePolytope(GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]])).vertices()
        array([[-1., -1.,  2.],
               [-1.,  3., -2.],
               [ 1., -3.,  2.],
               [ 1.,  1., -2.]])
        """
        return self.face([range(self.n_items)]).vertices

    def face(self, groups: Sequence[Sequence[int]]) -> Face:
        """The face of an ordered partition; for few items."""
        self._refuse_many_items()
        partition = tuple(tuple(int(item) for item in group) for group in groups)
        Partitions.of_groups([partition], self.n_items)
        corners = self.function.gains(list(refining_orders(partition)))
        scale = self.function.magnitude or 1.0
        _, places = np.unique(np.round(corners / scale, 9) + 0.0, axis=0, return_index=True)
        vertices = corners[places]
        spread = (vertices - vertices[0]) / scale
        dimension = int(np.linalg.matrix_rank(spread, tol=EQUAL_WITHIN * self.n_items))
        return Face(partition, vertices, dimension)

    def faces(self) -> Iterator[Face]:
        """The face of each ordered partition; for few items.

        If F(A) + F(B) = F(A ∪ B) + F(A ∩ B) for sets that cross, several ordered partitions have
        the same face.
        """
        self._refuse_many_items()
        return (self.face(groups) for groups in ordered_partitions(self.n_items))

    def support(self, w: ArrayLike) -> float:
        """The maximum of ⟨w, s⟩ over the polytope: the Lovász extension f(w)."""
        return float(lovasz_extension(self.function, w))

    def min_norm_point(self) -> Floats:
        """The shortest vector of the polytope; the items with negative entries minimise F."""
        return min_norm_base(self.function)

    def contains(self, s: ArrayLike) -> Membership:
        """Whether s is in the polytope; if not, the result has a violated set.

        It minimises the submodular function F(A) − s(A), by the minimum-norm point of its base
        polytope.
        """
        point = _vector(self.function, s)
        scale = max(self.function.magnitude, float(np.abs(point).sum()))
        missing = point.sum() - self.function.total
        if abs(missing) > EQUAL_WITHIN * scale:
            return Membership(frozenset(range(self.n_items)), float(missing))
        slack = self.function + Modular(-point)
        shortest = min_norm_base(slack)
        # The candidates are the sets {i : x_i ≤ c}; in exact arithmetic, c = 0 is best.
        chain = np.argsort(shortest, kind="stable")
        values = np.concatenate([[0.0], np.cumsum(slack.gains([chain])[0][chain])])
        best = int(np.argmin(values))
        if values[best] < -EQUAL_WITHIN * scale:
            return Membership(frozenset(chain[:best].tolist()), float(-values[best]))
        return Membership(None, max(0.0, float(-values[best])))

    def _refuse_many_items(self) -> None:
        # 8 items have 40,320 orders and 545,835 ordered partitions.
        if self.n_items > 8:
            raise InputError(
                f"{self.n_items} items have too many orders to list: at most 8 are listed. "
                "vertex, support and contains work for any number"
            )


def lovasz_extension(function: SetFunction, w: ArrayLike) -> Any:
    """f(w), for one vector or for each row of a matrix.

    It is ⟨w, s⟩, where s is the subgradient; for cuts, Σ_{i<j} W_ij·|w_i − w_j|.

    Parameters
    ----------
    function : SetFunction
        F.
    w : array of shape (n_items,) or (n_vectors, n_items)
        One number for each item.

    Examples
    --------
    >>> from rankcut.cuts import GraphCut
    >>> path = GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    >>> lovasz_extension(path, [0.5, 0.0, 1.0])
    2.5
    >>> lovasz_extension(path, [[1, 0, 0], [1, 1, 0]])
    array([1., 2.])
    """
    values = (lovasz_subgradient(function, w) * np.asarray(w, dtype=np.float64)).sum(axis=-1)
    return values if np.ndim(w) == 2 else float(values)


def lovasz_subgradient(function: SetFunction, w: ArrayLike) -> Floats:
    """A vector s with f(w) = ⟨w, s⟩ and, if F is submodular, f(u) ≥ ⟨u, s⟩ for all u.

    s_i is what item i adds to F when items are added in decreasing order of w. It is the vertex of
    the base polytope farthest in the direction w. If w has ties there are several; this is one.
    Arguments are those of :func:`lovasz_extension`, and the result has the shape of w.

    Examples
    --------
    >>> from rankcut.cuts import GraphCut
    >>> lovasz_subgradient(GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]]), [0.5, 0.0, 1.0])
    array([ 1., -3.,  2.])
    """
    rows = np.atleast_2d(_vector(function, w, most=2))
    return function.gains(np.argsort(-rows, axis=1, kind="stable")).reshape(np.shape(w))


def _vector(function: SetFunction, numbers: ArrayLike, most: int = 1) -> Floats:
    """A finite number for each item; or, with ``most`` 2 dimensions, also a matrix of such rows."""
    with within_floats("the vector"):
        vector = np.asarray(numbers, dtype=np.float64)
    wide = 1 <= vector.ndim <= most and vector.shape[-1] == function.n_items
    if not (wide and np.isfinite(vector).all()):
        raise InputError(
            f"a vector has one finite number for each of the {function.n_items} items; got shape "
            f"{vector.shape}"
        )
    return vector


def min_norm_base(function: SetFunction) -> Floats:
    """The x of smallest norm in the base polytope of a submodular function."""
    # Scaling by a power of two is exact, and keeps squares from overflow and underflow.
    scale = power_of_two(function.magnitude)
    corners = lovasz_subgradient(function, np.zeros((1, function.n_items))) / scale
    weights = np.ones(1)
    point: Floats = corners[0]
    while True:
        vertex = lovasz_subgradient(function, -point) / scale
        largest = max(float((corners**2).sum(axis=1).max()), float(vertex @ vertex))
        is_corner = (np.abs(corners - vertex).max(axis=1) <= ROUNDING * np.sqrt(largest)).any()
        if is_corner or point @ point - point @ vertex <= _OPTIMAL * largest:
            return scale * point
        corners = np.vstack([corners, vertex])
        weights = np.append(weights, 0.0)
        before = point @ point
        while True:
            target = _affine_minimum(corners)
            if target.min() > ROUNDING:
                weights = target
                break
            # Go towards the target until a weight becomes 0.
            falling = target <= ROUNDING
            drop = weights[falling] - target[falling]
            steps = np.divide(weights[falling], drop, out=np.zeros(len(drop)), where=drop > 0)
            weights = weights + steps.min() * (target - weights)
            keep = weights > ROUNDING
            corners, weights = corners[keep], weights[keep] / weights[keep].sum()
        shorter = weights @ corners
        if shorter @ shorter >= before:
            # No progress beyond rounding: this is as close as floating point gets.
            return scale * point
        point = shorter


def _affine_minimum(corners: Floats) -> Floats:
    """Weights, with sum 1, of the minimum-norm point of the vertices' affine hull."""
    base, others = corners[0], corners[1:]
    rest = np.linalg.lstsq((others - base).T, -base, rcond=None)[0]
    return np.concatenate([[1.0 - rest.sum()], rest])
