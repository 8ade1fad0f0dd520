"""How long it takes to find the ten nearest lists of each list, beside the product D @ D.T of the
same vectors as dense rows, of which BLAS computes one half. Processor time, the least of three runs
in turn. A search takes at most twice the product, except with ten items: there, products take less
time than finding the best of each row.

Run with: python -m benchmarks.similar.search
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import sparse

from benchmarks.timing import in_words
from rankcut import CoListingGraph, GraphCutFeatures, SimilarRankings
from rankcut.similar import LikenessFeatures

CASES = (
    (1_874, 10, 4_973),
    (5_000, 20, 2_000),
    (610, 160, 9_724),
    (943, 100, 1_682),
    (3_000, 10, 50),
    (2_000, 2, 10),
)
"""How many lists, of how many items each, out of how many."""


def processor_seconds(*works: Callable[[], object]) -> list[float]:
    """The least time of each of these; they take turns, so that a busy machine slows all alike."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(3):
        for own, work in zip(times, works, strict=True):
            start = time.process_time()
            work()
            own.append(time.process_time() - start)
    return [min(own) for own in times]


def main() -> None:
    print("| lists | listed | items | vectors | how | search | product | ratio |")
    print("|---:|---:|---:|---|---|---:|---:|---:|")
    for n_lists, k, n_items in CASES:
        lists = popular_lists(n_lists, k, n_items)
        for name, features in (
            ("likeness", LikenessFeatures(unranked="last")),
            ("graph cuts", GraphCutFeatures(unranked="last")),
            ("smoothed", GraphCutFeatures(CoListingGraph(), unranked="last", smoothing=2)),
        ):
            search = SimilarRankings(features, n_jobs=1).fit(lists)
            vectors = features.fit(lists).transform(lists)
            dense = vectors.toarray() if sparse.issparse(vectors) else vectors
            search.kneighbors()  # compiles
            own, product = processor_seconds(search.kneighbors, partial(np.matmul, dense, dense.T))
            how = "by lists" if search._lists is not None else "all pairs"
            print(
                f"| {n_lists:,} | {k} | {n_items:,} | {name} | {how} "
                f"| {in_words(own)} | {in_words(product)} | {own / product:.2f} |",
                flush=True,
            )


def popular_lists(n_lists: int, k: int, n_items: int) -> sparse.csr_array:
    """Lists of k items; the i-th is listed about in proportion to i^−0.8."""
    rng = np.random.default_rng(0)
    shares = np.arange(1, n_items + 1) ** -0.8
    shares /= shares.sum()
    chosen = [np.sort(rng.choice(n_items, k, False, shares)) for _ in range(n_lists)]
    places = np.argsort(rng.random((n_lists, k)), axis=1) + 1.0
    starts = np.arange(0, k * n_lists + 1, k)
    return sparse.csr_array((places.ravel(), np.concatenate(chosen), starts), (n_lists, n_items))


if __name__ == "__main__":
    main()
