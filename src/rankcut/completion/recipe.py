"""How the population is learned from lists, with nothing to tune by hand.

1. The priors of the covariance and of the means, by the marginal likelihood of some lists.
2. The strength ν of the prior of the covariance, by the likelihood of held-out people.
3. EM on all lists: by normal scores, then by the exact likelihood of the order if most lists are
   short and without ties. If lists are long or the catalogue large, factors instead of a
   covariance.
4. Whether people list what they like, by a probit regression of what held-out people list on
   their utilities. If it is to count, the lists then get unlisted items, and all is learned again.
5. How sharp pair probabilities are, from places hidden in the lists of held-out people.
6. For top-k lists, whether recommendations go by who lists what, from the same people.

Scores are not utilities, so the model's own deviations may be too small or too large:
P(i ≻ j) = Φ(κ·E[u_i − u_j] / sd(u_i − u_j)), with one κ for a listed and an unlisted item and
another for two unlisted ones, each the most likely for places that are hidden.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_ndtr

from rankcut._loops.types import Floats
from rankcut._loops.utilities import LONGEST
from rankcut.completion.factors import ROUNDS, FactorPopulation, first_factors, learn_factors
from rankcut.completion.lists import Lists, rescored, with_unlisted
from rankcut.completion.population import (
    Population,
    TastePrior,
    choose_covariance,
    choose_precision,
    graph_kernels,
    learn,
    mean_scores,
    pass_over,
    share_ordered,
)
from rankcut.completion.presence import HIDDEN, Presence, learn_presence
from rankcut.graphs import ItemGraph

AnyPopulation: TypeAlias = Population | FactorPopulation
Progress: TypeAlias = Callable[[str], None]

# Up to this many items, and if lists are short, the covariance is a full matrix.
FULL_ITEMS = 500

# Strengths of the prior, in people, the strongest first.
_STRENGTHS = (1000.0, 300.0, 100.0, 30.0, 10.0)

# Steps by the exact likelihood of the order: the strength of the prior was chosen by scores, and
# many steps would fit the lists too closely. Chosen by benchmarks/completion_likelihoods.py.
_ORDER_STEPS = 6

# Choices are made by this many people, and tried on models of four times as many.
_PEOPLE = 500

# The prior of log κ is normal with this precision, halved: few pairs leave κ near 1.
_PULL = 10.0


@dataclass(frozen=True)
class Sharpness:
    """κ of pairs with one unlisted item, and with two."""

    mixed: float = 1.0
    unlisted: float = 1.0


@dataclass(frozen=True, eq=False)
class Learned:
    """The population, and what was chosen while learning it."""

    population: AnyPopulation
    sharpness: Sharpness
    presence: Presence | None
    strength: float
    graph_share: float
    listing: float


class _HeldOut:
    """People held out, part by part, and for each part the others: few parts if many people."""

    def __init__(self, n_people: int, rng: np.random.Generator) -> None:
        self.order = rng.permutation(n_people)
        tried = self.order[: 5 * _PEOPLE]
        parts = [part for part in np.array_split(tried, 5) if 0 < len(part) < len(tried)]
        self.judges = [np.sort(part) for part in parts[: -(-_PEOPLE // n_people)]]
        self.others = [np.setdiff1d(tried, part) for part in self.judges]


def learn_population(
    lists: Lists,
    graph: ItemGraph | None,
    rng: np.random.Generator,
    *,
    by_taste: bool = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Learned:
    """Learn from distinct lists; ``by_taste`` if people list what they like."""
    say = progress or (lambda words: None)
    last = bool((lists.blurs > 0).any())
    parts = _HeldOut(len(lists), rng)
    learner, models = _learn_parts(lists, graph, parts, rng, n_jobs, say)
    listing = 1.0
    if not last:
        say("what people list")
        listing = measure_listing([lists.some(part) for part in parts.judges], models, rng)
        if by_taste and listing > 0:
            lists = with_unlisted(lists, listing)
            learner, models = _learn_parts(lists, graph, parts, rng, n_jobs, say)
    say("probabilities")
    judges = [lists.some(part) for part in parts.judges]
    # What is hidden was listed, so it cannot say how sharp to be about what never would be.
    sharpness = Sharpness() if by_taste else measure_sharpness(judges, models, rng)
    presence = None
    if last and models:
        say("who lists what")
        listed = lists.listed()
        others = listed.some(parts.others[0])
        presence = learn_presence(listed, judges[0].listed(), others, models[0], graph, rng)
    say("everyone")
    population = learner.with_everyone()
    return Learned(population, sharpness, presence, learner.strength, learner.graph_share, listing)


def _learn_parts(
    lists: Lists,
    graph: ItemGraph | None,
    parts: _HeldOut,
    rng: np.random.Generator,
    n_jobs: int | None,
    say: Progress,
) -> "tuple[_Covariances | _Factors, Sequence[AnyPopulation]]":
    """What learns from all lists, and a model without each part."""
    learner: _Covariances | _Factors
    if lists.n_items <= FULL_ITEMS and lists.lengths.mean() <= LONGEST:
        learner = _Covariances(lists, graph, parts, rng, n_jobs, say)
    else:
        learner = _Factors(lists, graph, rng, n_jobs, say)
    return learner, learner.without_judges(parts)


class _Covariances:
    """Learns a population with a full covariance."""

    def __init__(
        self,
        lists: Lists,
        graph: ItemGraph | None,
        parts: _HeldOut,
        rng: np.random.Generator,
        n_jobs: int | None,
        say: Progress,
    ) -> None:
        say("the prior")
        self._lists, self._n_jobs, self._say = lists, n_jobs, say
        some = lists.some(np.sort(parts.order[:_PEOPLE])).shortened(LONGEST, rng)
        kernels = graph_kernels(graph, lists.n_items)
        self._start, share = choose_covariance(some, mean_scores(lists), kernels)
        self._precision = choose_precision(some, self._start, kernels)
        self._exact = share_ordered(lists) > 0.5
        self.graph_share = 0.0 if graph is None else share
        self.strength = _STRENGTHS[0]

    def without_judges(self, parts: _HeldOut) -> list[Population]:
        """A model without each part, with the strength under which the parts are most likely."""
        judges = [self._lists.some(part) for part in parts.judges]
        others = [self._lists.some(part) for part in parts.others]
        best, chosen = -np.inf, [self._start for _ in others]
        models = chosen
        for strength in _STRENGTHS:
            self._say(f"a prior as strong as {strength:.0f} people")
            # From a strong prior to a weak one: each starts where the last one ended.
            models = [
                self._learned(some, model, strength)
                for some, model in zip(others, models, strict=True)
            ]
            likelihood = sum(
                pass_over(some, model, self._n_jobs).likelihood
                for some, model in zip(judges, models, strict=True)
            )
            if likelihood <= best:
                break
            best, chosen, self.strength = likelihood, models, strength
        self._first = chosen[0] if chosen else self._start
        return [self._refined(some, model) for some, model in zip(others, chosen, strict=True)]

    def with_everyone(self) -> Population:
        """The model of all lists."""
        model = self._learned(self._lists, self._first, self.strength)
        return self._refined(self._lists, model)

    def _learned(self, lists: Lists, start: Population, strength: float) -> Population:
        prior = TastePrior(self._start.covariance, strength, self._precision)
        return learn(lists, start, prior, n_jobs=self._n_jobs)

    def _refined(self, lists: Lists, model: Population) -> Population:
        """After a few more steps by the exact likelihood of the order, if it is used."""
        if not self._exact:
            return model
        prior = TastePrior(self._start.covariance, self.strength, self._precision)
        start = replace(model, exact=True)
        return learn(lists, start, prior, max_iter=_ORDER_STEPS, n_jobs=self._n_jobs)


class _Factors:
    """Learns the factors of long lists, or of a large catalogue."""

    strength = 0.0

    def __init__(
        self,
        lists: Lists,
        graph: ItemGraph | None,
        rng: np.random.Generator,
        n_jobs: int | None,
        say: Progress,
    ) -> None:
        self._lists, self._graph, self._rng = lists, graph, rng
        self._n_jobs, self._say = n_jobs, say
        self._first: FactorPopulation | None = None
        self.graph_share = 0.0

    def without_judges(self, parts: _HeldOut) -> list[FactorPopulation]:
        """A model without each part."""
        everyone = np.arange(len(self._lists))
        models = []
        for number, part in enumerate(parts.judges, start=1):
            self._say(f"factors, without part {number} of {len(parts.judges)}")
            some = self._lists.some(np.setdiff1d(everyone, part))
            models.append(self._learned(some, first_factors(some, self._rng), ROUNDS))
        self._first = models[0] if models else None
        return models

    def with_everyone(self) -> FactorPopulation:
        """The model of all lists: from one without a part in a few rounds."""
        if self._first is None:
            return self._learned(self._lists, first_factors(self._lists, self._rng), ROUNDS)
        return self._learned(self._lists, self._first, ROUNDS // 4)

    def _learned(self, lists: Lists, start: FactorPopulation, rounds: int) -> FactorPopulation:
        model, self.graph_share = learn_factors(
            lists, start, self._graph, n_rounds=rounds, n_jobs=self._n_jobs
        )
        return model


def measure_listing(
    judges: list[Lists], models: Sequence[AnyPopulation], rng: np.random.Generator
) -> float:
    """ρ, the correlation of a person's readiness to list an item with its utility, from 0 to 1.

    Some items are hidden from each list. Given their utility, these and the unlisted items are
    listed with the chance Φ(a + b·u), and ρ² = b²/(1 + b²). With m and v the mean and variance of
    the utility, that chance is Φ((a + b·m)/√(1 + b²v)). ρ is 0 unless b lowers the Bayesian
    information criterion.
    """
    means, variances, listed = [np.empty(0)], [np.empty(0)], [np.empty(0, dtype=bool)]
    for some, model in zip(judges, models, strict=True):
        known = some.some(np.flatnonzero(some.lengths > 2))
        hidden = _hidden_entries(known, rng, last=False)
        shown = rescored(known.kept(~hidden))
        utilities = model.utilities(shown, keep=False)
        for person in range(len(known)):
            own = shown.span(person, person + 1)
            free = np.setdiff1d(np.arange(known.n_items), own.items)
            free = rng.permutation(free)[:LONGEST] if len(free) > LONGEST else free
            place = known.entries(person)
            means.append(utilities[person, free])
            variances.append(np.diag(model.posterior(own, free, keep=False)))
            listed.append(np.isin(free, known.items[place][hidden[place]]))
    mean, variance, positive = map(np.concatenate, (means, variances, listed))
    if positive.all() or not positive.any():
        return 0.0

    def unlikely(parameters: Floats) -> float:
        level, slope = parameters
        margins = (level + slope * mean) / np.sqrt(1.0 + slope * slope * variance)
        return float(-log_ndtr(np.where(positive, margins, -margins)).sum())

    def least(start: list[float]) -> tuple[float, Floats]:
        found = minimize(lambda own: unlikely(np.append(own, 0.0)[:2]), start, method="Nelder-Mead")
        return float(found.fun), found.x

    cost, (_, slope) = least([0.0, 0.1])
    if slope <= 0 or least([0.0])[0] - cost < 0.5 * np.log(len(mean)):
        return 0.0
    return float(slope / np.hypot(1.0, slope))


def measure_sharpness(
    judges: list[Lists],
    models: Sequence[AnyPopulation],
    rng: np.random.Generator,
) -> Sharpness:
    """κ from hiding some places of each judge; the remaining places are scored again.

    Each group of judges has a model that was learned without them.
    """
    last = any((some.blurs > 0).any() for some in judges)
    mixed, unlisted = _Margins(), _Margins()
    for some, model in zip(judges, models, strict=True):
        known = some.listed().shortened(LONGEST, rng)
        known = _repeated(known.some(np.flatnonzero(known.lengths > 2)))
        if not len(known):
            continue
        hidden = _hidden_entries(known, rng, last=last)
        shown = rescored(known.kept(~hidden))
        if last:
            shown = with_unlisted(shown, 1.0)
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
    some = min(1.0, _PEOPLE / max(known.counts.sum(), 1.0))
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
