"""Short lists from a catalogue, compared by what two of them share."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankcut._loops.lists import SparseEntries
from rankcut._loops.types import Floats, Longs
from rankcut.rankings import Rankings


class ListGroups(NamedTuple):
    """The tied groups of some lists, one after the other."""

    above: Longs  #: how many items of the list are better
    sizes: Longs  #: how many items are in the group
    lengths: Longs  #: how many items are on the list


class ComparedLists:
    """The items of each list in ascending order with a number each, and what compares two lists."""

    side = 256
    blas = False

    def __init__(self, n_items: int, entries: SparseEntries, loop: Callable[..., None]) -> None:
        self._n_items = n_items
        self._entries = entries
        self._loop = loop

    @classmethod
    def of(
        cls, rankings: Rankings, weigh: Callable[[ListGroups], Floats], loop: Callable[..., None]
    ) -> "ComparedLists":
        """The lists of rankings, whose groups have the numbers that ``weigh`` gives them."""
        n_rows, n_items = rankings.shape
        starts = np.zeros(n_rows + 1, dtype=np.int64)
        items, weights = [], []
        for first, block in rankings.listed_blocks(0, n_rows):
            lengths = block.n_ranked()
            starts[first + 1 : first + 1 + len(block)] = lengths
            listed = block.order[np.arange(block.order.shape[1]) < lengths[:, np.newaxis]]
            rows, groups = np.nonzero(
                np.arange(block.ends.shape[1]) < block.n_groups[:, np.newaxis]
            )
            ends = block.ends[rows, groups].astype(np.int64)
            above = np.where(groups > 0, block.ends[rows, groups - 1], 0).astype(np.int64)
            group_weights = weigh(ListGroups(above, ends - above, lengths[rows]))
            ascending = np.lexsort((listed, np.repeat(np.arange(len(block)), lengths)))
            items.append(listed[ascending].astype(np.int64))
            weights.append(np.repeat(group_weights, ends - above)[ascending])
        np.cumsum(starts, out=starts)
        entries = SparseEntries(starts, np.concatenate(items), np.concatenate(weights))
        return cls(n_items, entries, loop)

    def __len__(self) -> int:
        return len(self._entries.starts) - 1

    def _some(self, rows: slice) -> SparseEntries:
        return self._entries._replace(starts=self._entries.starts[rows.start : rows.stop + 1])

    def compare(
        self, rows: slice, other: "ComparedLists", columns: slice, pairs: int, out: Any
    ) -> None:
        """What the loop says of these rows and the other's columns."""
        self._loop(self._some(rows), other._some(columns), self._n_items, pairs, out)
