"""Random numbers that depend only on a seed and what they are for.

The start of a ranking's stream is computed from its groups and the seed; that of a bootstrap sample
or a shuffle from its number. So draws are the same in any batch, block or thread.
"""

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Chains, Floats, Indices, Longs, Words

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
HALF_WORD = np.uint64(32)
_ONE = np.uint64(1)
_LOW = np.uint64(0xFFFFFFFF)

_FRACTION = np.uint64(11)
_UNIT = float(np.finfo(np.float64).epsneg)  # 2^-53


@compiled
def scramble(word: np.uint64) -> np.uint64:
    """Spread the bits of a word: the finaliser of splitmix64."""
    word = (word ^ (word >> np.uint64(30))) * FIRST_FACTOR
    word = (word ^ (word >> np.uint64(27))) * SECOND_FACTOR
    return word ^ (word >> np.uint64(31))


@compiled
def name_streams(chains: Chains, seed: np.uint64, streams: Words) -> None:
    """A stream for each partition, from the seed, its groups and the items in them."""
    order, ends, n_groups = chains
    for r in range(order.shape[0]):
        word = scramble(seed + STEP)
        start = 0
        for t in range(n_groups[r]):
            word = scramble(word ^ STEP)
            for p in range(start, ends[r, t]):
                word = scramble(word + STEP * (np.uint64(order[r, p]) + np.uint64(1)))
            start = ends[r, t]
        streams[r] = word


@compiled
def stream_of(row: Indices, seed: np.uint64) -> np.uint64:
    """The start of the stream of a ranking."""
    state = scramble(seed + STEP)
    for group in row:
        state = scramble((state ^ (np.uint64(group) + _ONE)) + STEP)
    return state


@compiled
def draw_below(state: np.uint64, count: int) -> tuple[np.uint64, np.int64]:
    """The stream's next state, and a number from 0 to count − 1."""
    state = state + STEP
    return state, np.int64(((scramble(state) >> HALF_WORD) * np.uint64(count)) >> HALF_WORD)


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
def shuffle_rows(starts: Longs, seed: np.uint64, first: int, rows: NDArray[np.int32]) -> None:
    """Row k of ``rows`` is shuffle number ``first + k`` of the unit numbers, within strata."""
    for k in range(rows.shape[0]):
        state = scramble(scramble(seed + STEP) ^ scramble(np.uint64(first + k) * STEP + STEP))
        row = rows[k]
        for s in range(starts.shape[0] - 1):
            begin = starts[s]
            for filled in range(starts[s + 1] - begin):
                state += STEP
                place = np.int64((scramble(state) >> _FRACTION) * _UNIT * (filled + 1))
                row[begin + filled] = row[begin + place]
                row[begin + place] = begin + filled
