"""Dask itself: where it is imported, shared objects, sums over blocks, and results."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

# So many partial results are combined at once.
_TOGETHER = 8

# Dask has its workers give memory back to the system at once, and so each block of vectors is
# mapped anew, which costs a quarter of the time to make it. These workers keep up to 128 MB.
WORKER_SETTINGS = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 27,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 25,
}

# Bytes that a process, or a worker whose memory has no limit, is taken to have room for.
_ROOM = 1 << 31


def import_dask() -> Any:
    """Dask, or a line that says how to get it."""
    try:
        import dask
    except ImportError:
        raise ModuleNotFoundError(
            'work on a cluster needs Dask: pip install "rankcut[dask]"'
        ) from None
    return dask


def shared(value: Any) -> Any:
    """The object as one task which many others share: it comes to each worker once.

    >>> shared("graph").compute()
    'graph'
    """
    return import_dask().delayed(value, pure=False, traverse=False)


def task(function: Callable[..., Any], nout: int | None = None) -> Any:
    """A function whose calls are tasks: it returns a Delayed, or as many as ``nout`` says.

    >>> double = task(lambda number: 2 * number)
    >>> double(double(3)).compute()
    12
    """
    return import_dask().delayed(function, nout=nout, pure=False, traverse=False)


def shared_task(function: Callable[[Any], Any], nout: int | None = None) -> Any:
    """The same for a function that is large: all its calls share it.

    >>> shared_task(sum)([1, 2, 3]).compute()
    6
    """
    return partial(task(_call, nout), shared(function))


def _call(function: Callable[[Any], Any], value: Any) -> Any:
    return function(value)


def reduced(parts: Sequence[Any], combine: Callable[[list[Any]], Any]) -> Any:
    """One Delayed of all the parts combined, a few at a time, always the same ones in order.

    >>> from dask import delayed
    >>> reduced([delayed(i) for i in range(20)], sum).compute()
    190
    """
    combined = task(combine)
    level = list(parts)
    while len(level) > 1:
        level = [
            combined(level[start : start + _TOGETHER]) for start in range(0, len(level), _TOGETHER)
        ]
    return level[0]


def computed(*values: Any) -> tuple[Any, ...]:
    """What Dask computes; a block that no worker survives is a MemoryError that says so."""
    try:
        return tuple(import_dask().compute(*values))
    except Exception as problem:
        raise told(problem) from problem


# Of a result or several that were waited for, and of what was about to be said.
_LOST = ("FutureCancelledError", "FuturesCancelledError", "CommClosedError")


def told(problem: Exception) -> Exception:
    """The error as a user should hear of it."""
    if type(problem).__name__ in _LOST:
        return ConnectionError(
            "the connection to the cluster was lost; when there is one again, run it again"
        )
    if type(problem).__name__ != "KilledWorker":
        return problem
    return MemoryError(
        "a block was given up since each worker that took it died, most likely because the block "
        "and what is made of it do not fit within the worker's memory limit; make blocks smaller "
        "(X.rechunk, or --block), or give each worker more memory or fewer threads"
    )


def room() -> int:
    """The memory, in bytes, of all the workers that Dask would compute with now."""
    from dask.base import get_scheduler

    client: Any = getattr(get_scheduler(), "__self__", None)
    if not hasattr(client, "scheduler_info"):
        return _ROOM
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return sum(worker["memory_limit"] or _ROOM for worker in workers)
