"""On real worker processes everything is as it is in memory, whatever happens to a worker."""

import os
import signal
import time
from functools import partial

import dask
import dask.array as da
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rankcut import (
    GPClassifier,
    GraphCutFeatures,
    GraphCutKernel,
    NeighborGraph,
    RankingSet,
    SimilarityGraph,
    graph_cut_features,
    make_food,
)
from rankcut.dask import add_up, gram, map_rows, merged
from rankcut.dask.tasks import computed

pytestmark = pytest.mark.slow

FOOD = make_food(60, kind="incomplete", random_state=0)
GRAPH = SimilarityGraph(FOOD.item_features)
OPTIONS = {"unranked": "anywhere"}


def lazy(ranks, rows=16):
    return da.from_array(ranks, chunks=(rows, -1))


def test_features_are_the_same_bits_and_frames_keep_their_index(client):
    model = GraphCutFeatures(GRAPH, **OPTIONS)
    expected = model.fit_transform(FOOD.ranks)
    lazily = map_rows(model.transform, lazy(FOOD.ranks))
    np.testing.assert_array_equal(lazily.compute(), expected)
    frame = pd.DataFrame(FOOD.ranks, columns=list("abcdefgh"), index=np.arange(60) * 2)
    model.fit(frame)
    lazily = map_rows(model.transform, dd.from_pandas(frame, npartitions=4), frame.columns)
    expected = pd.DataFrame(expected, columns=frame.columns, index=frame.index)
    pd.testing.assert_frame_equal(lazily.compute(), expected)
    kernel = GraphCutKernel(GRAPH, normalize=True, **OPTIONS)
    by_blocks = gram(kernel, lazy(FOOD.ranks)).compute()
    np.testing.assert_allclose(by_blocks, kernel(FOOD.ranks), atol=1e-14)


def test_sparse_blocks_stay_sparse(client):
    ranks = RankingSet(FOOD.ranks, tuple("abcdefgh")).sparse()
    parts = [dask.delayed(ranks[start : start + 20]) for start in (0, 20, 40)]
    blocks = [da.from_delayed(part, (20, 8), meta=ranks[:0]) for part in parts]
    graph = NeighborGraph(FOOD.item_features, n_neighbors=2)
    options = {**OPTIONS, "completions": "closed_form"}
    vectors = partial(graph_cut_features, graph=graph, **options)
    features = map_rows(vectors, da.concatenate(blocks)).compute()
    assert sparse.issparse(features)
    expected = graph_cut_features(ranks, graph, **options)
    np.testing.assert_array_equal(features.toarray(), expected.toarray())


def test_gp_fits_are_those_in_memory(client):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 6000)
    scores = rng.normal(size=(3, 10))[y] + 2 * rng.gumbel(size=(6000, 10))
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1.0
    vectors = partial(graph_cut_features, normalize=True)
    lazily, X = map_rows(vectors, lazy(ranks, 1100)), vectors(ranks)
    labels = da.from_array(y, chunks=700)
    model = GPClassifier().fit_sums(lambda part: add_up(part, lazily, labels))
    expected = GPClassifier().fit(X, y)
    assert model.elbo_ == pytest.approx(expected.elbo_, abs=1e-8)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-8)
    predicted = map_rows(model.predict_proba, lazily).compute()
    np.testing.assert_allclose(predicted, expected.predict_proba(X), atol=1e-8)


def test_sums_have_the_same_bits_on_workers(client):
    ranks = np.where(np.isnan(FOOD.ranks), 9.0, FOOD.ranks)
    X, scale = lazy(ranks, 7), np.pi

    def moments(block):
        return (block * scale).T @ block, len(block)

    with dask.config.set(scheduler="synchronous"):
        expected, votes = add_up(moments, X), merged(X)
    found = add_up(moments, X)
    np.testing.assert_array_equal(found[0], expected[0])
    assert found[1] == expected[1] == 60
    on_workers = merged(X)
    np.testing.assert_array_equal(on_workers.ranks, votes.ranks)
    np.testing.assert_array_equal(on_workers.counts, votes.counts)


class Held:
    """Features and a note of which worker made them; after eight blocks, on a sign only."""

    def __init__(self, folder):
        self.folder = folder
        self.home = os.getpid()  # which makes the row of the stand-in

    def __call__(self, block):
        if os.getpid() != self.home:
            while len(makers(self.folder)) >= 8 and not (self.folder / "go").exists():
                time.sleep(0.02)
            (self.folder / f"{os.getpid()}-{time.monotonic_ns()}").touch()
        return graph_cut_features(block, GRAPH, **OPTIONS)


def makers(folder):
    """The process of each note."""
    return [int(note.name.partition("-")[0]) for note in folder.glob("*-*")]


def test_a_killed_worker_costs_its_own_blocks_only(client, tmp_path):
    X = lazy(FOOD.ranks, 3)
    result = client.compute(map_rows(Held(tmp_path), X))
    deadline = time.monotonic() + 120
    while len(makers(tmp_path)) < 8:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(makers(tmp_path)[0], signal.SIGKILL)
    (tmp_path / "go").touch()
    np.testing.assert_array_equal(
        result.result(timeout=150), graph_cut_features(FOOD.ranks, GRAPH, **OPTIONS)
    )


def hoard(block):
    hoarded = [np.ones(1 << 24) for _ in range(8)]
    # Until the worker is ended, which watches its memory a few times a second.
    time.sleep(300.0)
    return block + len(hoarded) - 8


def test_a_worker_without_enough_memory_is_told_of(fragile):
    fragile(1, memory_limit="700MiB")
    with pytest.raises(MemoryError, match="make blocks smaller"):
        computed(map_rows(hoard, lazy(FOOD.ranks), nothing=np.empty((0, 8))))


def test_a_cluster_without_workers_does_not_wait_for_ever(fragile):
    if not hasattr(distributed.scheduler, "NoWorkerError"):
        pytest.skip("this version of Dask waits")
    with dask.config.set({"distributed.scheduler.no-workers-timeout": "1s"}):
        fragile(0)
    with pytest.raises(ConnectionError, match="no worker could take a block for two minutes"):
        computed(lazy(FOOD.ranks).sum())


def test_the_graph_is_one_task_that_the_blocks_share(client):
    kernel = GraphCutKernel(GRAPH, **OPTIONS)
    vectors = partial(graph_cut_features, graph=GRAPH, **OPTIONS)
    for name, collection in {
        "GraphCutKernel": gram(kernel, lazy(FOOD.ranks)),
        "partial": map_rows(vectors, lazy(FOOD.ranks)),
    }.items():
        (collection,) = dask.optimize(collection)
        tasks = dict(collection.__dask_graph__())
        (shared,) = [key for key in tasks if str(key).startswith(name)]
        n_users = sum(shared in task.dependencies for task in tasks.values())
        assert n_users == collection.npartitions
