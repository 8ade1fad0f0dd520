"""Lists of scores: the normal scores of the places of what each person lists.

An item at place r of k, the mean place where items tie, has the score Φ⁻¹((k − r + ½)/k). Only
differences within a list mean something: nobody knows how good the whole list is.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import ndtri

from rankcut._loops.types import Floats, Indices, Longs
from rankcut.partitions import read_ranked
from rankcut.rankings import RankMatrix


@dataclass(frozen=True, eq=False)
class Lists:
    """What people list, one after another, with a score for each item."""

    starts: Longs
    items: Indices
    scores: Floats
    counts: Floats
    n_items: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Longs:
        """The number of items that each person lists."""
        return np.diff(self.starts)

    def entries(self, person: int) -> slice:
        """Where one person's items and scores are."""
        return slice(int(self.starts[person]), int(self.starts[person + 1]))

    def some(self, people: NDArray[np.intp]) -> Self:
        """The lists of some people."""
        lengths = self.lengths[people]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.repeat(self.starts[people] - starts[:-1], lengths) + np.arange(starts[-1])
        return type(self)(
            starts, self.items[entries], self.scores[entries], self.counts[people], self.n_items
        )

    def shortened(self, most: int, rng: np.random.Generator) -> Self:
        """The same lists with at most so many items, drawn at random from longer ones."""
        if not len(self.items) or self.lengths.max() <= most:
            return self
        owners = np.repeat(np.arange(len(self)), self.lengths)
        shuffled = np.lexsort((rng.random(len(owners)), owners))
        places = np.arange(len(owners)) - self.starts[owners]
        kept = np.sort(shuffled[places < most])
        starts = np.concatenate([[0], np.cumsum(np.minimum(self.lengths, most))])
        return type(self)(
            starts.astype(np.int64), self.items[kept], self.scores[kept], self.counts, self.n_items
        )

    def matrix(self, mean: Floats) -> csr_array:
        """The scores less the items' means, as a sparse matrix."""
        residuals = self.scores - mean[self.items]
        shape = (len(self), self.n_items)
        return csr_array((residuals, self.items.astype(np.int32), self.starts), shape=shape)


def read_lists(
    rankings: RankMatrix,
    counts: Floats | None = None,
    *,
    unlisted: int = 0,
    rng: np.random.Generator | None = None,
) -> Lists:
    """The lists of all rankings, best item first.

    With ``unlisted``, that many items drawn from those not listed, or all where there are no
    more, are tied at the end of each list.
    """
    n_rows, n_items = rankings.shape
    items, scores, lengths = [], [], []
    for _, block in read_ranked(rankings, 0, n_rows):
        for row in range(len(block)):
            n_groups = int(block.n_groups[row])
            ends = block.ends[row, :n_groups].astype(np.int64)
            k = int(ends[-1]) if n_groups else 0
            listed = block.order[row, :k].astype(np.uint32)
            if unlisted and k < n_items:
                others = _drawn_others(listed, n_items, unlisted, rng)
                listed = np.concatenate([listed, others])
                k = len(listed)
                ends = np.append(ends, k)
            sizes = np.diff(ends, prepend=0)
            places = ends - (sizes - 1) / 2
            lengths.append(k)
            items.append(listed)
            scores.append(np.repeat(ndtri((k - places + 0.5) / max(k, 1)), sizes))
    return Lists(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate(items),
        np.concatenate(scores),
        np.ones(n_rows) if counts is None else counts,
        n_items,
    )


def _drawn_others(
    listed: Indices, n_items: int, most: int, rng: np.random.Generator | None
) -> Indices:
    free = np.ones(n_items, dtype=bool)
    free[listed] = False
    others = np.flatnonzero(free).astype(np.uint32)
    if len(others) <= most or rng is None:
        return others
    return np.sort(rng.choice(others, most, replace=False))
