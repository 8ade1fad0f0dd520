"""Incomplete rankings: error against time, and growth with the catalogue.

Run with: python -m benchmarks.cuts.incomplete [SUSHI_DIRECTORY]

Without the directory of the sushi data (sushi3.idata, sushi3b.5000.10.order), item features and
rankings are drawn at random.
"""

import resource
import subprocess
import sys
import time
from functools import partial
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

from benchmarks.timing import in_words
from rankcut import (
    Completions,
    GraphCutFeatures,
    ItemGraph,
    NeighborGraph,
    SimilarityGraph,
    graph_cut_features,
)
from reproduction.literal import pool_literally

CONSOLE = Console(width=110)
N_ITEMS, N_RANKED, KEPT = 100, 10, 0.1


def main() -> None:
    if len(sys.argv) > 1:
        graph, ranks = sushi(Path(sys.argv[1]))
        source = "the sushi data"
    else:
        rng = np.random.default_rng(0)
        graph = SimilarityGraph(rng.random((N_ITEMS, 5)), keep=KEPT).build()
        ranks = random_lists(rng, 2500, N_ITEMS, N_RANKED)
        source = "random item features and rankings"
    CONSOLE.print(
        f"{N_RANKED} of {N_ITEMS} items ranked, graph of the strongest {KEPT:.0%} of edges, "
        f"{source}; one thread\n"
    )
    error_against_time(graph, ranks[:300])
    to_one_percent(graph, ranks)
    growth()


def random_lists(
    rng: np.random.Generator, n_rankings: int, n_items: int, n_ranked: int
) -> np.ndarray:
    ranks = np.full((n_rankings, n_items), np.nan)
    for row in ranks:
        row[rng.choice(n_items, n_ranked, replace=False)] = np.arange(1, n_ranked + 1)
    return ranks


def sushi(directory: Path) -> tuple[ItemGraph, np.ndarray]:
    """The items' numeric features and 2,500 of the rankings of 10 of 100 sushi."""
    lines = (directory / "sushi3.idata").read_text(encoding="utf-8").splitlines()
    table = np.array([line.split("\t")[2:] for line in lines], dtype=float)
    features = np.delete(table, 2, axis=1)  # all but the minor group, which is no number
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    orders = (directory / "sushi3b.5000.10.order").read_text(encoding="utf-8").splitlines()[1:2501]
    ranks = np.full((len(orders), N_ITEMS), np.nan)
    for row, order in zip(ranks, orders, strict=True):
        row[[int(item) for item in order.split()[2:]]] = np.arange(1, N_RANKED + 1)
    return SimilarityGraph(features, keep=KEPT).build(), ranks


def sampled(
    graph: ItemGraph, ranks: np.ndarray, n_draws: int, seed: int
) -> tuple[np.ndarray, float]:
    """Features by sampling, and the seconds it took (best of three)."""
    completions = Completions("sampled", n_draws=n_draws, random_state=seed)
    model = GraphCutFeatures(graph, unranked="anywhere", completions=completions).fit(ranks)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        features = model.transform(ranks)
        seconds.append(time.perf_counter() - start)
    return features, min(seconds)


def independent(
    graph: ItemGraph, ranks: np.ndarray, n_draws: int, seed: int
) -> tuple[np.ndarray, float]:
    """The paper's way: draw completions independently, and average their features."""
    rng = np.random.default_rng(seed)
    model = GraphCutFeatures(graph).fit(np.nan_to_num(ranks))
    start = time.perf_counter()
    total = np.zeros(ranks.shape)
    for _ in range(n_draws):
        gaps = rng.integers(0, N_RANKED + 1, ranks.shape) + 0.5
        total += model.transform(np.where(np.isnan(ranks), gaps, ranks))
    return total / n_draws, time.perf_counter() - start


SAMPLERS = {"independent": independent, "rankcut": sampled}


def error_against_time(graph: ItemGraph, ranks: np.ndarray) -> None:
    truth, _ = sampled(graph, ranks, n_draws=20_000, seed=1)
    lengths = np.linalg.norm(truth, axis=1)
    table = Table(
        title="Relative mean squared error, and below it the time for a ranking", show_lines=True
    )
    draws = (2, 4, 6, 8, 16, 64, 256, 600)
    table.add_column("sampler")
    for n_draws in draws:
        table.add_column(f"{n_draws} draws", justify="right")
    results = {}
    for name, sampler in SAMPLERS.items():
        cells = []
        for n_draws in draws:
            features, seconds = sampler(graph, ranks, n_draws=n_draws, seed=2)
            error = float((((features - truth) ** 2).sum(axis=1) / lengths**2).mean())
            results[name, n_draws] = error, seconds / len(ranks)
            cells.append(f"{error:.2g}\n{in_words(seconds / len(ranks))}")
        table.add_row(name, *cells)
    CONSOLE.print(table)
    target, slow = results["independent", 600]
    literal = np.mean([literal_seconds(graph, row, n_draws=600) for row in ranks[:3]])
    seconds, n_draws, error = min(
        (seconds, n_draws, error)
        for (name, n_draws), (error, seconds) in results.items()
        if error <= target and name != "independent"
    )
    CONSOLE.print(
        f"600 independent draws have an error of {target:.2g} and take {in_words(slow)}. The "
        f"fastest as good: {n_draws} draws of rankcut, error {error:.2g}, {in_words(seconds)}: "
        f"[bold]{slow / seconds:.0f} times[/bold] less.\n"
        f"The paper's procedure done literally in Python takes {in_words(literal)} for a ranking "
        f"(measured on 7 draws of 3 rankings, scaled to 600): "
        f"[bold]{literal / seconds:,.0f} times[/bold] as long.\n"
    )


def literal_seconds(graph: ItemGraph, row: np.ndarray, n_draws: int, measured: int = 7) -> float:
    """Draw completions one by one and pool each by the paper's algorithm, F by networkx."""
    network = nx.from_numpy_array(graph.to_dense())
    cut = partial(nx.cut_size, network, weight="weight")
    rng = np.random.default_rng(0)
    ranked = np.flatnonzero(~np.isnan(row))
    ranked = ranked[np.argsort(-row[ranked])]  # least preferred first
    free = np.flatnonzero(np.isnan(row))
    start = time.perf_counter()
    total = np.zeros(len(row))
    for _ in range(measured):
        gaps = rng.integers(0, len(ranked) + 1, len(free))
        groups = [[int(item) for item in free[gaps == 0]]]
        for gap, item in enumerate(ranked, start=1):
            groups += [[int(item)], [int(other) for other in free[gaps == gap]]]
        slopes = pool_literally([group for group in groups if group], cut)
        total += [slopes[item] for item in range(len(row))]
    return (time.perf_counter() - start) * n_draws / measured


def to_one_percent(graph: ItemGraph, ranks: np.ndarray) -> None:
    for n_jobs in (1, 2):
        transformer = GraphCutFeatures(
            graph,
            unranked="anywhere",
            completions=Completions(tolerance=0.01),
            n_jobs=n_jobs,
        ).fit(ranks)
        start = time.perf_counter()
        _, report = transformer.transform_with_report(ranks)
        seconds = time.perf_counter() - start
        CONSOLE.print(
            f"{len(ranks):,} rankings to 1 % relative error, {n_jobs} thread(s): "
            f"{in_words(seconds)}, [bold]{len(ranks) / seconds:,.0f} rankings a second[/bold] "
            f"({report.n_draws.mean():.0f} draws each, error {report.relative_error.max():.2%} "
            "at most)"
        )
    CONSOLE.print()


def growth() -> None:
    """Time for a ranking and peak memory as the catalogue grows, each in a process of its own."""
    table = Table(title="10 items ranked, 20-neighbour graph; each line a process of its own")
    for column in ("items", "rankings", "method", "a ranking", "peak memory", "above the start"):
        table.add_column(column, justify="right")
    cases = [
        *product((100, 1000, 10_000), (20,), ("sampled, 64 draws",)),
        *product((100, 1000, 10_000, 100_000), (20_000,), ("closed form",)),
    ]
    for n_items, n_rankings, method in cases:
        table.add_row(*in_own_process(n_items, n_rankings, 10, method))
    CONSOLE.print(table)
    CONSOLE.print("100,000 rankings of 30 among 20,000 items, as sparse features:")
    row = in_own_process(20_000, 100_000, 30, "closed form")
    CONSOLE.print(f"  {row[3]} a ranking, peak memory {row[4]}, above the start {row[5]}")


def in_own_process(n_items: int, n_rankings: int, n_ranked: int, method: str) -> list[str]:
    shown = subprocess.run(
        [
            sys.executable,
            "-m",
            __spec__.name,
            "--case",
            str(n_items),
            str(n_rankings),
            str(n_ranked),
            method,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return shown.stdout.strip().split("|")


def one_case(n_items: int, n_rankings: int, n_ranked: int, method: str) -> None:
    rng = np.random.default_rng(0)
    graph = NeighborGraph(rng.random((n_items, 3))).build()
    items = np.concatenate(
        [rng.choice(n_items, n_ranked, replace=False) for _ in range(n_rankings)]
    )
    starts = np.arange(0, n_rankings * n_ranked + 1, n_ranked)
    places = np.tile(np.arange(1.0, n_ranked + 1), n_rankings)
    ranks = sparse.csr_array((places, items, starts), shape=(n_rankings, n_items))
    ranks.sort_indices()
    options = (
        {"completions": "closed_form"}
        if method == "closed form"
        else {"completions": Completions("sampled", n_draws=64)}
    )
    graph_cut_features(ranks[:1], graph, unranked="anywhere", **options)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    features = graph_cut_features(ranks, graph, unranked="anywhere", **options)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    stored = features.nnz if sparse.issparse(features) else features.size
    print(
        f"{n_items:,}|{n_rankings:,}|{method}|{in_words(seconds / n_rankings)}|"
        f"{peak / 1024:,.0f} MB|{(peak - before) / 1024:,.0f} MB for {stored:,} numbers"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--case"]:
        one_case(*map(int, sys.argv[2:5]), sys.argv[5])
    else:
        main()
