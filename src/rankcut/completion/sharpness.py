"""How sharp pair probabilities are: P(i ≻ j) = Φ(κ·E[u_i − u_j] / sd(u_i − u_j)).

Scores are not utilities, so the model's own deviations may be too small or too large. Some
places in the lists of held-out people are hidden, and κ maximises the likelihood of their order:
one κ for a listed and an unlisted item, another for two unlisted ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr

from rankcut._loops.types import Floats
from rankcut.completion.factors import FactorPopulation
from rankcut.completion.lists import Lists, rescored, with_unlisted
from rankcut.completion.population import Population

# The share of a list that is hidden, and the most items of a list that are used.
_HIDDEN = 0.3
_MOST_LISTED = 30
_MOST_PEOPLE = 1000
_MOST_COPIES = 20

# The prior of log κ is normal with this precision, halved.
_PULL = 10.0


@dataclass(frozen=True)
class Sharpness:
    """κ of pairs with one unlisted item, and with two."""

    mixed: float = 1.0
    unlisted: float = 1.0


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
        known = some.kept(some.blurs == 0).shortened(_MOST_LISTED, rng)
        known = _repeated(known.some(np.flatnonzero(known.lengths > 2)))
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
    copies = np.clip(np.ceil(known.counts), 1, _MOST_COPIES).astype(int)
    people = np.repeat(np.arange(len(known)), copies)[:_MOST_PEOPLE]
    return known.some(people, (known.counts / copies)[people])


def _hidden_entries(known: Lists, rng: np.random.Generator, *, last: bool) -> NDArray[np.bool_]:
    """Random places of each list; of a top-k list the worst, which a shorter list would omit."""
    owners = known.owners
    keys = known.scores if last else rng.random(len(owners))
    order = np.lexsort((keys, owners))
    n_hidden = np.maximum(np.round(_HIDDEN * known.lengths).astype(int), 1)
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
