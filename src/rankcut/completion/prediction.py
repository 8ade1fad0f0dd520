"""Answers for one list or many: full rankings, pair probabilities and recommendations."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from rankcut._loops.types import Floats, Longs
from rankcut.completion.factors import FactorPopulation
from rankcut.completion.lists import Lists
from rankcut.completion.population import Population
from rankcut.completion.sharpness import Sharpness
from rankcut.rankings.decoding import to_ranking


def deviations(population: Population | FactorPopulation, lists: Lists) -> Floats:
    """The standard deviation of each person's utilities, given the list."""
    found = np.empty((len(lists), lists.n_items))
    for person in range(len(lists)):
        found[person] = np.sqrt(population.variances(lists.span(person, person + 1)))
    return found


def pair_probabilities(
    population: Population | FactorPopulation,
    sharpness: Sharpness,
    lists: Lists,
    pairs: Longs,
    *,
    keep: bool,
    last: bool,
) -> Floats:
    """The probability that each person prefers the first item of each pair to the second.

    With ``keep``, listed pairs are certain; ``last`` says that unlisted items are worse.
    """
    chosen, places = np.unique(pairs, return_inverse=True)
    one, other = places.reshape(pairs.shape).T
    utilities = population.utilities(lists, keep=keep)[:, chosen]
    found = np.empty((len(lists), len(pairs)))
    for person in range(len(lists)):
        own = lists.span(person, person + 1)
        posterior = population.posterior(own, chosen, keep=keep)
        spread = np.diag(posterior)
        variance = spread[one] + spread[other] - 2.0 * posterior[one, other]
        listed = np.isin(chosen, own.items[own.blurs == 0])
        n_listed = listed[one].astype(int) + listed[other]
        margins = utilities[person, one] - utilities[person, other]
        kappa = np.where(n_listed == 0, sharpness.unlisted, sharpness.mixed)
        with np.errstate(divide="ignore", invalid="ignore"):
            row = ndtr(kappa * margins / np.sqrt(np.maximum(variance, 0.0)))
        if keep:
            certain = np.zeros(lists.n_items)
            certain[own.items] = np.where(own.blurs == 0, own.scores, 0.0)
            gaps = np.sign(certain[chosen[one]] - certain[chosen[other]])
            row = np.where(n_listed == 2, 0.5 + 0.5 * gaps, row)
            if last:
                row = np.where(n_listed == 1, listed[one].astype(float), row)
        found[person] = np.where(one == other, 0.5, row)
    return found


def listed_items(lists: Lists) -> NDArray[np.bool_]:
    """Which items each person lists."""
    listed = np.zeros((len(lists), lists.n_items), dtype=bool)
    listed[lists.owners, lists.items] = lists.blurs == 0
    return listed


def complete_top(utilities: Floats, listed: NDArray[np.bool_]) -> Longs:
    """Full rankings by utility, all listed items first."""
    found = np.empty(utilities.shape, dtype=np.int64)
    for person, known in enumerate(listed):
        found[person, known] = to_ranking(utilities[person, known])
        found[person, ~known] = known.sum() + to_ranking(utilities[person, ~known])
    return found


def best_unlisted(utilities: Floats, listed: NDArray[np.bool_], n: int) -> NDArray[Any]:
    """The best n unlisted items of each person, best first; −1 where there are fewer.

    Of equally good items, the first columns come first.
    """
    worth = np.where(listed, -np.inf, utilities)
    n = min(n, worth.shape[1])
    least = -np.partition(-worth, n - 1, axis=1)[:, n - 1 : n]
    equal = worth == least
    n_better = (worth > least).sum(axis=1, keepdims=True)
    chosen = (worth > least) | (equal & (equal.cumsum(axis=1) <= n - n_better))
    best = np.nonzero(chosen)[1].reshape(-1, n)
    values = np.take_along_axis(worth, best, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    best = np.take_along_axis(best, order, axis=1)
    return np.where(np.isneginf(np.take_along_axis(values, order, axis=1)), -1, best)
