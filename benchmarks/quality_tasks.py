"""The tasks of the quality benchmark: real rankings, what to predict of them, and how to split.

A classification task is a rank matrix, two classes and, where items have features, points for a
graph. A neighbour task is a set of short lists and, separately, how much each pair of people
agrees on items that are not in the lists. Splits depend only on the task's name and their number,
so that every method sees the same ones. Whose ranking it is goes with each: tasks on the same data
are about the same people.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from scipy import sparse

from rankcut import read_file
from rankcut.datasets import (
    load_eurovision,
    load_movielens,
    load_starwars,
    load_sushi,
)

N_TEST = 1000

NEIGHBOUR_MEASURES = {"nearest": "ten nearest people", "all": "agreement foreseen"}

# Of countries, which have many rankings each, this share is learned from.
HELD_IN = 0.6


@dataclass(frozen=True, eq=False)
class Lists:
    """Rankings of the same items, NaN for what is not listed; and whose they are, of how many."""

    ranks: np.ndarray
    people: np.ndarray
    n_people: int
    points: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Classification:
    """Predict one of two classes from a ranking, with a given number of labels; judged by AUC."""

    name: str
    family: str
    data: str
    lists: Callable[[], Lists]
    target: Callable[[], np.ndarray]
    n_labels: int
    n_splits: int

    @property
    def trained(self) -> float:
        """The share of all people that a split learns from."""
        lists = self.lists()
        if lists.n_people < len(lists.ranks):
            return HELD_IN
        return self.n_labels / len(lists.ranks)

    def split(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows to learn from and rows to judge by; nobody is in both."""
        lists, target = self.lists(), self.target()
        for attempt in range(100):
            rng = np.random.default_rng([zlib.crc32(self.name.encode()), number, attempt])
            if lists.n_people < len(target):
                learning = rng.permutation(lists.n_people)[: round(HELD_IN * lists.n_people)]
                learned = np.isin(lists.people, learning)
                train = rng.permutation(np.flatnonzero(learned))[: self.n_labels]
                test = np.flatnonzero(~learned)
            else:
                order = rng.permutation(len(target))
                n_test = min(N_TEST, len(target) - self.n_labels)
                train, test = order[n_test : n_test + self.n_labels], order[:n_test]
            if all(np.bincount(target[rows], minlength=2).min() >= 5 for rows in (train, test)):
                return train, test
        raise ValueError(f"{self.name}: a class has too few rankings to split")


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Find people who agree with each one by short lists; judged by tau on other items.

    ``measure`` is "nearest", by the ten that are found, or "all", by how well it is foreseen.
    """

    name: str
    family: str
    data: str
    measure: str
    draw: Callable[[int], tuple[Lists, np.ndarray]]
    n_splits: int

    # Nothing is learned from labels.
    trained = 0.0


@cache
def sushi(which: str, data: str, top: int | None = None) -> Lists:
    loaded = load_sushi(which, data_home=data)
    ranks = _dense(loaded.ranks)
    if top is not None:
        ranks = np.where(ranks <= top, ranks, np.nan)
    return Lists(ranks, np.arange(len(ranks)), len(ranks), loaded.item_points)


@cache
def films(data: str) -> Lists:
    loaded = load_movielens(data_home=data)
    ranks = _dense(loaded.ranks)
    return Lists(ranks, np.arange(len(ranks)), len(ranks), loaded.item_points)


def _dense(ranks: Any) -> np.ndarray:
    if not sparse.issparse(ranks):
        return np.asarray(ranks, dtype=float)
    dense = np.full(ranks.shape, np.nan)
    rows = np.repeat(np.arange(ranks.shape[0]), np.diff(ranks.indptr))
    dense[rows, ranks.indices] = ranks.data
    return dense


@cache
def eurovision(data: str) -> tuple[Lists, np.ndarray]:
    """Points of each country's jury or public in a final since 1994; the country's region."""
    votes = load_eurovision(data_home=data)
    homes, home = np.unique(votes.columns["country"].astype(str), return_inverse=True)
    return Lists(votes.ranks, home, len(homes)), votes.target


@cache
def ballots(data: str, number: int) -> tuple[Lists, np.ndarray]:
    """Ballots without the two candidates most often ranked together, and which is preferred."""
    path = Path(data) / "preflib" / "00001-irish" / f"00001-0000000{number}.soi"
    ranks = _dense(read_file(path).expanded().ranks)
    listed = (~np.isnan(ranks)).astype(float)
    together = listed.T @ listed
    np.fill_diagonal(together, 0)
    one, other = np.unravel_index(np.argmax(together), together.shape)
    rest = np.delete(ranks, [one, other], axis=1)
    kept = np.isfinite(ranks[:, one] + ranks[:, other]) & np.isfinite(rest).any(axis=1)
    voters = np.arange(kept.sum())
    preferred = (ranks[kept, one] < ranks[kept, other]).astype(int)
    return Lists(rest[kept], voters, len(voters)), preferred


def sushi_neighbours(data: str, number: int) -> tuple[Lists, np.ndarray]:
    """Lists of set b without the items of set a, and Kendall's tau on set a: 300 of 2,000."""
    names = load_sushi("b", data_home=data).item_names
    in_a = np.isin(names, load_sushi("a", data_home=data).item_names)
    both, of_a = sushi("b", data), sushi("a", data)
    people = np.random.default_rng([1, number]).permutation(len(of_a.ranks))[:2000]
    first, second = np.triu_indices(of_a.ranks.shape[1], 1)
    signs = np.sign(of_a.ranks[people][:, first] - of_a.ranks[people][:, second])
    agreement = signs[:300] @ signs.T / len(first)
    agreement[np.arange(300), np.arange(300)] = np.nan
    lists = Lists(both.ranks[people][:, ~in_a], people, both.n_people, both.points[~in_a])
    return lists, agreement


def film_neighbours(data: str, n_films: int, number: int) -> tuple[Lists, np.ndarray]:
    """A few films of each person, and tau-b on the other films that two people share."""
    every = films(data)
    rng = np.random.default_rng([2, n_films, number])
    shown = np.full(every.ranks.shape, np.nan)
    others = every.ranks.copy()
    for person, ranks in enumerate(every.ranks):
        chosen = rng.permutation(np.flatnonzero(~np.isnan(ranks)))[:n_films]
        shown[person, chosen] = ranks[chosen]
        others[person, chosen] = np.nan
    people = rng.permutation(len(shown))
    lists = Lists(shown[people], people, every.n_people, every.points)
    return lists, shared_agreement(others[people], 300)


@njit
def shared_agreement(ranks: np.ndarray, n_queries: int, least: int = 5) -> np.ndarray:
    """Kendall's tau-b of the first rows with all on what both rank; NaN if that is too little."""
    n_people, n_items = ranks.shape
    agreement = np.full((n_queries, n_people), np.nan)
    shared = np.empty(n_items, dtype=np.int64)
    for query in range(n_queries):
        for person in range(n_people):
            count = 0
            for item in range(n_items):
                if not (np.isnan(ranks[query, item]) or np.isnan(ranks[person, item])):
                    shared[count] = item
                    count += 1
            if person == query or count < least:
                continue
            concordance, mine_untied, theirs_untied = 0.0, 0.0, 0.0
            for i in range(count):
                for j in range(i):
                    mine = np.sign(ranks[query, shared[i]] - ranks[query, shared[j]])
                    theirs = np.sign(ranks[person, shared[i]] - ranks[person, shared[j]])
                    concordance += mine * theirs
                    mine_untied += mine * mine
                    theirs_untied += theirs * theirs
            if mine_untied > 0 and theirs_untied > 0:
                agreement[query, person] = concordance / np.sqrt(mine_untied * theirs_untied)
    return agreement


def all_tasks(data: str, *, quick: bool) -> list[Classification | Neighbours]:
    """Every task; with ``quick`` fewer splits and sizes, to see that all works."""
    tasks: list[Classification | Neighbours] = []

    def classification(
        name: str,
        family: str,
        lists: Callable[[], Lists],
        target: Callable[[], np.ndarray],
        sizes: Sequence[int],
        source: str,
    ) -> None:
        for n_labels in sizes:
            if quick and n_labels > 200:
                continue
            # With fewer labels, chance decides more which they are.
            n_splits = 16 if n_labels <= 100 else 12 if n_labels <= 200 else 8
            tasks.append(
                Classification(
                    f"{name}, {n_labels} labels",
                    family,
                    source,
                    lists,
                    target,
                    n_labels,
                    1 if quick else n_splits,
                )
            )

    for label in ("gender", "age", "region"):
        target = partial(_sushi_people, data, label)
        sizes = (50, 200, 1000, 3000)
        for which in ("a", "b"):
            lists = partial(sushi, which, data)
            classification(
                f"sushi {which} {label}", f"sushi {which}", lists, target, sizes, "sushi"
            )
        for top in (3, 6):
            lists = partial(sushi, "a", data, top)
            name = f"sushi a top-{top} {label}"
            classification(name, "sushi a top-k", lists, target, sizes, "sushi")
    for label in ("gender", "age"):
        target = partial(_film_people, data, label)
        classification(f"films {label}", "films", partial(films, data), target, (100, 600), "films")
    classification(
        "eurovision region",
        "eurovision",
        lambda: eurovision(data)[0],
        lambda: eurovision(data)[1],
        (100, 500),
        "eurovision",
    )
    for what in ("films", "characters"):
        for label in ("gender", "age"):
            classification(
                f"star wars {what} {label}",
                "star wars",
                lambda what=what, label=label: _star_wars(data, what, label)[0],
                lambda what=what, label=label: _star_wars(data, what, label)[1],
                (100, 500),
                "star wars",
            )
    for place, number in (("north", 1), ("west", 2)):
        classification(
            f"dublin {place}",
            "ballots",
            lambda number=number: ballots(data, number)[0],
            lambda number=number: ballots(data, number)[1],
            (50, 200, 1000, 3000),
            f"dublin {place}",
        )
    for measure in ("nearest", "all"):
        draws = {
            "sushi": ("sushi", partial(sushi_neighbours, data)),
            **{f"{n} films": ("films", partial(film_neighbours, data, n)) for n in (5, 10, 20)},
        }
        for name, (source, draw) in draws.items():
            tasks.append(
                Neighbours(
                    f"{name}: {NEIGHBOUR_MEASURES[measure]}",
                    f"neighbours, {measure}",
                    source,
                    measure,
                    draw,
                    2 if quick else 10,
                )
            )
    return tasks


@cache
def _sushi_people(data: str, label: str) -> np.ndarray:
    sushi = load_sushi("a", data_home=data)
    if label == "age":
        return (sushi.columns["age"] >= "30").astype(int)
    return (sushi.columns["gender"] == "female").astype(int) if label == "gender" else sushi.target


@cache
def _film_people(data: str, label: str) -> np.ndarray:
    loaded = load_movielens(data_home=data)
    if label == "gender":
        return loaded.target
    age = loaded.columns["age"]
    return (age > np.median(age)).astype(int)


@cache
def _star_wars(data: str, what: str, label: str) -> tuple[Lists, np.ndarray]:
    sets = {each: load_starwars(each, data_home=data) for each in ("films", "characters")}
    asked = sorted({*sets["films"].ids, *sets["characters"].ids})
    survey = sets[what]
    known = np.array([cell or "" for cell in survey.columns[label]])
    positive = known == "Female" if label == "gender" else np.isin(known, ["45-60", "> 60"])
    people = np.searchsorted(asked, survey.ids)
    kept = known != ""
    return Lists(survey.ranks[kept], people[kept], len(asked)), positive[kept].astype(int)
