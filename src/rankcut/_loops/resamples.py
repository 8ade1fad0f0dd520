"""Bootstrap samples of people, and the largest difference in each."""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.random_streams import HALF_WORD, STEP, scramble
from rankcut._loops.types import Floats, Indices, Longs, Words

_LOW = np.uint64(0xFFFFFFFF)


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
                state += STEP
                word = scramble(state)
                person = ((word & _LOW) * n_people) >> HALF_WORD
            else:
                person = ((word >> HALF_WORD) * n_people) >> HALF_WORD
            row[owners[person]] += 1.0


@compiled
def largest_differences(shifts: Floats, errors: Floats, largest: Floats) -> None:
    """The largest |shift_i − shift_j| / error_ij of each row; pairs without an error do not count.

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
