"""Dask tasks, and where they are computed: results, errors, a cluster."""

import logging
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

from rankcut.errors import InputError, Setting
from rankcut.threads import PARTS

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
def _client(scheduler: str | None, workers: int | None, patience: int = 10) -> Iterator[Any]:
    """A client; a scheduler that is there answers in milliseconds, and has some seconds to."""
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
        client = Client(scheduler, timeout=patience)
    except (OSError, ValueError, TimeoutError):
        raise InputError(
            [Setting("scheduler", scheduler), f": no answer within {patience} seconds"]
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
