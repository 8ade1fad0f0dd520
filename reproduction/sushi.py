"""Sushi: tell from a ranking whether someone lives in the east or in the west of Japan."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.datasets.sushi import load_sushi
from reproduction import published
from reproduction import sushi_report as report
from reproduction.encodings import (
    BORDA,
    CONSTANT,
    CUT,
    DUMMY,
    KENDALL,
    MALLOWS,
    MALLOWS_DRAWS,
    MALLOWS_EXACT,
    PRESENCE,
    Encoded,
    Rankings,
    encode,
)
from reproduction.example import sushi_points
from reproduction.findings import Picture, Sheet, Table, Verdict
from reproduction.learning import (
    FURTHER_SEEDS,
    QUICK_SEEDS,
    SEEDS,
    Labels,
    balanced_sample,
    learn,
    learn_blindly,
    split_rows,
)
from reproduction.parts import Part, Record, Settings, Tables, Task
from reproduction.published import Release
from reproduction.sushi_claims import CLAIMS, judge
from reproduction.sushi_experiments import (
    EXPERIMENTS,
    KENDALL_RANK,
    ORIGIN,
    QUICK_RANK,
    RANK,
    RESIDENCE,
    TARGETS,
)

_COMMON = (CUT, KENDALL, BORDA, DUMMY, CONSTANT)

N_RANKINGS = 2500

# People of the matrices that the authors computed once.
N_RELEASED = 3000

# In the order of the authors' program, where it matters: labels are right for the first.
_LARGE_SEEDS = (34, 4, 12, 42, 1232, 2638)

# Seeds of Mallows' kernel where its whole matrices are used, and are factored in each step.
_MALLOWS_SEEDS = 3

# Experiments that draw the ranked items anew for each seed.
_DRAWN = ("ties", "4 of 10")
_MERGES = (2, 3)
_LEFT_OUT = 6

# Of each path, the steps that a logarithmic axis can show.
_PATH_STEPS = frozenset({*range(21), *np.geomspace(20, 1000, 30).astype(int).tolist()})


class Sushi(Part):
    """Full, top-6, tied and incomplete rankings of sushi."""

    name = "sushi"
    title = "Sushi: east or west"
    claims = CLAIMS
    needs_sushi = True

    def tasks(self, settings: Settings) -> list[Task]:
        """One for each experiment, method and handful of seeds; then the same as published."""
        if settings.quick:
            tasks = []
            for name, experiment in EXPERIMENTS.items():
                few = [m for m in experiment.methods if m in (MALLOWS, PRESENCE)]
                for method in (*_COMMON, *few):
                    task = _task(name, method, RESIDENCE, QUICK_SEEDS)
                    tasks.append(task | {"rankings": 500, "rank": QUICK_RANK})
            return tasks + [
                task | {"rankings": 500, "rank": QUICK_RANK, "of": 600, "seeds": list(QUICK_SEEDS)}
                for task in _published_tasks()
                if SEEDS[0] in task["seeds"] and task["kernel"] != MALLOWS
            ]
        every = (*SEEDS, *FURTHER_SEEDS)
        tasks = []
        for name, experiment in EXPERIMENTS.items():
            for method in (*_COMMON, *experiment.methods):
                seeds = _seeds_of(name, method)
                at_once = _seeds_at_once(name, method)
                tasks += [
                    _task(name, method, RESIDENCE, seeds[first : first + at_once])
                    for first in range(0, len(seeds), at_once)
                ]
            tasks += [_task(name, method, ORIGIN, every) for method in (CUT, DUMMY, CONSTANT)]
        return tasks + _published_tasks()

    def run(self, task: Task, data: Path | None) -> list[Record]:
        """Scores for each seed; as published, also the path of the bound."""
        if "kernel" in task:
            return list(_mixed(task, data) if task["mixed"] else _published(task, data))
        records: list[Record] = []
        for sample in _samples(task, data):
            about = {
                "experiment": task["experiment"],
                "target": task["target"],
                "method": task["method"],
                "seed": sample.seed,
            }
            split = split_rows(sample.target)
            if sample.encoded is None:
                scores = learn_blindly(task["method"], sample.target, split, sample.seed)
            else:
                scores = learn(
                    task["method"], sample.encoded, sample.target, split, rank=task["rank"]
                )
            records.append(about | scores)
        return records

    def tables(self, records: Sequence[Record]) -> dict[str, Table]:
        """Scores of each seed, paths, and means and differences."""
        return report.tables(records)

    def figures(self, tables: Tables) -> dict[str, Picture]:
        """See :mod:`reproduction.sushi_report`."""
        return report.figures(tables)

    def sheets(self, tables: Tables) -> list[Sheet]:
        """Means of all scores; what stopping early does."""
        return report.sheets(tables)

    def verdicts(self, tables: Tables) -> dict[str, Verdict]:
        """By paired differences over all seeds."""
        return judge(tables["sushi-scores"], tables["sushi-published"])

    def prose(self, tables: Tables) -> str:
        """The protocol, and what differs between the text and the published experiments."""
        return report.prose(tables)


class Sample(NamedTuple):
    """The people of one seed: labels, and what the method sees of the same people."""

    seed: int
    target: Labels
    encoded: Encoded | None


def _sides(sushi: Any, target: str) -> Any:
    """East or west of each person, as 0 and 1: where they live now, or lived as a child."""
    return (sushi.columns[TARGETS[target]] == "west").astype(int)


def _samples(task: Task, data: Path | None) -> Iterator[Sample]:
    """One for each seed. What does not depend on the seed is encoded once."""
    sushi = _load(EXPERIMENTS[task["experiment"]].data, data)
    side = _sides(sushi, task["target"])
    chosen = {seed: balanced_sample(side, task["rankings"], seed) for seed in task["seeds"]}
    if task["method"] in (DUMMY, CONSTANT):
        for seed, people in chosen.items():
            yield Sample(seed, side[people], None)
        return
    if task["experiment"] in _DRAWN:
        for seed, people in chosen.items():
            ranks = censor(sushi.ranks[people], task["experiment"], seed)
            yield Sample(seed, side[people], _encode(task, sushi, ranks))
        return
    everyone = np.unique(np.concatenate(list(chosen.values())))
    ranks = censor(sushi.ranks[everyone], task["experiment"], 0)
    encoded = _encode(task, sushi, ranks)
    for seed, people in chosen.items():
        rows = np.searchsorted(everyone, people)
        yield Sample(seed, side[people], select(encoded, rows))


def select(encoded: Encoded, rows: NDArray[np.intp]) -> Encoded:
    """Some rankings of those encoded."""
    if encoded.features is not None:
        return Encoded(features=encoded.features[rows])
    assert encoded.gram is not None
    return Encoded(gram=encoded.gram[np.ix_(rows, rows)])


def censor(ranks: Any, experiment: str, seed: int) -> Any:
    """What is left of rankings: their top 6, neighbours merged into ties, or 4 of the 10 items."""
    if experiment == "top-6":
        return np.where(ranks > 6, np.nan, ranks)
    if experiment not in _DRAWN:
        return ranks
    rng = np.random.RandomState(seed)
    left = np.array(ranks, dtype=np.float64)
    for row in left:
        if experiment == "ties":
            for _ in range(rng.randint(_MERGES[0], _MERGES[1] + 1)):
                row[row > rng.randint(1, int(row.max()))] -= 1
        else:
            row[rng.permutation(len(row))[:_LEFT_OUT]] = np.nan
    return left


def _encode(task: Task, sushi: Any, ranks: Any) -> Encoded:
    return encode(task["method"], _rankings(task, sushi, ranks))


def _rankings(task: Task, sushi: Any, ranks: Any) -> Rankings:
    experiment = EXPERIMENTS[task["experiment"]]
    return Rankings(
        ranks, experiment.unranked, sushi_points(sushi), experiment.keep, experiment.tolerance
    )


@lru_cache(maxsize=2)
def _load(which: Any, data: Path | None) -> Any:
    return load_sushi(which, data_home=data)


def _task(experiment: str, method: str, target: str, seeds: Sequence[int]) -> Task:
    ranks = {KENDALL: KENDALL_RANK, MALLOWS_EXACT: N_RANKINGS}
    return {
        "experiment": experiment,
        "method": method,
        "target": target,
        "seeds": list(seeds),
        "rankings": N_RANKINGS,
        "rank": ranks.get(method, RANK),
    }


def _seeds_of(experiment: str, method: str) -> tuple[int, ...]:
    """All seeds, but fewer where a fit is long and the claims do not need them."""
    if method == MALLOWS_EXACT:
        return SEEDS[:_MALLOWS_SEEDS]
    if method == MALLOWS_DRAWS:
        return SEEDS
    if experiment == "10 of 100" and method.startswith(f"{CUT}, "):
        return (*SEEDS, *FURTHER_SEEDS[:6])
    return (*SEEDS, *FURTHER_SEEDS)


def _seeds_at_once(experiment: str, method: str) -> int:
    """Seeds of one task: all where encoding the rankings is most of the work."""
    if method == MALLOWS_EXACT:
        return 1
    if method == MALLOWS or (experiment, method) == ("10 of 100", KENDALL):
        return 12
    return len(SEEDS) + len(FURTHER_SEEDS)


def _published_tasks() -> list[Task]:
    """Each kernel as published; dense matrices for the paper's seeds only, one at a time."""
    tasks: list[Task] = []
    for experiment, kernels in published.SUSHI.items():
        for kernel in (*kernels, DUMMY, CONSTANT):
            task = {"experiment": experiment, "kernel": kernel, "rankings": N_RANKINGS}
            task |= {"rank": KENDALL_RANK, "of": N_RELEASED, "mixed": False}
            if kernel == MALLOWS:
                tasks += [task | {"seeds": [seed]} for seed in SEEDS[:_MALLOWS_SEEDS]]
                continue
            further = [FURTHER_SEEDS[first : first + 10] for first in range(0, 30, 10)]
            tasks += [task | {"seeds": list(seeds)} for seeds in (SEEDS, *further)]
            if kernel == KENDALL and experiment != "full":
                order = _LARGE_SEEDS if experiment == "10 of 100" else SEEDS
                tasks.append(task | {"seeds": list(order), "mixed": True})
    return tasks


def _published(task: Task, data: Path | None) -> Iterator[Record]:
    """Scores of a kernel as published and with one thing changed, and the path of its bound."""
    experiment, kernel, n = task["experiment"], task["kernel"], task["rankings"]
    sushi = _load(EXPERIMENTS[experiment].data, data)
    side = _sides(sushi, RESIDENCE)
    about = {"experiment": experiment, "method": kernel}
    if kernel in (DUMMY, CONSTANT):
        for seed in task["seeds"]:
            target = side[published.released_sample(side, n, seed)]
            scores = learn_blindly(kernel, target, published.first_rows(n), seed)
            yield about | {"seed": seed, "variant": published.PUBLISHED} | scores
        return
    release = published.SUSHI[experiment][kernel]
    for seed, lesson, other in _lessons(task, sushi, side):
        runs = [
            *published.runs(release, lesson, text=other.text, even=other.even, rank=task["rank"])
        ]
        if other.own is not None:
            runs += published.runs_with_own_completions(release, lesson._replace(seen=other.own))
        for run in runs:
            yield about | {"seed": seed, "variant": run.variant} | run.record
            if seed in SEEDS:
                yield from (
                    about | {"seed": seed, "step": stop.step, "bound": stop.elbo}
                    for stop in run.path
                    if stop.step in _PATH_STEPS or stop is run.path[-1]
                )


class _Others(NamedTuple):
    """What may be changed: our people and split; their people as the text, or we, see them."""

    even: published.Lesson
    text: published.Seen | None
    own: published.Seen | None


def _lessons(
    task: Task, sushi: Any, side: Labels
) -> Iterator[tuple[int, published.Lesson, _Others]]:
    """For each seed: the authors' people and split, and what may be changed."""
    experiment, kernel, n = task["experiment"], task["kernel"], task["rankings"]
    release = published.SUSHI[experiment][kernel]
    cut = release.cut
    # Each ranking has its own completions, unless those of all are the same.
    own = None
    if cut is not None and cut.draws == "same":
        own = replace(release, cut=replace(cut, draws="tolerance"))

    def see(people: NDArray[np.intp], seed: int, how: Release | None) -> published.Seen:
        rankings = _rankings(task, sushi, censor(sushi.ranks[people], experiment, seed))
        if how is None:
            return published.Seen(encode(CUT, rankings).features)
        return published.see(kernel, how, rankings, seed)

    theirs = {seed: published.released_sample(side, n, seed) for seed in task["seeds"]}
    ours = {seed: balanced_sample(side, n, seed) for seed in task["seeds"]}
    everyone = np.unique(np.concatenate([*theirs.values(), *ours.values()]))
    # What does not depend on the seed is encoded once.
    known: dict[Release | None, published.Seen] = {}

    def of(people: NDArray[np.intp], seed: int, how: Release | None = release) -> published.Seen:
        if experiment in _DRAWN:
            return see(people, seed, how)
        if how not in known:
            known[how] = see(everyone, 0, how)
        return published.select(known[how], np.searchsorted(everyone, people))

    for seed in task["seeds"]:
        people, even = theirs[seed], ours[seed]
        yield (
            seed,
            published.Lesson(of(people, seed), side[people], published.first_rows(n)),
            _Others(
                published.Lesson(of(even, seed), side[even], split_rows(side[even])),
                of(people, seed, None) if kernel == CUT else None,
                of(people, seed, own) if own is not None else None,
            ),
        )


def _mixed(task: Task, data: Path | None) -> Iterator[Record]:
    """Scores of Kendall's kernel with the labels that it was given, and how many were right."""
    experiment = task["experiment"]
    release = published.SUSHI[experiment][KENDALL]
    sushi = _load(EXPERIMENTS[experiment].data, data)
    side = _sides(sushi, RESIDENCE)
    seen = None
    n, of = task["rankings"], task["of"]
    for mix in published.mixed_up(experiment, side, task["seeds"], n, of):
        if seen is None:
            ranks = censor(sushi.ranks[mix.people], experiment, 0)
            seen = published.see(KENDALL, release, _rankings(task, sushi, ranks), 0)
        split = published.first_rows(n)
        lesson = published.Lesson(published.select(seen, mix.rows), mix.target, split)
        kernel, path = published.fit(lesson, release, steps=release.steps, rank=task["rank"])
        scores = published.scores_at(path[-1], kernel, mix.target[split.test])
        about = {"experiment": experiment, "method": KENDALL, "seed": mix.seed}
        right = float(np.mean(mix.target == mix.right))
        yield about | {"variant": published.MIXED} | scores | {"right labels": right}
