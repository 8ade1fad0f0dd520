"""How likely tasks are: their log-likelihood by the utilities of the items shown, and its slopes.

A task is chosen from the top, group by group, ties by Efron's method; or its best and its worst
item alone are named: P(b, w) = exp(u_b − u_w) / Σ_{i≠j} exp(u_i − u_j). Both are concave.
"""

import math
from typing import NamedTuple

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Flags, Floats, Indices, Longs, Words


class PersonTasks(NamedTuple):
    """Tasks person by person: those of person p are ``people[p]:people[p + 1]``."""

    people: Longs
    starts: Longs  #: entries of task t are ``starts[t]:starts[t + 1]``, best first
    places: Indices  #: which of the person's items each entry is
    joined: Flags  #: whether an entry is tied with the one before it
    n_chosen: Longs  #: how many entries of each task were chosen; those after are the rest
    extremes: Flags  #: whether the best and the worst alone were named
    lists: Longs  #: the items of person p are ``items[lists[p]:lists[p + 1]]``
    items: Indices
    streams: Words  #: where the random numbers of each person start


@compiled
def longest(starts: Longs) -> int:
    """The number of entries of the longest part, or 1."""
    most = 1
    for part in range(len(starts) - 1):
        most = max(most, starts[part + 1] - starts[part])
    return most


@compiled
def task_value(utilities: Floats, joined: Flags, n_chosen: int, extremes: bool) -> float:
    """The log-likelihood of a task, whose items come best first."""
    n = len(utilities)
    highest, lowest = utilities.max(), utilities.min()
    if extremes:
        total_up = total_down = both = 0.0
        for value in utilities:
            up, down = math.exp(value - highest), math.exp(lowest - value)
            total_up += up
            total_down += down
            both += up * down
        gap = highest - lowest
        return float(utilities[0] - utilities[n - 1] - gap - math.log(total_up * total_down - both))
    value = 0.0
    remaining = 0.0
    group = 0.0
    size = 0
    # From the end, so that what remains is a sum that grows.
    for i in range(n - 1, -1, -1):
        worth = math.exp(utilities[i] - highest)
        remaining += worth
        if i >= n_chosen:
            continue
        group += worth
        size += 1
        value += utilities[i] - highest
        if joined[i]:
            continue
        for step in range(size):
            value -= math.log(remaining - group * step / size)
        group, size = 0.0, 0
    return float(value)


@compiled
def add_task(
    utilities: Floats,
    joined: Flags,
    n_chosen: int,
    extremes: bool,
    score: Floats,
    curvature: Floats,
) -> None:
    """Add a task's derivatives: the first, and the second times −1."""
    n = len(utilities)
    chances = np.empty(n)
    if extremes:
        ups = np.exp(utilities - utilities.max())
        downs = np.exp(utilities.min() - utilities)
        total_up, total_down = ups.sum(), downs.sum()
        pairs = total_up * total_down - (ups * downs).sum()
        score[0] += 1.0
        score[n - 1] -= 1.0
        for i in range(n):
            best = ups[i] * (total_down - downs[i]) / pairs
            worst = downs[i] * (total_up - ups[i]) / pairs
            chances[i] = best - worst
            score[i] -= chances[i]
            curvature[i, i] += best + worst
        for i in range(n):
            for j in range(n):
                curvature[i, j] -= chances[i] * chances[j]
                if i != j:
                    curvature[i, j] -= (ups[i] * downs[j] + ups[j] * downs[i]) / pairs
        return
    worths = np.exp(utilities - utilities.max())
    first = 0
    while first < n_chosen:
        end = first + 1
        while end < n_chosen and joined[end]:
            end += 1
        size = end - first
        for step in range(size):
            part = 1.0 - step / size
            total = part * worths[first:end].sum() + worths[end:].sum()
            for i in range(first, n):
                chances[i] = worths[i] * (part if i < end else 1.0) / total
                score[i] -= chances[i]
                curvature[i, i] += chances[i]
            for i in range(first, n):
                for j in range(first, n):
                    curvature[i, j] -= chances[i] * chances[j]
        for i in range(first, end):
            score[i] += 1.0
        first = end


@compiled
def person_value(tasks: PersonTasks, person: int, utilities: Floats, room: Floats) -> float:
    """The log-likelihood of all tasks of a person."""
    value = 0.0
    for task in range(tasks.people[person], tasks.people[person + 1]):
        first, end = tasks.starts[task], tasks.starts[task + 1]
        in_task = room[: end - first]
        for entry in range(first, end):
            in_task[entry - first] = utilities[tasks.places[entry]]
        value += task_value(
            in_task, tasks.joined[first:end], tasks.n_chosen[task], tasks.extremes[task]
        )
    return float(value)


@compiled
def person_derivatives(
    tasks: PersonTasks, person: int, utilities: Floats, score: Floats, curvature: Floats
) -> None:
    """Write the derivatives of all tasks of a person by the utilities of the items shown."""
    score[:] = 0.0
    curvature[:] = 0.0
    for task in range(tasks.people[person], tasks.people[person + 1]):
        first, end = tasks.starts[task], tasks.starts[task + 1]
        n = end - first
        places = tasks.places[first:end]
        slope, bend, in_task = np.zeros(n), np.zeros((n, n)), np.empty(n)
        for i in range(n):
            in_task[i] = utilities[places[i]]
        add_task(
            in_task,
            tasks.joined[first:end],
            tasks.n_chosen[task],
            tasks.extremes[task],
            slope,
            bend,
        )
        for i in range(n):
            score[places[i]] += slope[i]
            into = curvature[places[i]]
            for j in range(n):
                into[places[j]] += bend[i, j]


@compiled
def fill_values(tasks: PersonTasks, root: Floats, coefficients: Floats, values: Floats) -> None:
    """The log-likelihood of each person's tasks; utilities of items are ``root`` times theirs."""
    room = np.empty(longest(tasks.starts))
    for person in range(len(values)):
        listed = tasks.items[tasks.lists[person] : tasks.lists[person + 1]]
        utilities = np.empty(len(listed))
        for i in range(len(listed)):
            utilities[i] = np.dot(root[listed[i]], coefficients[person])
        values[person] = person_value(tasks, person, utilities, room)
