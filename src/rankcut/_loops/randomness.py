"""Random digits that depend on a ranking and a seed, and on nothing else.

The generator is splitmix64 (Steele, Lea & Flood 2014): a counter, scrambled. A ranking's stream
starts where its groups, folded into the seed, put it; so its draws are the same in whichever
batch, row or thread it comes.
"""

import numpy as np

from rankcut._loops.compiling import compiled
from rankcut._loops.types import Indices

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_27 = np.uint64(27)
_30 = np.uint64(30)
_31 = np.uint64(31)
_32 = np.uint64(32)


@compiled
def scramble(state: np.uint64) -> np.uint64:
    state = (state ^ (state >> _30)) * _FIRST
    state = (state ^ (state >> _27)) * _SECOND
    return state ^ (state >> _31)


@compiled
def stream_of(row: Indices, seed: np.uint64) -> np.uint64:
    """Where the stream of a ranking starts."""
    state = scramble(seed + _STEP)
    for group in row:
        state = scramble((state ^ (np.uint64(group) + _ONE)) + _STEP)
    return state


@compiled
def draw_below(state: np.uint64, count: int) -> tuple[np.uint64, np.int64]:
    """The stream's next state, and a number from 0 to count − 1."""
    state = state + _STEP
    return state, np.int64(((scramble(state) >> _32) * np.uint64(count)) >> _32)
