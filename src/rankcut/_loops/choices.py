"""Loops of Plackett–Luce likelihoods: a ranking is chosen from the top, group by group.

If ``others`` stay, all unlisted items are at choice each time and never chosen: top-k lists.
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
from rankcut._loops.types import Flags, Floats, Indices, ListedChoices, Longs

# A rest of less than this share of all worth is summed item by item: a difference would lose it.
_CANCELLED = 1e-6


# Products stay between this and its inverse before their logarithm is taken.
_LARGEST_PRODUCT = 1e150


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
def strict_sums(
    log_worths: Floats,
    choices: ListedChoices,
    weights: Floats,
    gradient: Floats,
    lacking: Floats,
    pairs: Floats,
) -> tuple[float, float]:
    """Add up the gradient and curvature of rankings without ties; returns their log-likelihood.

    With c_i = Σ_{s ≤ t(i)} 1/Z_s², the curvature of i and j is −α_i·α_j·c of the earlier one. Where
    others stay, it is written as c of the last choice, minus what i and j lack of it (``lacking``),
    plus what both lack (``pairs``): only the listed items lack anything. The second number that is
    returned is the sum of c of the last choices. ``pairs[i, j]`` is filled for i before j; an empty
    array is left alone.
    """
    starts, items, _, _, others = choices
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
                lacking[listed[t]] += square - sums[t]
                for later in range(t + 1, len(listed) if len(pairs) else 0):
                    pairs[listed[t], listed[later]] += square - sums[later]
        else:
            for t in range(len(listed)):
                lacking[listed[t]] += sums[t]
                for later in range(t + 1, len(listed) if len(pairs) else 0):
                    pairs[listed[t], listed[later]] += sums[t]
    gradient -= tail * worths
    return value, everywhere


@compiled
def strict_products(
    worths: Floats, choices: ListedChoices, weights: Floats, vector: Floats, product: Floats
) -> float:
    """Add Σ_j α_j·v_j·Σ_s 1/Z_s² of what is at choice with each listed item; returns the tail's.

    The negative Hessian times v is α·(v·wins' part − this), without a matrix.
    """
    starts, items, _, _, others = choices
    total = worths.sum()
    weighted_total = (worths * vector).sum()
    remaining = np.empty(len(worths))
    everywhere = 0.0
    for r in range(len(starts) - 1):
        listed = items[starts[r] : starts[r + 1]]
        rest = rest_worth(worths, total, listed) if others else 0.0
        remaining_worths(worths, rest, listed, remaining)
        crossed = weighted_total if others else 0.0
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
def mark_wins(choices: ListedChoices, ties_join: bool, wins: Flags) -> None:
    """Mark that an item was chosen before those of the next group, or before all that are left."""
    starts, items, joined, n_listed, others = choices
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
        later = 0.0
        for step in range(size):
            part = step / size
            denominator = remaining - part * group
            value += log_worths[listed[begin + step]]
            product *= denominator
            if product > _LARGEST_PRODUCT or product < 1.0 / _LARGEST_PRODUCT:
                value -= math.log(product)
                product = 1.0
            inverse += 1.0 / denominator
            later += (1.0 - part) / denominator
        for e in range(begin, end):
            inverses[e] = before + later
        begin = end
    for e in range(n_chosen, n + 1):
        inverses[e] = inverse
    return value - math.log(product)


@compiled
def strict_scores(
    log_worths: Floats, choices: ListedChoices, entries: Floats, tails: Floats, values: Floats
) -> None:
    """The score and log-likelihood of each ranking without ties.

    The score of ranking r is ``entries`` at its items, minus ``tails[r]`` times the worths.
    """
    starts, items, joined, n_listed, others = choices
    worths = np.exp(log_worths)
    total = worths.sum()
    inverses = np.empty(len(worths) + 1)
    for r in range(len(starts) - 1):
        span = slice(starts[r], starts[r + 1])
        listed = items[span]
        rest = rest_worth(worths, total, listed) if others else 0.0
        values[r] = one_ranking(
            log_worths, worths, rest, listed, joined[span], n_listed[r], inverses
        )
        n = len(listed)
        tails[r] = inverses[n] if others else 0.0
        for t in range(n):
            won = 1.0 if t < n_listed[r] else 0.0
            entries[starts[r] + t] = won - worths[listed[t]] * (inverses[t] - tails[r])


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
    # Plain loops instead of sums of arrays, which take seconds to compile.
    n_components, n_items = log_worths.shape
    worths = np.empty((n_components, n_items))
    sums, tails = np.zeros(n_components), np.zeros(n_components)
    for q in range(n_components):
        for i in range(n_items):
            worths[q, i] = math.exp(log_worths[q, i])
            sums[q] += worths[q, i]
    inverses = np.empty((n_components, n_items + 1))
    chance = np.empty(n_components)
    for p in range(len(people) - 1):
        first, last = people[p], people[p + 1]
        of_person = 0.0
        for q in range(n_components):
            chance[q] = log_shares[q]
        for r in range(first, last):
            of_person += weights[r]
            listed = items[starts[r] : starts[r + 1]]
            ties = joined[starts[r] : starts[r + 1]]
            for q in range(n_components):
                rest = rest_worth(worths[q], sums[q], listed) if others else 0.0
                chance[q] += one_ranking(
                    log_worths[q], worths[q], rest, listed, ties, n_chosen[r], inverses[q]
                )
        highest, total = chance[0], 0.0
        for q in range(1, n_components):
            highest = max(highest, chance[q])
        for q in range(n_components):
            chance[q] = math.exp(chance[q] - highest)
            total += chance[q]
        for r in range(first, last):
            totals[r] = highest + math.log(total)
            listed = items[starts[r] : starts[r + 1]]
            ties = joined[starts[r] : starts[r + 1]]
            n = len(listed)
            for q in range(n_components):
                chances[r, q] = chance[q] / total
                weight = of_person * chances[r, q]
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
                    won = 1.0 if e < n_chosen[r] else 0.0
                    gradient[q, item] += weight * (won - worths[q, item] * (inverses[q, e] - tail))
    for q in range(n_components):
        for i in range(n_items):
            gradient[q, i] -= tails[q] * worths[q, i]
