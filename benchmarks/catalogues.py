"""Large catalogues and many rankings: time and memory.

Run with: python benchmarks/catalogues.py [TABLE…]

The first table, ``catalogues``, takes 50,000 lists of 10 out of 100,000 items through each
estimator, one process for each, and prints the time of one processor and the largest memory in
use. The other is ``search``: the nearest of all lists among themselves, beside a product of the
same vectors, on one processor.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline
from timing import in_words

from rankcut import (
    CoListingGraph,
    GPClassifier,
    GraphCutFeatures,
    NeighborGraph,
    RankingClassifier,
    SimilarRankings,
)
from rankcut.similar import LikenessFeatures

CONSOLE = Console(width=130)


def processor_seconds(*works: Callable[[], object]) -> list[float]:
    """The least time of each of these; they take turns, so that a busy machine slows all alike."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(3):
        for own, work in zip(times, works, strict=True):
            start = time.process_time()
            work()
            own.append(time.process_time() - start)
    return [min(own) for own in times]


def search_and_product() -> None:
    """Search of all lists for their neighbours, against a product of the same vectors, filled in.

    The product of a matrix with its own transpose is half of another one: BLAS knows.
    """
    table = Table(title="The 10 nearest of each list among all, against D @ D.T")
    for column in ("lists", "of", "items", "vectors", "searched", "search", "product", "ratio"):
        table.add_column(column, justify="right")
    for n_lists, k, n_items in (
        (1_874, 10, 4_973),
        (5_000, 20, 2_000),
        (610, 160, 9_724),
        (943, 100, 1_682),
        (3_000, 10, 50),
    ):
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
            table.add_row(
                f"{n_lists:,}",
                str(k),
                f"{n_items:,}",
                name,
                "by lists" if search._lists is not None else "all pairs",
                in_words(own),
                in_words(product),
                f"{own / product:.2f}",
            )
    CONSOLE.print(table)


def popular_lists(n_lists: int, k: int, n_items: int) -> sparse.csr_array:
    """Lists of k items; the i-th is listed about in proportion to i^−0.8."""
    rng = np.random.default_rng(0)
    shares = np.arange(1, n_items + 1) ** -0.8
    shares /= shares.sum()
    chosen = [np.sort(rng.choice(n_items, k, False, shares)) for _ in range(n_lists)]
    places = np.argsort(rng.random((n_lists, k)), axis=1) + 1.0
    starts = np.arange(0, k * n_lists + 1, k)
    return sparse.csr_array((places.ravel(), np.concatenate(chosen), starts), (n_lists, n_items))


def catalogue_lists(
    n_rankings: int, n_items: int, k: int, seed: int = 0
) -> tuple[sparse.csr_array, np.ndarray]:
    """Lists of items of one of many groups, and a label that depends on the group.

    A fifth of the labels are wrong, so no model can be right about more than 80 % of them.
    """
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, n_items // 100, n_rankings)
    chosen = np.argsort(rng.random((n_rankings, 100)), axis=1)[:, :k] + 100 * groups[:, None]
    ranks = np.argsort(rng.random((n_rankings, k)), axis=1) + 1.0
    starts = np.arange(0, n_rankings * k + 1, k)
    lists = sparse.csr_array((ranks.ravel(), chosen.ravel(), starts), (n_rankings, n_items))
    lists.sort_indices()
    return lists, (groups % 2) ^ (rng.random(n_rankings) < 0.2)


def _clusters(lists: sparse.csr_array) -> object:
    return KMeans(10, n_init=1, max_iter=20, random_state=0).fit(
        GraphCutFeatures(unranked="last").fit_transform(lists)
    )


def item_tags(n_items: int, seed: int = 0) -> sparse.csr_array:
    """TF-IDF of about ten tags for each item; the i-th most popular tag is as frequent as 1/i."""
    rng = np.random.default_rng(seed)
    n_tags = n_items // 10
    shares = 1.0 / np.arange(1, n_tags + 1)
    sizes = 1 + rng.poisson(9, n_items)
    tags = rng.choice(n_tags, sizes.sum(), p=shares / shares.sum())
    starts = np.concatenate([[0], np.cumsum(sizes)])
    counts = sparse.csr_array((np.ones(len(tags)), tags, starts), (n_items, n_tags))
    counts.sum_duplicates()
    return sparse.csr_array(TfidfTransformer().fit_transform(counts))


def _graph_of_tags(lists: sparse.csr_array, labels: np.ndarray) -> str:
    tags = item_tags(lists.shape[1])
    graph = NeighborGraph(tags, metric="cosine", n_neighbors=10).build()
    return f"{tags.shape[1]:,} tags, {tags.nnz / tags.shape[0]:.0f} an item; {graph!r}"


def _right(model: Any, n_items: int) -> str:
    """How many labels of other lists a model predicts."""
    lists, labels = catalogue_lists(2000, n_items, 10, seed=1)
    return f"{(model.predict(lists) == labels).mean():.0%} of other labels right"


def _classifier(lists: sparse.csr_array, labels: np.ndarray) -> str:
    return _right(RankingClassifier().fit(lists, labels), lists.shape[1])


def _gaussian_process(lists: sparse.csr_array, labels: np.ndarray) -> str:
    model = make_pipeline(
        GraphCutFeatures(unranked="last", normalize=True),
        TruncatedSVD(100, random_state=0),
        GPClassifier(),
    ).fit(lists, labels)
    kept = model[1].explained_variance_ratio_.sum()
    return f"{kept:.0%} of the variance, {_right(model, lists.shape[1])}"


STEPS: dict[str, Callable[[sparse.csr_array, np.ndarray], object]] = {
    "read": lambda lists, labels: None,
    "NeighborGraph of tags, cosine": _graph_of_tags,
    "GraphCutFeatures, last": lambda lists, labels: GraphCutFeatures(unranked="last").fit_transform(
        lists
    ),
    "GraphCutFeatures, last, learned graph": lambda lists, labels: GraphCutFeatures(
        CoListingGraph(), unranked="last"
    ).fit_transform(lists),
    "KMeans of these": lambda lists, labels: _clusters(lists),
    "RankingClassifier": _classifier,
    "SimilarRankings, 1,000 queries": lambda lists, labels: (
        SimilarRankings(unranked="last").fit(lists).kneighbors(lists[:1000])
    ),
    "the same by graph cuts": lambda lists, labels: (
        SimilarRankings(GraphCutFeatures(unranked="last")).fit(lists).kneighbors(lists[:1000])
    ),
    "GPClassifier of 100 components": _gaussian_process,
}


def catalogue_step(name: str, n_rankings: int, n_items: int) -> None:
    """One step, in a process of its own."""
    lists, labels = catalogue_lists(n_rankings, n_items, 10)
    start = time.process_time()
    found = STEPS[name](lists, labels)
    seconds = time.process_time() - start
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{seconds:.1f}\t{gigabytes:.2f}\t{found if isinstance(found, str) else ''}")


def catalogues(n_rankings: int = 50_000, n_items: int = 100_000) -> None:
    """Everything on lists of 10 of a large catalogue."""
    table = Table(title=f"{n_rankings:,} lists of 10 out of {n_items:,} items")
    for column in ("what", "processor seconds", "peak memory, GiB", ""):
        table.add_column(column, justify="right")
    for name in STEPS:
        arguments = [sys.executable, __file__, "step", name, str(n_rankings), str(n_items)]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        cells = done.stdout.strip("\n").split("\t") if done.returncode == 0 else ["failed", "", ""]
        table.add_row(name, *cells)
    CONSOLE.print(table)


TABLES = {
    "catalogues": catalogues,
    "search": search_and_product,
}


if __name__ == "__main__":
    if sys.argv[1:2] == ["step"]:
        catalogue_step(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        sys.exit()
    for name in sys.argv[1:] or TABLES:
        TABLES[name]()
