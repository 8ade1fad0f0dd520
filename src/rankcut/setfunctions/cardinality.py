"""Concave functions of cardinality: what counts is how many items are in a set, not which."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.chaining import cardinality_increments
from rankcut._loops.types import Floats
from rankcut.partitions import Partitions
from rankcut.setfunctions.checked import finite_array
from rankcut.setfunctions.set_function import SetFunction

# Second differences above this part of the largest value are no rounding errors.
_ROUNDING = 1e-12


class ConcaveOfCardinality(SetFunction):
    """F(A) = g(|A|) for a concave g with g(0) = 0.

    Features depend on places alone: the item at place k of a full ranking gets g(k) − g(k − 1).

    Parameters
    ----------
    g : callable or array of n_items + 1 numbers
        g(0), g(1), …, g(n), or a function that is called with each of them.
    n_items : int or None
        Number of items; needed if g is a function.

    Examples
    --------
    >>> ConcaveOfCardinality(lambda k: k * (3 - k), 3).gains([[2, 0, 1]])
    array([[ 0., -2.,  2.]])
    """

    def __init__(self, g: Callable[[int], float] | ArrayLike, n_items: int | None = None) -> None:
        if callable(g):
            if n_items is None:
                raise ValueError("a function g says not how many items there are; give n_items")
            g = [float(g(k)) for k in range(n_items + 1)]
        values = finite_array(g, 1, "the values g(0), …, g(n)")
        if n_items is not None and len(values) != n_items + 1:
            raise ValueError(f"g has {len(values)} values; {n_items} items need {n_items + 1}")
        if len(values) < 2:
            raise ValueError("g needs a value for 0 items and for 1 at least")
        if values[0] != 0:
            raise ValueError(f"g(0) is {values[0]:g}, and F(∅) must be 0; subtract it from g")
        bends = np.diff(values, 2)
        if bends.size and bends.max() > _ROUNDING * np.abs(values).max():
            k = int(np.argmax(bends)) + 1
            raise ValueError(
                f"g is not concave: it rises by {values[k] - values[k - 1]:g} to g({k}) and by "
                f"{values[k + 1] - values[k]:g} after it"
            )
        self.values = values
        self.n_items = len(values) - 1
        self.symmetric = bool((values == values[::-1]).all())

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """From sizes alone."""
        cardinality_increments(partitions.ends, partitions.n_groups, self.values, out)
