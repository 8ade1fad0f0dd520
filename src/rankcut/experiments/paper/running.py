"""Run what is missing of some parts' tasks, in two processes, and keep each result at once."""

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from threadpoolctl import threadpool_limits

from rankcut.experiments.paper.part import Part, Record, Settings, Task
from rankcut.experiments.paper.parts import part as part_named
from rankcut.experiments.paper.store import Store

N_PROCESSES = 2


@dataclass(frozen=True)
class Work:
    """A task of a part; ``data`` is the fingerprint of the data it reads."""

    part: Part
    task: Task
    data: str | None


def works_of(parts: Sequence[Part], settings: Settings, data: str | None) -> list[Work]:
    """All tasks of some parts."""
    return [
        Work(part, task, data if part.needs_sushi else None)
        for part in parts
        for task in part.tasks(settings)
    ]


def run_missing(
    works: Sequence[Work], store: Store, data: Path | None, done: Callable[[Work], None]
) -> None:
    """Run the tasks that the store lacks; ``done`` is told of each that is finished.

    Tasks that measure time come last, one at a time. An interrupt ends the processes at once;
    what was finished is in the store.
    """
    beside: list[Work] = []
    alone: list[Work] = []
    for work in works:
        if store.read(work.part.name, work.task, work.data) is None:
            (alone if work.part.alone else beside).append(work)
        else:
            done(work)
    if not beside and not alone:
        return
    # Processes are started afresh: a fork of a process with threads may hang.
    pool = ProcessPoolExecutor(N_PROCESSES, mp_context=multiprocessing.get_context("spawn"))

    def submit(work: Work) -> Future[list[Record]]:
        return pool.submit(_run, work.part.name, work.task, data)

    def keep(work: Work, records: list[Record]) -> None:
        store.write(work.part.name, work.task, records, work.data)
        done(work)

    try:
        with _deaf_to_interrupts():
            waiting = {submit(work): work for work in beside}
        for future in as_completed(waiting):
            keep(waiting[future], future.result())
        for work in alone:
            with _deaf_to_interrupts():
                future = submit(work)
            keep(work, future.result())
    except BrokenProcessPool:
        raise ChildProcessError(
            "a process of the reproduction was ended from outside, perhaps for want of memory; "
            "what is finished is kept, and the same command goes on from there"
        ) from None
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    pool.shutdown()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that are started meanwhile leave interrupts to this one: they inherit it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _run(name: str, task: Task, data: Path | None) -> list[Record]:
    # Two processes share two cores, so BLAS has one thread in each.
    with threadpool_limits(1):
        return part_named(name).run(task, data)
