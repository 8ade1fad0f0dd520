"""People and their tasks, each different person once, as the loops over people take them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.random_streams import FIRST_FACTOR, SECOND_FACTOR, STEP
from rankcut._loops.tasks import PersonTasks, fill_values
from rankcut._loops.types import Flags, Floats, Longs, Words
from rankcut.errors import InputError, Setting
from rankcut.rankings import Rankings
from rankcut.strengths.choices import Choices, count_up
from rankcut.threads import PARTS


@dataclass(frozen=True, eq=False)
class Respondents:
    """The tasks of people, each different person once, in an order of what they said.

    Items are in an order of who chose them, so that sums have the same bits for any order of
    people, tasks and items.
    """

    n_items: int
    order: Longs  #: the column of each item
    tasks: PersonTasks
    weights: Floats  #: how many people each stands for, or their survey weight
    which: Longs  #: which of them each person was
    person_weights: Floats  #: the weight of each person
    n_rankings: Longs  #: number of tasks of each

    @classmethod
    def of(cls, rankings: Rankings, seed: int = 0, order: Longs | None = None) -> "Respondents":
        """The people behind rankings, numbered as they are; without numbers each row is one.

        ``order`` is that of the items of others, whose tastes these people are to have.
        """
        choices = Choices.of(rankings).with_others_as_entries()
        n_rows = choices.n_rankings
        people = np.arange(n_rows) if choices.clusters is None else choices.clusters
        n_people = int(people.max(initial=-1)) + 1
        rows = np.flatnonzero(choices.informative)
        if rankings.people is not None and rankings.counted:
            # A row that is counted is so many tasks of its person.
            rows = np.repeat(rows, choices.weights[rows].astype(np.int64))
        task_of, entries = people[rows], choices.entries_of(rows)
        lengths = np.diff(choices.starts)[rows]
        row, item = np.repeat(np.arange(len(rows)), lengths), choices.items[entries].astype(int)
        starts = np.append(0, np.cumsum(lengths))
        joined = choices.joined[entries]
        if not choices.weights[rows].any():
            n_items = choices.n_items
            among = f"found {n_items} feature(s)" if n_items == 1 else f"of {n_items:,} items"
            raise InputError(
                f"no ranking compares two items, so there are no utilities to find: {among}",
                remedy=["check the ranks, or what ", Setting("unranked"), " says about them"],
            )
        n_chosen, extremes = _read_tasks(choices, rows, starts, joined)
        group = np.cumsum(~joined) + row
        place = group - np.repeat(group[starts[:-1]], lengths)
        # Those that were only shown have no order.
        rest = np.minimum(starts[:-1] + n_chosen, len(joined) - 1)
        place = np.where(np.arange(len(joined)) > rest[row], place[rest][row], place)
        places = _mixed(place.astype(np.uint64) + _mixed(n_chosen.astype(np.uint64))[row])
        if order is None:
            often = choices.weights[rows] if choices.counted and choices.clusters is None else None
            order = _order_of_items(choices.n_items, row, item, places, task_of, n_people, often)
        numbers = np.empty_like(order)
        numbers[order] = np.arange(len(order))
        task_keys, person_keys = _keys(
            _mixed(numbers.astype(np.uint64)), row, item, places, task_of, n_people
        )
        keys, first, which = np.unique(person_keys, return_index=True, return_inverse=True)
        n_rankings = np.bincount(task_of, minlength=n_people)
        weights = np.where(n_rankings > 0, _person_weights(rankings, people, n_people), 0.0)
        if not weights.any():
            raise InputError("nobody who counts compares two items")
        if not rankings.counted:
            # Survey weights say who counts more than whom, not how many people there are.
            weights *= (weights > 0).sum() / weights.sum()
        sums = np.bincount(which, weights, len(keys)).astype(np.float64)
        chosen_tasks = np.flatnonzero(first[which[task_of]] == task_of)
        chosen_tasks = chosen_tasks[
            np.lexsort((task_keys[chosen_tasks], which[task_of[chosen_tasks]]))
        ]
        return cls(
            choices.n_items,
            order,
            _gathered(
                chosen_tasks, which[task_of], starts, numbers[item], joined, n_chosen, extremes,
                _mixed(keys + np.uint64(seed)),
            ),
            sums,
            which,
            weights,
            n_rankings,
        )  # fmt: skip

    @property
    def n_distinct(self) -> int:
        """Number of people who said different things."""
        return len(self.weights)

    @property
    def longest_list(self) -> int:
        """The most items that a person was shown."""
        return int(np.diff(self.tasks.lists).max(initial=1))

    @cached_property
    def chances(self) -> Floats:
        """The log-likelihood of each one's tasks, if they are answered at random."""
        chances = np.empty(self.n_distinct)
        nothing = np.zeros((max(self.n_items, self.n_distinct), 1))
        fill_values(self.tasks, nothing, nothing, chances)
        return chances

    @cached_property
    def parts(self) -> Sequence[slice]:
        """Some people at a time, as threads take them."""
        bounds = np.linspace(0, self.n_distinct, PARTS + 1).astype(int).tolist()
        return [slice(a, b) for a, b in pairwise(bounds) if b > a]

    def some(self, people: Longs) -> "Respondents":
        """Some of the people, in the order given, each of them different."""
        everyone = self.tasks
        tasks, starts = _spans(everyone.people, people)
        entries, ends = _spans(everyone.starts, tasks)
        listed, lists = _spans(everyone.lists, people)
        some = PersonTasks(
            starts,
            ends,
            everyone.places[entries],
            everyone.joined[entries],
            everyone.n_chosen[tasks],
            everyone.extremes[tasks],
            lists,
            everyone.items[listed],
            everyone.streams[people],
        )
        return replace(
            self,
            tasks=some,
            weights=self.weights[people],
            which=np.arange(len(people)),
            person_weights=self.weights[people],
            n_rankings=np.diff(starts),
        )

    def part(self, people: slice) -> PersonTasks:
        """The tasks of some of the people."""
        everyone = self.tasks
        tasks = everyone.people[people.start : people.stop + 1]
        starts = everyone.starts[tasks[0] : tasks[-1] + 1]
        lists = everyone.lists[people.start : people.stop + 1]
        entries, numbers = slice(starts[0], starts[-1]), slice(tasks[0], tasks[-1])
        return PersonTasks(
            tasks - tasks[0],
            starts - starts[0],
            everyone.places[entries],
            everyone.joined[entries],
            everyone.n_chosen[numbers],
            everyone.extremes[numbers],
            lists - lists[0],
            everyone.items[lists[0] : lists[-1]],
            everyone.streams[people],
        )


def _spans(starts: Longs, some: Longs) -> tuple[Longs, Longs]:
    """What some parts hold, one after the other, and where each of them starts now.

    >>> _spans(np.array([0, 2, 3, 5]), np.array([2, 0]))
    (array([3, 4, 0, 1]), array([0, 2, 4]))
    """
    lengths = np.diff(starts)[some]
    return np.repeat(starts[some], lengths) + count_up(lengths), np.append(0, np.cumsum(lengths))


def _read_tasks(choices: Choices, rows: Longs, starts: Longs, joined: Flags) -> tuple[Longs, Flags]:
    """How many entries of each task were chosen, and whether only its best and worst were named."""
    lengths = np.diff(starts)
    n_groups = np.add.reduceat(~joined, starts[:-1])
    # Whoever comes last alone was not chosen.
    n_chosen = np.minimum(choices.n_listed[rows], lengths - ~joined[starts[1:] - 1])
    if choices.asked_ties:
        return n_chosen, np.zeros(len(rows), dtype=bool)
    extremes = (n_groups == 3) & (lengths > 3) & (choices.n_listed[rows] == lengths)
    extremes &= ~joined[np.minimum(starts[:-1] + 1, len(joined) - 1)]
    extremes &= ~joined[starts[1:] - 1]
    # A tie that nobody asked about says nothing: the last group is what remains.
    last = np.maximum.reduceat(np.where(joined, 0, np.arange(len(joined))), starts[:-1])
    tied_last = joined[starts[1:] - 1] & (n_chosen == lengths)
    return np.where(tied_last, last - starts[:-1], n_chosen), extremes


def _order_of_items(
    n_items: int,
    row: Longs,
    item: Longs,
    places: Words,
    task_of: Longs,
    n_people: int,
    often: Floats | None,
) -> Longs:
    """An order of items by what is said of them, whatever the order of items, tasks and people.

    ``often`` is how often each task is there; None: once.
    """
    times = np.ones(len(task_of), np.uint64) if often is None else often.astype(np.uint64)
    tasks, people = np.zeros(len(task_of), np.uint64), np.zeros(n_people, np.uint64)
    items = np.zeros(n_items, np.uint64)
    # Items with the same places are told apart by who puts them there, so there are two rounds.
    for _ in range(2):
        sums = np.zeros(n_items, dtype=np.uint64)
        np.add.at(sums, item, times[row] * _mixed(places + (tasks + people[task_of])[row]))
        items = _mixed(sums)
        tasks, people = _keys(items, row, item, places, task_of, n_people)
    return np.argsort(items, kind="stable")


def _keys(
    items: Words, row: Longs, item: Longs, places: Words, task_of: Longs, n_people: int
) -> tuple[Words, Words]:
    """Words for what each task says, and for what each person says, from those of items."""
    tasks, people = np.zeros(len(task_of), np.uint64), np.zeros(n_people, np.uint64)
    np.add.at(tasks, row, _mixed(places + items[item]))
    tasks = _mixed(tasks)
    np.add.at(people, task_of, _mixed(tasks))
    return tasks, people


def _person_weights(rankings: Rankings, people: Longs, n_people: int) -> Floats:
    """The weight of each person: the mean of the survey weights of their rows, or how many rows."""
    if rankings.people is not None and rankings.counted:
        return np.ones(n_people)
    weights = np.bincount(people, rankings.counts, n_people)
    return np.asarray(weights / np.maximum(np.bincount(people, minlength=n_people), 1))


def _gathered(
    rows: Longs,
    person_of: Longs,
    starts: Longs,
    items: Longs,
    joined: Flags,
    n_chosen: Longs,
    extremes: Flags,
    streams: Words,
) -> PersonTasks:
    """Some tasks, person by person, with the items that each person was shown."""
    entries, ends = _spans(starts, rows)
    # Tied items, and those that were only shown, are in the order of their numbers.
    owner = np.repeat(np.arange(len(rows)), np.diff(ends))
    opens = ~joined[entries] | (entries - starts[rows][owner] == n_chosen[rows][owner])
    after = entries - starts[rows][owner] > n_chosen[rows][owner]
    run = np.cumsum(opens & ~after)
    entries = entries[np.lexsort((items[entries], run))]
    n_people = len(streams)
    person = person_of[rows][owner]
    width = int(items.max(initial=0)) + 1
    listed, places = np.unique(person * width + items[entries], return_inverse=True)
    lists = np.append(0, np.cumsum(np.bincount(listed // width, minlength=n_people)))
    tasks = np.append(0, np.cumsum(np.bincount(person_of[rows], minlength=n_people)))
    return PersonTasks(
        tasks.astype(np.int64),
        ends.astype(np.int64),
        (places - lists[person]).astype(np.uint32),
        ~opens,
        n_chosen[rows].astype(np.int64),
        extremes[rows],
        lists.astype(np.int64),
        (listed % width).astype(np.uint32),
        streams,
    )


def _mixed(words: NDArray[np.uint64]) -> Words:
    """Numbers that look random, different ones for different words (splitmix64)."""
    words = words + STEP
    words = (words ^ (words >> np.uint64(30))) * FIRST_FACTOR
    words = (words ^ (words >> np.uint64(27))) * SECOND_FACTOR
    return np.asarray(words ^ (words >> np.uint64(31)))
