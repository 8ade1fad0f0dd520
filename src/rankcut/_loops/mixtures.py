"""Loops of mixtures of strengths: who belongs to which component, and the slope of the likelihood.

Rankings are flat, as in :mod:`rankcut._loops.choices`. Tied items are taken one by one, and each of
them leaves in equal parts (Efron 1977).
"""

import math

import numpy as np

from rankcut._loops.choices import rest_worth
from rankcut._loops.compilation import compiled
from rankcut._loops.types import Flags, Floats, Indices, Longs

# Products stay between this and its inverse before their logarithm is taken.
_LARGE = 1e150


@compiled
def one_ranking(
    log_worths: Floats,
    worths: Floats,
    rest: float,
    listed: Indices,
    joined: Flags,
    n_chosen: int,
    inverses: Floats,
) -> float:
    """The log-likelihood of a ranking; ``inverses`` are Σ 1/Z over the choices that an item was at.

    ``rest`` is the worth of what was at choice without being among ``listed``. The last entry of
    ``inverses`` is the sum over all choices.
    """
    n = len(listed)
    # From the end, what remains at each choice; then from the top.
    for e in range(n - 1, -1, -1):
        rest += worths[listed[e]]
        inverses[e] = rest
    inverse = 0.0
    value = 0.0
    product = 1.0
    begin = 0
    while begin < n_chosen:
        end = begin + 1
        group = worths[listed[begin]]
        while end < n_chosen and joined[end]:
            group += worths[listed[end]]
            end += 1
        remaining = inverses[begin]
        size = end - begin
        before = inverse
        own = 0.0
        for step in range(size):
            part = step / size
            left = remaining - part * group
            value += log_worths[listed[begin + step]]
            product *= left
            if product > _LARGE or product < 1.0 / _LARGE:
                value -= math.log(product)
                product = 1.0
            inverse += 1.0 / left
            own += (1.0 - part) / left
        for e in range(begin, end):
            inverses[e] = before + own
        begin = end
    for e in range(n_chosen, n + 1):
        inverses[e] = inverse
    return value - math.log(product)


@compiled
def mixture_sums(
    log_worths: Floats,
    log_shares: Floats,
    people: Longs,
    starts: Longs,
    items: Indices,
    joined: Flags,
    n_chosen: Longs,
    others: bool,
    weights: Floats,
    chances: Floats,
    totals: Floats,
    gradient: Floats,
) -> None:
    """The log-likelihood of each person, how probable each component is, and the gradient.

    Person p has the rankings ``people[p]:people[p + 1]``, whose weights add up to the person's;
    ``totals`` and ``chances`` are the same for all of them. ``log_worths`` and ``gradient``, which
    is added to, have a row for each component.
    """
    n_components, n_items = log_worths.shape
    worths = np.exp(log_worths)
    sums = worths.sum(axis=1)
    tails = np.zeros(n_components)
    inverses = np.empty((n_components, n_items + 1))
    chance = np.empty(n_components)
    for p in range(len(people) - 1):
        first, last = people[p], people[p + 1]
        chance[:] = log_shares
        for r in range(first, last):
            listed = items[starts[r] : starts[r + 1]]
            ties = joined[starts[r] : starts[r + 1]]
            for q in range(n_components):
                rest = rest_worth(worths[q], sums[q], listed) if others else 0.0
                chance[q] += one_ranking(
                    log_worths[q], worths[q], rest, listed, ties, n_chosen[r], inverses[q]
                )
        highest = chance.max()
        total = 0.0
        for q in range(n_components):
            chance[q] = math.exp(chance[q] - highest)
            total += chance[q]
        own = weights[first:last].sum()
        for r in range(first, last):
            totals[r] = highest + math.log(total)
            listed = items[starts[r] : starts[r + 1]]
            ties = joined[starts[r] : starts[r + 1]]
            n = len(listed)
            for q in range(n_components):
                chances[r, q] = chance[q] / total
                weight = own * chances[r, q]
                if weight == 0.0:
                    continue
                if last - first > 1:
                    rest = rest_worth(worths[q], sums[q], listed) if others else 0.0
                    one_ranking(
                        log_worths[q], worths[q], rest, listed, ties, n_chosen[r], inverses[q]
                    )
                tail = inverses[q, n] if others else 0.0
                tails[q] += weight * tail
                for e in range(n):
                    item = listed[e]
                    chosen = 1.0 if e < n_chosen[r] else 0.0
                    gradient[q, item] += weight * (
                        chosen - worths[q, item] * (inverses[q, e] - tail)
                    )
    for q in range(n_components):
        gradient[q] -= tails[q] * worths[q]
