"""The weighted Kendall kernel: agreement on pairs of items, weighted by their positions.

The kernel is an inner product of weights of ordered pairs of items. So its mean over the full
rankings that agree with a ranking is the inner product of mean weights, which have a closed form.
The items of a tied group share its positions evenly. The mean weight of two of k ranked items
follows from that of two of k + 1, because dropping one ranked item puts it into a random gap. The
average weights are the mean over the top-k kernels for k = 1 … n: full rankings are compared in one
pass, others by n inner products.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.pairs import ALL, average_weights, expected_weights
from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Indices
from rankcut.errors import InputError
from rankcut.kernels.kendall import GroupedItems
from rankcut.kernels.ranking_kernel import Encoder, Features, RankingKernel, rows_at_once
from rankcut.parameters import check_choice, is_whole
from rankcut.rankings import Rankings, Unranked

Weights: TypeAlias = Literal["average", "top-k", "additive", "multiplicative"]


class WeightedKendallKernel(RankingKernel):
    """k(A, A') = Σ U(positions in A)·U(positions in A'), over pairs of items that both order alike.

    Only concordant pairs count; if all weights are 1, k is their number, (1 + τ)·n(n − 1)/4. With
    ties and unranked items, it is the exact mean over the full rankings that agree with each.

    Parameters
    ----------
    weights : {"average", "top-k", "additive", "multiplicative"}
        U(p, q) for the positions p < q of a pair of items, 1 = best:

        - "top-k": 1 if q ≤ k, else 0;
        - "average": the mean of the top-k kernels over k = 1 … n. A pair adds (n + 1 − q)/n,
          where q is its largest position in either ranking;
        - "additive": 1/p + 1/q;
        - "multiplicative": 1/(p·q).
    k : int or None
        Number of positions that count, for "top-k".
    unranked, normalize, items, n_jobs
        As in :class:`KendallKernel`.

    References
    ----------
    Y. Jiao, J.-P. Vert. The weighted Kendall and high-order kernels for permutations. ICML 2018.

    Examples
    --------
    >>> from rankcut.kernels import WeightedKendallKernel
    >>> WeightedKendallKernel("top-k", k=2)([[1, 2, 3]], [[1, 2, 3], [2, 1, 3]])
    array([[1., 0.]])
    """

    def __init__(
        self,
        weights: Weights = "average",
        *,
        k: int | None = None,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(unranked=unranked, normalize=normalize, items=items, n_jobs=n_jobs)
        self.weights = weights
        self.k = k

    def encoder(self, *, derivative: bool = False) -> Encoder:
        """Encode rankings as vectors of mean weights; as groups, for average weights."""

        def encode(rankings: Rankings, dtype: np.dtype[Any]) -> Features | AverageWeights:
            groups = rankings.groups(n_jobs=self.n_jobs)
            table = weight_table(self.weights, self.k, groups.shape[1])
            if self.weights == "average":
                return AverageWeights(groups)
            return weight_vectors(groups, table, dtype)

        return encode


def weight_table(weights: Weights, k: int | None, n_items: int) -> Floats:
    """U[p, q] for positions p < q counted from 0, and 0 elsewhere."""
    check_choice(weights, get_args(Weights), "weights")
    if weights != "top-k" and k is not None:
        raise InputError(f'is for weights="top-k"; got weights={weights!r}', parameter="k")
    if weights in ("average", "top-k"):
        last = n_items if weights == "average" else k
        if last is None or not is_whole(last, 1, n_items):
            raise InputError(
                f"must be from 1 to {n_items}, the number of items; got {k!r}", parameter="k"
            )
        return np.triu(np.broadcast_to(np.arange(n_items) < last, (n_items, n_items)) * 1.0, 1)
    u = 1.0 / np.arange(1, n_items + 1)
    pairs = u[:, np.newaxis] + u if weights == "additive" else u[:, np.newaxis] * u
    return np.triu(pairs, 1)


def forget_one_item(weights: Floats) -> Floats:
    """From mean weights of pairs of k + 1 ranked items to those of k.

    Entry (s, t) is the mean of U over the positions that the ranked items s < t (counted from 0,
    best first) may have. Dropping one ranked item puts it into a random gap: before both, between
    them, or after both.
    """
    k = len(weights) - 1
    t = np.arange(k)
    s = t[:, np.newaxis]
    before, between, after = weights[1:, 1:], weights[:-1, 1:], weights[:-1, :-1]
    return np.asarray(((s + 1) * before + (t - s) * between + (k - t) * after) / (k + 1))


class AverageWeights(GroupedItems):
    """Rankings under the average weights: the mean of the top-k kernels."""

    def __init__(self, groups: Indices) -> None:
        super().__init__(groups)
        self.side = rows_at_once(groups.shape[1] ** 2, self.side)

    def compare(
        self, rows: slice, other: GroupedItems, columns: slice, pairs: int, out: Any
    ) -> None:
        """Compare full rankings in one pass over the items, others by the vectors for each k."""
        x, y = self.groups[rows], other.groups[columns]
        n_items = x.shape[1]
        if self.full and other.full:
            average_weights(x, y, pairs, out)
        else:
            out[:] = 0.0
            layer = np.empty_like(out)
            for k in range(2, n_items + 1):
                table = weight_table("top-k", k, n_items)
                left = weight_vectors(x, table, out.dtype)
                right = left if pairs != ALL else weight_vectors(y, table, out.dtype)
                left.compare(slice(0, len(x)), right, slice(0, len(y)), pairs, layer)
                out += layer
        out /= n_items


def weight_vectors(groups: Indices, table: Floats, dtype: np.dtype[Any]) -> Features:
    """Mean weights of ordered pairs of items, for rankings with any number of ranked items.

    The weights of k ranked items follow from those of k + 1. Only those of one k are held at a
    time, and made again for each block of rankings.
    """
    n = len(table)
    apart = table.sum() / max(n * (n - 1), 1)

    def fill(start: int, stop: int) -> NDArray[Any]:
        some = groups[start:stop]
        n_ranked = (some != NOWHERE).sum(axis=1)
        features = np.empty((len(some), n**2))
        weights = table.copy()
        sums, (before, after) = np.zeros((n + 1, n + 1)), np.zeros((2, n + 1))
        for ranked in range(n, int(n_ranked.min(initial=n)) - 1, -1):
            rows = np.flatnonzero(n_ranked == ranked).astype(np.int32)
            if ranked < n:
                if rows.size:
                    # One of the ranked + 1 items is the unranked one.
                    later = np.triu(weights[:ranked, : ranked + 1], 1).sum(axis=1)
                    sooner = np.triu(weights[: ranked + 1, 1 : ranked + 1]).sum(axis=0)
                    before[1 : ranked + 1] = np.cumsum(later / (ranked + 1))
                    after[1 : ranked + 1] = np.cumsum(sooner / (ranked + 1))
                weights = forget_one_item(weights)
            if rows.size:
                # Over rectangles from the corner; pairs s ≥ t weigh nothing.
                sums[1 : ranked + 1, 1 : ranked + 1] = weights.cumsum(axis=1).cumsum(axis=0)
                expected_weights(some, rows, weights, sums, before, after, apart, features)
        return features.astype(dtype, copy=False)

    return Features((len(groups), n**2), fill)
