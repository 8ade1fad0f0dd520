"""Factors behind lists: y = μ_i + z_i·g + c + ε for each person, g ~ N(0, I), c ~ N(0, offset).

Loadings z_i are uncertain too: ``moments`` holds E[z_i z_iᵀ]. Given those, (g, c) of a person is
normal, and given all people so are the loadings of an item: r + 1 unknowns each.
"""

from typing import NamedTuple

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.linear_algebra import invert
from rankcut._loops.types import Floats, ScoredLists


class FactorModel(NamedTuple):
    """The parameters of all lists: means μ, loadings z, their moments, the noise and offset."""

    means: Floats
    loadings: Floats
    moments: Floats
    noise: float
    offset: float


@compiled
def solve_person(
    lists: ScoredLists, person: int, model: FactorModel, covariance: Floats, expected: Floats
) -> None:
    """The mean and covariance of (g, c), given the list of one person."""
    starts, items, scores, blurs = lists
    means, loadings, moments, noise, offset = model
    rank = loadings.shape[1]
    pull = np.zeros(rank + 1)
    covariance[:] = 0.0
    for d in range(rank):
        covariance[d, d] = 1.0
    covariance[rank, rank] = 1.0 / offset
    last = covariance[rank]
    for a in range(starts[person], starts[person + 1]):
        item = items[a]
        weight = 1.0 / (noise + blurs[a])
        residual = weight * (scores[a] - means[item])
        loading = loadings[item]
        moment = moments[item]
        for d in range(rank):
            into = covariance[d]
            row = moment[d]
            for e in range(d + 1):
                into[e] += weight * row[e]
            last[d] += weight * loading[d]
            pull[d] += residual * loading[d]
        last[rank] += weight
        pull[rank] += residual
    for d in range(rank + 1):
        for e in range(d):
            covariance[e, d] = covariance[d, e]
    invert(covariance, rank + 1)
    for d in range(rank + 1):
        total = 0.0
        row = covariance[d]
        for e in range(rank + 1):
            total += row[e] * pull[e]
        expected[d] = total


@compiled
def add_people(
    lists: ScoredLists,
    counts: Floats,
    model: FactorModel,
    grams: Floats,
    pulls: Floats,
    spread: Floats,
) -> tuple[float, float]:
    """Add up the equations for the loadings and means of items; return E‖ε‖² and its count.

    ``grams`` and ``pulls`` are of the regression of scores on (g, 1), ``spread`` is the sum of
    E[g gᵀ] over people. Only the lower half of ``grams`` is filled.
    """
    starts, items, scores, blurs = lists
    means, loadings, moments, noise, _ = model
    rank = loadings.shape[1]
    second = np.empty((rank + 1, rank + 1))
    expected = np.empty(rank + 1)
    products = np.empty(rank)
    squares = 0.0
    total = 0.0
    for person in range(len(starts) - 1):
        first = starts[person]
        stop = starts[person + 1]
        count = counts[person]
        solve_person(lists, person, model, second, expected)
        level = expected[rank]
        for d in range(rank + 1):
            row = second[d]
            for e in range(rank + 1):
                row[e] += expected[d] * expected[e]
        for d in range(rank):
            into = spread[d]
            row = second[d]
            for e in range(rank):
                into[e] += count * row[e]
        across = second[rank]
        for entry in range(first, stop):
            item = items[entry]
            score = scores[entry]
            weight = count / (noise + blurs[entry])
            gram = grams[item]
            pull = pulls[item]
            moment = moments[item]
            loading = loadings[item]
            products[:] = 0.0
            for d in range(rank):
                into = gram[d]
                row = second[d]
                other = moment[d]
                for e in range(d + 1):
                    into[e] += weight * row[e]
                for e in range(rank):
                    products[e] += row[e] * other[e]
                gram[rank, d] += weight * expected[d]
                pull[d] += weight * (expected[d] * score - across[d])
            gram[rank, rank] += weight
            pull[rank] += weight * (score - level)
            if blurs[entry] == 0.0:
                gap = score - means[item]
                explained = level
                crossed = 0.0
                for d in range(rank):
                    explained += loading[d] * expected[d]
                    crossed += loading[d] * across[d]
                squares += count * (
                    gap * gap
                    - 2.0 * gap * explained
                    + 2.0 * crossed
                    + across[rank]
                    + products.sum()
                )
                total += count
    return squares, total


@compiled
def solve_people(lists: ScoredLists, model: FactorModel, expected: Floats) -> None:
    """The expected (g, c) of each person."""
    covariance = np.empty((expected.shape[1], expected.shape[1]))
    for person in range(len(expected)):
        solve_person(lists, person, model, covariance, expected[person])
