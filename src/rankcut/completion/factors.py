"""The population of a large catalogue: u_i = μ_i + z_i·g + own part, with r factors g ~ N(0, I).

Loadings z_i are uncertain, more so for items in few lists, and have a normal prior whose precision
in each direction is learned, which switches off directions that the lists do not need. With an
item graph, the prior is centred at ρ times the mean of the item's neighbours, and ρ is learned too:
items in few lists take their loadings and means from similar items.

Learning alternates between people and items (variational Bayes with q(g, c)·q(z)). After each round
the factors are rescaled to unit covariance and turned to their principal axes.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from rankcut._loops.linear_algebra import multiply_rows
from rankcut._loops.types import Floats, ScoredLists
from rankcut._loops.utilities import FactorModel, add_people, solve_people, solve_person
from rankcut.completion.lists import Lists, sum_over
from rankcut.completion.population import LEAST_VARIANCE, OFFSET, mean_scores
from rankcut.graphs import ItemGraph
from rankcut.graphs.derived import degree_scales
from rankcut.parameters import ROWS_AT_ONCE
from rankcut.threads import over_rows

# The most factors; directions that the lists do not need are dropped.
RANK = 32

# Rounds of learning.
ROUNDS = 12


@dataclass(frozen=True, eq=False)
class FactorPopulation:
    """Means and loadings of items, the covariances of loadings, and the variance of the rest."""

    mean: Floats
    loadings: Floats
    spreads: Floats  #: n × r × r
    noise: float

    def of_items(self, chosen: Any = slice(None)) -> FactorModel:
        """What loops read about some items."""
        loadings = self.loadings[chosen]
        moments = self.spreads[chosen] + loadings[:, :, None] * loadings[:, None, :]
        return FactorModel(self.mean[chosen], loadings, moments, self.noise, OFFSET)

    def utilities(self, lists: Lists, n_jobs: int | None = None) -> Floats:
        """The expected utilities of each person, listed items in their order."""
        rank = self.loadings.shape[1]
        found = np.empty((len(lists), lists.n_items))
        listed, places = np.unique(lists.items, return_inverse=True)
        known, directions = self.of_items(listed), np.ascontiguousarray(self.loadings.T)
        numbered = replace(lists, items=places.astype(np.uint32))

        def work(start: int, stop: int) -> None:
            expected = np.empty((stop - start, rank + 1))
            solve_people(numbered.span(start, stop).arrays, known, expected)
            multiply_rows(np.ascontiguousarray(expected[:, :rank]), directions, found[start:stop])
            found[start:stop] += self.mean
            some = lists.span(start, stop).listed()
            levels = some.scores - expected[some.owners, rank]
            found[start + some.owners, some.items] = levels

        over_rows(work, len(lists), ROWS_AT_ONCE, n_jobs)
        return found

    def tastes(self, lists: Lists) -> Floats:
        """The expected factors of each person, in units of the utilities that they explain."""
        rank = self.loadings.shape[1]
        expected = np.empty((len(lists), rank + 1))
        solve_people(lists.arrays, self.of_items(), expected)
        return np.asarray(expected[:, :rank] * np.linalg.norm(self.loadings, axis=0))

    def posterior(self, one: Lists, chosen: NDArray[Any]) -> Floats:
        """The covariance of the utilities of some items, given one list."""
        rank = self.loadings.shape[1]
        covariance, expected = np.empty((rank + 1, rank + 1)), np.empty(rank + 1)
        own_items = np.arange(len(one.items), dtype=np.uint32)
        entries = ScoredLists(one.starts, own_items, one.scores, one.blurs)
        solve_person(entries, 0, self.of_items(one.items), covariance, expected)
        second = covariance[:rank, :rank] + np.outer(expected[:rank], expected[:rank])
        own = self.noise + np.einsum("nde,de->n", self.spreads[chosen], second)
        # Utilities are linear functions of (g, c); that of a listed item is its score minus c.
        rows = np.hstack([self.loadings[chosen], np.zeros((len(chosen), 1))])
        known = np.isin(chosen, one.items[one.blurs == 0])
        rows[known] = 0.0
        rows[known, rank] = -1.0
        return np.asarray(rows @ covariance @ rows.T + np.diag(np.where(known, 0.0, own)))


class _Round(NamedTuple):
    """What a round over all people finds for each item."""

    grams: Floats
    pulls: Floats
    spread: Floats
    squares: float
    total: float


def _pass_over(lists: Lists, model: FactorPopulation, n_jobs: int | None) -> _Round:
    n_items, rank = model.loadings.shape
    known = model.of_items()

    def work(some: Lists) -> tuple[Any, ...]:
        grams = np.zeros((n_items, rank + 1, rank + 1))
        pulls = np.zeros((n_items, rank + 1))
        spread = np.zeros((rank, rank))
        both = add_people(some.arrays, some.counts, known, grams, pulls, spread)
        return grams, pulls, spread, *both

    return _Round(*sum_over(lists, work, n_jobs))


def first_factors(lists: Lists, rng: np.random.Generator, rank: int = RANK) -> FactorPopulation:
    """Mean scores, and the main directions of what is left."""
    mean = mean_scores(lists)
    residuals = csr_array(
        (lists.scores - mean[lists.items], lists.items.astype(np.int32), lists.starts),
        shape=(len(lists), lists.n_items),
    )
    rank = min(rank, *residuals.shape)
    _, sizes, directions = randomized_svd(residuals, rank, random_state=int(rng.integers(1 << 31)))
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
        found = _pass_over(lists, model, n_jobs)
        model, share, doubts = _solve_items(
            model, doubts, found, listed, graph, float(lists.counts.sum())
        )
    return model, share


def _solve_items(
    model: FactorPopulation,
    doubts: Floats,
    found: _Round,
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
    grams = found.grams + found.grams.transpose(0, 2, 1)
    grams[:, range(rank + 1), range(rank + 1)] /= 2.0
    grams[:, range(rank + 1), range(rank + 1)] += precisions
    inverses = np.linalg.inv(grams)
    solved = np.einsum("nde,ne->nd", inverses, found.pulls + precisions * centres)
    loadings, spreads = solved[:, :rank], inverses[:, :rank, :rank]
    # Factors of unit covariance, in their principal axes; those of little variance are dropped.
    root = np.linalg.cholesky(found.spread / n_people)
    loadings, spreads = loadings @ root, root.T @ spreads @ root
    _, axes = np.linalg.eigh(loadings.T @ loadings + spreads.sum(axis=0))
    sizes = ((loadings[listed] @ axes) ** 2).mean(axis=0)
    axes = axes[:, sizes >= min(LEAST_VARIANCE, sizes.max())]
    turned = FactorPopulation(
        np.ascontiguousarray(solved[:, rank]),
        np.ascontiguousarray(loadings @ axes),
        np.ascontiguousarray(axes.T @ spreads @ axes),
        max(found.squares / max(found.total, 1.0), LEAST_VARIANCE),
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
