"""One crowd, people along a line, or camps: which mixture explains the rankings best.

Each number of camps is fitted, with and without people who rank at random. The number is the one
with the smallest ICL (Biernacki, Celeux and Govaert 2000): BIC plus twice the entropy of who
belongs where, so that camps count only if most people plainly belong to one. Camps are announced if
their BIC is also smaller than that of people spread along a line, and over a plane. Otherwise BIC
says whether there is one crowd, whose people may be more or less sure, or a line.

Starts are found in the order of the rankings' contents, without random numbers. Columns are first
sorted by the places of their items, so that the names of items do not matter either.
"""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from rankcut._loops.partitions import centred_positions, close_rows
from rankcut._loops.types import Floats, Longs
from rankcut.blocs.mixtures import (
    N_NODES,
    Mixture,
    MixtureFamily,
    camps,
    expected,
    fit_mixture,
    line,
    more_or_less_sure,
    plane,
)
from rankcut.rankings import Rankings
from rankcut.rankings.value import block_rows
from rankcut.strengths import ChoiceLikelihood, Choices, Ties

Structure: TypeAlias = Literal["crowd", "line", "camps"]

#: Structures are compared by this many people; of more, a sample of this size is taken.
MOST_PEOPLE = 2_000

#: Among fewer people nothing is looked for: a few of them would make a camp by chance.
LEAST_PEOPLE = 20

# How much more sure some of a crowd are: standard deviations of the logarithm.
_SPREADS = (0.5, 1.0)

# The share of people at random that EM begins with.
_RANDOM = 0.05


def sort_columns(rankings: Rankings) -> Longs:
    """The columns by the mean and the spread of their items' places; ties stay in their order."""
    n_rows, n_items = rankings.shape
    sums = np.zeros((2, n_items))
    step = block_rows(n_items)
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        places = positions(rankings, rows.start, rows.stop)
        mass = rankings.counts[rows]
        sums += mass @ places, mass @ places**2
    keys = np.round(sums / sums[1].max(initial=1.0), 9)
    return np.lexsort((keys[1], keys[0]))


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
    sizes : ndarray of int64
        1, and the sizes of ties.
    ties : {"davidson", "exact", "efron"}
        What ties mean.
    """

    rankings: Rankings
    sizes: Longs
    ties: Ties
    found: dict[int, Mixture] = field(default_factory=dict)  #: the best for each number of camps

    def __post_init__(self) -> None:
        self.likelihood = ChoiceLikelihood(Choices.of(self.rankings, self.sizes), self.ties)
        self.weights = self.likelihood.choices.weights
        used = self.likelihood.choices.informative
        self.n_people = max(1.0, float(self.weights[used].sum()))
        self.places = positions(self.rankings)
        offset = np.zeros(self.likelihood.n_parameters)
        self.crowd = fit_mixture(self.likelihood, camps(1), np.ones((len(self.weights), 1)), offset)
        self.offset = self.crowd.blocks[0].copy()
        self.offset[: self.likelihood.n_items] = 0.0
        self.plain = {1: self.crowd}
        self.found[1] = self._best(self.crowd, self._noisy(self.crowd))

    def bic(self, mixture: Mixture) -> float:
        """The BIC of a mixture."""
        return mixture.bic(self.n_people)

    def icl(self, mixture: Mixture) -> float:
        """BIC plus twice the entropy of who belongs to which camp."""
        chances = mixture.chances[:, : mixture.blocks.shape[0]]
        known = chances.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(chances > 0, chances * np.log(chances / known), 0.0)
        return self.bic(mixture) - 2 * float(self.weights @ terms.sum(axis=1))

    def camps(self, k: int) -> Mixture:
        """K camps, from the best of some starts."""
        if k not in self.found:
            self.camps(k - 1)
            family = camps(k)
            tries = [
                fit_mixture(self.likelihood, family, start, self.offset, k)
                for start in self._starts(k)
            ]
            best = max(tries, key=lambda one: one.log_likelihood)
            self.plain[k] = fit_mixture(self.likelihood, family, best, self.offset)
            self.found[k] = self._best(self.plain[k], self._noisy(self.plain[k]))
        return self.found[k]

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
        """What people are, if camps are k; the BIC of each kind; and the mixture of that kind."""
        crowds = [self.found[1]]
        for spread in _SPREADS:
            crowds.append(self._continue(more_or_less_sure(spread), self.crowd))
            crowds.append(self._noisy(crowds[-1]))
        crowd = min(crowds, key=self.bic)
        lines = [fit_mixture(self.likelihood, line(), self._along(1), self.offset)]
        kinds = {"crowd": crowd, "line": lines[0]}
        if k > 1:
            sure = (self._continue(more_or_less_sure(s, k), self.plain[k]) for s in _SPREADS)
            kinds["camps"] = self._best(self.found[k], *sure)
            if self.bic(kinds["camps"]) < self.bic(lines[0]):
                start = self._along(2)
                lines.append(fit_mixture(self.likelihood, plane(), start, self.offset))
                kinds["plane"] = lines[1]
        scores = {name: self.bic(one) for name, one in kinds.items()}
        best = min(scores, key=lambda name: scores[name])
        structure: Structure = (
            "camps" if best == "camps" else "crowd" if best == "crowd" else "line"
        )
        return structure, scores, kinds[best]

    def _noisy(self, plain: Mixture) -> Mixture:
        shares = np.append((1 - _RANDOM) * plain.shares, _RANDOM)
        return self._continue(plain.family.with_noise(), replace(plain, shares=shares))

    def _continue(self, family: MixtureFamily, start: Mixture) -> Mixture:
        """EM of another family from the strengths of an earlier mixture."""
        shares = start.shares
        if family.fixed is not None and len(shares) != len(family.basis):
            shares = np.outer(shares, family.fixed).ravel()
        begun = replace(start, family=family, shares=shares, offset=self.offset)
        return fit_mixture(self.likelihood, family, expected(self.likelihood, begun), self.offset)

    def _best(self, *mixtures: Mixture) -> Mixture:
        return min(mixtures, key=self.bic)

    def _starts(self, k: int) -> list[Floats]:
        """Each of k − 1 camps cut in two, mixed with a little of all."""
        labels = self.plain[k - 1].chances.argmax(axis=1)
        found = []
        for bloc in range(k - 1):
            own = labels == bloc
            if own.sum() > 1:
                along = self._directions(own.astype(np.float64), 1)[:, 0]
                cut = np.where(own & (along > 0), k - 1, labels)
                found.append((1 - _RANDOM) * np.eye(k)[cut] + _RANDOM / k)
        return found or [np.full((len(labels), k), 1.0 / k)]

    def _directions(self, some: Floats, number: int) -> Floats:
        """Where rankings lie along the main directions of some of them, the mean at 0."""
        mass = self.weights * some
        centred = self.places - mass @ self.places / mass.sum()
        _, directions = np.linalg.eigh((centred * mass[:, None]).T @ centred)
        return np.asarray(centred @ directions[:, ::-1][:, :number])

    def _along(self, number: int) -> Floats:
        """People in equal parts along one or two main directions."""
        n_parts = N_NODES if number == 1 else N_NODES // 2
        cells = np.zeros(len(self.weights), dtype=np.int64)
        for axis, along in enumerate(self._directions(np.ones(len(self.weights)), number).T):
            order = np.argsort(along, kind="stable")
            middle = (np.cumsum(self.weights[order]) - self.weights[order] / 2) / self.weights.sum()
            part = np.empty(len(order), dtype=np.int64)
            part[order] = np.minimum((middle * n_parts).astype(np.int64), n_parts - 1)
            cells += part * n_parts**axis
        return np.asarray(np.eye(n_parts**number)[cells])
