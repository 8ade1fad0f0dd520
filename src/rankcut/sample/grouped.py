"""Rankings in groups: people, weights and strata of each, and what is left out."""

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Flags, Floats, Longs
from rankcut.errors import InputError, Setting, amount
from rankcut.parameters import MOST_HELD, check_counts
from rankcut.rankings import Rankings, Unranked, read_rankings
from rankcut.rankings.ranking_set import RankingSet
from rankcut.sample.labels import name_groups, read_complete, read_groups, varies_within
from rankcut.sample.sample import Sample

# More groups are probably numbers that should have been cut.
MOST_GROUPS = np.iinfo(np.uint8).max

# Of fewer people in a group, exchanges with people of another spread say nothing: of four people
# all are on one side of the others by chance in one of eight samples.
FEWEST_EXCHANGED = 5


@dataclass(frozen=True, eq=False)
class GroupedRankings:
    """Rankings with their people and weights, and the group and stratum of each."""

    rankings: Rankings
    group: Longs  #: codes of ``names``
    stratum: Longs  #: from 0
    names: tuple[Hashable, ...]  #: of the groups
    crossed: bool = False  #: whether people are in several groups
    stratified: bool = False  #: whether strata were asked for

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.names)

    @property
    def weights(self) -> Floats:
        """How many rankings each row is, or 1 where weights do not count."""
        counts: Floats = self.rankings.counts
        return counts if self.rankings.counted else np.ones(len(counts))

    @property
    def sizes(self) -> list[int]:
        """Number of rankings of each group."""
        return [int(n) for n in np.bincount(self.group, self.weights, minlength=self.n_groups)]

    @property
    def partial(self) -> bool:
        """Whether a ranking leaves out an item, and may."""
        return self.rankings.unranked != "error" and not self.listed().all()

    def listed(self) -> Flags:
        """Which items each ranking lists."""
        return np.asarray(self.rankings.groups(close=False) != NOWHERE)

    def take(self, rows: Any) -> Self:
        """Some of the rows."""
        group, stratum = self.group[rows], self.stratum[rows]
        return replace(self, rankings=self.rankings.rows(rows), group=group, stratum=stratum)

    def among_groups(self, some: Longs) -> Self:
        """The rows of some groups."""
        rows = np.flatnonzero(np.isin(self.group, some))
        number = np.full(self.n_groups, -1)
        number[some] = np.arange(len(some))
        names = tuple(self.names[code] for code in some.tolist())
        return replace(self.take(rows), group=number[self.group[rows]], names=names)

    def n_people(self) -> Longs:
        """How many people each group has, or rankings if it is not known whose they are."""
        return np.asarray(self._people_by_group.sum(axis=0), dtype=np.int64)

    @property
    def n_units(self) -> int:
        """Number of people, or of rankings if it is not known whose they are."""
        person = self.rankings.people
        return int(self.weights.sum()) if person is None else len(np.unique(person))

    def shared(self, some: Longs | None = None) -> Longs:
        """Items that two of all groups, or of some, compare: lists of one item say nothing."""
        listed, table = self._listed_by_group
        table = table if some is None else table[some]
        listed = listed[table.any(axis=0)]
        table = table[:, table.any(axis=0)]
        while True:
            compared = listed & (listed.sum(axis=1) > 1)[:, None]
            by_several = (table @ compared > 0).sum(axis=0) > 1
            if (listed <= by_several).all():
                return np.flatnonzero(by_several)
            listed = listed & by_several

    @cached_property
    def _listed_by_group(self) -> tuple[Flags, Floats]:
        """What different lists have, and whether they are in each group."""
        different, which = self.rankings.with_people(None).merged(as_listed=True)
        table = np.zeros((self.n_groups, different.shape[0]))
        table[self.group, which] = 1.0
        return different.groups(close=False) != NOWHERE, table

    def seen(self) -> Longs:
        """How many lists of each group have each item, (n_groups, n_items)."""
        rows = np.arange(len(self.group))
        table = csr_array((self.weights, (self.group, rows)), shape=(self.n_groups, len(rows)))
        return np.asarray(table @ self.listed().astype(np.float64), dtype=np.int64)

    def sample(self) -> Sample:
        """The people, each of whose rankings counts; equal rankings of groups are apart."""
        beside = self.stratum * self.n_groups + self.group
        return Sample.of(self.rankings, beside=beside, as_listed=True)

    def once_each(self) -> tuple[Sample, Longs]:
        """People who count once each, and how many rankings each made, for each unit.

        A person in several groups is a stratum, of those who said what they say in each.
        """
        rankings, stratum, beside = self.rankings, self.stratum, None
        n_rows = rankings.shape[0]
        number = rankings.counts.astype(np.int64) if rankings.counted else np.ones(n_rows, np.int64)
        person = rankings.people
        if person is not None:
            if self.crossed:
                stratum = self.within()
                person = stratum * self.n_groups + self.group
            person = np.unique(person, return_inverse=True)[1].astype(np.int64)
            number = np.bincount(person, number)[person].astype(np.int64)
            rankings = rankings.with_people(person)
            beside = np.unique(number, return_inverse=True)[1].astype(np.int64)
        sample = Sample.of(rankings, strata=stratum, beside=beside, once=True, as_listed=True)
        rows = np.flatnonzero(sample.units.of_rows >= 0)
        n_rankings = np.ones(len(sample.counts), dtype=np.int64)
        if person is not None:
            n_rankings[sample.units.of_rows[rows]] = number[rows]
        return sample, n_rankings

    def within(self) -> Longs:
        """Within what groups are compared: strata, or people in several groups."""
        stratum, person = self.stratum, self.rankings.people
        if self.crossed:
            assert person is not None
            stratum = stratum * (int(person.max()) + 1) + person
        return np.asarray(np.unique(stratum, return_inverse=True)[1], dtype=np.int64)

    def least_p(self, alike: Flags) -> Floats:
        """The smallest p-value that the people of each two groups can show.

        Of a group that may have another spread than the other all that is known is on which side of
        the others its people are: of three people all are on one side by chance in one of four
        cases. If two groups are ``alike`` it is one in the number of ways to deal their people to
        the groups, from five people on: fewer agree by chance too often.
        """
        table, least = self._people_by_group, []
        for two, equal in zip(combinations(range(self.n_groups), 2), alike, strict=True):
            some = table[:, two]
            ways = (gammaln(some.sum(axis=1) + 1.0) - gammaln(some + 1.0).sum(axis=1)).sum()
            ways -= math.log(2.0) * (some[:, 0] == some[:, 1]).all()
            fewest = some.sum(axis=0).min()
            if not equal or fewest < FEWEST_EXCHANGED:
                ways = min(ways, (fewest - 1.0) * math.log(2.0))
            # e¹⁰⁰ ways are more than any number of draws can tell.
            least.append(1.0 / round(math.exp(min(ways, 100.0))))
        return np.array(least)

    @cached_property
    def _people_by_group(self) -> Floats:
        """How many people there are, for each stratum, or person in several groups."""
        within, person = self.within(), self.rankings.people
        table = np.zeros((int(within.max()) + 1, self.n_groups))
        weights = self.weights
        if person is not None:
            rows = np.lexsort((self.group, person, within))
            keys = np.stack([within[rows], person[rows], self.group[rows]])
            first = (np.diff(keys, prepend=-1) != 0).any(axis=0)
            weights = np.zeros(len(rows))
            weights[rows[first]] = 1.0
        np.add.at(table, (within, self.group), weights)
        return table


def read_grouped(
    X: Any,
    groups: Any,
    *,
    items: Any,
    unranked: Unranked,
    strata: Any,
    people: Any,
    sample_weight: Any,
    counts: Any,
) -> tuple[GroupedRankings, list[str]]:
    """The rankings that have a group, and what a reader should know.

    Counts and weights differ. A row with the count 100 is 100 people. A person with the weight 100
    is one person who was drawn with a small chance: 100 times as important as another, but no more
    evidence. A weight or count of 0 leaves the row out.
    """
    rankings, count, weight = read_weighted(X, items, unranked, sample_weight, counts)
    code, names, notes = read_groups(groups, len(count), "groups", count)
    labelled = code >= 0
    if not labelled.any():
        raise InputError("has no value for any ranking", parameter="groups")
    if len(names) > MOST_GROUPS:
        raise InputError(
            f"has {len(names):,} different values",
            parameter="groups",
            remedy="cut numbers into classes, or use StrengthRegression",
        )
    rows = np.flatnonzero(labelled & (count > 0) & rankings.filled_rows())
    n_empty = int(((count > 0) & labelled & ~rankings.filled_rows()).sum())
    if n_empty:
        notes.append(f"{amount(n_empty, 'ranking')} that list nothing left out.")
    if not rows.size:
        raise InputError("has no value for any ranking that counts", parameter="groups")
    some, stratum, number = read_people(rankings, rows, strata, people, count, weight)
    group, person = code[rows[number]], some.people
    crossed = person is not None and varies_within(group, person)
    grouped = GroupedRankings(some, group, stratum, names, crossed, strata is not None)
    while True:
        # Leaving out a group may leave a stratum with one, and the other way round.
        n_rows = len(grouped.group)
        for leave_out in (_with_people, _with_several_groups):
            grouped, more_notes = leave_out(grouped)
            notes += [note for note in more_notes if note not in notes]
        if len(grouped.group) == n_rows:
            return grouped, notes


def read_weighted(
    X: Any, items: Any, unranked: Unranked, weights: Any, counts: Any
) -> tuple[Rankings, Longs, Floats]:
    """Rankings, how many each row stands for, and the survey weight of each of these."""
    if isinstance(X, RankingSet) and X.weights is not None:
        weights = X.weights if weights is None else weights
        X = X.without_weights()
    rankings = read_rankings(X, items, unranked=unranked, counts=counts)
    n_rows = rankings.shape[0]
    if weights is None and not rankings.counted:
        weights = rankings.counts
    count = rankings.counts if rankings.counted else np.ones(n_rows)
    weight = check_counts(weights, n_rows)
    return rankings, np.where(weight > 0, count, 0).astype(np.int64), weight


def read_people(
    rankings: Rankings, rows: Longs, strata: Any, people: Any, count: Longs, weight: Floats
) -> tuple[Rankings, Longs, Longs]:
    """Some rankings with their people and weights, their strata, and which of the rows each is.

    Rankings that are counted and have survey weights, too, are repeated.
    """
    n_rows = rankings.shape[0]
    people = rankings.people if people is None else people
    some = rankings.rows(rows)
    stratum = np.zeros(len(rows), dtype=np.int64)
    if strata is not None:
        stratum = read_complete(strata, rows, n_rows, "strata")
    if people is not None:
        some = some.with_people(read_complete(people, rows, n_rows, "people"))
    number, count, weight = np.arange(len(rows)), count[rows], weight[rows]
    if not len(rows) or (weight == weight[0]).all():
        return some.with_weights(count.astype(np.float64), counted=True), stratum, number
    if count.sum() > MOST_HELD:
        raise InputError("are too many rankings with weights", parameter="counts")
    number = np.repeat(number, count)
    some = some.rows(number).with_weights(weight[number], counted=False)
    return some, stratum[number], number


def _with_people(grouped: GroupedRankings) -> tuple[GroupedRankings, list[str]]:
    """Leave out groups of one person, who has no spread, and of a few beside larger ones.

    The few differ from nobody at 5 %, whatever they say, but the limits of all would be as wide as
    theirs. Where fewer than two groups are larger, they are compared.
    """
    n_people = grouped.n_people()
    among_larger = int((n_people >= FEWEST_EXCHANGED).sum()) > 1
    several = np.flatnonzero(n_people >= (FEWEST_EXCHANGED if among_larger else 2))
    if len(grouped.names) == 1:
        raise InputError(
            f"has a single value, {grouped.names[0]!r}",
            parameter="groups",
            remedy="compare two groups or more",
        )
    what = "ranking" if grouped.rankings.people is None else "person"
    few = np.setdiff1d(np.arange(len(n_people)), several).tolist()
    if not few:
        return grouped, []
    if len(several) < 2:
        number = "one" if n_people[few[0]] else "no"
        raise InputError(
            f"has {number} {what} in group {grouped.names[few[0]]!r}",
            parameter="groups",
            remedy="merge it with another: each of two groups needs two or more",
        )
    names = name_groups(grouped.names, few)
    if n_people[few].max() > 1:
        fewest = amount(FEWEST_EXCHANGED, what, "rankings" if what == "ranking" else "people")
        note = f"Left out, with fewer than {fewest}, too few to differ clearly: {names}."
        return grouped.among_groups(several), [note]
    return grouped.among_groups(several), [f"Left out, with one {what} or none: {names}."]


def _with_several_groups(grouped: GroupedRankings) -> tuple[GroupedRankings, list[str]]:
    """Leave out strata with one group, which say nothing; a person in several groups is one."""
    person, notes = grouped.rankings.people, []
    if grouped.crossed:
        within = "each person and stratum" if grouped.stratified else "each person"
        notes.append(f"Some people are in several groups: they are compared within {within}.")
    elif person is not None and varies_within(grouped.stratum, person):
        raise InputError(
            "has people in several strata, whose rankings cannot be exchanged together",
            parameter="people",
            remedy="give each person one stratum",
        )
    if not grouped.crossed and not grouped.stratified:
        return grouped, notes
    stratum = grouped.within()
    table = np.zeros((int(stratum.max()) + 1, grouped.n_groups), dtype=bool)
    table[stratum, grouped.group] = True
    several = table.sum(axis=1) > 1
    if several.all():
        return grouped, notes
    alone = np.flatnonzero(~table[several].any(axis=0))
    if alone.size:
        name = grouped.names[int(alone[0])]
        raise InputError(
            f"has the group {name!r}, which shares no stratum (or person) with another group",
            parameter="groups",
            remedy=["use coarser strata, or leave it out: ", Setting("where", f"groups!={name}")],
        )
    rows = several[stratum]
    n_without = int(grouped.weights[~rows].sum())
    note = (
        f"Left out {amount(n_without, 'ranking')} in strata with a single group, which say nothing."
    )
    return grouped.take(np.flatnonzero(rows)), [*notes, note]
