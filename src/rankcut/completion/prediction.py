"""Answers for one list or many: full rankings, pair probabilities and recommendations.

P(i ≻ j) = Φ(κ·E[u_i − u_j] / sd(u_i − u_j)). Scores are not utilities, so the model's own
deviations may be too small or too large, and κ says how sharp probabilities are. Some places in the
lists of held-out people are hidden, and κ maximises the likelihood of their order: one κ for a
listed and an unlisted item, another for two unlisted ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr, ndtr

from rankcut._loops.types import Floats, Longs
from rankcut.completion.factors import FactorPopulation
from rankcut.completion.lists import Lists, rescored, with_unlisted
from rankcut.completion.population import Population
from rankcut.rankings.orders import to_ranking

# Priors and κ are chosen by this many items of a list, and κ by about this many people, with this
# share of each list hidden.
SOME_ITEMS = 30
HIDDEN = 0.3
_MOST_PEOPLE = 1000

# The prior of log κ is normal with this precision, halved: few pairs leave κ near 1.
_PULL = 10.0


@dataclass(frozen=True)
class Sharpness:
    """κ of pairs with one unlisted item, and with two."""

    mixed: float = 1.0
    unlisted: float = 1.0


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


def measure_sharpness(
    judges: list[Lists],
    models: Sequence[Population | FactorPopulation],
    rng: np.random.Generator,
) -> Sharpness:
    """κ from hiding some places of each judge; the remaining places are scored again.

    Each group of judges has a model that was learned without them.
    """
    last = any((some.blurs > 0).any() for some in judges)
    mixed, unlisted = _Margins(), _Margins()
    for some, model in zip(judges, models, strict=True):
        known = some.listed().shortened(SOME_ITEMS, rng)
        known = _repeated(known.some(np.flatnonzero(known.lengths > 2)))
        if not len(known):
            continue
        hidden = _hidden_entries(known, rng, last=last)
        shown = rescored(known.kept(~hidden), last=last)
        if last:
            shown = with_unlisted(shown, 0)
        utilities = model.utilities(shown, keep=True)
        for person, count in enumerate(known.counts.tolist()):
            place = known.entries(person)
            items, out = known.items[place], hidden[place]
            posterior = model.posterior(shown.span(person, person + 1), items, keep=True)
            margins, both = _margins(known.scores[place], utilities[person, items], posterior, out)
            if not last:
                mixed.add(margins[~both], count)
            unlisted.add(margins[both], count)
    return Sharpness(mixed.fitted(), unlisted.fitted())


def _repeated(known: Lists) -> Lists:
    """Lists of many people several times, so that other places are hidden from each."""
    some = min(1.0, _MOST_PEOPLE / max(known.counts.sum(), 1.0))
    copies = np.ceil(some * known.counts).astype(int)
    people = np.repeat(np.arange(len(known)), copies)
    return known.some(people, (known.counts / np.maximum(copies, 1))[people])


def _hidden_entries(known: Lists, rng: np.random.Generator, *, last: bool) -> NDArray[np.bool_]:
    """Random places of each list; of a top-k list the worst, which a shorter list would omit."""
    owners = known.owners
    keys = known.scores if last else rng.random(len(owners))
    order = np.lexsort((keys, owners))
    n_hidden = np.maximum(np.round(HIDDEN * known.lengths).astype(int), 1)
    hidden = np.zeros(len(owners), dtype=bool)
    hidden[order[np.arange(len(owners)) - known.starts[owners] < n_hidden[owners]]] = True
    return hidden


def _margins(
    scores: Floats, utilities: Floats, posterior: Floats, hidden: NDArray[np.bool_]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Standardised margins of pairs with a hidden item in their true direction; if both are."""
    above = np.triu(np.ones((len(scores), len(scores)), dtype=bool), 1)
    one, other = np.nonzero(hidden[:, None] & (~hidden[None, :] | above))
    truth = np.sign(scores[one] - scores[other])
    one, other, truth = one[truth != 0], other[truth != 0], truth[truth != 0]
    variance = posterior[one, one] + posterior[other, other] - 2.0 * posterior[one, other]
    margins = truth * (utilities[one] - utilities[other]) / np.sqrt(variance)
    return margins, hidden[other]


class _Margins:
    """Standardised margins in their true direction, and how often each counts."""

    def __init__(self) -> None:
        self._values: list[Floats] = [np.empty(0)]
        self._counts: list[Floats] = [np.empty(0)]

    def add(self, values: Floats, count: float) -> None:
        self._values.append(values)
        self._counts.append(np.full(len(values), count))

    def fitted(self) -> float:
        """The most likely κ, shrunk towards 1 if there are few."""
        values, counts = np.concatenate(self._values), np.concatenate(self._counts)

        def unlikely(log: float) -> float:
            return float(_PULL * log * log - (counts * log_ndtr(np.exp(log) * values)).sum())

        found = minimize_scalar(unlikely, bounds=(-3.0, 3.0), method="bounded")
        return float(np.exp(found.x))
