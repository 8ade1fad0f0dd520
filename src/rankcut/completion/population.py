"""The population with a full covariance: u ~ N(μ, Σ + s·I), y = u_L + c for each list.

Σ is shared taste, s the variance of a person's own view of an item, and c the level of a list,
with a vague prior. y are normal scores. Σ has an inverse Wishart prior around S₀ with the strength
of ν people:

    Σ ← (ν·S₀ + Σ_people E[(u − μ)(u − μ)ᵀ]) / (ν + m),

an EM step, which never lowers the penalised likelihood of scores. The means have a normal prior.

K = (I + c·L)⁻¹ with a unit diagonal, L the normalised Laplacian of the item graph, is large for
items that are joined by many short paths; c is its *reach*. S₀ = a·K + b·I, and the prior
covariance of the means has the same form, with values of its own: what everybody likes and who
likes what with it need not follow the graph alike. Each reach, a and b maximise a marginal
likelihood. Without a graph, K is the identity.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lu_factor, lu_solve
from scipy.optimize import minimize

from rankcut._loops.types import Floats
from rankcut._loops.utilities import Utilities, add_lists, fill_utilities, solve_list
from rankcut.completion.lists import Lists, sum_over
from rankcut.graphs import ItemGraph
from rankcut.graphs.derived import degree_scales
from rankcut.parameters import ROWS_AT_ONCE
from rankcut.threads import over_rows

# The variance of a list's level: large compared with that of scores, which is 1.
OFFSET = 10.0

# Far below the variance of scores, which is 1. Smaller values mean too few people, not certainty.
LEAST_VARIANCE = 1e-3

# Items in few lists are shrunk as if this many more lists had them in the middle.
SHRINKAGE = 3.0

# Reaches to choose from: paths of one step count most, or those of many.
_REACHES = (1.0, 4.0, 16.0, 64.0)


@dataclass(frozen=True, eq=False)
class Population:
    """Mean, shared covariance, and variance of each person's own views."""

    mean: Floats
    covariance: Floats
    noise: float

    @property
    def parameters(self) -> Utilities:
        """As loops take them."""
        return Utilities(self.mean, self.covariance, self.noise, OFFSET)

    def utilities(self, lists: Lists, n_jobs: int | None = None) -> Floats:
        """The expected utilities of each person, listed items in their order."""
        found = np.empty((len(lists), lists.n_items))

        def work(start: int, stop: int) -> None:
            fill_utilities(lists.span(start, stop).arrays, self.parameters, found[start:stop])

        over_rows(work, len(lists), ROWS_AT_ONCE, n_jobs)
        return found

    def posterior(self, one: Lists, chosen: Any) -> Floats:
        """The covariance of the utilities of some items, given one list."""
        items = one.items
        inverse, weights = np.empty((len(items), len(items))), np.empty(len(items))
        solve_list(one.arrays, 0, self.parameters, weights, inverse)
        cross = self.covariance[np.ix_(chosen, items)]
        cross += self.noise * (np.asarray(chosen)[:, None] == items)
        known = self.covariance[np.ix_(chosen, chosen)] - cross @ inverse @ cross.T
        known[np.diag_indices(len(known))] += self.noise
        return np.asarray((known + known.T) / 2)


class TastePrior(NamedTuple):
    """The prior of the covariance, with its strength in people, and that of the means."""

    covariance: Floats
    strength: float
    precision: Floats  #: of the means


class ListSums(NamedTuple):
    """What a pass over all lists finds."""

    gram: Floats
    outer: Floats
    gradient: Floats
    likelihood: float
    squares: float


def pass_over(lists: Lists, model: Population, n_jobs: int | None = None) -> ListSums:
    """One pass over all lists, given the population."""
    n_items = lists.n_items

    def work(some: Lists) -> tuple[Any, ...]:
        sums = *np.zeros((2, n_items, n_items)), np.zeros(n_items)
        return *sums, *add_lists(some.arrays, some.counts, model.parameters, *sums)

    return ListSums(*sum_over(lists, work, n_jobs))


def learn(
    lists: Lists,
    start: Population,
    prior: TastePrior,
    *,
    max_iter: int = 60,
    tol: float = 1e-3,
    n_jobs: int | None = None,
) -> Population:
    """EM from a starting point, until two steps gain less than ``tol`` for each person.

    Every other step moves the means, and the others the covariance and the noise.
    """
    model, before = start, -np.inf
    n_people, n_scores = lists.counts.sum(), (lists.counts * lists.lengths).sum()
    if not n_scores:
        return start
    for step in range(max_iter):
        sums = pass_over(lists, model, n_jobs)
        if step % 2 == 0:
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
            noise=max(sums.squares / n_scores, LEAST_VARIANCE),
        )
    return model


def mean_scores(lists: Lists) -> Floats:
    """Mean scores of items, shrunk if they are in few lists."""
    weights = lists.counts[lists.owners]
    listed = np.bincount(lists.items, weights, minlength=lists.n_items)
    sums = np.bincount(lists.items, weights * lists.scores, minlength=lists.n_items)
    return np.asarray(sums / (listed + SHRINKAGE))


def graph_kernels(graph: ItemGraph | None, n_items: int) -> list[Floats]:
    """K of each reach; without a graph, only the identity."""
    identity = np.eye(n_items)
    if graph is None:
        return [identity]
    scales = degree_scales(graph)
    laplacian = identity - scales[:, None] * graph.to_dense() * scales
    # Approximate graphs may have eigenvalues a little below 0.
    values, vectors = np.linalg.eigh(laplacian)
    roots = [vectors / np.sqrt(1.0 + reach * np.maximum(values, 0.0)) for reach in _REACHES]
    rows = [root / np.linalg.norm(root, axis=1, keepdims=True) for root in roots]
    return [row @ row.T for row in rows]


def choose_covariance(
    lists: Lists, mean: Floats, kernels: list[Floats]
) -> tuple[Population, float]:
    """The population with a·K + b·I that makes lists most likely; also a/(a + b)."""
    identity = np.eye(lists.n_items)

    def population(kernel: Floats, shared: float, own: float) -> Population:
        return Population(mean, shared * kernel + own / 2 * identity, own / 2)

    def unlikely(kernel: Floats, shared: float, own: float) -> float:
        return -pass_over(lists, population(kernel, shared, own)).likelihood

    kernel, shared, own = _least(unlikely, kernels, (0.5, 0.5))
    return population(kernel, shared, own), shared / (shared + own)


def choose_precision(lists: Lists, start: Population, kernels: list[Floats]) -> Floats:
    """The precision of the means whose prior makes lists most likely, the means integrated out.

    With G the precision that the lists give to the means, and b = G times their best estimate, the
    log likelihood of a prior covariance V is ½·bᵀ(V⁻¹ + G)⁻¹b − ½·log det(I + V·G) + constant.
    """
    sums = pass_over(lists, start)
    pull = sums.gradient + sums.gram @ start.mean
    identity = np.eye(lists.n_items)

    def unlikely(kernel: Floats, shared: float, own: float) -> float:
        variance = shared * kernel + own * identity
        factor = lu_factor(identity + sums.gram @ variance)
        log_det = np.log(np.abs(np.diag(factor[0]))).sum()
        return float(0.5 * log_det - 0.5 * pull @ variance @ lu_solve(factor, pull))

    kernel, shared, own = _least(unlikely, kernels, (0.2, 0.2))
    return np.asarray(np.linalg.inv(shared * kernel + own * identity))


def _least(
    unlikely: Callable[[Floats, float, float], float],
    kernels: list[Floats],
    start: tuple[float, float],
) -> tuple[Floats, float, float]:
    """The kernel, a and b for which a function is least."""
    best, chosen = np.inf, (kernels[0], *start)
    for kernel in kernels:

        def cost(logs: Floats, kernel: Floats = kernel) -> float:
            return unlikely(kernel, *np.exp(logs).tolist())

        found = minimize(
            cost,
            np.log(start),
            method="Nelder-Mead",
            options={"maxiter": 30, "xatol": 0.05, "fatol": 0.1},
        )
        if found.fun < best:
            best, chosen = found.fun, (kernel, *np.exp(found.x).tolist())
    return chosen
