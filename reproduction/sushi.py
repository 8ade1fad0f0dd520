"""Sushi: tell from a ranking whether someone lives in the east or in the west of Japan."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.datasets.sushi import load_sushi
from reproduction import sushi_report as report
from reproduction.encodings import (
    BORDA,
    CONSTANT,
    CUT,
    DUMMY,
    KENDALL,
    MALLOWS,
    MALLOWS_DRAWS,
    PRESENCE,
    Encoded,
    Rankings,
    encode,
)
from reproduction.example import sushi_points
from reproduction.findings import Picture, Sheet, Table, Verdict
from reproduction.learning import (
    FURTHER_SEEDS,
    SEEDS,
    Labels,
    balanced_sample,
    learn,
    learn_blindly,
    split_rows,
)
from reproduction.parts import Part, Record, Settings, Tables, Task
from reproduction.sushi_claims import CLAIMS, judge
from reproduction.sushi_experiments import (
    EXPERIMENTS,
    KENDALL_RANK,
    ORIGIN,
    PATHS,
    QUICK_RANK,
    RANK,
    RESIDENCE,
    TARGETS,
    published_steps,
)

_COMMON = (CUT, KENDALL, BORDA, DUMMY, CONSTANT)

N_RANKINGS = 2500

# Experiments in which what is left of a ranking is drawn anew for each seed.
_DRAWN = ("ties", "4 of 10")
_MERGES = (2, 3)
_LEFT_OUT = 6

# Of each path, the steps that a logarithmic axis can show.
_PATH_STEPS = sorted({*range(21), *np.geomspace(20, 200, 25).astype(int).tolist()})


class Sushi(Part):
    """Full, top-6, tied and incomplete rankings of sushi."""

    name = "sushi"
    title = "Sushi: east or west"
    claims = CLAIMS
    needs_sushi = True

    def tasks(self, settings: Settings) -> list[Task]:
        """One for each experiment, method and handful of seeds."""
        if settings.quick:
            tasks = []
            for name, experiment in EXPERIMENTS.items():
                few = [m for m in experiment.methods if m in (MALLOWS, PRESENCE)]
                for method in (*_COMMON, *few):
                    task = _task(name, method, RESIDENCE, SEEDS[:3])
                    tasks.append(task | {"rankings": 500, "rank": QUICK_RANK, "path": 0})
            return tasks
        every = (*SEEDS, *FURTHER_SEEDS)
        tasks = []
        for name, experiment in EXPERIMENTS.items():
            for method in (*_COMMON, *experiment.methods):
                seeds = SEEDS if method == MALLOWS_DRAWS else every
                at_once = _seeds_at_once(name, method)
                tasks += [
                    _task(name, method, RESIDENCE, seeds[first : first + at_once])
                    for first in range(0, len(seeds), at_once)
                ]
            tasks += [_task(name, method, ORIGIN, every) for method in (CUT, DUMMY, CONSTANT)]
        return tasks

    def run(self, task: Task, data: Path | None) -> list[Record]:
        """Scores for each seed, and the path of the bound where asked for."""
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
                records.append(about | scores)
                continue
            scores, path = learn(
                task["method"],
                sample.encoded,
                sample.target,
                split,
                steps=task["steps"],
                rank=task["rank"],
                follow=task["path"] if sample.seed in SEEDS else 0,
            )
            records.append(about | scores)
            if task["path"] and sample.seed in SEEDS:
                records += [
                    about | {"step": stop.step, "ELBO": stop.elbo, "maximum": scores["ELBO"]}
                    for stop in path
                    if stop.step in _PATH_STEPS
                ]
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
        return judge(tables["sushi-scores"])

    def prose(self, tables: Tables) -> str:
        """The protocol, and what differs between the text and the published experiments."""
        return report.prose(tables)


class Sample(NamedTuple):
    """The people of one seed: labels, and what the method sees of the same people."""

    seed: int
    target: Labels
    encoded: Encoded | None


def _samples(task: Task, data: Path | None) -> Iterator[Sample]:
    """One for each seed. What does not depend on the seed is encoded once."""
    sushi = _load(EXPERIMENTS[task["experiment"]].data, data)
    column = TARGETS[task["target"]]
    side = sushi.target if column == "side" else sushi.columns[column].astype(int)
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
    experiment = EXPERIMENTS[task["experiment"]]
    rankings = Rankings(
        ranks, experiment.unranked, sushi_points(sushi), experiment.keep, experiment.tolerance
    )
    return encode(task["method"], rankings)


@lru_cache(maxsize=2)
def _load(which: Any, data: Path | None) -> Any:
    return load_sushi(which, data_home=data)


def _task(experiment: str, method: str, target: str, seeds: Sequence[int]) -> Task:
    return {
        "experiment": experiment,
        "method": method,
        "target": target,
        "seeds": list(seeds),
        "rankings": N_RANKINGS,
        "steps": published_steps(experiment, method),
        "rank": KENDALL_RANK if method == KENDALL else RANK,
        "path": PATHS.get(method, 0) if target == RESIDENCE else 0,
    }


def _seeds_at_once(experiment: str, method: str) -> int:
    """Seeds of one task: all where encoding the rankings is the most of the work."""
    if method == MALLOWS or (experiment, method) == ("10 of 100", KENDALL):
        return 12
    return len(SEEDS) + len(FURTHER_SEEDS)
