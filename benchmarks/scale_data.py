"""Rankings for benchmarks/scale.py: generated into Parquet files, and read back by blocks."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.sparse import csr_array

from rankcut.dask.parquet import block_places


def generate(folder, n_rankings, n_items, block):
    """Parquet files of up to ten blocks each: a column for each item, and the type of user."""
    rng = np.random.default_rng(0)
    utilities = rng.normal(size=(2, n_items)).astype(np.float32)
    noise = np.float32(4.0 * np.sqrt(n_items / 10))
    folder.mkdir(parents=True)
    written = 0
    for number in range(-(-n_rankings // (10 * block))):
        writer = None
        for _ in range(10):
            size = min(block, n_rankings - written)
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
            writer.write_table(table, row_group_size=block)
            written += size
        writer.close()


def places_of(folder, n_rankings):
    """The first blocks, each a row group, with this many rankings in all."""
    with pq.ParquetFile(min(folder.iterdir())) as file:
        block = file.metadata.row_group(0).num_rows
    chosen, total = [], 0
    for place in block_places(str(folder), rows=block):
        if total < n_rankings:
            chosen.append(place)
            total += place.n_rows
    assert total == n_rankings, f"{n_rankings} rankings are not a whole number of blocks"
    return chosen


def read_ranks(place):
    return np.column_stack(read_columns(place)[:-1])


def read_types(place):
    return read_columns(place, ["type"])[0]


def read_columns(place, names=None):
    with pq.ParquetFile(place.file) as file:
        table = file.read_row_groups(list(place.groups), columns=names, use_threads=False)
    return [column.to_numpy() for column in table.columns]


def incomplete(n_rankings, n_items, seed):
    """A CSR array of ranks: each ranking has 20 items that occur once, most of them popular."""
    rng = np.random.default_rng(seed)
    width = min(20, n_items)
    steps = rng.integers(1, max(2, n_items // width), size=(n_rankings, width))
    items = np.minimum(np.cumsum(steps, axis=1) - 1, n_items - width + np.arange(width))
    ranks = np.argsort(rng.random((n_rankings, width)), axis=1) + 1.0
    starts = np.arange(n_rankings + 1) * width
    return csr_array((ranks.ravel(), items.ravel(), starts), shape=(n_rankings, n_items))
