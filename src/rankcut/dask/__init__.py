"""Dask: rankings larger than memory, on one machine or a cluster. Only this package uses Dask.

Estimators, kernels and converters take Dask DataFrames and Dask arrays, whose blocks are dense or
CSR, and return collections with the same blocks. For whole jobs on Parquet files there are

==========================  ==================================================================
:func:`read_parquet`        rankings in blocks, read when they are needed
:func:`write_features`      their vectors, as the parts of a directory
:func:`write_gram`          their Gram matrix, as a Zarr array
:func:`nearest_to`          the rankings nearest to one of them
:func:`cross_validate`      how well a class can be predicted from them
:func:`cluster`             a cluster to do that on
==========================  ==================================================================

which the command calls too. Parts finished before an interruption are kept.

The columns and types of a collection are known without computing it. A placeholder row
(:func:`stand_in`) is checked like rows in memory. Large objects that a function needs, such as an
item graph, are one object of Dask's task graph that all tasks share, so each worker receives them
once. Dask is imported only when it is used.
"""

from rankcut.dask import estimators as estimators
from rankcut.dask import gram as gram
from rankcut.dask.gp import cross_validate as cross_validate
from rankcut.dask.gram import write_gram as write_gram
from rankcut.dask.reading import ParquetRankings as ParquetRankings
from rankcut.dask.reading import read_parquet as read_parquet
from rankcut.dask.tasks import cluster as cluster
from rankcut.dask.vectors import computed_vectors as computed_vectors
from rankcut.dask.vectors import nearest_to as nearest_to
from rankcut.dask.vectors import write_features as write_features

__all__ = [
    "ParquetRankings",
    "cluster",
    "computed_vectors",
    "cross_validate",
    "nearest_to",
    "read_parquet",
    "write_features",
    "write_gram",
]
