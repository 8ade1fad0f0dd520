"""Means over people, each of whom counts once; and the means of groups with exchanged people.

A person who made several rankings has the mean of their vectors. Let y be the vector of a person
minus the mean (of their stratum). A mean of many rankings varies less than a single ranking:
s² = τ² + σ²/k for k rankings, with the variance τ² between people and σ² within. Permutations
exchange the residuals y/s among people, who keep their group, their s and their survey weight: if
one group made 80 rankings each and another six, this holds in each permutation, too.

A few people may agree by chance. So the variance of a group is a weighted mean of its own and that
of all people, which weighs as much as four people (Smyth 2004); its degrees of freedom stay those
of the group's people.

Groups alike in size are compared by permutations, which are exact if groups have one distribution;
another spread matters little then. Others may differ in spread as well as in size, so that p is
also that of a parametric bootstrap by each group's own variances; the larger of both counts.
"""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.pairs import expected_signs
from rankcut._loops.partitions import NOWHERE, centred_positions
from rankcut._loops.types import Flags, Floats, Longs
from rankcut.comparison.effects import Variation
from rankcut.comparison.statistics import (
    Judged,
    Moments,
    NormalDraws,
    Options,
    judge,
    number_of_draws,
    pair_contrasts,
    satterthwaite,
    two_groups,
)
from rankcut.parameters import AT_ONCE, EQUAL_WITHIN, MOST_PAIRED, ROUNDING
from rankcut.rankings import Rankings
from rankcut.sample import Sample
from rankcut.sample.grouped import GroupedRankings

# The variance of all weighs as much as this many people of a group: Agresti and Coull add four
# people to a share.
MORE_PEOPLE = 4.0

# With this many people in each group, normal distributions say what permutations say.
ENOUGH = 500

# Groups whose sizes differ by no more than this factor are equal enough for tests of means to hold
# whatever their spread, as textbooks say (Stevens 2009).
MOST_UNALIKE = 1.5

# Of more coordinates, draws have no covariances: that of a pair of items for each two of 32.
MOST_COVARIANCES = MOST_PAIRED * (MOST_PAIRED - 1) // 2

# Rounds in which the variance between people is found.
_SPREAD_ROUNDS = 3

_LEAST = float(np.finfo(np.float64).tiny) ** 0.25


def places(rankings: Rankings) -> Floats:
    """Mean place of each item, 1 = best: (n + 1 − φ)/2 with features φ of the complete graph."""
    values = np.empty(rankings.shape)
    centred_positions(rankings.groups(), values)
    return np.asarray((rankings.shape[1] + 1.0 - values) / 2.0)


def pair_shares(rankings: Rankings) -> Floats:
    """Share that puts i before j, for each pair i < j: a tie counts half."""
    n_items = rankings.shape[1]
    values = np.empty((rankings.shape[0], n_items * (n_items - 1) // 2))
    expected_signs(rankings.groups(), values)
    return np.asarray((values + 1.0) / 2.0)


def listed_items(rankings: Rankings) -> Floats:
    """1 for each item that is listed."""
    return np.asarray(rankings.groups(close=False) != NOWHERE, dtype=np.float64)


class GroupedPeople:
    """People in groups, each of whom counts once.

    Attributes
    ----------
    sample : Sample
        The people, by units who say the same.
    n_rankings : (n_units,)
        How many rankings each of them made.
    table : (n_units, n_groups)
        How many people of each unit are in each group.
    sizes, weights, n_effective : (n_groups,)
        How many people there are, their weight, and how many of equal weight would say as much.
    stratum : (n_units,)
        The stratum of each unit.
    """

    def __init__(self, sample: Sample, n_rankings: Longs, table: Longs) -> None:
        self.sample, self.n_rankings, self.table = sample, n_rankings, table
        self.counts = sample.counts.astype(np.float64)
        self.sizes = table.sum(axis=0)
        self.weights = np.asarray(sample.masses @ table)
        self.n_effective = np.asarray(self.weights**2 / (sample.masses**2 @ table))
        self.stratum = np.unique(sample.units.strata, return_inverse=True)[1]
        self.n_strata = int(self.stratum.max()) + 1

    @classmethod
    def of(cls, grouped: GroupedRankings) -> Self:
        """The people behind rankings."""
        sample, n_rankings = grouped.once_each()
        return cls(sample, n_rankings, sample.table(grouped.group, grouped.n_groups))

    def by_person(self, vectors: Floats) -> Floats:
        """The mean vector of a person of each unit."""
        return np.asarray(self.sample.per_person(vectors) / self.sample.masses[:, None])

    def by_stratum(self, values: Floats) -> Floats:
        """Sums of what units have, for each unit those of its stratum."""
        starts = self.sample.stratum_starts[:-1]
        return np.asarray(np.add.reduceat(values, starts, axis=0)[self.stratum])

    @cached_property
    def contrasts(self) -> Floats:
        """From means of groups, about those of strata, to differences of each two groups.

        They are differences of coefficients of groups in a regression on groups and strata.
        """
        return np.asarray(pair_contrasts(len(self.sizes)) @ self.adjusting)

    @cached_property
    def adjusting(self) -> Floats:
        """From means of groups, about those of strata, to coefficients of groups."""
        if self.n_strata == 1:
            return np.eye(len(self.sizes))
        table = self.table * self.sample.masses[:, None]
        table = np.add.reduceat(table, self.sample.stratum_starts[:-1], axis=0)
        shares = table / table.sum(axis=1, keepdims=True)
        mixing = np.diag(self.weights) - table.T @ shares
        return np.asarray(np.linalg.pinv(mixing, rcond=EQUAL_WITHIN) * self.weights)


class _Slots(NamedTuple):
    """The people of a group: their numbers, s, and survey weights."""

    numbers: Longs
    scale: Floats
    weights: Floats


class GroupVectors:
    """The vectors of people by group, and by group with exchanged people.

    Attributes
    ----------
    centre : (n,)
        The mean vector.
    residuals : (n_units, n)
        y/s of a person of each unit.
    scale : (n_units,)
        s of each.
    varies : (n,)
        Coordinates that are not all rounding.
    """

    def __init__(
        self, people: GroupedPeople, vectors: Floats, *, more: float = MORE_PEOPLE
    ) -> None:
        self.people, self._vectors, self._more = people, vectors, more
        sample, counts = people.sample, people.counts
        self._masses = sample.masses
        mean, mass = people.by_person(vectors), counts * self._masses
        often, within = people.n_rankings * counts, np.zeros(mean.shape[1])
        n_within = float((often - counts).sum())
        if n_within > 0:
            within = often @ np.maximum(people.by_person(vectors**2) - mean**2, 0.0)
        largest = float(np.einsum("u,ui,ui->i", counts, mean, mean).max(initial=0.0))
        self.centre = self._middle = mass @ mean / mass.sum()
        self._distances = _distances(vectors, self.centre)
        self._total = float(sample.ranking_weights @ self._distances)
        # From here on means are about the centre, in place: there may be very many.
        centred = mean
        centred -= self.centre
        # What the mean of a stratum takes from the spread of its people.
        leverage = np.zeros(len(counts))
        if people.n_strata > 1:
            sums, masses = people.by_stratum(centred * mass[:, None]), people.by_stratum(mass)
            of_strata = sums / masses[:, None]
            self._total -= float(mass @ (of_strata**2).sum(axis=1))
            centred -= of_strata
            leverage = 1.0 / people.by_stratum(counts)
        # Somebody alone in a stratum has the residual 0, whatever it is divided by.
        self._remaining = np.maximum(1.0 - leverage, ROUNDING)
        self.scale, unit = self._scales(centred, float(within.sum()) / max(n_within, 1.0))
        if people.n_strata == 1:
            # About the mean to which people add by how sure they are: others' noise moves it less.
            weight = mass / self.scale**2
            shift = weight @ centred / weight.sum()
            self.centre = self.centre + shift
            centred -= shift
        centred /= self.scale[:, None]
        self.residuals = centred
        n_free = max(float(counts.sum()) - 1.0, 1.0)
        # Where a person made several rankings these say, too, how coordinates vary.
        spread = self._squares(counts) + unit * within
        self.spread = spread / (n_free + (n_within if unit > 0 else 0.0))
        self.varies = self.spread > EQUAL_WITHIN * largest / n_free
        self.spread[~self.varies] = 0.0
        # Σ w²s² of each group: by this the variance of all makes that of its sum.
        self._targets = np.asarray((self._masses * self.scale) ** 2 @ people.table)
        # As many people of equal weight and spread, but one.
        fourth = (self._masses * self.scale) ** 4 @ people.table
        share = self._remaining @ people.table / people.sizes
        self._freedoms = np.asarray(np.maximum(self._targets**2 / fourth - 1.0, 0.0) * share)
        # Satterthwaite's for equal variances: one that is small by chance says nothing.
        variances = (self._targets / people.weights**2)[:, None]
        self._of_pairs = satterthwaite(variances, self._freedoms[:, None], people.contrasts)

    def _scales(self, centred: Floats, single: float) -> tuple[Floats, float]:
        """How much the mean of as many rankings as a person made varies, all coordinates together.

        Their mean square is 1. ``single`` is the variance of single rankings of a person; times the
        second number that is returned it is that of residuals, 0 where it says nothing.
        """
        people = self.people
        often, counts = people.n_rankings.astype(np.float64), people.counts
        if not single > 0 or (often == often[0]).all():
            return np.ones(len(often)), 0.0
        means = (people.table.T @ centred) / people.sizes[:, None]
        squares = np.zeros(len(often))
        for group, mean in enumerate(means):
            size = people.sizes[group]
            share = people.table[:, group] / counts * size / max(size - 1, 1)
            squares += share * ((centred - mean) ** 2).sum(axis=1)
        between, surplus = 0.0, squares / self._remaining - single / often
        for _ in range(_SPREAD_ROUNDS):
            weight = counts / (between + single / often) ** 2
            between = max(float(weight @ surplus / weight.sum()), 0.0)
        variance = between + single / often
        size = float(counts @ variance / counts.sum())
        return np.sqrt(variance / size), size / single

    def moments(self) -> Moments:
        """Of the groups as they are."""
        first, second, cross = [], [], []
        for weight in self._weights():
            first.append((weight * self.scale) @ self.residuals)
            second.append(self._squares(weight * self._masses * self.scale**2))
            cross.append((weight * self._masses * self.scale) @ self.residuals)
        return self._moments(np.array(first), np.array(second), np.array(cross))

    def judged(self, options: Options) -> tuple[Judged, int, str]:
        """What is said of differences, the number of draws, and their kind.

        Draws are permutations, or from normal distributions where each group has many people. Where
        groups are not alike in size, p-values are those of both, whichever is larger.
        """
        people, size = self.people, len(self.varies)
        n_pairs, fewest = len(people.contrasts), float(people.n_effective.min())
        work = 32 * size * n_pairs
        if fewest < ENOUGH:
            work += int(people.counts.sum()) * (size + 3)
        number = number_of_draws(options.n_permutations, work, size * n_pairs)
        if fewest >= ENOUGH:
            return self._by_normal(number, options), number, "normal draws"

        def permuted(start: int, some: int) -> Moments:
            return self.permuted(options.seed, start, some)

        judged = judge(self.moments(), permuted, number, options)
        if not self.alike.all():
            judged = judged.larger(self._by_normal(number, options))
        return judged, number, "permutations"

    @property
    def alike(self) -> Flags:
        """Whether each two groups say as much, so that another spread matters little."""
        errors = np.log(self._targets / self.people.weights**2)
        one, other = two_groups(len(errors))
        most = math.log(MOST_UNALIKE) + EQUAL_WITHIN
        return np.asarray(np.abs(errors[one] - errors[other]) <= most)

    def _by_normal(self, number: int, options: Options) -> Judged:
        data, many = self.moments(), len(self.varies) > MOST_COVARIANCES
        covariances = list(data.variances) if many else list(self.covariances(self._more))
        draws = NormalDraws(data, covariances, options.seed)
        return judge(data, draws, number, options, few=data.few)

    def covariances(self, more: float) -> Floats:
        """Of the means of groups, (n_groups, n, n); that of all weighs as ``more`` people."""
        pooled = _products(self.residuals, self.people.counts / self._remaining)
        ratio = np.sqrt(self.spread / np.maximum(np.diag(pooled), _LEAST))
        pooled = pooled * np.outer(ratio, ratio)
        each_group = []
        for group, weight in enumerate(self._weights()):
            each = weight * self._masses
            mean = (weight * self.scale) @ self.residuals / self.people.weights[group]
            cross = np.outer((each * self.scale) @ self.residuals, mean)
            squares = _products(self.residuals, each * self.scale**2 / self._remaining)
            squares += np.outer(mean, mean) * each.sum() - cross - cross.T
            each_group.append(self._mixed(squares, pooled, group, more))
        covariances = np.array(each_group)
        covariances[:, ~self.varies] = 0.0
        covariances[:, :, ~self.varies] = 0.0
        return covariances

    def permuted(self, seed: int, start: int, size: int) -> Moments:
        """Of groups in some permutations, from number ``start`` on."""
        units = self.drawn_units(seed, start, size)
        sums: list[tuple[Floats, ...]] = []
        for slots in self._slots:
            columns = units[:, slots.numbers]
            once, both = slots.weights * slots.scale, slots.weights**2 * slots.scale
            begun = added(columns, once, self.residuals)
            second = added(columns, both * slots.scale, self.squared)
            alike = (once == once[0]).all() and (both == both[0]).all()
            cross = begun * (both[0] / once[0]) if alike else added(columns, both, self.residuals)
            sums.append((begun, second, cross))
        first, second, cross = (np.stack(each, axis=1) for each in zip(*sums, strict=True))
        return self._moments(first, second, cross)

    def drawn_units(self, seed: int, first: int, size: int) -> NDArray[np.int32]:
        """Whose residual each person has in some permutations: numbers of units."""
        sample = self.people.sample
        places = sample.exchanged_places(size, seed, first)
        return np.asarray(sample.owners.astype(np.int32)[places])

    @cached_property
    def _slots(self) -> list[_Slots]:
        """The people of each group, unit by unit; names of groups do not decide their order."""
        table = self.people.table
        number = np.arange(len(table)) / len(table)
        order = np.lexsort((number @ table, table.sum(axis=0)))
        n_groups = table.shape[1]
        group = np.repeat(np.tile(order, len(table)), table[:, order].ravel())
        unit = np.repeat(np.arange(len(table)), table.sum(axis=1))
        slots = []
        for code in range(n_groups):
            numbers = np.flatnonzero(group == code)
            units = unit[numbers]
            slots.append(_Slots(numbers, self.scale[units], self._masses[units]))
        return slots

    @cached_property
    def squared(self) -> Floats:
        """Squares of residuals, larger where the mean of a stratum has taken from them."""
        return np.asarray(self.residuals**2 / self._remaining[:, None])

    def _squares(self, weights: Floats) -> Floats:
        """Σ weights·squared, which are not made."""
        weights = weights / self._remaining
        return np.asarray(np.einsum("u,ui,ui->i", weights, self.residuals, self.residuals))

    def _weights(self) -> Iterator[Floats]:
        """The weight of each unit in each group."""
        yield from (self.people.table * self._masses[:, None]).T

    def _moments(self, first: Floats, second: Floats, cross: Floats) -> Moments:
        people = self.people
        means = first / people.weights[:, None]
        squared = (self._masses**2 @ people.table)[:, None]
        squares = np.maximum(second - 2.0 * means * cross + means**2 * squared, 0.0)
        variances = self._mixed(squares, self.spread, None, self._more)
        means[..., ~self.varies], variances[..., ~self.varies] = 0.0, 0.0
        return Moments(means, variances, self._freedoms[:, None], self._of_pairs, people.contrasts)

    def _mixed(self, squares: Floats, pooled: Floats, group: int | None, more: float) -> Floats:
        """Variances of means, from sums of squares: of a group, or of all groups."""
        which = slice(None) if group is None else group
        sizes, target = self.people.sizes[which], self._targets[which]
        weights = self.people.weights[which]
        if group is None:
            sizes, target, weights = sizes[:, None], target[:, None], weights[:, None]
        free, every = np.maximum(sizes - 1.0, 0.0), target * pooled
        squares = squares * (sizes / np.maximum(sizes - 1.0, 1.0))
        mixed = (free * squares + more * every) / (free + more)
        return np.asarray(mixed / weights**2)

    def adjusted(self, means: Floats) -> Floats:
        """Means of groups; with strata, as if each group had the same share of each stratum."""
        coefficients = self.people.adjusting @ means
        if self.people.n_strata > 1:
            coefficients = (
                coefficients - self.people.weights @ coefficients / self.people.weights.sum()
            )
        return np.asarray(self.centre + coefficients)

    @property
    def variation(self) -> Variation:
        """How much rankings vary between and within groups, about the means of their strata."""
        people = self.people
        shares = people.table.T.astype(np.float64) @ people.sample.membership
        shares = shares / shares.sum(axis=1, keepdims=True)
        gaps = shares @ self._vectors - self._middle
        within = shares @ self._distances - (gaps**2).sum(axis=1)
        return Variation(
            self.moments().means,
            self.covariances(0.0),
            people.weights,
            np.maximum(within, 0.0),
            max(self._total, 0.0),
        )


def _distances(rows: Floats, middle: Floats) -> Floats:
    """Squares of distances of rows from the middle, some at a time."""
    blocks = np.array_split(rows, 1 + rows.size // AT_ONCE)
    return np.concatenate([((block - middle) ** 2).sum(axis=1) for block in blocks])


def _products(rows: Floats, weights: Floats) -> Floats:
    """Σ weights·rrᵀ of rows, some at a time."""
    step = max(1, AT_ONCE // rows.shape[1])
    blocks = (slice(start, start + step) for start in range(0, len(rows), step))
    return np.asarray(sum((rows[some] * weights[some, None]).T @ rows[some] for some in blocks))


def added(columns: NDArray[np.int32], weights: Floats, rows: Floats) -> Floats:
    """Σ weights·rows of the rows that each draw names, (n_draws, n)."""
    n_draws, n_each = columns.shape
    starts = np.arange(n_draws + 1) * n_each
    entries = (np.tile(weights, n_draws), np.ascontiguousarray(columns).ravel(), starts)
    return np.asarray(csr_array(entries, shape=(n_draws, len(rows))) @ rows)
