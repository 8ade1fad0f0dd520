"""Stages of random draws: the tasks of a stage, and the combination of replicates."""

from typing import NamedTuple

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.random_streams import STEP, scramble
from rankcut._loops.types import Floats, Ints, Streams

# A Latin hypercube has at most 2**LARGEST_EXPONENT draws; larger stages use several.
LARGEST_EXPONENT = 5

# With fewer replicates, the factor of the control variate is too noisy to help.
FEWEST_TO_REGRESS = 4

# Squares of differences between vectors, whose lengths are about 1, below this are rounding.
_ROUNDING = 1e-24


class Tasks(NamedTuple):
    """Which ranking each task completes, the sum that it adds to, its random numbers and draws."""

    rankings: Ints
    targets: Ints
    streams: Streams
    exponents: Ints


@compiled
def plan_tasks(rankings: Ints, names: Streams, sizes: Ints, replicates: Ints, stage: int) -> Tasks:
    """Share ``sizes[a]`` draws of ranking a evenly among its replicates, each into tasks.

    A task is a Latin hypercube of 2^k draws, largest first. Replicate r of the a-th ranking is
    target ``a * replicates.max() + r``.
    """
    most = replicates.max()
    planned = Tasks(
        np.empty(sizes.sum(), np.int32),
        np.empty(sizes.sum(), np.int32),
        np.empty(sizes.sum(), np.uint64),
        np.empty(sizes.sum(), np.int32),
    )
    task = 0
    for a in range(rankings.shape[0]):
        for r in range(replicates[a]):
            left = sizes[a] // replicates[a] + (r < sizes[a] % replicates[a])
            piece = 0
            for exponent in range(LARGEST_EXPONENT, -1, -1):
                while left >> exponent:
                    left -= 1 << exponent
                    label = np.uint64((stage << 48) + (r << 32) + piece + 1)
                    planned.rankings[task] = rankings[a]
                    planned.targets[task] = a * most + r
                    planned.streams[task] = scramble(names[a] + STEP * scramble(label))
                    planned.exponents[task] = exponent
                    piece += 1
                    task += 1
    return Tasks(
        planned.rankings[:task],
        planned.targets[:task],
        planned.streams[:task],
        planned.exponents[:task],
    )


@compiled
def combine_replicates(
    pooled: Floats,
    plain: Floats,
    expected: Floats,
    control: bool,
    sizes: Ints,
    replicates: Ints,
    most_replicates: int,
    means: Floats,
    variances: Floats,
) -> None:
    """Mean and variance of the mean, coordinate by coordinate, of each ranking's replicates.

    ``pooled`` and ``plain`` hold the sums of each replicate's draws, of features and of slopes
    before pooling. Replicate r is corrected by β_r·(its plain mean − expected), with β_r the
    regression of features on plain slopes, over all coordinates, in the other replicates.
    """
    n_items = means.shape[1]
    factors = np.zeros(most_replicates)
    for a in range(sizes.shape[0]):
        n = replicates[a]
        first = a * most_replicates
        for r in range(n):
            size = sizes[a] // n + (r < sizes[a] % n)
            for i in range(n_items):
                pooled[first + r, i] /= size
        if control and n >= FEWEST_TO_REGRESS:
            for r in range(n):
                size = sizes[a] // n + (r < sizes[a] % n)
                for i in range(n_items):
                    plain[first + r, i] = plain[first + r, i] / size - expected[a, i]
            regress_on_others(pooled, plain, first, n, factors)
            for r in range(n):
                for i in range(n_items):
                    pooled[first + r, i] -= factors[r] * plain[first + r, i]
        for i in range(n_items):
            mean = 0.0
            for r in range(n):
                size = sizes[a] // n + (r < sizes[a] % n)
                mean += size * pooled[first + r, i]
            mean /= sizes[a]
            spread = 0.0
            for r in range(n):
                size = sizes[a] // n + (r < sizes[a] % n)
                spread += (size * (pooled[first + r, i] - mean)) ** 2
            means[a, i] = mean
            if n > 1:
                variances[a, i] = spread / float(sizes[a]) ** 2 * n / (n - 1)
            else:
                variances[a, i] = np.inf


@compiled
def regress_on_others(y: Floats, x: Floats, first: int, n: int, factors: Floats) -> None:
    """Slopes of y on x over all coordinates, for each replicate from all the others.

    They are kept between 0 and 1, as pooling brings vectors closer together: where the others
    hardly differ, their slope says nothing about a replicate that does.
    """
    for r in range(n):
        xx = 0.0
        xy = 0.0
        for i in range(y.shape[1]):
            mean = 0.0
            for other in range(n):
                if other != r:
                    mean += x[first + other, i] / (n - 1)
            for other in range(n):
                if other != r:
                    difference = x[first + other, i] - mean
                    xx += difference * difference
                    xy += difference * y[first + other, i]
        factors[r] = min(max(xy / xx, 0.0), 1.0) if xx > _ROUNDING else 0.0
