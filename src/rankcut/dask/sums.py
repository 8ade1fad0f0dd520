"""Sums over the rankings of a collection: what nearly every answer is made of.

Each block gives its part of a sum where it is, and parts are added a few at a time, always in the
same order: the sum has the same bits on any number of workers. A part that a dead worker had is
computed again.

The different rankings with their counts are a sum, too (:func:`merged`). There are often few of
them, and all answers follow from them on this machine, with the bits that the whole collection in
memory would give. Where they are too many, :func:`add_up` adds up whatever the answer is made of:
vectors, pairs, gradients and curvatures.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack

from rankcut.dask.rows import RowBlocks, at_place, row_blocks, stand_in
from rankcut.dask.tasks import computed, reduced, shared, task
from rankcut.errors import InputError, amount
from rankcut.rankings import Rankings, Unranked, read_rankings
from rankcut.rankings.ranking_set import RankingSet
from rankcut.rankings.reading import is_collection


def add_up(function: Any, X: Any, *beside: Any) -> Any:
    """Σ function(block, …) over the blocks of rows of a collection, computed where they are.

    Parameters
    ----------
    function : callable
        Takes a block of X with at least one row, and the rows of each of ``beside``; returns
        a number, an array, anything else with a +, or a tuple of these. It is sent once to each
        worker.
    X : Dask array or DataFrame
        Rankings, or anything else in rows.
    *beside : Dask array or Series, or array in memory
        What belongs to the rows, such as labels or weights.

    Returns
    -------
    number, array, …
        The sum; the same bits for any number of workers.

    Examples
    --------
    The mean of the vectors of rankings:

    >>> import dask.array as da
    >>> from rankcut import graph_cut_features
    >>> ranks = da.from_array(np.array([[1.0, 2, 3], [1, 3, 2], [3, 1, 2]]), chunks=(2, -1))
    >>> total, n = add_up(lambda rows: (graph_cut_features(rows).sum(axis=0), len(rows)), ranks)
    >>> (total / n).round(2).tolist()
    [0.67, 0.0, -0.67]
    """
    return _reduced(function, total, X, {f"argument {k}": v for k, v in enumerate(beside, 3)})


def _reduced(
    function: Callable[..., Any],
    combine: Callable[[list[Any]], Any],
    X: Any,
    beside: Mapping[str, Any],
) -> Any:
    """What blocks with rows give, combined a few at a time."""
    rows = row_blocks(X)
    others = [_blocks_beside(values, rows, name) for name, values in beside.items()]
    part = partial(task(_part), shared((function, tuple(beside))))
    blocks = enumerate(zip(rows.parts, *others, strict=True))
    parts = [part(number, *block) for number, block in blocks]
    result = computed(reduced(parts, partial(_combined, combine)))[0]
    if result is None:
        raise InputError("there are no rows: all blocks are empty")
    return result


def _part(about: tuple[Any, tuple[str, ...]], number: int, block: Any, *beside: Any) -> Any:
    """What a block gives; None without rows."""
    function, names = about
    if block.shape[0] == 0:
        return None
    place = f"block {number}"
    for name, values in zip(names, beside, strict=True):
        if len(values) != block.shape[0]:
            problem = f"X has {amount(block.shape[0], 'row')} and {name} {len(values):,}"
            raise InputError(f"{place}: {problem}")
    try:
        return at_place(
            lambda rows: function(rows, *beside),
            block,
            lambda error, row: error.moved(file=place, row=row),
        )
    except InputError:
        raise
    except ValueError as problem:
        raise ValueError(f"{place}: {problem}") from None


def _combined(combine: Callable[[list[Any]], Any], parts: list[Any]) -> Any:
    filled = [part for part in parts if part is not None]
    return combine(filled) if filled else None


def total(parts: list[Any]) -> Any:
    """The sum of what blocks give, from the first to the last; of tuples, field by field."""
    if not isinstance(parts[0], tuple):
        return reduce(add, parts)
    fields = [reduce(add, values) for values in zip(*parts, strict=True)]
    kind: Any = type(parts[0])
    return kind(*fields) if hasattr(kind, "_fields") else tuple(fields)


def merged(
    X: Any,
    *,
    items: Sequence[Hashable] | None = None,
    unranked: Unranked = "error",
    counts: Any = None,
    beside: Mapping[str, Any] | None = None,
) -> RankingSet:
    """Each different ranking of a collection once, in memory, with how many people gave it.

    Every answer takes it, and gives the same bits as for all rankings in memory.

    Parameters
    ----------
    X : Dask array or DataFrame of shape (n_rankings, n_items)
        Ranks: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
    items : sequence or None
        Labels of the columns, if X is not a DataFrame.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means.
    counts : Dask array, Series, array or None
        How many people each row stands for.
    beside : dict of Dask arrays, Series or arrays, or None
        Columns that belong to the rows, such as groups or people. Rankings that differ in them are
        different, and the result has them as its ``columns``.

    Examples
    --------
    >>> import dask.array as da
    >>> from rankcut import Consensus
    >>> ranks = np.array([[1.0, 2, 3], [1, 2, 3], [3, 1, 2]] * 1000)
    >>> votes = merged(da.from_array(ranks, chunks=(500, -1)))
    >>> votes.dense().tolist(), votes.counts.tolist()
    ([[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]], [1000, 2000])
    >>> Consensus(n_bootstraps=0).fit(votes).ranking_.tolist()
    [1, 1, 3]
    """
    labels = read_rankings(stand_in(X), items, unranked="anywhere").items
    columns = dict(beside or {})
    read = partial(_different, labels, unranked, tuple(columns))
    named = columns if counts is None else {**columns, "counts": counts}
    result: RankingSet = _reduced(read, _join, X, named)
    return result


def _different(
    items: Any, unranked: Unranked, names: tuple[str, ...], block: Any, *beside: Any
) -> RankingSet:
    """The different rankings of a block, with counts and with what stands beside them."""
    counts = np.asarray(beside[-1]) if len(beside) > len(names) else None
    rankings = read_rankings(block, items, unranked=unranked, counts=counts)
    columns = {name: np.asarray(values) for name, values in zip(names, beside, strict=False)}
    return _merged(rankings, columns)


def _join(parts: list[RankingSet]) -> RankingSet:
    """The different rankings of some parts."""
    first = parts[0]
    if len(parts) == 1:
        return first
    ranks: Any = (
        vstack([part.sparse() for part in parts], format="csr")
        if any(issparse(part.ranks) for part in parts)
        else np.concatenate([part.ranks for part in parts])
    )
    rankings = read_rankings(
        ranks,
        first.labels(),
        unranked=first.unranked or "error",
        counts=np.concatenate([part.counts for part in parts]),
    )
    columns = {
        name: np.concatenate([part.columns[name] for part in parts]) for name in first.columns
    }
    return _merged(rankings, columns)


def _merged(rankings: Rankings, columns: dict[str, NDArray[Any]]) -> RankingSet:
    """Each different row once: rankings with what stands beside them."""
    different, which = rankings.merged(as_listed=True)
    rows = np.flatnonzero(which >= 0)
    values = [np.unique(column[rows], return_inverse=True)[1] for column in columns.values()]
    keys = np.column_stack([which[rows], *values])
    _, first, same = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    some = different.rows(which[rows[first]])
    n_items = rankings.shape[1]
    return RankingSet(
        some.read(0, len(first)) + some.grouped if some.sparse is None else some.sparse,
        tuple(range(n_items)) if rankings.items is None else rankings.items,
        counts=np.bincount(same.ravel(), rankings.counts[rows]).astype(np.int64),
        columns={name: column[rows[first]] for name, column in columns.items()},
        unranked=rankings.unranked,
        counted=True,
    )


def _blocks_beside(values: Any, rows: RowBlocks, name: str) -> list[Any]:
    """Blocks of labels or weights that match the blocks of rows."""
    if is_collection(values):
        if len(values.shape) != 1:
            raise ValueError(f"{name} has shape {values.shape}, and should have one dimension")
        if hasattr(values, "rechunk") and not np.isnan([*values.chunks[0], *rows.sizes]).any():
            if values.shape[0] != sum(rows.sizes):
                raise ValueError(
                    f"X has {sum(rows.sizes):,} rows and {name} has {values.shape[0]:,}"
                )
            values = values.rechunk((rows.sizes,))
        parts = row_blocks(values).parts
        if len(parts) != len(rows.parts):
            raise ValueError(
                f"X has {len(rows.parts)} blocks and {name} has {len(parts)}; give both the same "
                "chunks or partitions"
            )
        return parts
    if np.isnan(rows.sizes).any():
        raise ValueError(
            f"the blocks of X are of unknown size, so {name} in memory cannot be split; call "
            "compute_chunk_sizes() of an array or to_dask_array(lengths=True) of a DataFrame "
            f"first, or give {name} as a Dask array or Series with the same blocks"
        )
    array = np.asarray(values)
    if len(array) != sum(rows.sizes):
        raise ValueError(f"X has {sum(rows.sizes):,} rows and {name} has {len(array):,}")
    ends = np.cumsum(rows.sizes).astype(int)
    return [shared(piece) for piece in np.split(array, ends[:-1])]
