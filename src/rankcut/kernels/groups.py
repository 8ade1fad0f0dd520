"""The groups of the items in each ranking, and the full rankings that agree with it.

:func:`read_groups` is what most kernels start from.

Kernels that are defined on full rankings become kernels on all kinds by a mean over the full
rankings that agree with each (ties broken, unranked items put anywhere). A ranking with at most
``n_draws`` of them is completed in all ways, which is exact, and costs no more than a sample.
Any other gets ``n_draws`` random completions, in mirrored pairs: in the second of a pair, the
tied items are in the opposite order, and so are the unranked ones and the gaps they fall into.

The draws depend on the ranking and the seed alone. So each ranking is a fixed set of completions
wherever it occurs, and the Gram matrix of sampled means is positive semi-definite too, for it is
that of mean feature vectors. Its entries have a standard error that falls with the square root of
``n_draws`` or faster; to see it, compare a few values of ``random_state``. An entry k(A, A),
whose two sides are the same draws, is a little too large in the mean.
"""

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from rankcut._loops.linear_extensions import complete_rows, count_completions
from rankcut._loops.partitions import group_rows
from rankcut._loops.types import Indices, Ints
from rankcut.errors import InputError
from rankcut.partitions import block_rows, read_partitions
from rankcut.rankings import RankMatrix, Unranked
from rankcut.threads import over_rows

# In mirrored pairs. The cost of a Gram matrix grows with the square.
DRAWS = 32


def read_groups(rankings: RankMatrix, unranked: Unranked, n_jobs: int | None) -> Indices:
    """``groups[r, i]`` counts the groups of ranking r from 0, the best; NOWHERE is unranked.

    Only ``unranked="anywhere"`` leaves items unranked.

    >>> from rankcut.rankings import read_rankings
    >>> read_groups(read_rankings([[1, 7, 7, 3.5]]), "error", None)
    array([[0, 2, 2, 1]], dtype=uint32)
    """
    n_rows, n_items = rankings.shape
    groups = np.empty((n_rows, n_items), dtype=np.uint32)
    close = unranked != "anywhere"

    def fill(start: int, stop: int) -> None:
        for first, block in read_partitions(rankings, start, stop, close=close):
            rows = groups[first : first + len(block)]
            group_rows(block.order, block.ends, block.n_groups, rows)

    over_rows(fill, n_rows, block_rows(n_items), n_jobs)
    return groups


def all_full(groups: Indices) -> bool:
    """Whether each ranking puts each item in a group of its own."""
    return bool((groups.max(axis=1) == groups.shape[1] - 1).all())


@dataclass(frozen=True, eq=False)
class Completions:
    """Completions of many rankings, one after the other.

    Attributes
    ----------
    groups : (n_completions, n_items)
        The group of each item, which is its position (from 0) unless ties are kept.
    starts : (n_rankings + 1,)
        Ranking r has the rows from ``starts[r]`` to ``starts[r + 1]``.
    """

    groups: Indices
    starts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    def some(self, rows: slice) -> "Completions":
        """Those of some rankings."""
        starts = self.starts[rows.start : rows.stop + 1]
        return Completions(self.groups[starts[0] : starts[-1]], starts - starts[0])


def complete(
    groups: Indices, *, keep_ties: bool, n_draws: int, seed: int, n_jobs: int | None
) -> Completions:
    """All completions of rankings with at most ``n_draws``, mirrored draws for the others.

    With ``keep_ties``, exchangeable neighbours stay tied: for kernels that know the mean over
    tie-breaks.
    """
    if not isinstance(n_draws, Integral) or n_draws < 2 or n_draws % 2:
        raise InputError(
            f"must be an even number, 2 or more, since draws come in mirrored pairs; got "
            f"{n_draws!r}",
            parameter="n_draws",
        )
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
    return Completions(completions, starts)
