"""The Lovász–Bregman divergence: how far a ranking is from a vector of scores.

The Lovász extension of the cut function, f(x) = Σ_{i<j} W_ij·|x_i − x_j|, is the largest ⟨x, φ°(σ)⟩
over all rankings σ, where φ°_i(σ) is the weight from item i to worse items minus that to better
ones. The ranking by the scores themselves attains it. The divergence is how far another ranking
falls short of it. It is not a kernel: its two arguments are of different kinds.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankcut._loops.permutations import add_gains, break_ties
from rankcut.cuts import GraphCut
from rankcut.errors import InputError, Setting
from rankcut.graphs.item_graph import fit_graph
from rankcut.kernels.gram import Features, fill_gram, gram_dtype, with_same_labels
from rankcut.rankings import Rankings, Unranked, read_rankings
from rankcut.rankings.value import Partitions, block_rows
from rankcut.threads import over_rows


def lovasz_bregman_divergence(
    X: Any,
    Y: Any,
    *,
    graph: Any = None,
    unranked: Unranked = "error",
    items: Sequence[Hashable] | None = None,
    out: NDArray[Any] | None = None,
    dtype: DTypeLike | None = None,
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """d(x ‖ σ) = ⟨x, φ°(σ_x) − φ°(σ)⟩ of scores x and a ranking σ; σ_x is the ranking by x.

    d ≥ 0, and d = 0 if σ orders the items as the scores do; rounding may make it slightly
    negative. For a ranking with ties, or a top-k list, it is the mean over all ways to break the
    ties, in closed form: in φ°, tied items do not count for each other. On the complete graph,
    φ°_i = n + 1 − 2·(average rank of i).

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_scores, n_items)
        Finite scores. Larger is better, unlike ranks.
    Y : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix over the same items: 1 = best, equal = tied.
    graph : None, ItemGraph, recipe, array, sparse matrix, networkx.Graph or frame
        The item graph. None means the complete graph.
    unranked : {"error", "last"}
        What an unranked item of Y means. The divergence is not defined for incomplete rankings.
    items, out, dtype, n_jobs
        As in :func:`~rankcut.graph_cut_kernel`.

    Returns
    -------
    ndarray of shape (n_scores, n_rankings)

    References
    ----------
    R. Iyer, J. Bilmes. The Lovász-Bregman divergence and connections to rank aggregation,
    clustering, and web ranking. UAI 2013.

    Examples
    --------
    >>> lovasz_bregman_divergence([[0.9, 0.8, 0.1]], [[1, 2, 3], [2, 1, 3], [3, 2, 1]]).round(3)
    array([[0. , 0.2, 3.2]])
    """
    if unranked == "anywhere":
        raise InputError(
            "the Lovász–Bregman divergence is not defined for incomplete rankings",
            remedy=[
                "pass ",
                Setting("unranked", "last"),
                " if unranked items come after all ranked ones",
            ],
        )
    scores, rankings = with_same_labels(
        read_rankings(X, items, unranked="anywhere", number="score"),
        read_rankings(Y, items, unranked=unranked),
    )
    values = _finite_scores(scores)
    cut = GraphCut(fit_graph(graph, rankings))
    result_dtype = gram_dtype(dtype, out, rankings)
    own = _mean_gains(read_rankings(-values), cut, n_jobs)
    extension = np.einsum("ri,ri->r", values, own)
    gains = _mean_gains(rankings, cut, n_jobs)
    # One product gives the divergence: [f(x), x] times [1, −φ°(σ)].
    left = np.column_stack([extension, values])
    right = np.column_stack([np.ones(len(gains)), -gains])
    return fill_gram(
        Features(left.shape, lambda start, stop: left[start:stop].astype(result_dtype)),
        Features(right.shape, lambda start, stop: right[start:stop].astype(result_dtype)),
        normalize=False,
        out=out,
        dtype=result_dtype,
        n_jobs=n_jobs,
    )


def _finite_scores(scores: Rankings) -> NDArray[np.float64]:
    if scores.sparse is not None:
        raise InputError(
            "scores must be a dense matrix, because each item has one", remedy="pass X.toarray()"
        )
    values = scores.read(0, scores.shape[0])
    bad = ~np.isfinite(values)
    if bad.any():
        row, item = divmod(int(np.argmax(bad)), values.shape[1])
        raise InputError(
            f"has score {values[row, item]}; scores must be finite",
            row=row,
            item=scores.item(item),
            remedy="fill the gaps, or drop the row",
        )
    return values


def _mean_gains(rankings: Rankings, cut: GraphCut, n_jobs: int | None) -> NDArray[np.float64]:
    """φ° of each ranking, the mean over all ways to break its ties.

    One order of the tied items and its reverse are enough: of two tied items, each comes first in
    one of them.
    """
    n_rows, n_items = rankings.shape
    features = np.zeros((n_rows, n_items))

    def fill(start: int, stop: int) -> None:
        step = min(block_rows(n_items), stop - start)
        room = Partitions.empty(step, n_items)
        gains = np.empty((step, n_items))
        for first, block in rankings.blocks(start, stop, close=True):
            broken = room[: len(block)]
            broken.n_groups[:] = n_items
            for backwards in (False, True):
                break_ties(block.chains, backwards, broken.order, broken.ends)
                cut.increments(broken, gains)
                add_gains(broken.order, gains, features[first : first + len(block)])

    over_rows(fill, n_rows, block_rows(n_items), n_jobs)
    return features
