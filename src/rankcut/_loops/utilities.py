"""Utilities behind lists: y = u_L + c + ε for each person, u ~ N(μ, Σ).

The scores y of a list L have the covariance S = Σ_LL + diag(noise + blur) + offset·11ᵀ. All that is
needed for a person comes from its inverse H: the weights w = H·(y − μ_L), the likelihood, and what
the list adds to the sums of an EM step.
"""

from typing import NamedTuple

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.linear_algebra import invert
from rankcut._loops.types import Floats, Indices, Longs, ScoredLists

_LOG_TWO_PI = float(np.log(2.0 * np.pi))


class Utilities(NamedTuple):
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
def _invert_list(items: Indices, blurs: Floats, model: Utilities, inverse: Floats) -> float:
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
    model: Utilities,
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
            own = noise * noise * (weight * weight - inverse[a, a]) + noise
            squares += count * own
            into, gram_row = outer[listed[a]], gram[listed[a]]
            for b in range(k):
                into[listed[b]] += count * weight * weights[b]
                gram_row[listed[b]] += count * inverse[a, b]
    return likelihood, squares


@compiled
def solve_list(
    lists: ScoredLists, person: int, model: Utilities, weights: Floats, inverse: Floats
) -> None:
    """Write w and H of one list."""
    place = slice(lists.starts[person], lists.starts[person + 1])
    _invert_list(lists.items[place], lists.blurs[place], model, inverse)
    _fill_weights(lists.items[place], lists.scores[place], model.mean, inverse, weights)


@compiled
def fill_utilities(lists: ScoredLists, model: Utilities, out: Floats) -> None:
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
