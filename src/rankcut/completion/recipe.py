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

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_ndtr

from rankcut._loops.types import Floats
from rankcut.completion.lists import LONGEST_LIST, Lists, rescored, with_unlisted
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


@dataclass(frozen=True, eq=False)
class Fitted:
    """The model of all lists, one without each part of the people, and what was chosen."""

    population: AnyPopulation
    without: Sequence[AnyPopulation]
    strength: float
    graph_share: float


class Learned(NamedTuple):
    """All that was learned."""

    fitted: Fitted
    sharpness: float  #: κ
    presence: Presence | None  #: who lists what, if recommendations go by it
    listing: float  #: ρ


class _Recipe:
    """How models are fitted: some people are held out, part by part, few parts if many people."""

    def __init__(
        self,
        n_people: int,
        graph: ItemGraph | None,
        rng: np.random.Generator,
        n_jobs: int | None,
        say: Progress,
    ) -> None:
        self.graph, self.rng, self.n_jobs, self.say = graph, rng, n_jobs, say
        self.order = rng.permutation(n_people)
        tried = self.order[: 5 * _PEOPLE]
        parts = [part for part in np.array_split(tried, 5) if 0 < len(part) < len(tried)]
        self.judges = [np.sort(part) for part in parts[: -(-_PEOPLE // n_people)]]
        self.others = [np.setdiff1d(tried, part) for part in self.judges]

    def fit(self, lists: Lists) -> Fitted:
        """A full covariance, or factors for long lists or a large catalogue."""
        short = lists.n_items <= FULL_ITEMS and lists.lengths.mean() <= LONGEST_LIST
        return self._covariance(lists) if short else self._factors(lists)

    def _covariance(self, lists: Lists) -> Fitted:
        """With the strength of the prior under which the parts are most likely."""
        self.say("the prior")
        some = lists.some(np.sort(self.order[:_PEOPLE])).shortened(LONGEST_LIST, self.rng)
        kernels = graph_kernels(self.graph, lists.n_items)
        start, share = choose_covariance(some, mean_scores(lists), kernels)
        precision = choose_precision(some, start, kernels)

        def learned(lists: Lists, model: Population, strength: float) -> Population:
            prior = TastePrior(start.covariance, strength, precision)
            return learn(lists, model, prior, n_jobs=self.n_jobs)

        judges = [lists.some(part) for part in self.judges]
        others = [lists.some(part) for part in self.others]
        best, best_models, strength = -np.inf, [start for _ in others], _STRENGTHS[0]
        models = best_models
        for tried in _STRENGTHS:
            self.say(f"a prior as strong as {tried:.0f} people")
            # From a strong prior to a weak one: each starts where the last one ended.
            models = [learned(*each, tried) for each in zip(others, models, strict=True)]
            pairs = zip(judges, models, strict=True)
            likelihood = sum(pass_over(*each, self.n_jobs).likelihood for each in pairs)
            if likelihood <= best:
                break
            best, best_models, strength = likelihood, models, tried
        self.say("everyone")
        population = learned(lists, best_models[0] if best_models else start, strength)
        return Fitted(population, best_models, strength, 0.0 if self.graph is None else share)

    def _factors(self, lists: Lists) -> Fitted:
        graph, n_jobs, models = self.graph, self.n_jobs, []
        for number, part in enumerate(self.judges, start=1):
            self.say(f"factors, without part {number} of {len(self.judges)}")
            some = lists.some(np.setdiff1d(np.arange(len(lists)), part))
            start = first_factors(some, self.rng)
            models.append(learn_factors(some, start, graph, n_jobs=n_jobs)[0])
        self.say("everyone")
        # From a model without a part in a few rounds.
        start = models[0] if models else first_factors(lists, self.rng)
        rounds = ROUNDS // 4 if models else ROUNDS
        population, share = learn_factors(lists, start, graph, n_rounds=rounds, n_jobs=n_jobs)
        return Fitted(population, models, 0.0, share)


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
    recipe = _Recipe(len(lists), graph, rng, n_jobs, say)
    fitted, listing = recipe.fit(lists), 1.0
    if not last:
        say("what people list")
        judges = [lists.some(part) for part in recipe.judges]
        listing = measure_listing(judges, fitted.without, rng)
        if by_taste and listing > 0:
            lists = with_unlisted(lists, listing)
            fitted = recipe.fit(lists)
    say("probabilities")
    judges = [lists.some(part) for part in recipe.judges]
    # What is hidden was listed, so it cannot say how sharp to be about what never would be.
    sharpness = 1.0 if by_taste else measure_sharpness(judges, fitted.without, rng)
    presence = None
    if last and fitted.without:
        say("who lists what")
        listed = lists.listed()
        others = listed.some(recipe.others[0])
        presence = learn_presence(listed, judges[0].listed(), others, fitted.without[0], graph, rng)
    return Learned(fitted, sharpness, presence, listing)


def measure_listing(
    judges: list[Lists], models: Sequence[AnyPopulation], rng: np.random.Generator
) -> float:
    """ρ, the correlation of a person's readiness to list an item with its utility, from 0 to 1.

    Some items are hidden from each list. Given their utility, these and the unlisted items are
    listed with the chance Φ(a + b·u), and ρ² = b²/(1 + b²). With m and v the mean and variance of
    the utility, that chance is Φ((a + b·m)/√(1 + b²v)). ρ is 0 unless b lowers the Bayesian
    information criterion.
    """
    parts: list[Floats] = [np.empty((4, 0))]
    for judge in _judged(judges, models, rng, last=False):
        free = np.setdiff1d(np.arange(len(judge.utilities)), judge.shown.items)
        free = rng.permutation(free)[:LONGEST_LIST] if len(free) > LONGEST_LIST else free
        spread = np.diag(judge.model.posterior(judge.shown, free))
        listed = np.isin(free, judge.items[judge.hidden])
        counts = np.full(len(free), judge.times)
        parts.append(np.stack([judge.utilities[free], spread, listed, counts]))
    mean, variance, listed, counts = np.concatenate(parts, axis=1)
    if listed.all() or not listed.any():
        return 0.0

    def unlikely(parameters: Floats) -> float:
        level, slope = parameters
        margins = (level + slope * mean) / np.sqrt(1.0 + slope * slope * variance)
        return float(-counts @ log_ndtr(np.where(listed, margins, -margins)))

    def least(start: list[float]) -> tuple[float, Floats]:
        solution = minimize(
            lambda values: unlikely(np.append(values, 0.0)[:2]), start, method="Nelder-Mead"
        )
        return float(solution.fun), solution.x

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
    parts: list[Floats] = [np.empty((2, 0))]
    listed = (some.listed().shortened(LONGEST_LIST, rng) for some in judges)
    for judge in _judged(listed, models, rng, last=last):
        # After a top-k list only the order of unlisted items is open.
        margins = _margins(judge, judge.hidden if last else np.ones_like(judge.hidden))
        parts.append(np.stack([margins, np.full(len(margins), judge.times)]))
    margins, counts = np.concatenate(parts, axis=1)

    def unlikely(log: float) -> float:
        # A normal prior of log κ: few pairs leave κ near 1.
        return float(10.0 * log * log - counts @ log_ndtr(np.exp(log) * margins))

    return float(np.exp(minimize_scalar(unlikely, bounds=(-3.0, 3.0), method="bounded").x))


class _Judge(NamedTuple):
    """A person from whom some places are hidden, and a model without this person."""

    model: AnyPopulation
    times: float  #: how many people have this list
    items: NDArray[Any]  #: what the person lists
    scores: Floats
    hidden: NDArray[np.bool_]  #: which of them are hidden
    shown: Lists  #: the others, scored again
    utilities: Floats  #: of all items, by what is shown


def _judged(
    judges: Iterable[Lists],
    models: Sequence[AnyPopulation],
    rng: np.random.Generator,
    *,
    last: bool,
) -> Iterator[_Judge]:
    """Lists of three or more; those of many people several times, to hide other places of each."""
    for some, model in zip(judges, models, strict=True):
        lists = some.some(np.flatnonzero(some.lengths > 2))
        often = lists.counts * min(1.0, _PEOPLE / max(lists.counts.sum(), 1.0))
        copies = np.ceil(often).astype(int)
        people = np.repeat(np.arange(len(lists)), copies)
        repeated = lists.some(people, (lists.counts / np.maximum(copies, 1))[people])
        hidden = _hidden_entries(repeated, rng, last=last)
        visible = rescored(repeated.kept(~hidden))
        visible = with_unlisted(visible, 1.0) if last else visible
        utilities = model.utilities(visible)
        for person, count in enumerate(repeated.counts.tolist()):
            place, one = repeated.entries(person), visible.span(person, person + 1)
            items, scores = repeated.items[place], repeated.scores[place]
            yield _Judge(model, count, items, scores, hidden[place], one, utilities[person])


def _hidden_entries(lists: Lists, rng: np.random.Generator, *, last: bool) -> NDArray[np.bool_]:
    """Random places of each list; of a top-k list the worst, which a shorter list would omit."""
    owners = lists.owners
    keys = lists.scores if last else rng.random(len(owners))
    order = np.lexsort((keys, owners))
    n_hidden = np.maximum(np.round(HIDDEN * lists.lengths).astype(int), 1)
    hidden = np.zeros(len(owners), dtype=bool)
    hidden[order[np.arange(len(owners)) - lists.starts[owners] < n_hidden[owners]]] = True
    return hidden


def _margins(judge: _Judge, partners: NDArray[np.bool_]) -> Floats:
    """Standardised margins, in their true direction, of hidden items and others."""
    scores, hidden, utilities = judge.scores, judge.hidden, judge.utilities[judge.items]
    posterior = judge.model.posterior(judge.shown, judge.items)
    above = np.triu(np.ones((len(scores), len(scores)), dtype=bool), 1)
    one, other = np.nonzero(hidden[:, None] & partners & (~hidden | above))
    truth = np.sign(scores[one] - scores[other])
    one, other, truth = one[truth != 0], other[truth != 0], truth[truth != 0]
    variance = posterior[one, one] + posterior[other, other] - 2.0 * posterior[one, other]
    return np.asarray(truth * (utilities[one] - utilities[other]) / np.sqrt(variance))
