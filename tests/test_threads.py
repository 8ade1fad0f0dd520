"""Work shared among threads."""

import threading
import time

import pytest

from rankcut.threads import over_rows


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 5, -1])
@pytest.mark.parametrize("n_rows", [1, 7, 64, 1000])
def test_each_row_is_done_once(n_jobs, n_rows):
    done = []
    over_rows(lambda start, stop: done.extend(range(start, stop)), n_rows, 3, n_jobs)
    assert sorted(done) == list(range(n_rows))


def test_threads_work_at_the_same_time():
    both = threading.Barrier(2, timeout=30)
    met = []

    def work(start, stop):
        if not met:
            both.wait()
            met.append(start)

    over_rows(work, 1000, 1, 2)
    assert met


def test_an_error_reaches_the_caller_and_stops_the_rest():
    done = []

    def work(start, stop):
        if start == 0:
            raise KeyboardInterrupt
        done.append(start)

        time.sleep(0.05)

    with pytest.raises(KeyboardInterrupt):
        over_rows(work, 100_000, 1, 2)
    # Of sixteen turns the other thread had time for one or two; the rest were called off.
    assert len(done) < 8
