"""The graph cut kernel: inner products of graph cut features."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankcut.cuts import Algorithm, cut_function
from rankcut.features import compute_features, fit_graph
from rankcut.kernels.gram import Encoder, Features, gram_matrix
from rankcut.rankings import RankMatrix, Unranked


def graph_cut_kernel(
    X: Any,
    Y: Any = None,
    graph: Any = None,
    *,
    unranked: Unranked = "error",
    normalize: bool = False,
    items: Sequence[Hashable] | None = None,
    algorithm: Algorithm = "auto",
    out: NDArray[Any] | None = None,
    dtype: DTypeLike | None = None,
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """k(A, A') = ⟨φ(A), φ(A')⟩ for each ranking of X and each of Y.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings_x, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
    Y : array, frame or CSR array of shape (n_rankings_y, n_items) or None
        Another rank matrix over the same items; None is X itself, each pair once.
    graph : None, ItemGraph, recipe, array, sparse matrix, networkx.Graph or frame
        The item graph; None is the complete graph.
    normalize : bool
        Divide by √(k(A, A)·k(A', A')), so that values are from −1 to 1; on the complete graph
        this is Spearman's correlation. A ranking that ties all items has k = 0.
    out : ndarray or memmap of shape (n_rankings_x, n_rankings_y) or None
        Where to write the Gram matrix.
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
    return gram_matrix(
        X,
        Y,
        graph_cut_encoder(graph, unranked, normalize, algorithm, n_jobs),
        unranked=unranked,
        normalize=False,
        items=items,
        out=out,
        dtype=dtype,
        n_jobs=n_jobs,
    )


def graph_cut_encoder(
    graph: Any, unranked: Unranked, normalize: bool, algorithm: Algorithm, n_jobs: int | None
) -> Encoder:
    """Graph cut features, which are normalised as vectors: weights may be of any scale."""

    def encode(rankings: RankMatrix, dtype: np.dtype[Any]) -> Features:
        features = compute_features(
            rankings,
            cut_function(fit_graph(graph, rankings), algorithm),
            unranked=unranked,
            normalize=normalize,
            dtype=dtype,
            n_jobs=n_jobs,
        )
        return Features(features.shape, lambda start, stop: features[start:stop])

    return encode
