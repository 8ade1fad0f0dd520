"""The population with a full covariance: u ~ N(μ, Σ + s·I), y = u_L + c for each list.

Σ is shared taste, s the variance of a person's own view of an item, and c the level of a list,
with a vague prior. y are normal scores; or only their order counts. Σ has an inverse Wishart prior
around S₀ with the strength of ν people:

    Σ ← (ν·S₀ + Σ_people E[(u − μ)(u − μ)ᵀ]) / (ν + m),

an EM step, which never lowers the penalised likelihood of scores. The means have a normal prior.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankcut._loops.types import Floats
from rankcut._loops.utilities import add_lists, fill_utilities, fill_weights, ordered, solve_list
from rankcut.completion.lists import Lists
from rankcut.threads import in_order, over_rows

# The variance of a list's level: large compared with that of scores, which is 1.
OFFSET = 10.0

# Sums over people are taken in this many spans, whatever the number of threads.
_SPANS = 4

# Far below the variance of scores, which is 1. Smaller values mean too few people, not certainty.
LEAST_NOISE = 1e-3

# Every third step moves the means, which converge in one step; the others move the covariance.
_MEAN_EVERY = 3


@dataclass(frozen=True, eq=False)
class Population:
    """Mean, shared covariance, and variance of each person's own views.

    If ``exact``, short lists without ties count by their order only, and others by normal
    scores.
    """

    mean: Floats
    covariance: Floats
    noise: float
    exact: bool = False

    def utilities(self, lists: Lists, *, keep: bool, n_jobs: int | None = None) -> Floats:
        """The expected utilities of each person; listed items keep their order if asked."""
        found = np.empty((len(lists), lists.n_items))
        own = self.noise if keep else 0.0

        def work(start: int, stop: int) -> None:
            some = lists.span(start, stop)
            weights = np.empty(len(some.items))
            fill_weights(
                some.starts,
                some.items,
                some.scores,
                some.blurs,
                self.mean,
                self.covariance,
                self.noise,
                OFFSET,
                self.exact,
                weights,
            )
            fill_utilities(
                some.starts,
                some.items,
                weights,
                self.mean,
                self.covariance,
                own,
                found[start:stop],
            )

        over_rows(work, len(lists), 64, n_jobs)
        return found

    def posterior(self, one: Lists, chosen: Any, *, keep: bool) -> Floats:
        """The covariance of the utilities of some items, given one list."""
        cross, solved = self._given(one, chosen, keep)
        known = self.covariance[np.ix_(chosen, chosen)] - cross @ solved
        known[np.diag_indices(len(known))] += self.noise
        return np.asarray((known + known.T) / 2)

    def variances(self, one: Lists) -> Floats:
        """The variance of the utility of each item, given one list whose order is kept."""
        cross, solved = self._given(one, np.arange(one.n_items), True)
        known = np.diag(self.covariance) + self.noise - np.einsum("ij,ji->i", cross, solved)
        return np.asarray(np.maximum(known, 0.0))

    def _given(self, one: Lists, chosen: Any, keep: bool) -> tuple[Floats, Floats]:
        """The covariance C of utilities with those of a list, and H·Cᵀ, H as in the loops."""
        items = one.items
        room, inverse = np.empty((2, len(items), len(items)))
        solve_list(
            items,
            one.scores,
            one.blurs,
            self.mean,
            self.covariance,
            self.noise,
            OFFSET,
            self.exact,
            room,
            np.empty(len(items)),
            inverse,
        )
        cross = self.covariance[np.ix_(chosen, items)]
        if keep:
            cross = cross + self.noise * (np.asarray(chosen)[:, None] == items)
        return cross, inverse @ cross.T


@dataclass(frozen=True, eq=False)
class Prior:
    """The prior of the covariance, with its strength in people, and that of the means."""

    covariance: Floats
    strength: float
    precision: Floats  #: of the means


@dataclass(frozen=True, eq=False)
class Sums:
    """What a pass over all lists finds."""

    gram: Floats
    outer: Floats
    gradient: Floats
    likelihood: float
    squares: float


def pass_over(lists: Lists, model: Population, n_jobs: int | None = None) -> Sums:
    """One pass over all lists, given the population."""
    n_items = lists.n_items
    bounds = np.linspace(0, len(lists), _SPANS + 1).astype(int)

    def work(span: int) -> tuple[Any, ...]:
        some = lists.span(bounds[span], bounds[span + 1])
        gram, outer = np.zeros((2, n_items, n_items))
        gradient = np.zeros(n_items)
        both = add_lists(
            some.starts,
            some.items,
            some.scores,
            some.blurs,
            some.counts,
            model.mean,
            model.covariance,
            model.noise,
            OFFSET,
            model.exact,
            gram,
            outer,
            gradient,
        )
        return gram, outer, gradient, *both

    totals: list[Any] = [0.0] * 5
    for result in in_order(work, range(_SPANS), n_jobs):
        totals = [total + part for total, part in zip(totals, result, strict=True)]
    return Sums(*totals)


def learn(
    lists: Lists,
    start: Population,
    prior: Prior,
    *,
    max_iter: int = 60,
    tol: float = 1e-3,
    n_jobs: int | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Population:
    """EM from a starting point, until a round of steps gains less than ``tol`` for each person."""
    model, before = start, -np.inf
    n_people, n_scores = lists.counts.sum(), (lists.counts * lists.lengths).sum()
    if not n_scores:
        return start
    for step in range(max_iter):
        sums = pass_over(lists, model, n_jobs)
        progress()
        if step % _MEAN_EVERY == 0:
            if abs(sums.likelihood - before) < tol * n_people:
                break
            before = sums.likelihood
            pull = sums.gradient - prior.precision @ model.mean
            moved = np.linalg.solve(sums.gram + prior.precision, pull)
            model = replace(model, mean=model.mean + moved)
            continue
        known = model.covariance
        second = known @ (sums.outer - sums.gram) @ known + n_people * known
        covariance = (prior.strength * prior.covariance + second) / (prior.strength + n_people)
        model = replace(
            model,
            covariance=(covariance + covariance.T) / 2,
            noise=max(sums.squares / n_scores, LEAST_NOISE),
        )
    return model


def mean_scores(lists: Lists) -> Floats:
    """Mean scores of items, shrunk more for items in few lists."""
    weights = lists.counts[lists.owners]
    listed = np.bincount(lists.items, weights, minlength=lists.n_items)
    sums = np.bincount(lists.items, weights * lists.scores, minlength=lists.n_items)
    return np.asarray(sums / (listed + 3.0))


def share_ordered(lists: Lists) -> float:
    """The share of lists whose order can be used instead of normal scores."""
    counts = sum(
        count
        for person, count in enumerate(lists.counts.tolist())
        if len(ordered(lists.scores[lists.entries(person)], lists.blurs[lists.entries(person)]))
    )
    return float(counts / lists.counts.sum())
