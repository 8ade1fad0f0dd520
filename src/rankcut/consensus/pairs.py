"""What people say about each pair of items: comparisons and majorities.

``margins[i, j]`` is positive where more people prefer i to j. If unranked items may be anywhere,
only those who list both are asked; two items that nobody compares are tied.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import betainc

from rankcut._loops.types import Floats, Indices
from rankcut.consensus.means import Units, Vectors, comparisons, pair_matrix
from rankcut.parameters import AT_ONCE, ROUNDING

# With more items than this, pairs are not examined one by one.
MOST_PAIRED = 1024


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Pairwise comparisons of items, added up over people."""

    net: Floats  #: people who prefer i minus those who prefer j, for i < j
    made: Floats  #: people who prefer either
    own_made: Floats  #: Σ over people of the squares of what each adds to ``made``
    #: How many people a margin is a share of: those who prefer either if unranked items may be
    #: anywhere, or else everyone
    asked: Floats
    mass: float  #: everyone, by weight
    own_mass: float  #: Σ over people of the squares of what each adds to ``mass``
    n_items: int  #: number of items

    @property
    def means(self) -> Floats:
        """The margin of each pair i < j; 0 where nobody compares them."""
        return np.divide(self.net, self.asked, out=np.zeros_like(self.net), where=self.asked > 0)

    def margins(self) -> Floats:
        """The margin of each pair, as an antisymmetric matrix."""
        return pair_matrix(self.means, self.n_items)

    def vectors(self, groups: Indices) -> Floats:
        """Vectors of rankings whose mean is :attr:`means`: what each says about each pair.

        Shares of those who compare both are ratios; these are linear in what a ranking adds.
        """
        signs = comparisons(groups)
        if not self.ratios:
            return signs
        means = self.means
        each = np.divide(self.mass, self.asked, out=np.zeros_like(means), where=self.asked > 0)
        return np.asarray(means + each * (signs - means * np.abs(signs)))

    @property
    def ratios(self) -> bool:
        """Whether margins are shares of those who compare both."""
        return bool((self.asked != self.mass).any())

    def item_vectors(self, weights: Floats | None = None) -> Vectors:
        """Vectors whose mean is each item's mean margin over opponents, times their number.

        ``weights[i, j]`` say how much each opponent counts. On full rankings these are the vectors
        of the complete graph, or of the graph with these weights.
        """
        one, other = np.triu_indices(self.n_items, 1)
        own = np.ones(len(one)) if weights is None else weights[one, other]
        met = np.where(self.asked > 0, own, 0.0)
        every = np.bincount(one, own, self.n_items) + np.bincount(other, own, self.n_items)
        some = np.bincount(one, met, self.n_items) + np.bincount(other, met, self.n_items)
        scale = np.divide(every, some, out=np.zeros(self.n_items), where=some > 0)
        entries = np.concatenate([scale[one] * own, -scale[other] * own])
        pair = np.arange(len(one))
        to_items = csr_array(
            (entries, (np.tile(pair, 2), np.concatenate([one, other]))),
            shape=(len(one), self.n_items),
        )

        def vectors(groups: Indices) -> Floats:
            rows = np.empty(groups.shape)
            step = max(1, AT_ONCE // max(1, len(one)))
            for start in range(0, len(groups), step):
                some = slice(start, start + step)
                rows[some] = self.vectors(groups[some]) @ to_items
            return rows

        return vectors

    def counts(self) -> Floats:
        """How many people compare i and j."""
        return np.abs(pair_matrix(self.made, self.n_items))

    def clear(self, confidence: float = 0.95) -> NDArray[np.bool_]:
        """Which majorities are more than chance: sign tests that hold for all pairs at once.

        People who count more than others are fewer, by Kish's effective number (Σ w)²/Σ w² of
        those who compare the two.
        """
        said = self.made > 0
        made = np.divide(self.made**2, self.own_made, out=np.zeros_like(self.made), where=said)
        more = np.divide(self.net, self.made, out=np.zeros_like(made), where=said)
        more = made * (1 + np.abs(more)) / 2
        p_values = np.where(more > 0, 2 * betainc(np.maximum(more, 1e-9), made - more + 1, 0.5), 1)
        found = len(made) * p_values <= 1 - confidence
        return np.asarray(pair_matrix(found.astype(np.float64), self.n_items) != 0)

    def listings(self) -> Floats:
        """How many people list each item, as far as pairs tell: its most frequent comparison."""
        return np.asarray(self.counts().max(axis=1, initial=0.0))

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
    net, made, own_made = np.zeros((3, width))
    own_mass, mass = 0.0, 0.0
    for block in units.blocks(width):
        counts = block.counts.astype(np.float64)
        masses = block.masses()
        mass += float(counts @ masses)
        own_mass += float(counts @ masses**2)
        signs = comparisons(block.groups)
        net += counts @ block.totals(signs)
        compared = block.totals(np.abs(signs))
        made += counts @ compared
        own_made += counts @ compared**2
    asked = made if units.unranked == "anywhere" else np.full(width, mass)
    return Comparisons(net, made, own_made, asked, mass, own_mass, n_items)


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
    return int(np.argmax(wins)) if len(wins) > 1 and wins.max() == len(wins) - 1 else None


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


def majority_sentence(
    margins: Floats, names: Sequence[Hashable], clear: NDArray[np.bool_] | None = None
) -> str:
    """The pairwise winner, or why there is none, in words; ``clear`` are those beyond chance.

    >>> majority_sentence(np.array([[0.0, 0.5], [-0.5, 0.0]]), ["toro", "ika"])
    "'toro' beats every other item in a pairwise comparison."
    """
    if len(names) < 2:
        return "There is only one item, so there is nothing to compare."
    sure = np.ones(margins.shape, dtype=bool) if clear is None else clear
    winner, cycle = pairwise_winner(margins), shortest_cycle(margins)
    said = "No item beats every other item in a pairwise comparison"
    if winner is not None:
        said = f"{names[winner]!r} beats every other item in a pairwise comparison"
        others = len(names) - 1
        unsure = others - int(np.delete(sure[winner], winner).sum())
        if unsure:
            number = "all" if unsure == others else unsure
            said += f", though chance could explain {number} of its {others} majorities"
    if not cycle:
        return f"{said}."
    steps = list(zip(cycle, cycle[1:] + cycle[:1], strict=True))
    doubt = "" if all(sure[step] for step in steps) else ", which chance could explain"
    rounds = ", ".join(f"{names[one]!r} beats {names[other]!r}" for one, other in steps)
    return f"{said}. Some majorities form a cycle{doubt}: {rounds}."
