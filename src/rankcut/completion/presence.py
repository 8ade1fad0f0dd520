"""Who lists what: the chance that an item would be on a person's list at all.

Let x be the indicator of what a person lists, and V the first right singular vectors of everyone's
indicators; x·V·Vᵀ says which items belong on such a list. When people choose what to list, their
choice says more about what else they would list than their order does. A recommended item should
be both listed and liked: its worth is its presence plus a weight times its utility, each in
standard units of the person's unlisted items. The number of vectors and the weight are those that
recover most of the items hidden from held-out people; unless they clearly recover more than
utilities do, presence does not count.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from rankcut._loops.types import Floats
from rankcut.completion.factors import FactorPopulation
from rankcut.completion.lists import Lists, rescored, with_unlisted
from rankcut.completion.population import Population
from rankcut.completion.prediction import HIDDEN

# Numbers of directions, and weights of utilities, to choose from.
_RANKS = (4, 8, 16, 32, 64)
_WEIGHTS = (0.0, 0.1, 0.2, 0.4, 0.8, 1.6)

# Recommended items among which hidden ones are looked for.
_MOST_BEST = 10


@dataclass(frozen=True, eq=False)
class Presence:
    """Directions of who lists what, and the weight of utilities: ∞ means only utilities."""

    directions: Floats  #: n × r
    weight: float

    def worth(self, lists: Lists, utilities: Floats) -> Floats:
        """How much each item is recommended to each person; larger = more.

        A person without a list is recommended what the population likes.
        """
        if np.isinf(self.weight):
            return utilities
        present = matrix(lists)
        listed = present.toarray() > 0
        shown = _standard((present @ self.directions) @ self.directions.T, listed)
        liked = _standard(utilities, listed)
        return np.where(listed.any(axis=1, keepdims=True), shown + self.weight * liked, liked)


def learn_presence(
    lists: Lists,
    judges: Lists,
    others: Lists,
    model: Population | FactorPopulation,
    rng: np.random.Generator,
) -> Presence:
    """The presence that finds hidden items best.

    Parameters
    ----------
    lists, judges, others : Lists
        Listed items of all people, of those held out, and of the rest.
    model : Population or FactorPopulation
        The population as learned from the rest.
    rng : Generator
        Draws what is hidden.
    """
    nothing = Presence(np.zeros((lists.n_items, 0)), np.inf)
    judges = judges.some(np.flatnonzero(judges.lengths > 2))
    ranks = [rank for rank in _RANKS if rank < min(lists.n_items, len(others))]
    hidden = rng.random(len(judges.items)) < HIDDEN
    better = hidden & (judges.scores >= _medians(judges)[judges.owners])
    wanted = np.zeros((len(judges), lists.n_items), dtype=bool)
    wanted[judges.owners[better], judges.items[better]] = True
    if wanted.any(axis=1).sum() < 2 or not ranks:
        return nothing
    shown = rescored(judges.kept(~hidden), last=True)
    utilities = model.utilities(with_unlisted(shown, 0), keep=True)
    directions = principal_directions(others, ranks[-1])
    usual = _recall(utilities, shown, wanted)
    best, chosen = usual, nothing
    for rank in ranks:
        for weight in _WEIGHTS:
            tried = Presence(directions[:, :rank], weight)
            found = _recall(tried.worth(shown, utilities), shown, wanted)
            if found.mean() > best.mean():
                best, chosen = found, tried
    gain = best - usual
    if chosen is nothing or gain.mean() < 2.0 * gain.std(ddof=1) / np.sqrt(len(gain)):
        return nothing
    return Presence(principal_directions(lists, chosen.directions.shape[1]), chosen.weight)


def matrix(lists: Lists) -> csr_array:
    """Who lists what, as 0 and 1."""
    known = lists.listed()
    ones = np.ones(len(known.items))
    return csr_array((ones, known.items, known.starts), shape=(len(known), known.n_items))


def principal_directions(lists: Lists, rank: int) -> Floats:
    """The first right singular vectors of who lists what, each list as often as it counts."""
    present = matrix(lists)
    present.data = np.repeat(np.sqrt(lists.counts), np.diff(present.indptr))
    directions = randomized_svd(present, rank, n_iter=8, random_state=0)[2]
    return np.ascontiguousarray(directions.T)


def _standard(values: Floats, listed: NDArray[np.bool_]) -> Floats:
    """Values minus their mean over unlisted items, divided by their deviation there."""
    free = (~listed).astype(np.float64)
    counts = np.maximum(free.sum(axis=1, keepdims=True), 1.0)
    centred = values - (values * free).sum(axis=1, keepdims=True) / counts
    spread = np.sqrt((centred**2 * free).sum(axis=1, keepdims=True) / counts)
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))


def _medians(lists: Lists) -> Floats:
    return np.array([np.median(lists.scores[lists.entries(each)]) for each in range(len(lists))])


def _recall(worth: Floats, lists: Lists, wanted: NDArray[np.bool_]) -> Floats:
    """The share of each person's wanted items among the best unlisted ones, if any are wanted."""
    n_best = max(1, min(_MOST_BEST, worth.shape[1] // 10))
    unlisted = np.where(matrix(lists).toarray() > 0, -np.inf, worth)
    best = np.argsort(-unlisted, axis=1, kind="stable")[:, :n_best]
    hits = np.take_along_axis(wanted, best, axis=1).sum(axis=1)
    most = np.minimum(wanted.sum(axis=1), n_best)
    return np.asarray(hits[most > 0] / most[most > 0])
