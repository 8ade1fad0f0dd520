"""Dask tasks, collections of rows, and where they are computed: results, errors, a cluster."""

import logging
import math
import signal
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array, issparse

from rankcut.errors import InputError, Setting
from rankcut.parameters import KEPT
from rankcut.rankings.reading import is_collection
from rankcut.threads import PARTS

# Seconds to wait for a scheduler, which answers in milliseconds if it is there.
_PATIENCE = 10

# By default, Dask's workers return memory to the system at once. Mapping it again for each block
# of vectors adds a quarter to the computing time. These workers keep up to 128 MB.
#
# A worker that dies is started again, which takes a busy machine longer than the 15 seconds after
# which Dask gives it up for good. If none is left, or all are out of memory, blocks would wait for
# ever: after two minutes they fail.
WORKER_SETTINGS = {
    "distributed.deploy.lost-worker-timeout": "2 minutes",
    "distributed.scheduler.no-workers-timeout": "2 minutes",
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 27,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 25,
}

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of tasks done and the total."""

# Bytes of memory assumed for a process, or for a worker without a memory limit: four times what is
# kept elsewhere.
_ROOM = 4 * np.dtype(np.float64).itemsize * KEPT


# Raised while waiting for one result, for several, and while sending.
_LOST = ("FutureCancelledError", "FuturesCancelledError", "CommClosedError")


def import_dask() -> Any:
    """Dask, or an error that says how to install it."""
    try:
        import dask
    except ImportError:
        raise ModuleNotFoundError(
            'this computation needs Dask: pip install "dask[array,dataframe,distributed]"'
        ) from None
    return dask


def shared(value: Any) -> Any:
    """An object as one task that others share, so that each worker receives it once."""
    return import_dask().delayed(value, pure=False, traverse=False)


def task(function: Callable[..., Any]) -> Any:
    """A function whose calls are tasks: it returns a Delayed."""
    return import_dask().delayed(function, pure=False, traverse=False)


def shared_task(function: Callable[[Any], Any]) -> Any:
    """Like :func:`task`, for a large function: all calls share it."""
    return partial(task(_call), shared(function))


def _call(function: Callable[[Any], Any], value: Any) -> Any:
    return function(value)


def reduced(parts: Sequence[Any], combine: Callable[[list[Any]], Any]) -> Any:
    """One Delayed that combines all parts, a few at a time, always in the same order.

    >>> from dask import delayed
    >>> reduced([delayed(i) for i in range(20)], sum).compute()
    190
    """
    combined = task(combine)
    level = list(parts)
    while len(level) > 1:
        level = [combined(level[start : start + PARTS]) for start in range(0, len(level), PARTS)]
    return level[0]


def computed(*values: Any) -> tuple[Any, ...]:
    """Compute values with Dask, and explain errors of the cluster."""
    try:
        return tuple(import_dask().compute(*values))
    except Exception as problem:
        raise explained(problem) from problem


def do_each(
    function: Callable[[Any], None], tasks: Sequence[Any], progress: Progress | None = None
) -> None:
    """Call ``function(task)`` for each: on the current client, or one after the other here."""
    for n_done, _ in enumerate(_results(function, tasks), start=1):
        if progress is not None:
            progress(n_done, len(tasks))


def _results(function: Callable[[Any], None], tasks: Sequence[Any]) -> Iterator[None]:
    client = current_client()
    if client is None:
        yield from map(function, tasks)
        return
    from distributed import as_completed

    futures = client.compute(list(map(shared_task(function), tasks)))
    try:
        for future in as_completed(futures):
            yield future.result()
    except Exception:
        client.cancel(futures)
        raise


def current_client() -> Any:
    """The current Dask client, or None if Dask computes in this process."""
    if "distributed" not in sys.modules:
        return None
    from dask.base import get_scheduler

    client: Any = getattr(get_scheduler(), "__self__", None)
    return client if hasattr(client, "scheduler_info") else None


def room() -> int:
    """The memory of all current workers, in bytes."""
    client = current_client()
    if client is None:
        return _ROOM
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return sum(worker["memory_limit"] or _ROOM for worker in workers)


def explained(problem: Exception) -> Exception:
    """The error as a user should see it: what happened to the cluster, and what to do."""
    if type(problem).__name__ in _LOST:
        return ConnectionError("lost the connection to the cluster; run the same again")
    if type(problem).__name__ == "NoWorkerError":
        return ConnectionError(
            "no worker could take a block for two minutes: they died, or have no memory left; run "
            "the same again, with smaller blocks or more memory"
        )
    if type(problem).__name__ != "KilledWorker":
        return problem
    return MemoryError(
        "every worker that took one of the blocks died, most likely because the block and its "
        "results exceed the worker's memory limit; make blocks smaller (X.rechunk, or --block), "
        "or give each worker more memory or fewer threads"
    )


@contextmanager
def cluster(scheduler: str | None = None, workers: int | None = None) -> Iterator[Any]:
    """Compute on a cluster within a ``with`` statement, with errors of one line.

    Parameters
    ----------
    scheduler : str or None
        Address of a running scheduler.
    workers : int or None
        Number of worker processes to start on this machine; they end with the statement.

    Yields
    ------
    client : distributed.Client or None
        None if neither is given: Dask computes in this process.
    """
    if scheduler is not None and workers is not None:
        raise InputError(
            ["give either ", Setting("scheduler"), " or ", Setting("workers"), ", not both"]
        )
    if scheduler is None and workers is None:
        yield None
        return
    # Errors are reported once, in one line.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    large_graphs = {"distributed.admin.large-graph-warning-threshold": "1GB"}
    with (
        import_dask().config.set(WORKER_SETTINGS | large_graphs),
        _client(scheduler, workers) as client,
    ):
        try:
            yield client
        except Exception as problem:
            raise explained(problem) from None


@contextmanager
def _client(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ModuleNotFoundError(
            'a cluster needs Dask: pip install "dask[array,dataframe,distributed]"'
        ) from None
    if scheduler is None:
        with (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                preload=[__name__],
            ) as processes,
            Client(processes) as client,
        ):
            yield client
        return
    try:
        client = Client(scheduler, timeout=_PATIENCE)
    except (OSError, ValueError, TimeoutError):
        raise InputError(
            [Setting("scheduler", scheduler), f": no answer within {_PATIENCE} seconds"]
        ) from None
    with client:
        yield client


def dask_setup(worker: Any) -> None:
    """Ignore interrupts; Dask calls this in each worker process that :func:`cluster` starts.

    Ctrl-C reaches all processes of a terminal; the process that started the workers stops them.
    A worker that is short of memory says so before Dask pauses it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed.worker.memory").setLevel(logging.WARNING)


class RowBlocks(NamedTuple):
    """The blocks of a collection; each has some of the rows and all columns."""

    parts: list[Any]  #: one Delayed per block
    sizes: tuple[float, ...]  #: number of rows of each, NaN if unknown


def is_frame(X: Any) -> bool:
    """Whether a Dask collection is a DataFrame."""
    # Ask the class, because a Delayed has every attribute.
    return hasattr(type(X), "map_partitions") and hasattr(type(X), "columns")


def stand_in(X: Any) -> Any:
    """A placeholder row with the columns and types of X; X itself if it is in memory."""
    if not is_collection(X):
        return X
    if is_frame(X):
        return X._meta_nonempty.iloc[:1]
    if not hasattr(type(X), "map_blocks") or X.ndim != 2:
        raise TypeError(
            "expected a Dask array with two dimensions or a Dask DataFrame; got "
            f"{type(X).__name__}{f' with {X.ndim}' if hasattr(type(X), 'ndim') else ''}"
        )
    n_columns = X.shape[1]
    if math.isnan(n_columns):
        raise InputError(
            "the number of columns of the Dask array is unknown",
            remedy="call its compute_chunk_sizes() first",
        )
    row = np.ones((1, n_columns), dtype=X.dtype)
    return csr_array(row) if issparse(X._meta) else row


def whole_rows(X: Any) -> Any:
    """The same array with all columns in each block."""
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def row_blocks(X: Any) -> RowBlocks:
    """The blocks of a Dask array or DataFrame, one Delayed each."""
    if not is_collection(X):
        raise InputError(
            "X is in memory, and what belongs to its rows is a Dask collection",
            remedy="call compute() of that first",
        )
    if not hasattr(type(X), "map_blocks"):
        parts = X.to_delayed()
        return RowBlocks(parts, (math.nan,) * len(parts))
    rows = whole_rows(X) if X.ndim == 2 else X
    return RowBlocks(list(rows.to_delayed().ravel()), rows.chunks[0])


def as_array(blocks: Sequence[Any], sizes: Sequence[float], meta: Any) -> Any:
    """A Dask array from one Delayed per block.

    ``sizes`` are the numbers of rows, NaN if unknown; ``meta`` is an array of the same kind
    without rows.
    """
    import dask.array as da

    arrays = [
        da.from_delayed(block, (size, *meta.shape[1:]), meta=meta, dtype=meta.dtype)
        for block, size in zip(blocks, sizes, strict=True)
    ]
    return da.concatenate(arrays, allow_unknown_chunksizes=True)


def map_rows(
    function: Callable[[Any], Any],
    X: Any,
    names: Sequence[Hashable] | None = None,
    nothing: Any = None,
) -> Any:
    """``function(block)`` for each block of rows, lazily; blocks may be of unknown size.

    The function takes at least one row, returns an array with as many rows, and is sent once to
    each worker. With ``names`` of columns, a DataFrame becomes a DataFrame with the same index;
    without, it becomes an array. ``nothing`` is what the function returns for no rows; None finds
    out from a placeholder row.

    >>> import dask.array as da
    >>> X = da.from_array(np.arange(6.0).reshape(3, 2), chunks=(2, 2))
    >>> map_rows(lambda rows: rows.sum(axis=1), X).compute()
    array([1., 5., 9.])
    """
    if nothing is None:
        nothing = function(stand_in(X))[:0]
    task = shared(function)
    if is_frame(X):
        return _map_partitions(task, X, nothing, names)
    rows = whole_rows(X)
    chunks = [rows.chunks[0], *((width,) for width in nothing.shape[1:])]
    return rows.map_blocks(
        _on_block,
        task=task,
        nothing=nothing,
        dtype=nothing.dtype,
        chunks=tuple(chunks),
        drop_axis=[] if nothing.ndim == 2 else [1],
        meta=nothing,
    )


def _map_partitions(task: Any, X: Any, nothing: Any, names: Sequence[Hashable] | None) -> Any:
    meta = nothing
    if names is not None:
        import pandas as pd

        meta = pd.DataFrame(nothing, columns=list(names), index=X._meta.index)
    return X.map_partitions(_on_partition, task, meta, meta=meta, enforce_metadata=False)


def _on_block(block: Any, task: Any, nothing: Any, block_info: Any = None) -> Any:
    if block.shape[0] == 0:
        return nothing
    where = block_info[0]
    start = where["array-location"][0][0]
    number = where["chunk-location"][0]

    def moved(error: InputError, row: int) -> InputError:
        if np.isnan(start):
            return error.moved(file=f"block {number}", row=row)
        return error.moved(row=int(start) + row)

    return at_place(task, block, moved)


def _on_partition(part: Any, task: Any, meta: Any) -> Any:
    if len(part) == 0:
        return meta

    def moved(error: InputError, row: int) -> InputError:
        return error.moved(file=f"index {part.index[row : row + 1].tolist()[0]!r}", row=None)

    result = at_place(task, part, moved)
    if isinstance(meta, np.ndarray):
        return result
    return type(meta)(result, columns=meta.columns, index=part.index)


def at_place(
    function: Callable[[Any], Any], block: Any, moved: Callable[[InputError, int], InputError]
) -> Any:
    """``function(block)``, with errors that name rows by their places in the whole collection."""
    try:
        return function(block)
    except InputError as error:
        row = error.line if error.row is None else error.row
        if row is None:
            raise
        raise moved(error, row) from None
