"""Recommending from lists that people choose, beside plain methods; what a graph does for items in
few lists; and probabilities where people list what they like. Three in ten items of each list are
hidden, for people not in the training data. Recall@10: the share of hidden items, at most ten, that
are among ten recommended ones; also for those in the better half of the list. Differences: ours
minus theirs, paired by person, with 95 % intervals. Places: the mean percentile among all unlisted
items, 1 is first, of hidden items that are in at most two lists. Calibration errors are those of
pairs with an unlisted item, for simulated people who list an item with a chance that rises with
their own utility ("slope") or with everyone's ("popular"), or who list the best at a noisy look
("top"). Methods were chosen on other splits of the same people. The last four kinds of lists were
made up afterwards. On one draw of each, EASE or utilities were level with the best of the others,
except on lists of 3 of 5,000 items, .029 ± .021 behind ALS; so factors became a third choice. On a
second draw all were level except on the camps, .014 ± .013 behind EASE. The rows here are three
more draws of all that is simulated, with nothing changed.

Run with: python -m benchmarks.completion.recommend DATA_DIR [--keep FILE]
"""

import argparse
import csv
import gzip
import json
import pickle
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.special import ndtr
from scipy.stats import norm

from rankcut import NeighborGraph, RankingCompleter
from rankcut.comparison.statistics import holm
from rankcut.datasets import load_movielens

SEED = 23
DRAWS = (SEED + 2, SEED + 3, SEED + 4)

# Rankings with NaN for what is not listed, and item features.
Lists = tuple[np.ndarray, np.ndarray]


def cases(data: str) -> Iterator[tuple[str, list[Lists]]]:
    """Name, and one or more draws of the lists."""
    loaded = load_movielens(data_home=data)
    films = dense(loaded.ranks), loaded.item_points
    small = small_films(data)
    yield "MovieLens 100k", [films]
    yield "its best 20 of each person", [best(*films, 20)]
    yield "its best 10 of each person", [best(*films, 10)]
    yield "MovieLens small", [small]
    yield "its best 30 of each person", [best(*small, 30)]
    for n_people, n_items in ((1200, 215), (400, 800)):
        draws = [simulated(n_people, n_items, seed) for seed in DRAWS]
        yield f"simulated, {n_people:,} lists of {n_items} items", draws
    for draws in zip(*(more_kinds(np.random.default_rng(seed)) for seed in DRAWS), strict=True):
        yield draws[0][0], [lists for _, lists in draws]


def dense(ranks: sparse.csr_array) -> np.ndarray:
    filled = ranks.toarray()
    return np.where(filled == 0, np.nan, filled)


def small_films(data: str) -> Lists:
    """Films of 610 people, and the genres of films."""
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


def best(ranks: np.ndarray, points: np.ndarray, k: int) -> Lists:
    """The first k of each list, ties in random order; items that nobody lists are left out."""
    rng = np.random.default_rng(SEED)
    found = np.full(ranks.shape, np.nan)
    for row, own in zip(found, ranks, strict=True):
        listed = np.flatnonzero(~np.isnan(own))
        first = listed[np.lexsort((rng.random(len(listed)), own[listed]))][:k]
        row[first] = np.arange(1.0, len(first) + 1)
    known = ~np.isnan(found).all(axis=0)
    return found[:, known], points[known]


def simulated(n_people: int, n_items: int, seed: int) -> Lists:
    """Lists of 10 to 40 items near one of three interests of each person, popular ones first."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n_items, 6))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    popular = rng.standard_normal(n_items)
    ranks = np.full((n_people, n_items), np.nan)
    for row in ranks:
        interests = rng.standard_normal((3, 6))
        interests /= np.linalg.norm(interests, axis=1, keepdims=True)
        utility = popular + 6 * (points @ interests.T).max(axis=1) + rng.gumbel(size=n_items)
        first = np.argsort(-utility)[: rng.integers(10, 41)]
        row[first] = np.arange(1.0, len(first) + 1)
    return ranks, points + 0.3 * rng.standard_normal(points.shape)


def more_kinds(rng: np.random.Generator) -> Iterator[tuple[str, Lists]]:
    """Kinds of lists that were made up when the methods had been chosen."""
    camps = np.eye(20)[rng.integers(20, size=1000)]
    own = camps[rng.integers(1000, size=2000)]
    worth = 2 * rng.standard_normal(1000) + 3 * own @ camps.T
    yield "one of 20 camps, strong popularity", (drawn(worth, (5, 30), rng), camps)
    topics = np.eye(100)[np.arange(2000) // 20]
    own = topics[rng.integers(2000, size=3000)] + topics[rng.integers(2000, size=3000)]
    yield "sessions of two interests", (drawn(6 * own @ topics.T, (6, 12), rng), topics)
    for name, n_people, n_items, lengths in (
        ("3 of 5,000 items", 4000, 5000, (3, 3)),
        ("200 to 400 of 600 items", 600, 600, (200, 400)),
    ):
        points, tastes = rng.standard_normal((n_items, 8)), rng.standard_normal((n_people, 8))
        worth = 1.5 * rng.standard_normal(n_items) + tastes @ points.T
        yield name, (drawn(worth, lengths, rng), points)


def drawn(worth: np.ndarray, lengths: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Lists of these lengths, items chosen in proportion to exp(worth) from those that remain."""
    order = np.argsort(-worth - rng.gumbel(size=worth.shape), axis=1)
    places = np.argsort(order, axis=1) + 1.0
    return np.where(
        places <= rng.integers(*lengths, len(worth), endpoint=True)[:, None], places, np.nan
    )


def stored(ranks: np.ndarray) -> sparse.csr_array:
    rows, columns = np.nonzero(~np.isnan(ranks))
    values = ranks[rows, columns] - np.nanmin(ranks) + 1
    return sparse.csr_array((values, (rows, columns)), shape=ranks.shape)


def plain_methods(listed: np.ndarray) -> dict:
    """From what is shown to scores of all items."""
    n_items = listed.shape[1]
    counts, together = listed.sum(axis=0), listed.T @ listed
    sizes = np.sqrt(counts + 10.0)
    alike = together / np.outer(sizes, sizes)
    np.fill_diagonal(alike, 0.0)
    alike[alike < -np.partition(-alike, min(100, n_items - 1), axis=0)[min(100, n_items - 1)]] = 0.0
    methods = {
        "popularity": lambda shown: np.tile(counts, (len(shown), 1)),
        "item neighbours": lambda shown: shown @ alike,
    }
    for penalty in (100.0, 300.0):
        inverse = np.linalg.inv(listed @ listed.T + penalty * np.eye(len(listed)))
        left = 1.0 - np.einsum("mi,mi->i", listed, inverse @ listed)
        methods[f"EASE, λ = {penalty:.0f}"] = lambda shown, inverse=inverse, left=left: (
            shown @ listed.T @ inverse @ listed / left
        )
    for rank in (16, 32):
        factors = alternating(listed, rank)
        methods[f"ALS of {rank}"] = lambda shown, f=factors: least_squares(shown, f) @ f.T
    return methods


def least_squares(listed: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Listed is 1 with weight 11, unlisted 0 with weight 1."""
    everything = factors.T @ factors + np.eye(factors.shape[1])
    found = np.empty((len(listed), factors.shape[1]))
    for row, own in enumerate(listed > 0):
        inner = everything + 10.0 * factors[own].T @ factors[own]
        found[row] = np.linalg.solve(inner, 11.0 * factors[own].sum(axis=0))
    return found


def alternating(listed: np.ndarray, rank: int) -> np.ndarray:
    factors = 0.1 * np.random.default_rng(0).standard_normal((listed.shape[1], rank))
    for _ in range(10):
        factors = least_squares(listed.T, least_squares(listed, factors))
    return factors


def recall(scores: np.ndarray, listed: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Of each person the share of wanted items among ten; NaN without any."""
    top = np.argsort(-np.where(listed, -np.inf, scores), axis=1, kind="stable")[:, :10]
    hits = np.take_along_axis(wanted, top, axis=1).sum(axis=1)
    most = np.minimum(wanted.sum(axis=1), 10)
    return np.where(most > 0, hits / np.maximum(most, 1), np.nan)


def judged(ranks: np.ndarray, points: np.ndarray) -> dict[str, list[np.ndarray]]:
    """Of each method, by person: recall, recall of the better half; places of rare items; facts."""
    rng = np.random.default_rng(SEED)
    people = rng.permutation(len(ranks))
    judges, others = np.split(people, [len(people) // 4])
    train, truth = ranks[others], ranks[judges]
    hidden = ~np.isnan(truth) & (rng.random(truth.shape) < 0.3)
    shown = np.where(hidden, np.nan, truth)
    listed = ~np.isnan(shown)
    liked = hidden & (truth <= np.nanmedian(truth, axis=1, keepdims=True))
    cold = hidden & ((~np.isnan(train)).sum(axis=0) <= 2)
    scores, facts = {}, {}
    spread = np.where(points.std(axis=0) > 0, points.std(axis=0), 1.0)
    graph = NeighborGraph((points - points.mean(axis=0)) / spread, n_neighbors=10)
    for own, given in (("ours", None), ("ours, graph", graph)):
        start = time.process_time()
        model = RankingCompleter(given, unranked="last").fit(stored(train))
        fitted = time.process_time() - start
        lists = stored(shown)
        scores[own] = model._worth(model._lists(lists))
        people = [lists[row : row + 1] for row in range(20)]
        start = time.process_time()
        for person in people:
            model.recommend(person)
        each = (time.process_time() - start) / 20
        facts[own] = np.array([fitted, 1000 * each, len(pickle.dumps(model)) / 1e6])
    for method, worth in plain_methods((~np.isnan(train)).astype(float)).items():
        scores[method] = worth(listed.astype(float))
    found = {}
    for method, worth in scores.items():
        order = np.argsort(np.argsort(np.where(listed, -np.inf, worth), axis=1), axis=1)
        found[method] = [
            recall(worth, listed, hidden),
            recall(worth, listed, liked),
            order[cold] / ranks.shape[1],
            facts.get(method, np.empty(0)),
        ]
    return found


def recommendations(name: str, draws: list[Lists]) -> Iterator[list[str]]:
    """A row for each method, and its p-value."""
    every = [judged(*lists) for lists in draws]
    base = np.concatenate([found["ours"][0] for found in every])
    for method in every[0]:
        mine, better, places = (
            np.concatenate([found[method][part] for found in every]) for part in range(3)
        )
        facts = np.mean([found[method][3] for found in every], axis=0)
        gaps = (base - mine)[~np.isnan(base)]
        error = gaps.std(ddof=1) / np.sqrt(len(gaps))
        lead = "" if method == "ours" else f"{gaps.mean():+.3f} ± {1.96 * error:.3f}"
        place = f"{places.mean():.3f}" if len(places) else "–"
        cost = "{:.1f} s | {:.1f} ms | {:.1f} MB".format(*facts) if len(facts) else " |  | "
        row = f"| {name} | {method} | {np.nanmean(mine):.3f} | {lead} | {np.nanmean(better):.3f} "
        p_value = 2 * norm.sf(abs(gaps.mean()) / max(error, 1e-300))
        yield [f"{row}| {place} | {cost} |", repr(float(p_value))]


def counts(rows: list[list[str]]) -> str:
    """How often ours is ahead and behind."""
    plain = [row for row in rows if not row[0].split(" | ")[1].startswith("ours")]
    leads = np.array([row[0].split(" | ")[3].startswith("+") for row in plain])
    p_values = np.array([float(row[1]) for row in plain])
    told = []
    for how, p in (("one by one", p_values), ("all at once (Holm)", holm(p_values))):
        ahead, behind = ((p < 0.05) & leads).sum(), ((p < 0.05) & ~leads).sum()
        told.append(f"{how}, ahead in {ahead} and behind in {behind}")
    return f"Of {len(plain)} differences from plain methods: {'; '.join(told)}."


def people_who_choose(kind: str, n_items: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rankings of what people list, and their utilities."""
    rng = np.random.default_rng([seed, n_items])
    utilities = rng.standard_normal((500, 2)) @ rng.standard_normal((2, n_items))
    utilities += rng.standard_normal(n_items) + 0.7 * rng.standard_normal(utilities.shape)
    utilities /= utilities.std()
    what, size = kind.split()
    if what == "top":
        looked = utilities + float(size) * rng.standard_normal(utilities.shape)
        listed = (-looked).argsort(axis=1).argsort(axis=1) < n_items // 5
    else:
        liked = utilities.mean(axis=0) if what == "popular" else utilities
        listed = rng.random(utilities.shape) < ndtr(float(size) * liked - 0.7)
    ranks = (-np.where(listed, utilities, -np.inf)).argsort(axis=1).argsort(axis=1) + 1.0
    return np.where(listed, ranks, np.nan), utilities


def calibration(kind: str, n_items: int) -> str:
    ranks, utilities = people_who_choose(kind, n_items, SEED)
    one, other = np.triu_indices(n_items, 1)
    cells = []
    for listing in ("random", "taste"):
        model = RankingCompleter(unranked="anywhere", listing=listing).fit(ranks[:400])
        said = model.predict_pairs(ranks[400:], np.stack([one, other], axis=1))
        free = np.isnan(ranks[400:, one]) | np.isnan(ranks[400:, other])
        true = (utilities[400:, one] > utilities[400:, other])[free]
        said, true = np.append(said[free], 1 - said[free]), np.append(true, ~true)
        bins = np.minimum((said * 10).astype(int), 9)
        error = sum(abs((said - true)[bins == each].sum()) for each in range(10)) / len(said)
        cells.append(f"{error:.3f} | {((said > 0.5) == true).mean():.3f}")
    return f"| {kind} | {n_items} | {model.listing_:.2f} | {' | '.join(cells)} |"


def table_head(names: str) -> str:
    columns = names.split(",")
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="directory with the data")
    parser.add_argument("--keep", type=Path, help="JSON file of rows that are done, to go on from")
    options = parser.parse_args()
    kept = json.loads(options.keep.read_text()) if options.keep and options.keep.exists() else {}

    def done(name: str, make: Callable[[], list[list[str]]]) -> list[list[str]]:
        if name not in kept:
            kept[name] = make()
            if options.keep:
                options.keep.write_text(json.dumps(kept))
        for row in kept[name]:
            print(row[0], flush=True)
        return kept[name]

    names = "lists,method,recall@10,ours ahead by,of the better half,place if in few lists"
    print(table_head(f"{names},fit,a person,model"))
    rows = []
    for case in cases(options.data):
        rows += done(case[0], lambda case=case: list(recommendations(*case)))
    print(f"\n{counts(rows)}")
    names = "listing,items,`listing_`,error if random,pairs right,error if taste,pairs right"
    print(f"\n{table_head(names)}")
    for kind in ("slope 0", "slope 1", "slope 3", "top 0", "top 0.5", "popular 3"):
        for n_items in (20, 100):
            name = f"{kind}, {n_items} items"
            done(name, lambda kind=kind, n=n_items: [[calibration(kind, n)]])


if __name__ == "__main__":
    main()
