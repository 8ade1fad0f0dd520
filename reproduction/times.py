"""Time of a Gram matrix (Figure 6): in rankcut, and by the paper's procedures done literally.

The cost of a literal procedure is measured for a few rankings or pairs and scaled to all.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from rankcut import SimilarityGraph, graph_cut_features, make_food
from rankcut.kernels import diffusion_kernel, graph_cut_kernel, kendall_kernel, mallows_kernel
from reproduction import literal
from reproduction.kinds import UNRANKED
from reproduction.methods import PER_LIST, Floats
from reproduction.store import Record, Task

NEEDS_DATA = False

# How many of the eight items are ranked, or how many groups of tied ones there are.
LEVELS = {"full": (8,), "top-k": (2, 3, 4, 5, 6), "ties": (2, 3, 4, 5, 6)}
LEVELS |= {"incomplete": (3, 4, 5, 6, 7)}

# A trial repeats what takes less, and takes the mean; what takes more is not tried at larger sizes.
_SHORT, _PATIENCE = 0.004, 0.2


def tasks(quick: bool) -> list[Task]:
    """One for each kind and level of censoring: the paper's seven trials, or three."""
    few = {"top-k": (3, 6), "ties": (3, 6), "incomplete": (4, 6, 7)} if quick else {}
    how = {"trials": 3, "sizes": [250]} if quick else {"trials": 7, "sizes": [50, 250, 1000]}
    levels = [(kind, level) for kind, several in (LEVELS | few).items() for level in several]
    return [{"kind": kind, "level": level} | how for kind, level in [*levels, ("5,000", 10)]]


def run(task: Task, data: Path | None) -> Iterator[Record]:
    """Seconds of every kernel, and of the literal procedures."""
    kind, level, trials = task["kind"], task["level"], task["trials"]
    if kind == "5,000":
        yield from _five_thousand(trials)
        return
    options = {"top-k": {"k": level}, "ties": {"merges": 8 - level}}
    options |= {"incomplete": {"dropped": 8 - level}}
    food = make_food(max(task["sizes"]), kind=kind, random_state=0, **options.get(kind, {}))
    graph = SimilarityGraph(food.item_features).build()
    kernels: dict[str, Callable[..., Floats]] = {
        "graph cut": partial(graph_cut_kernel, graph=graph),
        "Kendall": kendall_kernel,
        "Mallows": mallows_kernel,
    }
    if kind == "full":
        kernels["diffusion"] = diffusion_kernel
    costs = {name: cost(kind, food.ranks, graph, trials) for name, cost in COSTS.items()}
    for size in task["sizes"]:
        about = {"kind": kind, "level": level, "rankings": size}
        for name, kernel in kernels.items():
            matrix = partial(kernel, food.ranks[:size], unranked=UNRANKED[kind])
            seconds = seconds_of(matrix, trials)
            yield about | {"procedure": "rankcut", "kernel": name, "seconds": seconds}
            if seconds > _PATIENCE:
                kernels = {other: kernels[other] for other in kernels if other != name}
        for name, (each, pair) in costs.items():
            if np.isfinite(pair):
                seconds = size * each + size * (size + 1) / 2 * pair
                yield about | {"procedure": "literal", "kernel": name, "seconds": seconds}


def seconds_of(work: Callable[[], object], trials: int) -> float:
    """Mean over trials of the processor's time, after one call that does not count."""
    with warnings.catch_warnings():
        # Draws may not reach the tolerance; that is a matter of accuracy, not of time.
        warnings.simplefilter("ignore")
        work()
        start = time.process_time()
        work()
        repeats = int(np.clip(_SHORT / max(time.process_time() - start, 1e-7), 1, 200))
        start = time.process_time()
        for _ in range(trials * repeats):
            work()
    return (time.process_time() - start) / (trials * repeats)


def _graph_cut_costs(kind: str, ranks: Floats, graph: Any, trials: int) -> tuple[float, float]:
    """PAVA with an oracle for F, over all coherent partitions; pairs are inner products."""
    cut, rows = literal.cut_oracle(graph), _closed(kind, ranks[:3])
    each = seconds_of(lambda: [literal.literal_features(row, cut) for row in rows], trials)
    vectors = np.random.default_rng(0).random((250, ranks.shape[1]))
    return each / 3, seconds_of(lambda: vectors @ vectors.T, trials) / (250 * 251 / 2)


def _kendall_costs(kind: str, ranks: Floats, graph: Any, trials: int) -> tuple[float, float]:
    """τ for full rankings, signs of pairs for lists, the closed form for incomplete rankings.

    With ties, a mean over all full orders of both, as in the program that the authors call.
    """
    if kind in ("full", "ties"):
        return 0.0, _convolution_seconds(literal.kendall_tau, ranks, trials)
    rows = _closed(kind, ranks[:20])

    def signs(one: Floats, other: Floats) -> float:
        return float((np.sign(one[:, None] - one) * np.sign(other[:, None] - other)).sum())

    pair = signs if kind == "top-k" else literal.expected_kendall
    return 0.0, seconds_of(lambda: [pair(*both) for both in pairwise(rows)], trials) / 19


def _mallows_costs(kind: str, ranks: Floats, graph: Any, trials: int) -> tuple[float, float]:
    """exp(−λ·discordant pairs), and for top-k lists a mean over four draws of each."""
    kernel = partial(literal.mallows, lam=0.1)
    if kind == "full":
        return 0.0, _convolution_seconds(kernel, ranks, trials)
    if kind != "top-k":
        return 0.0, np.nan
    # Which of the full orders are drawn makes no difference to the time.
    lists = _closed(kind, ranks[:2])
    one, other = (list(islice(literal.full_orders(row), PER_LIST)) for row in lists)
    return 0.0, seconds_of(lambda: literal.convolved(kernel, one, other), trials)


COSTS = {"graph cut": _graph_cut_costs, "Kendall": _kendall_costs, "Mallows": _mallows_costs}
"""Seconds for a ranking and for a pair of rankings."""


def _closed(kind: str, ranks: Floats) -> Floats:
    """Lists with their unlisted items tied below them."""
    return np.where(np.isnan(ranks), 9.0, ranks) if kind == "top-k" else ranks


def _convolution_seconds(kernel: Any, ranks: Floats, trials: int) -> float:
    """Seconds for a pair of rankings: those of a pair of full orders times how many there are."""
    one, other = (list(islice(literal.full_orders(row), 20)) for row in ranks[:2])
    seconds = seconds_of(lambda: literal.convolved(kernel, one, other), trials)
    counts = [literal.count_full_orders(row) for row in ranks[:50]]
    return seconds / (len(one) * len(other)) * float(np.mean(counts)) ** 2


def _five_thousand(trials: int) -> Iterator[Record]:
    """The paper's data set: 5,000 rankings of ten items, vectors and their Gram matrix."""
    rng = np.random.default_rng(0)
    ranks = rng.permuted(np.tile(np.arange(1.0, 11.0), (5000, 1)), axis=1)
    graph = SimilarityGraph(rng.random((10, 6))).build()
    cut, vectors = literal.cut_oracle(graph), graph_cut_features(ranks, graph)
    steps = {
        "vectors": (lambda: graph_cut_features(ranks, graph), 1),
        "vectors, literally": (lambda: [literal.literal_features(r, cut) for r in ranks[:50]], 100),
        "Gram matrix": (lambda: vectors @ vectors.T, 1),
    }
    for step, (work, scale) in steps.items():
        yield {"kind": "5,000", "step": step, "seconds": scale * seconds_of(work, trials)}
