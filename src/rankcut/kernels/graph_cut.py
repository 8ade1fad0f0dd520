"""The graph cut kernel: inner products of graph cut features."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankcut.cuts import Algorithm
from rankcut.features import graph_cut_features
from rankcut.rankings import Unranked


def graph_cut_kernel(
    X: Any,
    Y: Any = None,
    graph: Any = None,
    *,
    unranked: Unranked = "error",
    normalize: bool = False,
    items: Sequence[Hashable] | None = None,
    algorithm: Algorithm = "auto",
    dtype: DTypeLike | None = None,
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """k(A, A') = ⟨φ(A), φ(A')⟩ for each ranking of X and each of Y.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings_x, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
    Y : array, frame or CSR array of shape (n_rankings_y, n_items) or None
        Another rank matrix over the same items; None is X itself.
    graph : None, ItemGraph, recipe, array, sparse matrix, networkx.Graph or frame
        The item graph; None is the complete graph.
    normalize : bool
        Scale each vector to unit length, so that values are from −1 to 1; on the complete graph
        this is Spearman's correlation.
    unranked, items, algorithm, dtype, n_jobs
        As in :func:`~rankcut.graph_cut_features`.

    Returns
    -------
    ndarray of shape (n_rankings_x, n_rankings_y)

    Examples
    --------
    >>> graph_cut_kernel([[1, 2, 3], [3, 2, 1]], [[1, 3, 2]], normalize=True)
    array([[ 0.5],
           [-0.5]])
    """
    options: dict[str, Any] = {
        "unranked": unranked,
        "normalize": normalize,
        "items": items,
        "algorithm": algorithm,
        "dtype": dtype,
        "n_jobs": n_jobs,
    }
    left = graph_cut_features(X, graph, **options)
    right = left if Y is None else graph_cut_features(Y, graph, **options)
    if left.shape[1] != right.shape[1]:
        raise ValueError(
            f"X ranks {left.shape[1]} items and Y ranks {right.shape[1]}; a kernel compares "
            "rankings of the same items"
        )
    return np.asarray(left @ right.T)
