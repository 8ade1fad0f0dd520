"""How the population is learned from lists, with nothing to tune by hand.

1. The priors of the covariance and of the means, by the marginal likelihood of some lists.
2. The strength ν of the prior of the covariance, by the likelihood of held-out people.
3. EM on all lists: by normal scores, then by the exact likelihood of the order if nearly all lists
   are short and without ties. In a large catalogue, factors instead of a covariance.
4. How sharp pair probabilities are, from places hidden in the lists of held-out people.
5. For top-k lists, how much recommendations depend on who lists what, from the same people.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankcut.completion.factors import FactorPopulation, first_factors, learn_factors
from rankcut.completion.lists import LONGEST, Lists
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
from rankcut.completion.prediction import SOME_ITEMS, Sharpness, measure_sharpness
from rankcut.completion.presence import Presence, learn_presence
from rankcut.graphs import ItemGraph

# Up to this many items, the covariance is a full matrix: the cost of a step grows with the cube.
# For top-k lists, which count as lists of the whole catalogue, the limit is the longest list.
FULL_ITEMS = 500

# Strengths of the prior, in people, the strongest first.
_STRENGTHS = (1000.0, 300.0, 100.0, 30.0, 10.0)

# The exact likelihood of the order is used if this share of the lists allows it, for a few steps:
# the strength of the prior was chosen by scores, and many steps would fit the lists too closely.
# Chosen by benchmarks/completion_likelihoods.py.
_ORDERED = 0.9
_ORDER_STEPS = 6

# The prior is chosen by the lists of this many people.
_LOOKED_AT = 500

# Of this many people one in five is held out; others in turn, until enough are judged.
_TRIED = 5000
_JUDGES = 100

# Rounds of learning factors.
_ROUNDS = 12


@dataclass(frozen=True, eq=False)
class Learned:
    """The population, and what was chosen while learning it."""

    population: Population | FactorPopulation
    sharpness: Sharpness
    presence: Presence | None
    strength: float
    graph_share: float


class _HeldOut:
    """People held out, part by part, and for each part the others."""

    def __init__(self, lists: Lists, order: NDArray[np.intp]) -> None:
        tried = order[:_TRIED]
        fifths = [part for part in np.array_split(tried, 5) if 0 < len(part) < len(tried)]
        number = -(-5 * _JUDGES // len(tried))
        self.held_out = [np.sort(part) for part in fifths[:number]]
        self.rest = [np.setdiff1d(tried, part) for part in self.held_out]
        self.judges = [lists.some(part) for part in self.held_out]
        self.others = [lists.some(part) for part in self.rest]


def learn_population(
    lists: Lists,
    graph: ItemGraph | None,
    rng: np.random.Generator,
    *,
    n_jobs: int | None = None,
) -> Learned:
    """Learn from distinct lists."""
    last = bool((lists.blurs > 0).any())
    listed = lists.listed()
    lists = lists.shortened(LONGEST, rng)
    order = rng.permutation(len(lists))
    parts = _HeldOut(lists, order)
    learner: _Covariances | _Factors
    if lists.n_items <= (LONGEST if last else FULL_ITEMS):
        learner = _Covariances(lists, graph, order, rng, n_jobs, scores_only=last)
    else:
        learner = _Factors(lists, graph, rng, n_jobs)
    models: Sequence[Population | FactorPopulation] = learner.without_judges(parts)
    sharpness, presence = Sharpness(), None
    if models:
        sharpness = measure_sharpness(parts.judges, models, rng)
        if last:
            judges, others = listed.some(parts.held_out[0]), listed.some(parts.rest[0])
            presence = learn_presence(listed, judges, others, models[0], rng)
    population = learner.with_everyone()
    return Learned(population, sharpness, presence, learner.strength, learner.graph_share)


class _Covariances:
    """Learns a population with a full covariance."""

    def __init__(
        self,
        lists: Lists,
        graph: ItemGraph | None,
        order: NDArray[np.intp],
        rng: np.random.Generator,
        n_jobs: int | None,
        *,
        scores_only: bool,
    ) -> None:
        self._lists, self._n_jobs = lists, n_jobs
        some = lists.some(np.sort(order[:_LOOKED_AT])).shortened(SOME_ITEMS, rng)
        kernels = graph_kernels(graph, lists.n_items)
        self._start, share = choose_covariance(some, mean_scores(lists), kernels)
        self._precision = choose_precision(some, self._start, kernels)
        self._exact = not scores_only and share_ordered(lists) >= _ORDERED
        self.graph_share = 0.0 if graph is None else share
        self.strength = _STRENGTHS[0]

    def without_judges(self, parts: _HeldOut) -> list[Population]:
        """A model without each part, with the strength under which the parts are most likely."""
        best, chosen = -np.inf, [self._start for _ in parts.others]
        models = chosen
        for strength in _STRENGTHS:
            # From a strong prior to a weak one: each starts where the last one ended.
            models = [
                self._learned(some, model, strength)
                for some, model in zip(parts.others, models, strict=True)
            ]
            likelihood = sum(
                pass_over(some, model, self._n_jobs).likelihood
                for some, model in zip(parts.judges, models, strict=True)
            )
            if likelihood <= best:
                break
            best, chosen, self.strength = likelihood, models, strength
        self._first = chosen[0] if chosen else self._start
        return [
            self._refined(some, model) for some, model in zip(parts.others, chosen, strict=True)
        ]

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
    """Learns the factors of a catalogue that is too large for a covariance of all pairs."""

    strength = 0.0

    def __init__(
        self,
        lists: Lists,
        graph: ItemGraph | None,
        rng: np.random.Generator,
        n_jobs: int | None,
    ) -> None:
        self._lists, self._graph, self._rng, self._n_jobs = lists, graph, rng, n_jobs
        self.graph_share = 0.0

    def without_judges(self, parts: _HeldOut) -> list[FactorPopulation]:
        """A model without each part."""
        models = []
        for part in parts.held_out:
            some = self._lists.some(np.setdiff1d(np.arange(len(self._lists)), part))
            models.append(self._learned(some, first_factors(some, self._rng), _ROUNDS))
        self._models = models
        return models

    def with_everyone(self) -> FactorPopulation:
        """The model of all lists: from one without a part in a few rounds."""
        if not self._models:
            return self._learned(self._lists, first_factors(self._lists, self._rng), _ROUNDS)
        return self._learned(self._lists, self._models[0], _ROUNDS // 4)

    def _learned(self, lists: Lists, start: FactorPopulation, rounds: int) -> FactorPopulation:
        model, self.graph_share = learn_factors(
            lists, start, self._graph, n_rounds=rounds, n_jobs=self._n_jobs
        )
        return model
