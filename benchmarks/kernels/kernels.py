"""How long Gram matrices take, for every kernel, kind of ranking and size, in one run. Times with
~ are scaled from fewer rankings.

Run with: python -m benchmarks.kernels.kernels [--quick] [--output results/kernels.png]

One thread for all, BLAS too, and its processor time. What would take more than 0.8 seconds is
scaled from fewer rankings, by a part that grows with their number and one that grows with its
square.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from scipy.stats import kendalltau
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from benchmarks.timing import in_words
from rankcut import GraphCutKernel, SimilarityGraph, graph_cut_features
from rankcut.kernels import (
    DiffusionKernel,
    KendallFeatures,
    KendallKernel,
    MallowsKernel,
    SpearmanKernel,
    WeightedKendallKernel,
    lovasz_bregman_divergence,
)

CONSOLE = Console(width=190)
POLICY = {"full": "error", "top-k": "last", "ties": "error", "incomplete": "anywhere"}
GRAPH_CUT = "graph cut"
KERNELS: dict[str, Callable[..., np.ndarray]] = {
    GRAPH_CUT: GraphCutKernel,
    "Spearman": SpearmanKernel,
    "Kendall": KendallKernel,
    "weighted Kendall, top-k": partial(WeightedKendallKernel, weights="top-k", k=5),
    "weighted Kendall, additive": partial(WeightedKendallKernel, weights="additive"),
    "weighted Kendall, multiplicative": partial(WeightedKendallKernel, weights="multiplicative"),
    "weighted Kendall, average": WeightedKendallKernel,
    "Mallows": MallowsKernel,
    "diffusion": DiffusionKernel,
    "Lovász–Bregman divergence": lovasz_bregman_divergence,
}
BLAS_SIGNS = "BLAS alone: n(n − 1)/2 signs"
BLAS_ITEMS = "BLAS alone: n coordinates"
SCIPY = "scipy.stats.kendalltau in a loop"
PANDAS = "pandas corr(method='kendall')"
# Cells that take more seconds than this are extrapolated.
ENOUGH = 0.4


def rankings(kind: str, n_rankings: int, n_items: int, censored: int | None = None) -> np.ndarray:
    """Random rankings; by default half of the items are censored, or tied in pairs."""
    rng = np.random.default_rng(0)
    ranks = rng.permuted(np.tile(np.arange(1.0, n_items + 1), (n_rankings, 1)), axis=1)
    censored = n_items // 2 if censored is None else censored
    if kind == "top-k":
        ranks[ranks > n_items - censored] = np.nan
    elif kind == "ties":
        ranks = np.ceil(ranks / 2)
    elif kind == "incomplete":
        dropped = rng.permuted(np.tile(np.arange(n_items), (n_rankings, 1)), axis=1) < censored
        ranks[dropped] = np.nan
    return ranks


def seconds_for(work: Callable[[int], object], sizes: list[int]) -> dict[int, tuple[float, bool]]:
    """Time of ``work(size)`` for each size, and whether it was scaled from fewer rankings."""
    work(2)
    half, a_half, size, a_whole = 16, timed(work, 16), 32, timed(work, 32)

    def expected(n_rankings: int) -> float:
        # Vectors take time in proportion to the rankings, and comparisons to their pairs.
        squared = max(a_whole / size - a_half / half, 0.0) / (size - half)
        squared = min(squared, a_whole / size**2)
        return (a_whole / size - squared * size) * n_rankings + squared * n_rankings**2

    while expected(2 * size) < ENOUGH and 2 * size <= max(sizes):
        half, a_half, size = size, a_whole, 2 * size
        a_whole = timed(work, size)
    return {
        n: (timed(work, n), False) if expected(n) < 2 * ENOUGH else (expected(n), True)
        for n in sizes
    }


def timed(work: Callable[[int], object], size: int, runs: int = 0) -> float:
    """The shortest of a few runs, or the only one if it takes long, in seconds of the processor.

    All is in one thread, so on an idle machine that is the time on the wall as well.
    """
    seconds: list[float] = []
    # The first run of a size also pays for its memory, so a short one is not the only one.
    while not seconds or len(seconds) < (max(runs, 3) if min(seconds) < 2 * ENOUGH else runs):
        start = time.process_time()
        work(size)
        seconds.append(time.process_time() - start)
    return min(seconds)


def gram_work(name: str, kind: str, ranks: np.ndarray) -> Callable[[int], object] | None:
    """What to time for a kernel, or None where it is not defined."""
    kernel, n_items = KERNELS[name], ranks.shape[1]
    if name == "diffusion" and (n_items > 20 or kind != "full"):
        return None
    if name.startswith("Lovász"):
        scores = np.random.default_rng(1).normal(size=ranks.shape)
        if kind == "incomplete":
            return None
        return lambda m: kernel(scores[:m], ranks[:m], unranked=POLICY[kind])
    if name == GRAPH_CUT:
        graph = SimilarityGraph(np.random.default_rng(2).random((n_items, 3))).build()
        return lambda m: kernel(graph=graph, unranked=POLICY[kind])(ranks[:m])
    return lambda m: kernel(unranked=POLICY[kind])(ranks[:m])


def rivals(kind: str, ranks: np.ndarray) -> dict[str, Callable[[int], object]]:
    """The other methods to time."""
    signs = KendallFeatures(unranked=POLICY[kind]).fit_transform(ranks)
    items = graph_cut_features(np.nan_to_num(ranks, nan=1e9))
    found: dict[str, Callable[[int], object]] = {
        BLAS_ITEMS: lambda m: items[:m] @ items[:m].T,
        BLAS_SIGNS: lambda m: signs[:m] @ signs[:m].T,
    }
    if kind in ("full", "ties"):
        found[SCIPY] = lambda m: [
            kendalltau(ranks[i], ranks[j]).statistic for i in range(m) for j in range(i)
        ]
        found[PANDAS] = lambda m: pd.DataFrame(ranks[:m].T).corr(method="kendall")
    return found


Times = dict[tuple[str, str, int, int], tuple[float, bool]]


def measure(sizes: list[int], items: list[int]) -> Times:
    times: Times = {}
    for kind in POLICY:
        print(f"measuring {kind} rankings …", file=sys.stderr)
        for n_items in items:
            ranks = rankings(kind, max(sizes), n_items)
            works = {name: gram_work(name, kind, ranks) for name in KERNELS}
            works |= rivals(kind, ranks)
            for name, work in works.items():
                if work is not None:
                    for size, cell in seconds_for(work, sizes).items():
                        times[kind, name, n_items, size] = cell
    return times


def words(cell: tuple[float, bool] | None) -> str:
    if cell is None:
        return "–"
    seconds, scaled = cell
    if seconds < 100:
        shown = in_words(seconds)
    else:
        shown = f"{seconds / 60:.2g} min" if seconds < 3600 else f"{seconds / 3600:.2g} h"
    return ("~" if scaled else "") + shown


def show(times: Times, sizes: list[int], items: list[int]) -> None:
    for kind in POLICY:
        table = Table(title=f"Gram matrix of rankings of n items: {kind}")
        table.add_column("kernel", no_wrap=True)
        for n_items in items:
            for size in sizes:
                table.add_column(f"n={n_items}:\n{size:,} rankings", justify="right", no_wrap=True)
        names = dict.fromkeys(name for key_kind, name, _, _ in times if key_kind == kind)
        for name in names:
            cells = [times.get((kind, name, n, size)) for n in items for size in sizes]
            table.add_row(name, *map(words, cells))
        CONSOLE.print(table)


def judge(times: Times, sizes: list[int], items: list[int]) -> None:
    """Where the graph cut kernel is not the fastest, and Kendall compared with BLAS."""
    table = Table(title=f"The fastest kernel for {max(sizes):,} rankings, and the graph cut kernel")
    for column in ("kind", "items", "fastest", "its time", "graph cut", "verdict"):
        table.add_column(column)
    for kind in POLICY:
        for n_items in items:
            here = {
                name: times[kind, name, n_items, max(sizes)]
                for name in KERNELS
                if (kind, name, n_items, max(sizes)) in times and not name.startswith("Lovász")
            }
            fastest = min(here, key=lambda name: here[name][0])
            ratio = here[GRAPH_CUT][0] / here[fastest][0]
            if fastest == GRAPH_CUT:
                verdict = "graph cut is the fastest"
            elif ratio < 1.1:
                verdict = "within 10 %, which is noise"
            else:
                verdict = f"graph cut takes {ratio:.2g} times as long"
            table.add_row(
                kind, str(n_items), fastest, words(here[fastest]), words(here[GRAPH_CUT]), verdict
            )
    CONSOLE.print(table)
    ranks = rankings("full", max(sizes), 10)
    signs = KendallFeatures().fit_transform(ranks)
    for size in sizes:
        ours = timed(lambda m: KendallKernel()(ranks[:m]), size, runs=20)
        blas = timed(lambda m: signs[:m] @ signs[:m].T, size, runs=20)
        CONSOLE.print(
            f"Kendall, {size:,} full rankings of 10 items, from ranks to Gram matrix: "
            f"{ours / blas:.2f} times the BLAS product of its signs alone (at most 2 is the aim)"
        )


def measure_censoring(n_rankings: int, n_items: int) -> dict[str, dict[str, list[float]]]:
    """Seconds against the number of censored items."""
    curves: dict[str, dict[str, list[float]]] = {}
    for kind in ("top-k", "incomplete"):
        curves[kind] = {}
        for name in KERNELS:
            if name.startswith(("Lovász", "diffusion")):
                continue
            seconds = []
            for censored in range(n_items):
                ranks = rankings(kind, n_rankings, n_items, censored)
                work = gram_work(name, kind, ranks)
                assert work is not None
                seconds.append(seconds_for(work, [n_rankings])[n_rankings][0])
            curves[kind][name] = seconds
    return curves


def draw(
    times: Times,
    curves: dict[str, dict[str, list[float]]],
    sizes: list[int],
    n_censored: int,
    output: Path,
) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(16, 5.5), layout="constrained", sharey=False)
    colours = dict(zip(KERNELS, plt.get_cmap("tab10").colors, strict=True))
    for name in [*KERNELS, BLAS_SIGNS, SCIPY, PANDAS]:
        seconds = [times["full", name, 10, size][0] for size in sizes]
        style = {"color": colours[name]} if name in KERNELS else {"color": "k", "ls": "--"}
        axes[0].plot(sizes, seconds, marker="o", label=name if name in KERNELS else None, **style)
        if name not in KERNELS:
            axes[0].annotate(name, (sizes[0], seconds[0]), fontsize=7, va="bottom")
    axes[0].set(xscale="log", xlabel="number of full rankings of 10 items", title="Full rankings")
    axes[0].set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes[0].minorticks_off()
    for axis, (kind, lines) in zip(axes[1:], curves.items(), strict=True):
        for name, seconds in lines.items():
            axis.plot(seconds, marker="o", color=colours[name])
        axis.set(
            xlabel="censored items of 10" if kind == "top-k" else "unranked items of 10",
            title=f"{n_censored:,} {kind} rankings",
        )
    for axis in axes:
        axis.set(yscale="log", ylabel="seconds of one processor for the Gram matrix")
        axis.grid(alpha=0.3)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    output.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(output, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rankings and items")
    parser.add_argument("--output", type=Path, default=Path("results/kernels.png"))
    options = parser.parse_args()
    sizes, items = ([100, 250], [8, 10]) if options.quick else ([250, 2500, 5000], [8, 10, 50, 100])
    # Draws to a tolerance may not reach it; that is a matter of accuracy, not of time.
    warnings.simplefilter("ignore", ConvergenceWarning)
    began = time.perf_counter()
    with threadpool_limits(1):
        times = measure(sizes, items)
        show(times, sizes, items)
        judge(times, sizes, items)
        n_censored = 250 if options.quick else 1000
        curves = measure_censoring(n_censored, 10)
    draw(times, curves, sizes, n_censored, options.output)
    spent = in_words(time.perf_counter() - began)
    print(f"{options.output}; all in {spent}", file=sys.stderr)


if __name__ == "__main__":
    main()
