"""The groups of each ranking, and the full rankings that agree with it.

A kernel on full rankings becomes a kernel on all kinds of rankings by a mean over the full
rankings that agree with each (ties broken, unranked items put anywhere). A ranking with at most
``n_draws`` completions gets all of them, which is exact and costs no more than a sample. Any other
ranking gets ``n_draws`` random completions, in mirrored pairs: the second of a pair reverses the
order of the tied items, of the unranked ones, and of the gaps they fall into.

The draws depend only on the ranking and the seed. So a ranking has the same completions wherever
it occurs, and the Gram matrix of sampled means is positive semi-definite, because it is the Gram
matrix of mean feature vectors. The standard error of its entries falls with the square root of
``n_draws`` or faster; compare a few values of ``random_state`` to see it. An entry k(A, A), whose
two sides are the same draws, is slightly too large on average.
"""

from dataclasses import dataclass

import numpy as np

from rankcut._loops.linear_extensions import complete_rows, count_completions
from rankcut._loops.types import Indices, Ints
from rankcut.parameters import check_draws
from rankcut.rankings.partitions import block_rows
from rankcut.threads import over_rows

# Completions of a ranking, in mirrored pairs. The cost of a Gram matrix grows with the square.
DRAWS = 32


def all_full(groups: Indices) -> bool:
    """Whether each ranking puts each item in a group of its own."""
    return bool((groups.max(axis=1) == groups.shape[1] - 1).all())


@dataclass(frozen=True, eq=False)
class CompletedGroups:
    """The full rankings that agree with each of many rankings, one after the other.

    Attributes
    ----------
    groups : (n_completions, n_items)
        The group of each item; without ties, its position from 0.
    starts : (n_rankings + 1,)
        Ranking r has the rows from ``starts[r]`` to ``starts[r + 1]``.
    """

    groups: Indices
    starts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    def some(self, rows: slice) -> "CompletedGroups":
        """The completions of some of the rankings."""
        starts = self.starts[rows.start : rows.stop + 1]
        return CompletedGroups(self.groups[starts[0] : starts[-1]], starts - starts[0])


def complete(
    groups: Indices, *, keep_ties: bool, n_draws: int, seed: int, n_jobs: int | None
) -> CompletedGroups:
    """All completions of rankings with at most ``n_draws``, mirrored draws for the others.

    With ``keep_ties``, exchangeable neighbours stay tied, for kernels with a closed form for the
    mean over tie-breaks.
    """
    check_draws(n_draws, "n_draws")
    n_rows, n_items = groups.shape
    counts = np.empty(n_rows, dtype=np.int32)
    count_completions(groups, keep_ties, int(n_draws), counts)
    starts = np.zeros(n_rows + 1, dtype=np.int32)
    np.cumsum(np.minimum(counts, n_draws), out=starts[1:])
    completions = np.empty((starts[-1], n_items), dtype=np.uint32)

    def fill(start: int, stop: int) -> None:
        complete_rows(
            groups[start:stop],
            counts[start:stop],
            starts[start : stop + 1],
            keep_ties,
            np.uint64(seed),
            completions,
        )

    over_rows(fill, n_rows, block_rows(n_items), n_jobs)
    return CompletedGroups(completions, starts)
