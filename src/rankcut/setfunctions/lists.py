"""Lists of different lengths in two arrays, as compiled loops take them."""

from collections.abc import Sequence

import numpy as np

from rankcut._loops.types import Indices


def as_lists(lists: Sequence[Sequence[int]]) -> tuple[Indices, Indices]:
    """List i is ``entries[starts[i]:starts[i + 1]]``."""
    starts = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.uint32)
    entries = np.array([entry for one in lists for entry in one], dtype=np.uint32)
    return starts, entries
