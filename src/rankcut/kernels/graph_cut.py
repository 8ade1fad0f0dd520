"""The graph cut kernel: inner products of graph cut features."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array, issparse

from rankcut.completions import Method, Sampler
from rankcut.features import graph_cut_features, seed_from
from rankcut.rankings import Unranked
from rankcut.setfunctions import Algorithm


def graph_cut_kernel(
    X: Any,
    Y: Any = None,
    graph: Any = None,
    *,
    unranked: Unranked = "error",
    normalize: bool = False,
    items: Sequence[Hashable] | None = None,
    completions: Method = "auto",
    sampler: Sampler = "controlled",
    n_draws: int | None = None,
    tolerance: float | None = None,
    random_state: int | np.random.RandomState | None = 0,
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
    completions, sampler, n_draws, tolerance, random_state
        As in :func:`~rankcut.graph_cut_features`, for ``unranked="anywhere"``. Sparse rankings
        in closed form stay sparse on the way, and the constant that most items of a vector share
        is taken into account.

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
        "completions": completions,
        "sampler": sampler,
        "n_draws": n_draws,
        "tolerance": tolerance,
        "random_state": seed_from(random_state),
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
    if issparse(left) or issparse(right):
        return _inner_products(csr_array(left), csr_array(right))
    return np.asarray(left @ right.T)


def _inner_products(left: csr_array, right: csr_array) -> NDArray[Any]:
    """⟨φ, φ'⟩ of vectors that are given up to a constant: φ = S − (sum of S)/n."""
    sums = np.outer(left.sum(axis=1), right.sum(axis=1))
    return np.asarray((left @ right.T).toarray() - sums / left.shape[1])
