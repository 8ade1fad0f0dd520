"""Utilities of people: how near the truth they are, and how long they take, beside other ways.

Run with: python -m benchmarks.utilities.respondents [--cells 3] [--draws 1]

People are made up, with tastes of many kinds and answers of many kinds; the last two tasks of each
are held out. For each way: the correlation of utilities with the truth (about each person's mean),
how often the held-out best and worst are the items of highest and lowest utility, how often 95 %
intervals hold, and seconds of processor time. Below each table: how many more of the held-out
answers are found by ours than by hierarchical Bayes, with a 95 % interval over people, and the
differences of r, survey by survey. Hierarchical Bayes has 4,000 draws here; packages draw 20,000 by
default, in five times the time.
"""

import argparse
import time

import numpy as np

from benchmarks.tables import print_table
from benchmarks.utilities.rivals import counts, hierarchical_bayes, latent_classes, pooled_logit
from benchmarks.utilities.simulated import answered, made_tastes
from rankcut import Utilities

HELD_OUT = 2

# People, items, tasks, shown, tastes, answers, and how they are asked.
CELLS = {
    "normal": (300, 16, 12, 4, "normal", "best-worst", {}),
    "low rank": (300, 16, 12, 4, "low rank", "best-worst", {}),
    "camps": (300, 16, 12, 4, "camps", "best-worst", {}),
    "heavy tails": (300, 16, 12, 4, "heavy tails", "best-worst", {}),
    "sharp": (300, 13, 11, 4, "sharp", "best-worst", {}),
    "a fifth at random": (300, 16, 12, 4, "low rank", "best-worst", {"random": 0.2}),
    "half of tasks missing": (300, 16, 12, 4, "low rank", "best-worst", {"missing": 0.5}),
    "best only": (300, 12, 12, 4, "normal", "best", {}),
    "best or none": (300, 12, 12, 4, "normal", "best", {"none": True}),
    "pairs": (300, 10, 16, 2, "normal", "best", {}),
    "rankings of five": (300, 12, 6, 5, "normal", "ranking", {}),
    "30 people": (30, 12, 12, 4, "low rank", "best-worst", {}),
    "30 people, 30 items": (30, 30, 16, 4, "normal", "best-worst", {}),
    "100 people, 8 items": (100, 8, 6, 4, "normal", "best-worst", {}),
    "4 tasks": (300, 12, 6, 4, "low rank", "best-worst", {}),
    "16 tasks, 8 items": (300, 8, 18, 4, "sharp", "best-worst", {}),
    "60 items": (300, 60, 16, 5, "low rank", "best-worst", {}),
    "1,000 people, 20 items": (1000, 20, 14, 4, "low rank", "best-worst", {}),
    "3,000 people": (3000, 16, 10, 4, "camps", "best-worst", {}),
}


def ours(survey):
    """Utilities and their errors."""
    model = Utilities(n_jobs=1).fit(survey.rankings())
    return model.utilities_, model.errors_


WAYS = {
    "counts": lambda survey: (counts(survey), None),
    "pooled logit": lambda survey: (np.tile(pooled_logit(survey), (len(survey.tastes), 1)), None),
    "4 classes": lambda survey: (latent_classes(survey), None),
    "hierarchical Bayes": hierarchical_bayes,
    "ours": ours,
    "the truth": lambda survey: (survey.tastes, None),
}


def judged(survey, way):
    """The measures of a way, and the share of answers found of each person."""
    n_tasks = survey.order.shape[1]
    shown, held_out = (
        survey.tasks(slice(0, n_tasks - HELD_OUT)), survey.tasks(slice(n_tasks - HELD_OUT, None))
    )  # fmt: skip
    start = time.process_time()
    utilities, errors = WAYS[way](shown)
    seconds = time.process_time() - start
    utilities = utilities - utilities.mean(axis=1, keepdims=True)
    worth = np.take_along_axis(utilities[:, None, :], held_out.order, axis=2)
    # Of equal ones, one is taken by chance.
    worth = worth + 1e-9 * np.random.default_rng(0).random(worth.shape)
    best = worth.argmax(axis=2) == 0
    worst = worth.argmin(axis=2) == worth.shape[2] - 1
    covered = np.nan
    if errors is not None:
        covered = (np.abs(utilities - survey.tastes) < 1.96 * errors).mean()
    only_best = survey.kind == "best"
    measures = [
        np.corrcoef(utilities.ravel(), survey.tastes.ravel())[0, 1],
        best.mean(),
        np.nan if only_best else worst.mean(),
        covered,
        seconds,
    ]
    return measures, (best if only_best else (best + worst) / 2.0).mean(axis=1)


def compared(judgements):
    """By how much ours is ahead of hierarchical Bayes, in a line."""
    ours, theirs = (judgements[way] for way in ("ours", "hierarchical Bayes"))
    gaps = np.concatenate([a - b for (_, a), (_, b) in zip(ours, theirs, strict=True)])
    half = 1.96 * gaps.std(ddof=1) / np.sqrt(len(gaps))
    more = ", ".join(f"{a[0] - b[0]:+.3f}" for (a, _), (b, _) in zip(ours, theirs, strict=True))
    return (
        f"ours − hierarchical Bayes: found {gaps.mean():+.4f} "
        f"({gaps.mean() - half:+.4f} to {gaps.mean() + half:+.4f}), r {more}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", nargs="*", help="parts of names of cells")
    parser.add_argument("--ways", nargs="*", default=[*WAYS])
    parser.add_argument("--draws", type=int, default=1, help="surveys of each kind")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    ours(answered(np.random.default_rng(0), np.zeros((9, 5)), 4, 3, "best-worst"))  # compiles
    for name, (n_people, n_items, n_tasks, n_shown, tastes, kind, how) in CELLS.items():
        if options.cells and not any(part in name for part in options.cells):
            continue
        rows = {way: [] for way in options.ways}
        for draw in range(options.draws):
            rng = np.random.default_rng([options.seed, draw, n_people, n_items])
            truth = made_tastes(rng, n_people, n_items, tastes)
            survey = answered(rng, truth, n_tasks, n_shown, kind, **how)
            for way in options.ways:
                rows[way].append(judged(survey, way))
        measures = {way: [each for each, _ in judgements] for way, judgements in rows.items()}
        means = {way: np.nanmean(each, axis=0) for way, each in measures.items()}
        told = [
            [way, *("" if np.isnan(m) else f"{m:.3f}" for m in mean[:4]), f"{mean[4]:.1f}"]
            for way, mean in means.items()
        ]
        title = f"{name}: {n_people:,} people, {n_items} items, {n_tasks - HELD_OUT} tasks"
        print_table(title, ["", "r", "best", "worst", "95 % hold", "s"], told)
        if {"ours", "hierarchical Bayes"} <= {*rows}:
            print(compared(rows), flush=True)


if __name__ == "__main__":
    main()
