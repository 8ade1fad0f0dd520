"""Sushi: tell from a ranking whether someone lives in the east or in the west of Japan."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.datasets.sushi import load_sushi
from rankcut.experiments.paper.comparisons import (
    MATTERS,
    RULES,
    Scores,
    difference_row,
    summary_rows,
    whether_it_matters,
)
from rankcut.experiments.paper.encodings import (
    BORDA,
    CONSTANT,
    CUT,
    DUMMY,
    EXPONENTIAL,
    KENDALL,
    MALLOWS,
    MALLOWS_DRAWS,
    OWN_DRAWS,
    PRESENCE,
    SAME_DRAWS,
    UNIT,
    UNWEIGHTED,
    Encoded,
    Rankings,
    encode,
)
from rankcut.experiments.paper.example import sushi_points
from rankcut.experiments.paper.learning import (
    FURTHER_SEEDS,
    SCORES,
    SEEDS,
    Labels,
    balanced_sample,
    learn,
    learn_blindly,
    split_rows,
)
from rankcut.experiments.paper.learning_figures import (
    draw_differences,
    draw_paths,
    draw_violins,
)
from rankcut.experiments.paper.part import Part, Record, Settings, Tables, Task
from rankcut.experiments.paper.sushi_claims import CLAIMS, ORIGIN, judge
from rankcut.rankings import Unranked
from rankcut.reports.findings import Picture, Sheet, Table, Verdict


class Experiment(NamedTuple):
    """One panel of the figure.

    Attributes
    ----------
    data : "a" or "b"
        Which set.
    unranked : str
        What an unranked item means.
    cut_steps, kendall_steps : int
        L-BFGS steps of the published run.
    keep, tolerance : float
        The share of edges kept, and the relative error of sampled vectors.
    methods : tuple of str
        Besides the common ones.
    """

    data: str
    unranked: Unranked
    cut_steps: int
    kendall_steps: int
    keep: float
    tolerance: float
    methods: tuple[str, ...]


EXPERIMENTS = {
    "full": Experiment("a", "error", 20, 20, 1.0, 0.01, (EXPONENTIAL, MALLOWS)),
    "top-6": Experiment(
        "a", "last", 20, 20, 1.0, 0.01, (EXPONENTIAL, MALLOWS, MALLOWS_DRAWS, PRESENCE)
    ),
    "ties": Experiment("a", "error", 10, 200, 1.0, 0.01, (EXPONENTIAL, UNWEIGHTED, UNIT)),
    "4 of 10": Experiment(
        "a", "anywhere", 10, 200, 1.0, 0.01, (EXPONENTIAL, UNWEIGHTED, UNIT, PRESENCE)
    ),
    "10 of 100": Experiment(
        "b",
        "anywhere",
        10,
        200,
        0.1,
        0.03,
        (EXPONENTIAL, UNWEIGHTED, UNIT, OWN_DRAWS, SAME_DRAWS, PRESENCE),
    ),
}

_COMMON = (CUT, KENDALL, BORDA, DUMMY, CONSTANT)

RESIDENCE = "residence"
TARGETS = {RESIDENCE: "side", ORIGIN: "childhood side"}

N_RANKINGS = 2500

# Coordinates by which a Gram matrix of 2,000 rankings goes in. Kendall's on 100 items has little
# beyond one for each item.
_RANK = 200
_KENDALL_RANK = 120

# Experiments in which what is left of a ranking is drawn anew for each seed.
_DRAWN = ("ties", "4 of 10")
_MERGES = (2, 3)
_LEFT_OUT = 6

# How far the path of the bound is followed, for the paper's seeds.
_PATHS = {CUT: 200, KENDALL: 200, MALLOWS: 40}

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
                    tasks.append(task | {"rankings": 500, "rank": 60, "path": 0})
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
        found = [record for record in records if "step" not in record]
        main = [record for record in found if record["target"] == RESIDENCE]
        methods = list(dict.fromkeys(record["method"] for record in records))
        groups = {"the paper's": SEEDS, "all": None}
        scores = Scores(main, "experiment")
        return {
            "sushi-scores": found,
            "sushi-elbo": [record for record in records if "step" in record],
            "sushi-summary": summary_rows(
                scores, list(EXPERIMENTS), methods, SCORES, "experiment", groups
            ),
            "sushi-differences": _differences(found),
        }

    def figures(self, tables: Tables) -> dict[str, Picture]:
        """Paths of the bound, violins, and differences."""
        rows = [row for row in tables["sushi-scores"] if row["target"] == RESIDENCE]
        kernels = (CUT, KENDALL, MALLOWS)
        n_seeds = len({row["seed"] for row in rows})
        pictures = {
            "sushi-f1": Picture(
                {name: _violins(rows, name, "F1", kernels) for name in EXPERIMENTS},
                f"F1 on the test set over {n_seeds} seeds, with quartiles (Figure 5 of the paper, "
                "right). The dashed line is the uniform dummy; dotted, the west for everyone.",
            ),
            "sushi-accuracy": Picture(
                {
                    name: _violins(rows, name, "accuracy", (*kernels, BORDA, PRESENCE))
                    for name in EXPERIMENTS
                },
                "Accuracy on the same test sets, with the baselines of a practitioner: Borda "
                "positions, or which items were listed, with logistic regression.",
            ),
            "sushi-differences": Picture(
                {
                    name: draw_differences(
                        [row for row in tables["sushi-differences"] if row["experiment"] == name],
                        name,
                    )
                    for name in EXPERIMENTS
                },
                "What other methods gain (right) or lose (left) against the graph cut kernel of "
                f"the text: paired differences of F1 over {n_seeds} seeds with 95 % intervals. "
                "The shaded band is ±0.02.",
            ),
        }
        if tables["sushi-elbo"]:
            paths = {
                "sushi-elbo": Picture(
                    {name: _paths(tables["sushi-elbo"], name) for name in EXPERIMENTS},
                    "How far the bound is below its maximum during L-BFGS as in the published "
                    "experiments, a line for each of the paper's seeds (Figure 5, left). Dots are "
                    "where the published runs ended. Our solver is at the maximum after about a "
                    "dozen steps.",
                )
            }
            pictures = paths | pictures
        return pictures

    def sheets(self, tables: Tables) -> list[Sheet]:
        """Means of all scores; what stopping early does."""
        columns = ("experiment", "method", "n", *SCORES)
        rows = [
            {key: row[key] for key in columns}
            for row in tables["sushi-summary"]
            if row["seeds"] == "all"
        ]
        return [
            Sheet(rows, "Mean scores over all seeds.", dict.fromkeys(SCORES, ".3f")),
            Sheet(whether_it_matters(tables["sushi-differences"], "experiment", CUT), MATTERS),
            Sheet(
                _stopped(tables["sushi-scores"]),
                "Stopped after the published number of steps, and converged: mean F1, and the "
                "share of test rankings that are called west, least and greatest over seeds.",
                {
                    "F1, stopped": ".3f",
                    "F1, converged": ".3f",
                    "least west, stopped": ".0%",
                    "greatest west, stopped": ".0%",
                    "least west": ".0%",
                    "greatest west": ".0%",
                },
            ),
        ]

    def verdicts(self, tables: Tables) -> dict[str, Verdict]:
        """By paired differences over all seeds."""
        return judge(tables["sushi-scores"])

    def prose(self, tables: Tables) -> str:
        """The protocol, and what differs between the text and the published experiments."""
        return (
            "Does someone who ranks ten kinds of sushi live in the east or in the west of Japan? "
            "Rankings of 2,500 people (500 in a quick run), as many of each side, are drawn for "
            "each seed; a fifth of each side is the test set. A Gaussian process with a linear "
            "kernel and a constant learns from them, with both variances learned, to convergence. "
            "Every kernel sees the same people with the same labels; in the published experiments "
            "the Kendall matrix for top-6 and incomplete rankings belonged to other people than "
            "its labels.\n\n"
            "F1 is to be read with care: *west for everyone* has F1 ⅔. So claims are judged by F1 "
            "and by accuracy, over the paper's six seeds and thirty more (three in a quick run). "
            "Seeds draw from the same 5,000 people, so the intervals speak of this data and "
            f"protocol. {RULES} *Better than random* is better than the uniform dummy by F1, and "
            "than one half by accuracy.\n\n"
            "- **Weights**: exp(−½d²/ℓ²) in the text; exp(−d/ℓ) in the published experiments, and "
            "*unweighted* cuts for incomplete rankings, which is the Borda count on a "
            "complete graph.\n"
            "- **Exhaustive** says the caption of the panel whose rankings are 4 of 10 items, "
            "which is not. Both are here: *ties* (two or three merges), and *4 of 10*.\n"
            "- **Completions**: ours are drawn for each person until the error is below 3 %. The "
            "paper has 600 draws; the published experiments have the same for everyone.\n"
            "- **Origin** says the text; the data used is where people live. Both are here.\n"
            "- **The uniform dummy** stands for the mean of 50 draws of it.\n"
            f"- **Mallows** has λ by the median heuristic, and goes in by {_RANK} leading "
            f"eigenvectors of its matrix{_traces(tables, MALLOWS)}, as does Kendall's kernel on "
            f"100 items by {_KENDALL_RANK}{_traces(tables, KENDALL)}.\n"
            "- **Stopping**: the published runs took 20 L-BFGS steps, 10 for incomplete rankings, "
            "and 200 for Kendall's kernel there. The same was done here beside, and it is marked "
            f"where a verdict would change.{_one_class(tables)}"
        )


class Sample(NamedTuple):
    """The people of one seed: labels, and what the method sees of the same people."""

    seed: int
    target: Labels
    encoded: Encoded | None


def _samples(task: Task, data: Path | None) -> Iterator[Sample]:
    """One for each seed. What does not depend on the seed is encoded once."""
    sushi = _load(EXPERIMENTS[task["experiment"]].data, data)
    side = sushi.user_features[TARGETS[task["target"]]]
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
        "steps": _steps(experiment, method),
        "rank": _KENDALL_RANK if method == KENDALL else _RANK,
        "path": _PATHS.get(method, 0) if target == RESIDENCE else 0,
    }


def _steps(experiment: str, method: str) -> int:
    """After how many L-BFGS steps the published run ended, if it is compared with."""
    if method not in (CUT, KENDALL, MALLOWS):
        return 0
    settings = EXPERIMENTS[experiment]
    return settings.kendall_steps if method == KENDALL else settings.cut_steps


def _seeds_at_once(experiment: str, method: str) -> int:
    """Seeds of one task: all where encoding the rankings is the most of the work."""
    if method == MALLOWS or (experiment, method) == ("10 of 100", KENDALL):
        return 12
    return len(SEEDS) + len(FURTHER_SEEDS)


def _differences(records: Sequence[Record]) -> list[Record]:
    """Each method less the graph cut kernel of the text; and the other target less this one."""
    main = Scores([r for r in records if r["target"] == RESIDENCE], "experiment")
    both = Scores(
        [r | {"setting": f"{r['experiment']}, {r['target']}"} for r in records], "setting"
    )
    rows = []
    for name in EXPERIMENTS:
        others = [m for m in dict.fromkeys(r["method"] for r in records) if m != CUT]
        pairs = {
            method: (main, (name, method), (name, CUT))
            for method in others
            if method not in (DUMMY, CONSTANT) and main.has(name, method)
        }
        if both.has(f"{name}, {ORIGIN}", CUT):
            origin, residence = (f"{name}, {target}" for target in (ORIGIN, RESIDENCE))
            pairs["graph cut, origin as label"] = (both, (origin, CUT), (residence, CUT))
        for label, (scores, one, other) in pairs.items():
            about = {"experiment": name, "method": label}
            rows.append(about | difference_row(scores, one, other, SCORES))
    return rows


def _violins(rows: Sequence[Any], experiment: str, score: str, methods: Sequence[str]) -> Any:
    here = [row for row in rows if row["experiment"] == experiment]
    chosen = [row for method in methods for row in here if row["method"] == method]

    def level(method: str) -> float:
        return float(np.mean([row[score] for row in here if row["method"] == method]))

    lines = {"west for everyone": level(CONSTANT), "uniform dummy": level(DUMMY)}
    if score == "accuracy":
        lines = {"one half": 0.5}
    return draw_violins(chosen, score, experiment.capitalize(), lines)


def _paths(rows: Sequence[Any], experiment: str) -> Any:
    marked = {method: _steps(experiment, method) for method in _PATHS}
    here = [row for row in rows if row["experiment"] == experiment]
    return draw_paths(here, experiment.capitalize(), marked)


def _stopped(rows: Sequence[Any]) -> list[Record]:
    """What stopping early does to each kernel."""
    found = []
    for name in EXPERIMENTS:
        for method in (CUT, KENDALL, MALLOWS):
            some = [
                row
                for row in rows
                if (row["experiment"], row["target"], row["method"]) == (name, RESIDENCE, method)
            ]
            if not some:
                continue
            stopped = [row["share of class 1, stopped"] for row in some]
            ended = [row["share of class 1"] for row in some]
            found.append(
                {
                    "experiment": name,
                    "method": method,
                    "steps": _steps(name, method),
                    "F1, stopped": float(np.mean([row["F1, stopped"] for row in some])),
                    "F1, converged": float(np.mean([row["F1"] for row in some])),
                    "least west, stopped": min(stopped),
                    "greatest west, stopped": max(stopped),
                    "least west": min(ended),
                    "greatest west": max(ended),
                }
            )
    return found


def _traces(tables: Tables, method: str) -> str:
    """How much of the matrices' trace is in the coordinates that they went in by."""
    shares = [
        row["share of the trace"]
        for row in tables.get("sushi-scores", ())
        if row["method"] == method and "share of the trace" in row
    ]
    return f" ({min(shares):.0%} or more of the trace)" if shares else ""


def _one_class(tables: Tables) -> str:
    """How many fits call all test rankings the same, stopped and converged."""
    fits = [row for row in tables.get("sushi-scores", ()) if "share of class 1, stopped" in row]
    if not fits:
        return ""
    stopped, converged = (
        sum(row[share] in (0.0, 1.0) for row in fits)
        for share in ("share of class 1, stopped", "share of class 1")
    )
    return (
        f" Of {len(fits):,} fits, {stopped} call all test rankings the same when stopped, and "
        f"{converged} when converged."
    )
