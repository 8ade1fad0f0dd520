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


def in_words(seconds: float) -> str:
    """Seconds as a person would say them.

    >>> in_words(0.00231), in_words(75), in_words(8000), in_words(0.000212)
    ('2.3 ms', '75 s', '2.2 hours', '212 µs')
    """
    units = {"hours": 3600.0, "minutes": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6}
    # Up to two minutes are told in seconds, and up to two hours in minutes.
    fitting = (
        (seconds / size, unit)
        for unit, size in units.items()
        if seconds >= (2 * size if size >= 60 else size)
    )
    number, unit = next(fitting, (seconds * 1e9, "ns"))
    return f"{number:,.0f} {unit}" if number >= 9.95 else f"{number:.2g} {unit}"
