"""Rows of groups packed into words, so that rows can be sorted, compared and counted quickly."""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Indices, Words

_ONE = np.uint64(1)


@compiled
def close_rows(groups: Indices) -> None:
    """Put the unranked items of each row into one last group."""
    for r in range(groups.shape[0]):
        last = np.uint32(0)
        for group in groups[r]:
            if group != NOWHERE and group + 1 > last:
                last = group + 1
        for i in range(groups.shape[1]):
            if groups[r, i] == NOWHERE:
                groups[r, i] = last


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
