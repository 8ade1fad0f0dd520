"""Dask: rankings larger than memory, on one machine or a cluster. Only this package uses Dask.

Nearly every answer is a sum over rankings, or a function of each. So there are two ways in:

==========================  ==================================================================
:func:`add_up`              Σ over blocks of any function of a block: vectors, pairs, means,
                            gradients and curvatures, Gaussian processes (``fit_sums``)
:func:`merged`              the sum of the different rankings with their counts, for any estimator
:func:`map_rows`            any function of each row, block by block: vectors, predictions
:func:`gram`                a kernel of each ranking with each, block by block
==========================  ==================================================================

For whole jobs on Parquet files there are

==========================  ==================================================================
:func:`read_parquet`        rankings in blocks, read when they are needed
:func:`write_features`      their vectors, as the parts of a directory
:func:`write_gram`          their Gram matrix, as a Zarr array
:func:`cluster`             a cluster to do that on
==========================  ==================================================================

which the command calls too. Parts finished before an interruption are kept.

Large objects that a function needs, such as an item graph, are one object of Dask's task graph that
all tasks share, so each worker receives them once. Dask is imported only when it is used.
"""

from rankcut.dask.parquet import ParquetRankings as ParquetRankings
from rankcut.dask.parquet import read_parquet as read_parquet
from rankcut.dask.parquet import write_features as write_features
from rankcut.dask.parquet import write_gram as write_gram
from rankcut.dask.rows import gram as gram
from rankcut.dask.rows import map_rows as map_rows
from rankcut.dask.sums import add_up as add_up
from rankcut.dask.sums import merged as merged
from rankcut.dask.tasks import cluster as cluster

__all__ = [
    "ParquetRankings",
    "add_up",
    "cluster",
    "gram",
    "map_rows",
    "merged",
    "read_parquet",
    "write_features",
    "write_gram",
]
