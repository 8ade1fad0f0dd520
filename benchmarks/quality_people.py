"""Lists of people for the benchmark of likeness: what they rank, and what else is known."""

import csv
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
from quality_tasks import _dense

from rankcut import read_file
from rankcut.datasets import (
    load_eurovision,
    load_movielens,
    load_starwars,
    load_sushi,
)

MOST_PEOPLE = 1200


@dataclass(frozen=True, eq=False)
class People:
    """Rankings with NaN for what is not listed, what that means, and what else is known.

    Rankings of the same owner, such as a country in several years, are not independent.
    """

    ranks: np.ndarray
    unranked: str
    points: np.ndarray | None
    known: dict[str, np.ndarray]
    owner: str | None = None

    @property
    def owners(self) -> np.ndarray:
        """A number for each ranking, the same for those of one owner."""
        assert self.owner is not None
        return np.unique(self.known[self.owner], return_inverse=True)[1]


def _some(ranks: np.ndarray, columns: dict[str, np.ndarray], part: int) -> tuple:
    """One of several samples of people that share nobody."""
    order = np.random.default_rng(11).permutation(len(ranks))
    size = min(MOST_PEOPLE, len(ranks) // 2)
    chosen = order[part * size : (part + 1) * size]
    return ranks[chosen], {name: np.asarray(values)[chosen] for name, values in columns.items()}


def _shortened(ranks: np.ndarray, length: int) -> np.ndarray:
    """A random part of each list."""
    rng = np.random.default_rng(5)
    short = np.full(ranks.shape, np.nan)
    for person, row in enumerate(ranks):
        chosen = rng.permutation(np.flatnonzero(~np.isnan(row)))[:length]
        short[person, chosen] = row[chosen]
    return short


def sushi(data: str, which: str, top: int | None, part: int) -> People:
    loaded = load_sushi(which, data_home=data)
    columns = {name: loaded.columns[name] for name in ("gender", "age", "region")}
    columns["childhood region"] = loaded.columns["childhood region"]
    ranks, known = _some(_dense(loaded.ranks), columns, part)
    if top is not None:
        ranks = np.where(ranks <= top, ranks, np.nan)
    return People(ranks, "anywhere" if top is None else "last", loaded.item_points, known)


def films(data: str, length: int | None, part: int) -> People:
    loaded = load_movielens(data_home=data)
    ages = np.digitize(loaded.columns["age"].astype(float), [25, 35, 45])
    columns = {name: loaded.columns[name] for name in ("gender", "occupation")} | {"age": ages}
    ranks, known = _some(_dense(loaded.ranks), columns, part)
    if length is not None:
        ranks = _shortened(ranks, length)
    return People(ranks, "last", loaded.item_points, known)


@cache
def _small_films(data: str) -> tuple[np.ndarray, np.ndarray]:
    home = Path(data) / "movielens-small"
    with open(home / "movies.csv", encoding="utf-8", newline="") as file:
        movies = {line["movieId"]: set(line["genres"].split("|")) for line in csv.DictReader(file)}
    with gzip.open(home / "ratings.csv.gz", "rt", encoding="utf-8", newline="") as file:
        ratings = [line for line in csv.DictReader(file) if line["movieId"] in movies]
    columns = {movie: i for i, movie in enumerate(movies)}
    rows = {user: i for i, user in enumerate(dict.fromkeys(line["userId"] for line in ratings))}
    ranks = np.full((len(rows), len(columns)), np.nan)
    for line in ratings:
        ranks[rows[line["userId"]], columns[line["movieId"]]] = -float(line["rating"])
    genres = sorted(set().union(*movies.values()))
    points = np.array([[genre in own for genre in genres] for own in movies.values()], dtype=float)
    return ranks, points


def small_films(data: str, length: int, part: int) -> People:
    everyone, points = _small_films(data)
    ranks, known = _some(everyone, {}, part)
    ranks = _shortened(ranks, length)
    kept = ~np.isnan(ranks).all(axis=0)
    return People(ranks[:, kept], "last", points[kept], known)


def eurovision(data: str, part: int) -> People:
    loaded = load_eurovision(data_home=data)
    columns = {"country": loaded.columns["country"].astype(str), "region": loaded.target}
    ranks, known = _some(_dense(loaded.ranks), columns, part)
    return People(ranks, "last", None, known, owner="country")


def ballots(data: str, path: str, part: int) -> People:
    ranks = _dense(read_file(Path(data) / "preflib" / path).expanded().ranks)
    ranks = ranks[(~np.isnan(ranks)).sum(axis=1) >= 2]
    return People(*_some(ranks, {}, part)[:1], "last", None, {})


def star_wars(data: str, what: str, part: int) -> People:
    loaded = load_starwars(what, data_home=data)
    ranks = _dense(loaded.ranks)
    kept = (~np.isnan(ranks)).sum(axis=1) >= 4
    names = ("gender", "age", "region", "education", "income")
    columns = {name: loaded.columns[name][kept].astype(str) for name in names}
    return People(*_two(_some(ranks[kept], columns, part), "anywhere"))


def _two(found: tuple, unranked: str) -> tuple:
    return found[0], unranked, None, found[1]


def made_up(kind: str) -> People:
    """People of some camp, topic or taste, and the features of items that these go by."""
    rng = np.random.default_rng(3)
    if kind in ("camps", "sessions"):
        n_groups, n_items, popularity, pull, lengths = {
            "camps": (12, 300, 1.5, 2.0, (5, 15)),
            "sessions": (40, 800, 0.0, 5.0, (4, 9)),
        }[kind]
        points = np.eye(n_groups)[rng.permutation(np.arange(n_items) % n_groups)]
        group = rng.integers(n_groups, size=500)
        worth = popularity * rng.standard_normal(n_items) + pull * points[:, group].T
        return People(_drawn(worth, lengths, rng), "last", points, {kind: group.astype(str)})
    n_items, rank, lengths = {
        "full": (12, 2, (12, 12)),
        "asked": (60, 3, (8, 8)),
        "long": (400, 6, (60, 150)),
    }[kind]
    points, tastes = rng.standard_normal((n_items, rank)), rng.standard_normal((500, rank))
    worth = tastes @ points.T + (kind == "long") * rng.standard_normal(n_items)
    ranks = _drawn(worth, lengths if kind == "long" else (n_items, n_items), rng)
    if kind == "asked":
        ranks[rng.random(ranks.shape).argsort(axis=1) >= lengths[0]] = np.nan
    known = {"half": (tastes[:, 0] > 0).astype(str)}
    return People(ranks, "last" if kind == "long" else "anywhere", points, known)


def _drawn(worth: np.ndarray, lengths: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Lists of these lengths, items chosen in proportion to exp(worth) from those that remain."""
    places = (-worth - rng.gumbel(size=worth.shape)).argsort(axis=1).argsort(axis=1) + 1.0
    longest = rng.integers(*lengths, len(worth), endpoint=True)[:, None]
    return np.where(places <= longest, places, np.nan)


def cases(data: str) -> dict[str, tuple[str, Callable[[], People]]]:
    """Name, kind of list, and how to read it; the settings were chosen by the first six."""
    irish, debian = "00001-irish/00001-0000000{}.soi", "00002-debian/00002-0000000{}.soi"
    return {
        "sushi a": ("full", partial(sushi, data, "a", None, 0)),
        "sushi b": ("incomplete", partial(sushi, data, "b", None, 0)),
        "sushi a, top 3": ("top-k", partial(sushi, data, "a", 3, 0)),
        "star wars characters": ("ties", partial(star_wars, data, "characters", 0)),
        "dublin north": ("top-k", partial(ballots, data, irish.format(1), 0)),
        "eurovision": ("top-k", partial(eurovision, data, 0)),
        "sushi a, others": ("full", partial(sushi, data, "a", None, 2)),
        "sushi b, others": ("incomplete", partial(sushi, data, "b", None, 2)),
        "sushi a, top 5": ("top-k", partial(sushi, data, "a", 5, 2)),
        "sushi a, top 8": ("top-k", partial(sushi, data, "a", 8, 2)),
        "star wars films": ("full", partial(star_wars, data, "films", 0)),
        "star wars characters, others": ("ties", partial(star_wars, data, "characters", 1)),
        "dublin west": ("top-k", partial(ballots, data, irish.format(2), 3)),
        "meath": ("top-k", partial(ballots, data, irish.format(3), 3)),
        "debian 2005": ("top-k", partial(ballots, data, debian.format(3), 0)),
        "eurovision, others": ("top-k", partial(eurovision, data, 1)),
        "20 films": ("short", partial(films, data, 20, 1)),
        "all films": ("long", partial(films, data, None, 1)),
        "20 of 9,724 films": ("short", partial(small_films, data, 20, 1)),
        "made up: 12 camps": ("short", partial(made_up, "camps")),
        "made up: 40 topics": ("short", partial(made_up, "sessions")),
        "made up: all of 12 items": ("full", partial(made_up, "full")),
        "made up: asked about 8 of 60": ("incomplete", partial(made_up, "asked")),
        "made up: 60 to 150 of 400": ("long", partial(made_up, "long")),
    }


N_CHOSEN_BY = 6
