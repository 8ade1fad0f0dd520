"""A cluster to compute on: a running one, or processes on this machine."""

import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rankcut.dask.tasks import explained, import_dask
from rankcut.errors import InputError, Setting

# Seconds to wait for a scheduler, and between checks of the workers.
_PATIENCE = 10
_WATCH = 10.0

# By default, Dask's workers return memory to the system at once. Mapping it again for each block
# of vectors adds a quarter to the computing time. These workers keep up to 128 MB.
WORKER_SETTINGS = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 27,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 25,
}

_PAUSED = (
    "all workers are paused, because each has used most of its memory limit; if this lasts, "
    "interrupt and run again with smaller blocks or more memory for each worker"
)


def _print(message: str) -> None:
    print(f"rankcut: {message}", file=sys.stderr)


@contextmanager
def cluster(
    scheduler: str | None = None,
    workers: int | None = None,
    notify: Callable[[str], None] = _print,
) -> Iterator[Any]:
    """Compute on a cluster within a ``with`` statement, with errors of one line.

    Parameters
    ----------
    scheduler : str or None
        Address of a running scheduler.
    workers : int or None
        Number of worker processes to start on this machine; they end with the statement.
    notify : callable
        Called with a line of text if all workers are paused.

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
        _watched(client, notify),
    ):
        yield client


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
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _watched(client: Any, notify: Callable[[str], None]) -> Iterator[None]:
    """Notify if all workers are paused, and explain errors of the cluster.

    Dask pauses workers that are short of memory without telling anybody.
    """
    ended = threading.Event()

    def watch() -> None:
        n_times = 0
        while n_times < 2 and not ended.wait(_WATCH):
            try:
                workers = client.scheduler_info(n_workers=-1)["workers"].values()
            except Exception:  # the cluster is gone; the computation itself will fail
                return
            paused = bool(workers) and all(each["status"] == "paused" for each in workers)
            n_times = n_times + 1 if paused else 0
        if n_times == 2:
            notify(_PAUSED)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except Exception as problem:
        raise explained(problem) from None
    finally:
        ended.set()
        watcher.join(_PATIENCE)
