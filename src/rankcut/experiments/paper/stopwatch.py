"""Seconds of one processor, over some trials."""

import time
from collections.abc import Callable

import numpy as np

# A trial repeats what takes less than this, and takes the mean.
_SHORT = 0.004


def seconds_of(work: Callable[[], object], trials: int) -> tuple[float, float]:
    """Mean and standard deviation over trials, after one call that does not count.

    The time is that of the processor; all is in one thread, so that on an idle machine it is the
    time on the wall as well.
    """
    work()
    start = time.process_time()
    work()
    repeats = int(np.clip(_SHORT / max(time.process_time() - start, 1e-7), 1, 200))
    seconds = []
    for _ in range(trials):
        start = time.process_time()
        for _ in range(repeats):
            work()
        seconds.append((time.process_time() - start) / repeats)
    return float(np.mean(seconds)), float(np.std(seconds))
