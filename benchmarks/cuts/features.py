"""How fast rankings become features: ratios measured side by side in one run.

Run with: python -m benchmarks.cuts.features [--only dense]
"""

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import validate_data
from threadpoolctl import threadpool_limits

from benchmarks.timing import best_in_turn, best_processor_seconds, best_seconds, in_words
from rankcut import GraphCutFeatures, ItemGraph, NeighborGraph, SimilarityGraph, graph_cut_features
from rankcut.cuts import FeatureMap, GraphCut, fastest_algorithm
from rankcut.rankings import read_rankings
from reproduction.literal import pool_literally

CONSOLE = Console(width=110)
RNG = np.random.default_rng(0)


def full_rankings(n_rankings: int, n_items: int) -> np.ndarray:
    rows = np.tile(np.arange(1.0, n_items + 1), (n_rankings, 1))
    return RNG.permuted(rows, axis=1)


def similarity_graph(n_items: int, keep: float = 1.0) -> ItemGraph:
    return SimilarityGraph(RNG.random((n_items, 3)), keep=keep).build()


def by_algorithm(algorithm: Any, graph: ItemGraph) -> Callable[[np.ndarray], np.ndarray]:
    """From rankings to vectors, with cuts computed in that way."""
    feature_map = FeatureMap(GraphCut(graph, algorithm))
    return lambda ranks: feature_map(read_rankings(ranks))


def pool_all(orders: list, network: nx.Graph, remember: bool) -> list[dict[int, float]]:
    """The paper's algorithm, with networkx's cut_size as the oracle for F."""
    cut = partial(nx.cut_size, network, weight="weight")
    return [pool_literally(groups, remembering(cut) if remember else cut) for groups in orders]


def remembering(cut: Callable[[set[int]], float]) -> Callable[[set[int]], float]:
    """An oracle that is asked once for each prefix of an order, which its length tells."""
    known: dict[int, float] = {}

    def value(inside: set[int]) -> float:
        if len(inside) not in known:
            known[len(inside)] = cut(inside)
        return known[len(inside)]

    return value


def against_the_paper() -> None:
    """5,000 full rankings of 8 items; the literal procedure on a part, scaled."""
    n_rankings, n_items, sample = 5000, 8, 500
    ranks, graph = full_rankings(n_rankings, n_items), similarity_graph(n_items)
    network = nx.from_numpy_array(graph.to_dense())
    ours = best_seconds(lambda: graph_cut_features(ranks, graph), runs=50)
    # Least preferred first.
    orders = [[[int(item)] for item in np.argsort(-row)] for row in ranks[:sample]]
    table = Table(title=f"{n_rankings:,} full rankings of {n_items} items, one thread")
    table.add_column("procedure")
    table.add_column("time", justify="right")
    table.add_column("times ours", justify="right")
    table.add_row("rankcut", in_words(ours), "1")
    features = graph_cut_features(ranks[:sample], graph)
    for remember in (True, False):
        literal = partial(pool_all, orders, network, remember=remember)
        for row, slopes in zip(features, literal(), strict=True):
            assert np.allclose([slopes[item] for item in range(n_items)], row, atol=1e-9)
        seconds = best_seconds(literal, runs=2) * n_rankings / sample
        name = "one oracle call for each prefix" if remember else "two in each step, as printed"
        table.add_row(
            f"paper, literally: {name} ({sample} rankings, scaled)",
            in_words(seconds),
            f"{seconds / ours:,.0f}",
        )
    CONSOLE.print(table)


def against_a_matrix_product() -> None:
    """Full rankings on dense graphs, against X @ W."""
    table = Table(
        title="Dense graph against one float64 matrix product of the same size, one thread, "
        "processor time"
    )
    for column in ("rankings", "items", "features", "product", "ratio", "a ranking"):
        table.add_column(column, justify="right")
    for n_items in (50, 100, 200, 500, 1000, 2000):
        n_rankings = min(20_000, 400_000_000 // n_items**2)
        ranks, graph = full_rankings(n_rankings, n_items), similarity_graph(n_items)
        weights = graph.to_dense()
        ours, product = best_in_turn(
            partial(by_algorithm("dense", graph), ranks), partial(np.matmul, ranks, weights)
        )
        table.add_row(
            f"{n_rankings:,}",
            f"{n_items:,}",
            in_words(ours),
            in_words(product),
            f"{ours / product:.1f}",
            in_words(ours / n_rankings),
        )
    CONSOLE.print(table)


def growth() -> None:
    """Time per ranking as items and edges grow, by the algorithm chosen and by the others."""
    table = Table(title="Time of one full ranking, by algorithm (•: the one chosen), one thread")
    for column in ("items", "edges", "complete", "table", "dense", "sparse"):
        table.add_column(column, justify="right")
    graphs = [similarity_graph(n) for n in (8, 12, 16, 18, 20, 50, 100, 200, 500, 1000, 2000)]
    graphs += [similarity_graph(n, keep) for n in (100, 1000) for keep in (0.02, 0.1, 0.3)]
    for n_items in (1000, 10_000, 100_000):
        features = RNG.random((n_items, 3))
        for n_neighbors in (10, 20, 40) if n_items == 10_000 else (20,):
            graphs.append(NeighborGraph(features, n_neighbors=n_neighbors).build())
    for graph in graphs:
        n_items = graph.n_items
        n_rankings = max(2, min(20_000, 400_000 // n_items))
        ranks = full_rankings(n_rankings, n_items)
        chosen = fastest_algorithm(graph)
        cells = []
        for algorithm in ("complete", "table", "dense", "sparse"):
            if (algorithm == "table" and n_items > 20) or (algorithm == "dense" and n_items > 2000):
                cells.append("–")
                continue
            given = ItemGraph.complete(n_items) if algorithm == "complete" else graph
            seconds = best_seconds(partial(by_algorithm(algorithm, given), ranks), runs=3)
            words = in_words(seconds / n_rankings)
            cells.append(f"• {words}" if algorithm == chosen else words)
        table.add_row(f"{n_items:,}", f"{graph.n_edges:,}", *cells)
    CONSOLE.print(table)


def single_rows() -> None:
    """Transform of one row, called repeatedly, compared with the cost of checking that row."""
    table = Table(title="One row at a time, of many calls, processor time")
    columns = (
        "items",
        "the row itself",
        "validate_data",
        "transform",
        "StandardScaler",
        "above it",
    )
    for column in columns:
        table.add_column(column, justify="right")
    for n_items in (16, 1000):
        ranks, graph = full_rankings(1000, n_items), similarity_graph(n_items)
        model = GraphCutFeatures(graph).fit(ranks)
        scaler = StandardScaler().fit(ranks)
        row = ranks[:1]
        own = best_processor_seconds(partial(model.transform, ranks), runs=5) / len(ranks)
        calls = 10_000 // (1 if n_items == 16 else 10)
        checked, ours, theirs = (
            best_processor_seconds(partial(_repeat, work, calls), runs=3) / calls
            for work in (
                partial(validate_data, model, row, reset=False),
                partial(model.transform, row),
                partial(scaler.transform, row),
            )
        )
        above = ours - checked - 2 * own
        cells = map(in_words, (own, checked, ours, theirs))
        table.add_row(f"{n_items:,}", *cells, f"{above * 1e6:.0f} µs (goal: 60 at most)")
    CONSOLE.print(table)
    CONSOLE.print("Above it: transform minus validate_data minus twice the row itself.\n")


def _repeat(work: Callable[[], object], calls: int) -> None:
    for _ in range(calls):
        work()


def threads() -> None:
    ranks, graph = full_rankings(200_000, 20), similarity_graph(20)
    one, two = (best_seconds(partial(graph_cut_features, ranks, graph, n_jobs=n)) for n in (1, 2))
    CONSOLE.print(
        f"200,000 rankings of 20 items: one thread {in_words(one)}, two {in_words(two)}: "
        f"[bold]{one / two:.2f} times[/bold] as fast\n"
    )


PARTS = {
    "paper": against_the_paper,
    "dense": against_a_matrix_product,
    "single": single_rows,
    "growth": growth,
    "threads": threads,
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    for part in parser.parse_args().only:
        # One thread for matrix products too, to compare a core with a core.
        with threadpool_limits(1 if part == "dense" else None):
            PARTS[part]()
