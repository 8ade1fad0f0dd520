"""The group of each item in each ranking, as a matrix: what most kernels start from."""

import numpy as np

from rankcut._loops.partitions import group_rows
from rankcut._loops.types import Indices
from rankcut.partitions import block_rows, read_partitions
from rankcut.rankings import RankMatrix, Unranked
from rankcut.threads import over_rows


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
