"""Set functions made of others: sums, positive multiples and complements."""

from collections.abc import Hashable, Sequence

import numpy as np

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.parameters import is_real
from rankcut.partitions import Partitions
from rankcut.setfunctions.set_function import SetFunction


class SumOfFunctions(SetFunction):
    """F(A) = F_1(A) + F_2(A) + …; written ``F + G``.

    Examples
    --------
    >>> from rankcut.setfunctions import GraphCut, Modular
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
        # Zeros where nothing is written, so that nothing but increments is ever added.
        one = np.zeros(total.shape)
        for part in self.parts:
            part.increments(partitions, one)
            total += one


class Multiple(SetFunction):
    """c·F for a number c > 0; written ``c * F``.

    Examples
    --------
    >>> from rankcut.setfunctions import Modular
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
    >>> from rankcut.setfunctions import Coverage
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
        """The increments of F along the reversed chains, backwards and with the other sign."""
        one = np.zeros((len(partitions), self.n_items))
        self.function.increments(partitions.reversed(), one)
        mirror = np.maximum(partitions.n_groups[:, None] - 1 - np.arange(self.n_items), 0)
        np.negative(np.take_along_axis(one, mirror, axis=1), out=out[: len(partitions)])
