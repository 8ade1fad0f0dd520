"""The people behind a Dask collection: each different ranking is counted once, block by block."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.consensus.people import (
    Packed,
    People,
    are_counts,
    check_weights,
    count_distinct,
    gather_packed,
    pack,
)
from rankcut.dask.collections import row_blocks
from rankcut.dask.tasks import computed, reduced, task
from rankcut.errors import InputError
from rankcut.rankings import Unranked, read_rankings


def gather_lazy(
    ranks: Any, unranked: Unranked, sample_weight: Any, closed: Unranked | None = None
) -> People:
    """The same people for any number of blocks.

    ``closed`` says what unranked items mean in what is kept; None means as ``unranked``.
    """
    parts, sizes = row_blocks(ranks)
    if sample_weight is None:
        weights: list[NDArray[np.float64] | None] = [None] * len(parts)
        counted = True
    else:
        if np.isnan(sizes).any():
            raise InputError(
                "needs blocks of known size",
                parameter="sample_weight",
                remedy="call the array's compute_chunk_sizes() first, or expand the rows",
            )
        checked = check_weights(np.asarray(sample_weight), int(sum(sizes)))
        counted = are_counts(checked)
        ends = np.cumsum(np.array(sizes, dtype=np.int64))[:-1]
        weights = list(np.split(checked, ends))
    packing = task(_pack_block)
    kept = unranked if closed is None else closed
    packed = [
        packing(part, each, unranked, kept, counted)
        for part, each in zip(parts, weights, strict=True)
    ]
    (whole,) = computed(reduced(packed, _merge if counted else _join))
    if whole is None:
        raise InputError("there are no rankings: the collection has no rows")
    return gather_packed([whole], kept, counted)


def _pack_block(
    block: Any,
    weights: NDArray[np.float64] | None,
    unranked: Unranked,
    kept: Unranked,
    counted: bool,
) -> Packed | None:
    if block.shape[0] == 0:
        return None
    rankings = read_rankings(block)
    rankings.check(unranked)
    if weights is None:
        weights = np.ones(rankings.shape[0])
    packed = pack(rankings, kept, weights)
    return count_distinct(packed) if counted and len(packed.words) else packed


def _join(blocks: list[Packed | None]) -> Packed | None:
    known = [block for block in blocks if block is not None]
    if not known:
        return None
    return Packed(
        known[0].n_items,
        np.concatenate([block.words for block in known]),
        np.concatenate([block.weights for block in known]),
        np.any([block.listed for block in known], axis=0),
    )


def _merge(blocks: list[Packed | None]) -> Packed | None:
    joined = _join(blocks)
    return None if joined is None else count_distinct(joined)
