"""The consensus of each bloc by Borda's method, with the places that are possible."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats, Indices, Longs
from rankcut.blocs.order_vectors import closed
from rankcut.consensus import People, Resampling, by_vectors
from rankcut.consensus.means import borda_vectors
from rankcut.rankings import Unranked


def rank_blocs(
    people: People,
    labels: Longs,
    n_blocs: int,
    listed: NDArray[np.bool_],
    unranked: Unranked,
    resampling: Resampling,
) -> tuple[Longs, Longs | None]:
    """Rankings, and the best and worst possible places unless no people are resampled.

    Parameters
    ----------
    people : People
        Everyone.
    labels : ndarray of int64
        The bloc of each row.
    n_blocs : int
        Number of blocs.
    listed : ndarray of bool of shape (n_rows, n_items)
        Which items each row lists.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means.
    resampling : Resampling
        How people are resampled.
    """

    def vectors(groups: Indices) -> Floats:
        return borda_vectors(closed(groups, unranked))

    found = []
    for bloc in range(n_blocs):
        own = labels == bloc
        items = (listed & own[:, None]).any(axis=0)
        if not items.any():
            items = people.listed
        members = replace(people, counts=np.where(own, people.counts, 0), listed=items)
        found.append(by_vectors(members, vectors, resampling))
    rankings = np.array([outcome.ranking for outcome in found])
    if not resampling.n_bootstraps:
        return rankings, None
    return rankings, np.array([outcome.intervals for outcome in found])
