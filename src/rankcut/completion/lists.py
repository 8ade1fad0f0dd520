"""Lists of scores: the normal scores of the places in each ranking.

The item at place r of k, the mean place where items tie, has the score Φ⁻¹((k − r + ½)/k). Only
differences within a list mean anything: nobody knows how good the whole list is.

If people list what they like, not listing an item says something too. Let a person list the items
with v > t, v the standard normal readiness to list an item, whose correlation with its utility is
ρ; ρ = 1 is a top-k list. Of k of n items t = Φ⁻¹(1 − k/n), and with h = E[v | v > t] and
g = E[v | v < t]

    listed:    E[u] = ρh, Var[u] = 1 − ρ²h(h − t)      unlisted:  E[u] = ρg, Var[u] = 1 − ρ²g(g − t)

So the scores of a list are scaled and moved. An unlisted item has a score, and a variance, its
*blur*, which turn N(0, 1) into that distribution.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import ndtr, ndtri

from rankcut._loops.types import Floats, Indices, Longs, ScoredLists
from rankcut.graphs.learned import list_positions, listed_ranks
from rankcut.parameters import EQUAL_WITHIN
from rankcut.rankings import Rankings
from rankcut.threads import PARTS, in_order

# The cost of a covariance grows with the cube of the length of lists, so it is for lists up to this
# length; the same number of unlisted items stands for all of a large catalogue.
LONGEST_LIST = 40


@dataclass(frozen=True, eq=False)
class Lists:
    """What people list, one person after another, with a score for each item."""

    starts: Longs  #: (n_people + 1,): where the entries of each person begin
    items: Indices  #: (n_entries,): the items of each list in ascending order
    scores: Floats  #: (n_entries,): their scores
    blurs: Floats  #: (n_entries,): how vague each score is
    counts: Floats  #: (n_people,): how many people each list stands for
    n_items: int  #: total number of items

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Longs:
        """Number of items of each list."""
        return np.diff(self.starts)

    @property
    def owners(self) -> Longs:
        """The person of each entry."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def arrays(self) -> ScoredLists:
        """What loops read."""
        return ScoredLists(self.starts, self.items, self.scores, self.blurs)

    def entries(self, person: int) -> slice:
        """Where one person's items and scores are."""
        return slice(int(self.starts[person]), int(self.starts[person + 1]))

    def span(self, start: int, stop: int) -> Self:
        """The lists from one person to another, sharing memory."""
        entries = slice(self.starts[start], self.starts[stop])
        return self._with(entries, self.lengths[start:stop], self.counts[start:stop])

    def some(self, people: NDArray[Any], counts: Floats | None = None) -> Self:
        """The lists of some people, with their counts or others."""
        lengths = self.lengths[people]
        shifts = self.starts[people] - np.cumsum(lengths) + lengths
        entries = np.repeat(shifts, lengths) + np.arange(lengths.sum())
        return self._with(entries, lengths, self.counts[people] if counts is None else counts)

    def kept(self, keep: NDArray[np.bool_]) -> Self:
        """All people with some of their entries; scores stay as they are."""
        lengths = np.bincount(self.owners[keep], minlength=len(self))
        return self._with(keep, lengths, self.counts)

    def listed(self) -> Self:
        """Without the entries of items that are only known to be worse."""
        return self.kept(self.blurs == 0)

    def _with(self, entries: Any, lengths: Longs, counts: Floats) -> Self:
        return type(self)(
            _starts(lengths),
            self.items[entries],
            self.scores[entries],
            self.blurs[entries],
            counts,
            self.n_items,
        )

    def shortened(self, most: int, rng: np.random.Generator) -> Self:
        """At most ``most`` entries of each person, drawn at random from longer lists."""
        if not len(self.items) or self.lengths.max() <= most:
            return self
        owners = self.owners
        shuffled = np.lexsort((rng.random(len(owners)), owners))
        keep = np.zeros(len(owners), dtype=bool)
        keep[shuffled[np.arange(len(owners)) - self.starts[owners] < most]] = True
        return self.kept(keep)

    def distinct(self) -> Self:
        """Each different list once, with the sum of its counts; lists of the same items together.

        The order depends only on the lists. So what is learned does not depend on the order of
        the people, nor on whether equal lists are counted or repeated.
        """
        people = np.flatnonzero((self.counts > 0) & (self.lengths > 1))
        digests = np.empty((len(people), 2), dtype=np.uint64)
        for row, person in enumerate(people.tolist()):
            place = self.entries(person)
            shape = self.items[place].tobytes() + self.blurs[place].tobytes()
            digests[row] = _digest(shape), _digest(self.scores[place].tobytes())
        _, first, same = np.unique(digests, axis=0, return_index=True, return_inverse=True)
        counts = np.bincount(same.ravel(), self.counts[people], minlength=len(first))
        return self.some(people[first], counts.astype(np.float64))


def sum_over(
    lists: Lists, work: Callable[[Lists], tuple[Any, ...]], n_jobs: int | None
) -> list[Any]:
    """The sums of what ``work`` finds in parts of the lists, the same for any number of threads."""
    bounds = np.linspace(0, len(lists), PARTS + 1).astype(int).tolist()
    results = in_order(lambda ends: work(lists.span(*ends)), list(pairwise(bounds)), n_jobs)
    totals = list(next(results))
    for part in results:
        for place, addend in enumerate(part):
            totals[place] += addend
    return totals


def _starts(lengths: Longs) -> Longs:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _digest(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")


def read_lists(rankings: Rankings, listing: float = 0.0) -> Lists:
    """The lists of all rankings; ``listing`` is ρ, and 0 says nothing about unlisted items."""
    listed = listed_ranks(rankings).sorted_indices()
    lists = Lists(
        listed.indptr.astype(np.int64),
        listed.indices.astype(np.uint32),
        _normal_scores(listed),
        np.zeros(listed.nnz),
        rankings.counts,
        listed.shape[1],
    )
    return with_unlisted(lists, listing) if listing > 0 else lists


def most_listed_first(rankings: Rankings) -> Longs:
    """The columns by how many people list them, then by how far ahead.

    What is drawn at random in this order depends on no order of the columns.
    """
    lists = read_lists(rankings)
    weights = lists.counts[lists.owners] / max(float(lists.counts.sum()), 1.0)
    n_items = lists.n_items
    listed = np.bincount(lists.items, weights, n_items)
    ahead = np.bincount(lists.items, weights * lists.scores, n_items)
    names = (
        np.arange(n_items) if rankings.items is None else np.array(list(map(str, rankings.items)))
    )
    # Sums in another order differ by rounding.
    digits = -int(np.log10(EQUAL_WITHIN))
    return np.lexsort((names, -np.round(ahead, digits), -np.round(listed, digits)))


def _normal_scores(listed: csr_array) -> Floats:
    """Φ⁻¹((k − r + ½)/k) of each entry, r its mean place in its list of k."""
    sizes = np.diff(listed.indptr)
    halves = np.repeat((sizes - 1) / (2.0 * np.maximum(sizes, 1)), sizes)
    return np.asarray(ndtri(0.5 + halves * list_positions(listed)))


def rescored(lists: Lists) -> Lists:
    """Listed items scored by their places among those that are left."""
    listed = csr_array((-lists.scores, lists.items, lists.starts), (len(lists), lists.n_items))
    return replace(lists, scores=_normal_scores(listed))


def with_unlisted(lists: Lists, listing: float) -> Lists:
    """Listed items with unlisted ones beside them, all or a random sample of them."""
    items, scores, blurs = [lists.items[:0]], [lists.scores[:0]], [lists.blurs[:0]]
    for person, k in enumerate(lists.lengths.tolist()):
        place = lists.entries(person)
        listed, listed_scores = lists.items[place], lists.scores[place]
        others = _unlisted(listed, lists.n_items) if k else listed
        level = blur = 0.0
        if len(others):
            end = float(ndtri(1.0 - k / lists.n_items))
            above, below = _tails(end)
            listed_scores = listing * above + listed_scores * np.sqrt(
                1.0 - listing**2 * above * (above - end)
            )
            explained = listing**2 * below * (below - end)
            level, blur = listing * below / explained, (1.0 - explained) / explained
        merged = np.concatenate([listed, others])
        order = np.argsort(merged, kind="stable")
        items.append(merged[order])
        scores.append(np.append(listed_scores, np.full(len(others), level))[order])
        blurs.append(np.append(np.zeros(k), np.full(len(others), blur))[order])
    return Lists(
        _starts(np.array([len(each) for each in items[1:]])),
        np.concatenate(items),
        np.concatenate(scores),
        np.concatenate(blurs),
        lists.counts,
        lists.n_items,
    )


def _tails(end: float) -> tuple[float, float]:
    """The means of a standard normal number above and below an end.

    >>> [round(value, 3) for value in _tails(0.0)]
    [0.798, -0.798]
    """
    density = float(np.exp(-0.5 * end * end) / np.sqrt(2.0 * np.pi))
    return density / float(ndtr(-end)), -density / float(ndtr(end))


def _unlisted(listed: Indices, n_items: int) -> Indices:
    """The unlisted items; if there are many, a sample that depends only on the list."""
    free = np.ones(n_items, dtype=bool)
    free[listed] = False
    others = np.flatnonzero(free).astype(np.uint32)
    if n_items <= LONGEST_LIST:
        return others
    rng = np.random.default_rng(_digest(listed.tobytes()))
    size = min(len(others), max(LONGEST_LIST, len(listed)))
    return np.asarray(np.sort(rng.choice(others, size, replace=False)), dtype=np.uint32)
