"""Modular functions: each item has a weight of its own."""

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.chaining import modular_increments
from rankcut._loops.types import Floats
from rankcut.partitions import Partitions
from rankcut.setfunctions.checked import finite_array
from rankcut.setfunctions.set_function import SetFunction


class Modular(SetFunction):
    """F(A) = Σ_{i∈A} m_i.

    Its base polytope is the single point m. As a part of a sum it moves the base polytope of the
    other part by m.

    Parameters
    ----------
    weights : array of n_items numbers
        m, of any sign.

    Examples
    --------
    >>> Modular([1, -2, 4]).gains([[2, 0, 1]])
    array([[ 1., -2.,  4.]])
    """

    def __init__(self, weights: ArrayLike) -> None:
        self.weights = finite_array(weights, 1, "the weights of the items")
        self.n_items = len(self.weights)
        self.symmetric = not np.any(self.weights)

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One weight for each item."""
        modular_increments(
            partitions.order, partitions.ends, partitions.n_groups, self.weights, out
        )
