"""Lists of any length compared by what two of them share; rank-biased overlap."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import exp1

from rankcut._loops.lists import SparseEntries, overlap_values
from rankcut._loops.types import Floats, Longs
from rankcut.kernels.ranking_kernel import Encoder, RankingKernel
from rankcut.parameters import check_share
from rankcut.rankings import Rankings


class ListGroups(NamedTuple):
    """The tied groups of some lists, one after the other."""

    above: Longs  #: how many items of the list are better
    sizes: Longs  #: how many items are in the group
    lengths: Longs  #: how many items are on the list


class ComparedLists:
    """The items of each list in ascending order with a number each, and what compares two lists."""

    side = 256
    blas = False

    def __init__(self, n_items: int, entries: SparseEntries, loop: Callable[..., None]) -> None:
        self._n_items = n_items
        self._entries = entries
        self._loop = loop

    @classmethod
    def of(
        cls, rankings: Rankings, weigh: Callable[[ListGroups], Floats], loop: Callable[..., None]
    ) -> "ComparedLists":
        """The lists of rankings, whose groups have the numbers that ``weigh`` gives them."""
        n_rows, n_items = rankings.shape
        starts = np.zeros(n_rows + 1, dtype=np.int64)
        items, weights = [], []
        for first, block in rankings.listed_blocks(0, n_rows):
            lengths = block.n_ranked()
            starts[first + 1 : first + 1 + len(block)] = lengths
            listed = block.order[np.arange(block.order.shape[1]) < lengths[:, np.newaxis]]
            rows, groups = np.nonzero(
                np.arange(block.ends.shape[1]) < block.n_groups[:, np.newaxis]
            )
            ends = block.ends[rows, groups].astype(np.int64)
            above = np.where(groups > 0, block.ends[rows, groups - 1], 0).astype(np.int64)
            group_weights = weigh(ListGroups(above, ends - above, lengths[rows]))
            ascending = np.lexsort((listed, np.repeat(np.arange(len(block)), lengths)))
            items.append(listed[ascending].astype(np.int64))
            weights.append(np.repeat(group_weights, ends - above)[ascending])
        np.cumsum(starts, out=starts)
        entries = SparseEntries(starts, np.concatenate(items), np.concatenate(weights))
        return cls(n_items, entries, loop)

    def __len__(self) -> int:
        return len(self._entries.starts) - 1

    def _some(self, rows: slice) -> SparseEntries:
        return self._entries._replace(starts=self._entries.starts[rows.start : rows.stop + 1])

    def compare(
        self, rows: slice, other: "ComparedLists", columns: slice, pairs: int, out: Any
    ) -> None:
        """What the loop says of these rows and the other's columns."""
        self._loop(self._some(rows), other._some(columns), self._n_items, pairs, out)


class RBOKernel(RankingKernel):
    """k(A, A') = (1 − p)·Σ_d p^(d−1)·|A_1:d ∩ A'_1:d|/d, with A_1:d the first d items of a list.

    This is rank-biased overlap: the share of items that two lists have in common up to depth d,
    averaged over all depths, early ones with more weight. Lists may have any length. An item that
    is not ranked is not on the list, and two lists without a common item have k = 0.

    The sum equals Σ_i min(g(r_i), g(s_i)) over the common items, with r_i and s_i the places of
    item i and g(r) = (1 − p)·Σ_{d ≥ r} p^(d−1)/d. So the kernel is positive semi-definite: it is
    the area that two histograms share. For untied lists it is RBO_min of Webber, Moffat and Zobel,
    which counts nothing beyond the end of a list; it is not RBO_ext, which extrapolates. Tied items
    share the weight of the places they take up: each gets the mean of g over them. Only the order
    matters: ranks 1, 4, 9 are places 1, 2, 3.

    Parameters
    ----------
    p : float
        How far down people look, 0 < p < 1. The first 10 places have 86 % of the weight with
        p = 0.9, and 99 % with p = 0.7.
    normalize : bool
        Divide by √(k(A, A)·k(A', A')), so that a list that ends early is as similar to itself as
        a long one. An empty list has k = 0.
    items, n_jobs
        As in :class:`KendallKernel`.

    References
    ----------
    W. Webber, A. Moffat, J. Zobel. A similarity measure for indefinite rankings. ACM TOIS 2010.

    Examples
    --------
    >>> from rankcut.kernels import RBOKernel
    >>> nan = float("nan")
    >>> lists = [[1, 2, nan, nan], [1, nan, 2, nan], [nan, nan, 1, 2]]
    >>> RBOKernel(normalize=True)(lists).round(2)
    array([[1.  , 0.62, 0.  ],
           [0.62, 1.  , 0.38],
           [0.  , 0.38, 1.  ]])
    """

    def __init__(
        self,
        p: float = 0.9,
        *,
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        # An item that is not ranked is not on the list: there is no choice to make.
        super().__init__(unranked="anywhere", normalize=normalize, items=items, n_jobs=n_jobs)
        self.p = p

    def encoder(self, *, derivative: bool = False) -> Encoder:
        """Encode rankings as lists with weights."""
        p = check_share(self.p, "p")

        def encode(rankings: Rankings, dtype: np.dtype[Any]) -> ComparedLists:
            table = place_weights(float(p), rankings.shape[1])

            def weigh(groups: ListGroups) -> Floats:
                # Tied items share the weight of their places.
                ends = np.cumsum(groups.sizes)
                places = np.arange(ends[-1] if len(ends) else 0)
                places -= np.repeat(ends - groups.sizes - groups.above, groups.sizes)
                sums = np.add.reduceat(table[places], ends - groups.sizes)
                return np.asarray(sums / groups.sizes)

            return ComparedLists.of(rankings, weigh, overlap_values)

        return encode


def place_weights(p: float, n_places: int) -> Floats:
    """g(r) = (1 − p)·Σ_{d ≥ r} p^(d−1)/d for r from 1 on, added up from the last term to the first.

    What is left beyond a far place is integrated (Euler and Maclaurin).

    >>> bool(np.isclose(place_weights(0.5, 3)[0], np.log(2)))
    True
    """
    decay = -np.log(p)
    # By then terms change slowly, or nothing is left of them.
    far = n_places + 1000
    last = np.exp(-decay * far) / far
    slope = decay + 1.0 / far
    third = decay**3 + 3.0 * decay**2 / far + 6.0 * decay / far**2 + 6.0 / far**3
    rest = float(exp1(decay * far) + last * (0.5 + slope / 12.0 - third / 720.0))
    depths = np.arange(far - 1, 0, -1, dtype=np.float64)
    sums = rest + np.cumsum(np.exp(-decay * depths) / depths)
    return np.asarray((1.0 - p) / p * sums[::-1][:n_places])
