"""The mean over all completions of a ranking, by going through them."""

import numpy as np

from rankcut._loops.completing import add_tasks, enumerate_completions
from rankcut._loops.pooling import pool_rows
from rankcut._loops.types import Floats
from rankcut.partitions import Partitions, block_rows
from rankcut.setfunctions import SetFunction

# More completions than this are refused: they would take minutes for a single ranking.
MOST_COMPLETIONS = 1 << 26


def log_completions(partitions: Partitions) -> Floats:
    """Logarithm of (l + 1)^u for each partition of l groups with u items in no group."""
    unranked = partitions.n_items - partitions.n_ranked()
    return np.asarray(unranked * np.log1p(partitions.n_groups))


def exact_mean(partitions: Partitions, row: int, function: SetFunction) -> tuple[Floats, int]:
    """The mean feature vector of one partition, and the number of its completions.

    They are made a block at a time.
    """
    n_items = partitions.n_items
    unranked = n_items - int(partitions.n_ranked()[row])
    n_completions = (int(partitions.n_groups[row]) + 1) ** unranked
    room = min(block_rows(n_items), n_completions)
    block = Partitions.empty(room, n_items)
    increments, vectors = np.empty((2, room, n_items))
    gaps = np.empty((1, n_items), dtype=np.uint32)
    total = np.zeros((1, n_items))
    for first in range(0, n_completions, room):
        part = block.head(min(room, n_completions - first))
        enumerate_completions(
            partitions.order,
            partitions.ends,
            partitions.n_groups,
            row,
            first,
            gaps,
            part.order,
            part.ends,
            part.n_groups,
        )
        function.increments(part, increments)
        pool_rows(part.order, part.ends, part.n_groups, increments, False, vectors)
        add_tasks(
            vectors, np.array([len(part)], dtype=np.int32), np.zeros(1, dtype=np.int32), total
        )
    return total[0] / n_completions, n_completions
