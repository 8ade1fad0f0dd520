"""The nearest rankings by a kernel, from blocks of the Gram matrix that are not kept."""

from collections.abc import Hashable, Sequence
from functools import partial
from itertools import accumulate
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from rankcut._loops.pairs import ALL, keep_best
from rankcut._loops.types import Floats, Longs
from rankcut.kernels.gram import Encoder, Encoding, read_both, slices, unit_scale
from rankcut.kernels.lazy_gram import lazy_encodings
from rankcut.lazy import is_lazy, reduced, stand_in, task
from rankcut.rankings import Unranked
from rankcut.threads import as_completed

# Rankings that are compared with a block of others at once.
_ROWS = 512

_FLOAT = np.dtype(np.float64)


class Nearest(NamedTuple):
    """The nearest rankings of each: how near they are, and which."""

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
    """The k of Y with the largest kernel for each of X; Y is None: of X, without itself."""
    if not (isinstance(k, Integral) and k >= 1):
        raise ValueError(f"k is the number of nearest rankings, 1 or more, and it is {k!r}")
    if is_lazy(X) or is_lazy(Y):
        return _lazily(X, Y, encode, k, unranked, normalize, items)
    left, right = read_both(X, Y, items, unranked)
    rows = encode(left, _FLOAT)
    columns = None if right is None else encode(right, _FLOAT)
    return nearest_of(rows, columns, k=k, normalize=normalize, n_jobs=n_jobs)


def nearest_of(
    left: Encoding, right: Encoding | None, *, k: int, normalize: bool, n_jobs: int | None
) -> Nearest:
    """The k on the right with the largest kernel for each on the left; None: of the others."""
    return _found(_best(left, right, k, normalize, n_jobs))


def _best(
    left: Encoding, right: Encoding | None, k: int, normalize: bool, n_jobs: int | None
) -> Nearest:
    """The best of one block of rankings, numbered from 0; none yet where there are fewer than k."""
    other = left if right is None else right
    best = _none_yet(len(left), k)
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
            _keep(values, np.broadcast_to(numbers, values.shape), best, rows)

    for _ in as_completed(search, [(rows,) for rows in slices(len(left), _ROWS)], n_jobs):
        pass
    return best


def _none_yet(n_rows: int, k: int) -> Nearest:
    """Room for the k nearest of each: −∞, and row −1."""
    return Nearest(np.full((n_rows, k), -np.inf), np.full((n_rows, k), -1, dtype=np.int64))


def _keep(values: Floats, numbers: Longs, best: Nearest, rows: slice) -> None:
    keep_best(values, np.ascontiguousarray(numbers), best.values[rows], best.rows[rows])


def _found(best: Nearest) -> Nearest:
    """The same, if there are k for each."""
    short = (best.rows < 0).any(axis=1)
    if short.any():
        n_found = int((best.rows[np.argmax(short)] >= 0).sum())
        raise ValueError(
            f"k={best.rows.shape[1]} nearest rankings are asked for, and there are {n_found} to "
            "choose from"
        )
    return best


def _lazily(
    X: Any,
    Y: Any,
    encode: Encoder,
    k: int,
    unranked: Unranked,
    normalize: bool,
    items: Sequence[Hashable] | None,
) -> Nearest:
    """The best of each pair of blocks, combined along the rankings to choose from."""
    import dask.array as da

    left, right = read_both(stand_in(X), None if Y is None else stand_in(Y), items, unranked)
    encoded = partial(lazy_encodings, encode=encode, unranked=unranked, dtype=_FLOAT)
    rows = encoded(X, items=left.items)
    columns = rows if right is None or Y is X else encoded(Y, items=right.items)
    others = list(columns.to_delayed())
    starts = task(_starts)([task(len)(other) for other in others])
    compare, combine = task(_best_of_pair), partial(_combined, k)
    found = task(_found, nout=2)
    values, numbers = [], []
    for row, block in enumerate(rows.to_delayed()):
        pairs = [
            compare(block, other, (starts, column), k, normalize, columns is rows and column == row)
            for column, other in enumerate(others)
        ]
        best = found(reduced(pairs, combine))
        shape = rows.chunks[0][row], k
        values.append(da.from_delayed(best[0], shape, dtype=np.float64))
        numbers.append(da.from_delayed(best[1], shape, dtype=np.int64))
    join = partial(da.concatenate, allow_unknown_chunksizes=True)
    return Nearest(join(values), join(numbers))


def _starts(sizes: list[int]) -> list[int]:
    """The first row of each block."""
    return list(accumulate(sizes, initial=0))


def _best_of_pair(
    left: Any, right: Any, where: tuple[list[int], int], k: int, normalize: bool, itself: bool
) -> Nearest:
    if len(left) == 0 or len(right) == 0:
        return _none_yet(len(left), k)
    best = _best(left, None if itself else right, k, normalize, None)
    starts, number = where
    return Nearest(best.values, np.where(best.rows < 0, -1, best.rows + starts[number]))


def _combined(k: int, parts: list[Nearest]) -> Nearest:
    """The best of several, in the order of their rows."""
    n_rows = len(parts[0].values)
    best = _none_yet(n_rows, k)
    for values, numbers in parts:
        _keep(values, numbers, best, slice(0, n_rows))
    return best
