"""Dask: the one place that knows it, for collections, directories of Parquet files, and clusters.

Rows come as Dask arrays, whose blocks are dense or CSR, or as Dask DataFrames. What is known of
them without computing anything, their columns and types, is known by a row that stands in for
them (:func:`stand_in`); with it everything is checked, and refused, as it is in memory. What a
function needs, such as an item graph, is one object of Dask's task graph which all tasks share,
so it comes to each worker once. The library itself is imported where it is used, and only there.
"""

from rankcut.dask.collections import RowBlocks, is_lazy, is_lazy_frame, row_blocks, stand_in
from rankcut.dask.mapping import map_rows
from rankcut.dask.tasks import computed, reduced, shared, shared_task, task

__all__ = [
    "RowBlocks",
    "computed",
    "is_lazy",
    "is_lazy_frame",
    "map_rows",
    "reduced",
    "row_blocks",
    "shared",
    "shared_task",
    "stand_in",
    "task",
]
