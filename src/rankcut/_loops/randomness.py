"""Random digits that depend on a ranking and a seed, and on nothing else.

A ranking's stream starts where its groups, folded into the seed, put it; so its draws are the same
in whichever batch, row or thread it comes.
"""

import numpy as np

from rankcut._loops.compiling import compiled
from rankcut._loops.completing import HALF_WORD, STEP, scramble
from rankcut._loops.types import Indices

_ONE = np.uint64(1)


@compiled
def stream_of(row: Indices, seed: np.uint64) -> np.uint64:
    """Where the stream of a ranking starts."""
    state = scramble(seed + STEP)
    for group in row:
        state = scramble((state ^ (np.uint64(group) + _ONE)) + STEP)
    return state


@compiled
def draw_below(state: np.uint64, count: int) -> tuple[np.uint64, np.int64]:
    """The stream's next state, and a number from 0 to count − 1."""
    state = state + STEP
    return state, np.int64(((scramble(state) >> HALF_WORD) * np.uint64(count)) >> HALF_WORD)
