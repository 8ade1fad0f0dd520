"""What people say about each pair of items: comparisons and majorities.

``margins[i, j]`` is positive where more people prefer i to j. If unranked items may be anywhere,
only those who list both are asked; two items that nobody compares are tied.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import betainc

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Indices, Longs
from rankcut.parameters import AT_ONCE, ROUNDING
from rankcut.sample import ListEntries, Sample, Vectors

# With more items than this, pairs are not examined one by one.
MOST_TABULATED = 1024


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Pairwise comparisons of items, added up over people."""

    net: Floats  #: people who prefer i minus those who prefer j, for i < j
    deciding: Floats  #: people who prefer either
    squared_deciding: Floats  #: Σ over people of the squares of what each adds to ``deciding``
    #: How many people a margin is a share of: those who prefer either if unranked items may be
    #: anywhere, or else everyone
    base: Floats
    mass: float  #: everyone, by weight
    squared_mass: float  #: Σ over people of the squares of what each adds to ``mass``
    n_items: int  #: number of items

    @property
    def means(self) -> Floats:
        """The margin of each pair i < j; 0 where nobody compares them."""
        return np.divide(self.net, self.base, out=np.zeros_like(self.net), where=self.base > 0)

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
        means, each = self.means, self._each
        return np.asarray(means + each * (signs - means * np.abs(signs)))

    @property
    def _each(self) -> Floats:
        """How much one person's word on a pair counts in its mean; 0 where nobody compares it."""
        return np.divide(self.mass, self.base, out=np.zeros_like(self.net), where=self.base > 0)

    @property
    def ratios(self) -> bool:
        """Whether margins are shares of those who compare both."""
        return bool((self.base != self.mass).any())

    def item_vectors(self, weights: Floats | None = None) -> Vectors:
        """Vectors whose mean is each item's mean margin over opponents, times their number.

        ``weights[i, j]`` say how much each opponent counts. On full rankings these are the vectors
        of the complete graph, or of the graph with these weights.
        """
        every = np.ones((self.n_items, self.n_items)) if weights is None else weights.copy()
        np.fill_diagonal(every, 0.0)
        total = every.sum(axis=1)
        every[self._both_ways(self.base) == 0] = 0.0
        totals = every.sum(axis=1)
        every *= np.divide(total, totals, out=np.zeros(self.n_items), where=totals > 0)[:, None]
        margins = self.margins()
        usual = (every * margins).sum(axis=1)
        every *= self._both_ways(self._each)
        winner, loser = every * (1 - margins), -every * (1 + margins)

        def vectors(groups: Indices) -> Floats:
            rows = np.tile(usual, (len(groups), 1))
            entries = ListEntries.of_groups(groups)
            for row, better, worse in listed_pairs(entries):
                rows[row, better] += winner[better, worse]
                rows[row, worse] += loser[worse, better]
            return rows

        return vectors

    def _both_ways(self, upper: Floats) -> Floats:
        """Numbers of pairs i < j as a symmetric matrix."""
        return np.abs(pair_matrix(upper, self.n_items))

    def counts(self) -> Floats:
        """How many people compare i and j."""
        return self._both_ways(self.deciding)

    def clear(self, confidence: float = 0.95) -> NDArray[np.bool_]:
        """Which majorities are more than chance: sign tests that hold for all pairs at once.

        People who count more than others are fewer, by Kish's effective number (Σ w)²/Σ w² of
        those who compare the two.
        """
        there = self.squared_deciding > 0
        deciding = np.divide(
            self.deciding**2, self.squared_deciding, out=np.zeros_like(self.deciding), where=there
        )
        more = np.divide(self.net, self.deciding, out=np.zeros_like(deciding), where=there)
        more = deciding * (1 + np.abs(more)) / 2
        p_values = np.where(
            more > 0, 2 * betainc(np.maximum(more, 1e-9), deciding - more + 1, 0.5), 1
        )
        beyond_chance = len(deciding) * p_values <= 1 - confidence
        return np.asarray(pair_matrix(beyond_chance.astype(np.float64), self.n_items) != 0)

    def listings(self) -> Floats:
        """How many people list each item, as far as pairs tell: its most frequent comparison."""
        return np.asarray(self.counts().max(axis=1, initial=0.0))

    def shares(self) -> Floats:
        """The share that prefers i, of those who compare i and j; NaN where nobody does."""
        counts = self.counts()
        wins = (pair_matrix(self.net, self.n_items) + counts) / 2
        nobody = np.full_like(counts, np.nan)
        return np.divide(wins, counts, out=nobody, where=counts > 0)


def comparisons(groups: Indices) -> Floats:
    """1, −1 or 0 for each pair i < j: i is better, j is, or the ranking does not compare them.

    By NumPy, so that the first answer about full rankings does not wait for a loop to be compiled.
    """
    n_items = groups.shape[1]
    unranked = groups == NOWHERE
    signs = np.empty((len(groups), n_items * (n_items - 1) // 2))
    stop = 0
    for i in range(n_items - 1):
        start, stop = stop, stop + n_items - 1 - i
        first, others = groups[:, i : i + 1], groups[:, i + 1 :]
        np.subtract(first < others, first > others, out=signs[:, start:stop], dtype=np.float64)
        if unranked.any():
            signs[:, start:stop][unranked[:, i : i + 1] | unranked[:, i + 1 :]] = 0.0
    return signs


def pair_matrix(upper: NDArray[np.float64], n_items: int) -> Floats:
    """An antisymmetric matrix from its entries i < j, or one for each row of entries.

    >>> pair_matrix(np.array([1.0]), 2)
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    matrix = np.zeros((*upper.shape[:-1], n_items, n_items))
    first, second = np.triu_indices(n_items, 1)
    matrix[..., first, second] = upper
    return matrix - np.swapaxes(matrix, -1, -2)


def compare_pairs(sample: Sample) -> Comparisons:
    """Add up what people say about each pair of items."""
    n_items = sample.n_items
    width = n_items * (n_items - 1) // 2
    net, deciding, squared_deciding = np.zeros((3, width))
    once = bool((np.diff(sample.membership.indptr) <= 1).all())
    short = sample.rankings.sparse is not None and (sample.unranked == "anywhere" or once)
    for counts, signs in _listed_signs(sample) if short else _signs(sample):
        net += counts @ signs[0]
        deciding += counts @ signs[1]
        squared_deciding += counts @ signs[1] ** 2
    if short and sample.unranked != "anywhere":
        before = _before_unlisted(sample, sample.ranking_weights)
        net += before[0] - before[1]
        deciding += before[0] + before[1]
        squared_deciding += sum(_before_unlisted(sample, sample.counts @ sample.membership**2))
    mass, squared_mass = sample.total, float(sample.counts @ sample.masses**2)
    base = deciding if sample.unranked == "anywhere" else np.full(width, mass)
    return Comparisons(net, deciding, squared_deciding, base, mass, squared_mass, n_items)


def _signs(sample: Sample) -> Iterator[tuple[Floats, tuple[Floats, Floats]]]:
    """How many people some units stand for; what each says of all pairs, and of which of them."""
    for block in sample.blocks(sample.n_items * (sample.n_items - 1) // 2):
        signs = comparisons(block.groups)
        sums = block.totals(signs), block.totals(np.abs(signs))
        yield block.counts.astype(np.float64), sums


def _before_unlisted(sample: Sample, weights: Floats) -> tuple[Floats, Floats]:
    """The weight of lists with i and without j, for i < j; and of those with j and without i."""
    lists = sample.rankings.stored
    listed = csr_array((np.ones(lists.nnz), lists.indices, lists.indptr), lists.shape)
    weighted = csr_array((np.repeat(weights, np.diff(lists.indptr)), lists.indices, lists.indptr))
    weighted.resize(lists.shape)
    totals = np.asarray(weighted.sum(axis=0))
    with_only_first = totals[:, None] - (weighted.T @ listed).toarray()
    # Items that always occur together differ by rounding at most.
    with_only_first[with_only_first < ROUNDING * totals[:, None]] = 0.0
    first, second = np.triu_indices(len(totals), 1)
    return with_only_first[first, second], with_only_first[second, first]


def _listed_signs(sample: Sample) -> Iterator[tuple[Floats, tuple[csr_array, csr_array]]]:
    """How many people some units stand for, and what each says of pairs of listed items."""
    n_items, n_units = sample.n_items, len(sample.counts)
    width = n_items * (n_items - 1) // 2
    lengths = np.diff(sample.rankings.stored.indptr)
    n_pairs = np.cumsum(sample.membership.astype(bool) @ (lengths * (lengths - 1) // 2))
    bounds = np.searchsorted(n_pairs, np.arange(AT_ONCE, n_pairs[-1] + AT_ONCE, AT_ONCE), "right")
    for start, stop in pairwise(np.unique([0, *np.minimum(bounds + 1, n_units), n_units]).tolist()):
        members = sample.membership[start:stop]
        used = np.unique(members.indices)
        entries = ListEntries.of(sample.rankings.rows(used))
        rows, columns, values = [], [], []
        for row, better, worse in listed_pairs(entries):
            low, high = np.minimum(better, worse), np.maximum(better, worse)
            rows.append(row)
            columns.append(pair_number(low, high, n_items))
            values.append(np.where(better < worse, 1.0, -1.0))
        places = (np.concatenate(rows), np.concatenate(columns))
        signs = csr_array((np.concatenate(values), places), shape=(len(used), width))
        members = members[:, used]
        yield sample.counts[start:stop].astype(np.float64), (members @ signs, members @ abs(signs))


def listed_pairs(entries: ListEntries) -> Iterator[tuple[Longs, Longs, Longs]]:
    """Rankings, and in each of them a better and a worse item; each such pair comes up once.

    In one step a ranking has an item at most once as the better, and once as the worse one.
    """
    row, item, group = entries.row, entries.item, entries.group
    for apart in range(1, int(entries.lengths.max(initial=0)) + 1):
        pairs = (row[apart:] == row[:-apart]) & (group[apart:] > group[:-apart])
        yield row[apart:][pairs], item[:-apart][pairs], item[apart:][pairs]


def pair_number(low: Longs, high: Longs, n_items: int) -> Longs:
    """The place of pairs i < j among all of them.

    >>> pair_number(np.array([0, 0, 1]), np.array([1, 2, 2]), 3)
    array([0, 1, 2])
    """
    return np.asarray(low * (2 * n_items - low - 1) // 2 + high - low - 1)


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
    members = [np.flatnonzero(label == number) for number in range(n_sets)]
    mean = np.array([scores[items].mean() for items in members])
    above = np.zeros((n_sets, n_sets), dtype=bool)
    rows, columns = np.nonzero(relation)
    above[label[rows], label[columns]] = True
    np.fill_diagonal(above, False)
    waiting = above.sum(axis=0)
    left = set(range(n_sets))
    order = []
    while left:
        ready = max(
            (number for number in left if waiting[number] == 0),
            key=lambda number: (mean[number], -number),
        )
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
        inner = wins[np.ix_(items, items)]
        length, before = shortest_path(csr_array(inner), unweighted=True, return_predecessors=True)
        around = np.where(inner.T, length + 1, np.inf)
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
    words = "No item beats every other item in a pairwise comparison"
    if winner is not None:
        words = f"{names[winner]!r} beats every other item in a pairwise comparison"
        others = len(names) - 1
        unsure = others - int(np.delete(sure[winner], winner).sum())
        if unsure:
            number = "all" if unsure == others else unsure
            words += f", though chance could explain {number} of its {others} majorities"
    if not cycle:
        return f"{words}."
    steps = list(zip(cycle, cycle[1:] + cycle[:1], strict=True))
    doubt = "" if all(sure[step] for step in steps) else ", which chance could explain"
    rounds = ", ".join(f"{names[one]!r} beats {names[other]!r}" for one, other in steps)
    return f"{words}. Some majorities form a cycle{doubt}: {rounds}."
