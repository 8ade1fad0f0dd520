"""Facility location: each client uses the best item of a set."""

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.chaining import facility_increments
from rankcut._loops.types import Floats
from rankcut.partitions import Partitions
from rankcut.setfunctions.checked import nonnegative_array
from rankcut.setfunctions.set_function import SetFunction


class FacilityLocation(SetFunction):
    """F(A) = Σ_c max_{i∈A} U_ci.

    Parameters
    ----------
    utilities : array of shape (n_clients, n_items)
        What each item is worth to each client, not negative.

    Examples
    --------
    >>> shops = FacilityLocation([[3, 1, 0], [0, 2, 2]])
    >>> shops({0}), shops({0, 1}), shops({0, 1, 2})
    (3.0, 5.0, 5.0)
    """

    def __init__(self, utilities: ArrayLike) -> None:
        self.utilities = nonnegative_array(utilities, 2, "the utilities")
        self.n_items = self.utilities.shape[1]
        self._by_item = np.ascontiguousarray(self.utilities.T)
        self._total = float(self.utilities.max(axis=1, initial=0.0).sum())

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One pass over the clients for each item placed."""
        facility_increments(
            partitions.order,
            partitions.ends,
            partitions.n_groups,
            self._by_item,
            self._total,
            out,
        )
