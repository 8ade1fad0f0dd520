"""Random numbers that depend only on a ranking and a seed.

The start of a ranking's stream is computed from its groups and the seed, so its draws are the same
in any batch, row or thread.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Chains, Indices, Streams

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
HALF_WORD = np.uint64(32)
_ONE = np.uint64(1)


@compiled
def scramble(word: np.uint64) -> np.uint64:
    """Spread the bits of a word: the finaliser of splitmix64."""
    word = (word ^ (word >> np.uint64(30))) * FIRST_FACTOR
    word = (word ^ (word >> np.uint64(27))) * SECOND_FACTOR
    return word ^ (word >> np.uint64(31))


@compiled
def name_streams(chains: Chains, seed: np.uint64, streams: Streams) -> None:
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
