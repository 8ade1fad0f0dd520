"""How long ``rankcut features`` takes, beside reading the same file and writing an output of that
size.

Run with: python -m benchmarks.cuts.large_files [--rows 1000000]

Full rankings of 20 items. Reading is PyArrow's for Parquet and Polars' for CSV, on one thread;
writing is NumPy's. Processor time, the least of two runs; the start of the command, measured on a
file of one row, is taken off. Memory is the most that the process of the command holds at once.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

N_ITEMS = 20
BLOCKS = (1_000, 16_384, 100_000)
READ = {
    "parquet": "import pyarrow.parquet as pq\n"
    "table = pq.read_table(file, use_threads=False)\ncolumns = table.columns\n",
    "csv": "import polars as pl\ncolumns = pl.read_csv(file).get_columns()\n",
}
WRITE = (
    "import numpy as np\nnp.save(out, np.column_stack([np.asarray(c, float) for c in columns]))\n"
)
EMPTY = {"parquet": "import pyarrow.parquet, numpy", "csv": "import polars, numpy"}
ONE_THREAD = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def write_rankings(folder, n_rows):
    """The same full rankings as Parquet and as CSV, a part at a time."""
    import polars as pl
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = [f"item {i}" for i in range(N_ITEMS)]
    writer = None
    with open(folder / "rankings.csv", "wb") as text:
        for start in range(0, n_rows, 250_000):
            size = min(250_000, n_rows - start)
            ranks = np.argsort(rng.random((size, N_ITEMS)), axis=1) + 1
            table = pl.DataFrame(ranks, schema=names, orient="row")
            table.write_csv(text, include_header=start == 0)
            arrow = table.to_arrow()
            writer = writer or pq.ParquetWriter(folder / "rankings.parquet", arrow.schema)
            writer.write_table(arrow)
    writer.close()


def processor_time(arguments, runs=2):
    """Least processor time of a few runs of a process, and the most memory it has held, in MB."""
    spent, held = [], []
    for _ in range(runs):
        process = subprocess.Popen(
            arguments, stdout=subprocess.DEVNULL, env={**os.environ, **ONE_THREAD}
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, arguments)
        spent.append(used.ru_utime + used.ru_stime)
        held.append(used.ru_maxrss / 1024)
    return min(spent), max(held)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    n_rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        # In a process of its own: what this one holds counts for those that it starts.
        writer = multiprocessing.get_context("spawn").Process(
            target=write_rankings, args=(folder, n_rows)
        )
        writer.start()
        writer.join()
        (folder / "one.csv").write_text("a,b,c\n1,2,3\n", encoding="utf-8")
        command = [sys.executable, "-m", "rankcut", "features"]
        start, _ = processor_time([*command, str(folder / "one.csv"), "-o", str(folder / "o.npy")])
        print(f"{n_rows:,} rankings of {N_ITEMS} items; the command starts in {start:.2f} s")
        for kind, reading in READ.items():
            file = str(folder / f"rankings.{kind}")
            ours, held = processor_time([*command, file, "-o", str(folder / "out.npy")])
            program = f"file, out = {file!r}, {str(folder / 'raw.npy')!r}\n{reading}{WRITE}"
            raw, raw_held = processor_time([sys.executable, "-c", program])
            empty, _ = processor_time([sys.executable, "-c", EMPTY[kind]])
            ours, raw = ours - start, raw - empty
            print(
                f"  {kind}: command {ours:.2f} s, read and write {raw:.2f} s: {ours / raw:.1f} "
                f"times; {held:.0f} MB held at most, {raw_held:.0f} MB by reading and writing",
                flush=True,
            )
        file = str(folder / "rankings.parquet")
        for rows in BLOCKS:
            _, held = processor_time(
                [*command, file, "-o", str(folder / "out.npy"), "--block", str(rows)], runs=1
            )
            print(f"  parquet, blocks of {rows:,} rows: {held:.0f} MB held at most", flush=True)


if __name__ == "__main__":
    main()
