"""Blocks of ordered partitions: what a rank matrix becomes on its way to features.

Row r of a block lists its items best first in ``order[r]``; group t is
``order[r, ends[r, t - 1]:ends[r, t]]``. Items of no group stand behind the last end.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankcut._loops.ordering import order_dense_rows, order_sparse_rows
from rankcut._loops.types import Floats, Indices, Ints
from rankcut.rankings import RankMatrix

# A block has about this many entries, so that all that is made of it stays in a core's cache.
BLOCK = 1 << 14


@dataclass(frozen=True, eq=False)
class Partitions:
    """A block of ordered partitions of the same n items.

    The arrays ``order`` and ``ends`` have one spare column, which the loops may scribble on.
    """

    n_items: int
    order: Indices
    ends: Ints
    n_groups: Ints

    @classmethod
    def empty(cls, n_rows: int, n_items: int) -> "Partitions":
        """Room for ``n_rows`` partitions."""
        return cls(
            n_items,
            np.empty((n_rows, n_items + 1), dtype=np.uint32),
            np.empty((n_rows, n_items + 1), dtype=np.int32),
            np.empty(n_rows, dtype=np.int32),
        )

    def __len__(self) -> int:
        return len(self.n_groups)

    def head(self, n_rows: int) -> "Partitions":
        """The first rows, sharing memory."""
        return Partitions(
            self.n_items, self.order[:n_rows], self.ends[:n_rows], self.n_groups[:n_rows]
        )


def block_rows(n_items: int) -> int:
    """How many rankings of so many items make a block."""
    return max(1, BLOCK // n_items)


def read_partitions(
    rankings: RankMatrix, start: int, stop: int, *, close: bool
) -> Iterator[tuple[int, Partitions]]:
    """The rankings from ``start`` to ``stop`` block by block, each with its first row's number.

    ``close`` ties the unranked items of a ranking in one last group. The blocks share memory:
    use one before asking for the next.
    """
    n_items = rankings.shape[1]
    step = min(block_rows(n_items), stop - start)
    room = Partitions.empty(step, n_items)
    # The loops are compiled once, for arrays of this kind: whatever the ranks are, they are copied
    # here before they are ordered.
    ranks = np.empty((step, n_items)) if rankings.sparse is None else None
    for first in range(start, stop, step):
        block = room.head(min(step, stop - first))
        if ranks is not None:
            ranks[: len(block)] = rankings.read(first, first + len(block))
            order_dense_rows(ranks[: len(block)], close, block.order, block.ends, block.n_groups)
        else:
            starts, columns, stored = _stored(rankings, first, first + len(block))
            order_sparse_rows(
                starts, columns, stored, n_items, close, block.order, block.ends, block.n_groups
            )
        yield first, block


def _stored(rankings: RankMatrix, start: int, stop: int) -> tuple[Indices, Indices, Floats]:
    """The CSR arrays of some rows, on their own."""
    matrix = rankings.sparse
    assert matrix is not None
    starts = matrix.indptr[start : stop + 1]
    entries = slice(starts[0], starts[-1])
    return (
        (starts - starts[0]).astype(np.uint32),
        matrix.indices[entries].astype(np.uint32),
        matrix.data[entries].astype(np.float64),
    )
