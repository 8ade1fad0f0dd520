"""Distinct rankings with their counts, so that counted and repeated rows give the same results."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Indices
from rankcut.rankings import merge_rankings, read_rankings
from rankcut.rankings.ranking_set import RankingSet


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct rankings, sorted, and how many people hold each.

    Attributes
    ----------
    groups : ndarray of shape (n_rows, n_items)
        The group of each item, 0 the best; NOWHERE if it is not listed.
    counts : ndarray of shape (n_rows,)
        How many people hold a ranking.
    codes : ndarray of shape (n_rows,)
        The number of their group, −1 if it is unknown.
    """

    groups: Indices
    counts: NDArray[np.int64]
    codes: NDArray[np.int64]

    def ranks(self) -> NDArray[np.float64]:
        """A rank matrix."""
        return np.where(self.groups == NOWHERE, np.nan, self.groups + 1.0)

    def rows(self, chosen: Any) -> "Counted":
        """Some of the rows."""
        return Counted(self.groups[chosen], self.counts[chosen], self.codes[chosen])

    def sample(self, number: int, seed: int) -> "Counted":
        """About this many people drawn at random; all if there are no more."""
        if int(self.counts.sum()) <= number:
            return self
        share = self.counts / self.counts.sum()
        drawn = np.random.default_rng(seed).multinomial(number, share)
        kept = np.flatnonzero(drawn)
        return replace(self.rows(kept), counts=drawn[kept].astype(np.int64))


def count_rankings(
    rankings: RankingSet, chosen: NDArray[np.int64], codes: NDArray[np.int64]
) -> tuple[Counted, int]:
    """Distinct rankings of some items in each group, and how many rankings list none of them.

    >>> votes = RankingSet(np.array([[1.0, 2.0], [1.0, 2.0], [np.nan, 1.0]]), ("a", "b"))
    >>> counted, n_empty = count_rankings(votes, np.array([0]), np.array([-1, -1, -1]))
    >>> counted.counts.tolist(), n_empty
    ([2], 1)
    """
    merged, index = merge_rankings(
        read_rankings(rankings.ranks[:, chosen], unranked="anywhere", sample_weight=rankings.counts)
    )
    # Equal rankings of one group stand for one row.
    n_codes = int(codes.max()) + 2
    keys, rows = np.unique(index * n_codes + codes + 1, return_inverse=True)
    counts = sum_counts(rows, rankings.counts, len(keys))
    groups, codes = merged.groups()[keys // n_codes], keys % n_codes - 1
    counted = Counted(groups, counts, codes)
    empty = (groups == NOWHERE).all(axis=1)
    return counted.rows(~empty), int(counts[empty].sum())


def count_places(counted: Counted) -> NDArray[np.int64]:
    """How many rankings put each item in each place among the listed ones.

    >>> groups = np.array([[0, 1, 1], [1, 0, NOWHERE]], dtype=np.uint32)
    >>> count_places(Counted(groups, np.array([2, 1]), np.array([-1, -1]))).tolist()
    [[2, 1, 0], [1, 2, 0], [0, 2, 0]]
    """
    n_items = counted.groups.shape[1]
    places = np.zeros(n_items * n_items, dtype=np.int64)
    for start in range(0, len(counted.counts), 1 << 15):
        block = counted.rows(slice(start, start + (1 << 15)))
        order = np.argsort(block.groups, axis=1, kind="stable")
        ordered = np.take_along_axis(block.groups, order, axis=1)
        firsts = np.where(
            np.diff(ordered, axis=1, prepend=NOWHERE) != 0, np.arange(n_items)[np.newaxis], 0
        )
        place = np.maximum.accumulate(firsts, axis=1)
        cells = order * n_items + place
        seen = ordered != NOWHERE
        counts = np.broadcast_to(block.counts[:, np.newaxis], seen.shape)
        places += sum_counts(cells[seen], counts[seen], n_items * n_items)
    return places.reshape(n_items, n_items)


def sum_counts(where: NDArray[Any], counts: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Sums of counts, exact up to 2**53."""
    return np.bincount(where, counts, minlength=length).astype(np.int64)
