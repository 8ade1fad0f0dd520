"""The graph cut feature map: one vector for each ranking, one coordinate for each item.

For the ordered partition G_1 ≻ G_2 ≻ … ≻ G_l with prefixes B_t = G_1 ∪ … ∪ G_t, and the cut
function F of the item graph:

1. the slope of a group is (F(B_t) − F(B_{t−1})) / |G_t|;
2. slopes are made non-increasing by pooling neighbouring groups (antitonic regression, weighted
   by group size), which makes them the slopes of the least concave majorant of the points
   (|B_t|, F(B_t));
3. φ_i is the pooled slope of the group of item i. Larger means more preferred.

The vectors add up to 0, a reversed ranking has the opposite vector, and on the complete graph
φ_i = n + 1 − 2·(average rank of i).
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankcut._loops.pooling import pool_rows
from rankcut.cuts import Algorithm, Cut, cut_function
from rankcut.graphs import ItemGraph, as_item_graph
from rankcut.partitions import block_rows, read_partitions
from rankcut.rankings import RankMatrix, Unranked, read_rankings
from rankcut.threads import over_rows


def graph_cut_features(
    X: Any,
    graph: Any = None,
    *,
    unranked: Unranked = "error",
    normalize: bool = False,
    items: Sequence[Hashable] | None = None,
    algorithm: Algorithm = "auto",
    dtype: DTypeLike | None = None,
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """Graph cut features of rankings, as a plain function.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
    graph : None, ItemGraph, recipe, array, sparse matrix, networkx.Graph or frame
        The item graph; None is the complete graph, whose kernel is Spearman's.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means; see :mod:`rankcut.rankings`.
    normalize : bool
        Scale each vector to unit length. A vector of zeros stays as it is.
    items : sequence or None
        Labels of the columns, if X is not a frame; matched with those of the graph.
    algorithm : {"auto", "complete", "table", "dense", "sparse"}
        How cuts are computed; see :mod:`rankcut.cuts`. All agree to rounding.
    dtype : float32, float64 or None
        Type of the result; None is that of X if it is float32, and float64 otherwise. The
        arithmetic is in float64.
    n_jobs : int or None
        Number of threads, as in scikit-learn. The result is the same bits for any number.

    Returns
    -------
    ndarray of shape (n_rankings, n_items)

    Examples
    --------
    >>> graph_cut_features([[1, 2, 3, 4], [2, 2, 1, 4]])
    array([[ 3.,  1., -1., -3.],
           [ 0.,  0.,  3., -3.]])
    >>> chain = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> graph_cut_features([[1, 2, 3, 4]], chain)
    array([[ 1.,  0.,  0., -1.]])
    """
    rankings = read_rankings(X, items)
    rankings.check(unranked)
    item_graph = fit_graph(graph, rankings)
    return compute_features(
        rankings,
        cut_function(item_graph, algorithm),
        unranked=unranked,
        normalize=normalize,
        dtype=feature_dtype(dtype, rankings),
        n_jobs=n_jobs,
    )


def fit_graph(graph: Any, rankings: RankMatrix) -> ItemGraph:
    """The user's graph, its items matched with the columns of the rankings."""
    n_items = rankings.shape[1]
    if graph is None:
        return ItemGraph.complete(n_items).aligned(n_items, rankings.items)
    return as_item_graph(graph).aligned(n_items, rankings.items)


def feature_dtype(dtype: DTypeLike | None, rankings: RankMatrix) -> np.dtype[Any]:
    """The dtype asked for, or else that of the ranks."""
    if dtype is None:
        return np.dtype(np.float32 if rankings.single else np.float64)
    asked = np.dtype(dtype)
    if asked not in (np.float32, np.float64):
        raise ValueError(f"features are float32 or float64, and dtype={dtype!r} is neither")
    return asked


def compute_features(
    rankings: RankMatrix,
    cut: Cut,
    *,
    unranked: Unranked,
    normalize: bool,
    dtype: np.dtype[Any],
    n_jobs: int | None,
) -> NDArray[Any]:
    """Features of checked rankings: blocks of partitions, their increments, pooled slopes."""
    n_rows, n_items = rankings.shape
    features = np.empty((n_rows, n_items), dtype=dtype)

    def fill(start: int, stop: int) -> None:
        increments = np.empty((min(block_rows(n_items), stop - start), n_items))
        for first, block in read_partitions(rankings, start, stop, close=True):
            rows = features[first : first + len(block)]
            cut.increments(block, increments)
            pool_rows(block.order, block.ends, block.n_groups, increments, normalize, rows)

    over_rows(fill, n_rows, block_rows(n_items), n_jobs)
    return features
