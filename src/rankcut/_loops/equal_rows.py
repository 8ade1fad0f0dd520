"""Equal rows: rows of groups packed into words, and numbers that depend on a row's bits only."""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Indices, Longs, Words

_ONE = np.uint64(1)

# FNV's prime mixes low bits upwards, shifts bring high bits down again.
_PRIME = np.uint64(0x100000001B3)
_START = np.uint64(0xCBF29CE484222325)
_HALF = np.uint64(32)
_THIRD = np.uint64(29)


@compiled
def pack_rows(groups: Indices, bits: int, words: Words) -> None:
    """Pack ``bits`` bits per item, as many items per word as fit; unranked items are 0."""
    each = 64 // bits
    words[:] = 0
    for r in range(groups.shape[0]):
        for i in range(groups.shape[1]):
            group = groups[r, i]
            code = np.uint64(0) if group == NOWHERE else np.uint64(group) + _ONE
            words[r, i // each] |= code << np.uint64(bits * (i % each))


@compiled
def unpack_rows(words: Words, bits: int, groups: Indices) -> None:
    """The inverse of :func:`pack_rows`."""
    each = 64 // bits
    mask = (_ONE << np.uint64(bits)) - _ONE
    for r in range(groups.shape[0]):
        for i in range(groups.shape[1]):
            code = (words[r, i // each] >> np.uint64(bits * (i % each))) & mask
            groups[r, i] = NOWHERE if code == 0 else np.uint32(code - _ONE)


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
