"""Time of a Gram matrix, by number of rankings and by censoring: ours, and the paper's literally.

Ours is the library, in one thread. The literal procedures are those of
:mod:`reproduction.literal`: their cost for one ranking and for one pair is measured
on a few and scaled to all.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from rankcut.datasets.food import make_food
from rankcut.graphs.recipes import SimilarityGraph
from rankcut.kernels import (
    diffusion_kernel,
    graph_cut_kernel,
    kendall_kernel,
    mallows_kernel,
    spearman_kernel,
    weighted_kendall_kernel,
)
from reproduction import gram_time_report as report
from reproduction.findings import Picture, Sheet, Table, Verdict
from reproduction.literal import (
    coherent_partitions,
    convolved,
    count_full_orders,
    cut_oracle,
    expected_kendall,
    full_orders,
    kendall_tau,
    mallows,
    pool_literally,
    seconds_of,
)
from reproduction.parts import Part, Record, Settings, Tables, Task

UNRANKED = {"full": "error", "top-k": "last", "ties": "error", "incomplete": "anywhere"}

KERNELS: dict[str, Callable[..., NDArray[Any]]] = {
    "graph cut": graph_cut_kernel,
    "Kendall": kendall_kernel,
    "Mallows": mallows_kernel,
    "Spearman": spearman_kernel,
    "weighted Kendall": weighted_kendall_kernel,
    "diffusion": diffusion_kernel,
}

# How many of the eight items are ranked, or how many groups of tied ones there are.
LEVELS = {
    "full": (8,),
    "top-k": (2, 3, 4, 5, 6),
    "ties": (2, 3, 4, 5, 6),
    "incomplete": (3, 4, 5, 6, 7),
}
QUICK_LEVELS = {"full": (8,), "top-k": (3, 6), "ties": (3, 6), "incomplete": (4, 6)}

# Draws for a top-k list in the paper's Mallows kernel.
_DRAWS = 4

# Pairs of full orders that are timed to learn what one takes.
_TIMED_PAIRS = 400


class GramTime(Part):
    """The paper's section on empirical time complexity."""

    name = "time"
    title = "Time for a Gram matrix"
    claims = report.CLAIMS
    alone = True

    def tasks(self, settings: Settings) -> list[Task]:
        """One task for each kind and level of censoring."""
        sizes = [50, 250, 1000] if settings.quick else [50, 100, 250, 500, 1000, 2500]
        return [
            {
                "kind": kind,
                "level": level,
                "sizes": sizes,
                "trials": 3 if settings.quick else 7,
                "patience": 0.05 if settings.quick else 0.4,
            }
            for kind, levels in (QUICK_LEVELS if settings.quick else LEVELS).items()
            for level in levels
        ]

    def run(self, task: Task, data: Path | None) -> list[Record]:
        """Time every kernel at every size, and the literal procedures."""
        kind, level = task["kind"], task["level"]
        food = _rankings(kind, level, max(task["sizes"]))
        graph = SimilarityGraph(food.item_features).build()
        with warnings.catch_warnings():
            # Draws may not reach the tolerance; that is a matter of accuracy, not of time.
            warnings.simplefilter("ignore", ConvergenceWarning)
            records = [
                record for name in KERNELS for record in _ours(name, kind, food.ranks, graph, task)
            ]
            records += [
                record
                for name in report.LITERAL
                for record in _literal(name, kind, food.ranks, graph, task)
            ]
        return [{"kind": kind, "level": level, **record} for record in records]

    def tables(self, records: Sequence[Record]) -> dict[str, Table]:
        """One line for each cell."""
        return {"time-gram": records}

    def figures(self, tables: Tables) -> dict[str, Picture]:
        """See :mod:`reproduction.gram_time_report`."""
        return report.figures(tables["time-gram"])

    def sheets(self, tables: Tables) -> list[Sheet]:
        """Times for 250 rankings."""
        return report.sheets(tables["time-gram"])

    def verdicts(self, tables: Tables) -> dict[str, Verdict]:
        """See :mod:`reproduction.gram_time_report`."""
        return report.verdicts(tables["time-gram"])

    def prose(self, tables: Tables) -> str:
        """How time was measured."""
        return report.prose(tables["time-gram"])


def _rankings(kind: str, level: int, n_rankings: int) -> Any:
    options: dict[str, dict[str, Any]] = {
        "full": {},
        "top-k": {"k": level},
        "ties": {"merges": 8 - level},
        "incomplete": {"dropped": 8 - level},
    }
    return make_food(n_rankings, noise=0.5, kind=kind, random_state=0, **options[kind])  # type: ignore[arg-type]


def _ours(
    name: str, kind: str, ranks: NDArray[np.float64], graph: Any, task: Task
) -> Iterator[Record]:
    kernel = partial(KERNELS[name], unranked=UNRANKED[kind])
    if name == "graph cut":
        kernel = partial(kernel, graph=graph)
    kernel(ranks[:4])
    measured: tuple[int, float] | None = None
    for size in task["sizes"]:
        # What would take long is scaled from the size before, by the number of pairs.
        expected = 0.0 if measured is None else measured[1] * (size / measured[0]) ** 2
        if measured is not None and expected > task["patience"]:
            mean, spread, scaled = expected, float("nan"), True
        else:
            mean, spread = seconds_of(partial(kernel, ranks[:size]), task["trials"])
            measured, scaled = (size, mean), False
        yield {
            "procedure": "rankcut",
            "kernel": name,
            "rankings": size,
            "seconds": mean,
            "deviation": spread,
            "trials": 0 if scaled else task["trials"],
            "scaled": scaled,
        }


def _literal(
    name: str, kind: str, ranks: NDArray[np.float64], graph: Any, task: Task
) -> Iterator[Record]:
    costs = _COSTS[name](kind, ranks, graph, task["trials"])
    if costs is None:
        return
    ranking, pair = costs
    for size in task["sizes"]:
        yield {
            "procedure": "literal",
            "kernel": name,
            "rankings": size,
            "seconds": size * ranking + size * (size + 1) / 2 * pair,
            "deviation": float("nan"),
            "trials": task["trials"],
            "scaled": True,
        }


Costs = tuple[float, float]
"""Seconds for a ranking and for a pair of rankings."""


def _graph_cut_costs(
    kind: str, ranks: NDArray[np.float64], graph: Any, trials: int
) -> Costs | None:
    """PAVA with an oracle for F, over all coherent partitions; pairs are inner products."""
    cut = cut_oracle(graph)
    rows = ranks[:3]
    if kind == "top-k":
        rows = np.where(np.isnan(rows), 9.0, rows)

    def features(row: NDArray[np.float64]) -> NDArray[np.float64]:
        vectors = []
        for groups in coherent_partitions(row):
            values = pool_literally(groups[::-1], cut, remember=False)
            vectors.append([values[item] for item in range(len(row))])
        return np.asarray(np.mean(vectors, axis=0))

    seconds, _ = seconds_of(lambda: [features(row) for row in rows], trials)
    vectors = np.random.default_rng(0).random((250, ranks.shape[1]))
    product, _ = seconds_of(lambda: vectors @ vectors.T, trials)
    return seconds / len(rows), product / (250 * 251 / 2)


def _kendall_costs(kind: str, ranks: NDArray[np.float64], graph: Any, trials: int) -> Costs | None:
    """τ for full rankings, signs of pairs for lists, the closed form for incomplete rankings.

    With ties, a mean over all full orders of both, as in the program that the authors call.
    """
    if kind == "incomplete":
        rows = ranks[:20]

        def closed_form() -> None:
            for one, other in pairwise(rows):
                expected_kendall(one, other)

        return 0.0, seconds_of(closed_form, trials)[0] / (len(rows) - 1)
    if kind == "top-k":
        rows = np.where(np.isnan(ranks[:20]), 9.0, ranks[:20])

        def signs() -> None:
            for one, other in pairwise(rows):
                (np.sign(one[:, None] - one) * np.sign(other[:, None] - other)).sum()

        return 0.0, seconds_of(signs, trials)[0] / (len(rows) - 1)
    return 0.0, _convolution_seconds(kendall_tau, ranks, trials)


def _mallows_costs(kind: str, ranks: NDArray[np.float64], graph: Any, trials: int) -> Costs | None:
    """exp(−λ·discordant pairs), and for top-k lists a mean over four draws of each."""
    kernel = partial(mallows, lam=0.1)
    if kind == "full":
        return 0.0, _convolution_seconds(kernel, ranks, trials)
    if kind != "top-k":
        return None
    # Which of the full orders are drawn makes no difference to the time.
    one, other = (
        list(islice(full_orders(row), _DRAWS))
        for row in np.where(np.isnan(ranks[:2]), 9.0, ranks[:2])
    )
    return 0.0, seconds_of(lambda: convolved(kernel, one, other), trials)[0]


def _convolution_seconds(
    kernel: Callable[[Sequence[int], Sequence[int]], float],
    ranks: NDArray[np.float64],
    trials: int,
) -> float:
    """Seconds for a pair of rankings: those of a pair of full orders times how many there are."""
    side = int(_TIMED_PAIRS**0.5)
    one, other = (list(islice(full_orders(row), side)) for row in ranks[:2])
    seconds, _ = seconds_of(lambda: convolved(kernel, one, other), trials)
    counts = np.array([count_full_orders(row) for row in ranks[:50]], dtype=np.float64)
    return seconds / (len(one) * len(other)) * float(counts.mean()) ** 2


_COSTS: dict[str, Callable[[str, NDArray[np.float64], Any, int], Costs | None]] = {
    "graph cut": _graph_cut_costs,
    "Kendall": _kendall_costs,
    "Mallows": _mallows_costs,
}
