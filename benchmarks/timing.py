"""Timing for the benchmark programs: the best of a few runs, side by side in one process."""

import math
import time
from collections.abc import Callable


def best_seconds(
    work: Callable[[], object], runs: int = 7, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The shortest of a few runs, after one that does not count (it may compile)."""
    work()
    seconds = []
    for _ in range(runs):
        start = clock()
        work()
        seconds.append(clock() - start)
    return min(seconds)


def best_processor_seconds(work: Callable[[], object], runs: int = 7) -> float:
    """The same in processor time of this process, which other work on the machine hardly moves."""
    return best_seconds(work, runs, time.process_time)


def best_in_turn(*works: Callable[[], object], runs: int = 25) -> list[float]:
    """The same of several kinds of work, which take turns: what slows the machine slows all."""
    best = [math.inf] * len(works)
    for _ in range(runs):
        for place, work in enumerate(works):
            best[place] = min(best[place], best_processor_seconds(work, runs=1))
    return best


def in_words(seconds: float) -> str:
    """Seconds as a person would say them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
