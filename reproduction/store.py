"""Run tasks in processes and keep their records, so that a run goes on where the last stopped.

A task is a small dictionary: what to compute, with which sizes and seeds. Its records are known by
the task, the data, the modules of this folder that compute, and the versions of rankcut and of the
libraries below it.
"""

import hashlib
import platform
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from joblib import Memory, Parallel, delayed
from threadpoolctl import threadpool_limits

Task = dict[str, Any]
"""Settings of one piece of work, as JSON knows them. Nothing else says what is computed."""

Record = dict[str, Any]
"""A result, as JSON knows it; NaN is allowed and comes back as NaN."""

# Whose versions may change a result.
_LIBRARIES = ("rankcut", "numpy", "scipy", "scikit-learn", "numba")

# Modules that keep, judge and draw results, and compute none.
_JUDGING = ("__init__", "__main__", "claims", "figures", "report", "score_tables", "store")


class Work(NamedTuple):
    """A task of a part; ``mark`` is the fingerprint of the data it reads."""

    part: str
    task: Task
    mark: str | None = None


def run_works(
    works: Sequence[Work],
    folder: Path,
    data: Path | None,
    done: Callable[[], None] = lambda: None,
    processes: int = 2,
) -> list[list[Record]]:
    """The records of each work; what the folder has is not run again. ``done`` follows each.

    Parts that measure time come last, one task at a time.
    """
    kept = Memory(folder, verbose=0).cache(records_of, ignore=["data"])
    found: dict[int, list[Record]] = {}
    for alone in (False, True):
        some = [place for place, work in enumerate(works) if (work.part == "times") is alone]
        jobs = (delayed(kept)(works[place], code_fingerprint(), data) for place in some)
        pool = Parallel(1 if alone else processes, return_as="generator")
        try:
            for place, records in zip(some, pool(jobs), strict=True):
                found[place] = records
                done()
        except BrokenProcessPool:
            raise ChildProcessError(
                "a worker process was killed, perhaps for lack of memory; finished work is kept, "
                "and the same command continues from there"
            ) from None
    return [found[place] for place in range(len(works))]


def records_of(work: Work, code: str, data: Path | None) -> list[Record]:
    """Run one work. Processes share the cores, so BLAS has one thread in each."""
    with threadpool_limits(1):
        return list(part_named(work.part).run(work.task, data))


def part_named(name: str) -> Any:
    """The module of a part."""
    return import_module(f"reproduction.{name}")


@cache
def code_fingerprint(folder: Path = Path(__file__).parent) -> str:
    """A hash of the modules that compute, and of versions; how results are judged is not in it."""
    digest = hashlib.sha256(platform.python_version().encode())
    for library in _LIBRARIES:
        digest.update(f" {library} {version(library)}".encode())
    for module in sorted(folder.glob("*.py")):
        if module.stem not in _JUDGING and not module.stem.endswith("_claims"):
            digest.update(module.read_bytes())
    return digest.hexdigest()[:16]
