"""A block of ordered partitions: rankings as compiled loops take them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.increments import SHARING
from rankcut._loops.partitions import (
    order_other_rows,
    order_permutations,
    order_sparse_rows,
    pool_rows,
)
from rankcut._loops.types import Chains, Floats, Indices, Ints
from rankcut.errors import InputError

# A block has about this many entries: few enough that a core's cache holds what is made from them,
# and enough that the time Python needs for each block does not matter.
BLOCK = 1 << 16

# With many items, rankings share what is loaded of a dense graph: up to this many in a block, as
# long as it is no more than four times as large for that.
_SHARING = 4 * SHARING

# NumPy makes up to this many entries in less time than a compiled loop takes to load.
FEW_ENTRIES = BLOCK // 4


@dataclass(frozen=True, eq=False)
class Partitions:
    """A block of ordered partitions of the same n items.

    The arrays ``order`` and ``ends`` have one spare column, which the loops may overwrite, and
    fewer than n others if they list only ranked items.
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

    @classmethod
    def of_groups(cls, chains: Sequence[Sequence[Sequence[int]]], n_items: int) -> "Partitions":
        """Ordered partitions written as lists of groups, best first; each holds all items."""
        block = cls.empty(len(chains), n_items)
        for row, groups in enumerate(chains):
            items = [item for group in groups for item in group]
            if sorted(items) != list(range(n_items)) or not all(map(len, groups)):
                raise InputError(
                    f"{[list(group) for group in groups]} is not an ordered partition of {n_items} "
                    f"items; each item from 0 to {n_items - 1} belongs to exactly one group, and "
                    "no group is empty"
                )
            block.order[row, :n_items] = items
            block.ends[row, : len(groups)] = np.cumsum([len(group) for group in groups])
            block.n_groups[row] = len(groups)
        return block

    @classmethod
    def of_orders(cls, orders: NDArray[Any]) -> "Partitions":
        """Full rankings, each row an order of all items, best first."""
        n_rows, n_items = orders.shape
        block = cls.empty(n_rows, n_items)
        block.order[:, :n_items] = orders
        block.ends[:, :n_items] = np.arange(1, n_items + 1)
        block.n_groups[:] = n_items
        return block

    @classmethod
    def of_sets(cls, inside: NDArray[np.bool_]) -> "Partitions":
        """The chain A, V of each set A, a row of truth values; for ∅ and V it is just V."""
        n_rows, n_items = inside.shape
        block = cls.empty(n_rows, n_items)
        block.order[:, :n_items] = np.argsort(~inside, axis=1, kind="stable")
        sizes = inside.sum(axis=1)
        proper = (sizes > 0) & (sizes < n_items)
        block.ends[:, 0] = np.where(proper, sizes, n_items)
        block.ends[:, 1] = n_items
        block.n_groups[:] = np.where(proper, 2, 1)
        return block

    def __len__(self) -> int:
        return len(self.n_groups)

    @property
    def chains(self) -> Chains:
        """The arrays, for compiled loops."""
        return Chains(self.order, self.ends, self.n_groups)

    def n_ranked(self) -> NDArray[np.int64]:
        """How many items of each partition are in a group."""
        last = np.maximum(self.n_groups - 1, 0)
        ends = self.ends[np.arange(len(self)), last]
        return np.where(self.n_groups > 0, ends, 0).astype(np.int64)

    def __getitem__(self, rows: Any) -> "Partitions":
        """Some rows: a slice shares memory, numbers of rows copy them."""
        return Partitions(self.n_items, self.order[rows], self.ends[rows], self.n_groups[rows])

    def pool(self, increments: Floats, out: NDArray[Any]) -> None:
        """Slopes of each item's group, made non-increasing by pooling neighbouring groups.

        ``increments`` has the rise of the set function at each group; ``out`` has a column for each
        item. Items in no group have 0.
        """
        pool_rows(self.chains, increments, out)

    def reversed(self) -> "Partitions":
        """The partitions of all items, worst group first."""
        n = self.n_items
        block = Partitions.empty(len(self), n)
        block.order[:, :n] = self.order[:, :n][:, ::-1]
        block.n_groups[:] = self.n_groups
        # Group t ends where, from the other end, the group before its mirror image did.
        mirror = self.n_groups[:, None] - 2 - np.arange(n + 1)
        ends = np.take_along_axis(self.ends, np.maximum(mirror, 0), axis=1)
        block.ends[:] = np.where(mirror >= 0, n - ends, n)
        return block


def block_rows(n_items: int) -> int:
    """How many rankings of ``n_items`` items make a block."""
    rows = max(1, BLOCK // n_items, min(_SHARING, 4 * BLOCK // n_items))
    return rows if rows < _SHARING else rows // _SHARING * _SHARING


def order_rows(rows: Floats, block: Partitions, *, close: bool) -> None:
    """Fill a block with the order of some rows of ranks; ``close`` ties unranked items last."""
    # The loops are compiled once, for arrays of this kind.
    if not rows.flags.carray:
        rows = rows.copy()
    if order_permutations(rows, block.chains):
        order_other_rows(rows, close, block.chains)


def order_stored(
    matrix: Any, first: int, block: Partitions, *, close: bool, everything: bool
) -> None:
    """As :func:`order_rows` for rows of a CSR matrix; with ``everything``, unranked items too."""
    starts = matrix.indptr[first : first + len(block) + 1]
    entries = slice(starts[0], starts[-1])
    order_sparse_rows(
        (starts - starts[0]).astype(np.uint32),
        matrix.indices[entries].astype(np.uint32),
        matrix.data[entries].astype(np.float64),
        block.n_items,
        close,
        everything,
        block.chains,
    )
