"""The options by which commands compute on a cluster, and pieces of work shared out on it."""

import logging
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from rankcut.cli import deaf_worker
from rankcut.cli.progress import steps
from rankcut.dask import shared_task
from rankcut.dask.tasks import WORKER_SETTINGS, import_dask, told

_PANEL = "Where to compute"

# Seconds to wait for a scheduler, and between two looks at the workers.
_PATIENCE = 10
_WATCH = 10.0

_PAUSED = (
    "all workers stand still, since each has used up most of its memory limit; if that lasts, "
    "interrupt and run again with smaller blocks (--block) or more memory for each worker"
)


@dataclass(frozen=True)
class Computing:
    """Where to compute."""

    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="Compute on the Dask cluster with this scheduler, such as tcp://10.0.0.1:8786; "
            "files must have the same paths there.",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            metavar="N",
            help="Compute in so many processes on this machine.",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    restart: Annotated[
        bool,
        typer.Option(
            "--restart",
            help="Replace parts that were made with other settings.",
            rich_help_panel=_PANEL,
        ),
    ] = False

    @property
    def on_cluster(self) -> bool:
        """Whether the user names one."""
        return self.scheduler is not None or self.workers is not None

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """A client of the cluster that the user names, or None if it is none.

        While it lasts, Dask computes there.
        """
        if not self.on_cluster:
            yield None
            return
        if self.scheduler is not None and self.workers is not None:
            raise ValueError("give one of --scheduler and --workers: a cluster, or processes here")
        # What goes wrong is told in one line, once.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        large_graphs = {"distributed.admin.large-graph-warning-threshold": "1GB"}
        with (
            import_dask().config.set(WORKER_SETTINGS | large_graphs),
            _client(self.scheduler, self.workers) as client,
            _told(client),
        ):
            yield client


@contextmanager
def _client(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """A client of that scheduler, or of so many workers that end with it."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ModuleNotFoundError(
            'work on a cluster needs Dask: pip install "rankcut[dask]"'
        ) from None
    if scheduler is None:
        with (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                preload=[deaf_worker.__name__],
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = Client(scheduler, timeout=_PATIENCE)
    except (OSError, ValueError, TimeoutError):
        raise ValueError(
            f"--scheduler {scheduler}: no scheduler answers there within {_PATIENCE} seconds"
        ) from None
    with client:
        yield client


@contextmanager
def _told(client: Any) -> Iterator[None]:
    """Tell the user what happens to the cluster, in the words of a user.

    Dask pauses workers that are short of memory, in the hope that there will be more, and says
    nothing: if work stands still since all of them are, that is told as well.
    """
    ended = threading.Event()

    def watch() -> None:
        n_times = 0
        while n_times < 2 and not ended.wait(_WATCH):
            try:
                workers = client.scheduler_info(n_workers=-1)["workers"].values()
            except Exception:  # the cluster is gone, of which the command itself will hear
                return
            paused = bool(workers) and all(each["status"] == "paused" for each in workers)
            n_times = n_times + 1 if paused else 0
        if n_times == 2:
            print(f"rankcut: {_PAUSED}", file=sys.stderr)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except Exception as problem:
        raise told(problem) from None
    finally:
        ended.set()
        watcher.join(_PATIENCE)


def over_tasks(
    work: Callable[[Any], Any], tasks: Sequence[Any], client: Any, what: str
) -> Iterator[tuple[int, Any]]:
    """Yield the number of each task and what ``work`` makes of it, as they are done."""
    with steps(what) as (begin, step):
        begin(len(tasks))
        for number, result in _done(work, tasks, client):
            step(f"block {number}")
            yield number, result


def _done(
    work: Callable[[Any], Any], tasks: Sequence[Any], client: Any
) -> Iterator[tuple[int, Any]]:
    if client is None:
        yield from enumerate(map(work, tasks))
        return
    from distributed import as_completed

    futures = client.compute(list(map(shared_task(work), tasks)))
    numbers = {future.key: number for number, future in enumerate(futures)}
    try:
        for future in as_completed(futures):
            yield numbers[future.key], future.result()
    except Exception:
        client.cancel(futures)
        raise
