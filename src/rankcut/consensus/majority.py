"""What majorities say about each pair of items: winners, cycles, Copeland's scores.

``margins[i, j]`` is positive where more people (or, with unranked items, a larger expected share)
prefer i to j.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.types import Floats

# Margins smaller than this share of the largest possible one are rounding errors.
ROUNDING = 1e-12


def beats(margins: Floats) -> NDArray[np.bool_]:
    """Which items are preferred to which by more people than the other way round."""
    return np.asarray(margins > ROUNDING)


def copeland_scores(margins: Floats) -> Floats:
    """Pairwise wins, ties counting half; of one matrix of margins, or of each of several.

    >>> copeland_scores(np.array([[0.0, 0.2, 0.0], [-0.2, 0.0, 0.1], [0.0, -0.1, 0.0]]))
    array([1.5, 1. , 0.5])
    """
    wins = beats(margins)
    tied = ~(wins | np.swapaxes(wins, -1, -2))
    return np.asarray(wins.sum(axis=-1) + tied.sum(axis=-1) / 2 - 0.5)


def pairwise_winner(margins: Floats) -> int | None:
    """The item that beats every other one, if there is one: the Condorcet winner."""
    wins = beats(margins).sum(axis=1)
    return int(np.argmax(wins)) if len(wins) and wins.max() == len(wins) - 1 else None


def components(relation: NDArray[np.bool_], scores: Floats) -> list[NDArray[np.int64]]:
    """Sets of items that reach each other by ``relation``, in an order that agrees with it.

    Where the relation leaves the order open, sets with larger mean scores come first.
    """
    from scipy.sparse.csgraph import connected_components

    n_sets, label = connected_components(csr_array(relation), directed=True, connection="strong")
    members = [np.flatnonzero(label == own) for own in range(n_sets)]
    mean = np.array([scores[items].mean() for items in members])
    above = np.zeros((n_sets, n_sets), dtype=bool)
    rows, columns = np.nonzero(relation)
    above[label[rows], label[columns]] = True
    np.fill_diagonal(above, False)
    waiting = above.sum(axis=0)
    left = set(range(n_sets))
    order = []
    while left:
        ready = max((own for own in left if waiting[own] == 0), key=lambda own: (mean[own], -own))
        order.append(members[ready])
        left.remove(ready)
        waiting = waiting - above[ready]
    return order


def shortest_cycle(margins: Floats) -> list[int]:
    """A shortest cycle of items each of which beats the next, among items that no others beat.

    Empty if there is none.

    >>> shortest_cycle(np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]]))
    [0, 1, 2]
    """
    from scipy.sparse.csgraph import shortest_path

    wins = beats(margins)
    for items in components(wins, copeland_scores(margins)):
        if len(items) < 3:
            continue
        own = wins[np.ix_(items, items)]
        length, before = shortest_path(csr_array(own), unweighted=True, return_predecessors=True)
        around = np.where(own.T, length + 1, np.inf)
        first, last = np.unravel_index(int(np.argmin(around)), around.shape)
        cycle = [int(last)]
        while cycle[-1] != first:
            cycle.append(int(before[first, cycle[-1]]))
        cycle.reverse()
        turn = cycle.index(min(cycle))
        return [int(items[i]) for i in cycle[turn:] + cycle[:turn]]
    return []


def majority_sentence(margins: Floats, names: Sequence[Hashable]) -> str:
    """The pairwise winner, or why there is none, in words.

    >>> majority_sentence(np.array([[0.0, 0.5], [-0.5, 0.0]]), ["toro", "ika"])
    "'toro' beats every other item in a pairwise comparison."
    """
    if len(names) < 2:
        return "There is only one item, so there is nothing to compare."
    winner = pairwise_winner(margins)
    cycle = [repr(names[i]) for i in shortest_cycle(margins)]
    rounds = ", ".join(
        f"{one} beats {next_one}"
        for one, next_one in zip(cycle, cycle[1:] + cycle[:1], strict=True)
    )
    if winner is not None:
        lower = f" Majorities below it form a cycle: {rounds}." if cycle else ""
        return f"{names[winner]!r} beats every other item in a pairwise comparison.{lower}"
    wins = beats(margins)
    unbeaten = [repr(names[i]) for i in np.flatnonzero(~wins.any(axis=0)).tolist()]
    said = "No item beats every other item in a pairwise comparison"
    if len(unbeaten) == len(names):
        return f"{said}: all pairs are tied."
    if unbeaten:
        listed = ", ".join(unbeaten[:5]) + (", …" if len(unbeaten) > 5 else "")
        reason = f": {listed} {'is' if len(unbeaten) == 1 else 'are'} not beaten, but tied"
        said += reason
    return f"{said}. Majorities form a cycle: {rounds}." if cycle else f"{said}."
