"""Equal rows: numbers that depend on a row's bits only."""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Longs, Words

# FNV's prime mixes low bits upwards, shifts bring high bits down again.
_PRIME = np.uint64(0x100000001B3)
_START = np.uint64(0xCBF29CE484222325)
_HALF = np.uint64(32)
_THIRD = np.uint64(29)


@compiled
def hash_rows(rows: Words, codes: Longs, hashes: Words) -> None:
    """A number for each row and its code that depends on nothing else."""
    for i in range(rows.shape[0]):
        mixed = (_START ^ np.uint64(codes[i])) * _PRIME
        for j in range(rows.shape[1]):
            mixed = (mixed ^ rows[i, j]) * _PRIME
            mixed ^= mixed >> _HALF
        mixed *= _PRIME
        hashes[i] = mixed ^ (mixed >> _THIRD)
