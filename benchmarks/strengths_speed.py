"""How long strengths take and how much memory, each case in a process of its own.

Run with: python benchmarks/strengths_speed.py [--case NAME]

Loops are compiled before the clock starts, except in the last table: there, the first strengths of
a new process are timed from its start, with an empty cache of compiled loops (cold) and with one
that is filled (warm). Memory is the peak of the whole process, with the rankings. Seconds of
processors are those of all threads together; on a machine that does other work at the same time,
they are fairer than seconds.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy import sparse

from rankcut import Consensus, NeighborGraph
from rankcut.rankings import read_rankings
from rankcut.strengths import fit_strengths

FIRST = (
    "from rankcut import Consensus; nan = float('nan'); "
    "Consensus('strengths', unranked='anywhere').fit([[1, 2, nan], [nan, 1, 2], [2, nan, 1]])"
)


def lists(rng, theta, n_lists, length):
    """Lists of some items by the Plackett–Luce model, as a sparse matrix of ranks."""
    items = rng.integers(0, len(theta), (n_lists, length))
    repeated = np.arange(n_lists)
    while len(repeated):
        items[repeated] = rng.integers(0, len(theta), (len(repeated), length))
        repeated = np.flatnonzero((np.diff(np.sort(items, axis=1), axis=1) == 0).any(axis=1))
    noisy = theta[items] + rng.gumbel(size=items.shape)
    ranks = (-noisy).argsort(axis=1).argsort(axis=1) + 1.0
    starts = np.arange(0, n_lists * length + 1, length)
    matrix = sparse.csr_array((ranks.ravel(), items.ravel(), starts), (n_lists, len(theta)))
    matrix.sort_indices()
    return matrix


def votes(rng, n_votes=140_000, n_models=100):
    """Votes between two of 100 models, a seventh of them ties; 1,000 draws of the places."""
    ranks = lists(rng, rng.standard_normal(n_models), n_votes, 2)
    tied = np.repeat(rng.random(n_votes) < 1 / 7, 2)
    ranks.data[tied] = 1.0
    return lambda: Consensus("strengths", unranked="anywhere").fit(ranks)


def full(rng, n_rankings=1_000_000, n_items=20):
    """Full rankings of 20 items."""
    noisy = np.linspace(1, -1, n_items) + rng.gumbel(size=(n_rankings, n_items))
    ranks = (-noisy).argsort(axis=1).argsort(axis=1) + 1.0
    return lambda: fit_strengths(read_rankings(ranks))


def full_consensus(rng, n_rankings=1_000_000, n_items=20):
    """The same with places, 1,000 draws, pairwise shares and agreement."""
    noisy = np.linspace(1, -1, n_items) + rng.gumbel(size=(n_rankings, n_items))
    ranks = (-noisy).argsort(axis=1).argsort(axis=1) + 1.0
    return lambda: Consensus("strengths").fit(ranks)


def catalogue(rng, n_lists=100_000, n_items=10_000):
    """Lists of 30 from 10,000 items, with a graph of four features."""
    points = rng.standard_normal((n_items, 4))
    theta = points @ [0.8, -0.6, 0.0, 0.0] + 0.4 * rng.standard_normal(n_items)
    ranks = lists(rng, theta, n_lists, 30)

    def fit():
        graph = NeighborGraph(points, n_neighbors=8).build()
        return fit_strengths(read_rankings(ranks, unranked="anywhere"), graph=graph)

    return fit


CASES = {
    "140,000 votes of 100 models, 1,000 draws": (votes, {"n_votes": 200}),
    "10⁶ full rankings of 20 items": (full, {"n_rankings": 200}),
    "the same as a consensus, 1,000 draws": (full_consensus, {"n_rankings": 200}),
    "10⁵ lists of 30 from 10⁴ items, graph of four features": (
        catalogue,
        {"n_lists": 500, "n_items": 2500},
    ),
}


def run(name):
    """Seconds and peak memory of one case, after a small one."""
    make, small = CASES[name]
    make(np.random.default_rng(0), **small)()
    fit = make(np.random.default_rng(1))
    start, processor = time.perf_counter(), time.process_time()
    fit()
    print(time.perf_counter() - start, time.process_time() - processor)
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2}")


def first(folder):
    """Seconds of a new process that finds strengths."""
    start = time.perf_counter()
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
    subprocess.run([sys.executable, "-c", FIRST], check=True, env=environment)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=list(CASES))
    options = parser.parse_args()
    if options.case:
        run(options.case)
    else:
        table()


def table():
    print(*__doc__.strip().split("\n\n")[2:], sep="\n\n", end="\n\n")
    print("| strengths of | seconds | of processors | peak memory |\n|---|---:|---:|---:|")
    for name in CASES:
        command = [sys.executable, __file__, "--case", name]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds, processors, memory = map(float, said.split())
        print(f"| {name} | {seconds:.1f} | {processors:.1f} | {memory:.2f} GB |", flush=True)
    print("\n| first strengths of a process | seconds |\n|---|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("cold", "warm"):
            print(f"| {kind} | {first(folder):.1f} |", flush=True)


if __name__ == "__main__":
    main()
