"""The model: utilities u ~ N(μ, Σ) over all items for each person, Σ = Z C Zᵀ + s·I.

The scores of a list are y = u_L + offset, the offset as vague as can be. C has an inverse Wishart
prior around C₀ with the strength of ν people, and EM finds μ, C and s. For few items Z = I, and
for many it spans the directions in which people differ most.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankcut._loops.types import Floats
from rankcut._loops.utilities import add_lists
from rankcut.estimators.completion.lists import Lists
from rankcut.threads import in_order

# The variance of a list's offset: large beside that of scores, which is 1.
OFFSET = 10.0

# Sums over people are taken in this many chunks, whatever the number of threads.
_CHUNKS = 4

# Scores have variance 1; noise far below that is a sign of too few people, not of certainty.
LEAST_NOISE = 1e-3

_DAMPING = 0.7


@dataclass(frozen=True, eq=False)
class Utilities:
    """The population: mean, basis, covariance in the basis, and noise."""

    mean: Floats
    basis: Floats  #: n × q; q = 0 stands for the identity
    covariance: Floats
    noise: float

    @property
    def size(self) -> int:
        """The number of directions in which people differ."""
        return len(self.covariance)

    @property
    def scaled(self) -> Floats:
        """Z·C, or C itself."""
        return self.basis @ self.covariance if self.basis.shape[1] else self.covariance


@dataclass(frozen=True, eq=False)
class Sums:
    """What a pass over all lists finds."""

    gram: Floats
    outer: Floats
    gradient: Floats
    curvature: Floats
    weights: Floats
    precisions: Floats
    likelihood: float
    squares: float


def pass_over(lists: Lists, model: Utilities, n_jobs: int | None = None) -> Sums:
    """One pass over all lists, given the population."""
    n_items = len(model.mean)
    size = model.size
    scaled = np.ascontiguousarray(model.scaled)
    inverse = np.linalg.inv(model.covariance) if model.basis.shape[1] else np.empty((0, 0))
    weights, precisions = np.empty(len(lists.items)), np.empty(len(lists.items))
    bounds = np.linspace(0, len(lists), _CHUNKS + 1).astype(int)

    def work(chunk: int) -> tuple[Any, ...]:
        start, stop = bounds[chunk], bounds[chunk + 1]
        first, last = lists.starts[start], lists.starts[stop]
        gram, spread, outer = np.zeros((3, size, size))
        gradient, curvature = np.zeros(n_items), np.zeros(n_items)
        both = add_lists(
            lists.starts[start : stop + 1] - first,
            lists.items[first:last],
            lists.scores[first:last],
            lists.counts[start:stop],
            model.mean,
            model.basis,
            scaled,
            inverse,
            model.noise,
            OFFSET,
            gram,
            spread,
            outer,
            gradient,
            curvature,
            weights[first:last],
            precisions[first:last],
        )
        return gram, spread, outer, gradient, curvature, *both

    totals: list[Any] = [0.0] * 7
    for result in in_order(work, range(_CHUNKS), n_jobs):
        totals = [total + part for total, part in zip(totals, result, strict=True)]
    gram, spread, outer, gradient, curvature, likelihood, squares = totals
    rank = model.basis.shape[1]
    in_basis = lists.counts[(lists.lengths > rank) & (rank > 0)].sum()
    if in_basis:
        # Their covariances are C − C·gram·C.
        gram = gram + in_basis * inverse - inverse @ spread @ inverse
        likelihood -= 0.5 * in_basis * np.linalg.slogdet(model.covariance)[1]
    return Sums(gram, outer, gradient, curvature, weights, precisions, likelihood, squares)


def learn(
    lists: Lists,
    start: Utilities,
    strength: float,
    *,
    max_iter: int = 40,
    tol: float = 1e-3,
    n_jobs: int | None = None,
    heard: Callable[[], None] = lambda: None,
) -> Utilities:
    """EM from a starting point, whose covariance is the prior of ``strength`` people."""
    prior, before = start.covariance, -np.inf
    model = start
    precision = _precision_of_mean(start)
    n_people, n_scores = lists.counts.sum(), (lists.counts * lists.lengths).sum()
    for _ in range(max_iter):
        sums = pass_over(lists, model, n_jobs)
        known = model.covariance
        second = known @ (sums.outer - sums.gram) @ known + n_people * known
        covariance = (strength * prior + second) / (strength + n_people)
        model = replace(
            model,
            mean=_moved_mean(model, sums, precision),
            covariance=(covariance + covariance.T) / 2,
            noise=max(sums.squares / n_scores, LEAST_NOISE),
        )
        heard()
        if abs(sums.likelihood - before) < tol * n_people:
            break
        before = sums.likelihood
    return model


def _precision_of_mean(start: Utilities) -> Floats:
    """Of the prior of the means: like items have like means, each about 1 from 0."""
    if start.size and start.basis.shape[1]:
        return np.ones(len(start.mean))
    covariance = start.covariance + start.noise * np.eye(start.size)
    return np.asarray(np.linalg.inv(covariance * (start.size / np.trace(covariance))))


def _moved_mean(model: Utilities, sums: Sums, precision: Floats) -> Floats:
    """The means after a step: Newton's without a basis, Jacobi's with one."""
    if model.basis.shape[1] == 0:
        pull = sums.gradient - precision @ model.mean
        return np.asarray(model.mean + np.linalg.solve(sums.gram + precision, pull))
    pull = sums.gradient - precision * model.mean
    return np.asarray(model.mean + _DAMPING * pull / (sums.curvature + precision))
