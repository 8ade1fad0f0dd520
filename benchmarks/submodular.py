"""What set functions other than graph cuts cost: ratios measured side by side in one run.

Run with: python benchmarks/submodular.py
"""

from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits
from timing import best_seconds, in_words

from rankcut import SimilarityGraph, SubmodularFeatures
from rankcut.cuts import (
    ConcaveOfCardinality,
    Coverage,
    FromCallable,
    GaussianEntropy,
    GraphCut,
    Modular,
    SetFunction,
)

CONSOLE = Console(width=110)
RNG = np.random.default_rng(0)
SIZES = (10, 30, 100, 300)


def covariance(n_items: int) -> np.ndarray:
    """Like items vary together."""
    return SimilarityGraph(RNG.random((n_items, 3))).build().to_dense() + 1.1 * np.eye(n_items)


def random_functions(n: int) -> dict[str, SetFunction]:
    graph = SimilarityGraph(RNG.random((n, 3)))
    cut = GraphCut(graph, "dense")
    covers = [RNG.choice(4 * n, 10).tolist() for _ in range(n)]
    weights = RNG.random(n).tolist()
    matrix = covariance(n)
    return {
        "cut, all edges": cut,
        "cut, 5 % of edges": GraphCut(SimilarityGraph(RNG.random((n, 3)), keep=0.05), "sparse"),
        "of cardinality": ConcaveOfCardinality(np.sqrt, n),
        "coverage": Coverage(covers),
        "entropy": GaussianEntropy(matrix),
        "modular": Modular(weights),
        "2 · cut + coverage": 2.0 * cut + Coverage(covers),
        "Python callable": FromCallable(lambda items: np.sqrt(sum(weights[i] for i in items)), n),
    }


def full_rankings(n_rankings: int, n_items: int) -> np.ndarray:
    return RNG.permuted(np.tile(np.arange(1.0, n_items + 1), (n_rankings, 1)), axis=1)


def each_function() -> None:
    """Time of one full ranking, and how many times that of the dense graph cut.

    For n items, an item covers 10 of 4n elements.
    """
    table = Table(title="Features of one full ranking, by set function, one thread")
    table.add_column("set function")
    for n in SIZES:
        table.add_column(f"{n} items", justify="right")
        table.add_column("× cut", justify="right")
    cells: dict[str, list[str]] = {}
    for n in SIZES:
        functions = random_functions(n)
        cut_seconds = 0.0
        for name, function in functions.items():
            slow = name in ("Python callable", "entropy")
            # Enough for the cost of a call to vanish.
            n_rankings = max(20, 400_000 // n**2) if slow else max(400, 4_000_000 // n**2)
            ranks = full_rankings(n_rankings, n)
            model = SubmodularFeatures(function).fit(ranks)
            seconds = best_seconds(partial(model.transform, ranks), runs=3) / n_rankings
            cut_seconds = cut_seconds or seconds
            cells.setdefault(name, []).extend([in_words(seconds), f"{seconds / cut_seconds:.2g}"])
    for name, row in cells.items():
        table.add_row(name, *row)
    CONSOLE.print(table)


def separate_entropies(matrix: np.ndarray, order: np.ndarray) -> list[float]:
    """The entropies of all prefixes, each by a log-determinant of its own."""
    entropies = []
    for size in range(1, len(order) + 1):
        part = 2 * np.pi * np.e * matrix[np.ix_(order[:size], order[:size])]
        entropies.append(0.5 * np.linalg.slogdet(part)[1])
    return entropies


def entropy_chains() -> None:
    """One factorisation for a whole chain, against n separate log-determinants."""
    table = Table(title="Entropies of all n prefixes of an order, one thread")
    for column in ("items", "one factorisation", "n log-determinants", "times faster"):
        table.add_column(column, justify="right")
    for n in (*SIZES[:-1], 200):
        matrix = covariance(n)
        entropy = GaussianEntropy(matrix)
        orders = np.argsort(full_rankings(max(2, 2000 // n), n), axis=1)
        ours = best_seconds(partial(entropy.gains, orders), runs=5) / len(orders)
        theirs = best_seconds(partial(separate_entropies, matrix, orders[0]), runs=3)
        chain = np.cumsum(entropy.gains(orders[0])[0][orders[0]])
        assert np.allclose(chain, separate_entropies(matrix, orders[0]), atol=1e-9)
        table.add_row(f"{n}", in_words(ours), in_words(theirs), f"{theirs / ours:,.0f}")
    CONSOLE.print(table)


if __name__ == "__main__":
    # One thread for LAPACK too, to compare a core with a core.
    with threadpool_limits(1):
        each_function()
        entropy_chains()
