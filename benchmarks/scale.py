"""Larger than memory: from Parquet files to features to a fitted Gaussian process, on a cluster.

    python benchmarks/scale.py                         # all of it
    python benchmarks/scale.py --rankings 200000 --items 12 --catalogue 5000

Rankings of two types of user are generated into a directory that is removed at the end. Each run
is a process of its own whose memory, with that of all its children, is sampled ten times a second
(the sum of resident sets, in which what they share counts more than once).

The runs: without Dask, a plain loop over the same blocks and a fit from a memory map; with one and
two workers; two workers at a tenth and a hundredth of the size; Dask beside the plain loop on the
same block function in turn; incomplete rankings over a large catalogue. The cost model is fitted
to these measurements and printed with what it says of 10⁹ rankings. The numbers are also written
to results/scale.json.
"""

import argparse
import json
import logging
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

GROUP = 100_000  # rankings of a row group, which is a block
MEMORY = "1200MiB"  # of each worker: two of them keep the features of 10⁷ rankings, one does not
MACHINE_CORES = 8
BILLION = 10**9


# --- data ------------------------------------------------------------------------------------


def generate(folder, n_rankings, n_items, seed=0):
    """Parquet files of up to ten blocks each: a column for each item, and the type of user."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    utilities = rng.normal(size=(2, n_items)).astype(np.float32)
    noise = np.float32(4.0 * np.sqrt(n_items / 10))
    folder.mkdir(parents=True)
    written = 0
    for number in range(-(-n_rankings // (10 * GROUP))):
        writer = None
        for _ in range(10):
            size = min(GROUP, n_rankings - written)
            if not size:
                break
            types = rng.integers(0, 2, size=size, dtype=np.int8)
            gumbel = -np.log(-np.log(rng.random((size, n_items), dtype=np.float32) + 1e-12))
            order = np.argsort(-(utilities[types] + noise * gumbel), axis=1)
            ranks = np.empty((size, n_items), dtype=np.uint8)
            np.put_along_axis(ranks, order, np.arange(1, n_items + 1, dtype=np.uint8)[None], axis=1)
            columns = {f"item{i}": ranks[:, i] for i in range(n_items)} | {"type": types}
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(folder / f"{number:04d}.parquet", table.schema)
            writer.write_table(table, row_group_size=GROUP)
            written += size
        writer.close()


def pieces_of(folder, n_rankings):
    """The first blocks with so many rankings."""
    from rankcut.files.parquet_pieces import parquet_pieces

    chosen, total = [], 0
    for piece in parquet_pieces(str(folder), GROUP):
        if total < n_rankings:
            chosen.append(piece)
            total += piece.n_rows
    assert total == n_rankings, f"{n_rankings} rankings are no whole number of blocks"
    return chosen


def read_ranks(piece):
    return np.column_stack(read_columns(piece)[:-1])


def read_types(piece):
    return read_columns(piece, ["type"])[0]


def read_columns(piece, names=None):
    import pyarrow.parquet as pq

    with pq.ParquetFile(piece.file) as file:
        table = file.read_row_groups(list(piece.groups), columns=names, use_threads=False)
    return [column.to_numpy() for column in table.columns]


# --- one run, in a process of its own -----------------------------------------------------------


def transformer(n_items):
    from rankcut import GraphCutFeatures, SimilarityGraph

    points = np.random.default_rng(1).normal(size=(n_items, 3))
    features = GraphCutFeatures(SimilarityGraph(points), normalize=True, dtype="float32")
    return features.fit(np.arange(n_items)[None] + 1.0)


def warm_up(features, n_items):
    """Compile, or load what was compiled."""
    from rankcut import GPClassifier

    ranks = np.random.default_rng(2).permuted(np.tile(np.arange(n_items) + 1, (64, 1)), axis=1)
    GPClassifier().fit(features.transform(ranks), np.arange(64) % 2)
    return True


def cluster(n_workers):
    import dask
    from distributed import Client, LocalCluster

    from rankcut.lazy.computing import WORKER_SETTINGS

    # A graph of 35 MB, of which Dask warns, is what the catalogue is about.
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
    from rankcut import GPClassifier

    features = transformer(n_items)
    warm_up(features, n_items)
    pieces = pieces_of(folder, n_rankings)
    began = time.perf_counter()
    path = Path(tempfile.mkdtemp(dir=folder.parent)) / "features.f4"
    X = np.memmap(path, np.float32, "w+", shape=(n_rankings, n_items))
    y = np.empty(n_rankings, dtype=np.int8)
    row = 0
    for piece in pieces:
        rows = slice(row, row + piece.n_rows)
        X[rows], y[rows] = features.transform(read_ranks(piece)), read_types(piece)
        row = rows.stop
    X.flush()
    of_features = time.perf_counter() - began
    X = np.memmap(path, np.float32, "r", shape=(n_rankings, n_items))
    return fitted(GPClassifier, X, y, of_features, len(pieces))


def run_dask(folder, n_rankings, n_items, n_workers):
    """Features to a Zarr array on the workers, then a fit from that array, pass by pass."""
    import dask
    import dask.array as da

    from rankcut import GPClassifier

    features = transformer(n_items)
    local, client = cluster(n_workers)
    try:
        client.run(warm_up, features, n_items)
        pieces = pieces_of(folder, n_rankings)
        began = time.perf_counter()
        some_ranks, some_types = dask.delayed(read_ranks), dask.delayed(read_types)
        ranks = da.concatenate(
            [da.from_delayed(some_ranks(p), (p.n_rows, n_items), dtype=np.uint8) for p in pieces]
        )
        y = da.concatenate(
            [da.from_delayed(some_types(p), (p.n_rows,), dtype=np.int8) for p in pieces]
        )
        path = str(Path(tempfile.mkdtemp(dir=folder.parent)) / "features.zarr")
        features.transform(ranks).to_zarr(path)
        of_features = time.perf_counter() - began
        return fitted(GPClassifier, da.from_zarr(path), y, of_features, len(pieces))
    finally:
        client.close()
        local.close()


def fitted(classifier, X, y, of_features, n_blocks):
    passes = counted_passes()
    began = time.perf_counter()
    model = classifier().fit(X, y)
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
    from rankcut.estimators.gp import weight_space

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

    from rankcut.lazy import shared

    features = transformer(n_items)
    warm_up(features, n_items)
    pieces = pieces_of(folder, n_rankings)
    seconds = {"plain": [], "1": [], "2": []}
    clusters = {str(n): cluster(n) for n in (1, 2)}
    for _, client in clusters.values():
        client.run(warm_up, features, n_items)
    task, idle = dask.delayed(block_sum), dask.delayed(nothing)
    for _ in range(3):
        began = time.perf_counter()
        expected = sum(block_sum(features, piece) for piece in pieces)
        seconds["plain"].append(time.perf_counter() - began)
        for name, (_, client) in clusters.items():
            began = time.perf_counter()
            common = shared(features)
            parts = client.gather(client.compute([task(common, piece) for piece in pieces]))
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
    return {"seconds": best, "task": each, "blocks": len(pieces)}


def block_sum(features, piece):
    return float(np.abs(features.transform(read_ranks(piece))).sum(dtype=np.float64))


def nothing(i):
    return i


def run_catalogue(folder, n_rankings, n_items, n_workers):
    """Incomplete rankings of 20 items each over a large catalogue, in closed form, sparse."""
    import dask
    import dask.array as da
    from scipy.sparse import csr_array

    from rankcut import GraphCutFeatures, NeighborGraph
    from rankcut.graphs import as_item_graph

    began = time.perf_counter()
    points = np.random.default_rng(0).normal(size=(n_items, 3))
    graph = as_item_graph(NeighborGraph(points, n_neighbors=20))
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


def incomplete(n_rankings, n_items, seed):
    """A CSR array of ranks: each ranking has 20 items that occur once, most of them popular."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(seed)
    width = min(20, n_items)
    steps = rng.integers(1, max(2, n_items // width), size=(n_rankings, width))
    items = np.minimum(np.cumsum(steps, axis=1) - 1, n_items - width + np.arange(width))
    ranks = np.argsort(rng.random((n_rankings, width)), axis=1) + 1.0
    starts = np.arange(n_rankings + 1) * width
    return csr_array((ranks.ravel(), items.ravel(), starts), shape=(n_rankings, n_items))


RUNS = {
    "plain": run_plain,
    "dask": run_dask,
    "overhead": run_overhead,
    "catalogue": run_catalogue,
}


# --- all runs ---------------------------------------------------------------------------------


def measured(run, folder, n_rankings, n_items, n_workers=0):
    """A run in a process of its own, and the most memory that it and its children had."""
    import psutil

    command = [sys.executable, __file__, "--run", run, str(folder)]
    command += [str(n_rankings), str(n_items), str(n_workers), str(GROUP)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = [0]

    def sample():
        root = psutil.Process(process.pid)
        while process.poll() is None:
            total = 0
            try:
                for each in [root, *root.children(recursive=True)]:
                    total += each.memory_info().rss
            except psutil.Error:
                pass
            peak[0] = max(peak[0], total)
            time.sleep(0.1)

    sampling = threading.Thread(target=sample)
    sampling.start()
    said = process.communicate()[0]
    sampling.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return {**json.loads(said.splitlines()[-1]), "peak": peak[0] / 1e9, "rankings": n_rankings}


def table(title, header, rows):
    widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, *rows]:
        print("  ".join(f"{cell!s:>{width}}" for cell, width in zip(row, widths, strict=True)))
    sys.stdout.flush()


def line(name, run):
    m = run["rankings"]
    return [
        name,
        f"{m:,}",
        f"{run['features']:.1f}",
        f"{m / run['features']:,.0f}",
        f"{run['fit']:.1f}",
        run["passes"],
        f"{m * run['passes'] / run['fit']:,.0f}",
        f"{m / (run['features'] + run['fit']):,.0f}",
        f"{run['peak']:.2f}",
    ]


HEADER = [
    "",
    "rankings",
    "features s",
    "rankings/s",
    "fit s",
    "passes",
    "rows/s a pass",
    "all, rankings/s",
    "peak GB",
]


def cost_model(grown, overhead):
    """Seconds = start + rankings·a/cores for features, and rows·b/cores + blocks·d for a pass."""
    sizes = np.array([run["rankings"] for run in grown], dtype=float)
    start, each = fit_line(sizes, [run["features"] for run in grown])
    # A few distinct rows are fitted without any pass.
    passes = [run["fit"] / max(1, run["passes"]) for run in grown]
    start_pass, each_pass = fit_line(sizes, passes)
    return {
        "start": start,
        "a": 2 * each,
        "start_pass": start_pass,
        "b": 2 * each_pass,
        "d": overhead["task"],
        "passes": grown[-1]["passes"],
        "bytes": grown[-1]["bytes"],
    }


def fit_line(x, y):
    """A line that does not fall, nor begin below 0; relative errors count alike."""
    from scipy.optimize import nnls

    design = np.column_stack([np.ones(len(x)), x]) / np.asarray(y)[:, None]
    (intercept, slope), _ = nnls(design, np.ones(len(x)))
    return float(intercept), float(slope)


def say_model(model, n_items):
    print("\nThe cost model, fitted to the runs with two workers")
    print(f"  features:  {model['start']:.2f} s + {model['a'] * 1e6:.3f} µs of a core a ranking")
    print(
        f"  one pass:  {model['start_pass']:.2f} s + {model['b'] * 1e6:.3f} µs of a core a ranking"
    )
    print(f"  scheduler: {model['d'] * 1e3:.2f} ms a block, one block after the other")
    print(f"  passes:    {model['passes']}")
    rows = []
    for machines in (1, 4, 16, 64, 256):
        cores = machines * MACHINE_CORES
        for block in (GROUP, 10 * GROUP):
            blocks = BILLION / block
            by_features = max(BILLION * model["a"] / cores, blocks * model["d"])
            by_pass = max(BILLION * model["b"] / cores, blocks * model["d"])
            bottleneck = "scheduler" if by_pass <= blocks * model["d"] else "processors"
            total = model["start"] + by_features
            total += model["passes"] * (model["start_pass"] + by_pass)
            rows.append(
                [
                    machines,
                    cores,
                    f"{block:,}",
                    f"{by_features / 60:.1f}",
                    f"{by_pass / 60:.2f}",
                    f"{total / 60:.1f}",
                    f"{BILLION * 4 * n_items / machines / 1e9:.1f}",
                    bottleneck,
                ]
            )
    table(
        f"10⁹ rankings of {n_items} items, machines of {MACHINE_CORES} cores",
        [
            "machines",
            "cores",
            "block",
            "features min",
            "a pass min",
            "all min",
            "GB features each",
            "bound by",
        ],
        rows,
    )
    for block in (GROUP, 10 * GROUP):
        cores = block * model["b"] / model["d"]
        print(f"blocks of {block:,}: the scheduler is the bottleneck from {cores:,.0f} cores on")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rankings", type=int, default=10_000_000)
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--catalogue", type=int, default=100_000, help="items of the catalogue")
    parser.add_argument("--incomplete", type=int, default=200_000, help="rankings over it")
    parser.add_argument("--run", nargs=6, help=argparse.SUPPRESS)
    given = parser.parse_args()
    global GROUP
    if given.run:
        run, folder, *numbers, GROUP = (int(a) if a.isdecimal() else a for a in given.run)
        logging.disable()
        print(json.dumps(RUNS[run](Path(folder), *numbers)))
        return
    GROUP = min(GROUP, given.rankings // 100)
    root = Path(tempfile.mkdtemp(prefix="rankcut-scale-"))
    try:
        results = all_runs(root, given)
    finally:
        shutil.rmtree(root)
    target = Path(__file__).parent.parent / "results" / "scale.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(results, indent=1))


def all_runs(root, given):
    n, m = given.items, given.rankings
    folder = root / "votes"
    began = time.perf_counter()
    generate(folder, m, n)
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(
        f"{m:,} rankings of {n} items: {size / 1e6:,.0f} MB of Parquet in "
        f"{time.perf_counter() - began:.0f} s"
    )
    some = m // 2
    overhead = measured("overhead", folder, some, n)
    seconds = overhead["seconds"]
    table(
        f"Features of {some:,} rankings, the same block function, the best of three in turn",
        ["", "seconds", "rankings/s", "to the plain loop"],
        [
            [name, f"{s:.2f}", f"{some / s:,.0f}", f"{s / seconds['plain']:.2f}"]
            for name, s in zip(
                ["plain loop", "Dask, 1 worker", "Dask, 2 workers"], seconds.values(), strict=True
            )
        ],
    )
    print(f"Dask's overhead: {100 * (seconds['1'] / seconds['plain'] - 1):.1f} %")
    runs = {"no Dask": measured("plain", folder, m, n)}
    clear(root, folder)
    for workers in (1, 2):
        runs[f"{workers} worker{'s' * (workers > 1)}"] = measured("dask", folder, m, n, workers)
        clear(root, folder)
    table(
        "From Parquet to features to a fitted classifier",
        HEADER,
        [line(name, run) for name, run in runs.items()],
    )
    plain, dask = runs["no Dask"], runs["2 workers"]
    apart = np.abs(np.subtract(plain["coef"], dask["coef"])).max()
    print(f"ELBO apart by {abs(plain['elbo'] - dask['elbo']):.1e}, weights by {apart:.1e}")
    grown = [measured("dask", folder, m // factor, n, 2) for factor in (100, 10)]
    clear(root, folder)
    grown.append(dask)
    table(
        "As the work grows tenfold, twice, two workers",
        HEADER,
        [line("", run) for run in grown],
    )
    catalogue = measured("catalogue", root / "none", given.incomplete, given.catalogue, 2)
    k = given.incomplete
    table(
        f"{k:,} incomplete rankings over {given.catalogue:,} items, {catalogue['edges']:,} edges",
        ["graph s", "plain s", "rankings/s", "2 workers s", "rankings/s", "peak GB"],
        [
            [
                f"{catalogue['graph']:.1f}",
                f"{catalogue['plain']:.1f}",
                f"{k / catalogue['plain']:,.0f}",
                f"{catalogue['dask']:.1f}",
                f"{k / catalogue['dask']:,.0f}",
                f"{catalogue['peak']:.2f}",
            ]
        ],
    )
    grown[-1]["bytes"] = size / m
    model = cost_model(grown, overhead)
    say_model(model, n)
    return {
        "overhead": overhead,
        "runs": runs,
        "grown": grown,
        "catalogue": catalogue,
        "model": model,
    }


def clear(root, folder):
    """Remove what runs left beside the rankings."""
    for each in root.iterdir():
        if each != folder:
            shutil.rmtree(each)


if __name__ == "__main__":
    main()
