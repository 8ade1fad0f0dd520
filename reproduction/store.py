"""Run tasks and keep their results, one file each, so that a run goes on where the last stopped.

A task is a small dictionary: what to compute, with which sizes and seeds. Its records are known by
the task, the data, the code of the part and of what it imports from this folder (comments and
docstrings aside), and the versions of rankcut and of the libraries below it.
"""

import ast
import hashlib
import json
import multiprocessing
import platform
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

Task = dict[str, Any]
"""Settings of one piece of work, as JSON knows them. Nothing else says what is computed."""

Record = dict[str, Any]
"""A result, as JSON knows it; NaN is allowed and comes back as NaN."""

# Whose versions may change a result.
_LIBRARIES = ("rankcut", "numpy", "scipy", "scikit-learn", "numba")

_HERE = Path(__file__).parent


class Work(NamedTuple):
    """A task of a part; ``data`` is the fingerprint of the data it reads."""

    part: str
    task: Task
    data: str | None = None


class Store:
    """Records of finished tasks in a directory. What cannot be read is as good as missing.

    >>> import tempfile
    >>> store = Store(Path(tempfile.mkdtemp()))
    >>> store.read(Work("kinds", {"n": 3})) is None
    True
    >>> store.write(Work("kinds", {"n": 3}), [{"seconds": 0.5}])
    >>> store.read(Work("kinds", {"n": 3}))
    [{'seconds': 0.5}]
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def read(self, work: Work) -> list[Record] | None:
        """The records of a finished task, or None."""
        try:
            kept = json.loads(self._path(work).read_text(encoding="utf-8"))
            records = kept["records"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return records if isinstance(records, list) else None

    def write(self, work: Work, records: list[Record]) -> None:
        """Keep the records of a finished task; the file is whole or not there."""
        path = self._path(work)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft")
        # NumPy's numbers are as good as Python's.
        text = json.dumps(
            {"task": work.task, "records": records}, default=lambda number: number.item()
        )
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)

    def _path(self, work: Work) -> Path:
        key = json.dumps([work, code_fingerprint(work.part)], sort_keys=True)
        return self.directory / f"{work.part}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"


@cache
def code_fingerprint(part: str, folder: Path = _HERE) -> str:
    """A hash of the part's module, of those that it imports from this folder, and of versions."""
    digest = hashlib.sha256(platform.python_version().encode())
    for library in _LIBRARIES:
        digest.update(f" {library} {version(library)}".encode())
    # How results are kept, judged and drawn makes no difference to them.
    waiting, reached = [part], {"store", "claims", "figures"}
    while waiting:
        name = waiting.pop()
        if name not in reached and (folder / f"{name}.py").exists():
            reached.add(name)
            tree = _without_docstrings(ast.parse((folder / f"{name}.py").read_text("utf-8")))
            digest.update(ast.dump(tree).encode())
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom):
                    waiting.append((node.module or "").removeprefix("reproduction."))
                    waiting += [alias.name for alias in node.names]
    return digest.hexdigest()[:16]


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        named = isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        if named and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return tree


def run_missing(
    works: Sequence[Work],
    store: Store,
    data: Path | None,
    done: Callable[[Work], None],
    processes: int,
) -> None:
    """Run the tasks that the store lacks; ``done`` is called after each.

    Parts that measure time come last, one task at a time. An interrupt ends the processes at once;
    what was finished is in the store.
    """
    beside: list[Work] = []
    alone: list[Work] = []
    for work in works:
        if store.read(work) is None:
            (alone if work.part == "times" else beside).append(work)
        else:
            done(work)
    if not beside and not alone:
        return
    # Processes are started afresh, for a fork of a process with threads may hang; they leave
    # interrupts to their parent.
    pool = ProcessPoolExecutor(
        processes,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )

    def run(some: list[Work]) -> None:
        waiting = {pool.submit(_run, work.part, work.task, data): work for work in some}
        for future in as_completed(waiting):
            store.write(waiting[future], future.result())
            done(waiting[future])

    try:
        run(beside)
        for work in alone:
            run([work])
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


def part_named(name: str) -> Any:
    """The module of a part."""
    return import_module(f"reproduction.{name}")


def _run(part: str, task: Task, data: Path | None) -> list[Record]:
    # Processes share the cores, so BLAS has one thread in each.
    with threadpool_limits(1):
        return list(part_named(part).run(task, data))
