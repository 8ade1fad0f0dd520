"""Shuffle labels within strata, and count them in cells of equal rankings.

A shuffle depends only on the seed and its number, so it is the same in any block or thread.
"""

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.compilation import compiled
from rankcut._loops.random_streams import STEP, scramble
from rankcut._loops.types import Floats, Longs

_FRACTION = np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0  # 2^-53


@compiled
def stream_of_shuffle(seed: np.uint64, number: int) -> np.uint64:
    """The start of the random numbers of a shuffle."""
    return scramble(scramble(seed + STEP) ^ scramble(np.uint64(number) * STEP + STEP))


@compiled
def shuffle_labels(
    sizes: Longs, starts: Longs, seed: np.uint64, first: int, labels: NDArray[np.uint8]
) -> None:
    """Row k of ``labels`` is shuffle number ``first + k`` of the labels of all parts.

    ``sizes[k, s, g]`` units of part s, which begins at ``starts[s]``, are in group g. The labels
    of the largest group need no draws: the others are inserted among them, one after another,
    each at a random place.
    """
    n_groups = sizes.shape[2]
    for k in range(labels.shape[0]):
        row = labels[k]
        state = stream_of_shuffle(seed, first + k)
        for s in range(sizes.shape[1]):
            segment = row[starts[s] : starts[s + 1]]
            largest = 0
            for g in range(n_groups):
                if sizes[k, s, g] > sizes[k, s, largest]:
                    largest = g
            filled = sizes[k, s, largest]
            segment[:filled] = largest
            for g in range(n_groups):
                if g == largest:
                    continue
                for _ in range(sizes[k, s, g]):
                    state += STEP
                    place = np.int64((scramble(state) >> _FRACTION) * _UNIT * (filled + 1))
                    segment[filled] = segment[place]
                    segment[place] = g
                    filled += 1


@compiled
def count_labels(labels: NDArray[np.uint8], starts: Longs, table: Floats) -> None:
    """``table[k, g, c]`` counts the units of cell c that shuffle k labels g.

    The last group is left out, because its counts follow. Cell c has the units from ``starts[c]``
    to ``starts[c + 1]``; differences of running totals count them without a branch for each.
    """
    totals = np.zeros(labels.shape[1] + 1, dtype=np.int32)
    for k in range(table.shape[0]):
        for g in range(table.shape[1]):
            found = 0
            for unit in range(labels.shape[1]):
                found += labels[k, unit] == g
                totals[unit + 1] = found
            line = table[k, g]
            for c in range(line.shape[0]):
                line[c] = totals[starts[c + 1]] - totals[starts[c]]


@compiled
def shuffle_rows(starts: Longs, seed: np.uint64, first: int, rows: NDArray[np.int32]) -> None:
    """Row k of ``rows`` is shuffle number ``first + k`` of the unit numbers, within strata."""
    for k in range(rows.shape[0]):
        state = stream_of_shuffle(seed, first + k)
        row = rows[k]
        for s in range(starts.shape[0] - 1):
            begin = starts[s]
            for filled in range(starts[s + 1] - begin):
                state += STEP
                place = np.int64((scramble(state) >> _FRACTION) * _UNIT * (filled + 1))
                row[begin + filled] = row[begin + place]
                row[begin + place] = begin + filled
