"""Set functions: a number for each set of items, and quickly for each set of a chain.

Of a set function F, features of rankings need only the increments F(B_t) − F(B_{t−1}) along the
chain B_t = G_1 ∪ … ∪ G_t of a ranking's best groups. So that is all that a set function has to
compute; the value of a single set A is the first increment of the chain A, V.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from math import frexp
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut._loops.types import Floats, Indices
from rankcut.errors import InputError
from rankcut.parameters import AT_ONCE, is_real, within_floats
from rankcut.rankings.partitions import Partitions, block_rows

if TYPE_CHECKING:
    from rankcut.cuts.cut_functions import ExpectedSlopes


# A table of all subsets has 2**n numbers, no more than are held at once.
MOST_TABULATED = AT_ONCE.bit_length() - 1


class SetFunction(ABC):
    """F: sets of items → numbers, with F(∅) = 0.

    To add a family, subclass and write :meth:`increments`; for a first try,
    :class:`~rankcut.cuts.FromCallable` turns any Python function into a set function. Sums
    and positive multiples are written ``F + G`` and ``2.0 * F``.

    Attributes
    ----------
    n_items : int
        Size of the ground set V; items are 0, 1, …, n − 1.
    symmetric : bool
        Whether F(A) = F(V∖A) for all A is known. Then F(V) = 0 and reversing a ranking changes
        the sign of its features.
    submodular : bool
        Whether F is known to be submodular. :func:`check_submodular` finds out for others.
    nothing_to_pool : bool
        Whether slopes are known to fall along every ranking, so that pooling changes none.
    """

    n_items: int
    symmetric: bool = False
    submodular: bool = False
    nothing_to_pool: bool = False

    @abstractmethod
    def increments(self, partitions: Partitions, out: Floats) -> None:
        """Write F(B_t) − F(B_{t−1}) of partition r to ``out[r, t]``.

        Entries after the last group may be overwritten; rows after the last partition must not
        be. For a partition that leaves out items, the result has no meaning.
        """

    def prepare(self) -> None:  # noqa: B027
        """Prepare what :meth:`increments` needs, such as tables; threads share it."""

    def expected_slopes(self) -> "ExpectedSlopes | None":
        """The closed form of mean slopes over completions, or None if it has none."""
        return None

    def aligned(self, n_items: int, items: tuple[Hashable, ...] | None) -> "SetFunction":
        """The same function with its items in the order of the rankings' columns.

        Only graphs name their items; item i of any other function is column i.
        """
        if self.n_items != n_items:
            raise InputError(
                f"the set function has {self.n_items} items, but the rankings have {n_items}; item "
                "i of the function is column i of the rank matrix"
            )
        return self

    def __call__(self, items: Iterable[int]) -> float:
        """F of one set of items.

        >>> from rankcut.cuts import Modular
        >>> Modular([1, 2, 4])({0, 2})
        5.0
        """
        inside = sorted(set(items))
        if any(isinstance(item, bool | np.bool_) for item in inside):
            raise InputError("a set lists its items by number; np.flatnonzero converts a mask")
        if not inside:
            return 0.0
        if inside[0] < 0 or inside[-1] >= self.n_items:
            raise InputError(
                f"the set {inside} has items that do not exist; items are 0 to {self.n_items - 1}"
            )
        outside = np.setdiff1d(np.arange(self.n_items), inside).tolist()
        return float(self.along([inside, outside] if outside else [inside])[1])

    def along(self, order: Sequence[int | Sequence[int]]) -> Floats:
        """F(∅), F(G_1), F(G_1 ∪ G_2), …, F(V) along an order of :func:`~rankcut.to_orders`.

        >>> from rankcut import to_orders
        >>> from rankcut.cuts import Modular
        >>> Modular([1, 2, 4]).along([2, (0, 1)])
        array([0., 4., 7.])
        >>> Modular([1, 2, 4]).along(to_orders([[3, 2, 1]])[0])
        array([0., 4., 6., 7.])
        """
        groups = [group if isinstance(group, Sequence) else [group] for group in order]
        out = np.empty((1, self.n_items))
        self.increments(Partitions.of_groups([groups], self.n_items), out)
        return np.concatenate([[0.0], np.cumsum(out[0, : len(groups)])])

    def gains(self, orders: ArrayLike) -> Floats:
        """What each item adds when items are placed one by one, for each row of ``orders``.

        Entry (r, i) belongs to item i. Row r is the vertex of the base polytope that the greedy
        algorithm finds for that order.

        >>> from rankcut.cuts import GraphCut
        >>> GraphCut([[0, 1, 0], [1, 0, 1], [0, 1, 0]]).gains([[0, 1, 2], [2, 0, 1]])
        array([[ 1.,  0., -1.],
               [ 1., -2.,  1.]])
        """
        rows = np.atleast_2d(np.asarray(orders))
        every = np.arange(self.n_items)
        if rows.shape[1] != self.n_items or (np.sort(rows, axis=1) != every).any():
            raise InputError(f"an order lists each of the {self.n_items} items once")
        gains = np.empty(rows.shape)
        for some in _slices(len(rows), self.n_items):
            out = np.empty(rows[some].shape)
            self.increments(Partitions.of_orders(rows[some]), out)
            np.put_along_axis(gains[some], rows[some], out, axis=1)
        return gains

    def table(self) -> Floats:
        """F of all 2ⁿ sets; entry m belongs to the items whose bits are set in m.

        >>> from rankcut.cuts import Modular
        >>> Modular([1, 2, 4]).table()
        array([0., 1., 2., 3., 4., 5., 6., 7.])
        """
        n = self.n_items
        if n > MOST_TABULATED:
            raise InputError(
                f"a table of all sets of {n} items has 2**{n} numbers; at most {MOST_TABULATED} "
                "items can be tabulated"
            )
        values = np.zeros(1 << n)
        for some in _slices(len(values), n):
            masks = np.arange(len(values))[some]
            values[some] = self.of_sets((masks[:, None] >> np.arange(n)) & 1 == 1)
        return values

    def of_sets(self, inside: NDArray[np.bool_]) -> Floats:
        """F of each set, a row of truth values.

        >>> from rankcut.cuts import Modular
        >>> Modular([1, 2, 4]).of_sets(np.array([[True, False, True], [False, False, False]]))
        array([5., 0.])
        """
        first = np.empty(inside.shape)
        self.increments(Partitions.of_sets(inside), first)
        return np.where(inside.any(axis=1), first[:, 0], 0.0)

    @property
    def total(self) -> float:
        """F(V), to which the features of each ranking add up."""
        return self(range(self.n_items))

    @cached_property
    def magnitude(self) -> float:
        """How long feature vectors may be, roughly; far shorter ones are rounding errors."""
        order = np.arange(self.n_items)
        return float(np.hypot.reduce(np.abs(self.gains([order, order[::-1]])).max(axis=0)))

    @cached_property
    def noise(self) -> float:
        """How far from 0 rounding may take a coordinate that is 0: a sum of n terms."""
        return float(np.finfo(np.float64).eps * np.sqrt(self.n_items) * self.magnitude)

    def __add__(self, other: "SetFunction") -> "SetFunction":
        if not isinstance(other, SetFunction):
            return NotImplemented
        return SumOfFunctions([self, other])

    def __mul__(self, factor: float) -> "SetFunction":
        return Multiple(factor, self)

    __rmul__ = __mul__


def power_of_two(magnitude: float) -> float:
    """A power of two about as large, to scale by without rounding; 1 for 0."""
    return 2.0 ** frexp(magnitude)[1] if magnitude > 0 else 1.0


def _slices(n_rows: int, n_items: int) -> Iterator[slice]:
    step = block_rows(n_items)
    return (slice(start, start + step) for start in range(0, n_rows, step))


def finite_array(values: ArrayLike, n_dimensions: int, what: str) -> Floats:
    """A copy in float64; errors call it ``what``."""
    with within_floats(what):
        array = np.array(values, dtype=np.float64, order="C")
    if array.ndim != n_dimensions:
        raise InputError(f"{what} must have {n_dimensions} dimension(s), not shape {array.shape}")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{what} must be finite; entry {where} is {array[where]}")
    return array


def nonnegative_array(values: ArrayLike, n_dimensions: int, what: str) -> Floats:
    """As :func:`finite_array`, for numbers that are 0 or more."""
    array = finite_array(values, n_dimensions, what)
    if (array < 0).any():
        where = tuple(int(i) for i in np.argwhere(array < 0)[0])
        raise InputError(f"{what} must not be negative; entry {where} is {array[where]:g}")
    return array


def as_lists(lists: Sequence[Sequence[int]]) -> tuple[Indices, Indices]:
    """List i is ``entries[starts[i]:starts[i + 1]]``."""
    starts = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.uint32)
    entries = np.array([entry for one in lists for entry in one], dtype=np.uint32)
    return starts, entries


class SumOfFunctions(SetFunction):
    """F(A) = F_1(A) + F_2(A) + …; written ``F + G``.

    Examples
    --------
    >>> from rankcut.cuts import GraphCut, Modular
    >>> pair = GraphCut([[0, 1], [1, 0]]) + Modular([5, 7])
    >>> pair({0}), pair({0, 1})
    (6.0, 12.0)
    """

    def __init__(self, parts: Sequence[SetFunction]) -> None:
        self.parts = tuple(parts)
        sizes = {part.n_items for part in self.parts}
        if len(sizes) != 1:
            raise InputError(
                f"the parts of a sum must have the same items; numbers of items are {sorted(sizes)}"
            )
        self.n_items = sizes.pop()
        self.symmetric = all(part.symmetric for part in self.parts)
        self.submodular = all(part.submodular for part in self.parts)

    def aligned(self, n_items: int, items: tuple[Hashable, ...] | None) -> "SumOfFunctions":
        """The sum of the parts, each in that order."""
        return SumOfFunctions([part.aligned(n_items, items) for part in self.parts])

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """The sum of the parts' increments."""
        total = out[: len(partitions)]
        total[:] = 0.0
        # Zeros where nothing is written, so that only increments are ever added.
        one = np.zeros(total.shape)
        for part in self.parts:
            part.increments(partitions, one)
            total += one


class Multiple(SetFunction):
    """c·F for a number c > 0; written ``c * F``.

    Examples
    --------
    >>> from rankcut.cuts import Modular
    >>> (0.5 * Modular([2, 4]))({1})
    2.0
    """

    def __init__(self, factor: float, function: SetFunction) -> None:
        if not (is_real(factor) and factor > 0):
            raise InputError(
                f"the factor must be above 0, so that the multiple is submodular too; got {factor}"
            )
        self.factor = float(factor)
        self.function = function
        self.n_items = function.n_items
        self.symmetric = function.symmetric
        self.submodular = function.submodular

    def aligned(self, n_items: int, items: tuple[Hashable, ...] | None) -> "Multiple":
        """The same multiple of F in that order."""
        return Multiple(self.factor, self.function.aligned(n_items, items))

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """The increments of F, scaled."""
        one = np.zeros((len(partitions), self.n_items))
        self.function.increments(partitions, one)
        np.multiply(one, self.factor, out=out[: len(partitions)])


class Complement(SetFunction):
    """F̄(A) = F(V∖A) − F(V): F seen from the other side.

    It is submodular if F is, and it is what reversing a ranking does to features:
    φ of the reversed ranking under F is −φ of the ranking under F̄. For a symmetric function
    F̄ = F. F + F̄ is symmetric: for entropy it is mutual information.

    Examples
    --------
    >>> from rankcut.cuts import Coverage
    >>> topics = Complement(Coverage([{"fish", "raw"}, {"fish"}, {"rice"}]))
    >>> topics({0}), topics({2}), topics({0, 1, 2})
    (-1.0, -1.0, -3.0)
    """

    def __init__(self, function: SetFunction) -> None:
        self.function = function
        self.n_items = function.n_items
        self.symmetric = function.symmetric
        self.submodular = function.submodular

    def aligned(self, n_items: int, items: tuple[Hashable, ...] | None) -> "Complement":
        """The complement of F in that order."""
        return Complement(self.function.aligned(n_items, items))

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """The increments of F along the reversed chains, backwards and with the opposite sign."""
        one = np.zeros((len(partitions), self.n_items))
        self.function.increments(partitions.reversed(), one)
        mirror = np.maximum(partitions.n_groups[:, None] - 1 - np.arange(self.n_items), 0)
        np.negative(np.take_along_axis(one, mirror, axis=1), out=out[: len(partitions)])
