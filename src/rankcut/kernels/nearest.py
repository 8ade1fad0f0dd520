"""The nearest rankings by a kernel, block by block, without storing the Gram matrix."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankcut._loops.pairs import ALL, keep_best
from rankcut._loops.types import Floats, Longs
from rankcut.dask import is_lazy
from rankcut.errors import InputError, amount
from rankcut.kernels.gram import Encoder, Encoding, read_both, slices, unit_scale
from rankcut.parameters import check_count
from rankcut.rankings import Unranked
from rankcut.threads import as_completed

# Rankings to compare with a block of others at once.
_ROWS = 512

_FLOAT = np.dtype(np.float64)


class Nearest(NamedTuple):
    """The nearest rankings of each ranking: kernel values and row numbers."""

    values: Any
    rows: Any


def nearest_rankings(
    X: Any,
    Y: Any,
    encode: Encoder,
    *,
    k: int,
    unranked: Unranked,
    normalize: bool,
    items: Sequence[Hashable] | None,
    n_jobs: int | None,
) -> Nearest:
    """The k rankings of Y with the largest kernel for each of X; if Y is None, the others of X."""
    check_count(k, "k")
    if is_lazy(X) or is_lazy(Y):
        from rankcut.dask.kernels import lazy_nearest

        return lazy_nearest(X, Y, encode, k, unranked, normalize, items)
    left, right = read_both(X, Y, items, unranked)
    rows = encode(left, _FLOAT)
    columns = None if right is None else encode(right, _FLOAT)
    return nearest_of(rows, columns, k=k, normalize=normalize, n_jobs=n_jobs)


def nearest_of(
    left: Encoding, right: Encoding | None, *, k: int, normalize: bool, n_jobs: int | None
) -> Nearest:
    """The k on the right with the largest kernel for each on the left; None: the others there."""
    return all_found(best_of(left, right, k, normalize, n_jobs))


def best_of(
    left: Encoding, right: Encoding | None, k: int, normalize: bool, n_jobs: int | None
) -> Nearest:
    """The nearest in one block of rankings, numbered from 0; −1 where there are fewer than k."""
    other = left if right is None else right
    best = none_yet(len(left), k)
    scales = None
    if normalize:
        own = unit_scale(left)
        scales = own, own if right is None else unit_scale(other)

    def search(rows: slice) -> None:
        for columns in slices(len(other), other.side):
            values = np.empty((rows.stop - rows.start, columns.stop - columns.start))
            left.compare(rows, other, columns, ALL, values)
            if scales is not None:
                values *= scales[0][rows, np.newaxis] * scales[1][columns]
            numbers = np.arange(columns.start, columns.stop)
            if right is None:
                values[np.arange(rows.start, rows.stop)[:, np.newaxis] == numbers] = -np.inf
            keep_nearest(values, np.broadcast_to(numbers, values.shape), best, rows)

    for _ in as_completed(search, [(rows,) for rows in slices(len(left), _ROWS)], n_jobs):
        pass
    return best


def none_yet(n_rows: int, k: int) -> Nearest:
    """Placeholders for the k nearest of each: value −∞ and row −1."""
    return Nearest(np.full((n_rows, k), -np.inf), np.full((n_rows, k), -1, dtype=np.int64))


def keep_nearest(values: Floats, numbers: Longs, best: Nearest, rows: slice) -> None:
    """Update the best with more values."""
    keep_best(values, np.ascontiguousarray(numbers), best.values[rows], best.rows[rows])


def all_found(best: Nearest) -> Nearest:
    """Check that k were found for each."""
    short = (best.rows < 0).any(axis=1)
    if short.any():
        n_found = int((best.rows[np.argmax(short)] >= 0).sum())
        raise InputError(
            f"is {best.rows.shape[1]}, with {amount(n_found, 'ranking')} to choose from",
            parameter="k",
        )
    return best
