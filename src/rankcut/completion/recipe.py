"""How the population is learned from lists, with nothing to tune by hand.

1. The priors of the covariance and of the means, by the marginal likelihood of some lists.
2. The strength ν of the prior of the covariance, by the likelihood of held-out people.
3. EM on all lists. If lists are long or the catalogue large, factors instead of a covariance.
4. Whether people list what they like, by a probit regression of what held-out people list on
   their utilities. If it is to count, the lists then get unlisted items, and all is learned again.
5. How sharp pair probabilities are, from places hidden in the lists of held-out people.
6. For top-k lists, whether recommendations go by who lists what, from the same people.

Scores are not utilities, so the model's own deviations may be too small or too large:
P(i ≻ j) = Φ(κ·E[u_i − u_j] / sd(u_i − u_j)), with the κ that is most likely for places that are
hidden.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_ndtr

from rankcut._loops.types import Floats
from rankcut.completion.lists import LONGEST, Lists, rescored, with_unlisted
from rankcut.completion.population import (
    ROUNDS,
    AnyPopulation,
    Population,
    TastePrior,
    choose_covariance,
    choose_precision,
    first_factors,
    graph_kernels,
    learn,
    learn_factors,
    mean_scores,
    pass_over,
)
from rankcut.completion.presence import HIDDEN, Presence, learn_presence
from rankcut.graphs import ItemGraph

Progress: TypeAlias = Callable[[str], None]

# Up to this many items, and if lists are short, the covariance is a full matrix.
FULL_ITEMS = 500

# Strengths of the prior, in people, the strongest first.
_STRENGTHS = (1000.0, 300.0, 100.0, 30.0, 10.0)

# Choices are made by this many people, and tried on models of four times as many.
_PEOPLE = 500

# The prior of log κ is normal with this precision, halved: few pairs leave κ near 1.
_PULL = 10.0


@dataclass(frozen=True, eq=False)
class Learned:
    """The population, and what was chosen while learning it."""

    population: AnyPopulation
    sharpness: float
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


@dataclass(frozen=True, eq=False)
class _Fitted:
    """The model of all lists, one without each part, and what was chosen."""

    population: AnyPopulation
    without: Sequence[AnyPopulation]
    strength: float
    graph_share: float


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

    def fitted(lists: Lists) -> _Fitted:
        short = lists.n_items <= FULL_ITEMS and lists.lengths.mean() <= LONGEST
        fit = _fit_covariance if short else _fit_factors
        return fit(lists, graph, parts, rng, n_jobs, say)

    found, listing = fitted(lists), 1.0
    if not last:
        say("what people list")
        judges = [lists.some(part) for part in parts.judges]
        listing = measure_listing(judges, found.without, rng)
        if by_taste and listing > 0:
            lists = with_unlisted(lists, listing)
            found = fitted(lists)
    say("probabilities")
    judges = [lists.some(part) for part in parts.judges]
    # What is hidden was listed, so it cannot say how sharp to be about what never would be.
    sharpness = 1.0 if by_taste else measure_sharpness(judges, found.without, rng)
    presence = None
    if last and found.without:
        say("who lists what")
        listed = lists.listed()
        others = listed.some(parts.others[0])
        presence = learn_presence(listed, judges[0].listed(), others, found.without[0], graph, rng)
    return Learned(
        found.population, sharpness, presence, found.strength, found.graph_share, listing
    )


def _fit_covariance(
    lists: Lists,
    graph: ItemGraph | None,
    parts: _HeldOut,
    rng: np.random.Generator,
    n_jobs: int | None,
    say: Progress,
) -> _Fitted:
    """Models with a full covariance, and the strength under which the parts are most likely."""
    say("the prior")
    some = lists.some(np.sort(parts.order[:_PEOPLE])).shortened(LONGEST, rng)
    kernels = graph_kernels(graph, lists.n_items)
    start, share = choose_covariance(some, mean_scores(lists), kernels)
    precision = choose_precision(some, start, kernels)

    def learned(lists: Lists, model: Population, strength: float) -> Population:
        return learn(lists, model, TastePrior(start.covariance, strength, precision), n_jobs=n_jobs)

    judges = [lists.some(part) for part in parts.judges]
    others = [lists.some(part) for part in parts.others]
    best, chosen, strength = -np.inf, [start for _ in others], _STRENGTHS[0]
    models = chosen
    for tried in _STRENGTHS:
        say(f"a prior as strong as {tried:.0f} people")
        # From a strong prior to a weak one: each starts where the last one ended.
        models = [learned(*each, tried) for each in zip(others, models, strict=True)]
        pairs = zip(judges, models, strict=True)
        likelihood = sum(pass_over(*each, n_jobs).likelihood for each in pairs)
        if likelihood <= best:
            break
        best, chosen, strength = likelihood, models, tried
    say("everyone")
    population = learned(lists, chosen[0] if chosen else start, strength)
    return _Fitted(population, chosen, strength, 0.0 if graph is None else share)


def _fit_factors(
    lists: Lists,
    graph: ItemGraph | None,
    parts: _HeldOut,
    rng: np.random.Generator,
    n_jobs: int | None,
    say: Progress,
) -> _Fitted:
    """Models with factors, for long lists or a large catalogue."""
    models = []
    for number, part in enumerate(parts.judges, start=1):
        say(f"factors, without part {number} of {len(parts.judges)}")
        some = lists.some(np.setdiff1d(np.arange(len(lists)), part))
        models.append(learn_factors(some, first_factors(some, rng), graph, n_jobs=n_jobs)[0])
    say("everyone")
    # From a model without a part in a few rounds.
    start = models[0] if models else first_factors(lists, rng)
    rounds = ROUNDS // 4 if models else ROUNDS
    population, share = learn_factors(lists, start, graph, n_rounds=rounds, n_jobs=n_jobs)
    return _Fitted(population, models, 0.0, share)


def measure_listing(
    judges: list[Lists], models: Sequence[AnyPopulation], rng: np.random.Generator
) -> float:
    """ρ, the correlation of a person's readiness to list an item with its utility, from 0 to 1.

    Some items are hidden from each list. Given their utility, these and the unlisted items are
    listed with the chance Φ(a + b·u), and ρ² = b²/(1 + b²). With m and v the mean and variance of
    the utility, that chance is Φ((a + b·m)/√(1 + b²v)). ρ is 0 unless b lowers the Bayesian
    information criterion.
    """
    found: list[Floats] = [np.empty((4, 0))]
    for some, model in zip(judges, models, strict=True):
        known = _repeated(some)
        hidden = _hidden_entries(known, rng, last=False)
        shown = rescored(known.kept(~hidden))
        utilities = model.utilities(shown)
        for person, count in enumerate(known.counts.tolist()):
            own, place = shown.span(person, person + 1), known.entries(person)
            free = np.setdiff1d(np.arange(known.n_items), own.items)
            free = rng.permutation(free)[:LONGEST] if len(free) > LONGEST else free
            spread = np.diag(model.posterior(own, free))
            listed = np.isin(free, known.items[place][hidden[place]])
            found.append(
                np.stack([utilities[person, free], spread, listed, np.full(len(free), count)])
            )
    mean, variance, listed, counts = np.concatenate(found, axis=1)
    if listed.all() or not listed.any():
        return 0.0

    def unlikely(parameters: Floats) -> float:
        level, slope = parameters
        margins = (level + slope * mean) / np.sqrt(1.0 + slope * slope * variance)
        return float(-counts @ log_ndtr(np.where(listed, margins, -margins)))

    def least(start: list[float]) -> tuple[float, Floats]:
        found = minimize(lambda own: unlikely(np.append(own, 0.0)[:2]), start, method="Nelder-Mead")
        return float(found.fun), found.x

    cost, (_, slope) = least([0.0, 0.1])
    if slope <= 0 or least([0.0])[0] - cost < 0.5 * np.log(counts.sum()):
        return 0.0
    return float(slope / np.hypot(1.0, slope))


def measure_sharpness(
    judges: list[Lists], models: Sequence[AnyPopulation], rng: np.random.Generator
) -> float:
    """The most likely κ if some places of judges are hidden, shrunk towards 1 if these are few.

    The remaining places are scored again. Each group of judges has a model without them.
    """
    last = any((some.blurs > 0).any() for some in judges)
    found: list[Floats] = [np.empty((2, 0))]
    for some, model in zip(judges, models, strict=True):
        known = _repeated(some.listed().shortened(LONGEST, rng))
        hidden = _hidden_entries(known, rng, last=last)
        shown = rescored(known.kept(~hidden))
        if last:
            shown = with_unlisted(shown, 1.0)
        utilities = model.utilities(shown)
        for person, count in enumerate(known.counts.tolist()):
            place = known.entries(person)
            items, out = known.items[place], hidden[place]
            posterior = model.posterior(shown.span(person, person + 1), items)
            # After a top-k list only the order of unlisted items is open.
            partners = out if last else np.ones(len(out), dtype=bool)
            margins = _margins(
                known.scores[place], utilities[person, items], posterior, out, partners
            )
            found.append(np.stack([margins, np.full(len(margins), count)]))
    margins, counts = np.concatenate(found, axis=1)

    def unlikely(log: float) -> float:
        return float(_PULL * log * log - counts @ log_ndtr(np.exp(log) * margins))

    return float(np.exp(minimize_scalar(unlikely, bounds=(-3.0, 3.0), method="bounded").x))


def _repeated(lists: Lists) -> Lists:
    """Lists of three or more; those of many people several times, to hide other places of each."""
    lists = lists.some(np.flatnonzero(lists.lengths > 2))
    copies = np.ceil(lists.counts * min(1.0, _PEOPLE / max(lists.counts.sum(), 1.0))).astype(int)
    people = np.repeat(np.arange(len(lists)), copies)
    return lists.some(people, (lists.counts / np.maximum(copies, 1))[people])


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
    scores: Floats,
    utilities: Floats,
    posterior: Floats,
    hidden: NDArray[np.bool_],
    partners: NDArray[np.bool_],
) -> Floats:
    """Standardised margins, in their true direction, of hidden items and others."""
    above = np.triu(np.ones((len(scores), len(scores)), dtype=bool), 1)
    one, other = np.nonzero(hidden[:, None] & partners & (~hidden | above))
    truth = np.sign(scores[one] - scores[other])
    one, other, truth = one[truth != 0], other[truth != 0], truth[truth != 0]
    variance = posterior[one, one] + posterior[other, other] - 2.0 * posterior[one, other]
    return np.asarray(truth * (utilities[one] - utilities[other]) / np.sqrt(variance))
