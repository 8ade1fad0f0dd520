"""The base polytope of a submodular function, and its support function: the Lovász extension.

With the items j_1, …, j_n in decreasing order of w, the extension of a set function from the
corners of the cube to all vectors is

    f(w) = Σ_k (w_{j_k} − w_{j_{k+1}})·F({j_1, …, j_k}) + w_{j_n}·F(V)

for k = 1, …, n − 1. It agrees with F on indicator vectors. It is convex if and only if F is
submodular; then it is the support function of the base polytope.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.types import Floats
from rankcut.cuts import Modular, SetFunction
from rankcut.cuts.set_function import power_of_two
from rankcut.errors import InputError
from rankcut.parameters import ROUNDING as VANISHED
from rankcut.parameters import within_floats
from rankcut.rankings.value import ROUNDING, Partitions
from rankcut.theory.cones import Groups, ordered_partitions, refining_orders

# 8 items have 40,320 orders and 545,835 ordered partitions.
MOST_ITEMS = 8

# A point is optimal if no vertex is nearer to the origin by more than this share of the largest
# squared length of a vertex: a few rounding errors.
_OPTIMAL = 64 * float(np.finfo(np.float64).eps)


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
        dimension = int(np.linalg.matrix_rank(spread, tol=ROUNDING * self.n_items))
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
        with within_floats("s"):
            point = np.asarray(s, dtype=np.float64)
        if point.shape != (self.n_items,):
            raise InputError(f"s must be {self.n_items} numbers; got shape {point.shape}")
        scale = max(self.function.magnitude, float(np.abs(point).sum()))
        missing = point.sum() - self.function.total
        if abs(missing) > ROUNDING * scale:
            return Membership(frozenset(range(self.n_items)), float(missing))
        slack = self.function + Modular(-point)
        shortest = min_norm_base(slack)
        # The candidates are the sets {i : x_i ≤ c}; in exact arithmetic, c = 0 is best.
        chain = np.argsort(shortest, kind="stable")
        values = np.concatenate([[0.0], np.cumsum(slack.gains([chain])[0][chain])])
        best = int(np.argmin(values))
        if values[best] < -ROUNDING * scale:
            return Membership(frozenset(chain[:best].tolist()), float(-values[best]))
        return Membership(None, max(0.0, float(-values[best])))

    def _refuse_many_items(self) -> None:
        if self.n_items > MOST_ITEMS:
            raise InputError(
                f"{self.n_items} items have too many orders to list; the limit is {MOST_ITEMS} "
                "items. vertex, support and contains work for any number"
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

    Returns
    -------
    float or ndarray of shape (n_vectors,)

    Examples
    --------
    >>> from rankcut.cuts import GraphCut
    >>> path = GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    >>> lovasz_extension(path, [0.5, 0.0, 1.0])
    2.5
    >>> lovasz_extension(path, [[1, 0, 0], [1, 1, 0]])
    array([1., 2.])
    """
    rows = _vectors(function, w)
    values = (rows * _greedy(function, rows)).sum(axis=1)
    return values if np.ndim(w) == 2 else float(values[0])


def lovasz_subgradient(function: SetFunction, w: ArrayLike) -> Floats:
    """A vector s with f(w) = ⟨w, s⟩ and, if F is submodular, f(u) ≥ ⟨u, s⟩ for all u.

    s_i is what item i adds to F when items are added in decreasing order of w. It is the vertex of
    the base polytope farthest in the direction w. If w has ties there are several; this is one.

    Parameters
    ----------
    function : SetFunction
        F.
    w : array of shape (n_items,) or (n_vectors, n_items)
        One number for each item.

    Returns
    -------
    ndarray of the shape of w

    Examples
    --------
    >>> from rankcut.cuts import GraphCut
    >>> lovasz_subgradient(GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]]), [0.5, 0.0, 1.0])
    array([ 1., -3.,  2.])
    """
    found = _greedy(function, _vectors(function, w))
    return found if np.ndim(w) == 2 else found[0]


def _vectors(function: SetFunction, w: ArrayLike) -> Floats:
    with within_floats("w"):
        rows = np.atleast_2d(np.asarray(w, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] != function.n_items or not np.isfinite(rows).all():
        raise InputError(
            f"w must have one finite number for each of the {function.n_items} items, or be a "
            f"matrix of such rows; got shape {np.shape(w)}"
        )
    return rows


def _greedy(function: SetFunction, rows: Floats) -> Floats:
    return function.gains(np.argsort(-rows, axis=1, kind="stable"))


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
        known = (np.abs(corners - vertex).max(axis=1) <= VANISHED * np.sqrt(largest)).any()
        if known or point @ point - point @ vertex <= _OPTIMAL * largest:
            return scale * point
        corners = np.vstack([corners, vertex])
        weights = np.append(weights, 0.0)
        before = point @ point
        while True:
            target = _affine_minimum(corners)
            if target.min() > VANISHED:
                weights = target
                break
            # Go towards the target until a weight becomes 0.
            falling = target <= VANISHED
            drop = weights[falling] - target[falling]
            steps = np.divide(weights[falling], drop, out=np.zeros(len(drop)), where=drop > 0)
            weights = weights + steps.min() * (target - weights)
            keep = weights > VANISHED
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
