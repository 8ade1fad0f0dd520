"""Dask: rankings larger than memory, on one machine or a cluster. Only this package uses Dask.

Features, kernels and Gaussian processes take Dask DataFrames, and Dask arrays of dense or CSR
blocks. For whole jobs on Parquet files there are

==========================  ==================================================================
:func:`read_parquet`        rankings in blocks, read when they are needed
:func:`write_features`      their vectors, as the parts of a directory
:func:`write_gram`          their Gram matrix, as a Zarr array
:func:`cluster`             a cluster to do that on
==========================  ==================================================================

which the command calls too. Parts finished before an interruption are kept.

The columns and types of a collection are known without computing it. A placeholder row
(:func:`stand_in`) is checked like rows in memory. Large objects that a function needs, such as an
item graph, are one object of Dask's task graph that all tasks share, so each worker receives them
once. Dask is imported only when it is used.
"""

from rankcut.dask import estimators as estimators
from rankcut.dask.parquet import ParquetRankings as ParquetRankings
from rankcut.dask.parquet import read_parquet as read_parquet
from rankcut.dask.parquet import write_features as write_features
from rankcut.dask.parquet import write_gram as write_gram
from rankcut.dask.tasks import cluster as cluster

__all__ = ["ParquetRankings", "cluster", "read_parquet", "write_features", "write_gram"]
