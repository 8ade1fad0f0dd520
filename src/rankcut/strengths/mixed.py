"""Tastes that differ from person to person: u_p ~ N(μ, Σ), and the likelihood of p's tasks.

Utilities are u = Z·β with β ~ N(μ, Σ): Z has a row for each item, and is the identity unless items
have attributes. The likelihood says nothing of some directions of β: that all utilities rise
together, or all levels of an attribute. Along those the population has mean 0 and variance 1, so
that they neither learn nor matter.

Fitting is by EM. In each step the posterior of each person is normal, by Laplace's method, then
corrected by draws of that normal, weighted by posterior over normal (Monte Carlo EM). With N people
and weights that add up to N,

    μ ← N·mean E[β] / (N + 1),   Σ ← (N·mean E[(β − μ)(β − μ)ᵀ] + ν·Σ₀) / (N + ν)

Σ₀ is the kernel of the item graph, or the identity, times a variance, all by the evidence; ν is
chosen by the likelihood of people who are held out; so is whether Σ is low rank plus diagonal,
where it has more entries than there are people. The draws of each person depend on a seed and on
what the person said, so that a step is a function without noise, which is iterated with
extrapolation (Anderson 1965).

Where a class of people who answer at random makes all answers likelier by more than the Bayesian
information criterion asks, such people are left out of the sums as far as their answers are
likelier so, and their tastes are taken to be like those of the others.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import linalg
from scipy.special import expit, logit

from rankcut._loops.respondents import add_listed, add_respondents, fill_posteriors
from rankcut._loops.types import Floats
from rankcut.graphs import ItemGraph
from rankcut.parameters import AT_ONCE
from rankcut.strengths.factors import low_rank_plus_diagonal
from rankcut.strengths.prior import Hyperparameters, ItemPrior
from rankcut.strengths.respondents import Respondents
from rankcut.threads import in_order

Progress: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Tastes:
    """The coefficients of people: β ~ N(mean, covariance)."""

    mean: Floats
    covariance: Floats
    design: Floats | None  #: Z; None: a coefficient for each item
    constants: Floats  #: orthonormal directions of β, in columns, that no utility depends on
    at_random: float = 0.0  #: the share of people who answer at random

    @cached_property
    def factor(self) -> Floats:
        """L with L·Lᵀ = Σ."""
        return np.asarray(linalg.cholesky(self.covariance, lower=True))

    @property
    def along(self) -> Floats:
        """Coefficients without what no utility depends on."""
        return np.asarray(np.eye(len(self.mean)) - self.constants @ self.constants.T)

    @property
    def basis(self) -> Floats:
        """From x ~ N(0, I) to utilities about their mean: a row for each item."""
        return self.utilities(self.factor)

    def utilities(self, coefficients: Floats) -> Floats:
        """Z times coefficients."""
        return coefficients if self.design is None else self.design @ coefficients

    def moved(self, mean: Floats, covariance: Floats) -> "Tastes":
        """Other coefficients, without what no utility depends on."""
        along = self.along
        fixed = along @ covariance @ along + self.constants @ self.constants.T
        return replace(self, mean=along @ mean, covariance=(fixed + fixed.T) / 2)

    @cached_property
    def flat(self) -> Floats:
        """μ, the logarithm of the diagonal of L, what is below it, and the share's log odds."""
        below = np.tril_indices(len(self.mean), -1)
        shares = [logit(self.at_random)] if self.at_random else []
        return np.concatenate([self.mean, np.log(np.diag(self.factor)), self.factor[below], shares])

    def reached(self, flat: Floats) -> "Tastes":
        """The tastes of such a vector."""
        n = len(self.mean)
        factor = np.diag(np.exp(flat[n : 2 * n]))
        below = np.tril_indices(n, -1)
        factor[below] = flat[2 * n : 2 * n + len(below[0])]
        share = float(expit(flat[-1])) if self.at_random else 0.0
        return replace(self, at_random=share).moved(flat[:n], factor @ factor.T)


class PassSums(NamedTuple):
    """What a pass over all people finds."""

    values: Floats  #: the log marginal likelihood of each person
    value: float  #: their sum
    guesses: Floats  #: how probably each person answers at random
    n_people: float  #: N, without them
    shift: Floats  #: the mean of E[β − μ]
    square: Floats  #: the mean of E[(β − μ)(β − μ)ᵀ]
    told: Floats  #: N·(I − mean Cov[x]), with β = μ + L·x: what people say of L⁻¹·μ


# With fewer effective draws than this, weights are tempered: a covariance of a few draws is noise.
_LEAST_EFFECTIVE = 20.0


class Learner:
    """Passes over the people, each of which starts where the last one ended."""

    def __init__(self, respondents: Respondents, n_jobs: int | None = None) -> None:
        self.respondents, self.n_jobs = respondents, n_jobs
        self._modes = np.zeros((0, 0))

    def values(self, tastes: Tastes) -> Floats:
        """The log marginal likelihood of each person."""
        return self.sums(tastes).values

    def sums(self, tastes: Tastes, n_draws: int = 0) -> PassSums:
        """A pass over all people."""
        people = self.respondents
        local = tastes.design is None and 2 * people.longest_list < people.n_items
        n_columns = people.longest_list if local else len(tastes.mean)
        if self._modes.shape[1] != n_columns:
            self._modes = np.zeros((people.n_distinct, n_columns))
        values = np.empty(people.n_distinct)
        guesses = people.chances + logit(tastes.at_random)
        root = tastes.covariance if local else np.ascontiguousarray(tastes.basis)
        add = add_listed if local else add_respondents
        mean = tastes.utilities(tastes.mean)

        n = len(tastes.mean)

        def work(part: slice) -> tuple[Floats, Floats]:
            first, both = np.zeros(n), np.zeros((2, n, n))
            add(
                people.part(part), people.weights[part], mean, root, self._modes[part],
                values[part], guesses[part], n_draws, _LEAST_EFFECTIVE, first, both[0], both[1],
            )  # fmt: skip
            return first, both

        first, both = np.zeros(n), np.zeros((2, n, n))
        for of_first, of_both in in_order(work, people.parts, self.n_jobs):
            first += of_first
            both += of_both
        # Half of the people may all count 0 times.
        n_people = float(people.weights @ (1.0 - guesses)) or 1.0
        first, (second, spread) = first / n_people, both / n_people
        factor = tastes.covariance if local else tastes.factor
        square = factor @ second @ factor.T
        information = n_people * (np.eye(n) - spread)
        if local:
            square += tastes.covariance
            information = -n_people * tastes.factor.T @ spread @ tastes.factor
        values = _with_random(values, people.chances, tastes.at_random)
        value = float(people.weights @ values)
        return PassSums(values, value, guesses, n_people, factor @ first, square, information)


def _with_random(values: Floats, chances: Floats, share: float) -> Floats:
    """Log-likelihoods of people of whom a share answers at random."""
    return np.logaddexp(values + np.log1p(-share), chances + np.log(share)) if share else values


# Steps at most, by Laplace's method and then with draws.
_LAPLACE_STEPS, _DRAWN_STEPS = 40, 25

# Steps end when coefficients would move by less than this share of their size; with draws, by less
# than this, which is below what other draws would change.
_STILL, _DRAWN_STILL = 1e-3, 2e-3

# Draws of each person in a step.
_STEP_DRAWS = 64

# Draws of each person for means and errors: errors of some 5 % in what is itself an error.
FINAL_DRAWS = 256

# People with fewer effective draws than this get more: means and errors would be off by a tenth.
# Where even these are few, the answer says so.
FEW_EFFECTIVE = 50.0

# Variances of Σ₀ to choose from by the evidence: with 2, packages for hierarchical Bayes start.
_VARIANCES = (0.5, 1.0, 2.0, 4.0, 8.0)

# Strengths ν of the prior to choose from, in people for each coefficient.
_PEOPLE_EACH = (0.25, 1.0, 4.0, 16.0)

# If more people seem to answer at random, they are not told apart by it: their tastes are weak.
_MOST_AT_RANDOM = 0.5

# Choices about the prior are made by this many people.
_MOST_CHOOSING = 300


@dataclass(frozen=True, eq=False)
class TastesPrior:
    """The prior of Σ: an inverse Wishart about Σ₀, as strong as ν people."""

    covariance: Floats
    strength: float
    share: float = 0.0  #: how much of Σ₀ the item graph explains
    rank: int | None = None  #: of Σ, beside a diagonal; None: Σ is full


@dataclass(frozen=True, eq=False)
class TastesFit:
    """What was learned of the people."""

    tastes: Tastes
    prior: TastesPrior
    doubt: Floats  #: the covariance of L⁻¹·μ
    n_steps: int
    settled: bool  #: whether steps ended before there were too many


def fit_tastes(
    respondents: Respondents,
    design: Floats | None = None,
    constants: Floats | None = None,
    graph: ItemGraph | None = None,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> TastesFit:
    """Learn μ and Σ.

    Parameters
    ----------
    respondents : Respondents
        The tasks of people.
    design : array of shape (n_items, n_coefficients) or None
        Z, with a row for each item, in the order of ``respondents``; None: the identity.
    constants : array of shape (n_coefficients, n_constants) or None
        Directions of β that no utility depends on, orthonormal; None: all utilities rise together.
    graph : ItemGraph or None
        The item graph, in the order of ``respondents``: how Σ₀ joins items.
    n_jobs : int or None
        Number of threads.
    progress : callable or None
        Called with a few words about each step.
    """
    say = progress or (lambda words: None)
    n = respondents.n_items if design is None else design.shape[1]
    constants = np.full((n, 1), n**-0.5) if constants is None else constants
    blank = Tastes(np.zeros(n), np.eye(n), design, constants)
    some = respondents
    if respondents.n_distinct > _MOST_CHOOSING:
        # They are in no order that has to do with what they like.
        some = respondents.some(np.arange(_MOST_CHOOSING))
    say("the prior")
    prior, start = _choose_kernel(some, blank, graph, n_jobs)
    prior, start = _choose_strength(some, start, prior, n_jobs)
    if design is None and n * (n + 1) / 2 > respondents.weights.sum():
        prior, start = _choose_rank(some, start, prior, n_jobs)
    say("everyone")
    learner = Learner(respondents, n_jobs)
    tastes, n_steps, _ = _climb(learner, start, prior, 0)
    say("everyone, with draws")
    tastes, n_drawn, settled = _climb(learner, tastes, prior, _STEP_DRAWS)
    sums = learner.sums(tastes, _STEP_DRAWS)
    share = _share_at_random(respondents, sums.values)
    if share:
        say("everyone, without those who answer at random")
        start = replace(tastes, at_random=share)
        tastes, n_more, settled = _climb(learner, start, prior, _STEP_DRAWS)
        n_drawn += n_more
        sums = learner.sums(tastes, _STEP_DRAWS)
    information = sums.told
    symmetric = (information + information.T) / 2
    doubt = np.asarray(linalg.inv(np.eye(len(symmetric)) + symmetric), dtype=np.float64)
    return TastesFit(tastes, prior, doubt, n_steps + n_drawn, settled)


def _share_at_random(respondents: Respondents, values: Floats) -> float:
    """The likeliest share of people who answer at random; 0 if the evidence is against a class."""
    weights, total = respondents.weights, float(respondents.weights.sum())
    share = 0.1
    for _ in range(50):
        guesses = expit(logit(share) + respondents.chances - values)
        share = float(weights @ guesses) / total
    if not 1.0 / total < share < _MOST_AT_RANDOM:
        return 0.0
    gain = weights @ (_with_random(values, respondents.chances, share) - values)
    return share if 2.0 * gain > np.log(total) else 0.0


def _choose_kernel(
    some: Respondents, blank: Tastes, graph: ItemGraph | None, n_jobs: int | None
) -> tuple[TastesPrior, Tastes]:
    """Σ₀ with the variance, and the share and reach of the graph, that make people most likely."""
    n = len(blank.mean)
    family = None if graph is None else ItemPrior(n, graph)
    shapes = [(0.0, 1.0)] if family is None else family.shapes
    learner = Learner(some, n_jobs)
    best, start, prior = -np.inf, blank, TastesPrior(np.eye(n), float(n))

    def tried(variance: float, share: float, reach: float) -> float:
        nonlocal best, prior, start
        kernel = variance * np.eye(n)
        if family is not None:
            values = family.variances(Hyperparameters(variance, share, reach))
            vectors = family.spectrum[1]
            kernel = (vectors * values) @ vectors.T
        fixed = TastesPrior(kernel, np.inf, share)
        at = _climb(learner, blank.moved(start.mean, kernel), fixed, _STEP_DRAWS)[0]
        value = _evidence(at, learner.sums(at, _STEP_DRAWS))
        if value > best:
            best, start, prior = value, at, replace(fixed, strength=float(n))
        return value

    logs = np.log(_VARIANCES)
    values: list[float] = []
    for each in _VARIANCES:
        values.append(tried(each, *shapes[0]))
        if len(values) > 2 and values[-1] < values[-2]:
            break
    # The top of the parabola through the best and its neighbours.
    middle = int(np.clip(np.argmax(values), 1, len(values) - 2))
    bend, slope, _ = np.polyfit(logs[middle - 1 : middle + 2], values[middle - 1 : middle + 2], 2)
    top = -slope / (2.0 * bend) if bend < 0 else logs[int(np.argmax(values))]
    variance = float(np.exp(np.clip(top, logs[0], logs[-1])))
    for share, reach in shapes:
        tried(variance, share, reach)
    return prior, start


def _evidence(tastes: Tastes, sums: PassSums) -> float:
    """The log likelihood with μ integrated out, by Laplace's method."""
    sizes = np.log(np.diag(tastes.factor)).sum()
    return float(
        sums.value + sizes - 0.5 * np.linalg.slogdet(np.eye(len(sums.told)) + sums.told)[1]
    )


def _choose_strength(
    some: Respondents, start: Tastes, prior: TastesPrior, n_jobs: int | None
) -> tuple[TastesPrior, Tastes]:
    """The strength under which every other person is most likely, by a model of the others."""
    halves = _halves(some)
    if not halves[1].n_distinct:
        return prior, start
    fitting, judging = (Learner(half, n_jobs) for half in halves)
    often = halves[1].weights
    best, strength, at = -np.inf, prior.strength, start
    for factor in reversed(_PEOPLE_EACH):
        # From a strong prior to a weak one: each starts where the last one ended.
        tried = replace(prior, strength=factor * len(start.mean))
        start = _climb(fitting, start, tried, _STEP_DRAWS)[0]
        value = float(often @ judging.sums(start, _STEP_DRAWS).values)
        if value <= best:
            break
        best, strength, at = value, tried.strength, start
    return replace(prior, strength=strength), at


def _choose_rank(
    some: Respondents, start: Tastes, full: TastesPrior, n_jobs: int | None
) -> tuple[TastesPrior, Tastes]:
    """Σ full or low rank plus diagonal, under which every other person is most likely."""
    halves = _halves(some)
    if not halves[1].n_distinct:
        return full, start
    fitting, judging = (Learner(half, n_jobs) for half in halves)

    def tried(prior: TastesPrior) -> tuple[float, TastesPrior, Tastes]:
        at = _climb(fitting, start, prior, _STEP_DRAWS)[0]
        values = judging.sums(at, _STEP_DRAWS).values
        return float(halves[1].weights @ values), prior, at

    forms = [full, *(replace(full, rank=rank) for rank in (2, 6))]
    return max(map(tried, forms), key=lambda each: each[0])[1:]


def _halves(some: Respondents) -> list[Respondents]:
    numbers = np.arange(some.n_distinct)
    return [some.some(numbers[numbers % 2 == side]) for side in (0, 1)]


def _step(
    learner: Learner, tastes: Tastes, prior: TastesPrior, n_draws: int
) -> tuple[float, Tastes]:
    """The log marginal likelihood, and a step of EM."""
    sums = learner.sums(tastes, n_draws)
    n_people = sums.n_people
    weights = learner.respondents.weights
    share = float(weights @ sums.guesses) / (float(weights.sum()) or 1.0)
    tastes = replace(tastes, at_random=min(share, _MOST_AT_RANDOM))
    mean = (tastes.mean + sums.shift) * n_people / (n_people + 1.0)
    if np.isinf(prior.strength):
        return sums.value, tastes.moved(mean, tastes.covariance)
    moved = mean - tastes.mean
    across = np.outer(moved, sums.shift)
    square = sums.square - across - across.T + np.outer(moved, moved)
    pulled = n_people * square + prior.strength * prior.covariance
    covariance = pulled / (n_people + prior.strength)
    if prior.rank is not None:
        covariance = low_rank_plus_diagonal(covariance, prior.rank)
    return sums.value, tastes.moved(mean, covariance)


def _climb(
    learner: Learner, at: Tastes, prior: TastesPrior, n_draws: int
) -> tuple[Tastes, int, bool]:
    """Steps with Anderson's extrapolation until they hardly move; how many, and whether they end.

    With x the coefficients and f the step from there, the next x is x + f less the combination of
    earlier differences of x + f for which that of f is nearest to f.
    """
    most, still = (_DRAWN_STEPS, _DRAWN_STILL) if n_draws else (_LAPLACE_STEPS, _STILL)
    points: list[Floats] = []
    steps: list[Floats] = []
    for number in range(1, most + 1):
        after = _step(learner, at, prior, n_draws)[1]
        point, step = at.flat, after.flat - at.flat
        size = np.linalg.norm(step)
        if size < still * np.linalg.norm(point):
            return after, number, True
        if steps and size > 2.0 * np.linalg.norm(steps[-1]):
            # An extrapolation went astray: on from here without what came before.
            points, steps = [], []
        # More than six steps hardly help (Walker and Ni 2011).
        points, steps = [*points[-6:], point], [*steps[-6:], step]
        to = point + step
        if len(steps) > 1:
            differences = np.diff(steps, axis=0)
            gram = differences @ differences.T
            # A little ridge, so that noise is not extrapolated.
            gram[np.diag_indices(len(gram))] += 1e-6 * np.trace(gram)
            shares = np.linalg.solve(gram, differences @ step)
            to = to - shares @ (np.diff(points, axis=0) + differences)
        at = at.reached(to)
    return at, most, False


def climb_by_laplace(respondents: Respondents, fit: TastesFit, n_jobs: int | None = None) -> Tastes:
    """The tastes by Laplace's method alone, whose likelihood can be compared with others'."""
    return _climb(Learner(respondents, n_jobs), fit.tastes, fit.prior, 0)[0]


class PersonPosteriors(NamedTuple):
    """What is known of the coefficients of some people."""

    people: slice
    means: Floats
    covariances: Floats
    n_effective: Floats  #: effective draws
    guesses: Floats  #: how probably each person answers at random


def posteriors(
    respondents: Respondents,
    tastes: Tastes,
    n_jobs: int | None = None,
    *,
    doubt: Floats | None = None,
) -> Iterator[PersonPosteriors]:
    """The mean and the covariance of β of each person, some people at a time.

    ``doubt`` is the covariance of L⁻¹·μ: where a person says little, errors of μ are theirs too.
    """
    n, step = len(tastes.mean), max(1, AT_ONCE // len(tastes.mean) ** 2)
    bounds = range(0, respondents.n_distinct, step)
    basis, mean = np.ascontiguousarray(tastes.basis), tastes.utilities(tastes.mean)
    # Draws differ in what no utility depends on, too.
    factor = tastes.along @ tastes.factor

    def work(first: int) -> PersonPosteriors:
        people = slice(first, min(first + step, respondents.n_distinct))
        n_people = people.stop - people.start
        centres, spreads = np.zeros((n_people, n)), np.empty((n_people, n, n))
        values, n_effective = np.empty((2, n_people))
        fill_posteriors(
            respondents.part(people), mean, basis, FINAL_DRAWS, _LEAST_EFFECTIVE,
            centres, spreads, values, n_effective,
        )  # fmt: skip
        few = np.flatnonzero(n_effective < FEW_EFFECTIVE)
        if len(few):
            again = [each[few] for each in (centres, spreads, values, n_effective)]
            fill_posteriors(
                respondents.some(first + few).tasks, mean, basis, 8 * FINAL_DRAWS,
                _LEAST_EFFECTIVE, *again,
            )  # fmt: skip
            centres[few], spreads[few], values[few], n_effective[few] = again
        guesses = expit(logit(tastes.at_random) + respondents.chances[people] - values)
        if tastes.at_random:
            # Who answers at random says nothing: x ~ N(0, I).
            kept = (1.0 - guesses)[:, None]
            across = centres[:, :, None] * centres[:, None, :]
            spreads = kept[:, :, None] * (spreads + guesses[:, None, None] * across)
            spreads[:, range(n), range(n)] += guesses[:, None]
            centres *= kept
        if doubt is not None:
            spreads += spreads @ doubt @ spreads
        means, covariances = tastes.mean + centres @ factor.T, factor @ spreads @ factor.T
        return PersonPosteriors(people, means, covariances, n_effective, guesses)

    return in_order(work, bounds, n_jobs)
