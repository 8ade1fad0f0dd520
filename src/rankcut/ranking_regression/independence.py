"""Independence from irrelevant alternatives: first choices, and later ones from fewer items."""

import numpy as np

from rankcut._loops.types import Flags, Longs
from rankcut.errors import InputError
from rankcut.rankings import Rankings


def split_choices(rankings: Rankings) -> tuple[Rankings, Longs, Flags]:
    """First choices, then later ones; the ranking that each row is of, and whether it is later.

    Items that were only passed over are tied at the end: in which order nobody asked.

    >>> from rankcut.rankings import read_rankings
    >>> stages, rows, later = split_choices(read_rankings([[2, 1, 3]]))
    >>> stages.read(0, 2).tolist(), rows.tolist(), later.tolist()
    ([[2.0, 1.0, 2.0], [2.0, nan, 3.0]], [0, 0], [False, True])
    """
    ranks = rankings.dense().read(0, rankings.shape[0])
    if rankings.unranked == "last":
        ranks = np.where(np.isnan(ranks), np.inf, ranks)
    best = np.nanmin(ranks, axis=1, initial=np.inf)[:, None]
    top = ranks == best
    compared = (~np.isnan(ranks)).sum(axis=1)
    # With a tie for the first place there is no first choice, and two items leave no later one.
    usable = np.flatnonzero((top.sum(axis=1) == 1) & (compared > 2))
    if not len(usable):
        raise InputError("all choices are between two items, or begin with a tie: none is later")
    if rankings.counted and rankings.weights is not None:
        usable = np.repeat(usable, rankings.weights[usable].astype(np.int64))
    ranks, top = ranks[usable], top[usable]
    first = np.where(np.isnan(ranks), np.nan, np.where(top, 1.0, 2.0))
    after = np.where(top, np.nan, np.where(np.isinf(ranks), rankings.shape[1] + 1.0, ranks))
    alone = np.arange(len(usable))
    people = alone if rankings.people is None else rankings.people[usable]
    weights = None if rankings.counted else np.tile(rankings.counts[usable], 2)
    stages = Rankings(
        np.vstack([first, after]),
        rankings.items,
        "anywhere",
        weights,
        rankings.counted,
        people=np.tile(people, 2),
        asked_ties=False,
    )
    return stages, np.tile(usable, 2), np.arange(2 * len(usable)) >= len(usable)
