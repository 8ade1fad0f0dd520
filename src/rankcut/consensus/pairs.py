"""What people say about each pair of items: comparisons, majorities and how much they agree.

``margins[i, j]`` is positive where more people (or, with unranked items, a larger expected share)
prefer i to j.

Kendall's W and the mean τ of two people are numbers for any kind of ranking. W is the share of the
variation of the vectors of the complete graph that people have in common, ‖mean φ‖² / mean ‖φ‖². On
full rankings it is Kendall's coefficient of concordance, with ties the one corrected for ties. The
mean τ looks at each time that two people compare the same two items: the share in which they agree
minus the share in which they disagree. On full rankings it is the mean of Kendall's τ over all
pairs of people. Intervals are by the delta method, from what each person contributes (the
jackknife's numbers).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.sparse import csr_array

from rankcut._loops.types import Floats
from rankcut.consensus.means import (
    borda_vectors,
    comparisons,
    mean_of,
    pair_matrix,
    sign_vectors,
)
from rankcut.consensus.units import Units

# Margins smaller than this share of the largest possible one are rounding errors.
ROUNDING = 1e-12

# Standard errors below this are rounding errors.
_NO_SPREAD = 1e-9


@dataclass(frozen=True)
class Agreement:
    """How much people agree, with intervals; None where nothing is compared.

    Attributes
    ----------
    kendall_w : float or None
        Kendall's W: 0 = no agreement, 1 = everyone agrees.
    kendall_w_interval : (float, float) or None
        Its confidence interval.
    mean_tau : float or None
        Mean τ of two people: −1 to 1.
    mean_tau_interval : (float, float) or None
        Its confidence interval.
    """

    kendall_w: float | None
    kendall_w_interval: tuple[float, float] | None
    mean_tau: float | None
    mean_tau_interval: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Pairwise comparisons of items, added up over people.

    Attributes
    ----------
    net : ndarray of shape (n_pairs,)
        People who prefer i minus those who prefer j, for i < j.
    made : ndarray of shape (n_pairs,)
        People who prefer either.
    expected : ndarray of shape (n_pairs,)
        The mean expected sign: with unranked items, comparisons that a completion would make too.
    own_net, own_made : float
        Σ over people of the squares of what each adds to ``net`` and ``made``.
    n_items : int
        Number of items.
    """

    net: Floats
    made: Floats
    expected: Floats
    own_net: float
    own_made: float
    n_items: int

    def margins(self) -> Floats:
        """The mean expected sign of each pair, as an antisymmetric matrix."""
        return pair_matrix(self.expected, self.n_items)

    def counts(self) -> Floats:
        """How many people compare i and j."""
        return np.abs(pair_matrix(self.made, self.n_items))

    def shares(self) -> Floats:
        """The share that prefers i, of those who compare i and j; NaN where nobody does."""
        counts = self.counts()
        wins = (pair_matrix(self.net, self.n_items) + counts) / 2
        nobody = np.full_like(counts, np.nan)
        return np.divide(wins, counts, out=nobody, where=counts > 0)


def compare_pairs(units: Units) -> Comparisons:
    """Add up what people say about each pair of items."""
    n_items = units.n_items
    width = n_items * (n_items - 1) // 2
    net, made, expected = np.zeros(width), np.zeros(width), np.zeros(width)
    own_net, own_made, mass = 0.0, 0.0, 0.0
    for block in units.blocks(width):
        counts = block.counts.astype(np.float64)
        mass += float(counts @ block.masses())
        if units.unranked == "anywhere":
            expected += counts @ block.totals(sign_vectors(block.groups))
        signs = comparisons(block.groups)
        totals = block.totals(signs)
        compared = block.totals(np.abs(signs))
        net += counts @ totals
        made += counts @ compared
        own_net += float(counts @ np.einsum("ij,ij->i", totals, totals))
        own_made += float(counts @ np.einsum("ij,ij->i", compared, compared))
    if units.unranked != "anywhere":
        expected = net.copy()
    return Comparisons(net, made, expected / mass, own_net, own_made, n_items)


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


def agree(units: Units, pairs: Comparisons | None, confidence: float) -> Agreement:
    """Kendall's W and, if pairs were compared, the mean τ of two people."""
    w, w_error = _concordance(units)
    tau, tau_error = (None, 0.0) if pairs is None else _mean_tau(units, pairs)
    quantile = float("inf")
    if units.n_people > 1:
        quantile = float(special.stdtrit(units.n_people - 1, (1 + confidence) / 2))
    # If everyone contributes the same, the sample shows no spread. Then allow for people who say
    # anything else, as large a share as the sample is just likely enough to have missed.
    missed = 1 - (1 - confidence) ** (1 / units.n_people) if units.n_people > 1 else 1.0

    def interval(value: float | None, error: float, least: float) -> tuple[float, float] | None:
        if value is None:
            return None
        margin = quantile * error if error > _NO_SPREAD else missed * (1 - least)
        if not np.isfinite(margin):
            return least, 1.0
        return max(least, value - margin), min(1.0, value + margin)

    return Agreement(w, interval(w, w_error, 0.0), tau, interval(tau, tau_error, -1.0))


def _concordance(units: Units) -> tuple[float | None, float]:
    """Kendall's W and its standard error."""
    mean = mean_of(units, _with_length, units.n_items + 1).vector
    vector, length = mean[:-1], float(mean[-1])
    if length <= 0:
        return None, 0.0
    w = float(vector @ vector) / length
    mass, squares = 0.0, 0.0
    for block in units.blocks(units.n_items):
        masses = block.masses()
        totals = block.totals(_with_length(block.groups)) - masses[:, None] * mean
        influence = (2 * totals[:, :-1] @ vector - w * totals[:, -1]) / length
        mass += float(block.counts @ masses)
        squares += float(block.counts @ influence**2)
    return w, float(np.sqrt(squares)) / mass


def _with_length(groups: object) -> Floats:
    """Vectors, with their squared length as one more coordinate."""
    vectors = borda_vectors(groups)  # type: ignore[arg-type]
    return np.column_stack([vectors, np.einsum("ij,ij->i", vectors, vectors)])


def _mean_tau(units: Units, pairs: Comparisons) -> tuple[float | None, float]:
    """The mean τ of two people and its standard error."""
    times = float(pairs.made @ pairs.made) - pairs.own_made
    if times <= 1e-9 * float(pairs.made @ pairs.made):
        return None, 0.0
    tau = (float(pairs.net @ pairs.net) - pairs.own_net) / times
    squares = 0.0
    for block in units.blocks(len(pairs.net)):
        signs = comparisons(block.groups)
        totals = block.totals(signs)
        compared = block.totals(np.abs(signs))
        agreed = totals @ pairs.net - np.einsum("ij,ij->i", totals, totals)
        met = compared @ pairs.made - np.einsum("ij,ij->i", compared, compared)
        squares += float(block.counts @ (2 * (agreed - tau * met) / times) ** 2)
    return tau, float(np.sqrt(squares))
