"""Loops of choices with ties: the probability of a group, from what remains.

Items that are at choice and never chosen are entries too, after those that a ranking lists.
"""

import math

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Flags, Floats, Indices, ListedChoices, Longs, TieModel


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
    chosen_worth = worths[:n_chosen].sum()
    total = worths.sum()
    value = -n_chosen * x.max()
    # Sums over the steps of what a chosen item, and any other, weighs in them.
    chosen_once = 0.0
    other_once = 0.0
    chosen_twice = 0.0
    both_kinds = 0.0
    other_twice = 0.0
    for step in range(n_chosen):
        weight = 1.0 - step / n_chosen if efron else 1.0
        remaining = total - (1.0 - weight) * chosen_worth
        value += x[step] - math.log(remaining)
        chosen_once += weight / remaining
        other_once += 1.0 / remaining
        chosen_twice += (weight / remaining) ** 2
        both_kinds += weight / remaining**2
        other_twice += 1.0 / remaining**2
    for i in range(n):
        expected = worths[i] * (chosen_once if i < n_chosen else other_once)
        score[i] += (1.0 if i < n_chosen else 0.0) - expected
        curvature[i, i] += expected
        with_chosen = worths[i] * (chosen_twice if i < n_chosen else both_kinds)
        with_other = worths[i] * (both_kinds if i < n_chosen else other_twice)
        for j in range(i, n):
            curvature[i, j] -= worths[j] * (with_chosen if j < n_chosen else with_other)
    return float(value)


# The trapezoidal rule with this step errs by some exp(−π²/step), 1e-17 of the integral. It ends
# where the density is below exp of the other number, beside its largest: that is rounding.
_QUADRATURE_STEP, _NEGLIGIBLE = 0.25, -40.0


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
    for direction in (_QUADRATURE_STEP, -_QUADRATURE_STEP):
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
    for direction in (_QUADRATURE_STEP, -_QUADRATURE_STEP):
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
    return highest + math.log(mass * _QUADRATURE_STEP)


# Subsets of a tie of more items than this are too many to go through.
LARGEST_HALVED = 12


@compiled
def halved_choice(x: Floats, n_chosen: int, score: Floats, curvature: Floats) -> float:
    """Add the choice of a set whose items share the wins: the mean over all its orders.

    For a pair this is half a win for each. After k of d tied items are gone, each subset of k is
    gone in a share 1 / C(d, k) of the orders.
    """
    n = len(x)
    top = x.max()
    worths = np.exp(x - top)
    shares = np.empty(n)
    value = 0.0
    for i in range(n_chosen):
        value += x[i]
        score[i] += 1.0
    for gone in range(2**n_chosen - 1):
        size = 0
        rest = worths[n_chosen:].sum()
        ways = 1.0
        for i in range(n_chosen):
            if gone >> i & 1:
                size += 1
                ways *= (n_chosen - size + 1) / size
            else:
                rest += worths[i]
        if n - size < 2:
            # The last item is no choice.
            for i in range(n_chosen):
                if not gone >> i & 1:
                    value -= x[i] / ways
                    score[i] -= 1.0 / ways
            continue
        value -= (top + math.log(rest)) / ways
        for i in range(n):
            shares[i] = worths[i] / rest if i >= n_chosen or not gone >> i & 1 else 0.0
        for i in range(n):
            score[i] -= shares[i] / ways
            curvature[i, i] += shares[i] / ways
            for j in range(i, n):
                curvature[i, j] -= shares[i] * shares[j] / ways
    return value


# How ties are read, as numbers for the loops.
DAVIDSON, EFRON, BRESLOW, ALL_ORDERS, HALF = 0, 1, 2, 3, 4


@compiled
def paired_ranking(
    x: Floats, joined: Flags, n_listed: int, ties: TieModel, score: Floats, curvature: Floats
) -> float:
    """Add a ranking by Davidson's model with ties of two at most; returns its log-likelihood.

    With y = √α and Y their sum over what is at choice, Z = Σα + δ·e_2(y), and an item is expected
    with (α·(1 − δ/2) + Y·y·δ/2)/Z. So sums over choices of 1/Z, Y/Z, and of 1, Y and Y² over Z²,
    give all derivatives of a ranking at once. An empty ``curvature`` is left alone.
    """
    n = len(x)
    log_delta = ties.log_delta[1]
    delta = math.exp(log_delta)
    top = x.max()
    roots = np.exp((x - top) / 2.0)
    worth = np.empty(n + 1)
    root = np.empty(n + 1)
    pairs = np.empty(n + 1)
    worth[n] = root[n] = pairs[n] = 0.0
    for e in range(n - 1, -1, -1):
        pairs[e] = pairs[e + 1] + roots[e] * root[e + 1]
        worth[e] = worth[e + 1] + roots[e] ** 2
        root[e] = root[e + 1] + roots[e]
    # For each entry, sums over the choices that it was at.
    sums = np.zeros((n, 5))
    once = root_once = twice = root_twice = roots_twice = tied_twice = tied_root = 0.0
    ties_once = ties_bent = 0.0
    value = 0.0
    across = np.zeros((n, 2))
    begin = 0
    while begin < n_listed:
        end = begin + 1
        while end < n_listed and joined[end]:
            end += 1
        if n - begin > 1:
            z = worth[begin] + delta * pairs[begin]
            tie = delta * pairs[begin] / z
            value -= top + math.log(z)
            once += 1.0 / z
            root_once += root[begin] / z
            twice += 1.0 / z**2
            root_twice += root[begin] / z**2
            roots_twice += (root[begin] / z) ** 2
            tied_twice += tie / z
            tied_root += tie * root[begin] / z
            ties_once -= tie
            ties_bent += tie - tie**2
            for e in range(begin, end):
                value += x[e] / (end - begin)
                score[e] += 1.0 / (end - begin)
            if end - begin == 2:
                value += log_delta
                ties_once += 1.0
        last = end if end < n_listed else n
        for e in range(begin, last):
            sums[e, 0] = once
            sums[e, 1] = root_once
            sums[e, 2] = twice
            sums[e, 3] = root_twice
            sums[e, 4] = roots_twice
            across[e, 0] = tied_twice
            across[e, 1] = tied_root
        begin = end
    score[n + 1] += ties_once
    if len(curvature):
        curvature[n + 1, n + 1] += ties_bent
    for i in range(n):
        y, moments = roots[i], sums[i]
        level, slope = y**2 * (1.0 - delta / 2.0), y * delta / 2.0
        score[i] -= level * moments[0] + slope * moments[1]
        if len(curvature) == 0:
            continue
        curvature[i, i] += y**2 * (1.0 - delta / 4.0) * moments[0] + y * delta / 4.0 * moments[1]
        curvature[i, n + 1] += slope * (moments[1] - y * moments[0])
        curvature[i, n + 1] -= level * across[i, 0] + slope * across[i, 1]
        for j in range(i, n):
            other = roots[j]
            level_of, slope_of = other**2 * (1.0 - delta / 2.0), other * delta / 2.0
            if j > i:
                curvature[i, j] += delta / 4.0 * y * other * moments[0]
            curvature[i, j] -= level * level_of * moments[2] + slope * slope_of * moments[4]
            curvature[i, j] -= (level * slope_of + slope * level_of) * moments[3]
    return value


@compiled
def ranking_derivatives(
    x: Floats, joined: Flags, n_listed: int, ties: TieModel, score: Floats, curvature: Floats
) -> float:
    """Score and curvature of one ranking, which are overwritten; returns its log-likelihood.

    ``x`` are the log-worths of the listed items, best first, and of others that stay at choice.
    ``curvature`` is the negative second derivative, of which the upper triangle is filled; an empty
    one is left alone if there are no ties. Choices of single items telescope.
    """
    n = len(x)
    size = n + len(ties.orders)
    bent = len(curvature) > 0
    score[:size] = 0.0
    if bent:
        curvature[:size, :size] = 0.0
    if n_listed == 0:
        return 0.0
    davidson = ties.kind == DAVIDSON and len(ties.orders) > 1
    if davidson and len(ties.orders) == 2 and ties.orders[1] == 2:
        return float(paired_ranking(x, joined, n_listed, ties, score, curvature))
    top = x.max()
    worths = np.exp(x - top)
    remaining = np.empty(n + 1)
    remaining[n] = 0.0
    for e in range(n - 1, -1, -1):
        remaining[e] = remaining[e + 1] + worths[e]
    inverses, squares = np.empty(n), np.empty(n)
    inverse = 0.0
    square = 0.0
    value = 0.0
    begin = 0
    while begin < n_listed:
        end = begin + 1
        while end < n_listed and joined[end]:
            end += 1
        if end - begin == 1 and not davidson:
            if n - begin > 1:
                inverse += 1.0 / remaining[begin]
                square += 1.0 / remaining[begin] ** 2
                score[begin] += 1.0
                value += x[begin] - top - math.log(remaining[begin])
        elif n - begin > 1:
            value += several_chosen(x[begin:], end - begin, ties, score, curvature, begin)
        last = end if end < n_listed else n
        inverses[begin:last] = inverse
        squares[begin:last] = square
        begin = end
    for i in range(n):
        expected = worths[i] * inverses[i]
        score[i] -= expected
        if bent:
            curvature[i, i] += expected
            for j in range(i, n):
                curvature[i, j] -= worths[i] * worths[j] * squares[i]
    return value


@compiled
def several_chosen(
    x: Floats, n_chosen: int, ties: TieModel, score: Floats, curvature: Floats, begin: int
) -> float:
    """Add one choice of several, or where several could be chosen, from entry ``begin`` on."""
    size = len(x) + len(ties.orders)
    own_score = np.zeros(size)
    own_curvature = np.zeros((size, size))
    if ties.kind == DAVIDSON:
        value = tied_choice(x, n_chosen, ties, own_score, own_curvature)
    elif ties.kind == ALL_ORDERS:
        value = unordered_choice(x, n_chosen, own_score, own_curvature)
    elif ties.kind == HALF:
        value = halved_choice(x, n_chosen, own_score, own_curvature)
    else:
        value = pooled_choice(x, n_chosen, ties.kind == EFRON, own_score, own_curvature)
    for i in range(size):
        score[begin + i] += own_score[i]
        if len(curvature):
            for j in range(i, size):
                curvature[begin + i, begin + j] += own_curvature[i, j]
    return float(value)


@compiled
def ranking_blocks(
    log_worths: Floats,
    choices: ListedChoices,
    ties: TieModel,
    values: Floats,
    scores: Floats,
    blocks: Floats,
) -> None:
    """The log-likelihood, the score and the curvature of each ranking.

    A ranking has a place for each entry, then one for each log δ. ``blocks`` has its square matrix
    row by row; an empty one is left alone.
    """
    starts, _, joined, n_listed, _ = choices
    n_orders = len(ties.orders)
    longest = 0
    for r in range(len(starts) - 1):
        longest = max(longest, starts[r + 1] - starts[r])
    size = longest + n_orders
    score = np.empty(size)
    bend = np.empty((size, size) if len(blocks) else (0, 0))
    place = 0
    cell = 0
    for r in range(len(starts) - 1):
        span = slice(starts[r], starts[r + 1])
        n = starts[r + 1] - starts[r]
        values[r] = ranking_derivatives(
            log_worths[span], joined[span], n_listed[r], ties, score, bend
        )
        size = n + n_orders - 1
        for i in range(size):
            # δ of a single item is 1: it is no parameter.
            first = i if i < n else i + 1
            scores[place + i] = score[first]
            for j in range(size if len(blocks) else 0):
                second = j if j < n else j + 1
                upper = bend[first, second] if first <= second else bend[second, first]
                blocks[cell + i * size + j] = upper
        place += size
        cell += size * size


@compiled
def vote_blocks(
    gaps: Floats, tied: Flags, ties: TieModel, values: Floats, scores: Floats, blocks: Floats
) -> None:
    """:func:`ranking_blocks` of votes between two, by what the first item is ahead of the second.

    ``gaps`` are differences of log-worths, and the first item won, or is tied. A vote has a place
    for its gap, then one for log δ of a tie, if the model has any.
    """
    half_wins = ties.kind == HALF
    delta = math.exp(ties.log_delta[1]) if len(ties.orders) > 1 else 0.0
    for r in range(len(gaps)):
        # Worths are divided by the larger one: z is 1 + worse + δ·half.
        gap = gaps[r]
        half = math.exp(-abs(gap) / 2.0)
        worse = half * half
        z = 1.0 + worse + delta * half
        mean = math.copysign((1.0 - worse) / (2.0 * z), gap)
        value = -abs(gap) / 2.0 - math.log(z)
        bend = (1.0 + worse) / (4.0 * z) - mean**2
        if len(ties.orders) > 1:
            tie = delta * half / z
            values[r] = value + (ties.log_delta[1] if tied[r] else gap / 2.0)
            scores[2 * r] = (0.0 if tied[r] else 0.5) - mean
            scores[2 * r + 1] = (1.0 if tied[r] else 0.0) - tie
            if len(blocks):
                blocks[4 * r] = bend
                blocks[4 * r + 1] = blocks[4 * r + 2] = -tie * mean
                blocks[4 * r + 3] = tie - tie**2
            continue
        # Without δ a tie is half a win for each, or two choices, or nothing if any order will do.
        choices = 1.0
        if tied[r] and not half_wins:
            choices = 0.0 if ties.kind == ALL_ORDERS else 2.0
        values[r] = choices * value + (0.0 if tied[r] else gap / 2.0)
        if tied[r] and ties.kind == EFRON:
            values[r] += math.log(2.0)
        scores[r] = (0.0 if tied[r] else 0.5) - choices * mean
        if len(blocks):
            blocks[r] = choices * bend


@compiled
def add_curvatures(
    blocks: Floats,
    places: Longs,
    design: tuple[Indices, Indices, Floats],
    weights: Floats,
    groups: Longs,
    curvatures: Floats,
) -> None:
    """Add ZᵀBZ of each ranking to that of its group; B is its block, Z its rows of ``design``.

    Z is sparse. The sum of a curvature with its transpose is meant.
    """
    rows, columns, shares = design
    cell = 0
    for r in range(len(places) - 1):
        size = places[r + 1] - places[r]
        curvature = curvatures[groups[r]]
        for i in range(size):
            first, last = rows[places[r] + i], rows[places[r] + i + 1]
            for a in range(first, last):
                column = columns[a]
                share = weights[r] * shares[a]
                bend = share * blocks[cell + i]
                curvature[column, column] += 0.5 * bend * shares[a]
                for b in range(a + 1, last):
                    curvature[column, columns[b]] += bend * shares[b]
                until = last
                for j in range(i + 1, size):
                    begin, until = until, rows[places[r] + j + 1]
                    bend = share * blocks[cell + j]
                    if bend != 0.0:
                        for b in range(begin, until):
                            curvature[column, columns[b]] += bend * shares[b]
            cell += size
