"""How sharp pair probabilities are: P(i ≻ j) = Φ(κ·E[u_i − u_j] / sd(u_i − u_j)).

Scores are no utilities, so the model's own deviations are somewhat too small or too large. Places
are hidden from people who were held out, and κ is what makes their true order most likely: one κ
for a listed and an unlisted item, another for two unlisted ones.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr

from rankcut._loops.types import Floats
from rankcut.completion.lists import Lists, score_places, with_unlisted
from rankcut.completion.population import Population

# The share of a list that is hidden, and the most items of a list that are looked at.
_HIDDEN = 0.3
_MOST_LISTED = 30
_MOST_PEOPLE = 1000

# The prior of log κ is normal with this precision, halved.
_PULL = 10.0


@dataclass(frozen=True)
class Sharpness:
    """κ of pairs with one unlisted item, and with two."""

    mixed: float = 1.0
    unlisted: float = 1.0


def measure_sharpness(
    judges: list[Lists], models: list[Population], rng: np.random.Generator
) -> Sharpness:
    """κ by hiding some places of each judge, whose places among the others are scored anew.

    Each group of judges has a model that was learned without them.
    """
    last = any((some.blurs > 0).any() for some in judges)
    mixed, unlisted = _Margins(), _Margins()
    for some, model in zip(judges, models, strict=True):
        for person in np.flatnonzero(some.lengths > 2)[:_MOST_PEOPLE].tolist():
            one = some.span(person, person + 1)
            known = one.kept(one.blurs == 0).shortened(_MOST_LISTED, rng)
            margins = _hidden_margins(known, model, rng, last=last)
            mixed.add(margins[0], one.counts[0])
            unlisted.add(margins[1], one.counts[0])
    return Sharpness(mixed.fitted(), unlisted.fitted())


class _Margins:
    """Standardised margins in their true direction, and how often each counts."""

    def __init__(self) -> None:
        self._values: list[Floats] = [np.empty(0)]
        self._counts: list[Floats] = [np.empty(0)]

    def add(self, values: Floats, count: float) -> None:
        self._values.append(values)
        self._counts.append(np.full(len(values), count))

    def fitted(self) -> float:
        """κ that makes them most likely; drawn to 1 while there are few."""
        values, counts = np.concatenate(self._values), np.concatenate(self._counts)

        def unlikely(log: float) -> float:
            return float(_PULL * log * log - (counts * log_ndtr(np.exp(log) * values)).sum())

        found = minimize_scalar(unlikely, bounds=(-3.0, 3.0), method="bounded")
        return float(np.exp(found.x))


def _hidden_margins(
    known: Lists, model: Population, rng: np.random.Generator, *, last: bool
) -> tuple[Floats, Floats]:
    """Standardised margins of hidden pairs in their true direction: with a listed item, without."""
    k = len(known.items)
    n_hidden = min(max(1, round(_HIDDEN * k)), k - 2)
    if n_hidden < 1:
        return np.empty(0), np.empty(0)
    hidden = np.zeros(k, dtype=bool)
    if last:
        # The worst of the list would have been left out.
        hidden[np.argsort(known.scores, kind="stable")[:n_hidden]] = True
    else:
        hidden[rng.choice(k, n_hidden, replace=False)] = True
    rest = rescored(known.kept(~hidden), last=last)
    if last:
        rest = with_unlisted(rest, 0)
    utilities = model.utilities(rest, keep=True)[0, known.items]
    posterior = model.posterior(rest, known.items, keep=True)
    above = np.triu(np.ones((k, k), dtype=bool), 1)
    one, other = np.nonzero(hidden[:, None] & (~hidden[None, :] | above))
    truth = np.sign(known.scores[one] - known.scores[other])
    variance = posterior[one, one] + posterior[other, other] - 2.0 * posterior[one, other]
    margins = truth * (utilities[one] - utilities[other]) / np.sqrt(variance)
    told = truth != 0
    both = hidden[other]
    return (np.empty(0) if last else margins[told & ~both]), margins[told & both]


def rescored(lists: Lists, *, last: bool) -> Lists:
    """The same lists scored by the places of the items that are left."""
    places = np.full(len(lists), lists.n_items) if last else lists.lengths
    return replace(lists, scores=score_places(lists.starts, -lists.scores, places))
