"""Made-up people with known tastes, and what they answer in tasks of many kinds."""

from dataclasses import dataclass, replace

import numpy as np

from rankcut import RankingSet


@dataclass(frozen=True)
class Survey:
    """People, their tasks, and what they answered."""

    tastes: np.ndarray  #: (people, items)
    order: np.ndarray  #: (people, tasks, shown): the items shown, the best first, the worst last
    kind: str  #: "best-worst", "best" or "ranking"
    asked: np.ndarray  #: (people, tasks): which tasks were answered

    @property
    def n_items(self):
        """Number of items."""
        return self.tastes.shape[1]

    def tasks(self, columns):
        """The survey with some of its tasks."""
        return replace(self, order=self.order[:, columns], asked=self.asked[:, columns])

    def rankings(self):
        """A row for each task, as files of tasks are read."""
        n_shown = self.order.shape[2]
        people, tasks = np.nonzero(self.asked)
        ranks = np.full((len(people), self.n_items), np.nan)
        places = np.full(n_shown, 2.0)
        if self.kind == "ranking":
            places = np.arange(1.0, n_shown + 1)
        else:
            places[0], places[-1] = 1.0, 3.0 if self.kind == "best-worst" and n_shown > 2 else 2.0
        np.put_along_axis(ranks, self.order[people, tasks], places[None], axis=1)
        return RankingSet(
            ranks, tuple(range(self.n_items)), people=people, unranked="anywhere",
            asked_ties=False,
        )  # fmt: skip

    def choices(self):
        """Each task as choices: items with the chosen one first (−1: no item), sign, and asked.

        Someone who says which is the worst chooses by utilities times −1.
        """
        order, n_shown = self.order, self.order.shape[2]
        if self.kind == "best":
            return [(order, 1.0)]
        if self.kind == "best-worst":
            rest = order[:, :, :0:-1]
            return [(order, 1.0)] + ([(rest, -1.0)] if n_shown > 2 else [])
        return [(order[:, :, first:], 1.0) for first in range(n_shown - 1)]


def made_tastes(rng, n_people, n_items, kind):
    """Tastes of people: one cloud, low rank, camps, or heavy tails."""
    mean = rng.normal(size=n_items)
    if kind == "low rank":
        loadings = rng.normal(size=(2, n_items))
        tastes = mean + rng.normal(size=(n_people, 2)) @ loadings
        tastes += 0.4 * rng.normal(size=tastes.shape)
    elif kind == "camps":
        centres = 1.5 * rng.normal(size=(2, n_items))
        tastes = centres[rng.integers(2, size=n_people)] + 0.5 * rng.normal(
            size=(n_people, n_items)
        )
    elif kind == "heavy tails":
        tastes = mean + rng.standard_t(3, size=(n_people, n_items))
    elif kind == "sharp":
        root = rng.normal(size=(n_items, n_items)) / np.sqrt(n_items)
        tastes = 3 * mean + 3 * rng.normal(size=(n_people, n_items)) @ root
    else:
        root = rng.normal(size=(n_items, n_items)) / np.sqrt(n_items)
        tastes = mean + 1.2 * rng.normal(size=(n_people, n_items)) @ root
    return tastes - tastes.mean(axis=1, keepdims=True)


def answered(rng, tastes, n_tasks, n_shown, kind, *, none=False, random=0.0, missing=0.0):
    """Answers: the best first, then the worst of the rest; or rankings from the top.

    Items are shown about equally often to each person. With ``none`` the last item is in each task.
    A share of people answers at random, and a share of tasks is missing.
    """
    n_people, n_items = tastes.shape
    n_drawn, pool = n_shown - none, n_items - none
    n_decks = -(-n_tasks * n_drawn // pool) + 1
    shown = np.empty((n_people, n_tasks, n_shown), dtype=int)
    for person in range(n_people):
        deck = np.concatenate([rng.permutation(pool) for _ in range(n_decks)]).tolist()
        for task in range(n_tasks):
            hand = []
            while len(hand) < n_drawn:
                at = next(i for i, item in enumerate(deck) if item not in hand)
                hand.append(deck.pop(at))
            shown[person, task] = [*hand, n_items - 1] if none else hand
    worth = np.take_along_axis(tastes[:, None, :], shown, axis=2)
    worth = np.where(rng.random((n_people, 1, 1)) < random, 0.0, worth)
    noise = rng.gumbel(size=(2, *shown.shape))
    places = np.argsort(-(worth + noise[0]), axis=2)
    if kind != "ranking" and n_shown > 2:
        rest = places[:, :, 1:]
        bad = np.take_along_axis(noise[1] - worth, rest, axis=2)
        places[:, :, 1:] = np.take_along_axis(rest, np.argsort(bad, axis=2), axis=2)
    order = np.take_along_axis(shown, places, axis=2)
    asked = rng.random((n_people, n_tasks)) >= missing
    asked[:, 0] = True
    return Survey(tastes, order, kind, asked)
