"""The runs of benchmarks/scale.py, each in a process of its own: what it prints last is its result.

Dask is imported where it is used, so that a run without it has nothing of it in memory.
"""

import json
import logging
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scale_data import incomplete, places_of, read_ranks, read_types
from scipy.sparse import csr_array

from rankcut import GPClassifier, GraphCutFeatures, NeighborGraph, SimilarityGraph
from rankcut.dask.tasks import WORKER_SETTINGS, shared
from rankcut.gp import weight_space

MEMORY = "1200MiB"  # of each worker: two of them keep the features of 10⁷ rankings, one does not


def transformer(n_items):
    points = np.random.default_rng(1).normal(size=(n_items, 3))
    features = GraphCutFeatures(SimilarityGraph(points), normalize=True, dtype="float32")
    return features.fit(np.arange(n_items)[None] + 1.0)


def warm_up(features, n_items):
    """Compile, or load what was compiled."""
    ranks = np.random.default_rng(2).permuted(np.tile(np.arange(n_items) + 1, (64, 1)), axis=1)
    GPClassifier().fit(features.transform(ranks), np.arange(64) % 2)
    return True


def cluster(n_workers):
    import dask
    from distributed import Client, LocalCluster

    # Dask warns about a graph of 35 MB, but that is what this run is about.
    large_graphs = {"distributed.admin.large-graph-warning-threshold": "1GB"}
    dask.config.set(WORKER_SETTINGS | large_graphs)
    local = LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=MEMORY,
        silence_logs=50,
    )
    return local, Client(local)


def run_plain(folder, n_rankings, n_items, _):
    """No Dask: features to a file of numbers, block by block, then a fit from its memory map."""
    features = transformer(n_items)
    warm_up(features, n_items)
    places = places_of(folder, n_rankings)
    began = time.perf_counter()
    path = Path(tempfile.mkdtemp(dir=folder.parent)) / "features.f4"
    X = np.memmap(path, np.float32, "w+", shape=(n_rankings, n_items))
    y = np.empty(n_rankings, dtype=np.int8)
    row = 0
    for place in places:
        rows = slice(row, row + place.n_rows)
        X[rows], y[rows] = features.transform(read_ranks(place)), read_types(place)
        row = rows.stop
    X.flush()
    of_features = time.perf_counter() - began
    X = np.memmap(path, np.float32, "r", shape=(n_rankings, n_items))
    return fitted(X, y, of_features, len(places))


def run_dask(folder, n_rankings, n_items, n_workers):
    """Features to a Zarr array on the workers, then a fit from that array, pass by pass."""
    import dask
    import dask.array as da

    features = transformer(n_items)
    local, client = cluster(n_workers)
    try:
        client.run(warm_up, features, n_items)
        places = places_of(folder, n_rankings)
        began = time.perf_counter()
        some_ranks, some_types = dask.delayed(read_ranks), dask.delayed(read_types)
        ranks = da.concatenate(
            [da.from_delayed(some_ranks(p), (p.n_rows, n_items), dtype=np.uint8) for p in places]
        )
        y = da.concatenate(
            [da.from_delayed(some_types(p), (p.n_rows,), dtype=np.int8) for p in places]
        )
        path = str(Path(tempfile.mkdtemp(dir=folder.parent)) / "features.zarr")
        features.transform(ranks).to_zarr(path)
        of_features = time.perf_counter() - began
        return fitted(da.from_zarr(path), y, of_features, len(places))
    finally:
        client.close()
        local.close()


def fitted(X, y, of_features, n_blocks):
    passes = counted_passes()
    began = time.perf_counter()
    model = GPClassifier().fit(X, y)
    return {
        "features": of_features,
        "fit": time.perf_counter() - began,
        "passes": passes(),
        "blocks": n_blocks,
        "steps": model.n_iter_,
        "elbo": model.elbo_,
        "coef": model.coef_[0].tolist(),
    }


def counted_passes():
    """Count passes over all rows from now on."""
    count = [0]
    evaluate = weight_space.WeightSpace.evaluate

    def counting(self, *arguments):
        count[0] += (
            not isinstance(self.rows, weight_space.LabelledRows) or len(self.rows.positive) > 10_000
        )
        return evaluate(self, *arguments)

    weight_space.WeightSpace.evaluate = counting
    return lambda: count[0]


def run_overhead(folder, n_rankings, n_items, _):
    """The same block function in a plain loop and with one and two workers, in turn."""
    import dask

    features = transformer(n_items)
    warm_up(features, n_items)
    places = places_of(folder, n_rankings)
    seconds = {"plain": [], "1": [], "2": []}
    clusters = {str(n): cluster(n) for n in (1, 2)}
    for _, client in clusters.values():
        client.run(warm_up, features, n_items)
    task, idle = dask.delayed(block_sum), dask.delayed(nothing)
    for _ in range(3):
        began = time.perf_counter()
        expected = sum(block_sum(features, place) for place in places)
        seconds["plain"].append(time.perf_counter() - began)
        for name, (_, client) in clusters.items():
            began = time.perf_counter()
            common = shared(features)
            parts = client.gather(client.compute([task(common, place) for place in places]))
            seconds[name].append(time.perf_counter() - began)
            assert sum(parts) == expected
    client = clusters["2"][1]
    began = time.perf_counter()
    client.gather(client.compute([idle(i) for i in range(2000)]))
    each = (time.perf_counter() - began) / 2000
    for local, client in clusters.values():
        client.close()
        local.close()
    best = {name: min(times) for name, times in seconds.items()}
    return {"seconds": best, "task": each, "blocks": len(places)}


def block_sum(features, place):
    return float(np.abs(features.transform(read_ranks(place))).sum(dtype=np.float64))


def nothing(i):
    return i


def run_catalogue(folder, n_rankings, n_items, n_workers):
    """Incomplete rankings of 20 items each over a large catalogue, in closed form, sparse."""
    import dask
    import dask.array as da

    began = time.perf_counter()
    points = np.random.default_rng(0).normal(size=(n_items, 3))
    graph = NeighborGraph(points, n_neighbors=20).build()
    of_graph = time.perf_counter() - began
    features = GraphCutFeatures(
        graph, unranked="anywhere", completions="closed_form", normalize=True
    )
    size = min(10_000, n_rankings)
    starts = range(0, n_rankings, size)
    features.fit(incomplete(size, n_items, 0))
    features.transform(incomplete(size, n_items, 0)[:10])

    began = time.perf_counter()
    plain = [features.transform(incomplete(size, n_items, at)).data.sum() for at in starts]
    of_plain = time.perf_counter() - began
    local, client = cluster(n_workers)
    client.run(warm_up, transformer(12), 12)
    began = time.perf_counter()
    made = [dask.delayed(incomplete)(size, n_items, at) for at in starts]
    nothing_yet = csr_array((0, n_items))
    blocks = [da.from_delayed(part, (size, n_items), meta=nothing_yet) for part in made]
    vectors = features.transform(da.concatenate(blocks)).to_delayed().ravel()
    total = dask.delayed(sum_of_data)
    sums = dask.compute([total(block) for block in vectors])[0]
    of_dask = time.perf_counter() - began
    assert np.array_equal(sums, plain)
    client.close()
    local.close()
    return {"edges": graph.n_edges, "graph": of_graph, "plain": of_plain, "dask": of_dask}


def sum_of_data(block):
    return block.data.sum()


RUNS = {
    "plain": run_plain,
    "dask": run_dask,
    "overhead": run_overhead,
    "catalogue": run_catalogue,
}


if __name__ == "__main__":
    name, folder, *numbers = sys.argv[1:]
    logging.disable()
    print(json.dumps(RUNS[name](Path(folder), *map(int, numbers))))
