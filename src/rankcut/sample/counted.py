"""People with their rankings and weights, each different person once, as so much evidence.

Survey weights say how much of the population a person stands for, not how much evidence there is.
So evidence is counted in people of equal weight who would say as much, (Σw)²/Σw² (Kish 1965). Where
structures are compared, nobody counts more than one of these (trimming, Potter 1990): otherwise a
few people of large weight would make a camp of their own.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from rankcut._loops.types import Floats, Longs
from rankcut.rankings import Rankings


@dataclass(frozen=True, eq=False)
class CountedPeople:
    """People with their rankings.

    >>> from rankcut.rankings import read_rankings
    >>> ranks = [[1, 2, 3], [1, 2, 3], [3, 1, 2], [3, 1, 2], [2, 1, 3]]
    >>> people = CountedPeople.of(read_rankings(ranks, sample_weight=[1, 1, 1, 1, 4]))
    >>> people.n_people, people.n_effective
    (5, 3.2)
    >>> people.by_evidence.counts.round(2).tolist(), people.trimmed.counts.round(2).tolist()
    ([0.8, 1.6, 0.8], [0.8, 1.0, 0.8])
    """

    ordered: Rankings  #: of each person one after the other, in the order of the rows

    @classmethod
    def of(cls, rankings: Rankings) -> Self:
        """The people behind rankings: whose they are, if that is known, or else one for each."""
        whose = rankings.people
        return cls(rankings if whose is None else by_person(rankings, whose)[0])

    @cached_property
    def weights(self) -> Floats:
        """The weight of each row's person, or how many people say it."""
        counts, whose = self.ordered.counts, self.ordered.people
        return counts if whose is None else np.bincount(whose, counts).astype(np.float64)

    @property
    def n_people(self) -> int:
        """Number of people."""
        return int(self.weights.sum() if self._counted else (self.weights > 0).sum())

    @property
    def n_effective(self) -> float:
        """How many people of equal weight would say as much."""
        if self._counted:
            return float(self.weights.sum())
        shares = self.weights / self.weights.max()
        return float(shares.sum()) ** 2 / float(shares @ shares)

    @cached_property
    def merged(self) -> Rankings:
        """Each different person once, in the order of what they say."""
        return merge_alike(self.ordered)

    @property
    def by_evidence(self) -> Rankings:
        """Each different person once; weights add up to the effective number of people."""
        return self.merged.with_weights(self.merged.counts / self._one)

    @property
    def trimmed(self) -> Rankings:
        """Each different person once, after weights were cut at 1."""
        cut = np.maximum(self.weights / self._one, 1.0)
        if self._counted or (cut == 1.0).all():
            return self.by_evidence
        cut = cut if self.ordered.people is None else cut[self.ordered.people]
        return merge_alike(self.ordered.with_weights(self.ordered.counts / self._one / cut))

    @property
    def _counted(self) -> bool:
        return self.ordered.counted and self.ordered.people is None

    @property
    def _one(self) -> float:
        """The weight that is as much evidence as one person."""
        return float(self.weights.sum()) / self.n_effective


def by_person(rankings: Rankings, whose: Longs) -> tuple[Rankings, Longs, Longs]:
    """The rankings that count, person by person; their rows, and whose they are.

    One that counts several times comes as often. The weights of a person's rankings add up to 1,
    or to the mean of their survey weights.
    """
    rows = np.flatnonzero(rankings.counts > 0)
    if rankings.counted:
        rows = np.repeat(rows, rankings.counts[rows].astype(np.int64))
    rows = rows[np.argsort(whose[rows], kind="stable")]
    _, person, sizes = np.unique(whose[rows], return_inverse=True, return_counts=True)
    each = np.ones(len(rows)) if rankings.counted else rankings.counts[rows]
    weights = np.bincount(person, each) / sizes**2
    ordered = rankings.rows(rows).with_weights(weights[person]).with_people(person)
    return ordered, rows, person


def merge_alike(ordered: Rankings) -> Rankings:
    """People who say the same become one with their weights, in the order of what they say."""
    person = ordered.people
    if person is None:
        return ordered.merged(as_listed=True).rankings
    which = ordered.merged(as_listed=True).which
    order = np.lexsort((which, person))
    alike: dict[tuple[int, ...], list[Longs]] = {}
    for rows in np.split(order, np.flatnonzero(np.diff(person)) + 1):
        alike.setdefault(tuple(which[rows].tolist()), []).append(rows)
    same = [alike[sequence] for sequence in sorted(alike)]
    sizes = [len(rows) for rows, *_ in same]
    weights = [math.fsum(ordered.counts[rows[0]] for rows in each) for each in same]
    return (
        ordered.rows(np.concatenate([rows for rows, *_ in same]))
        .with_weights(np.repeat(weights, sizes))
        .with_people(np.repeat(np.arange(len(same)), sizes))
    )
