"""Utilities behind lists: y = u_L + c + ε for each person, u ~ N(μ, Σ).

The scores y of a list L have the covariance S = Σ_LL + diag(noise + blur) + offset·11ᵀ. All that is
needed of a person comes from its inverse G: the weights w = G·(y − μ_L), the likelihood, and what
the list adds to the sums of an EM step.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.linear_algebra import invert
from rankcut._loops.types import Floats, Indices, Longs

_LOG_TWO_PI = float(np.log(2.0 * np.pi))


@compiled
def _same_covariance(items: Indices, blurs: Floats, first: int, before: int, k: int) -> bool:
    """Whether two lists of k items, from entries ``first`` and ``before``, have the same S."""
    for a in range(k):
        if items[first + a] != items[before + a] or blurs[first + a] != blurs[before + a]:
            return False
    return True


@compiled
def _invert_list(
    items: Indices,
    blurs: Floats,
    covariance: Floats,
    noise: float,
    offset: float,
    room: Floats,
    inverse: Floats,
) -> float:
    """G of one list; returns the log determinant of S."""
    k = len(items)
    for a in range(k):
        row = covariance[items[a]]
        for b in range(a + 1):
            value = row[items[b]] + offset
            room[a, b] = value
            room[b, a] = value
        room[a, a] += noise + blurs[a]
    return invert(room, k, inverse)


@compiled
def add_lists(
    starts: Longs,
    items: Indices,
    scores: Floats,
    blurs: Floats,
    counts: Floats,
    mean: Floats,
    covariance: Floats,
    noise: float,
    offset: float,
    gram: Floats,
    outer: Floats,
    gradient: Floats,
) -> tuple[float, float]:
    """Add what an EM step sums over people; return the log likelihood and E‖ε‖².

    ``gram`` += G, ``outer`` += w·wᵀ and ``gradient`` += w at the items of each list, times the
    person's count. Lists of the same items one after another share G.
    """
    longest = 1
    for person in range(len(starts) - 1):
        longest = max(longest, starts[person + 1] - starts[person])
    room = np.empty((longest, longest))
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
        if not (k == size and _same_covariance(items, blurs, first, before, k)):
            _add_inverse(items[before : before + size], inverse, held, gram)
            held = 0.0
            log_det = _invert_list(
                listed, blurs[first : first + k], covariance, noise, offset, room, inverse
            )
        before = first
        size = k
        count = counts[person]
        held += count
        fit = 0.0
        trace = 0.0
        length = 0.0
        for a in range(k):
            row = inverse[a]
            total = 0.0
            for b in range(k):
                total += row[b] * (scores[first + b] - mean[listed[b]])
            weights[a] = total
            fit += total * (scores[first + a] - mean[listed[a]])
            gradient[listed[a]] += count * total
            trace += row[a]
            length += total * total
        squares += count * (noise * noise * (length - trace) + k * noise)
        likelihood -= 0.5 * count * (fit + log_det + k * _LOG_TWO_PI)
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
def fill_weights(
    starts: Longs,
    items: Indices,
    scores: Floats,
    blurs: Floats,
    mean: Floats,
    covariance: Floats,
    noise: float,
    offset: float,
    weights: Floats,
) -> None:
    """The weights w of each list, an entry for each of its items."""
    longest = 1
    for person in range(len(starts) - 1):
        longest = max(longest, starts[person + 1] - starts[person])
    room = np.empty((longest, longest))
    inverse = np.empty((longest, longest))
    for person in range(len(starts) - 1):
        first = starts[person]
        k = starts[person + 1] - first
        listed = items[first : first + k]
        _invert_list(listed, blurs[first : first + k], covariance, noise, offset, room, inverse)
        for a in range(k):
            total = 0.0
            for b in range(k):
                total += inverse[a, b] * (scores[first + b] - mean[listed[b]])
            weights[first + a] = total


@compiled
def fill_utilities(
    starts: Longs,
    items: Indices,
    weights: Floats,
    mean: Floats,
    covariance: Floats,
    own: float,
    out: Floats,
) -> None:
    """μ + Σ_·L w of each person, and ``own``·w more at the listed items."""
    for person in range(len(starts) - 1):
        into = out[person]
        into[:] = mean
        for entry in range(starts[person], starts[person + 1]):
            weight = weights[entry]
            row = covariance[items[entry]]
            for i in range(len(into)):
                into[i] += weight * row[i]
            into[items[entry]] += own * weight
