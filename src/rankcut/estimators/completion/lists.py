"""Lists of scores: the normal scores of the places of what each person lists.

An item at place r of k, the mean place where items tie, has the score Φ⁻¹((k − r + ½)/k). Only
differences within a list mean something: how good all of it is, nobody knows.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
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

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Longs:
        """How many items each person lists."""
        return np.diff(self.starts)

    def person(self, row: int) -> tuple[Indices, Floats]:
        """The items and scores of one person."""
        entries = slice(self.starts[row], self.starts[row + 1])
        return self.items[entries], self.scores[entries]

    def some(self, people: NDArray[np.intp]) -> Self:
        """The lists of some people."""
        lengths = self.lengths[people]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.repeat(self.starts[people] - starts[:-1], lengths) + np.arange(starts[-1])
        return type(self)(
            starts, self.items[entries], self.scores[entries], self.counts[people]
        )


def read_lists(rankings: RankMatrix, counts: Floats | None = None) -> Lists:
    """The lists of all rankings, best item first."""
    n_rows = rankings.shape[0]
    items, scores, lengths = [], [], []
    for _, block in read_ranked(rankings, 0, n_rows):
        for row in range(len(block)):
            n_groups = block.n_groups[row]
            ends = block.ends[row, :n_groups].astype(np.int64)
            k = int(ends[-1]) if n_groups else 0
            sizes = np.diff(ends, prepend=0)
            places = ends - (sizes - 1) / 2
            lengths.append(k)
            items.append(block.order[row, :k].astype(np.uint32))
            scores.append(np.repeat(ndtri((k - places + 0.5) / max(k, 1)), sizes))
    return Lists(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate(items),
        np.concatenate(scores),
        np.ones(n_rows) if counts is None else counts,
    )
