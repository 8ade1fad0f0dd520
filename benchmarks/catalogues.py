"""Large catalogues and many rankings: time and memory.

Run with: python benchmarks/catalogues.py [TABLE…]

The first table, ``catalogues``, takes 50,000 lists of 10 out of 100,000 items through each
estimator, one process for each, and prints the time of one processor and the largest memory in
use. The other is ``short-lists``.
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
from rankcut.kernels.graph_cut import GraphCutVectors
from rankcut.kernels.nearest import InvertedLists, nearest_of
from rankcut.similar import LikenessFeatures

CONSOLE = Console(width=130)
RNG = np.random.default_rng(0)


def seconds_of(work: Callable[[], object]) -> tuple[float, object]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def in_groups(n: int, n_features: int) -> np.ndarray:
    """Points around 200 centres, as items of a catalogue are."""
    centres = RNG.standard_normal((200, n_features))
    return centres[RNG.integers(200, size=n)] + 0.7 * RNG.standard_normal((n, n_features))


def similar_short_lists() -> None:
    """Inverted lists against the comparison of all pairs; both find all."""
    table = Table(title="The 10 nearest of 1,000 of 20,000 lists of 10 out of 20,000 items")
    columns = ("vectors", "items", "all pairs", "making the lists", "their search", "ratio")
    for column in columns:
        table.add_column(column, justify="right")
    for popular in (True, False):
        graph_cuts, lists = short_lists(20_000, 20_000, popular=popular)
        for name, features in (
            ("graph cuts", graph_cuts),
            ("likeness", LikenessFeatures(unranked="last")),
        ):
            vectors = features.fit(lists).compact(lists)
            queries = vectors[:1000]
            pairs, whole = seconds_of(partial(by_all_pairs, queries, vectors))
            inverted, own = seconds_of(partial(InvertedLists, vectors, normalize=True))
            own.nearest(queries[:2], 10)
            ours, found = seconds_of(partial(own.nearest, queries, 10))
            np.testing.assert_allclose(found.values, whole.values, atol=1e-9)
            table.add_row(
                name,
                "some popular" if popular else "none popular",
                in_words(pairs),
                in_words(inverted),
                in_words(ours),
                f"{pairs / ours:.1f}",
            )
    CONSOLE.print(table)


def by_all_pairs(queries: Any, vectors: Any) -> Any:
    """The search that compares all pairs."""
    left, right = GraphCutVectors(queries), GraphCutVectors(vectors)
    return nearest_of(left, right, k=10, normalize=True, n_jobs=1)


def short_lists(
    n_rankings: int, n_items: int, *, popular: bool
) -> tuple[GraphCutFeatures, sparse.csr_array]:
    """Lists of 10 of 100 items in one of 200 groups, and features in closed form.

    The i-th item of a group is listed in proportion to 1/i, or all of them alike; then lists
    hardly overlap.
    """
    points = in_groups(n_items, 3)
    size = n_items // 200
    shares = 1.0 / np.arange(1, size + 1) if popular else np.ones(size)
    shares /= shares.sum()
    chosen = [
        size * RNG.integers(200) + RNG.choice(size, 10, replace=False, p=shares)
        for _ in range(n_rankings)
    ]
    places = np.tile(np.arange(1.0, 11), n_rankings)
    starts = np.arange(0, 10 * n_rankings + 1, 10)
    lists = sparse.csr_array((places, np.concatenate(chosen), starts), (n_rankings, n_items))
    graph = NeighborGraph(points, n_neighbors=10).build()
    return GraphCutFeatures(graph, unranked="anywhere", completions="closed_form"), lists


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
    "short-lists": similar_short_lists,
}


if __name__ == "__main__":
    if sys.argv[1:2] == ["step"]:
        catalogue_step(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        sys.exit()
    for name in sys.argv[1:] or TABLES:
        TABLES[name]()
