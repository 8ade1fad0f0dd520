"""One crowd, people along a line, or camps: which mixture explains the rankings best.

Each number of camps is fitted. The number is the one with the smallest ICL (Biernacki, Celeux and
Govaert 2000): BIC plus twice the entropy of who belongs where, so that camps count only if most
people plainly belong to one. Then BIC decides between these camps, people spread along a line or
over a plane, and one crowd, whose people may be more or less sure.

A crowd that follows another model than Plackett and Luce's, such as Mallows', is explained better
by any mixture. So a line must also do what no crowd can: one part of a person's list has to say
something about the rest. Items are divided into two parts. If a mixture has the shares s, and the
orders of a person within both parts give the probabilities a and b of its components, their mutual
information is log Σ_q a_q·b_q / s_q. Where utilities are independent, it is 0 or less on the
average, whatever their distributions. Its sum over people has to exceed that of the crowd, some of
whom are more sure than others, by log n: what two parameters cost by BIC, one for where each part
puts a person.

Starts are found in the order of the rankings' contents, without random numbers. Columns are first
sorted by the places of their items, so that the names of items do not matter either.
"""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from rankcut._loops.partitions import centred_positions, close_rows
from rankcut._loops.types import Flags, Floats, Longs
from rankcut.blocs.mixtures import Family, Mixture, MixtureLikelihood
from rankcut.rankings import Rankings
from rankcut.rankings.value import block_rows

Structure: TypeAlias = Literal["crowd", "line", "camps"]

#: "auto" looks at up to this many blocs.
MOST_BLOCS = 8

#: Structures are compared by this many people; of more, a sample of this size is taken.
MOST_PEOPLE = 2_000

#: Among fewer people nothing is looked for: a few of them would make a camp by chance.
LEAST_PEOPLE = 20

# The share of people at random, and the spread of those more or less sure, that a fit begins with.
_RANDOM, _SPREAD = 0.05, 0.5

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


def some_people(rankings: Rankings, number: int) -> Rankings:
    """So many people at equal distances, in the order of the different rankings."""
    ends = np.cumsum(rankings.counts)
    if ends[-1] <= number:
        return rankings
    places = (np.arange(number) + 0.5) * (ends[-1] / number)
    rows = np.searchsorted(ends, places, side="right")
    counts = np.bincount(rows, minlength=len(ends)).astype(np.float64)
    return replace(rankings.rows(counts > 0), weights=counts[counts > 0])


@dataclass(eq=False)
class Comparison:
    """Mixtures of the same people, side by side.

    Attributes
    ----------
    rankings : Rankings
        Different rankings, with their counts.
    """

    rankings: Rankings

    def __post_init__(self) -> None:
        self.likelihood = MixtureLikelihood.of(self.rankings)
        self.weights = self.likelihood.choices.weights
        used = self.likelihood.choices.informative
        self.n_different = int(used.sum())
        self.n_people = max(1.0, float(self.weights[used].sum()))
        self.places = positions(self.rankings)
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
            tries = [
                self.likelihood.fit(Mixture(Family(k), blocks, shares), _ROUGHLY)
                for blocks in starts
            ]
            best = max(tries, key=lambda one: one.log_likelihood)
            self.found[k] = self.likelihood.fit(best)
        return self.found[k]

    def settled(self, k: int) -> Mixture:
        """K camps, without people at random unless BIC and both parts of their lists say so."""
        noisy = self.camps(k)
        shares = np.append(noisy.shares[:k] / noisy.shares[:k].sum(), 0.0)
        plain = replace(noisy, family=Family(k, noise=False), shares=shares)
        plain = self.likelihood.fit(plain)
        every_other = np.arange(self.rankings.shape[1]) % 2 == 0
        better = self.bic(noisy) < self.bic(plain)
        return noisy if better and self._is_shared(noisy, plain, every_other) else plain

    def grow(self, least: int, most: int) -> int:
        """The number with the smallest ICL; numbers stop where BIC has risen twice."""
        for k in range(1, most + 1):
            self.camps(k)
            scores = [self.bic(self.found[number]) for number in range(1, k + 1)]
            if k > least and k >= 3 and min(scores[-2:]) > min(scores):
                break
        numbers = [k for k in self.found if k >= least]
        return min(numbers, key=lambda k: self.icl(self.found[k]))

    def structure(self, k: int) -> tuple[Structure, dict[str, float], Mixture]:
        """What people are, if camps are k; the BIC of each kind; and the mixture of that kind.

        Camps that are as many as were looked at would be more: they are none.
        """
        kinds = {"crowd": min(self.found[1], self._sure(1), key=self.bic)}
        largest = max(self.found)
        kinds["line"] = self._spread(1, largest)
        if k > 1:
            if k < MOST_BLOCS:
                kinds["camps"] = min(self.found[k], self._sure(k), key=self.bic)
            if min(kinds, key=lambda name: self.bic(kinds[name])) != "line":
                kinds["plane"] = self._spread(2, largest)
        scores = {name: self.bic(one) for name, one in kinds.items()}
        best = min(scores, key=lambda name: scores[name])
        if best in ("line", "plane"):
            part = _divide(_main_directions(*kinds[best].components)[0])
            if not self._is_shared(kinds[best], kinds["crowd"], part):
                best = "crowd"
        structure: Structure = (
            "camps" if best == "camps" else "crowd" if best == "crowd" else "line"
        )
        return structure, scores, kinds[best]

    def association(self, mixture: Mixture, part: Flags) -> float:
        """How much a part of the items says about the rest: their mutual information."""
        strengths, shares = mixture.components
        used = shares > 0
        one, other = (
            MixtureLikelihood.of(
                replace(self.rankings, stored=self.rankings.stored[:, own], known_listed=None)
            ).sums(np.ascontiguousarray(strengths[:, own]), shares)[1]
            for own in (np.flatnonzero(part), np.flatnonzero(~part))
        )
        joint = (one[:, used] * other[:, used] / shares[used]).sum(axis=1)
        joint = np.maximum(joint, np.finfo(np.float64).tiny)
        return float(self.weights @ np.log(joint))

    def _is_shared(self, mixture: Mixture, simpler: Mixture, part: Flags) -> bool:
        """Whether parts of a list agree on where a person is, beyond what a simpler mixture says.

        Fewer than four items have no two parts: then nothing is held against a mixture.
        """
        if self.rankings.shape[1] < 4:
            return True
        gain = self.association(mixture, part) - self.association(simpler, part)
        return gain > float(np.log(self.n_people))

    def _spread(self, n_lines: int, k: int) -> Mixture:
        """People along lines, from the main directions of the rankings, or of k camps."""
        middle, shares = self.found[1].blocks, np.array([1 - _RANDOM, _RANDOM])
        starts = [np.vstack([middle, self._slopes()[:n_lines]])]
        if k > n_lines:
            camps = self.found[k]
            slopes = _main_directions(camps.blocks, camps.shares[:k] / camps.shares[:k].sum())
            starts.append(np.vstack([camps.shares[:k] @ camps.blocks, slopes[:n_lines]]))
        tries = [
            self.likelihood.fit(Mixture(Family(n_lines=n_lines), blocks, shares))
            for blocks in starts
        ]
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
        people = mass @ (self.places.round(9) != 0) + 1.0
        return np.asarray(2 * np.arctanh(mass @ self.places / (self.rankings.shape[1] * people)))

    def _directions(self, some: Flags, number: int) -> Floats:
        """Where rankings lie along the main directions of some of them, the mean at 0."""
        mass = self.weights * some
        centred = self.places - mass @ self.places / mass.sum()
        _, directions = np.linalg.eigh((centred * mass[:, None]).T @ centred)
        return np.asarray(centred @ directions[:, ::-1][:, :number])

    def _slopes(self) -> Floats:
        """How strengths change along two main directions, for each standard deviation."""
        along = self._directions(np.ones(len(self.weights), dtype=bool), 2)
        # Halves of a normal distribution have their means this far from its middle.
        away = np.sqrt(2 / np.pi)
        return np.array(
            [
                np.subtract(*self._strengths(np.array([side > 0, side <= 0]))) / (2 * away)
                for side in along.T
            ]
        )


def _main_directions(strengths: Floats, shares: Floats) -> Floats:
    """How the strengths of components differ: main directions, as long as standard deviations."""
    away = np.sqrt(shares)[:, None] * (strengths - shares @ strengths)
    _, lengths, directions = np.linalg.svd(away, full_matrices=False)
    return np.asarray(lengths[:, None] * directions)


def _divide(slope: Floats) -> Flags:
    """Items in two parts, both of which a direction changes: of some ways, the most even one."""
    order = np.argsort(np.argsort(slope, kind="stable"))
    sizes = 2 ** np.arange(int(np.log2(max(len(slope) - 1, 1))) + 1)
    return max(
        (order // size % 2 == 0 for size in sizes.tolist()),
        key=lambda part: min(slope[part].var(), slope[~part].var()),
    )
