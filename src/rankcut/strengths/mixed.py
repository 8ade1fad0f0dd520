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
chosen by the likelihood of people who are held out. The draws of each person depend on a seed and
on what the person said, so that a step is a function without noise, which is iterated with
extrapolation (Anderson 1965).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from rankcut._loops.random_streams import FIRST_FACTOR, SECOND_FACTOR, STEP
from rankcut._loops.respondents import (
    PersonTasks,
    add_listed,
    add_respondents,
    fill_posteriors,
)
from rankcut._loops.types import Flags, Floats, Longs, Words
from rankcut.errors import InputError, Setting
from rankcut.graphs import ItemGraph
from rankcut.parameters import AT_ONCE
from rankcut.rankings import Rankings
from rankcut.strengths.choices import Choices
from rankcut.strengths.prior import Hyperparameters, ItemPrior
from rankcut.threads import PARTS, in_order

Progress: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Respondents:
    """The tasks of people, each different person once, in an order of what they said.

    Items are in an order of who chose them, so that sums have the same bits for any order of
    people, tasks and items.
    """

    n_items: int
    order: Longs  #: the column of each item
    tasks: PersonTasks
    weights: Floats  #: how many people each stands for, or their survey weight
    which: Longs  #: which of them each person was
    person_weights: Floats  #: the weight of each person
    n_rankings: Longs  #: number of tasks of each

    @classmethod
    def of(cls, rankings: Rankings, seed: int = 0, order: Longs | None = None) -> "Respondents":
        """The people behind rankings, numbered as they are; without numbers each row is one.

        ``order`` is that of the items of others, whose tastes these people are to have.
        """
        choices = Choices.of(rankings).with_others_as_entries()
        n_rows = choices.n_rankings
        people = np.arange(n_rows) if choices.clusters is None else choices.clusters
        n_people = int(people.max(initial=-1)) + 1
        rows = np.flatnonzero(choices.informative)
        if rankings.people is not None and rankings.counted:
            # A row that is counted is so many tasks of its person.
            rows = np.repeat(rows, choices.weights[rows].astype(np.int64))
        task_of, entries = people[rows], choices.entries_of(rows)
        lengths = np.diff(choices.starts)[rows]
        row, item = np.repeat(np.arange(len(rows)), lengths), choices.items[entries].astype(int)
        starts = np.append(0, np.cumsum(lengths))
        joined = choices.joined[entries]
        if not choices.weights[rows].any():
            n_items = choices.n_items
            among = f"found {n_items} feature(s)" if n_items == 1 else f"of {n_items:,} items"
            raise InputError(
                f"no ranking compares two items, so there are no utilities to find: {among}",
                remedy=["check the ranks, or what ", Setting("unranked"), " says about them"],
            )
        n_chosen, extremes = _read_tasks(choices, rows, starts, joined)
        group = np.cumsum(~joined) + row
        place = group - np.repeat(group[starts[:-1]], lengths)
        # Those that were only shown have no order.
        rest = np.minimum(starts[:-1] + n_chosen, len(joined) - 1)
        place = np.where(np.arange(len(joined)) > rest[row], place[rest][row], place)
        places = _mixed(place.astype(np.uint64) + _mixed(n_chosen.astype(np.uint64))[row])
        if order is None:
            often = choices.weights[rows] if choices.counted and choices.clusters is None else None
            order = _order_of_items(choices.n_items, row, item, places, task_of, n_people, often)
        numbers = np.empty_like(order)
        numbers[order] = np.arange(len(order))
        task_keys, person_keys = _keys(
            _mixed(numbers.astype(np.uint64)), row, item, places, task_of, n_people
        )
        keys, first, which = np.unique(person_keys, return_index=True, return_inverse=True)
        n_rankings = np.bincount(task_of, minlength=n_people)
        weights = np.where(n_rankings > 0, _person_weights(rankings, people, n_people), 0.0)
        if not weights.any():
            raise InputError("nobody who counts compares two items")
        if not rankings.counted:
            # Survey weights say who counts more than whom, not how many people there are.
            weights *= (weights > 0).sum() / weights.sum()
        sums = np.bincount(which, weights, len(keys)).astype(np.float64)
        chosen_tasks = np.flatnonzero(first[which[task_of]] == task_of)
        chosen_tasks = chosen_tasks[
            np.lexsort((task_keys[chosen_tasks], which[task_of[chosen_tasks]]))
        ]
        return cls(
            choices.n_items,
            order,
            _gathered(
                chosen_tasks, which[task_of], starts, numbers[item], joined, n_chosen, extremes,
                _mixed(keys + np.uint64(seed)),
            ),
            sums,
            which,
            weights,
            n_rankings,
        )  # fmt: skip

    @property
    def n_distinct(self) -> int:
        """Number of people who said different things."""
        return len(self.weights)

    @property
    def longest_list(self) -> int:
        """The most items that a person was shown."""
        return int(np.diff(self.tasks.lists).max(initial=1))

    @cached_property
    def parts(self) -> Sequence[slice]:
        """Some people at a time, as threads take them."""
        bounds = np.linspace(0, self.n_distinct, PARTS + 1).astype(int).tolist()
        return [slice(a, b) for a, b in pairwise(bounds) if b > a]

    def some(self, people: Longs) -> "Respondents":
        """Some of the people, in the order given, each of them different."""
        everyone = self.tasks
        tasks, starts = _spans(everyone.people, people)
        entries, ends = _spans(everyone.starts, tasks)
        listed, lists = _spans(everyone.lists, people)
        some = PersonTasks(
            starts,
            ends,
            everyone.places[entries],
            everyone.joined[entries],
            everyone.n_chosen[tasks],
            everyone.extremes[tasks],
            lists,
            everyone.items[listed],
            everyone.streams[people],
        )
        return replace(
            self,
            tasks=some,
            weights=self.weights[people],
            which=np.arange(len(people)),
            person_weights=self.weights[people],
            n_rankings=np.diff(starts),
        )

    def part(self, people: slice) -> PersonTasks:
        """The tasks of some of the people."""
        everyone = self.tasks
        tasks = everyone.people[people.start : people.stop + 1]
        starts = everyone.starts[tasks[0] : tasks[-1] + 1]
        lists = everyone.lists[people.start : people.stop + 1]
        entries, numbers = slice(starts[0], starts[-1]), slice(tasks[0], tasks[-1])
        return PersonTasks(
            tasks - tasks[0],
            starts - starts[0],
            everyone.places[entries],
            everyone.joined[entries],
            everyone.n_chosen[numbers],
            everyone.extremes[numbers],
            lists - lists[0],
            everyone.items[lists[0] : lists[-1]],
            everyone.streams[people],
        )


def _spans(starts: Longs, some: Longs) -> tuple[Longs, Longs]:
    """What some parts hold, one after the other, and where each of them starts now.

    >>> _spans(np.array([0, 2, 3, 5]), np.array([2, 0]))
    (array([3, 4, 0, 1]), array([0, 2, 4]))
    """
    lengths = np.diff(starts)[some]
    ends = np.append(0, np.cumsum(lengths))
    return np.repeat(starts[some] - ends[:-1], lengths) + np.arange(ends[-1]), ends


def _read_tasks(choices: Choices, rows: Longs, starts: Longs, joined: Flags) -> tuple[Longs, Flags]:
    """How many entries of each task were chosen, and whether only its best and worst were named."""
    lengths = np.diff(starts)
    n_groups = np.add.reduceat(~joined, starts[:-1])
    # Whoever comes last alone was not chosen.
    n_chosen = np.minimum(choices.n_listed[rows], lengths - ~joined[starts[1:] - 1])
    if choices.asked_ties:
        return n_chosen, np.zeros(len(rows), dtype=bool)
    extremes = (n_groups == 3) & (lengths > 3) & (choices.n_listed[rows] == lengths)
    extremes &= ~joined[np.minimum(starts[:-1] + 1, len(joined) - 1)]
    extremes &= ~joined[starts[1:] - 1]
    # A tie that nobody asked about says nothing: the last group is what remains.
    last = np.maximum.reduceat(np.where(joined, 0, np.arange(len(joined))), starts[:-1])
    tied_last = joined[starts[1:] - 1] & (n_chosen == lengths)
    return np.where(tied_last, last - starts[:-1], n_chosen), extremes


def _order_of_items(
    n_items: int,
    row: Longs,
    item: Longs,
    places: Words,
    task_of: Longs,
    n_people: int,
    often: Floats | None,
) -> Longs:
    """An order of items by what is said of them, whatever the order of items, tasks and people.

    ``often`` is how often each task is there; None: once.
    """
    times = np.ones(len(task_of), np.uint64) if often is None else often.astype(np.uint64)
    tasks, people = np.zeros(len(task_of), np.uint64), np.zeros(n_people, np.uint64)
    items = np.zeros(n_items, np.uint64)
    # Items with the same places are told apart by who puts them there, so there are two rounds.
    for _ in range(2):
        sums = np.zeros(n_items, dtype=np.uint64)
        np.add.at(sums, item, times[row] * _mixed(places + (tasks + people[task_of])[row]))
        items = _mixed(sums)
        tasks, people = _keys(items, row, item, places, task_of, n_people)
    return np.argsort(items, kind="stable")


def _keys(
    items: Words, row: Longs, item: Longs, places: Words, task_of: Longs, n_people: int
) -> tuple[Words, Words]:
    """Words for what each task says, and for what each person says, from those of items."""
    tasks, people = np.zeros(len(task_of), np.uint64), np.zeros(n_people, np.uint64)
    np.add.at(tasks, row, _mixed(places + items[item]))
    tasks = _mixed(tasks)
    np.add.at(people, task_of, _mixed(tasks))
    return tasks, people


def _person_weights(rankings: Rankings, people: Longs, n_people: int) -> Floats:
    """The weight of each person: the mean of the survey weights of their rows, or how many rows."""
    if rankings.people is not None and rankings.counted:
        return np.ones(n_people)
    weights = np.bincount(people, rankings.counts, n_people)
    return np.asarray(weights / np.maximum(np.bincount(people, minlength=n_people), 1))


def _gathered(
    rows: Longs,
    person_of: Longs,
    starts: Longs,
    items: Longs,
    joined: Flags,
    n_chosen: Longs,
    extremes: Flags,
    streams: Words,
) -> PersonTasks:
    """Some tasks, person by person, with the items that each person was shown."""
    lengths = np.diff(starts)[rows]
    ends = np.cumsum(lengths)
    entries = np.repeat(starts[rows] - ends + lengths, lengths) + np.arange(int(lengths.sum()))
    # Tied items, and those that were only shown, are in the order of their numbers.
    owner = np.repeat(np.arange(len(rows)), lengths)
    opens = ~joined[entries] | (entries - starts[rows][owner] == n_chosen[rows][owner])
    after = entries - starts[rows][owner] > n_chosen[rows][owner]
    run = np.cumsum(opens & ~after)
    entries = entries[np.lexsort((items[entries], run))]
    n_people = len(streams)
    person = person_of[rows][owner]
    width = int(items.max(initial=0)) + 1
    listed, places = np.unique(person * width + items[entries], return_inverse=True)
    lists = np.append(0, np.cumsum(np.bincount(listed // width, minlength=n_people)))
    tasks = np.append(0, np.cumsum(np.bincount(person_of[rows], minlength=n_people)))
    return PersonTasks(
        tasks.astype(np.int64),
        np.append(0, ends).astype(np.int64),
        (places - lists[person]).astype(np.uint32),
        ~opens,
        n_chosen[rows].astype(np.int64),
        extremes[rows],
        lists.astype(np.int64),
        (listed % width).astype(np.uint32),
        streams,
    )


def _mixed(words: NDArray[np.uint64]) -> Words:
    """Numbers that look random, different ones for different words (splitmix64)."""
    words = words + STEP
    words = (words ^ (words >> np.uint64(30))) * FIRST_FACTOR
    words = (words ^ (words >> np.uint64(27))) * SECOND_FACTOR
    return np.asarray(words ^ (words >> np.uint64(31)))


@dataclass(frozen=True, eq=False)
class Tastes:
    """The coefficients of people: β ~ N(mean, covariance)."""

    mean: Floats
    covariance: Floats
    design: Floats | None  #: Z; None: a coefficient for each item
    constants: Floats  #: orthonormal directions of β, in columns, that no utility depends on

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
        """μ and the logarithm of the diagonal of L, and what is below it, as one vector."""
        below = np.tril_indices(len(self.mean), -1)
        return np.concatenate([self.mean, np.log(np.diag(self.factor)), self.factor[below]])

    def reached(self, flat: Floats) -> "Tastes":
        """The tastes of such a vector."""
        n = len(self.mean)
        factor = np.diag(np.exp(flat[n : 2 * n]))
        factor[np.tril_indices(n, -1)] = flat[2 * n :]
        return self.moved(flat[:n], factor @ factor.T)


class PassSums(NamedTuple):
    """What a pass over all people finds."""

    values: Floats  #: the log marginal likelihood of each person
    value: float  #: their sum
    shift: Floats  #: the mean of E[β − μ]
    square: Floats  #: the mean of E[(β − μ)(β − μ)ᵀ]
    told: Floats  #: N·(I − mean Cov[x]), with β = μ + L·x: what people say of L⁻¹·μ


# With fewer effective draws than this, weights are tempered: a covariance of a few draws is noise.
_LEAST_EFFECTIVE = 20.0


class Learner:
    """Passes over the people, each of which starts where the last one ended."""

    def __init__(self, respondents: Respondents, n_jobs: int | None = None) -> None:
        self.respondents, self.n_jobs = respondents, n_jobs
        # Half of the people may all count 0 times.
        self.n_people = float(respondents.weights.sum()) or 1.0
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
        values, n_effective = np.empty((2, people.n_distinct))
        root = tastes.covariance if local else np.ascontiguousarray(tastes.basis)
        add = add_listed if local else add_respondents
        mean = tastes.utilities(tastes.mean)

        n = len(tastes.mean)

        def work(part: slice) -> tuple[Floats, Floats]:
            first, both = np.zeros(n), np.zeros((2, n, n))
            add(
                people.part(part), people.weights[part], mean, root, self._modes[part],
                values[part], n_effective[part], n_draws, _LEAST_EFFECTIVE, first, both[0], both[1],
            )  # fmt: skip
            return first, both

        first, both = np.zeros(n), np.zeros((2, n, n))
        for of_first, of_both in in_order(work, people.parts, self.n_jobs):
            first += of_first
            both += of_both
        first, (second, spread) = first / self.n_people, both / self.n_people
        factor = tastes.covariance if local else tastes.factor
        square = factor @ second @ factor.T
        information = self.n_people * (np.eye(n) - spread)
        if local:
            square += tastes.covariance
            information = -self.n_people * tastes.factor.T @ spread @ tastes.factor
        return PassSums(values, float(people.weights @ values), factor @ first, square, information)


# Steps at most, by Laplace's method and then with draws.
_LAPLACE_STEPS, _DRAWN_STEPS = 40, 25

# Steps end when coefficients would move by less than this share of their size; with draws, by less
# than this, which is below what other draws would change.
_STILL, _DRAWN_STILL = 1e-3, 2e-3

# Steps that an extrapolation remembers; more hardly help (Walker and Ni 2011).
_MEMORY = 6

# How much of their size regularises the differences of steps, so that noise is not extrapolated.
_RIDGE = 1e-6

# Draws of each person in a step.
_STEP_DRAWS = 64

# Draws of each person for means and errors: errors of some 5 % in what is itself an error.
FINAL_DRAWS = 256

# People with fewer effective draws than this get more: means and errors would be off by a tenth.
FEW_EFFECTIVE = 50.0

# So many times as many; where even these are few, the answer says so.
_MORE_DRAWS = 8

# Variances of Σ₀ to choose from by the evidence: with 2, packages for hierarchical Bayes start.
_VARIANCES = (0.5, 1.0, 2.0, 4.0, 8.0)

# Strengths ν of the prior to choose from, in people for each coefficient.
_PEOPLE_EACH = (0.25, 1.0, 4.0, 16.0)

# Choices about the prior are made by this many people.
_MOST_CHOOSING = 300


@dataclass(frozen=True, eq=False)
class TastesPrior:
    """The prior of Σ: an inverse Wishart about Σ₀, as strong as ν people."""

    covariance: Floats
    strength: float
    share: float = 0.0  #: how much of Σ₀ the item graph explains


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
    say("everyone")
    learner = Learner(respondents, n_jobs)
    tastes, n_steps, _ = _climb(learner, start, prior, 0)
    say("everyone, with draws")
    tastes, n_drawn, settled = _climb(learner, tastes, prior, _STEP_DRAWS)
    information = learner.sums(tastes, _STEP_DRAWS).told
    symmetric = (information + information.T) / 2
    doubt = np.asarray(linalg.inv(np.eye(len(symmetric)) + symmetric), dtype=np.float64)
    return TastesFit(tastes, prior, doubt, n_steps + n_drawn, settled)


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
    numbers = np.arange(some.n_distinct)
    halves = [some.some(numbers[numbers % 2 == side]) for side in (0, 1)]
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


def _step(
    learner: Learner, tastes: Tastes, prior: TastesPrior, n_draws: int
) -> tuple[float, Tastes]:
    """The log marginal likelihood, and a step of EM."""
    n_people = learner.n_people
    sums = learner.sums(tastes, n_draws)
    mean = (tastes.mean + sums.shift) * n_people / (n_people + 1.0)
    if np.isinf(prior.strength):
        return sums.value, tastes.moved(mean, tastes.covariance)
    moved = mean - tastes.mean
    across = np.outer(moved, sums.shift)
    square = sums.square - across - across.T + np.outer(moved, moved)
    pulled = n_people * square + prior.strength * prior.covariance
    return sums.value, tastes.moved(mean, pulled / (n_people + prior.strength))


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
        points, steps = [*points[-_MEMORY:], point], [*steps[-_MEMORY:], step]
        to = point + step
        if len(steps) > 1:
            differences = np.diff(steps, axis=0)
            gram = differences @ differences.T
            gram[np.diag_indices(len(gram))] += _RIDGE * np.trace(gram)
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
                respondents.some(first + few).tasks, mean, basis, _MORE_DRAWS * FINAL_DRAWS,
                _LEAST_EFFECTIVE, *again,
            )  # fmt: skip
            centres[few], spreads[few], values[few], n_effective[few] = again
        if doubt is not None:
            spreads += spreads @ doubt @ spreads
        means, covariances = tastes.mean + centres @ factor.T, factor @ spreads @ factor.T
        return PersonPosteriors(people, means, covariances, n_effective)

    return in_order(work, bounds, n_jobs)
