"""The rankings of a Dask collection, in memory: each different one once, merged block by block."""

from typing import Any

import numpy as np

from rankcut._loops.types import Floats
from rankcut.dask.collections import row_blocks
from rankcut.dask.tasks import computed, reduced, task
from rankcut.errors import InputError
from rankcut.parameters import check_counts
from rankcut.rankings import Rankings, Unranked, merge_rankings, read_rankings
from rankcut.rankings.value import by_groups, joined


def merge_lazy(
    X: Any, unranked: Unranked, sample_weight: Any, kept: Unranked | None = None
) -> Rankings:
    """The different rankings of a collection with their counts, or each with its weight.

    ``kept`` says what unranked items mean in what is returned; None means as ``unranked``.
    """
    parts, sizes = row_blocks(X)
    weights: list[Floats | None] = [None] * len(parts)
    counted = True
    if sample_weight is not None:
        if np.isnan(sizes).any():
            raise InputError(
                "needs blocks of known size",
                parameter="sample_weight",
                remedy="call the array's compute_chunk_sizes() first, or expand the rows",
            )
        checked = check_counts(np.asarray(sample_weight), int(sum(sizes)))
        counted = bool((checked == np.floor(checked)).all())
        ends = np.cumsum(np.array(sizes, dtype=np.int64))[:-1]
        weights = list(np.split(checked, ends))
    merging = task(_merge_block)
    blocks = [
        merging(part, each, unranked, kept or unranked, counted)
        for part, each in zip(parts, weights, strict=True)
    ]
    (whole,) = computed(reduced(blocks, _merge if counted else _join))
    if whole is None:
        raise InputError("there are no rankings: the collection has no rows")
    rankings: Rankings = whole
    return rankings


def _merge_block(
    block: Any, weights: Floats | None, unranked: Unranked, kept: Unranked, counted: bool
) -> Rankings | None:
    if block.shape[0] == 0 or not (weights is None or weights.any()):
        return None
    rankings = read_rankings(block, unranked=unranked, sample_weight=weights)
    rankings = read_rankings(rankings, unranked=kept)
    return merge_rankings(rankings).rankings if counted else by_groups(rankings)


def _join(blocks: list[Rankings | None]) -> Rankings | None:
    known = [block for block in blocks if block is not None]
    return joined(known) if known else None


def _merge(blocks: list[Rankings | None]) -> Rankings | None:
    whole = _join(blocks)
    return None if whole is None else merge_rankings(whole).rankings
