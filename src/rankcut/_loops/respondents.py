"""Utilities of each person, from the tasks of that person.

A person's utilities of the items shown are u = m + B·x, x ~ N(0, I): m and B·Bᵀ are their mean and
covariance among all people. The likelihood of tasks is concave, so Newton's method finds the mode
of x. There the posterior is nearly normal, with the precision M = I + Bᵀ·H·B, H the curvature of
the tasks. Draws of that normal, weighted by posterior over normal, correct its mean and covariance.
The draws are a little wider than the normal, since posteriors have longer tails where tasks say
much: without that, Σ is too small.
"""

import math

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.random_streams import STEP, scramble
from rankcut._loops.tasks import PersonTasks, longest, person_derivatives, person_value
from rankcut._loops.types import Floats, Indices

# Newton's method ends when a step would gain less than this, in units of the log posterior.
_CONVERGED = 1e-12

# A step is halved at most so often: the posterior is concave, so one halving is rare.
_MOST_HALVINGS, _MOST_NEWTON = 30, 100

# Standard deviations of draws over those of Laplace's normal. Of 13 items with a true variance of 7
# each, Σ is 18 % too small without it and 9 % with it; of one of 1.2, 2 and 6 % too large.
_WIDENED = 1.1

_FRACTION = np.uint64(11)
_UNIT = float(np.finfo(np.float64).epsneg)  # 2^-53


@compiled
def find_mode(
    tasks: PersonTasks, person: int, mean: Floats, basis: Floats, x: Floats, room: Floats
) -> tuple[float, Floats]:
    """Move x to the mode; the log posterior there, up to a constant, and the precision M."""
    n, rank = basis.shape
    score, curvature = np.empty(n), np.empty((n, n))
    system = np.eye(rank)
    value = -np.inf
    step, gain = np.zeros(rank), 0.0
    for _ in range(_MOST_NEWTON):
        share = 1.0
        for _ in range(_MOST_HALVINGS):
            moved = x + share * step
            utilities = mean + np.dot(basis, moved)
            reached = person_value(tasks, person, utilities, room) - 0.5 * np.dot(moved, moved)
            if reached >= value:
                break
            share *= 0.5
        if reached < value:
            break
        value = reached
        x[:] = moved
        person_derivatives(tasks, person, utilities, score, curvature)
        system = np.dot(basis.T, np.dot(curvature, basis))
        for i in range(rank):
            system[i, i] += 1.0
        slope = np.dot(basis.T, score) - x
        step = np.linalg.solve(system, slope)
        gain = np.dot(step, slope)
        if gain < _CONVERGED:
            break
    return value, system


@compiled
def draw_normals(stream: np.uint64, normals: Floats) -> None:
    """Fill the first half of the rows with standard normals, the second with their opposites."""
    n_pairs = normals.shape[0] // 2
    state = stream
    for row in range(n_pairs):
        for column in range(0, normals.shape[1], 2):
            state += STEP
            first = (np.float64(scramble(state) >> _FRACTION) + 1.0) * _UNIT
            state += STEP
            angle = 2.0 * math.pi * np.float64(scramble(state) >> _FRACTION) * _UNIT
            radius = math.sqrt(-2.0 * math.log(first))
            normals[row, column] = radius * math.cos(angle)
            if column + 1 < normals.shape[1]:
                normals[row, column + 1] = radius * math.sin(angle)
        for column in range(normals.shape[1]):
            normals[n_pairs + row, column] = -normals[row, column]


@compiled
def temper(logs: Floats, least: float, weights: Floats) -> float:
    """Weights of draws that add up to 1, as flat as it takes for ``least`` effective draws.

    Returns how many effective draws the weights as they are would have.
    """
    highest = logs.max()
    low, high, power = 0.0, 1.0, 1.0
    n_effective = 0.0
    for attempt in range(_MOST_HALVINGS):
        total = squares = 0.0
        for i in range(len(logs)):
            weights[i] = math.exp(power * (logs[i] - highest))
            total += weights[i]
            squares += weights[i] * weights[i]
        now = total * total / squares
        weights /= total
        if attempt == 0:
            n_effective = now
            if now >= least:
                break
        if now < least:
            high = power
        else:
            low = power
        power = 0.5 * (low + high)
    return n_effective


@compiled
def weigh_draws(
    tasks: PersonTasks,
    person: int,
    mean: Floats,
    basis: Floats,
    x: Floats,
    system: Floats,
    normals: Floats,
    least: float,
    room: Floats,
    covariance: Floats,
) -> tuple[float, float]:
    """Move x to the posterior mean, and write its covariance.

    Returns the log marginal likelihood and the effective draws.
    """
    n_draws, rank = normals.shape
    # x + inverse factor times normals has nearly the precision M.
    factor = _WIDENED * np.linalg.inv(np.linalg.cholesky(system))
    draw_normals(tasks.streams[person], normals)
    draws = np.dot(normals, factor)
    for draw in range(n_draws):
        for d in range(rank):
            draws[draw, d] += x[d]
    utilities = np.dot(draws, basis.T)
    logs, weights = np.empty(n_draws), np.empty(n_draws)
    log_root = 0.0
    for d in range(rank):
        log_root += math.log(factor[d, d])
    for draw in range(n_draws):
        at = utilities[draw]
        at += mean
        value = person_value(tasks, person, at, room)
        for d in range(rank):
            value += 0.5 * (normals[draw, d] ** 2 - draws[draw, d] ** 2)
        logs[draw] = value + log_root
    n_effective = temper(logs, least, weights)
    highest = logs.max()
    marginal = highest + math.log(np.exp(logs - highest).mean())
    x[:] = np.dot(weights, draws)
    for draw in range(n_draws):
        share = math.sqrt(weights[draw])
        for d in range(rank):
            draws[draw, d] = share * (draws[draw, d] - x[d])
    covariance[:] = np.dot(draws.T, draws)
    return marginal, n_effective


@compiled
def fill_basis(
    mean: Floats, root: Floats, listed: Indices, local: bool, centre: Floats, basis: Floats
) -> None:
    """The mean and the basis of the items that a person was shown.

    ``root`` has a row for each item; if ``local``, it is their covariance instead, and the basis
    of a person is a factor of its part.
    """
    n = len(listed)
    for i in range(n):
        centre[i] = mean[listed[i]]
    if not local:
        for i in range(n):
            basis[i] = root[listed[i]]
        return
    part = np.empty((n, n))
    for i in range(n):
        row = root[listed[i]]
        for j in range(n):
            part[i, j] = row[listed[j]]
    basis[:] = np.linalg.cholesky(part)


@compiled
def solve_person(
    tasks: PersonTasks,
    person: int,
    mean: Floats,
    root: Floats,
    local: bool,
    normals: Floats,
    least: float,
    room: Floats,
    x: Floats,
    covariance: Floats,
) -> tuple[float, float, Floats]:
    """The posterior of x of one person: its log marginal likelihood, effective draws and basis.

    ``x`` is where to start; without draws the posterior is Laplace's.
    """
    listed = tasks.items[tasks.lists[person] : tasks.lists[person + 1]]
    centre, basis = np.empty(len(listed)), np.empty((len(listed), len(x)))
    fill_basis(mean, root, listed, local, centre, basis)
    value, system = find_mode(tasks, person, centre, basis, x, room)
    if normals.shape[0] == 0:
        factor = np.linalg.cholesky(system)
        for d in range(len(x)):
            value -= math.log(factor[d, d])
        covariance[:] = np.linalg.inv(system)
        return value, 0.0, basis
    value, n_effective = weigh_draws(
        tasks, person, centre, basis, x, system, normals, least, room, covariance
    )
    return value, n_effective, basis


@compiled
def logistic(log_odds: float) -> float:
    """1 / (1 + exp(−x)), without overflow."""
    if log_odds > 0.0:
        return float(1.0 / (1.0 + math.exp(-log_odds)))
    odds = math.exp(log_odds)
    return float(odds / (1.0 + odds))


@compiled
def add_respondents(
    tasks: PersonTasks,
    weights: Floats,
    mean: Floats,
    root: Floats,
    modes: Floats,
    values: Floats,
    guesses: Floats,
    n_draws: int,
    least: float,
    first: Floats,
    second: Floats,
    spread: Floats,
) -> None:
    """Add E[x], E[x·xᵀ] and Cov[x] of each person times the weight; x of all has one basis.

    ``modes`` are where to start, and become the means. ``guesses`` are log odds that a person
    answers at random, if the tasks had the likelihood 1, and become probabilities: who does so
    says nothing of others, and the weight is so much less.
    """
    rank = root.shape[1]
    room, covariance = np.empty(longest(tasks.starts)), np.empty((rank, rank))
    normals = np.empty((n_draws, rank))
    for person in range(len(weights)):
        x = modes[person]
        values[person], _, _ = solve_person(
            tasks, person, mean, root, False, normals, least, room, x, covariance
        )
        guesses[person] = logistic(guesses[person] - values[person])
        weight = weights[person] * (1.0 - guesses[person])
        for i in range(rank):
            first[i] += weight * x[i]
            for j in range(rank):
                second[i, j] += weight * (covariance[i, j] + x[i] * x[j])
                spread[i, j] += weight * covariance[i, j]


@compiled
def add_listed(
    tasks: PersonTasks,
    weights: Floats,
    mean: Floats,
    covariance: Floats,
    modes: Floats,
    values: Floats,
    guesses: Floats,
    n_draws: int,
    least: float,
    first: Floats,
    second: Floats,
    spread: Floats,
) -> None:
    """Add w, w·wᵀ − A and −A of each person, at the items listed, times the weight.

    With Σ the covariance of those items, E[u] = m + Σ·w and Cov[u] = Σ − Σ·A·Σ. So the sums say
    what a step of EM adds, Σ·w and Σ·(w·wᵀ − A)·Σ, for all items.
    """
    room = np.empty(longest(tasks.starts))
    for person in range(len(weights)):
        n = tasks.lists[person + 1] - tasks.lists[person]
        listed = tasks.items[tasks.lists[person] : tasks.lists[person + 1]]
        row, covariance_of_x = modes[person], np.empty((n, n))
        x = row[:n]
        normals = np.empty((n_draws, n))
        values[person], _, basis = solve_person(
            tasks, person, mean, covariance, True, normals, least, room, x, covariance_of_x
        )
        inverse = np.linalg.inv(basis)
        pull = np.dot(inverse.T, x)
        for i in range(n):
            for j in range(n):
                covariance_of_x[i, j] -= 1.0 if i == j else 0.0
        inner = np.dot(inverse.T, np.dot(covariance_of_x, inverse))
        guesses[person] = logistic(guesses[person] - values[person])
        weight = weights[person] * (1.0 - guesses[person])
        for i in range(n):
            first[listed[i]] += weight * pull[i]
            for j in range(n):
                second[listed[i], listed[j]] += weight * (pull[i] * pull[j] + inner[i, j])
                spread[listed[i], listed[j]] += weight * inner[i, j]


@compiled
def fill_posteriors(
    tasks: PersonTasks,
    mean: Floats,
    root: Floats,
    n_draws: int,
    least: float,
    centres: Floats,
    spreads: Floats,
    values: Floats,
    n_effective: Floats,
) -> None:
    """E[x] and Cov[x] of each person, in the basis of all."""
    rank = root.shape[1]
    room, normals = np.empty(longest(tasks.starts)), np.empty((n_draws, rank))
    for person in range(len(centres)):
        values[person], n_effective[person], _ = solve_person(
            tasks,
            person,
            mean,
            root,
            False,
            normals,
            least,
            room,
            centres[person],
            spreads[person],
        )
