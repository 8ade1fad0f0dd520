"""Threads over rows: compiled loops run without the interpreter's lock, so threads are enough."""

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

# A thread takes its share in this many parts, so that none waits long for another and an interrupt
# is heard soon. A sum is made of this many for any number of threads, and so is the same bits.
PARTS = 8


def effective_threads(n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` stands for, as scikit-learn reads it.

    None is 1 unless a ``joblib.parallel_config`` says otherwise, for which Joblib has to be
    imported already; -1 is all.
    """
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):
        return 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def over_rows(work: Callable[[int, int], None], n_rows: int, step: int, n_jobs: int | None) -> None:
    """Call ``work(start, stop)`` until all rows are done, in ``n_jobs`` threads.

    ``step`` is how many rows the work does at once.
    """
    # A thread is not worth starting for less than a step of work.
    most = n_rows // step
    n_threads = min(effective_threads(n_jobs), most) if most > 1 else 1
    if n_threads <= 1:
        work(0, n_rows)
        return
    share = -(-n_rows // (n_threads * PARTS))
    share = -(-share // step) * step
    with ThreadPoolExecutor(n_threads) as pool:
        turns = [
            pool.submit(work, start, min(start + share, n_rows))
            for start in range(0, n_rows, share)
        ]
        try:
            for turn in turns:
                turn.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def in_order(
    work: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None
) -> Iterator[Result]:
    """Yield ``work(task)`` in the order of the tasks, computed in ``n_jobs`` threads.

    A sum over the results is the same bits for any number of threads. No more than two results
    for each thread are waiting at any time.
    """
    n_threads = min(effective_threads(n_jobs), len(tasks))
    if n_threads <= 1:
        yield from map(work, tasks)
        return
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            for task in tasks:
                waiting.append(pool.submit(work, task))
                if len(waiting) > 2 * n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
