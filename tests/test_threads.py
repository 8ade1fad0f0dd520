"""Work shared among threads."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from rankcut.threads import in_order, over_rows


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 5, -1])
@pytest.mark.parametrize("n_rows", [1, 7, 64, 1000])
def test_each_row_is_done_once(n_jobs, n_rows):
    done = []
    over_rows(lambda start, stop: done.extend(range(start, stop)), n_rows, 3, n_jobs)
    assert sorted(done) == list(range(n_rows))


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_results_come_in_the_order_of_the_tasks(n_jobs):
    tasks = list(range(25))
    assert list(in_order(lambda task: -task, tasks, n_jobs)) == [-task for task in tasks]


def test_threads_work_at_the_same_time():
    both = threading.Barrier(2, timeout=300)
    met = []

    def work(start, stop):
        if not met:
            both.wait()
            met.append(start)

    over_rows(work, 1000, 1, 2)
    assert met


def test_an_error_reaches_the_caller_and_stops_the_rest(monkeypatch):
    called_off = threading.Event()
    turns = []

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait=True, *, cancel_futures=False):
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            called_off.set()
            super().shutdown(wait=wait)

    def work(start, stop):
        turns.append(start)
        if start == 0:
            raise KeyboardInterrupt
        assert called_off.wait(300)

    monkeypatch.setattr("rankcut.threads.ThreadPoolExecutor", Pool)
    with pytest.raises(KeyboardInterrupt):
        over_rows(work, 100_000, 1, 2)
    # Of sixteen turns, one failed and each of two threads may have begun another.
    assert len(turns) <= 3
