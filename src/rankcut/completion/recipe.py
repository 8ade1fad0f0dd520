"""How the population is learned from lists, with nothing to tune by hand.

1. The priors of the covariance and of the means, by the marginal likelihood of some lists.
2. The strength ν of the prior of the covariance, by the likelihood of held-out people.
3. EM on all lists: by normal scores, then by the exact likelihood of the order if nearly all lists
   are short and without ties.
4. How sharp pair probabilities are, from places hidden in the lists of held-out people.
5. For top-k lists, how much recommendations depend on who lists what, from the same people.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankcut.completion.factors import FactorPopulation, first_factors, learn_factors
from rankcut.completion.lists import MOST_UNLISTED, Lists
from rankcut.completion.population import (
    Population,
    Prior,
    learn,
    mean_scores,
    pass_over,
    share_ordered,
)
from rankcut.completion.presence import Presence, learn_presence
from rankcut.completion.prior import choose_covariance, choose_precision, graph_kernels
from rankcut.completion.sharpness import Sharpness, measure_sharpness
from rankcut.graphs import ItemGraph

# Up to this many items, the covariance is a full matrix. The limit is lower for top-k lists, which
# count as lists of the whole catalogue.
FULL_ITEMS = 500

# Of longer lists, this many items are used for learning, drawn at random.
MOST_LISTED = 200

_STRENGTHS = (1000.0, 300.0, 100.0, 30.0, 10.0)
_USUAL_STRENGTH = 100.0
_TRIAL_STEPS = 21

# The exact likelihood of the order is used if this share of the lists allows it, for a few steps:
# the strength of the prior was chosen by scores, and many steps would fit the lists too closely.
_ORDERED = 0.9
_ORDER_STEPS = 6

# The prior is chosen with this many people, and this many items of their lists.
_LOOKED_AT = 500
_LOOKED_AT_ITEMS = 30

# Its strength is chosen with this many people. A fifth of them is held out; with few people, each
# fifth in turn.
_TRIED = 5000
_PARTS = 5
_FEW = 1500
_FEWEST_PEOPLE = 25

# Rounds of learning factors, and further rounds that include the held-out people.
_ROUNDS = 12
_LAST_ROUNDS = 3
_MOST_JUDGES = 1000
_FEW_LISTS = 300


@dataclass(frozen=True, eq=False)
class Learned:
    """The population, and what was chosen while learning it."""

    population: Population | FactorPopulation
    sharpness: Sharpness
    presence: Presence | None
    strength: float
    graph_share: float


def learn_population(
    lists: Lists,
    graph: ItemGraph | None,
    rng: np.random.Generator,
    *,
    n_jobs: int | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Learned:
    """Learn from distinct lists."""
    last = bool((lists.blurs > 0).any())
    listed = lists.kept(lists.blurs == 0) if last else None
    lists = lists.shortened(MOST_LISTED, rng)
    if lists.n_items > (MOST_UNLISTED if last else FULL_ITEMS):
        return _learn_catalogue(lists, listed, graph, rng, n_jobs=n_jobs, progress=progress)
    order = rng.permutation(len(lists))
    looked_at = lists.some(np.sort(order[:_LOOKED_AT])).shortened(_LOOKED_AT_ITEMS, rng)
    kernels = graph_kernels(graph, lists.n_items)
    start, share = choose_covariance(looked_at, mean_scores(lists), kernels)
    share = 0.0 if graph is None else share
    progress()
    precision = choose_precision(looked_at, start, kernels)

    def prior(strength: float) -> Prior:
        return Prior(start.covariance, strength, precision)

    exact = not last and share_ordered(lists) >= _ORDERED

    def learned(some: Lists, model: Population, strength: float) -> Population:
        """EM to the end by scores, then some steps by the order."""
        model = learn(some, model, prior(strength), n_jobs=n_jobs, progress=progress)
        if not exact:
            return model
        return learn(
            some,
            replace(model, exact=True),
            prior(strength),
            max_iter=_ORDER_STEPS,
            n_jobs=n_jobs,
            progress=progress,
        )

    tried = order[:_TRIED]
    if len(tried) < _FEWEST_PEOPLE:
        model = learned(lists, start, _USUAL_STRENGTH)
        return Learned(model, Sharpness(), None, _USUAL_STRENGTH, share)
    parts = np.array_split(tried, _PARTS)
    judged = parts if len(tried) <= _FEW else parts[:1]
    judges = [lists.some(np.sort(part)) for part in judged]
    others = [lists.some(np.sort(np.setdiff1d(tried, part))) for part in judged]
    best, chosen, strength = -np.inf, [start] * len(judged), _USUAL_STRENGTH
    models = [start] * len(judged)
    for tried_strength in _STRENGTHS:
        # From a strong prior to a weak one: each starts where the last one ended.
        models = [
            learn(
                some,
                model,
                prior(tried_strength),
                max_iter=_TRIAL_STEPS,
                n_jobs=n_jobs,
                progress=progress,
            )
            for some, model in zip(others, models, strict=True)
        ]
        likelihood = sum(
            pass_over(some, model, n_jobs).likelihood
            for some, model in zip(judges, models, strict=True)
        )
        if likelihood <= best:
            break
        best, chosen, strength = likelihood, models, tried_strength
    # Sharpness is measured on fully converged models, like the final one.
    chosen = [learned(some, model, strength) for some, model in zip(others, chosen, strict=True)]
    sharpness = measure_sharpness(judges, chosen, rng)
    presence = None
    if listed is not None:
        presence = _presence(listed, judged[0], tried, chosen[0], rng)
    model = learned(lists, replace(chosen[0], exact=False), strength)
    return Learned(model, sharpness, presence, strength, share)


def _presence(
    listed: Lists,
    judges: NDArray[np.intp],
    people: NDArray[np.intp],
    model: Population | FactorPopulation,
    rng: np.random.Generator,
) -> Presence:
    """Who lists what, judged by people whom the model did not learn from."""
    others = np.setdiff1d(people, judges)
    return learn_presence(listed, listed.some(np.sort(judges)), listed.some(others), model, rng)


def _learn_catalogue(
    lists: Lists,
    listed: Lists | None,
    graph: ItemGraph | None,
    rng: np.random.Generator,
    *,
    n_jobs: int | None,
    progress: Callable[[], None],
) -> Learned:
    """Factors of a catalogue that is too large for a covariance of all pairs of items."""
    order = rng.permutation(len(lists))
    # With few people a tenth is too little, so each fifth is held out in turn.
    n_judges = min(_MOST_JUDGES, len(lists) // 10)
    judged = [order[:n_judges]] if len(lists) > _FEW_LISTS else np.array_split(order, _PARTS)
    models = []
    for part in judged:
        others = lists.some(np.setdiff1d(order, part))
        start = first_factors(others, rng)
        found, _ = learn_factors(
            others, start, graph, n_rounds=_ROUNDS, n_jobs=n_jobs, progress=progress
        )
        models.append(found)
    judges = [lists.some(np.sort(part)) for part in judged]
    sharpness = measure_sharpness(judges, models, rng)
    presence = None
    if listed is not None:
        presence = _presence(listed, judged[0], order, models[0], rng)
    model, share = learn_factors(
        lists, models[0], graph, n_rounds=_LAST_ROUNDS, n_jobs=n_jobs, progress=progress
    )
    return Learned(model, sharpness, presence, 0.0, share)
