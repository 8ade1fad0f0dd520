"""From a vector back to a ranking: the items in the order of their coordinates.

For the slopes before pooling φ°(σ) of any item graph, ⟨s, φ°(σ)⟩ = Σ_{i before j} W_ij·(s_i − s_j).
Sorting by s makes each term as large as it can be, so no ranking has a larger inner product with
s than the order of s itself. With pooled features this is nearly true: see ``docs/consensus.md``.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut.errors import InputError
from rankcut.parameters import within_floats

# Computed numbers that differ by less than this share of the largest one are equal up to rounding.
ROUNDING = 1e-9


def to_ranking(vectors: ArrayLike, *, tolerance: float | None = None) -> NDArray[np.int64]:
    """The ranking most similar to a vector: 1 for the largest coordinate, and so on.

    Parameters
    ----------
    vectors : array of shape (n_items,) or (n_vectors, n_items)
        One or more vectors with a coordinate for each item, larger = more preferred.
    tolerance : float or None
        Neighbours in the order are tied if they differ by at most this. None only allows for
        rounding: 1e-9 of the largest coordinate.

    Returns
    -------
    ndarray of int64, of the same shape
        Ranks: 1 is best, and tied items share the best of their places (1, 2, 2, 4).

    Examples
    --------
    >>> to_ranking([0.5, 2.0, -1.0, 0.5])
    array([2, 1, 4, 2])
    >>> to_ranking([[3.0, 2.9, 1.0], [1.0, 2.0, 3.0]], tolerance=0.2)
    array([[1, 1, 3],
           [3, 2, 1]])
    """
    with within_floats("vectors"):
        rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim not in (1, 2):
        raise InputError(f"must have one or two dimensions; got {rows.ndim}", parameter="vectors")
    return _decoded(np.atleast_2d(rows), tolerance).reshape(rows.shape)


def _decoded(rows: NDArray[np.float64], tolerance: float | None) -> NDArray[np.int64]:
    if not np.isfinite(rows).all():
        row, item = divmod(int(np.argmin(np.isfinite(rows))), rows.shape[1])
        raise InputError(
            f"has the coordinate {rows[row, item]}; only finite numbers can be ordered",
            row=row,
            item=item,
        )
    if tolerance is not None and not tolerance >= 0:
        raise InputError(f"must be 0 or more; got {tolerance}", parameter="tolerance")
    n_rows, n_items = rows.shape
    if n_items == 0:
        return np.empty((n_rows, 0), dtype=np.int64)
    order = np.argsort(-rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    slack = ROUNDING * np.abs(rows).max(axis=1, keepdims=True) if tolerance is None else tolerance
    starts = np.ones((n_rows, n_items), dtype=bool)
    starts[:, 1:] = ordered[:, :-1] - ordered[:, 1:] > slack
    places = np.maximum.accumulate(np.where(starts, np.arange(1, n_items + 1), 0), axis=1)
    ranks = np.empty((n_rows, n_items), dtype=np.int64)
    np.put_along_axis(ranks, order, places, axis=1)
    return ranks
