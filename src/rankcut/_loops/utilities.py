"""Utilities behind lists: y = u_L + c + ε for each person, u ~ N(μ, Σ).

The scores y of a list L have the covariance S = Σ_LL + diag(noise + blur) + offset·11ᵀ. All that is
needed for a person comes from its inverse H: the weights w = H·(y − μ_L), the likelihood, and what
the list adds to the sums of an EM step. If ``exact``, w and H are those of the order of the list
instead, for a short list without ties or blurs.
"""

from typing import NamedTuple

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.linear_algebra import invert
from rankcut._loops.orders import order_of, solve_order
from rankcut._loops.types import Floats, Indices, Longs, ScoredLists

_LOG_TWO_PI = float(np.log(2.0 * np.pi))

# The order of longer lists takes too long, and says little more than normal scores. The cost of a
# covariance grows with the cube of the length of lists, so it is for lists of this length too.
LONGEST = 40


class Utilities(NamedTuple):
    """The parameters of all lists: μ, Σ, the noise, the offset, and whether orders count."""

    mean: Floats
    covariance: Floats
    noise: float
    offset: float
    exact: bool


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
    """H of one list by its scores; returns the log determinant of S."""
    k = len(items)
    for a in range(k):
        row = model.covariance[items[a]]
        for b in range(k):
            inverse[a, b] = row[items[b]] + model.offset
        inverse[a, a] += model.noise + blurs[a]
    return invert(inverse, k)


@compiled
def ordered(scores: Floats, blurs: Floats) -> Longs:
    """The order of a list whose order is used; an empty array if scores are."""
    if len(scores) < 2 or len(scores) > LONGEST or blurs.max() > 0.0:
        return np.empty(0, dtype=np.int64)
    return order_of(scores)


@compiled
def _fill_weights_of_scores(
    items: Indices, scores: Floats, mean: Floats, inverse: Floats, weights: Floats
) -> float:
    """The weights of one list by its scores; returns wᵀ·S·w."""
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
    person's count. Scores of the same items one after another share H.
    """
    starts, items, scores, blurs = lists
    mean, noise = model.mean, model.noise
    longest = longest_list(starts)
    inverse = np.empty((longest, longest))
    weights = np.empty(longest)
    likelihood = 0.0
    squares = 0.0
    log_det = 0.0
    held = 0.0
    before = -1
    size = 0
    for person in range(len(starts) - 1):
        first = starts[person]
        k = starts[person + 1] - first
        if k == 0:
            continue
        listed = items[first : first + k]
        own = scores[first : first + k]
        count = counts[person]
        found = np.nan
        if model.exact:
            order = ordered(own, blurs[first : first + k])
            if len(order):
                _add_inverse(items[before : before + size], inverse, held, gram)
                held = 0.0
                found = solve_order(listed, order, mean, model.covariance, noise, weights, inverse)
                size = 0
        if np.isnan(found):
            if not (k == size and _same_covariance(lists, first, before, k)):
                _add_inverse(items[before : before + size], inverse, held, gram)
                held = 0.0
                log_det = _invert_list(listed, blurs[first : first + k], model, inverse)
            before = first
            size = k
            held += count
            fit = _fill_weights_of_scores(listed, own, mean, inverse, weights)
            found = -0.5 * (fit + log_det + k * _LOG_TWO_PI)
        else:
            _add_inverse(listed, inverse, count, gram)
        trace = 0.0
        length = 0.0
        for a in range(k):
            gradient[listed[a]] += count * weights[a]
            trace += inverse[a, a]
            length += weights[a] * weights[a]
        squares += count * (noise * noise * (length - trace) + k * noise)
        likelihood += count * found
        for a in range(k):
            into = outer[listed[a]]
            weight = count * weights[a]
            for b in range(k):
                into[listed[b]] += weight * weights[b]
    if size:
        _add_inverse(items[before : before + size], inverse, held, gram)
    return likelihood, squares


@compiled
def _add_inverse(items: Indices, inverse: Floats, count: float, gram: Floats) -> None:
    if count == 0.0:
        return
    for a in range(len(items)):
        into = gram[items[a]]
        for b in range(len(items)):
            into[items[b]] += count * inverse[a, b]


@compiled
def solve_list(
    lists: ScoredLists, person: int, model: Utilities, weights: Floats, inverse: Floats
) -> None:
    """Write w and H of one list."""
    place = slice(lists.starts[person], lists.starts[person + 1])
    items, scores, blurs = lists.items[place], lists.scores[place], lists.blurs[place]
    if model.exact:
        order = ordered(scores, blurs)
        if len(order) and not np.isnan(
            solve_order(items, order, model.mean, model.covariance, model.noise, weights, inverse)
        ):
            return
    _invert_list(items, blurs, model, inverse)
    _fill_weights_of_scores(items, scores, model.mean, inverse, weights)


@compiled
def fill_utilities(lists: ScoredLists, model: Utilities, own: float, out: Floats) -> None:
    """μ + Σ_·L w of each person, and ``own``·w more at the listed items."""
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
            into[lists.items[entry]] += own * weight
