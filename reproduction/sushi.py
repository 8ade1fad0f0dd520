"""Sushi: tell from a ranking whether someone lives in the east or in the west of Japan."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankcut.datasets import load_sushi
from reproduction import learning, methods, published
from reproduction.claims import Way
from reproduction.learning import ALL_SEEDS, SEEDS, Labels, balanced_sample, split_rows
from reproduction.methods import BLIND, CUT, DRAWN, KENDALL, MALLOWS, MALLOWS_DRAWS
from reproduction.store import Record, Task

NEEDS_DATA = True

ORIGIN = "where people grew up"
SHRUNK = "variance {:g}"

VARIANCES = (0.1, 1.0, 10.0, 100.0)
"""Of the kernel, given instead of learned: from strong shrinkage to hardly any."""


class Experiment(NamedTuple):
    """One panel of the paper's figure: which data, what unranked items mean, and the methods."""

    data: str
    unranked: str
    methods: tuple[str, ...]
    keep: float = 1.0
    tolerance: float = 0.01


EXPERIMENTS = {
    "full": Experiment("a", "error", (CUT, KENDALL, MALLOWS)),
    "top-6": Experiment("a", "last", (CUT, KENDALL, MALLOWS, MALLOWS_DRAWS)),
    "ties": Experiment("a", "error", (CUT, KENDALL)),
    "4 of 10": Experiment("a", "anywhere", (CUT, KENDALL)),
    "10 of 100": Experiment("b", "anywhere", (CUT, KENDALL, DRAWN), 0.1, 0.03),
}

# People of a seed, and of the matrices that the authors computed once.
N_RANKINGS, N_RELEASED = 2500, 3000

# Coordinates that represent the matrix of Mallows' kernel, and of Kendall's on 100 items, which
# has little beyond one for each item.
MALLOWS_RANK, KENDALL_RANK = 200, 120

# In the order of the authors' program, where it matters: labels are right for the first.
_LARGE_ORDER = (34, 4, 12, 42, 1232, 2638)

# Seeds of a task, of a quick run, and of what takes long.
_SOME = 12

# Experiments that draw the ranked items anew for each seed.
_DRAWN = ("ties", "4 of 10")
_MERGES = (2, 3)
_LEFT_OUT = 6

# Of each path, the steps that a logarithmic axis can show.
_PATH_STEPS = frozenset({*range(21), *np.geomspace(20, 1000, 30).astype(int).tolist()})


def tasks(quick: bool) -> list[Task]:
    """By experiment and method: as printed, as published, and as run."""
    found: list[Task] = []
    for name, experiment in EXPERIMENTS.items():
        drawn = (MALLOWS_DRAWS, DRAWN)
        for method in (*experiment.methods, *BLIND):
            if not (quick and method in drawn):
                found += _tasks(name, method, Way.PRINTED, quick or method in drawn)
        if not quick:
            for method in (CUT, *BLIND):
                found += _tasks(name, method, ORIGIN)
            for method, variance in product((CUT, KENDALL), VARIANCES):
                shrunk = _tasks(name, method, SHRUNK.format(variance))
                found += [task | {"variance": variance} for task in shrunk]
    for name, kernels in published.SUSHI.items():
        for kernel in (*kernels, *BLIND):
            found += _tasks(name, kernel, Way.PUBLISHED, quick)
            if kernel == KENDALL and name != "full":
                first = _LARGE_ORDER if name == "10 of 100" else SEEDS
                seeds = [*first, *(ALL_SEEDS[len(SEEDS) : _SOME if quick else None])]
                found.append(_tasks(name, kernel, Way.RUN)[0] | {"seeds": seeds})
    return [task | {"alone": quick} for task in found]


def _tasks(experiment: str, method: str, variant: str, few: bool = False) -> list[Task]:
    """Some seeds each: all of them, or a few."""
    settings = {
        "experiment": experiment,
        "method": method,
        "variant": variant,
        "rankings": N_RANKINGS,
        "of": N_RELEASED,
        "rank": KENDALL_RANK if method == KENDALL else MALLOWS_RANK,
    }
    starts = range(0, _SOME if few else len(ALL_SEEDS), _SOME)
    return [settings | {"seeds": list(ALL_SEEDS[first : first + _SOME])} for first in starts]


def run(task: Task, data: Path | None) -> Iterator[Record]:
    """Scores for each seed; as published, also the path of the bound."""
    if task["variant"] == Way.RUN:
        found = _run_mixed(task, data)
    elif task["variant"] == Way.PUBLISHED:
        found = _run_published(task, data)
    else:
        found = _run_printed(task, data)
    about = {"experiment": task["experiment"], "method": task["method"]}
    for record in found:
        yield about | {"variant": task["variant"]} | record


@lru_cache(maxsize=2)
def load(which: Any, data: Path | None) -> Any:
    """The data, with a dense rank matrix."""
    return load_sushi(which, data_home=data)


def _ranks(sushi: Any, people: methods.Rows) -> methods.Floats:
    ranks = sushi.ranks[people]
    if hasattr(ranks, "toarray"):
        ranks = np.asarray(ranks.toarray())
        return np.where(ranks > 0, ranks, np.nan)
    return np.asarray(ranks)


def _sides(sushi: Any, column: str = "side") -> Labels:
    """East or west of each person, as 0 and 1."""
    return np.asarray(sushi.columns[column] == "west").astype(int)


def censor(ranks: methods.Floats, experiment: str, seed: int) -> methods.Floats:
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


def _rankings(experiment: str, sushi: Any, people: methods.Rows, seed: int) -> methods.Rankings:
    about = EXPERIMENTS[experiment]
    ranks = censor(_ranks(sushi, people), experiment, seed)
    return methods.Rankings(
        ranks, about.unranked, methods.sushi_points(sushi), about.keep, about.tolerance
    )


class _Sight:
    """What a method sees of people; what does not depend on the seed is computed once."""

    def __init__(self, experiment: str, sushi: Any, everyone: methods.Rows, look: Any) -> None:
        self._experiment, self._sushi, self._look = experiment, sushi, look
        self._everyone = np.unique(everyone)
        self._known: methods.Seen | None = None

    def of(self, people: methods.Rows, seed: int) -> methods.Seen:
        if self._experiment in _DRAWN:
            return self._look(_rankings(self._experiment, self._sushi, people, seed), seed)
        if self._known is None:
            self._known = self._look(_rankings(self._experiment, self._sushi, self._everyone, 0), 0)
        return self._known.select(np.searchsorted(self._everyone, people))


def _run_printed(task: Task, data: Path | None) -> Iterator[Record]:
    """By the text: balanced samples, a balanced split, the right labels, fits to convergence."""
    method, n = task["method"], task["rankings"]
    sushi = load(EXPERIMENTS[task["experiment"]].data, data)
    side = _sides(sushi, "childhood side" if task["variant"] == ORIGIN else "side")
    people = {seed: balanced_sample(side, n, seed) for seed in task["seeds"]}
    everyone = np.concatenate(list(people.values()))
    sight = _Sight(
        task["experiment"], sushi, everyone, lambda some, seed: methods.see(method, some)
    )
    for seed, chosen in people.items():
        target = side[chosen]
        split = split_rows(target)
        if method in BLIND:
            yield {"seed": seed} | learning.learn_blindly(method, target, split, seed)
        else:
            seen = sight.of(chosen, seed)
            how = {"rank": task["rank"], "variance": task.get("variance")}
            yield {"seed": seed} | learning.learn(seen, target, split, **how)


def _run_published(task: Task, data: Path | None) -> Iterator[Record]:
    """The authors' people, split and settings; then one thing changed at a time."""
    experiment, kernel, n = task["experiment"], task["method"], task["rankings"]
    sushi = load(EXPERIMENTS[experiment].data, data)
    side = _sides(sushi)
    theirs = {seed: published.released_sample(side, n, seed) for seed in task["seeds"]}
    if kernel in BLIND:
        for seed, people in theirs.items():
            split = published.first_rows(n)
            yield {"seed": seed} | learning.learn_blindly(kernel, side[people], split, seed)
        return
    release = published.SUSHI[experiment][kernel]
    everyone = np.concatenate(list(theirs.values()))

    def sight(look: Any) -> _Sight:
        return _Sight(experiment, sushi, everyone, look)

    def released(how: published.Release) -> Any:
        return lambda some, seed: published.see_released(how, some, seed)

    usual, text = sight(released(release)), sight(lambda some, seed: methods.see(CUT, some))
    own = None
    if release.cut is not None and release.cut.draws == "same":
        own = sight(released(replace(release, cut=replace(release.cut, draws="tolerance"))))
    for seed in task["seeds"]:
        people = theirs[seed]
        lesson = published.Lesson(usual.of(people, seed), side[people], published.first_rows(n))
        changes: dict[str, Any] = {}
        if not task["alone"]:
            changes["text"] = text.of(people, seed) if kernel == CUT else None
            changes["own"] = own.of(people, seed) if own is not None else None
        for one in published.runs(
            release, lesson, **changes, rank=task["rank"], alone=task["alone"]
        ):
            variant = {} if one.variant == Way.PUBLISHED else {"variant": one.variant}
            yield {"seed": seed} | variant | one.record
            for stop in one.path if seed in SEEDS and not task["alone"] else ():
                if stop.step in _PATH_STEPS or stop is one.path[-1]:
                    yield {"seed": seed, "step": stop.step, "bound": stop.elbo}


def _run_mixed(task: Task, data: Path | None) -> Iterator[Record]:
    """Kendall's kernel with the labels that it was given, and how many of them were right."""
    experiment, n = task["experiment"], task["rankings"]
    release = published.SUSHI[experiment][KENDALL]
    sushi = load(EXPERIMENTS[experiment].data, data)
    seen = None
    for mix in published.mixed_up(experiment, _sides(sushi), task["seeds"], n, task["of"]):
        if seen is None:
            rankings = _rankings(experiment, sushi, mix.people, 0)
            seen = published.see_released(release, rankings, 0)
        split = published.first_rows(n)
        lesson = published.Lesson(seen.select(mix.rows), mix.target, split)
        kernel, path = published.fit(lesson, release, steps=release.steps, rank=task["rank"])
        right = float(np.mean(mix.target == mix.right))
        scores = published.stopped(lesson, kernel, path, release.steps)
        yield {"seed": mix.seed} | scores | {"right labels": right}
