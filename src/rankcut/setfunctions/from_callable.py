"""A set function from a plain Python function."""

from collections.abc import Callable

import numpy as np

from rankcut._loops.types import Floats
from rankcut.partitions import Partitions
from rankcut.setfunctions.set_function import SetFunction


class FromCallable(SetFunction):
    """F(A) = whatever your function returns for the frozenset A.

    It is called once for each group of each ranking. Whether it is submodular is for
    :func:`~rankcut.check_submodular` to find out.

    Parameters
    ----------
    function : callable
        Takes a frozenset of items 0, …, n − 1 and returns a finite number; 0 for no items.
    n_items : int
        Number of items.
    symmetric : bool
        Whether you know that F(A) = F(V∖A).

    Examples
    --------
    >>> at_most_two = FromCallable(lambda items: min(len(items), 2), 4)
    >>> at_most_two.gains([[3, 1, 0, 2]])
    array([[0., 1., 0., 1.]])
    """

    def __init__(
        self,
        function: Callable[[frozenset[int]], float],
        n_items: int,
        *,
        symmetric: bool = False,
    ) -> None:
        self.function = function
        self.n_items = n_items
        self.symmetric = symmetric
        nothing = self._value([])
        if nothing != 0:
            raise ValueError(
                f"F(∅) is {nothing:g}, and it must be 0; subtract it from the values of F"
            )

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One call for each group."""
        for row in range(len(partitions)):
            order = partitions.order[row].tolist()
            before = 0.0
            for t, end in enumerate(partitions.ends[row, : partitions.n_groups[row]].tolist()):
                value = self._value(order[:end])
                out[row, t] = value - before
                before = value

    def _value(self, items: list[int]) -> float:
        value = float(self.function(frozenset(items)))
        if not np.isfinite(value):
            raise ValueError(f"F({sorted(items)}) is {value}; a set function has finite values")
        return value
