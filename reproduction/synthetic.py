"""The synthetic dishes: two types of user rank them, with noise; five kinds of rankings."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankcut import make_food
from reproduction import methods, published
from reproduction.claims import Way
from reproduction.learning import ALL_SEEDS, SEEDS, learn, learn_blindly, split_rows
from reproduction.methods import BLIND, CUT, KENDALL, MALLOWS, MALLOWS_DRAWS
from reproduction.store import Record, Task

NEEDS_DATA = False

NOISE = tuple(np.linspace(0.1, 3.0, 15).round(4).tolist())

JUDGED_NOISE = NOISE[2:8:2]
"""Levels between all too easy and next to random, which all seeds see."""

EXPERIMENTS: dict[str, dict[str, Any]] = {
    "full": {"kind": "full"},
    "top-6": {"kind": "top-k", "k": 6},
    "top-3": {"kind": "top-k", "k": 3},
    "ties": {"kind": "ties", "merges": (2, 3)},
    "incomplete": {"kind": "incomplete", "dropped": (2, 5)},
}

MORE_TIES = "ties, 250 rankings"
"""The paper has 100 rankings with ties; as many as of the others show what that does."""

_UNRANKED = {"top-k": "last", "incomplete": "anywhere"}

METHODS = {
    "full": (CUT, KENDALL, MALLOWS),
    "top-6": (CUT, KENDALL, MALLOWS, MALLOWS_DRAWS),
    "top-3": (CUT, KENDALL, MALLOWS, MALLOWS_DRAWS),
    "ties": (CUT, KENDALL),
    "incomplete": (CUT, KENDALL),
    MORE_TIES: (CUT,),
}

# Number of coordinates that represent a Gram matrix of 200 rankings.
_RANK = 100

# Seeds of a quick run.
_QUICK = 12


def tasks(quick: bool) -> list[Task]:
    """One for each kind of ranking and seed: judged levels of noise, and those that are drawn."""
    seeds = ALL_SEEDS[:_QUICK] if quick else ALL_SEEDS
    kinds = (*EXPERIMENTS, MORE_TIES)
    found = [_task(kind, seed, JUDGED_NOISE) for seed in seeds for kind in kinds]
    if not quick:
        others = [noise for noise in NOISE[::2] if noise not in JUDGED_NOISE]
        found += [_task(kind, seed, others) for seed in SEEDS for kind in EXPERIMENTS]
    return found


def _task(experiment: str, seed: int, noise: Sequence[float]) -> Task:
    size = 100 if experiment == "ties" else 250
    return {"experiment": experiment, "seed": seed, "noise": list(noise), "rankings": size}


def run(task: Task, data: Path | None) -> Iterator[Record]:
    """Scores of each method at each level of noise, and of the kernels as published."""
    for noise in task["noise"]:
        for record in _run_at(noise, task):
            about = {"experiment": task["experiment"], "seed": task["seed"], "noise": noise}
            yield about | record


def _run_at(noise: float, task: Task) -> Iterator[Record]:
    seed = task["seed"]
    kind = EXPERIMENTS[task["experiment"].partition(",")[0]]
    food = make_food(task["rankings"], noise=noise, random_state=seed, **kind)
    split = split_rows(food.target)
    unranked = _UNRANKED.get(kind["kind"], "error")
    rankings = methods.Rankings(food.ranks, unranked, food.item_features)
    for method in (*METHODS[task["experiment"]], *BLIND):
        if method in BLIND:
            scores = learn_blindly(method, food.target, split, seed)
        else:
            seen = methods.see(method, rankings, seed=seed)
            scores = learn(seen, food.target, split, rank=_RANK)
        yield {"method": method, "variant": Way.PRINTED} | scores
    if task["experiment"] == MORE_TIES:
        return
    for kernel, release in published.SYNTHETIC[task["experiment"]].items():
        seen = published.see_released(release, rankings, seed)
        lesson = published.Lesson(seen, food.target, published.first_rows(len(food.target)))
        kernel_then, path = published.fit(lesson, release, steps=release.steps)
        scores = published.stopped(lesson, kernel_then, path, release.steps)
        yield {"method": kernel, "variant": Way.PUBLISHED} | scores
