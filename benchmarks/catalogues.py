"""A large catalogue: processor time and peak memory of each estimator on 50,000 lists of 10 out of
100,000 items, each in a process of its own.

Run with: python benchmarks/catalogues.py
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline

from rankcut import (
    CoListingGraph,
    GPClassifier,
    GraphCutFeatures,
    NeighborGraph,
    RankingClassifier,
    SimilarRankings,
)

CONSOLE = Console(width=130)


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
    return (
        f"{tags.shape[1]:,} tags, {tags.nnz / tags.shape[0]:.0f} an item; {graph.n_edges:,} edges"
    )


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


if __name__ == "__main__":
    if sys.argv[1:2] == ["step"]:
        catalogue_step(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        catalogues()
