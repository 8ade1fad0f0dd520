"""Bootstrap samples of people, and the largest difference in each."""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Indices, Longs, Words

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_MIX_AGAIN = np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@compiled
def draw_people(owners: Indices, sizes: Longs, seeds: Words, times: Floats) -> None:
    """``times[b, u]`` counts how often unit u is drawn in sample b.

    Sample b draws ``sizes[b]`` people with replacement; ``owners`` has the unit of each person.
    Each draw is a word of SplitMix64, each half of which picks a person.
    """
    n_people = np.uint64(owners.shape[0])
    for b in range(times.shape[0]):
        row = times[b]
        row[:] = 0.0
        state = seeds[b]
        word = np.uint64(0)
        for draw in range(sizes[b]):
            if draw % 2 == 0:
                state += _STEP
                word = (state ^ (state >> np.uint64(30))) * _MIX
                word = (word ^ (word >> np.uint64(27))) * _MIX_AGAIN
                word ^= word >> np.uint64(31)
                person = ((word & _LOW) * n_people) >> _HALF
            else:
                person = ((word >> _HALF) * n_people) >> _HALF
            row[owners[person]] += 1.0


@compiled
def largest_differences(shifts: Floats, errors: Floats, largest: Floats) -> None:
    """Max over pairs of |shift_i − shift_j| / error_ij, for each row; pairs without error skipped.

    ``errors`` holds the inverse of the standard error of each difference, 0 to skip a pair.
    """
    n = shifts.shape[1]
    for b in range(shifts.shape[0]):
        most = 0.0
        for i in range(n):
            own = shifts[b, i]
            for j in range(i + 1, n):
                most = max(most, abs(own - shifts[b, j]) * errors[i, j])
        largest[b] = most
