"""Mixtures of strengths: a crowd, camps, and people spread along a line, all by one likelihood.

A person of component q has the strengths Σ_b B_qb·β_b, with a vector β_b of strengths for each
block b. The basis B says what kind of people there are:

k camps
    B = I, with shares that are free; one camp is a crowd;
camps that are more or less sure
    B_q = exp(τ·u_q) for each camp: some follow its order closely, others loosely;
a line
    B_q = (1, u_q): strengths θ + u·d, where people's places u on the line are standard normal. The
    u_q are that distribution in equal parts;
a plane
    B_q = (1, u_q, v_q), the same with two lines.

One more component may have B = 0 and a share of its own: people who rank at random. Parameters have
the largest posterior, by L-BFGS; strengths have the normal prior behind the intervals of
:mod:`rankcut.strengths`. Ties are Efron's: in which order people would put tied items is not known.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import optimize, special

from rankcut._loops.choices import mixture_sums
from rankcut._loops.types import Floats, Longs
from rankcut.rankings import Rankings
from rankcut.strengths import Choices
from rankcut.threads import PARTS, in_order

#: In how many parts people on a line are divided; an even number, so that nobody is in its middle.
N_NODES = 16

# Of strengths in a bloc: odds of exp(2) to 1 are nothing special.
STRENGTH_VARIANCE = 4.0

# L-BFGS stops where a step gains less than this share of the log-likelihood.
LEAST_GAIN = 1e-8

# Derivatives of likelihoods are differences of so small a part of the way between two blocs; the
# power has settled when it was found this often.
_DIFFERENCE_STEP, _REPEATED = 1e-3, 20

# Logarithms of shares stay above this: nobody, in effect. Some are more sure than others by up to
# exp of τ standard deviations.
_NOBODY, _MOST_SPREAD = -30.0, 3.0


@dataclass(frozen=True)
class Family:
    """What kind of people there are."""

    n_camps: int = 1
    n_lines: int = 0  #: along how many lines people are spread; then there is one camp
    sure: bool = False  #: whether people of a camp are more or less sure
    noise: bool = True  #: whether some rank at random

    @property
    def places(self) -> Floats:
        """The places u of the components of a camp, a column for each line."""
        if not (self.n_lines or self.sure):
            return np.zeros((1, 1))
        number = N_NODES if self.n_lines == 1 else N_NODES // 2
        one = special.ndtri((np.arange(number) + 0.5) / number)
        grid = np.meshgrid(*[one] * max(self.n_lines, 1))
        return np.column_stack([axis.ravel() for axis in grid])

    def basis(self, spread: float) -> Floats:
        """B, without the row of those at random; ``spread`` is τ."""
        if self.n_lines:
            return np.column_stack([np.ones(len(self.places)), self.places])
        return np.asarray(np.kron(np.eye(self.n_camps), np.exp(spread * self.places)))

    def n_parameters(self, n_items: int) -> int:
        """How many numbers are free; the strengths of a block add up to 0.

        How people are spread along a line counts as one, like the share of a camp: otherwise two
        camps would have to be more likely than a line by that parameter alone.
        """
        n_blocks = self.n_camps + self.n_lines
        return n_blocks * n_items - 1 + self.noise + self.sure


@dataclass(frozen=True, eq=False)
class Mixture:
    """A fitted mixture."""

    family: Family
    blocks: Floats  #: β: a row of strengths for each block
    shares: Floats  #: how many people each camp has, and how many rank at random
    spread: float = 0.0  #: τ
    power: float = 1.0  #: of likelihoods, where it is asked who belongs where
    log_likelihood: float = -np.inf  #: of all rankings
    #: How probable each camp is for each ranking, and a random order.
    chances: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def components(self) -> tuple[Floats, Floats]:
        """The strengths of each component, and its share."""
        n_each = len(self.family.places)
        strengths = self.family.basis(self.spread) @ self.blocks
        shares = np.repeat(self.shares[:-1] / n_each, n_each)
        if self.family.noise:
            strengths = np.vstack([strengths, np.zeros(strengths.shape[1])])
            shares = np.append(shares, self.shares[-1])
        return strengths, shares

    def rearranged(self, order: Longs) -> "Mixture":
        """The mixture of camps with its camps in another order."""
        with_random = np.append(order, len(order))
        return replace(
            self,
            blocks=self.blocks[order],
            shares=self.shares[with_random],
            chances=self.chances[:, with_random],
        )

    @property
    def entropy(self) -> Floats:
        """How unsure it is, for each ranking, to which camp it belongs."""
        chances = self.chances[:, :-1]
        in_camps = np.maximum(chances.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        return np.asarray(special.entr(chances / in_camps).sum(axis=1) * in_camps[:, 0])


@dataclass(frozen=True, eq=False)
class MixtureLikelihood:
    """The likelihood of mixtures, for some rankings.

    Rankings of a person follow each other, and their weights add up to the person's: what is said
    of a person is said at each of them.
    """

    choices: Choices

    @classmethod
    def of(cls, rankings: Rankings) -> "MixtureLikelihood":
        """The likelihood of rankings of any kind; tied items that come last are no choice."""
        choices = Choices.of(rankings)
        if choices.tied:
            ends = choices.starts[1:]
            begins = np.append(np.flatnonzero(~choices.joined), len(choices.joined))
            last = begins[np.searchsorted(begins, ends) - 1]
            whole = (choices.n_listed == np.diff(choices.starts)) & (choices.n_listed > 0)
            n_listed = np.where(whole, last - choices.starts[:-1], choices.n_listed)
            choices = replace(choices, n_listed=n_listed)
        return cls(choices)

    @cached_property
    def people(self) -> Longs:
        """Where the rankings of each person begin, and where those of the last one end."""
        n_rows, whose = self.choices.n_rankings, self.choices.clusters
        if whose is None:
            return np.arange(n_rows + 1)
        return np.append(np.flatnonzero(np.diff(whose, prepend=-1)), n_rows)

    def sums(self, strengths: Floats, shares: Floats) -> tuple[Floats, Floats, Floats]:
        """The log-likelihood of each person, how probable each component is, and the gradient."""
        choices, n_rows = self.choices, self.choices.n_rankings
        chances, totals = np.empty((n_rows, len(strengths))), np.empty(n_rows)
        bounds = np.linspace(0, len(self.people) - 1, PARTS + 1).astype(int).tolist()
        log_shares = _logs(shares)

        def work(part: tuple[int, int]) -> Floats:
            people = self.people[part[0] : part[1] + 1]
            rows = slice(int(people[0]), int(people[-1]))
            starts = choices.starts[rows.start : rows.stop + 1]
            entries = slice(int(starts[0]), int(starts[-1]))
            gradient = np.zeros(strengths.shape)
            mixture_sums(
                strengths, log_shares, people - people[0], starts - starts[0],
                choices.items[entries], choices.joined[entries], choices.n_listed[rows],
                choices.others, choices.weights[rows], chances[rows], totals[rows], gradient,
            )  # fmt: skip
            return gradient

        gradient = np.zeros(strengths.shape)
        for part in in_order(work, [part for part in pairwise(bounds) if part[1] > part[0]], None):
            gradient += part
        return totals, chances, gradient

    def expect(self, mixture: Mixture) -> Mixture:
        """The mixture with its log-likelihood, and how probable each camp is for each ranking."""
        totals, chances, _ = self.sums(*mixture.components)
        n_camps, n_each = mixture.family.n_camps, len(mixture.family.places)
        camps = chances[:, : n_camps * n_each].reshape(-1, n_camps, n_each).sum(axis=2)
        random = chances[:, n_camps * n_each :].sum(axis=1)
        chances = np.column_stack([camps, random])
        if mixture.power != 1:
            log_odds, log_shares = _logs(chances), _logs(mixture.shares)
            tempered = log_shares + mixture.power * (log_odds - log_shares)
            chances = special.softmax(tempered, axis=1)
        total = float(self.choices.weights @ totals)
        return replace(mixture, log_likelihood=total, chances=chances)

    def power(self, mixture: Mixture) -> float:
        """The power of likelihoods that makes membership as sure as people are alike, at most 1.

        Quasi-likelihood (Wedderburn 1974): if the scores of a bloc's people vary φ times as much as
        its model says, likelihoods count with the power 1/φ. Scores, and their variance by the
        model, which is the curvature, are taken towards the other blocs. Who belongs where depends
        on the power again, so that it is repeated.
        """
        k, blocks = mixture.family.n_camps, mixture.blocks
        chances = self.expect(mixture).chances[:, :k]
        members = self.choices.weights[:, None] * np.maximum(chances, np.finfo(np.float64).tiny)
        scores, curvature = np.zeros((2, self.choices.n_rankings, k))
        for bloc, strengths in enumerate(blocks):
            for step in _DIFFERENCE_STEP * (np.delete(blocks, bloc, axis=0) - strengths):
                nearby = (strengths - step, strengths, strengths + step)
                before, here, after = (self.sums(one[None], np.ones(1))[0] for one in nearby)
                # The prior keeps their mean from being 0.
                mean = np.average(after - before, weights=members[:, bloc])
                scores[:, bloc] += ((after - before - mean) / 2) ** 2
                curvature[:, bloc] += 2 * here - before - after
        power = 1.0
        for _ in range(_REPEATED if curvature.any() else 0):
            chances = self.expect(replace(mixture, power=power)).chances[:, :k]
            modelled, observed = (
                self.choices.weights @ (chances * each) for each in (curvature, scores)
            )
            if not observed.any():
                break
            power = min(1.0, float(modelled.sum() / observed.sum()))
        return power

    def fit_known(self, labels: Longs) -> Mixture:
        """The strengths of blocs where it is known who belongs to which."""
        members, weights = np.eye(int(labels.max()) + 1)[labels], self.choices.weights
        start = np.zeros((1, self.choices.n_items))
        crowd = Mixture(Family(noise=False), start, np.array([1.0, 0.0]))
        each = (MixtureLikelihood(replace(self.choices, weights=weights * w)) for w in members.T)
        blocks = np.vstack([one.fit(crowd).blocks for one in each])
        shares = np.append(weights @ members / weights.sum(), 0.0)
        chances = np.column_stack([members, np.zeros(len(members))])
        return Mixture(Family(len(blocks), noise=False), blocks, shares, chances=chances)

    def fit(self, start: Mixture, close: float = LEAST_GAIN) -> Mixture:
        """The mixture with the largest posterior, from another of its family."""
        family, size = start.family, start.blocks.size
        n_shares, n_each = family.n_camps + family.noise, len(family.places)
        weights, total = self.choices.weights, float(self.choices.weights.sum())

        def unpack(x: Floats) -> Mixture:
            shares = np.zeros(family.n_camps + 1)
            shares[:n_shares] = special.softmax(x[size : size + n_shares])
            return replace(
                start,
                blocks=x[:size].reshape(start.blocks.shape),
                shares=shares,
                spread=float(x[-1]) if family.sure else 0.0,
            )

        def loss(x: Floats) -> tuple[float, Floats]:
            mixture = unpack(x)
            values, chances, slopes = self.sums(*mixture.components)
            basis = family.basis(mixture.spread)
            slopes, masses = slopes[: len(basis)], weights @ chances
            of_camps = masses[: len(basis)].reshape(-1, n_each).sum(axis=1)
            rise = [
                (basis.T @ slopes).ravel() - x[:size] / STRENGTH_VARIANCE,
                np.append(of_camps, masses[len(basis) :]) - total * mixture.shares[:n_shares],
            ]
            if family.sure:
                turned = basis * np.tile(family.places, (family.n_camps, 1))
                rise.append(np.array([(slopes * (turned @ mixture.blocks)).sum()]))
            value = float(weights @ values) - float(x[:size] @ x[:size]) / (2 * STRENGTH_VARIANCE)
            return -value / total, -np.concatenate(rise) / total

        logits = np.log(np.maximum(start.shares[:n_shares], np.exp(_NOBODY)))
        x = np.concatenate([start.blocks.ravel(), logits, [start.spread] * family.sure])
        limits = np.repeat([np.inf, -_NOBODY, _MOST_SPREAD], [size, n_shares, family.sure])
        bounds = optimize.Bounds(np.where(np.arange(len(x)) < size + n_shares, -limits, 0), limits)
        options = {"ftol": close, "maxcor": N_NODES}
        best = optimize.minimize(loss, x, jac=True, bounds=bounds, options=options)
        return self.expect(unpack(best.x))


def _logs(chances: Floats) -> Floats:
    return np.log(np.maximum(chances, np.finfo(np.float64).tiny))
