"""A cluster to compute on: a running one, or processes on this machine."""

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankcut.dask.tasks import explained, import_dask
from rankcut.errors import InputError, Setting

# Seconds to wait for a scheduler, which answers in milliseconds if it is there.
_PATIENCE = 10

# By default, Dask's workers return memory to the system at once. Mapping it again for each block
# of vectors adds a quarter to the computing time. These workers keep up to 128 MB.
WORKER_SETTINGS = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 27,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 25,
}


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
        raise ModuleNotFoundError('a cluster needs Dask: pip install "rankcut[dask]"') from None
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
