"""Spearman's kernel: inner products of centred positions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.partitions import centred_positions
from rankcut.kernels.gram import Encoder, Features
from rankcut.kernels.ranking_kernel import RankingKernel
from rankcut.rankings import Rankings


class SpearmanKernel(RankingKernel):
    """k(A, A') = Σ_i φ_i φ'_i, where φ_i = n + 1 − 2·(average rank of i).

    This is the graph cut kernel of the complete graph; with ``normalize=True`` it is Spearman's
    correlation, ties included. The vectors φ are those of :class:`~rankcut.GraphCutFeatures` with
    its default graph.

    The vector of an incomplete ranking is the exact mean over its completions, in which each of
    the u unranked items falls, independently of the others, into any of the l + 1 gaps before,
    between and after the l groups. On the complete graph no slopes are pooled, so the mean has a
    closed form. For a ranked item in group t, it is φ_i among the ranked items plus
    u·(l + 1 − 2t)/(l + 1); for an unranked one, Σ_j (2 t_j − l − 1)/(l + 1) over the ranked
    items j.

    Parameters
    ----------
    unranked, normalize, items, n_jobs
        As in :class:`KendallKernel`.

    Examples
    --------
    >>> from rankcut.kernels import SpearmanKernel
    >>> SpearmanKernel(normalize=True)([[1, 2, 3]], [[1, 3, 2]])
    array([[0.5]])
    """

    def encoder(self, *, derivative: bool = False) -> Encoder:
        """Encode rankings as centred positions."""

        def encode(rankings: Rankings, dtype: np.dtype[Any]) -> Features:
            groups = rankings.groups(n_jobs=self.n_jobs)

            def fill(start: int, stop: int) -> NDArray[Any]:
                features = np.empty((stop - start, groups.shape[1]))
                centred_positions(groups[start:stop], features)
                return features.astype(dtype, copy=False)

            return Features(groups.shape, fill)

        return encode


def spearman_kernel(
    X: Any, Y: Any = None, *, out: Any = None, dtype: Any = None, **options: Any
) -> NDArray[Any]:
    """k(A, A') = Σ_i φ_i φ'_i, where φ_i = n + 1 − 2·(average rank of i).

    Parameters
    ----------
    X, Y, out, dtype
        As in :func:`~rankcut.kernels.kendall_kernel`.
    **options
        As in :class:`SpearmanKernel`.

    Returns
    -------
    ndarray of shape (n_rankings_x, n_rankings_y)

    Examples
    --------
    >>> spearman_kernel([[1, 2, 3], [3, 2, 1]], [[1, 3, 2]], normalize=True)
    array([[ 0.5],
           [-0.5]])
    """
    return SpearmanKernel(**options).gram(X, Y, out=out, dtype=dtype)
