"""What rankings list, entry by entry: for sums that cost as much as what is listed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Flags, Floats, Indices, Longs
from rankcut.rankings import Rankings


@dataclass(frozen=True, eq=False)
class ListEntries:
    """The items that rankings list: row by row, best first.

    Examples
    --------
    >>> from rankcut.rankings import read_rankings
    >>> nan = float("nan")
    >>> lists = [[5, nan, 2, 5], [nan, 1, nan, nan]]
    >>> entries = ListEntries.of(read_rankings(lists, unranked="last"))
    >>> entries.row, entries.item, entries.group
    (array([0, 0, 0, 1]), array([2, 0, 3, 1]), array([0, 1, 1, 0]))
    >>> entries.n_better, entries.n_not_worse, entries.lengths
    (array([0, 1, 1, 0]), array([1, 3, 3, 1]), array([3, 1]))
    """

    row: Longs  #: the ranking of each entry
    item: Longs  #: the item
    group: Longs  #: its group, 0 the best
    n_better: Longs  #: how many listed items are better
    n_not_worse: Longs  #: how many are better or tied, with itself
    lengths: Longs  #: how many items each ranking lists
    n_items: int

    @classmethod
    def of(cls, rankings: Rankings) -> "ListEntries":
        """The entries of all rankings."""
        lists: csr_array = rankings.as_lists().stored
        lengths = np.diff(lists.indptr).astype(np.int64)
        return cls._sorted(lengths, lists.indices, lists.data, lists.shape[1])

    @classmethod
    def of_groups(cls, groups: Indices) -> "ListEntries":
        """The entries of rankings as groups of their items."""
        listed = groups != NOWHERE
        return cls._sorted(
            listed.sum(axis=1), np.nonzero(listed)[1], groups[listed], groups.shape[1]
        )

    @classmethod
    def _sorted(cls, lengths: Longs, items: Any, ranks: Any, n_items: int) -> "ListEntries":
        row = np.repeat(np.arange(len(lengths)), lengths)
        order = np.lexsort((items, ranks, row))
        item, ranks = items[order].astype(np.int64), ranks[order]
        starts = np.concatenate([[0], np.cumsum(lengths)])[row]
        opens = np.arange(len(item)) == starts
        opens[1:] |= ranks[1:] != ranks[:-1]
        group = np.cumsum(opens) - 1
        begins = np.append(np.flatnonzero(opens), len(item))
        n_better, n_not_worse = begins[group] - starts, begins[group + 1] - starts
        return cls(row, item, group - group[starts], n_better, n_not_worse, lengths, n_items)

    @property
    def n_rows(self) -> int:
        """Number of rankings."""
        return len(self.lengths)

    def some(self, which: Flags) -> "ListEntries":
        """Some of the entries; lengths stay."""
        return ListEntries(
            self.row[which],
            self.item[which],
            self.group[which],
            self.n_better[which],
            self.n_not_worse[which],
            self.lengths,
            self.n_items,
        )

    def matrix(self, values: Floats) -> csr_array:
        """A value for each entry as a sparse matrix, (n_rows, n_items)."""
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.row, minlength=self.n_rows))])
        return csr_array((values, self.item, starts), shape=(self.n_rows, self.n_items))

    def wins(self) -> Floats:
        """How many listed items each entry beats, minus how many beat it."""
        n_listed = self.lengths[self.row]
        return (n_listed - self.n_not_worse - self.n_better).astype(np.float64)
