"""Utilities behind lists, of few items or by factors.

:class:`UtilityModel`: y = u_L + c + ε for each person, u ~ N(μ, Σ). The scores y of a list L have
the covariance S = Σ_LL + diag(noise + blur) + offset·11ᵀ. All that is needed for a person is in
its inverse H: the weights w = H·(y − μ_L), the likelihood, and what the list adds to the sums of an
EM step.

:class:`FactorModel`: y = μ_i + z_i·g + c + ε, g ~ N(0, I), c ~ N(0, offset). Loadings z_i are
uncertain too: ``moments`` holds E[z_i z_iᵀ]. Given those, (g, c) of a person is normal, and given
all people so are the loadings of an item: r + 1 unknowns each.
"""

from typing import NamedTuple

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.linear_algebra import invert
from rankcut._loops.types import Floats, Indices, Longs, ScoredLists

_LOG_TWO_PI = float(np.log(2.0 * np.pi))


class UtilityModel(NamedTuple):
    """The parameters of all lists: μ, Σ, the noise and the offset."""

    mean: Floats
    covariance: Floats
    noise: float
    offset: float


@compiled
def _same_covariance(lists: ScoredLists, first: int, before: int, k: int) -> bool:
    """Whether two lists of k items, from entries ``first`` and ``before``, have the same S."""
    for a in range(k):
        if lists.items[first + a] != lists.items[before + a]:
            return False
        if lists.blurs[first + a] != lists.blurs[before + a]:
            return False
    return True


@compiled
def _invert_list(items: Indices, blurs: Floats, model: UtilityModel, inverse: Floats) -> float:
    """H of one list; returns the log determinant of S."""
    k = len(items)
    for a in range(k):
        row = model.covariance[items[a]]
        for b in range(k):
            inverse[a, b] = row[items[b]] + model.offset
        inverse[a, a] += model.noise + blurs[a]
    return invert(inverse, k)


@compiled
def _fill_weights(
    items: Indices, scores: Floats, mean: Floats, inverse: Floats, weights: Floats
) -> float:
    """The weights of one list; returns wᵀ·S·w."""
    fit = 0.0
    for a in range(len(items)):
        row = inverse[a]
        total = 0.0
        for b in range(len(items)):
            total += row[b] * (scores[b] - mean[items[b]])
        weights[a] = total
        fit += total * (scores[a] - mean[items[a]])
    return fit


@compiled
def longest_list(starts: Longs) -> int:
    """The number of items of the longest list, or 1."""
    longest = 1
    for person in range(len(starts) - 1):
        longest = max(longest, starts[person + 1] - starts[person])
    return longest


@compiled
def add_lists(
    lists: ScoredLists,
    counts: Floats,
    model: UtilityModel,
    gram: Floats,
    outer: Floats,
    gradient: Floats,
) -> tuple[float, float]:
    """Add what an EM step sums over people; return the log likelihood and E‖ε‖².

    ``gram`` += H, ``outer`` += w·wᵀ and ``gradient`` += w at the items of each list, times the
    person's count. Lists of the same items one after another share H.
    """
    starts, items, scores, blurs = lists
    noise = model.noise
    longest = longest_list(starts)
    inverse, weights = np.empty((longest, longest)), np.empty(longest)
    likelihood = squares = log_det = 0.0
    before = -1
    size = 0
    for person in range(len(starts) - 1):
        first = starts[person]
        k = starts[person + 1] - first
        if k == 0:
            continue
        listed = items[first : first + k]
        count = counts[person]
        if not (k == size and _same_covariance(lists, first, before, k)):
            log_det = _invert_list(listed, blurs[first : first + k], model, inverse)
        before, size = first, k
        fit = _fill_weights(listed, scores[first : first + k], model.mean, inverse, weights)
        likelihood -= 0.5 * count * (fit + log_det + k * _LOG_TWO_PI)
        for a in range(k):
            weight = weights[a]
            gradient[listed[a]] += count * weight
            spread = noise * noise * (weight * weight - inverse[a, a]) + noise
            squares += count * spread
            into, gram_row = outer[listed[a]], gram[listed[a]]
            for b in range(k):
                into[listed[b]] += count * weight * weights[b]
                gram_row[listed[b]] += count * inverse[a, b]
    return likelihood, squares


@compiled
def solve_list(
    lists: ScoredLists, person: int, model: UtilityModel, weights: Floats, inverse: Floats
) -> None:
    """Write w and H of one list."""
    place = slice(lists.starts[person], lists.starts[person + 1])
    _invert_list(lists.items[place], lists.blurs[place], model, inverse)
    _fill_weights(lists.items[place], lists.scores[place], model.mean, inverse, weights)


@compiled
def fill_utilities(lists: ScoredLists, model: UtilityModel, out: Floats) -> None:
    """μ + Σ_·L w of each person, and the noise times w more at the listed items."""
    longest = longest_list(lists.starts)
    inverse, weights = np.empty((longest, longest)), np.empty(longest)
    for person in range(out.shape[0]):
        solve_list(lists, person, model, weights, inverse)
        into = out[person]
        into[:] = model.mean
        first = lists.starts[person]
        for entry in range(first, lists.starts[person + 1]):
            weight = weights[entry - first]
            row = model.covariance[lists.items[entry]]
            for i in range(len(into)):
                into[i] += weight * row[i]
            into[lists.items[entry]] += model.noise * weight


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
