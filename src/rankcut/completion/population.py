"""The population: u ~ N(μ, Σ + s·I), y = u_L + c for each list, with normal scores y.

Σ is shared taste, s the variance of a person's own view of an item, and c the level of a list,
with a vague prior. Σ has an inverse Wishart prior around S₀ with the strength of ν people:

    Σ ← (ν·S₀ + Σ_people E[(u − μ)(u − μ)ᵀ]) / (ν + m),

an EM step, which never lowers the penalised likelihood of scores. The means have a normal prior.

K = (I + c·L)⁻¹ with a unit diagonal, L the normalised Laplacian of the item graph, is large for
items that are joined by many short paths; c is its *reach*. S₀ = a·K + b·I, and the prior
covariance of the means has the same form, with values of its own: what everybody likes and who
likes what with it need not follow the graph alike. Each reach, a and b maximise a marginal
likelihood. Without a graph, K is the identity.

For long lists or a large catalogue Σ has r factors: u_i = μ_i + z_i·g + own part, g ~ N(0, I).
Loadings z_i are uncertain, more so for items in few lists, and have a normal prior whose precision
in each direction is learned, which switches off directions that the lists do not need. With an
item graph, the prior is centred at ρ times the mean of the item's neighbours, and ρ is learned too:
items in few lists take their loadings and means from similar items. Learning alternates between
people and items (variational Bayes with q(g, c)·q(z)). After each round the factors are rescaled to
unit covariance and turned to their principal axes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve
from scipy.optimize import minimize
from scipy.sparse import csr_array

from rankcut._loops.linear_algebra import multiply_rows
from rankcut._loops.scored_lists import (
    FactorModel,
    UtilityModel,
    add_lists,
    add_people,
    fill_utilities,
    solve_list,
    solve_people,
    solve_person,
)
from rankcut._loops.types import Floats, ScoredLists
from rankcut.completion.lists import Lists, sum_over
from rankcut.directions import leading_directions
from rankcut.graphs import ItemGraph
from rankcut.graphs.recipes import degree_scales
from rankcut.parameters import ROWS_AT_ONCE
from rankcut.saved_arrays import Saved
from rankcut.threads import over_rows

# The variance of a list's level: large compared with that of scores, which is 1.
OFFSET = 10.0

# Far below the variance of scores, which is 1. Smaller values mean too few people, not certainty.
LEAST_VARIANCE = 1e-3

# Items in few lists are shrunk as if this many more lists had them in the middle.
SHRINKAGE = 3.0

# Rounds of learning.
ROUNDS = 12

# Reaches to choose from: paths of one step count most, or those of many.
_PATH_REACHES = (1.0, 4.0, 16.0, 64.0)


@dataclass(frozen=True, eq=False)
class Population:
    """Mean, shared covariance, and variance of each person's own views."""

    mean: Annotated[Floats, Saved("items")]
    covariance: Annotated[Floats, Saved("items", "items")]
    noise: float

    @property
    def parameters(self) -> UtilityModel:
        """As loops take them."""
        return UtilityModel(self.mean, self.covariance, self.noise, OFFSET)

    def utilities(self, lists: Lists, n_jobs: int | None = None) -> Floats:
        """The expected utilities of each person, listed items in their order."""
        utilities = np.empty((len(lists), lists.n_items))

        def work(start: int, stop: int) -> None:
            fill_utilities(lists.span(start, stop).arrays, self.parameters, utilities[start:stop])

        over_rows(work, len(lists), ROWS_AT_ONCE, n_jobs)
        return utilities

    def posterior(self, one: Lists, columns: Any) -> Floats:
        """The covariance of the utilities of some items, given one list."""
        items = one.items
        inverse, weights = np.empty((len(items), len(items))), np.empty(len(items))
        solve_list(one.arrays, 0, self.parameters, weights, inverse)
        cross = self.covariance[np.ix_(columns, items)]
        cross += self.noise * (np.asarray(columns)[:, None] == items)
        covariance = self.covariance[np.ix_(columns, columns)] - cross @ inverse @ cross.T
        covariance[np.diag_indices(len(covariance))] += self.noise
        return np.asarray((covariance + covariance.T) / 2)


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
        shared = model.covariance
        second = shared @ (sums.outer - sums.gram) @ shared + n_people * shared
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
    roots = [vectors / np.sqrt(1.0 + reach * np.maximum(values, 0.0)) for reach in _PATH_REACHES]
    rows = [root / np.linalg.norm(root, axis=1, keepdims=True) for root in roots]
    return [row @ row.T for row in rows]


def choose_covariance(
    lists: Lists, mean: Floats, kernels: list[Floats]
) -> tuple[Population, float]:
    """The population with a·K + b·I that makes lists most likely; also a/(a + b)."""
    identity = np.eye(lists.n_items)

    def population(kernel: Floats, shared: float, separate: float) -> Population:
        return Population(mean, shared * kernel + separate / 2 * identity, separate / 2)

    def unlikely(kernel: Floats, shared: float, separate: float) -> float:
        return -pass_over(lists, population(kernel, shared, separate)).likelihood

    kernel, shared, separate = _least(unlikely, kernels, (0.5, 0.5))
    return population(kernel, shared, separate), shared / (shared + separate)


def choose_precision(lists: Lists, start: Population, kernels: list[Floats]) -> Floats:
    """The precision of the means whose prior makes lists most likely, the means integrated out.

    With G the precision that the lists give to the means, and b = G times their best estimate, the
    log likelihood of a prior covariance V is ½·bᵀ(V⁻¹ + G)⁻¹b − ½·log det(I + V·G) + constant.
    """
    sums = pass_over(lists, start)
    pull = sums.gradient + sums.gram @ start.mean
    identity = np.eye(lists.n_items)

    def unlikely(kernel: Floats, shared: float, separate: float) -> float:
        variance = shared * kernel + separate * identity
        factor = lu_factor(identity + sums.gram @ variance)
        log_det = np.log(np.abs(np.diag(factor[0]))).sum()
        return float(0.5 * log_det - 0.5 * pull @ variance @ lu_solve(factor, pull))

    kernel, shared, separate = _least(unlikely, kernels, (0.2, 0.2))
    return np.asarray(np.linalg.inv(shared * kernel + separate * identity))


def _least(
    unlikely: Callable[[Floats, float, float], float],
    kernels: list[Floats],
    start: tuple[float, float],
) -> tuple[Floats, float, float]:
    """The kernel, a and b for which a function is least."""
    best, parameters = np.inf, (kernels[0], *start)
    for kernel in kernels:

        def cost(logs: Floats, kernel: Floats = kernel) -> float:
            return unlikely(kernel, *np.exp(logs).tolist())

        solution = minimize(
            cost,
            np.log(start),
            method="Nelder-Mead",
            options={"maxiter": 30, "xatol": 0.05, "fatol": 0.1},
        )
        if solution.fun < best:
            best, parameters = solution.fun, (kernel, *np.exp(solution.x).tolist())
    return parameters


@dataclass(frozen=True, eq=False)
class FactorPopulation:
    """Means and loadings of items, the covariances of loadings, and the variance of the rest."""

    mean: Annotated[Floats, Saved("items")]
    loadings: Annotated[Floats, Saved("items", "factors")]
    spreads: Annotated[Floats, Saved("items", "factors", "factors")]  #: n × r × r
    noise: float

    def of_items(self, items: Any = slice(None)) -> FactorModel:
        """What loops read about some items."""
        loadings = self.loadings[items]
        moments = self.spreads[items] + loadings[:, :, None] * loadings[:, None, :]
        return FactorModel(self.mean[items], loadings, moments, self.noise, OFFSET)

    def utilities(self, lists: Lists, n_jobs: int | None = None) -> Floats:
        """The expected utilities of each person, listed items in their order."""
        rank = self.loadings.shape[1]
        utilities = np.empty((len(lists), lists.n_items))
        listed, places = np.unique(lists.items, return_inverse=True)
        factors, directions = self.of_items(listed), np.ascontiguousarray(self.loadings.T)
        numbered = replace(lists, items=places.astype(np.uint32))

        def work(start: int, stop: int) -> None:
            expected = np.empty((stop - start, rank + 1))
            solve_people(numbered.span(start, stop).arrays, factors, expected)
            multiply_rows(
                np.ascontiguousarray(expected[:, :rank]), directions, utilities[start:stop]
            )
            utilities[start:stop] += self.mean
            some = lists.span(start, stop).listed()
            levels = some.scores - expected[some.owners, rank]
            utilities[start + some.owners, some.items] = levels

        over_rows(work, len(lists), ROWS_AT_ONCE, n_jobs)
        return utilities

    def posterior(self, one: Lists, columns: NDArray[Any]) -> Floats:
        """The covariance of the utilities of some items, given one list."""
        rank = self.loadings.shape[1]
        covariance, expected = np.empty((rank + 1, rank + 1)), np.empty(rank + 1)
        own_items = np.arange(len(one.items), dtype=np.uint32)
        entries = ScoredLists(one.starts, own_items, one.scores, one.blurs)
        solve_person(entries, 0, self.of_items(one.items), covariance, expected)
        second = covariance[:rank, :rank] + np.outer(expected[:rank], expected[:rank])
        variances = self.noise + np.einsum("nde,de->n", self.spreads[columns], second)
        # Utilities are linear functions of (g, c); that of a listed item is its score minus c.
        rows = np.hstack([self.loadings[columns], np.zeros((len(columns), 1))])
        certain = np.isin(columns, one.items[one.blurs == 0])
        rows[certain] = 0.0
        rows[certain, rank] = -1.0
        return np.asarray(rows @ covariance @ rows.T + np.diag(np.where(certain, 0.0, variances)))


class _Round(NamedTuple):
    """What a round over all people finds for each item."""

    grams: Floats
    pulls: Floats
    spread: Floats
    squares: float
    total: float


def _pass_over(lists: Lists, model: FactorPopulation, n_jobs: int | None) -> _Round:
    n_items, rank = model.loadings.shape
    factors = model.of_items()

    def work(some: Lists) -> tuple[Any, ...]:
        grams = np.zeros((n_items, rank + 1, rank + 1))
        pulls = np.zeros((n_items, rank + 1))
        spread = np.zeros((rank, rank))
        both = add_people(some.arrays, some.counts, factors, grams, pulls, spread)
        return grams, pulls, spread, *both

    return _Round(*sum_over(lists, work, n_jobs))


def first_factors(lists: Lists, rng: np.random.Generator, rank: int = 32) -> FactorPopulation:
    """Mean scores, and the main directions of what is left, before the lists drop some."""
    mean = mean_scores(lists)
    residuals = csr_array(
        (lists.scores - mean[lists.items], lists.items.astype(np.int32), lists.starts),
        shape=(len(lists), lists.n_items),
    )
    rank = min(rank, *residuals.shape)
    sizes, directions = leading_directions(residuals, rank, int(rng.integers(1 << 31)))
    loadings = np.ascontiguousarray((sizes[:, None] * directions).T)
    # Half of the variance of scores, which is 1, is shared, and half is each person's own.
    variance = max((loadings**2).sum(axis=1).mean(), LEAST_VARIANCE)
    loadings *= np.sqrt(0.5 / variance)
    return FactorPopulation(mean, loadings, np.zeros((lists.n_items, rank, rank)), 0.5)


def learn_factors(
    lists: Lists,
    start: FactorPopulation,
    graph: ItemGraph | None,
    *,
    n_rounds: int = ROUNDS,
    n_jobs: int | None = None,
) -> tuple[FactorPopulation, float]:
    """Some rounds of learning from a starting point; also the mean share ρ of the graph."""
    model, share, doubts = start, 0.0, np.zeros(lists.n_items)
    listed = np.bincount(lists.items, minlength=lists.n_items) > 0
    for _ in range(n_rounds):
        sums = _pass_over(lists, model, n_jobs)
        model, share, doubts = _solve_items(
            model, doubts, sums, listed, graph, float(lists.counts.sum())
        )
    return model, share


def _solve_items(
    model: FactorPopulation,
    doubts: Floats,
    sums: _Round,
    listed: Any,
    graph: ItemGraph | None,
    n_people: float,
) -> tuple[FactorPopulation, float, Floats]:
    """The next model, the mean share of the graph, and the variances of the means."""
    rank = model.loadings.shape[1]
    now = np.hstack([model.loadings, model.mean[:, None]])
    centres, shares = _centres(now, listed, graph)
    gaps = (now - centres)[listed]
    variances = (gaps**2).mean(axis=0)
    variances[:rank] += np.einsum("ndd->nd", model.spreads)[listed].mean(axis=0)
    variances[rank] += doubts[listed].mean()
    precisions = 1.0 / np.maximum(variances, LEAST_VARIANCE)
    grams = sums.grams + sums.grams.transpose(0, 2, 1)
    grams[:, range(rank + 1), range(rank + 1)] /= 2.0
    grams[:, range(rank + 1), range(rank + 1)] += precisions
    inverses = np.linalg.inv(grams)
    solved = np.einsum("nde,ne->nd", inverses, sums.pulls + precisions * centres)
    loadings, spreads = solved[:, :rank], inverses[:, :rank, :rank]
    # Factors of unit covariance, in their principal axes; those of little variance are dropped.
    root = np.linalg.cholesky(sums.spread / n_people)
    loadings, spreads = loadings @ root, root.T @ spreads @ root
    _, axes = np.linalg.eigh(loadings.T @ loadings + spreads.sum(axis=0))
    sizes = ((loadings[listed] @ axes) ** 2).mean(axis=0)
    axes = axes[:, sizes >= min(LEAST_VARIANCE, sizes.max())]
    turned = FactorPopulation(
        np.ascontiguousarray(solved[:, rank]),
        np.ascontiguousarray(loadings @ axes),
        np.ascontiguousarray(axes.T @ spreads @ axes),
        max(sums.squares / max(sums.total, 1.0), LEAST_VARIANCE),
    )
    return turned, float(shares[:rank].mean()), np.ascontiguousarray(inverses[:, rank, rank])


def _centres(now: Floats, listed: Any, graph: ItemGraph | None) -> tuple[Floats, Floats]:
    """The prior's centre for each item: its neighbours' mean times the share that fits best."""
    if graph is None:
        return np.zeros_like(now), np.zeros(now.shape[1])
    sums = graph.weights.multiply(np.ascontiguousarray(now.T)).T
    near = degree_scales(graph)[:, None] ** 2 * sums
    squares = (near[listed] ** 2).sum(axis=0)
    shares = (now[listed] * near[listed]).sum(axis=0) / np.maximum(squares, 1e-300)
    shares = np.clip(np.where(squares > 0, shares, 0.0), 0.0, 1.0)
    return shares * near, shares


AnyPopulation: TypeAlias = Population | FactorPopulation
