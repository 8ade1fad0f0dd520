"""Ratings: a matrix of scores, such as stars given to films."""

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut.rankings import as_frame, read_rankings

# Rows are ranked in pieces of about this many entries.
_PIECE = 1 << 18


def from_ratings(X: Any, *, higher_is_better: bool = True) -> Any:
    """A rank matrix from scores: the best score of a row has rank 1, equal scores are tied.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Scores. NaN, null, or absent in a sparse matrix: not rated, and so not ranked. A stored
        zero is a score.
    higher_is_better : bool
        Whether the highest score is the best, or the lowest.

    Returns
    -------
    array, frame or csr_array of the same shape and kind as X

    Examples
    --------
    >>> from_ratings([[5, 3, 5], [1, float("nan"), 2]])
    array([[ 1.,  2.,  1.],
           [ 2., nan,  1.]])
    """
    ratings = read_rankings(X)
    ratings.check_finite("score")
    sign = -1.0 if higher_is_better else 1.0
    if ratings.sparse is not None:
        ranks = sparse.csr_array(ratings.sparse, dtype=np.float64, copy=True)
        rows = np.repeat(np.arange(ranks.shape[0]), np.diff(ranks.indptr))
        ranks.data = _ranks_within(rows, sign * ranks.data)
        return ranks
    n_rows, n_items = ratings.shape
    dense = np.full((n_rows, n_items), np.nan)
    step = max(1, _PIECE // n_items)
    for start in range(0, n_rows, step):
        scores = ratings.read(start, min(start + step, n_rows))
        rows, columns = np.nonzero(~np.isnan(scores))
        dense[start + rows, columns] = _ranks_within(rows, sign * scores[rows, columns])
    frame = as_frame(X)
    if frame is not None:
        return frame.with_columns(
            nw.new_series(name, dense[:, i], backend=frame.implementation)
            for i, name in enumerate(frame.columns)
        ).to_native()
    return dense


def _ranks_within(rows: NDArray[np.intp], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank each score within its row, the lowest first; the t-th lowest value has rank t."""
    order = np.lexsort((scores, rows))
    rows, scores = rows[order], scores[order]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = rows[1:] != rows[:-1]
    rises = first.copy()
    rises[1:] |= scores[1:] > scores[:-1]
    level = np.cumsum(rises)
    ranks = np.empty(len(scores))
    # The level before a row's first entry, carried along the row.
    ranks[order] = level - np.maximum.accumulate(np.where(first, level - 1, 0))
    return ranks
