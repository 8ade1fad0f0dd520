"""Shuffle labels within strata, and count them in cells of equal rankings.

A shuffle depends only on the seed and its number, so it is the same in any block or thread.
"""

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Longs

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_A, _B, _C, _D = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0  # 2^-53


@compiled
def mix(state: np.uint64) -> np.uint64:
    """SplitMix64: a random number for each state."""
    mixed = (state ^ (state >> _A)) * _FIRST
    mixed = (mixed ^ (mixed >> _B)) * _SECOND
    return mixed ^ (mixed >> _C)


@compiled
def stream_of_shuffle(seed: np.uint64, number: int) -> np.uint64:
    """The start of the random numbers of a shuffle."""
    return mix(mix(seed + _STEP) ^ mix(np.uint64(number) * _STEP + _STEP))


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
                    state += _STEP
                    place = np.int64((mix(state) >> _D) * _UNIT * (filled + 1))
                    segment[filled] = segment[place]
                    segment[place] = g
                    filled += 1


@compiled
def count_labels(labels: NDArray[np.uint8], starts: Longs, table: Floats) -> None:
    """``table[k, g, c]`` counts the units of cell c that shuffle k labels g.

    The last group is left out, because its counts follow. Cell c has the units from ``starts[c]``
    to ``starts[c + 1]``.
    """
    for k in range(table.shape[0]):
        for g in range(table.shape[1]):
            line = table[k, g]
            for c in range(line.shape[0]):
                found = 0.0
                for unit in range(starts[c], starts[c + 1]):
                    found += np.float64(labels[k, unit] == g)
                line[c] = found


@compiled
def shuffle_rows(starts: Longs, seed: np.uint64, first: int, rows: NDArray[np.int32]) -> None:
    """Row k of ``rows`` is shuffle number ``first + k`` of the unit numbers, within strata."""
    for k in range(rows.shape[0]):
        state = stream_of_shuffle(seed, first + k)
        row = rows[k]
        for s in range(starts.shape[0] - 1):
            begin = starts[s]
            for filled in range(starts[s + 1] - begin):
                state += _STEP
                place = np.int64((mix(state) >> _D) * _UNIT * (filled + 1))
                row[begin + filled] = row[begin + place]
                row[begin + place] = begin + filled
