"""Best–worst tasks of made-up people."""

import numpy as np

from rankcut import RankingSet


def some_tasks(n_people=12, n_items=6, n_tasks=4, seed=0):
    """Best–worst tasks of four items."""
    rng = np.random.default_rng(seed)
    tastes = rng.normal(size=(n_people, n_items)) - np.arange(n_items) / 2
    ranks = np.full((n_people * n_tasks, n_items), np.nan)
    for row in ranks:
        row[rng.choice(n_items, 4, replace=False)] = 2
    people = np.repeat(np.arange(n_people), n_tasks)
    for row, person in zip(ranks, people, strict=True):
        shown = np.flatnonzero(row == 2)
        order = shown[np.argsort(-(tastes[person, shown] + rng.gumbel(size=4)))]
        row[order[0]], row[order[-1]] = 1, 3
    return RankingSet(ranks, tuple(range(n_items)), people=people, asked_ties=False)
