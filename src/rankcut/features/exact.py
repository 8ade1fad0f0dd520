"""The mean over all completions of a ranking, by going through them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.gap_completions import add_tasks, enumerate_completions
from rankcut._loops.slopes import pool_rows
from rankcut._loops.types import Floats
from rankcut.features.unlisted import Weighing
from rankcut.partitions import Partitions, block_rows
from rankcut.setfunctions import SetFunction

# More completions than this are refused: they would take minutes for a single ranking.
MOST_COMPLETIONS = 1 << 26


def log_completions(partitions: Partitions) -> Floats:
    """Logarithm of (l + 1)^u for each partition of l groups with u items in no group."""
    unranked = partitions.n_items - partitions.n_ranked()
    return np.asarray(unranked * np.log1p(partitions.n_groups))


def exact_means(
    partitions: Partitions,
    rows: NDArray[Any],
    function: SetFunction,
    weighing: Weighing | None = None,
) -> tuple[Floats, NDArray[np.int64]]:
    """Mean feature vectors of some partitions, and the numbers of their completions.

    Completions are made a block at a time, whichever ranking they are of.
    """
    n_items = partitions.n_items
    unranked = n_items - partitions.n_ranked()[rows]
    counts = (partitions.n_groups[rows].astype(np.int64) + 1) ** unranked
    room = block_rows(n_items)
    # A task is a stretch of one ranking's completions that fits into a block.
    pieces = -(-counts // room)
    targets = np.repeat(np.arange(len(rows)), pieces)
    firsts = room * (np.arange(len(targets)) - np.repeat(np.cumsum(pieces) - pieces, pieces))
    sizes = np.minimum(counts[targets] - firsts, room)
    ends = np.cumsum(sizes)
    room = min(room, int(ends[-1]))
    block = Partitions.empty(room, n_items)
    increments, vectors = np.empty((2, room, n_items))
    gaps = np.empty((1, n_items), dtype=np.uint32)
    totals = np.zeros((len(rows), n_items))
    task = 0
    while task < len(targets):
        done = ends[task] - sizes[task]
        last = int(np.searchsorted(ends, done + room, side="right"))
        some = slice(task, last)
        part = block[: int(ends[last - 1] - done)]
        task_ends = (ends[some] - done).astype(np.int32)
        rankings = rows[targets[some]].astype(np.int32)
        enumerate_completions(
            partitions.order,
            partitions.ends,
            partitions.n_groups,
            rankings,
            firsts[some],
            task_ends,
            gaps,
            part.order,
            part.ends,
            part.n_groups,
        )
        function.increments(part, increments)
        if weighing is not None:
            weighing.apply(part, rankings, task_ends, increments)
        pool_rows(part.order, part.ends, part.n_groups, increments, False, 0.0, vectors)
        add_tasks(vectors, task_ends, targets[some].astype(np.int32), totals)
        task = last
    return totals / counts[:, None], counts
