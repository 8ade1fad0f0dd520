"""Time and memory of RankingCompleter with simulated lists, on two threads. People with eight
tastes rank random items. Each row is a process of its own: the time of fitting to all lists and of
recommending ten items to everyone, and the most memory that the process held.

Run with: python benchmarks/completion_scale.py [--people 100000]
"""

import argparse
import multiprocessing
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from scipy.sparse import csr_array

from rankcut import NeighborGraph, RankingCompleter

CASES = (
    (100, 10, "anywhere", False),
    (10_000, 30, "anywhere", True),
    (10_000, 30, "last", False),
)
"""The number of items, how many each person lists, what the others mean, and whether by a graph."""


def simulated(n_people: int, n_items: int, n_listed: int) -> tuple[csr_array, np.ndarray]:
    """Rankings as ranks in CSR, and what is known about the items: how they suit each taste."""
    rng = np.random.default_rng(0)
    loadings, tastes = rng.normal(size=(n_items, 8)), rng.normal(size=(n_people, 8))
    popular = rng.normal(size=n_items)
    items = np.empty((n_people, n_listed), dtype=np.int32)
    for row in items:
        row[:] = rng.choice(n_items, n_listed, replace=False)
    worth = np.einsum("pd,pkd->pk", tastes, loadings[items]) + popular[items]
    worth += rng.normal(size=worth.shape)
    ranks = (-worth).argsort(axis=1).argsort(axis=1) + 1.0
    starts = np.arange(n_people + 1) * n_listed
    return csr_array((ranks.ravel(), items.ravel(), starts), shape=(n_people, n_items)), loadings


def measure(n_people: int, n_items: int, n_listed: int, unranked: str, with_graph: bool) -> str:
    """A row of the table."""
    for n_some in (60, 600):  # compiles the loops
        small = simulated(100, n_some, 10)[0]
        RankingCompleter(unranked=unranked).fit(small).recommend(small, 10)  # type: ignore[arg-type]
    lists, features = simulated(n_people, n_items, n_listed)
    graph = NeighborGraph(features, n_neighbors=10) if with_graph else None
    times = [(time.perf_counter(), time.process_time())]
    completer = RankingCompleter(graph, unranked=unranked, n_jobs=2).fit(lists)  # type: ignore[arg-type]
    times.append((time.perf_counter(), time.process_time()))
    completer.recommend(lists, 10)
    times.append((time.perf_counter(), time.process_time()))
    (fit, fit_own), (best, best_own) = np.diff(times, axis=0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"| {n_people:,} | {n_items:,} | {n_listed} | {unranked} | {'yes' if with_graph else 'no'} "
        f"| {fit:.1f} | {fit_own:.1f} | {best:.1f} | {best_own:.1f} | {peak:,.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", type=int, default=10_000)
    options = parser.parse_args()
    print(
        "| people | items | listed | unranked | graph | fit, s | fit, processor s "
        "| recommend, s | recommend, processor s | peak, MB |\n" + 10 * "|---" + "|"
    )
    for case in CASES:
        print(f"{options.people:,} people, {case[0]:,} items …", file=sys.stderr, flush=True)
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            print(pool.submit(measure, options.people, *case).result(), flush=True)


if __name__ == "__main__":
    main()
