"""Gram matrices of incomplete rankings against the BLAS product of the same vectors.

Run with: python benchmarks/gram.py

Processor time of one thread, the least of a few runs; lists of random lengths. Memory is what is
held at once above the vectors and the Gram matrix.
"""

import tracemalloc
from functools import partial

import numpy as np
from tables import print_table
from threadpoolctl import threadpool_limits
from timing import best_processor_seconds, in_words

from rankcut.kernels import kendall_features, kendall_kernel

KERNELS = {
    "Kendall": (kendall_features, kendall_kernel),
}


def lists(n_rankings, n_items):
    """Lists of the best of all items, of random lengths."""
    rng = np.random.default_rng(0)
    ranks = np.argsort(np.argsort(rng.random((n_rankings, n_items)), axis=1), axis=1) + 1.0
    ranks[ranks > rng.integers(2, n_items, size=(n_rankings, 1))] = np.nan
    return ranks


def main():
    rows = []
    for n_rankings, n_items in ((1_000, 50), (1_000, 100), (500, 200), (300, 400)):
        ranks = lists(n_rankings, n_items)
        for name, (features, kernel) in KERNELS.items():
            vectors = features(ranks, unranked="anywhere")
            product = best_processor_seconds(partial(np.matmul, vectors, vectors.T), runs=3)
            n_bytes = vectors.nbytes
            del vectors
            work = partial(kernel, ranks, unranked="anywhere")
            ours = best_processor_seconds(work, runs=3)
            tracemalloc.start()
            gram = work()
            above = tracemalloc.get_traced_memory()[1] - n_bytes - gram.nbytes
            tracemalloc.stop()
            rows.append(
                [
                    name,
                    f"{n_rankings:,}",
                    n_items,
                    in_words(ours),
                    in_words(product),
                    f"{ours / product:.1f}",
                    f"{max(0, above) / 2**20:.0f} MB",
                ]
            )
    print_table(
        "Incomplete rankings, one thread",
        ["kernel", "rankings", "items", "Gram", "product", "ratio", "above"],
        rows,
    )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
