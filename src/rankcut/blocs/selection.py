"""One crowd, people along a line, or camps: which mixture explains the rankings best.

The number of camps has the smallest ICL (Biernacki, Celeux and Govaert 2000): BIC plus twice the
entropy of who belongs where, so that camps count only if most people plainly belong to one. Then
BIC decides between these camps, people along a line or over a plane, and one crowd, whose people
may be more or less sure. Three camps or more need the smaller ICL there too, since a line cut in
many pieces is close to a line. A line needs very strong evidence.

Few crowds follow the model of Plackett and Luce, and any mixture explains another crowd better. So
camps and lines must also do what no crowd can: one part of a person's list has to say something
about the rest. Items are divided into two parts, both of which tell apart those that are to be told
apart. If a mixture has the shares s, and the orders of a person within both parts give the
probabilities a and b of its components, their mutual information is log Σ_q a_q·b_q / s_q. Where
utilities are independent, it is 0 or less on average. Its sum over people has to exceed 0, and that
of a simpler mixture (a crowd, or k − 1 camps), by log n: what BIC takes for two parameters, one for
where each part puts a person. Where ties are in one part says where they are in the other: lists
with ties are compared among those that have them at the same places.

Starts are in the order of the rankings' contents, without random numbers. Columns are sorted by the
places of their items first, so that the names of items do not matter either.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from sklearn.utils.extmath import randomized_svd

from rankcut._loops.partitions import centred_positions, close_rows
from rankcut._loops.types import Flags, Floats, Longs
from rankcut.blocs.mixtures import CLOSE, Family, Mixture, MixtureLikelihood
from rankcut.parameters import KEPT
from rankcut.rankings import Rankings, merge_rankings
from rankcut.rankings.value import block_rows
from rankcut.strengths import Choices

Structure: TypeAlias = Literal["crowd", "line", "camps"]

#: "auto" looks at up to this many blocs.
MOST_BLOCS = 8

#: Structures are compared by this many people, or by this many for each item; of more, a sample of
#: this size is taken.
MOST_PEOPLE, _EACH = 2_000, 2

#: Among fewer people nothing is looked for: a few of them would make a camp by chance.
LEAST_PEOPLE = 20

# The share of people at random, and the spread of those more or less sure, that a fit begins with.
_RANDOM, _SPREAD = 0.05, 0.5

# A line has to be better than camps, and than a crowd, by more: from there on, a difference of BIC
# is very strong evidence (Kass and Raftery 1995).
_STRONG = 10.0

# Starts are compared after L-BFGS is as close as this.
_ROUGHLY = 1e-5


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
    found = np.empty(groups.shape)
    centred_positions(groups, found)
    return found


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
    return replace(rankings.rows(rows), weights=weights[person], people=person), rows, person


def merge_people(rankings: Rankings) -> tuple[Rankings, Floats]:
    """Each different person once, in the order of what they say; and the weight of each person."""
    if rankings.people is None:
        return merge_rankings(rankings).rankings, rankings.counts
    sorted_, _, person = by_person(rankings, rankings.people)
    which = merge_rankings(sorted_).which
    order = np.lexsort((which, person))
    alike: dict[tuple[int, ...], list[Longs]] = {}
    for rows in np.split(order, np.flatnonzero(np.diff(person)) + 1):
        alike.setdefault(tuple(which[rows].tolist()), []).append(rows)
    kept = [alike[said] for said in sorted(alike)]
    sizes = [len(rows) for rows, *_ in kept]
    weights = [math.fsum(sorted_.counts[rows[0]] for rows in same) for same in kept]
    merged = replace(
        sorted_.rows(np.concatenate([rows for rows, *_ in kept])),
        weights=np.repeat(weights, sizes),
        people=np.repeat(np.arange(len(kept)), sizes),
    )
    return merged, np.bincount(person, sorted_.counts).astype(np.float64)


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
    return replace(rankings.rows(rows), weights=(counts / np.bincount(whose))[whose[rows]])


@dataclass(eq=False)
class Comparison:
    """Mixtures of the same people, side by side."""

    rankings: Rankings  #: different ones, with their counts

    def __post_init__(self) -> None:
        self.likelihood = MixtureLikelihood.of(self.rankings)
        self.weights = self.likelihood.choices.weights
        used = self.likelihood.choices.informative
        self.n_different = int(used.sum())
        self.n_people = max(1.0, float(self.weights[used].sum()))
        self.places = positions(self.rankings)
        self.placed = self.places.round(9) != 0
        self.found: dict[int, Mixture] = {}  #: the best for each number of camps

    def bic(self, mixture: Mixture) -> float:
        """−2·log-likelihood plus log(people) for each parameter."""
        n_free = mixture.family.n_parameters(self.rankings.shape[1])
        return float(-2 * mixture.log_likelihood + n_free * np.log(self.n_people))

    def icl(self, mixture: Mixture) -> float:
        """BIC plus twice the entropy of who belongs to which camp."""
        return self.bic(mixture) + 2 * float(self.weights @ mixture.entropy)

    def camps(self, k: int) -> Mixture:
        """K camps, from the best of some starts."""
        if k not in self.found:
            starts = self._starts(k)
            shares = np.append(np.full(k, (1 - _RANDOM) / k), _RANDOM)
            self.found[k] = self.likelihood.fit(self._best_of(Family(k), starts, shares, _ROUGHLY))
        return self.found[k]

    def settled(self, k: int, *, plain: bool = False) -> Mixture:
        """K camps, without people at random unless BIC and both parts of their lists say so."""
        noisy = self.camps(k)
        shares = np.append(noisy.shares[:k] / noisy.shares[:k].sum(), 0.0)
        pure = self.likelihood.fit(replace(noisy, family=Family(k, noise=False), shares=shares))
        if plain or self.bic(pure) <= self.bic(noisy):
            return pure
        every_other = np.arange(self.rankings.shape[1], dtype=np.float64)
        return noisy if self._is_shared(noisy, pure, every_other) else pure

    def grow(self, least: int, most: int) -> int:
        """The number with the smallest ICL; numbers stop where BIC has risen twice."""
        for k in range(1, most + 1):
            self.camps(k)
            scores = [self.bic(self.found[number]) for number in range(1, k + 1)]
            if k > least and k >= 3 and min(scores[-2:]) > min(scores):
                break
        numbers = [k for k in self.found if k >= least]
        return min(numbers, key=lambda k: self.icl(self.found[k]))

    def structure(self, k: int) -> tuple[Structure, int, dict[str, float], Mixture]:
        """What people are, if there are at most k camps; how many; scores; the best mixture."""
        crowd = min(self.found[1], self._sure(1), key=self.bic)
        fewer = {number: one if number > 1 else crowd for number, one in self.found.items()}
        while k > 1 and not self._is_shared(self.found[k], fewer[k - 1], _closest(self.found[k])):
            k -= 1
        largest = max(self.found)
        kinds = {"crowd": crowd, "line": self._spread(1, largest)}
        scores = {name: self.bic(one) for name, one in kinds.items()}
        # As many camps as were looked at would be more.
        if 1 < k < MOST_BLOCS:
            score = self.bic if k == 2 else self.icl
            kinds["camps"] = min(self.found[k], self._sure(k), key=score)
            scores["camps"] = score(kinds["camps"])
            if _best(scores) == "camps":
                kinds["plane"] = self._spread(2, largest)
                scores["plane"] = self.bic(kinds["plane"])
        best = _best(scores)
        if best == "camps":
            return "camps", k, scores, kinds[best]
        if best != "crowd":
            slope = _main_directions(*kinds[best].components)[0]
            if self._is_shared(kinds[best], crowd, slope):
                return "line", 1, scores, kinds[best]
        return "crowd", 1, scores, crowd

    def parts(self, slope: Floats) -> list[tuple[Longs, MixtureLikelihood]]:
        """Two parts of the items, both of which change along a slope, and their rankings."""
        part = _divide(slope)
        found = []
        for own in (np.flatnonzero(part), np.flatnonzero(~part)):
            stored = self.rankings.stored[:, own]
            rankings = replace(self.rankings, stored=stored, known_listed=None)
            found.append((own, MixtureLikelihood.of(rankings)))
        return found

    def association(
        self, mixture: Mixture, parts: Sequence[tuple[Longs, MixtureLikelihood]]
    ) -> float:
        """How much a part of the items says about the rest: their mutual information."""
        strengths, shares = mixture.components
        used = shares > 0
        one, other = (
            likelihood.sums(np.ascontiguousarray(strengths[:, own]), shares)[1][:, used]
            for own, likelihood in parts
        )
        joint = np.maximum((one * other / shares[used]).sum(axis=1), np.finfo(np.float64).tiny)
        total = float(self.weights @ np.log(joint))
        if not self.likelihood.choices.tied:
            return total
        # Where ties are in one part says where they are in the other. So people are compared with
        # those who have ties at the same places (Donsker and Varadhan 1983).
        places = np.hstack([_tie_places(likelihood.choices) for _, likelihood in parts])
        _, kind = np.unique(places, axis=0, return_inverse=True)
        kinds = np.eye(int(kind.max()) + 1)[kind.ravel()].T * self.weights
        sizes = kinds.sum(axis=1)
        by_ties = ((kinds @ one) * (kinds @ other) / shares[used]).sum(axis=1) / sizes**2
        return total - float(sizes @ np.log(by_ties))

    def _is_shared(self, mixture: Mixture, simpler: Mixture, slope: Floats) -> bool:
        """Whether parts of a list agree on where a person is, beyond what a simpler mixture says.

        The simplest one, in which parts say nothing about each other, has an association of 0. A
        slope is fitted to both parts, which makes them agree by half its parameters. If nobody
        compares items of both parts, nothing is held against a mixture.
        """
        if self.rankings.shape[1] < 4:
            return True
        parts = self.parts(slope)
        one, other = (
            np.logical_or.reduceat(own.choices.informative, own.people[:-1]) for _, own in parts
        )
        gain = self.association(mixture, parts) - max(0.0, self.association(simpler, parts))
        by_chance = mixture.family.n_lines * (self.rankings.shape[1] - 1) / 2
        return not (one & other).any() or gain > float(np.log(self.n_people)) + by_chance

    def _spread(self, n_lines: int, k: int) -> Mixture:
        """People along lines, from the main directions of the rankings, or of k camps."""
        middle, shares = self.found[1].blocks, np.array([1 - _RANDOM, _RANDOM])
        starts = [np.vstack([middle, self._slopes()[:n_lines]])]
        if k > n_lines:
            camps = self.found[k]
            slopes = _main_directions(camps.blocks, camps.shares[:k] / camps.shares[:k].sum())
            starts.append(np.vstack([camps.shares[:k] @ camps.blocks, slopes[:n_lines]]))
        return self._best_of(Family(n_lines=n_lines), starts, shares)

    def _best_of(
        self, family: Family, starts: list[Floats], shares: Floats, close: float = CLOSE
    ) -> Mixture:
        """The most likely of the mixtures that fits from some strengths end in."""
        tries = (self.likelihood.fit(Mixture(family, one, shares), close) for one in starts)
        return max(tries, key=lambda one: one.log_likelihood)

    def _sure(self, k: int) -> Mixture:
        """The same camps, of people who are more or less sure."""
        family = Family(k, sure=True)
        return self.likelihood.fit(replace(self.found[k], family=family, spread=_SPREAD))

    def _starts(self, k: int) -> list[Floats]:
        """Strengths of k camps: each of k − 1 is cut in two."""
        if k == 1:
            return [self._strengths(np.ones((1, len(self.weights))))]
        labels = self.camps(k - 1).chances[:, : k - 1].argmax(axis=1)
        found = []
        for bloc in range(k - 1):
            own = labels == bloc
            if own.sum() > 1:
                cut = np.where(own & (self._directions(own, 1)[:, 0] > 0), k - 1, labels)
                found.append(self._strengths(np.eye(k)[cut].T))
        return found or [np.vstack([self.found[k - 1].blocks, np.zeros(self.rankings.shape[1])])]

    def _strengths(self, members: Floats) -> Floats:
        """Strengths of some groups of people, roughly: the log-odds of a won pair."""
        mass = members * self.weights
        # One person more, without a preference, keeps them finite.
        people = mass @ self.placed + 1.0
        return np.asarray(2 * np.arctanh(mass @ self.places / (self.rankings.shape[1] * people)))

    def _directions(self, some: Flags, number: int) -> Floats:
        """Where rankings lie along the main directions of some of them, the mean at 0."""
        mass = self.weights * some
        centred = self.places - mass @ self.places / mass.sum()
        scaled = centred * np.sqrt(mass)[:, None]
        _, _, directions = randomized_svd(
            scaled, number, power_iteration_normalizer="QR", random_state=0
        )
        return np.asarray(centred @ directions.T)

    def _slopes(self) -> Floats:
        """How strengths change along two main directions, for each standard deviation."""
        along = self._directions(np.ones(len(self.weights), dtype=bool), 2)
        # Halves of a normal distribution have their means this far from its middle.
        away = np.sqrt(2 / np.pi)
        halves = [self._strengths(np.array([side > 0, side <= 0])) for side in along.T]
        return np.asarray([(one - other) / (2 * away) for one, other in halves])


def _main_directions(strengths: Floats, shares: Floats) -> Floats:
    """How the strengths of components differ: main directions, as long as standard deviations."""
    away = np.sqrt(shares)[:, None] * (strengths - shares @ strengths)
    _, lengths, directions = np.linalg.svd(away, full_matrices=False)
    return np.asarray(lengths[:, None] * directions)


def _best(scores: dict[str, float]) -> str:
    """The kind with the smallest score; a line or a plane by strong evidence alone."""
    return min(scores, key=lambda name: scores[name] + _STRONG * (name in ("line", "plane")))


def _tie_places(choices: Choices) -> Longs:
    """For each rank of each list: 2 if it is tied with the one before, 1 if not, 0 if empty."""
    lists = np.repeat(np.arange(choices.n_rankings), np.diff(choices.starts))
    found = np.zeros((choices.n_rankings, choices.n_items), dtype=np.int64)
    found[lists, np.arange(len(lists)) - choices.starts[lists]] = 1 + choices.joined
    return found


def _closest(camps: Mixture) -> Floats:
    """How the strengths of the two camps differ that are most alike."""
    centred = camps.blocks - camps.blocks.mean(axis=1, keepdims=True)
    one, other = min(
        combinations(centred, 2), key=lambda pair: float(((pair[0] - pair[1]) ** 2).sum())
    )
    return np.asarray(one - other)


def _divide(slope: Floats) -> Flags:
    """Items in two parts, both of which a direction changes: of some ways, the most even one."""
    order = np.argsort(np.argsort(slope, kind="stable"))
    sizes = 2 ** np.arange(int(np.log2(max(len(slope) - 1, 1))) + 1)
    return max(
        (order // size % 2 == 0 for size in sizes.tolist()),
        key=lambda part: min(slope[part].var(), slope[~part].var()),
    )
