"""The graph cut kernel: inner products of graph cut features."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array, issparse

from rankcut._loops.pairs import ALL, TWINS, UPPER
from rankcut.features.completions import CompletionOptions, Method
from rankcut.features.feature_map import FeatureMap
from rankcut.features.graph_cut import fit_graph
from rankcut.features.sampled import Sampler
from rankcut.features.smoothing import Smoother, check_steps
from rankcut.features.unlisted import UnlistedWeight
from rankcut.graphs import as_item_graph
from rankcut.graphs.derived import joining_like_items
from rankcut.kernels.gram import Encoder, Features, gram_matrix
from rankcut.rankings import RankMatrix, Unranked
from rankcut.seeds import seed_from
from rankcut.setfunctions import Algorithm, GraphCut


def graph_cut_kernel(
    X: Any,
    Y: Any = None,
    graph: Any = None,
    *,
    unranked: Unranked = "error",
    unlisted_weight: UnlistedWeight = 1.0,
    normalize: bool = False,
    items: Sequence[Hashable] | None = None,
    completions: Method = "auto",
    sampler: Sampler = "controlled",
    n_draws: int | None = None,
    tolerance: float | None = None,
    random_state: int | np.random.RandomState | None = 0,
    smoothing: float = 0.0,
    smoothing_graph: Any = None,
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
        Scale each vector to unit length, so that values are from −1 to 1; on the complete graph
        this is Spearman's correlation. A ranking that ties all items has k = 0.
    out : ndarray or memmap of shape (n_rankings_x, n_rankings_y) or None
        Where to write the Gram matrix.
    unranked, unlisted_weight, items, algorithm, dtype, n_jobs
        As in :func:`~rankcut.graph_cut_features`.
    completions, sampler, n_draws, tolerance, random_state
        As in :func:`~rankcut.graph_cut_features`, for ``unranked="anywhere"``. Sparse rankings
        in closed form stay sparse on the way, and the constant that most items of a vector share
        is taken into account.
    smoothing, smoothing_graph
        As in :func:`~rankcut.graph_cut_features`: φ·p(L) in the place of φ, so that rankings that
        share no item can be compared. Smoothed vectors are dense on the way.

    Returns
    -------
    ndarray of shape (n_rankings_x, n_rankings_y)

    Examples
    --------
    >>> graph_cut_kernel([[1, 2, 3], [3, 2, 1]], [[1, 3, 2]], normalize=True)
    array([[ 0.5],
           [-0.5]])
    """
    options = CompletionOptions(completions, sampler, n_draws, tolerance, seed_from(random_state))
    return gram_matrix(
        X,
        Y,
        graph_cut_encoder(
            graph,
            options,
            unranked=unranked,
            unlisted_weight=unlisted_weight,
            normalize=normalize,
            smoothing=smoothing,
            smoothing_graph=smoothing_graph,
            algorithm=algorithm,
            n_jobs=n_jobs,
        ),
        unranked=unranked,
        normalize=False,
        items=items,
        out=out,
        dtype=dtype,
        n_jobs=n_jobs,
    )


class GraphCutVectors:
    """Graph cut features, dense or sparse."""

    side = Features.side
    blas = True

    def __init__(self, vectors: NDArray[Any] | csr_array) -> None:
        self._vectors: Any = vectors

    def __len__(self) -> int:
        return int(self._vectors.shape[0])

    def compare(
        self, rows: slice, other: "GraphCutVectors", columns: slice, pairs: int, out: Any
    ) -> None:
        """Inner products; sparse vectors are given up to a constant: φ = S − (sum of S)/n."""
        left = self._vectors[rows]
        right = left if pairs != ALL else other._vectors[columns]
        if not (issparse(left) or issparse(right)):
            if pairs == TWINS:
                np.einsum("ri,ri->r", left, right, out=out[:, 0])
            else:
                np.matmul(left, right.T, out=out)
            return
        left, right = csr_array(left), csr_array(right)
        if pairs == TWINS:
            out[:, 0] = left.multiply(right).sum(axis=1) - left.sum(axis=1) ** 2 / left.shape[1]
            return
        sums = np.outer(left.sum(axis=1), right.sum(axis=1))
        out[:] = (left @ right.T).toarray() - sums / left.shape[1]
        if pairs == UPPER:
            # Sparse sums of a pair may be in another order than those of the pair turned round.
            out[:] = (out + out.T) / 2.0


def graph_cut_encoder(
    graph: Any,
    completions: CompletionOptions,
    *,
    unranked: Unranked,
    unlisted_weight: UnlistedWeight,
    normalize: bool,
    smoothing: float,
    smoothing_graph: Any,
    algorithm: Algorithm,
    n_jobs: int | None,
) -> Encoder:
    """Graph cut features, which are normalised as vectors: weights may be of any scale."""
    # A recipe is built once, for X and Y and all their blocks. One that is learned from rankings
    # is refused: learned from either side of a Gram matrix, it would be another graph.
    given = None if graph is None else as_item_graph(graph)
    check_steps(smoothing)
    walked = given
    if smoothing:
        like = joining_like_items(graph if smoothing_graph is None else smoothing_graph)
        walked = given if like is graph else as_item_graph(like)

    def encode(rankings: RankMatrix, dtype: np.dtype[Any]) -> GraphCutVectors:
        smoother = Smoother(fit_graph(walked, rankings), smoothing) if smoothing else None
        feature_map = FeatureMap(
            GraphCut(fit_graph(given, rankings), algorithm),
            completions,
            unranked=unranked,
            unlisted_weight=unlisted_weight,
            normalize=normalize,
            smoother=smoother,
            dtype=dtype,
            # Sparse vectors that are smoothed are not given up to a constant any more.
            sparse_output="auto" if smoother is None else False,
            n_jobs=n_jobs,
        )
        return GraphCutVectors(feature_map(rankings)[0])

    return encode
