"""One crowd, people along a line, or camps: which mixture explains the rankings best.

The number of camps has the smallest ICL (Biernacki, Celeux and Govaert 2000): BIC plus twice the
entropy of who belongs where, so that camps count only if most people plainly belong to one. Then
BIC decides between these camps, people along a line or over a plane, and one crowd, whose people
may be more or less sure. Three camps or more need the smaller ICL there too, since a line cut in
many pieces is close to a line. A line needs very strong evidence.

Lines and camps must also do what no crowd can: see :mod:`rankcut.blocs.agreement`.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from rankcut._loops.types import Floats
from rankcut.blocs.agreement import parts_agree
from rankcut.blocs.mixtures import LEAST_GAIN, Family, Mixture, MixtureLikelihood
from rankcut.blocs.starts import Starts, main_directions
from rankcut.errors import InputError
from rankcut.parameters import is_whole
from rankcut.rankings import Rankings

Structure: TypeAlias = Literal["crowd", "line", "camps"]

#: "auto" looks at up to this many blocs.
MOST_BLOCS = 8

#: Among fewer people nothing is looked for: a few of them would make a camp by chance.
LEAST_PEOPLE = 20

# The share of people at random, and the spread of those more or less sure, that a fit begins with.
_RANDOM, _START_SPREAD = 0.05, 0.5

# A line has to be better than camps, and than a crowd, by more: from there on, a difference of BIC
# is very strong evidence (Kass and Raftery 1995).
_STRONG = 10.0

# Starts are compared after L-BFGS is as close as this.
_ROUGHLY = 1e-5


def numbers_of_blocs(n_blocs: Any) -> tuple[int, int]:
    """The least and the most blocs.

    >>> numbers_of_blocs("auto"), numbers_of_blocs(3), numbers_of_blocs((2, 4))
    ((1, 8), (3, 3), (2, 4))
    """
    if isinstance(n_blocs, str) and n_blocs == "auto":
        return 1, MOST_BLOCS
    both = isinstance(n_blocs, tuple | list) and len(n_blocs) == 2
    least, most = n_blocs if both else (n_blocs, n_blocs)
    if is_whole(least, 1) and is_whole(most, int(least)):
        return int(least), int(most)
    raise InputError(
        f'must be a whole number from 1, "auto", or the least and the most; got {n_blocs!r}',
        parameter="n_blocs",
    )


@dataclass(eq=False)
class Comparison:
    """Mixtures of the same people, side by side."""

    rankings: Rankings  #: different ones, with their counts

    def __post_init__(self) -> None:
        self.likelihood = MixtureLikelihood.of(self.rankings)
        self.starts = Starts(self.rankings)
        self.weights = self.likelihood.choices.weights
        compare = self.likelihood.choices.informative
        self.n_different = int(compare.sum())
        self.n_people = max(1.0, float(self.weights[compare].sum()))
        self.by_number: dict[int, Mixture] = {}  #: the best for each number of camps

    @property
    def log_people(self) -> float:
        """What BIC takes for two parameters."""
        return float(np.log(self.n_people))

    def bic(self, mixture: Mixture) -> float:
        """−2·log-likelihood plus log(people) for each parameter."""
        n_free = mixture.family.n_parameters(self.rankings.shape[1])
        return float(-2 * mixture.log_likelihood + n_free * self.log_people)

    def icl(self, mixture: Mixture) -> float:
        """BIC plus twice the entropy of who belongs to which camp."""
        return self.bic(mixture) + 2 * float(self.weights @ mixture.entropy)

    def camps(self, k: int) -> Mixture:
        """K camps, from the best of some starts."""
        if k not in self.by_number:
            starts = self._starts(k)
            shares = np.append(np.full(k, (1 - _RANDOM) / k), _RANDOM)
            best = self._best_of(Family(k), starts, shares, _ROUGHLY)
            self.by_number[k] = self.likelihood.fit(best)
        return self.by_number[k]

    def settled(self, k: int, *, plain: bool = False) -> Mixture:
        """K camps, without people at random unless BIC and both parts of their lists say so."""
        noisy = self.camps(k)
        shares = np.append(noisy.shares[:k] / noisy.shares[:k].sum(), 0.0)
        pure = self.likelihood.fit(replace(noisy, family=Family(k, noise=False), shares=shares))
        if plain or self.bic(pure) <= self.bic(noisy):
            return pure
        every_other = np.arange(self.rankings.shape[1], dtype=np.float64)
        return noisy if self._agrees(noisy, pure, every_other) else pure

    def grow(self, least: int, most: int) -> int:
        """The number with the smallest ICL; numbers stop where BIC has risen twice."""
        for k in range(1, most + 1):
            self.camps(k)
            scores = [self.bic(self.by_number[number]) for number in range(1, k + 1)]
            if k > least and k >= 3 and min(scores[-2:]) > min(scores):
                break
        numbers = [k for k in self.by_number if k >= least]
        return min(numbers, key=lambda k: self.icl(self.by_number[k]))

    def structure(self, k: int) -> tuple[Structure, int, dict[str, float], Mixture]:
        """What people are, if there are at most k camps; how many; scores; the best mixture."""
        crowd = min(self.by_number[1], self._sure(1), key=self.bic)
        camps = {**self.by_number, 1: crowd}
        while k > 1 and not self._agrees(camps[k], camps[k - 1], _closest(camps[k])):
            k -= 1
        largest = max(self.by_number)
        kinds = {"crowd": crowd, "line": self._spread(1, largest)}
        scores = {name: self.bic(one) for name, one in kinds.items()}
        # As many camps as were looked at would be more.
        if 1 < k < MOST_BLOCS:
            score = self.bic if k == 2 else self.icl
            kinds["camps"] = min(self.by_number[k], self._sure(k), key=score)
            scores["camps"] = score(kinds["camps"])
            if _best(scores) == "camps":
                kinds["plane"] = self._spread(2, largest)
                scores["plane"] = self.bic(kinds["plane"])
        best = _best(scores)
        if best == "camps":
            return "camps", k, scores, kinds[best]
        if best != "crowd":
            slope = main_directions(*kinds[best].components)[0]
            if self._agrees(kinds[best], crowd, slope):
                return "line", 1, scores, kinds[best]
        return "crowd", 1, scores, crowd

    def _agrees(self, mixture: Mixture, simpler: Mixture, slope: Floats) -> bool:
        return parts_agree(self.rankings, mixture, simpler, slope, self.log_people)

    def _spread(self, n_lines: int, k: int) -> Mixture:
        """People along lines, from the main directions of the rankings, or of k camps."""
        middle, shares = self.by_number[1].blocks, np.array([1 - _RANDOM, _RANDOM])
        starts = [np.vstack([middle, self.starts.slopes()[:n_lines]])]
        if k > n_lines:
            camps = self.by_number[k]
            slopes = main_directions(camps.blocks, camps.shares[:k] / camps.shares[:k].sum())
            starts.append(np.vstack([camps.shares[:k] @ camps.blocks, slopes[:n_lines]]))
        return self._best_of(Family(n_lines=n_lines), starts, shares)

    def _best_of(
        self, family: Family, starts: list[Floats], shares: Floats, close: float = LEAST_GAIN
    ) -> Mixture:
        """The most likely of the mixtures that fits from some strengths end in."""
        tries = (self.likelihood.fit(Mixture(family, one, shares), close) for one in starts)
        return max(tries, key=lambda one: one.log_likelihood)

    def _sure(self, k: int) -> Mixture:
        """K camps of people who are more or less sure."""
        family = Family(k, sure=True)
        return self.likelihood.fit(replace(self.by_number[k], family=family, spread=_START_SPREAD))

    def _starts(self, k: int) -> list[Floats]:
        """Strengths of k camps: each of k − 1 is cut in two."""
        if k == 1:
            return [self.starts.crowd()]
        fewer = self.camps(k - 1)
        labels = fewer.chances[:, : k - 1].argmax(axis=1)
        nobody = np.zeros(self.rankings.shape[1])
        return self.starts.split(labels, k) or [np.vstack([fewer.blocks, nobody])]


def _best(scores: dict[str, float]) -> str:
    """The kind with the smallest score; a line or a plane by strong evidence alone."""
    return min(scores, key=lambda name: scores[name] + _STRONG * (name in ("line", "plane")))


def _closest(camps: Mixture) -> Floats:
    """How the strengths of the two camps differ that are most alike."""
    centred = camps.blocks - camps.blocks.mean(axis=1, keepdims=True)
    one, other = min(
        combinations(centred, 2), key=lambda pair: float(((pair[0] - pair[1]) ** 2).sum())
    )
    return np.asarray(one - other)
