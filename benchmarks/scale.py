"""Larger than memory: from Parquet files to features to a fitted Gaussian process, on a cluster.

    python benchmarks/scale.py                         # about three minutes on two cores
    python benchmarks/scale.py --rankings 10000000 --catalogue 100000 --incomplete 200000

Rankings of two types of user are generated into a directory that is removed at the end. Each run
is a process of its own whose memory, with that of all its children, is sampled ten times a second
(the sum of resident sets, in which what they share counts more than once).

The runs: without Dask, a plain loop over the same blocks and a fit from a memory map; with one and
two workers; two workers at a tenth and a hundredth of the size; Dask beside the plain loop on the
same block function in turn; incomplete rankings over a large catalogue. The cost model is fitted
to these measurements and printed with its forecast for 10⁹ rankings. The numbers are also written
to results/scale.json.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil
from scale_data import generate
from scale_model import cost_model, say_model
from tables import print_table

MOST_OF_A_BLOCK = 100_000  # rankings of a row group, which is a block
RUNS = Path(__file__).with_name("scale_runs.py")


def measured(run, folder, n_rankings, n_items, n_workers=0):
    """A run in a process of its own, and the most memory that it and its children had."""
    command = [sys.executable, str(RUNS), run, str(folder)]
    command += [str(n_rankings), str(n_items), str(n_workers)]
    workers = f", {n_workers} worker{'s' * (n_workers > 1)}" * bool(n_workers)
    print(f"{run}, {n_rankings:,} rankings{workers} …", end=" ", file=sys.stderr, flush=True)
    began = time.perf_counter()
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
    print(f"{time.perf_counter() - began:.0f} s", file=sys.stderr)
    return {**json.loads(said.splitlines()[-1]), "peak": peak[0] / 1e9, "rankings": n_rankings}


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rankings", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--catalogue", type=int, default=20_000, help="items of the catalogue")
    parser.add_argument("--incomplete", type=int, default=20_000, help="rankings over it")
    given = parser.parse_args()
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
    block = min(MOST_OF_A_BLOCK, m // 100)
    folder = root / "votes"
    began = time.perf_counter()
    generate(folder, m, n, block)
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(
        f"{m:,} rankings of {n} items: {size / 1e6:,.0f} MB of Parquet in "
        f"{time.perf_counter() - began:.0f} s"
    )
    some = m // 2
    overhead = measured("overhead", folder, some, n)
    seconds = overhead["seconds"]
    print_table(
        f"Features of {some:,} rankings, the same block function, the best of three in turn",
        ["", "seconds", "rankings/s", "of the plain loop"],
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
    print_table(
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
    print_table(
        "Ten and a hundred times the work, two workers",
        HEADER,
        [line("", run) for run in grown],
    )
    catalogue = measured("catalogue", root / "none", given.incomplete, given.catalogue, 2)
    k = given.incomplete
    print_table(
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
    say_model(model, n, block)
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
