"""What options of graph cut features cost: ratios measured side by side in one run. Smoothing by
two steps, and a weight for comparisons with unlisted items.

Each is compared with the plain features of the same lists; and learning a graph from lists of a
large catalogue with smoothing them by one step over it.

Run with: python benchmarks/options.py
"""

from functools import partial
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse
from threadpoolctl import threadpool_limits
from timing import best_seconds, in_words

from rankcut import (
    AgreementGraph,
    CoListingGraph,
    GraphCutFeatures,
    ItemGraph,
    NeighborGraph,
    SimilarityGraph,
)
from rankcut.cuts.smoothing import Smoother

RNG = np.random.default_rng(0)
OPTIONS = {
    "two steps": {"smoothing": 2},
    "weighted": {"unlisted_weight": "balanced"},
}


def top_lists(n_lists: int, n_items: int, length: int) -> np.ndarray:
    ranks = RNG.permuted(np.tile(np.arange(1.0, n_items + 1), (n_lists, 1)), axis=1)
    ranks[ranks > length] = np.nan
    return ranks


def graphs(n_items: int) -> dict[str, ItemGraph | None]:
    points = RNG.random((n_items, 3))
    return {
        "complete": None,
        "neighbours": NeighborGraph(points, n_neighbors=min(10, n_items - 1)).build(),
        "all pairs": SimilarityGraph(points).build(),
    }


def short_lists(n_lists: int, n_items: int, length: int) -> sparse.csr_array:
    items = RNG.integers(n_items, size=(n_lists, 2 * length))
    rows = [RNG.permutation(np.unique(row))[:length] for row in items]
    ranks = np.concatenate([np.arange(1.0, len(row) + 1) for row in rows])
    ends = np.cumsum([0, *map(len, rows)])
    return sparse.csr_array((ranks, np.concatenate(rows), ends), shape=(n_lists, n_items))


def learned_graphs(n_lists: int, n_items: int, length: int) -> Table:
    title = f"{n_lists:,} lists of {length} of {n_items:,} items: a graph learned from them"
    table = Table("graph", "learn it", "smooth the lists by a step", title=title)
    lists = short_lists(n_lists, n_items, length)
    for recipe in (CoListingGraph(), AgreementGraph()):
        began = perf_counter()
        graph = recipe.build_from(lists)
        learned = perf_counter() - began
        smoother = Smoother(graph, 1)
        began = perf_counter()
        smoother.smooth_sparse(lists)
        smoothed = perf_counter() - began
        table.add_row(type(recipe).__name__, in_words(learned), in_words(smoothed))
    return table


def main() -> None:
    table = Table(title="Top-10 lists, one thread: time of the plain features, and ratios to it")
    for column in ("items", "graph", "a list, plain", *OPTIONS):
        table.add_column(column, justify="right")
    for n_items, n_lists in ((12, 20_000), (100, 5_000), (1_000, 500)):
        lists = top_lists(n_lists, n_items, 10)
        for name, graph in graphs(n_items).items():
            models = [
                GraphCutFeatures(graph, unranked="last", **options).fit(lists)
                for options in ({}, *OPTIONS.values())
            ]
            seconds = [best_seconds(partial(model.transform, lists)) for model in models]
            ratios = [f"{one / seconds[0]:.2f}" for one in seconds[1:]]
            table.add_row(f"{n_items:,}", name, in_words(seconds[0] / n_lists), *ratios)
    console = Console(width=110)
    console.print(table)
    console.print(learned_graphs(100_000, 10_000, 30))


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
