"""Parts of the reproduction, and how their tasks are run.

Tasks give records, records give tables, and tables give figures and verdicts.
"""

import multiprocessing
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import ClassVar, TypeAlias

from threadpoolctl import threadpool_limits

from reproduction.findings import Claim, Picture, Sheet, Table, Verdict
from reproduction.store import Record, Store, Task

Tables: TypeAlias = Mapping[str, Table]


@dataclass(frozen=True)
class Settings:
    """How much to do: a quick look, or all of it."""

    quick: bool = False


class Part(ABC):
    """One part of the paper.

    A part's tasks are the unit of caching, of running in parallel, of progress and of going on
    after an interruption: one seed of one experiment, say, that takes a few seconds. All that
    follows from their records (tables, figures, verdicts, prose) is computed again for each report,
    so it should be quick.

    Parts are named in :mod:`reproduction.parts`.
    """

    name: ClassVar[str]
    """As typed at the command line, and in the names of files."""

    title: ClassVar[str]

    claims: ClassVar[Mapping[str, Claim]]
    """What the paper states, by a key. A claim without a verdict is reported as not checked."""

    needs_sushi: ClassVar[bool] = False
    """Whether the tasks read the sushi data; without data, they are skipped."""

    alone: ClassVar[bool] = False
    """Whether tasks measure time, so that they must run one after the other."""

    @abstractmethod
    def tasks(self, settings: Settings) -> list[Task]:
        """The tasks, with their sizes and seeds."""

    @abstractmethod
    def run(self, task: Task, data: Path | None) -> list[Record]:
        """Run one task, in a separate process with BLAS in one thread.

        The result depends only on the task and on the sushi data in ``data``.
        """

    @abstractmethod
    def tables(self, records: Sequence[Record]) -> dict[str, Table]:
        """Numbers to be kept, each table as NAME.csv and NAME.json; records of all tasks, in order.

        Names begin with the part's name.
        """

    def figures(self, tables: Tables) -> dict[str, Picture]:
        """Pictures by the names of their files, which begin with the part's name."""
        return {}

    def sheets(self, tables: Tables) -> list[Sheet]:
        """Tables to be shown in the report."""
        return []

    @abstractmethod
    def verdicts(self, tables: Tables) -> dict[str, Verdict]:
        """What became of each claim, computed from the numbers."""

    @abstractmethod
    def prose(self, tables: Tables) -> str:
        """What was done, and where the text and the published experiments differ; Markdown.

        Without data ``tables`` is empty.
        """


# Where each part is: a module of this package, and a class in it.
_HOMES = {
    "example": ("example", "Example"),
    "theory": ("theory", "Theory"),
    "statements": ("statements", "Statements"),
    "kinds": ("kinds", "Kinds"),
    "synthetic": ("synthetic", "Synthetic"),
    "sushi": ("sushi", "Sushi"),
    "time": ("gram_time", "GramTime"),
    "scale": ("scale", "Scale"),
}

NAMES = tuple(_HOMES)


def part_named(name: str) -> Part:
    """The part of that name."""
    module, cls = _HOMES[name]
    found: Part = getattr(import_module(f"reproduction.{module}"), cls)()
    return found


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
    """Run the tasks that the store lacks; ``done`` is called after each.

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
        with _interrupts_ignored():
            waiting = {submit(work): work for work in beside}
        for future in as_completed(waiting):
            keep(waiting[future], future.result())
        for work in alone:
            with _interrupts_ignored():
                future = submit(work)
            keep(work, future.result())
    except BrokenProcessPool:
        raise ChildProcessError(
            "a worker process was killed, perhaps for lack of memory; finished work is kept, and "
            "the same command continues from there"
        ) from None
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    pool.shutdown()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started meanwhile inherit this, and leave interrupts to their parent."""
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
