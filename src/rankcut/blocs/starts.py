"""Where fits of mixtures start: strengths of groups of people, and the directions they differ in.

Starts follow from the contents of rankings, without random numbers. Columns are sorted by the
places of their items, so that the names of items do not matter either.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankcut._loops.partitions import centred_positions, close_rows
from rankcut._loops.types import Flags, Floats, Longs
from rankcut.directions import leading_directions
from rankcut.parameters import KEPT
from rankcut.rankings import Rankings
from rankcut.rankings.partitions import block_rows

#: Structures are compared by this many people, or by this many for each item; of more, a sample of
#: this size is taken.
MOST_PEOPLE, _EACH = 2_000, 2


def sort_columns(rankings: Rankings) -> Longs:
    """The columns by the moments of their items' places; ties stay in their order."""
    n_rows, n_items = rankings.shape
    sums = np.zeros((4, n_items))
    step = block_rows(n_items)
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        places = positions(rankings, rows.start, rows.stop) / n_items
        sums += [rankings.counts[rows] @ places**power for power in (1, 2, 3, 4)]
    return np.lexsort(np.round(sums / sums[1].max(initial=1.0), 9)[::-1])


def positions(rankings: Rankings, start: int = 0, stop: int | None = None) -> Floats:
    """Centred positions of some rankings; 0 where the place of an item is not known."""
    groups = np.ascontiguousarray(rankings.groups(start, stop, close=False))
    if rankings.unranked == "last":
        close_rows(groups)
    places = np.empty(groups.shape)
    centred_positions(groups, places)
    return places


def some_people(rankings: Rankings) -> Rankings:
    """The people whose structure is sought: all, or some at equal distances in the sorted rows."""
    n_rows, n_items = rankings.shape
    number = max(MOST_PEOPLE, min(_EACH * n_items, KEPT // n_items))
    whose = np.arange(n_rows) if rankings.people is None else rankings.people
    ends = np.cumsum(np.bincount(whose, rankings.counts))
    if ends[-1] <= number:
        return rankings
    places = (np.arange(number) + 0.5) * (ends[-1] / number)
    counts = np.bincount(np.searchsorted(ends, places, side="right"), minlength=len(ends))
    rows = np.flatnonzero(counts[whose] > 0)
    return rankings.rows(rows).with_weights((counts / np.bincount(whose))[whose[rows]])


@dataclass(frozen=True, eq=False)
class Starts:
    """Strengths that fits start from, for some different rankings with their counts."""

    rankings: Rankings

    @cached_property
    def places(self) -> Floats:
        """The centred places of items in each ranking."""
        return positions(self.rankings)

    @cached_property
    def placed(self) -> Flags:
        """Whether a ranking says anything of an item."""
        return np.asarray(self.places.round(9) != 0)

    def strengths(self, members: Floats) -> Floats:
        """Strengths of some groups of people, roughly: the log-odds of a won pair."""
        mass = members * self.rankings.counts
        # One person more, without a preference, keeps them finite.
        people = mass @ self.placed + 1.0
        return np.asarray(2 * np.arctanh(mass @ self.places / (self.rankings.shape[1] * people)))

    def crowd(self) -> Floats:
        """The strengths of all."""
        return self.strengths(np.ones((1, len(self.places))))

    def split(self, labels: Longs, k: int) -> list[Floats]:
        """Strengths of k groups of people, from fewer ones: each of these is cut in two."""
        starts = []
        for group in range(k - 1):
            members = labels == group
            if members.sum() > 1:
                beyond = members & (self.directions(members, 1)[:, 0] > 0)
                starts.append(self.strengths(np.eye(k)[np.where(beyond, k - 1, labels)].T))
        return starts

    def directions(self, some: Flags, number: int) -> Floats:
        """Where rankings lie along the main directions of some of them, the mean at 0."""
        mass = self.rankings.counts * some
        centred = self.places - mass @ self.places / mass.sum()
        scaled = centred * np.sqrt(mass)[:, None]
        _, directions = leading_directions(scaled, number, seed=0)
        return np.asarray(centred @ directions.T)

    def slopes(self) -> Floats:
        """How strengths change along two main directions, for each standard deviation."""
        along = self.directions(np.ones(len(self.places), dtype=bool), 2)
        # Halves of a normal distribution have their means this far from its middle.
        away = np.sqrt(2 / np.pi)
        halves = [self.strengths(np.array([side > 0, side <= 0])) for side in along.T]
        return np.asarray([(one - other) / (2 * away) for one, other in halves])


def main_directions(strengths: Floats, shares: Floats) -> Floats:
    """How the strengths of components differ: main directions, as long as standard deviations."""
    away = np.sqrt(shares)[:, None] * (strengths - shares @ strengths)
    _, lengths, directions = np.linalg.svd(away, full_matrices=False)
    return np.asarray(lengths[:, None] * directions)
