"""Loops of choices with ties: the probability of a group, from what remains.

Items that are at choice and never chosen are entries too, after those that a ranking lists.
"""

import math

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Flags, Floats, ListedChoices, TieModel


@compiled
def symmetric_sums(x: Floats, degree: int, before: Floats, after: Floats) -> float:
    """e_d(x), the sum of the products of all subsets of d numbers, and what leads to it.

    ``before[i]`` holds e_0 … e_d of the numbers before i, ``after[i]`` those from i on.
    """
    n = len(x)
    before[0, : degree + 1] = 0.0
    after[n, : degree + 1] = 0.0
    before[0, 0] = 1.0
    after[n, 0] = 1.0
    for i in range(n):
        before[i + 1, 0] = 1.0
        after[n - 1 - i, 0] = 1.0
        for d in range(1, degree + 1):
            before[i + 1, d] = before[i, d] + x[i] * before[i, d - 1]
            after[n - 1 - i, d] = after[n - i, d] + x[n - 1 - i] * after[n - i, d - 1]
    return float(before[n, degree])


@compiled
def coefficient(one: Floats, other: Floats, degree: int) -> float:
    """The coefficient of z^degree in the product of two polynomials."""
    total = 0.0
    for d in range(degree + 1):
        total += one[d] * other[degree - d]
    return total


@compiled
def tied_choice(
    x: Floats, n_chosen: int, ties: TieModel, score: Floats, curvature: Floats
) -> float:
    """Add one choice by Davidson's model for ties; returns its log-likelihood.

    A set S of d items is chosen with probability δ_d·Π_{i∈S} α_i^{1/d} / Z, where Z is the sum
    over the sets of all sizes in ``orders``. ``x`` are the log-worths of what is at choice, the
    first ``n_chosen`` of which are chosen. ``score`` and ``curvature`` have a place for each of
    ``x`` and then one for each log δ.
    """
    _, orders, log_delta = ties
    n = len(x)
    top = x.max()
    deepest = orders[-1]
    before = np.empty((n + 1, deepest + 1))
    after = np.empty((n + 1, deepest + 1))
    middle = np.empty(deepest + 1)
    # Sums are divided by C(n, d) through the scale of the numbers, so that none overflows.
    log_terms = np.full(len(orders), -np.inf)
    scales = np.ones(len(orders))
    for q in range(len(orders)):
        d = orders[q]
        if d <= n:
            scales[q] = n / d
            total = symmetric_sums(np.exp((x - top) / d) / scales[q], d, before, after)
            log_terms[q] = log_delta[q] + top + math.log(total) + d * math.log(scales[q])
    highest = log_terms.max()
    log_z = highest + math.log(np.exp(log_terms - highest).sum())
    shares = np.exp(log_terms - log_z)

    expected = np.zeros(n)
    for q in range(len(orders)):
        d = orders[q]
        if d > n:
            continue
        y = np.exp((x - top) / d) / scales[q]
        total = symmetric_sums(y, d, before, after)
        factor = shares[q] / total
        for i in range(n):
            within = factor * y[i] * coefficient(before[i], after[i + 1], d - 1)
            expected[i] += within / d
            curvature[i, i] += within / d**2
            curvature[i, n + q] += within / d
            if d > 1:
                middle[:] = before[i]
                for j in range(i + 1, n):
                    both = factor * y[i] * y[j] * coefficient(middle, after[j + 1], d - 2)
                    curvature[i, j] += both / d**2
                    for power in range(d, 0, -1):
                        middle[power] += y[j] * middle[power - 1]
        curvature[n + q, n + q] += shares[q]
        score[n + q] -= shares[q]
    for i in range(n):
        score[i] -= expected[i]
        for j in range(i, n):
            curvature[i, j] -= expected[i] * expected[j]
        for q in range(len(orders)):
            curvature[i, n + q] -= expected[i] * shares[q]
    for q in range(len(orders)):
        for other in range(q, len(orders)):
            curvature[n + q, n + other] -= shares[q] * shares[other]
    value = -log_z
    for i in range(n_chosen):
        value += x[i] / n_chosen
        score[i] += 1.0 / n_chosen
    for q in range(len(orders)):
        if orders[q] == n_chosen:
            value += log_delta[q]
            score[n + q] += 1.0
    return float(value)


@compiled
def pooled_choice(x: Floats, n_chosen: int, efron: bool, score: Floats, curvature: Floats) -> float:
    """Add one choice of several by Efron's or Breslow's treatment of ties.

    The chosen items are taken one by one. By Efron's each of them leaves in equal parts, by
    Breslow's all stay at choice until the end.
    """
    n = len(x)
    worths = np.exp(x - x.max())
    chosen = worths[:n_chosen].sum()
    total = worths.sum()
    value = -n_chosen * x.max()
    # Sums over the steps of what a chosen item, and any other, weighs in them.
    chosen_once = 0.0
    other_once = 0.0
    chosen_twice = 0.0
    both_kinds = 0.0
    other_twice = 0.0
    for step in range(n_chosen):
        left = 1.0 - step / n_chosen if efron else 1.0
        remaining = total - (1.0 - left) * chosen
        value += x[step] - math.log(remaining)
        chosen_once += left / remaining
        other_once += 1.0 / remaining
        chosen_twice += (left / remaining) ** 2
        both_kinds += left / remaining**2
        other_twice += 1.0 / remaining**2
    for i in range(n):
        own = worths[i] * (chosen_once if i < n_chosen else other_once)
        score[i] += (1.0 if i < n_chosen else 0.0) - own
        curvature[i, i] += own
        with_chosen = worths[i] * (chosen_twice if i < n_chosen else both_kinds)
        with_other = worths[i] * (both_kinds if i < n_chosen else other_twice)
        for j in range(i, n):
            curvature[i, j] -= worths[j] * (with_chosen if j < n_chosen else with_other)
    return float(value)


# The trapezoidal rule with this step errs by some exp(−π²/step), 1e-17 of the integral. It ends
# where the density is below exp of the other number, beside its largest: that is rounding.
_STEP, _NEGLIGIBLE = 0.25, -40.0


@compiled
def log_density(y: float, rate: float, rates: Floats) -> float:
    """The logarithm of rate·u·exp(−rate·u)·Π(1 − exp(−rates·u)) at u = exp(y)."""
    u = math.exp(y)
    value = math.log(rate) + y - rate * u
    for each in rates:
        value += math.log(-math.expm1(-each * u))
    return value


@compiled
def unordered_choice(x: Floats, n_chosen: int, score: Floats, curvature: Floats) -> float:
    """Add the choice of a set whose order is unknown: the sum over all its orders.

    Let items arrive at rates α; the set S comes before the rest with probability
    ∫ A·exp(−A·u)·Π_{i∈S} (1 − exp(−α_i·u)) du, A the worth of the rest. Over log u the integrand
    decays fast on both sides, so that the trapezoidal rule is exact to rounding.
    """
    n = len(x)
    if n_chosen == n:
        return 0.0
    worths = np.exp(x - x.max())
    rate = worths[n_chosen:].sum()
    rates = worths[:n_chosen]
    middle = 0.0
    highest = log_density(middle, rate, rates)
    for direction in (_STEP, -_STEP):
        following = log_density(middle + direction, rate, rates)
        while following > highest:
            middle += direction
            highest = following
            following = log_density(middle + direction, rate, rates)
    mass = 0.0
    # Derivatives by log-worths: of each chosen item, and of the rest by its common factor.
    slopes = np.empty(n_chosen + 1)
    mean = np.zeros(n_chosen + 1)
    second = np.zeros((n_chosen + 1, n_chosen + 1))
    for direction in (_STEP, -_STEP):
        y = middle if direction > 0 else middle + direction
        height = log_density(y, rate, rates) - highest
        while height > _NEGLIGIBLE:
            u = math.exp(y)
            share = math.exp(height)
            mass += share
            for i in range(n_chosen):
                product = rates[i] * u
                slopes[i] = product / math.expm1(product) if product < -_NEGLIGIBLE else 0.0
                bend = slopes[i] * (1.0 - product - slopes[i])
                second[i, i] += share * bend
            slopes[n_chosen] = 1.0 / rate - u
            for i in range(n_chosen + 1):
                mean[i] += share * slopes[i]
                for j in range(i, n_chosen + 1):
                    second[i, j] += share * slopes[i] * slopes[j]
            y += direction
            height = log_density(y, rate, rates) - highest
    mean /= mass
    for i in range(n_chosen + 1):
        for j in range(i, n_chosen + 1):
            second[i, j] = second[i, j] / mass - mean[i] * mean[j]
    for i in range(n_chosen):
        score[i] += mean[i]
        for j in range(i, n_chosen):
            curvature[i, j] -= second[i, j]
        for j in range(n_chosen, n):
            curvature[i, j] -= second[i, n_chosen] * worths[j]
    for i in range(n_chosen, n):
        score[i] += mean[n_chosen] * worths[i]
        curvature[i, i] -= mean[n_chosen] * worths[i]
        for j in range(i, n):
            bend = second[n_chosen, n_chosen] - 1.0 / rate**2
            curvature[i, j] -= bend * worths[i] * worths[j]
    return highest + math.log(mass * _STEP)


# How ties are read, as numbers for the loops.
DAVIDSON, EFRON, BRESLOW, EXACT = 0, 1, 2, 3


@compiled
def one_ranking(
    x: Floats, joined: Flags, n_listed: int, ties: TieModel, score: Floats, curvature: Floats
) -> float:
    """Score and curvature of one ranking, which are overwritten; returns its log-likelihood.

    ``x`` are the log-worths of the listed items, best first, and of others that stay at choice.
    ``curvature`` is the negative second derivative; its upper triangle is filled.
    """
    n = len(x)
    size = n + len(ties.orders)
    score[:size] = 0.0
    curvature[:size, :size] = 0.0
    # Each choice is among the last items, so its places are the last ones.
    own_score = np.empty(size)
    own_curvature = np.empty((size, size))
    value = 0.0
    begin = 0
    while begin < n_listed:
        end = begin + 1
        while end < n_listed and joined[end]:
            end += 1
        at_choice = x[begin:]
        if len(at_choice) > 1:
            own = n - begin + len(ties.orders)
            own_score[:own] = 0.0
            own_curvature[:own, :own] = 0.0
            chosen = end - begin
            if ties.kind == DAVIDSON:
                value += tied_choice(at_choice, chosen, ties, own_score, own_curvature)
            elif ties.kind == EXACT:
                value += unordered_choice(at_choice, chosen, own_score, own_curvature)
            else:
                efron = ties.kind == EFRON
                value += pooled_choice(at_choice, chosen, efron, own_score, own_curvature)
            for i in range(own):
                score[begin + i] += own_score[i]
                for j in range(i, own):
                    curvature[begin + i, begin + j] += own_curvature[i, j]
        begin = end
    return value


@compiled
def tied_sums(
    log_worths: Floats,
    choices: ListedChoices,
    weights: Floats,
    ties: TieModel,
    entries: Floats,
    tie_scores: Floats,
    values: Floats,
    curvature: Floats,
) -> None:
    """Scores and log-likelihoods of rankings with ties; their curvature is added up.

    ``curvature`` has a row for each item, then one for each log δ.
    """
    starts, items, joined, n_listed, _ = choices
    n_items, n_orders = len(log_worths), len(ties.orders)
    longest = 0
    for r in range(len(starts) - 1):
        longest = max(longest, starts[r + 1] - starts[r])
    size = longest + n_orders
    score = np.empty(size)
    bend = np.empty((size, size))
    places = np.empty(size, dtype=np.int64)
    x = np.empty(longest)
    for r in range(len(starts) - 1):
        start = starts[r]
        length = starts[r + 1] - start
        for e in range(length):
            places[e] = items[start + e]
            x[e] = log_worths[places[e]]
        for q in range(n_orders):
            places[length + q] = n_items + q
        own = joined[start : start + length]
        values[r] = one_ranking(x[:length], own, n_listed[r], ties, score, bend)
        for e in range(length):
            entries[start + e] = score[e]
        for q in range(n_orders):
            tie_scores[r, q] = score[length + q]
        for i in range(length + n_orders):
            for j in range(i, length + n_orders):
                curvature[places[i], places[j]] += weights[r] * bend[i, j]


@compiled
def strict_ranking(x: Floats, n_listed: int, score: Floats, curvature: Floats) -> float:
    """The same for a ranking without ties: the telescoped sums of the module's opening."""
    n = len(x)
    score[:n] = 0.0
    curvature[:n, :n] = 0.0
    top = x.max()
    worths = np.exp(x - top)
    remaining = np.empty(n + 1)
    remaining[n] = 0.0
    for t in range(n - 1, -1, -1):
        remaining[t] = remaining[t + 1] + worths[t]
    inverse = 0.0
    square = 0.0
    value = 0.0
    for t in range(n):
        if t < min(n_listed, n - 1):
            inverse += 1.0 / remaining[t]
            square += 1.0 / remaining[t] ** 2
            score[t] = 1.0
            value += x[t] - top - math.log(remaining[t])
        expected = worths[t] * inverse
        score[t] -= expected
        curvature[t, t] = expected - worths[t] ** 2 * square
        for later in range(t + 1, n):
            curvature[t, later] = -worths[t] * worths[later] * square
    return value


@compiled
def separate_rankings(
    log_worths: Floats,
    choices: ListedChoices,
    ties: TieModel,
    scores: Floats,
    curvatures: Floats,
    values: Floats,
) -> None:
    """Scores, curvatures and log-likelihoods, each ranking with log-worths of its own.

    ``scores[r]`` and ``curvatures[r]`` have places for all items, then for each log δ of a tie; an
    empty array of curvatures is left alone.
    """
    starts, items, joined, n_listed, _ = choices
    n_items = log_worths.shape[1]
    n_ties = len(ties.orders) - 1
    score = np.empty(n_items + n_ties + 1)
    bend = np.empty((len(score), len(score)))
    places = np.empty(len(score), dtype=np.int64)
    x = np.empty(n_items)
    scores[:] = 0.0
    curvatures[:] = 0.0
    for r in range(len(starts) - 1):
        start = starts[r]
        length = starts[r + 1] - start
        for e in range(length):
            places[e] = items[start + e]
            x[e] = log_worths[r, places[e]]
        own = joined[start : start + length]
        if length == 0:
            values[r] = 0.0
        elif n_ties or own.any():
            values[r] = one_ranking(x[:length], own, n_listed[r], ties, score, bend)
        else:
            values[r] = strict_ranking(x[:length], n_listed[r], score, bend)
        # δ of a single item is 1: it is no parameter.
        for q in range(n_ties):
            places[length + q] = n_items + q
        for i in range(length + n_ties):
            row = i if i < length else i + 1
            scores[r, places[i]] = score[row]
            for j in range(i, length + n_ties if len(curvatures) else 0):
                bent = bend[row, j if j < length else j + 1]
                curvatures[r, places[i], places[j]] = bent
                curvatures[r, places[j], places[i]] = bent
