"""How well unlisted items are ordered, beside plain methods, on people never seen in training.

Run with: python -m benchmarks.completion.completion [--data FOLDER]
          [--only sushi-b,...] [-o FILE.md]

Some places of the people judged are hidden and predicted from the rest. Numbers are means over
people: the share of pairs with a hidden item that are ordered right (with two hidden items where
unranked ones come last), Kendall's tau of hidden items, and the log-loss and expected calibration
error, in ten bins, of the probabilities of pairs. Probabilities of plain methods are a logistic
function of the difference of scores, fitted to training people with places hidden. Ours is
RankingCompleter; its lead is paired by person, ± half of a 95 % interval.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar

from benchmarks.completion.completion_baselines import BASELINES
from benchmarks.record import header, own_command
from rankcut import NeighborGraph, RankingCompleter, read_file
from rankcut.completion.lists import read_lists
from rankcut.datasets import (
    load_eurovision,
    load_movielens,
    load_starwars,
    load_sushi,
)
from rankcut.rankings import read_rankings

SIZES = (100, 300, 1000, None)
MOST_PAIRS = 300
MOST_TRAINED = 5_000
OURS = ("RankingCompleter", "RankingCompleter, no graph")


@dataclass(frozen=True)
class Task:
    """Rankings as a dense matrix, what is known about the items, and who belongs together."""

    name: str
    ranks: np.ndarray
    features: np.ndarray | None = None
    blocks: np.ndarray | None = None
    last: bool = False
    hidden: float = 0.3
    n_judges: int = 1000


def points(features: object) -> np.ndarray:
    """Item features as standardised numbers, words as one column each."""
    columns = []
    for values in dict(features).values():  # type: ignore[call-overload]
        values = np.asarray(values)
        if values.dtype == object or values.dtype.kind in "US":
            columns += [(values == word).astype(float) for word in sorted(set(values.tolist()))]
        else:
            filled = np.where(np.isnan(values), np.nanmedian(values), values)
            columns.append((filled - filled.mean()) / max(filled.std(), 1e-9))
    return np.array(columns).T


def tasks(data: str | None) -> dict[str, Callable[[], Task]]:
    def sushi(which: str) -> Task:
        found = load_sushi(which, data_home=data)
        return Task(f"sushi {which}", found.dense(), points(found.item_features))

    def movielens() -> Task:
        found = load_movielens(data_home=data)
        features = points(found.item_features)
        return Task("MovieLens", found.dense(), features, hidden=0.2, n_judges=200)

    def eurovision() -> Task:
        found = load_eurovision(data_home=data)
        return Task("Eurovision", found.dense(), blocks=found["country"], n_judges=300)

    def dublin() -> Task:
        home = Path(data or os.environ["RANKCUT_DATA"])
        file = home / "preflib" / "00001-irish" / "00001-00000001.soi"
        ranks = read_file(file).expanded().dense()
        return Task("Dublin ballots", ranks[(~np.isnan(ranks)).sum(axis=1) >= 4], last=True)

    def starwars() -> Task:
        return Task("Star Wars", load_starwars(data_home=data).dense(), n_judges=300)

    return {
        "sushi-b": lambda: sushi("b"),
        "sushi-a": lambda: sushi("a"),
        "movielens": movielens,
        "eurovision": eurovision,
        "dublin": dublin,
        "starwars": starwars,
    }


def split(task: Task, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """People to judge, and people to learn from; people of one block stay together."""
    rng = np.random.default_rng(seed)
    if task.blocks is None:
        order = rng.permutation(len(task.ranks))
        return order[: task.n_judges], order[task.n_judges :][:MOST_TRAINED]
    names = rng.permutation(np.unique(task.blocks))
    sizes = np.cumsum([(task.blocks == name).sum() for name in names])
    judged = np.isin(task.blocks, names[: int(np.searchsorted(sizes, task.n_judges)) + 1])
    return np.flatnonzero(judged), rng.permutation(np.flatnonzero(~judged))


def hide(task: Task, ranks: np.ndarray, seed: int) -> np.ndarray:
    """Which places to hide: some at random, or the later half of a ballot."""
    rng = np.random.default_rng(seed)
    hidden = np.zeros(ranks.shape, dtype=bool)
    for row, own in enumerate(ranks):
        listed = np.flatnonzero(~np.isnan(own))
        if task.last:
            hidden[row, listed[np.argsort(own[listed])][len(listed) // 2 :]] = True
        else:
            n_hidden = min(max(1, round(task.hidden * len(listed))), max(len(listed) - 2, 0))
            hidden[row, rng.choice(listed, n_hidden, replace=False)] = True
    return hidden


@dataclass(frozen=True)
class Judged:
    """The pairs that a person is judged by: better item, worse item."""

    person: np.ndarray
    better: np.ndarray
    worse: np.ndarray
    both_hidden: np.ndarray


def judged_pairs(task: Task, ranks: np.ndarray, hidden: np.ndarray, seed: int) -> Judged:
    rng = np.random.default_rng(seed)
    parts = []
    for row, own in enumerate(ranks):
        listed = np.flatnonzero(~np.isnan(own))
        out = hidden[row, listed]
        looked_at = out[:, None] & out if task.last else out[:, None] | out
        one, other = np.nonzero(looked_at & (own[listed][:, None] < own[listed]))
        if len(one) > MOST_PAIRS:
            drawn = rng.choice(len(one), MOST_PAIRS, replace=False)
            one, other = one[drawn], other[drawn]
        parts.append((np.full(len(one), row), listed[one], listed[other], out[one] & out[other]))
    return Judged(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def by_person(judged: Judged, values: np.ndarray, n_people: int) -> np.ndarray:
    """Means of each person; NaN without a pair."""
    counts = np.bincount(judged.person, minlength=n_people)
    sums = np.bincount(judged.person, values, minlength=n_people)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


@dataclass(frozen=True)
class Score:
    """How one method does: of each person, and of all pairs."""

    method: str
    right: np.ndarray
    tau: np.ndarray
    log_loss: float
    calibration: float
    seconds: float


def score(
    method: str, gaps: np.ndarray, chances: np.ndarray, judged: Judged, n: int, seconds: float
) -> Score:
    right = (gaps > 0) + 0.5 * (gaps == 0)
    inner = replace_pairs(judged, judged.both_hidden)
    tau = by_person(inner, np.sign(gaps[judged.both_hidden]), n)
    clipped = np.clip(chances, 1e-6, 1.0 - 1e-6)
    # Each pair in both directions: a bin and its mirror image say the same.
    said = np.concatenate([clipped, 1.0 - clipped])
    true = np.concatenate([np.ones(len(clipped)), np.zeros(len(clipped))])
    bins = np.minimum((said * 10).astype(int), 9)
    errors = [abs((said - true)[bins == each].sum()) for each in range(10)]
    return Score(
        method,
        by_person(judged, right, n),
        tau,
        float(-np.log(clipped).mean()),
        float(sum(errors) / len(said)),
        seconds,
    )


def replace_pairs(judged: Judged, chosen: np.ndarray) -> Judged:
    return Judged(*(getattr(judged, name)[chosen] for name in judged.__dataclass_fields__))


def slope(gaps: np.ndarray) -> float:
    """The logistic slope that makes these gaps, all in the true direction, most likely."""
    found = minimize_scalar(
        lambda log: np.logaddexp(0.0, -np.exp(log) * gaps).sum(), bounds=(-4, 5), method="bounded"
    )
    return float(np.exp(found.x))


def compare(task: Task, size: int | None, seed: int) -> list[Score]:
    """All methods on one split."""
    people, others = split(task, seed)
    train = task.ranks[others[:size]]
    truth = task.ranks[people]
    hidden = hide(task, truth, seed)
    shown = np.where(hidden, np.nan, truth)
    judged = judged_pairs(task, truth, hidden, seed)
    n = len(people)
    unranked = "last" if task.last else "anywhere"
    lists = read_lists(read_rankings(train, unranked=unranked), float(task.last))
    asked = read_lists(read_rankings(shown, unranked=unranked), float(task.last))
    tuned = train[:300]
    tuned_hidden = hide(task, tuned, seed + 1)
    tuned_pairs = judged_pairs(task, tuned, tuned_hidden, seed + 1)
    tuned_shown = np.where(tuned_hidden, np.nan, tuned)
    tuned_asked = read_lists(read_rankings(tuned_shown, unranked=unranked), float(task.last))
    scores = []
    for name, learn in BASELINES.items():
        if name.startswith("kernel ridge") and task.features is None:
            continue
        start = time.process_time()
        predict = learn(lists, task.features)
        worth = predict(asked)
        seconds = time.process_time() - start
        gaps = worth[judged.person, judged.better] - worth[judged.person, judged.worse]
        own = predict(tuned_asked)
        sharp = slope(
            own[tuned_pairs.person, tuned_pairs.better] - own[tuned_pairs.person, tuned_pairs.worse]
        )
        chances = 1.0 / (1.0 + np.exp(-sharp * gaps))
        scores.append(score(name, gaps, chances, judged, n, seconds))
    graphs = {OURS[1]: None}
    if task.features is not None:
        near = min(10, len(task.features) // 3)
        graphs = {OURS[0]: NeighborGraph(task.features, n_neighbors=near), **graphs}
    for name, graph in graphs.items():
        start = time.process_time()
        completer = RankingCompleter(graph, unranked=unranked, listing="random")
        worth = completer.fit(train).transform(shown)
        seconds = time.process_time() - start
        gaps = worth[judged.person, judged.better] - worth[judged.person, judged.worse]
        chances = said_chances(completer, shown, judged)
        scores.append(score(name, gaps, chances, judged, n, seconds))
    return scores


def said_chances(completer: RankingCompleter, shown: np.ndarray, judged: Judged) -> np.ndarray:
    """The probability of each judged pair's true order."""
    chances = np.empty(len(judged.person))
    for person in range(len(shown)):
        own = judged.person == person
        if own.any():
            pairs = np.stack([judged.better[own], judged.worse[own]], axis=1)
            chances[own] = completer.predict_pairs(shown[person : person + 1], pairs)[0]
    return chances


def lines(task: Task, size: int | None, scores: list[Score]) -> Iterator[str]:
    ours = next(each for each in scores if each.method in OURS)
    _, others = split(task, 0)
    n_trained = len(others[:size])
    for each in scores:
        gap = ours.right - each.right
        gap = gap[~np.isnan(gap)]
        half = 1.96 * gap.std(ddof=1) / np.sqrt(len(gap))
        ahead = "" if each is ours else f"{gap.mean():+.4f} ± {half:.4f}"
        yield (
            f"| {task.name} | {n_trained:,} | {each.method} | {np.nanmean(each.right):.4f} "
            f"| {ahead} | {np.nanmean(each.tau):.3f} | {each.log_loss:.4f} "
            f"| {each.calibration:.4f} | {each.seconds:.1f} |"
        )


HEAD = (
    "| set | lists | method | pairs right | ours ahead by | tau of hidden | log-loss "
    "| calibration error | seconds |\n|---|---|---|---|---|---|---|---|---|"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder of the data sets (default: RANKCUT_DATA)")
    parser.add_argument("--only", help="names of sets, separated by commas")
    parser.add_argument("--sizes", default="100,300,1000,all", help="numbers of training lists")
    parser.add_argument("--seed", type=int, default=0, help="seed of the split of people")
    parser.add_argument("-o", "--output", help="file for the table")
    parser.add_argument("--keep", help="JSON file of rows that are done, to go on from")
    options = parser.parse_args()
    every = tasks(options.data)
    chosen = options.only.split(",") if options.only else list(every)
    sizes = [None if each == "all" else int(each) for each in options.sizes.split(",")]
    written: list[str] = []
    kept: dict[str, list[str]] = {}
    if options.keep and Path(options.keep).exists():
        kept = json.loads(Path(options.keep).read_text(encoding="utf-8"))

    def say(*rows: str) -> None:
        written.extend(rows)
        print(*rows, sep="\n", flush=True)
        if options.output:
            Path(options.output).write_text(
                "\n".join([_preface(), *written]) + "\n", encoding="utf-8"
            )

    def say_once(key: str, make: Callable[[], Iterator[str]]) -> None:
        if key not in kept:
            kept[key] = list(make())
            if options.keep:
                Path(options.keep).write_text(json.dumps(kept), encoding="utf-8")
        say(*kept[key])

    say(HEAD)
    for name in chosen:
        task = every[name]()
        n_others = len(split(task, options.seed)[1])
        for size in sizes:
            if size is None or size < n_others:

                def rows(task: Task = task, size: int | None = size) -> Iterator[str]:
                    return lines(task, size, compare(task, size, options.seed))

                say_once(f"{name}, {size}, {options.seed}", rows)


def _preface() -> str:
    """What the table is, and how it was made."""
    about = (__doc__ or "").split("\n\n")[2].strip()
    return f"{header('completion', own_command())}\n{about}\n"


if __name__ == "__main__":
    main()
