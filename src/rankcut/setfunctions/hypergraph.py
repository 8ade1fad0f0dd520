"""The cut function of a hypergraph: hyperedges with items on both sides."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.chaining import hypergraph_increments
from rankcut._loops.types import Floats
from rankcut.partitions import Partitions
from rankcut.setfunctions.checked import nonnegative_array
from rankcut.setfunctions.lists import as_lists
from rankcut.setfunctions.set_function import SetFunction


class HypergraphCut(SetFunction):
    """F(A) = Σ w_e over the hyperedges e with items in A and items outside.

    With hyperedges of two items it is the cut of a graph.

    Parameters
    ----------
    hyperedges : list of collections of items
        Which items each hyperedge joins.
    n_items : int
        Number of items.
    weights : array of numbers or None
        Weight of each hyperedge, not negative; None is 1 for each.

    Examples
    --------
    >>> menu = HypergraphCut([{0, 1, 2}, {2, 3}], 4)
    >>> menu({0}), menu({0, 2}), menu({0, 1, 2})
    (1.0, 2.0, 1.0)
    """

    symmetric = True

    def __init__(
        self,
        hyperedges: Iterable[Iterable[int]],
        n_items: int,
        weights: ArrayLike | None = None,
    ) -> None:
        self.n_items = n_items
        edges = [sorted(set(edge)) for edge in hyperedges]
        for number, edge in enumerate(edges):
            if edge and (edge[0] < 0 or edge[-1] >= n_items):
                raise ValueError(
                    f"hyperedge {number} joins {edge}, but the items are 0 to {n_items - 1}"
                )
        self.weights = nonnegative_array(
            np.ones(len(edges)) if weights is None else weights, 1, "the weights of hyperedges"
        )
        if len(self.weights) != len(edges):
            raise ValueError(
                f"there are {len(edges)} hyperedges and {len(self.weights)} weights; each "
                "hyperedge needs one"
            )
        of_item: list[list[int]] = [[] for _ in range(n_items)]
        for number, edge in enumerate(edges):
            for item in edge:
                of_item[item].append(number)
        self._starts, self._edges = as_lists(of_item)
        self._sizes = np.array([len(edge) for edge in edges], dtype=np.int32)

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One walk over the hyperedges of each item placed."""
        hypergraph_increments(
            partitions.order,
            partitions.ends,
            partitions.n_groups,
            self._starts,
            self._edges,
            self._sizes,
            self.weights,
            out,
        )
