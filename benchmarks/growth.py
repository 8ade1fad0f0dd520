"""How time and memory grow with rankings and with items, and the exponents of that growth.

Run with: python benchmarks/growth.py [--seconds 60]

Processor time, the least of a few runs on one thread; memory is the most that is held at once above
the rankings, as Python's tracemalloc counts it. A series ends before a point that would take longer
than ``--seconds``. The exponent is the slope of a line through the logarithms of the last three
points.
"""

import argparse
import textwrap
import time
import tracemalloc
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits
from timing import in_words

from rankcut import (
    GPClassifier,
    GraphCutFeatures,
    RankingClassifier,
    SimilarityGraph,
    SimilarRankings,
    graph_cut_features,
)
from rankcut.kernels import kendall_kernel

# Three decades of rankings, fewer where all pairs are compared, and two of items.
RANKINGS, FEWER_RANKINGS = (100, 1_000, 10_000, 100_000), (10, 100, 1_000, 10_000)
ITEMS = (10, 32, 100, 316, 1_000)


def rankings(n_rankings, n_items):
    """Full rankings in two camps, and the camp of each."""
    rng = np.random.default_rng(0)
    camps = rng.integers(0, 2, n_rankings)
    scores = rng.standard_normal((2, n_items))[camps] + rng.gumbel(size=(n_rankings, n_items))
    return np.argsort(np.argsort(-scores, axis=1), axis=1) + 1.0, camps


def graph_of(n_items):
    return SimilarityGraph(np.random.default_rng(1).random((n_items, 3))).build()


def features(ranks, camps):
    return partial(graph_cut_features, ranks, graph_of(ranks.shape[1]))


def gram(ranks, camps):
    return partial(kendall_kernel, ranks)


def gaussian_process(ranks, camps):
    vectors = graph_cut_features(ranks, normalize=True)
    return partial(GPClassifier().fit, vectors, camps)


def classifier(ranks, camps):
    return partial(RankingClassifier().fit, ranks, camps)


def search(ranks, camps):
    model = SimilarRankings(GraphCutFeatures(graph_of(ranks.shape[1])), n_neighbors=10).fit(ranks)
    return partial(model.kneighbors, ranks[:100])


# Each with the numbers of rankings, the size of the other side, and what bends the line.
SERIES = {
    "features, dense graph": (
        features,
        RANKINGS,
        20,
        1_000,
        "Rankings: linear, after a fixed cost of some tenths of a millisecond. Items: n up to 16, "
        "by a table of all subsets; then n² on a dense graph, and n for sorting and pooling, which "
        "shows below some hundreds. Memory: the vectors, a block of rankings, and the graph.",
    ),
    "Gram matrix, Kendall": (
        gram,
        FEWER_RANKINGS,
        20,
        300,
        "Rankings: all pairs, m². Items: one bit for each pair of items, n²/2, in words of 64, so "
        "few items cost as much as one word. Memory: the matrix, and the bits.",
    ),
    "Gaussian process": (
        gaussian_process,
        RANKINGS,
        20,
        200,
        "Rankings: passes over the rows; the start on a sample and the search for variances "
        "cost the same for any number, which flattens the line below 10,000. Items: n² a row and "
        "n³ a step. Memory: a few numbers a row, and the covariance of the weights, n².",
    ),
    "classifier": (
        classifier,
        RANKINGS,
        20,
        200,
        "Rankings: the evidence of its views and a regression on them, linear once start-up costs "
        "are paid. Items: the number of coordinates, and the iterations they take. Memory: the "
        "coordinates of all rankings.",
    ),
    "search, 100 queries": (
        search,
        RANKINGS,
        20,
        1_000,
        "Rankings: each query is compared with all: linear. Items: the features of the queries, "
        "n², and their products with all vectors, n. Memory: a block of products, whose size stops "
        "growing at some thousand rankings.",
    ),
}


def measure(work):
    """The least processor time of a few runs, and the most memory held at once."""
    times = []
    while len(times) < 3 and sum(times) < 2.0:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(times), peak


def exponent(sizes, values):
    """The slope in logarithms."""
    x, y = np.log(sizes), np.log(np.maximum(values, 1e-9))
    return f"{np.polyfit(x, y, 1)[0]:.2f}" if len(x) > 1 else "–"


def series(prepare, sizes, cases, seconds):
    """Times and memory of one series, until a point would take too long."""
    times, peaks = [], []
    for case in cases:
        if len(times) > 1:
            steeper = times[-1] * max(times[-1] / times[-2], 1.0)
            if steeper > seconds:
                break
        spent, peak = measure(prepare(*rankings(*case)))
        times.append(spent)
        peaks.append(peak / 2**20)
    return sizes[: len(times)], times, peaks


def row(name, cells, last):
    """A line of a table of at most five sizes, and an exponent."""
    return f"  {name:<26}" + "".join(f"{cell:>10}" for cell in cells).ljust(50) + f"  {last}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="Longest run of a point.")
    parser.add_argument("--only", help="A part of the name of a series.")
    seconds, only = (chosen := parser.parse_args()).seconds, chosen.only
    with threadpool_limits(1):
        for title, (prepare, numbers, n_items, n_rankings, bends) in SERIES.items():
            if only is not None and only not in title:
                continue
            # Compile, and import.
            prepare(*rankings(100, 10))()
            print(f"\n{title}")
            by_rankings = [(size, n_items) for size in numbers]
            by_items = [(n_rankings, size) for size in ITEMS]
            for what, sizes, cases in (
                (f"rankings, of {n_items} items", numbers, by_rankings),
                (f"items, {n_rankings:,} rankings", ITEMS, by_items),
            ):
                done, times, peaks = series(prepare, sizes, cases, seconds)
                print(row(what, [f"{size:,}" for size in done], "exponent"))
                for name, values, shown in (
                    ("time", times, in_words),
                    ("memory", peaks, lambda peak: f"{peak:.3g} MB"),
                ):
                    cells = [shown(value) for value in values]
                    print(row(f"  {name}", cells, exponent(done[-3:], values[-3:])), flush=True)
            print(textwrap.fill(bends, 96, initial_indent="  ", subsequent_indent="  "))


if __name__ == "__main__":
    main()
