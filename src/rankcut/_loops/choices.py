"""Loops of Plackett–Luce likelihoods: a ranking is chosen from the top, group by group.

Rankings are flat: ``items[starts[r]:starts[r + 1]]`` are the items that ranking r lists, best
first. If ``others`` stay, all unlisted items are at choice each time and never chosen: top-k lists.
Otherwise only the listed items are at choice. Choices of several items, which are tied, are in
:mod:`rankcut._loops.tied_choices`.

Without ties, sums over the choices of a ranking telescope: with worths α and the worth Z_t of
what remains at choice t, the entry of rank t has the score 1 − α_i·Σ_{s ≤ t} 1/Z_s. What unlisted
items add to a ranking's score is −α_j times one number, its ``tail``. So a list of k items costs k
steps, or k² for second derivatives, whatever the number of unlisted ones.
"""

import math

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Flags, Floats, Indices, Longs

# A rest of less than this share of all worth is summed item by item: a difference would lose it.
_CANCELLED = 1e-6


@compiled
def rest_worth(worths: Floats, total: float, listed: Indices) -> float:
    """The worth of all items but the listed ones."""
    rest = total
    for item in listed:
        rest -= worths[item]
    if rest > _CANCELLED * total or len(listed) == len(worths):
        return rest if len(listed) < len(worths) else 0.0
    unlisted = worths.copy()
    for item in listed:
        unlisted[item] = 0.0
    return float(unlisted.sum())


@compiled
def remaining_worths(worths: Floats, rest: float, listed: Indices, remaining: Floats) -> None:
    """``remaining[t]``: the worth of what is at choice when the item of rank t is chosen."""
    for t in range(len(listed) - 1, -1, -1):
        rest += worths[listed[t]]
        remaining[t] = rest


@compiled
def strict_scores(
    log_worths: Floats,
    starts: Longs,
    items: Indices,
    others: bool,
    entries: Floats,
    tails: Floats,
    values: Floats,
) -> None:
    """The score and log-likelihood of each ranking without ties.

    The score of ranking r is ``entries`` at its items, minus ``tails[r]`` times the worths.
    """
    worths = np.exp(log_worths)
    total = worths.sum()
    remaining = np.empty(len(worths))
    for r in range(len(starts) - 1):
        listed = items[starts[r] : starts[r + 1]]
        rest = rest_worth(worths, total, listed) if others else 0.0
        remaining_worths(worths, rest, listed, remaining)
        inverse = 0.0
        value = 0.0
        for t in range(len(listed)):
            inverse += 1.0 / remaining[t]
            entries[starts[r] + t] = 1.0 - worths[listed[t]] * inverse
            value += log_worths[listed[t]] - math.log(remaining[t])
        values[r] = value
        tails[r] = 0.0
        if others:
            tails[r] = inverse
            for t in range(len(listed)):
                entries[starts[r] + t] += worths[listed[t]] * inverse


@compiled
def strict_sums(
    log_worths: Floats,
    starts: Longs,
    items: Indices,
    weights: Floats,
    others: bool,
    gradient: Floats,
    own: Floats,
    pairs: Floats,
) -> tuple[float, float]:
    """Add up the gradient and curvature of rankings without ties; returns their log-likelihood.

    With c_i = Σ_{s ≤ t(i)} 1/Z_s², the curvature of i and j is −α_i·α_j·c of the earlier one. Where
    others stay, it is written as c of the last choice, minus what i and j lack of it (``own``),
    plus what both lack (``pairs``): only the listed items lack anything. The second number that is
    returned is the sum of c of the last choices. ``pairs[i, j]`` is filled for i before j; an empty
    array is left alone.
    """
    worths = np.exp(log_worths)
    total = worths.sum()
    remaining = np.empty(len(worths))
    sums = np.empty(len(worths))
    value = 0.0
    everywhere = 0.0
    tail = 0.0
    for r in range(len(starts) - 1):
        listed = items[starts[r] : starts[r + 1]]
        rest = rest_worth(worths, total, listed) if others else 0.0
        remaining_worths(worths, rest, listed, remaining)
        inverse = 0.0
        square = 0.0
        for t in range(len(listed)):
            item = listed[t]
            value += weights[r] * (log_worths[item] - math.log(remaining[t]))
            inverse += weights[r] / remaining[t]
            square += weights[r] / remaining[t] ** 2
            gradient[item] += weights[r] - worths[item] * inverse
            sums[t] = square
        if others:
            tail += inverse
            everywhere += square
            for t in range(len(listed)):
                gradient[listed[t]] += worths[listed[t]] * inverse
                own[listed[t]] += square - sums[t]
                for later in range(t + 1, len(listed) if len(pairs) else 0):
                    pairs[listed[t], listed[later]] += square - sums[later]
        else:
            for t in range(len(listed)):
                own[listed[t]] += sums[t]
                for later in range(t + 1, len(listed) if len(pairs) else 0):
                    pairs[listed[t], listed[later]] += sums[t]
    gradient -= tail * worths
    return value, everywhere


@compiled
def strict_products(
    worths: Floats,
    starts: Longs,
    items: Indices,
    weights: Floats,
    others: bool,
    vector: Floats,
    product: Floats,
) -> float:
    """Add Σ_j α_j·v_j·Σ_s 1/Z_s² of what is at choice with each listed item; returns the tail's.

    The negative Hessian times v is α·(v·wins' part − this), without a matrix.
    """
    total = worths.sum()
    whole = (worths * vector).sum()
    remaining = np.empty(len(worths))
    everywhere = 0.0
    for r in range(len(starts) - 1):
        listed = items[starts[r] : starts[r + 1]]
        rest = rest_worth(worths, total, listed) if others else 0.0
        remaining_worths(worths, rest, listed, remaining)
        crossed = whole if others else 0.0
        if not others:
            for item in listed:
                crossed += worths[item] * vector[item]
        running = 0.0
        for t in range(len(listed)):
            running += weights[r] * crossed / remaining[t] ** 2
            product[listed[t]] += running
            crossed -= worths[listed[t]] * vector[listed[t]]
        if others:
            everywhere += running
            for item in listed:
                product[item] -= running
    return everywhere


@compiled
def mark_wins(
    starts: Longs,
    items: Indices,
    joined: Flags,
    n_listed: Longs,
    others: bool,
    ties_join: bool,
    wins: Flags,
) -> None:
    """Mark that an item was chosen before those of the next group, or before all that are left."""
    unlisted = np.ones(len(wins), dtype=np.bool_)
    for r in range(len(starts) - 1):
        stop = starts[r] + n_listed[r]
        begin = starts[r]
        while begin < stop:
            end = begin + 1
            while end < stop and joined[end]:
                end += 1
            until = starts[r + 1]
            if end < stop:
                until = end + 1
                while until < stop and joined[until]:
                    until += 1
            for e in range(begin, end):
                wins[items[e], items[e]] = True
                for f in range(end, until):
                    wins[items[e], items[f]] = True
                if ties_join:
                    for f in range(begin, end):
                        wins[items[e], items[f]] = True
            if others and end == stop:
                unlisted[items[starts[r] : stop]] = False
                for e in range(begin, end):
                    for j in range(len(wins)):
                        wins[items[e], j] |= unlisted[j]
                unlisted[items[starts[r] : stop]] = True
            begin = end
