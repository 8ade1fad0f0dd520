"""Recipes for item graphs that are learned from rankings, for items of which little is known.

In the place of a graph, as in ``GraphCutFeatures(CoListingGraph())``, such a recipe is built at
each fit from the rankings that are fitted. So in a pipeline under cross-validation it sees the
training folds alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from rankcut.graphs.item_graph import ItemGraph
from rankcut.graphs.weights import SparseWeights
from rankcut.rankings import RankMatrix, read_rankings

# Products of so many pairs of items are held in memory at once.
_AT_ONCE = 1 << 22

# Rows of a dense rank matrix are read in pieces of about this many entries.
_PIECE = 1 << 20


class _ProfileGraph(BaseEstimator, ABC):
    """Items are joined if their profiles, a number for each ranking that lists them, are alike.

    The weight of an edge is the cosine of two profiles, in which each is taken to be as long as
    if it had ``shrinkage`` more entries of average size; edges of items that are not alike, and
    those that are among the strongest of neither end, are dropped.
    """

    def __init__(self, *, n_neighbors: int = 10, shrinkage: float = 10.0) -> None:
        self.n_neighbors = n_neighbors
        self.shrinkage = shrinkage

    @abstractmethod
    def _profiles(self, listed: sparse.csr_array) -> NDArray[np.float64]:
        """A number for each entry of a matrix of ranks in which only listed items are stored."""

    def build_from(self, X: Any, items: Sequence[Hashable] | None = None) -> ItemGraph:
        """The graph that rankings tell.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        items : sequence or None
            Labels of the columns, if X is not a frame.
        """
        if not (isinstance(self.n_neighbors, Integral) and self.n_neighbors >= 1):
            raise ValueError(f"n_neighbors must be 1 or more, and it is {self.n_neighbors!r}")
        if not (isinstance(self.shrinkage, Real) and 0 <= self.shrinkage < np.inf):
            raise ValueError(f"shrinkage must be a number from 0 on, and it is {self.shrinkage!r}")
        rankings = X if isinstance(X, RankMatrix) else read_rankings(X, items)
        rankings.check_finite()
        listed = _listed(rankings)
        entries = self._profiles(listed)
        profiles = sparse.csr_array((entries, listed.indices, listed.indptr), listed.shape)
        shrunk = self.shrinkage * (np.mean(entries**2) if entries.size else 0.0)
        squares = np.bincount(listed.indices, entries**2, minlength=listed.shape[1]) + shrunk
        scale = np.zeros(len(squares))
        np.divide(1.0, np.sqrt(squares), out=scale, where=squares > 0)
        return ItemGraph.trusted(SparseWeights(self._strongest(profiles, scale)), rankings.items)

    def _strongest(
        self, profiles: sparse.csr_array, scale: NDArray[np.float64]
    ) -> sparse.csr_array:
        """The strongest edges of each item, a few items at a time."""
        n = profiles.shape[1]
        by_item = sparse.csr_array(profiles.T)
        step = max(1, _AT_ONCE // n)
        firsts, seconds, weights = [], [], []
        for start in range(0, n, step):
            products = by_item[start : start + step] @ profiles
            first = start + np.repeat(np.arange(products.shape[0]), np.diff(products.indptr))
            second = products.indices
            weight = products.data * scale[first] * scale[second]
            weight[first == second] = 0.0
            kept = (weight > 0) & (weight >= self._least(weight, products.indptr)[first - start])
            first, second, weight = first[kept], second[kept], weight[kept]
            # Strongest first, and of two as strong the one that comes first.
            order = np.lexsort((second, -weight, first))
            first, second, weight = first[order], second[order], weight[order]
            place = np.arange(len(first)) - np.searchsorted(first, first)
            strong = place < self.n_neighbors
            firsts.append(first[strong])
            seconds.append(second[strong])
            weights.append(weight[strong])
        chosen = sparse.csr_array(
            (np.concatenate(weights), (np.concatenate(firsts), np.concatenate(seconds))), (n, n)
        )
        # An edge stays if either of its ends chose it.
        whole = sparse.csr_array(chosen.maximum(chosen.T))
        whole.sort_indices()
        return whole

    def _least(self, weights: NDArray[np.float64], starts: NDArray[Any]) -> NDArray[np.float64]:
        """The weight that the last edge to keep of each row has."""
        least = np.zeros(len(starts) - 1)
        for row in np.flatnonzero(np.diff(starts) > self.n_neighbors):
            entries = weights[starts[row] : starts[row + 1]]
            last = len(entries) - self.n_neighbors
            least[row] = np.partition(entries, last)[last]
        return least


class CoListingGraph(_ProfileGraph):
    """Items are joined that the same rankings list: W_ij = c_ij/√((c_i + s)(c_j + s)).

    c_i rankings list item i, and c_ij list both. The shrinkage s keeps items that hardly any
    ranking lists from being joined strongly. Where each ranking lists all items this tells
    nothing; then see :class:`AgreementGraph`.

    Parameters
    ----------
    n_neighbors : int
        Edges to keep of each item, the strongest ones; an edge is kept if either end keeps it.
    shrinkage : float
        s: each item counts as listed in so many more rankings, without any other item.

    Examples
    --------
    >>> from math import nan
    >>> lists = [[1, 2, nan, nan], [2, 1, nan, nan], [nan, nan, 1, 2], [nan, 2, 1, nan]]
    >>> CoListingGraph(n_neighbors=1, shrinkage=0).build_from(lists).to_dense().round(2)
    array([[0.  , 0.82, 0.  , 0.  ],
           [0.82, 0.  , 0.  , 0.  ],
           [0.  , 0.  , 0.  , 0.71],
           [0.  , 0.  , 0.71, 0.  ]])
    """

    def _profiles(self, listed: sparse.csr_array) -> NDArray[np.float64]:
        if listed.nnz == listed.shape[0] * listed.shape[1]:
            raise ValueError(
                "each ranking lists all items, so that items which are listed together tell "
                "nothing; AgreementGraph joins items that the same rankings prefer"
            )
        return np.ones(listed.nnz)


class AgreementGraph(_ProfileGraph):
    """Items are joined that the same rankings prefer: the correlation of their positions.

    The position of an item is from 1, best, to −1, worst of the items that a ranking lists, and
    its mean over the rankings that list the item is subtracted. W_ij is the correlation
    Σ x_i x_j/√((Σ x_i² + s·v)(Σ x_j² + s·v)) if it is positive, with v the mean of all x².

    Parameters
    ----------
    n_neighbors : int
        Edges to keep of each item, the strongest ones; an edge is kept if either end keeps it.
    shrinkage : float
        s: each item counts as listed in so many more rankings, without any other item.

    Examples
    --------
    >>> ranks = [[1, 2, 3, 4], [2, 1, 4, 3], [4, 3, 2, 1], [3, 4, 1, 2]]
    >>> AgreementGraph(shrinkage=0).build_from(ranks).to_dense().round(2)
    array([[0. , 0.6, 0. , 0. ],
           [0.6, 0. , 0. , 0. ],
           [0. , 0. , 0. , 0.6],
           [0. , 0. , 0.6, 0. ]])
    """

    def _profiles(self, listed: sparse.csr_array) -> NDArray[np.float64]:
        positions = _positions(listed)
        n_items = listed.shape[1]
        counts = np.bincount(listed.indices, minlength=n_items)
        sums = np.bincount(listed.indices, positions, minlength=n_items)
        means = sums / np.maximum(counts, 1)
        centred: NDArray[np.float64] = positions - means[listed.indices]
        # What is left of equal numbers is rounding, and no preference.
        centred[np.abs(centred) < 1e-12] = 0.0
        return centred


def _listed(rankings: RankMatrix) -> sparse.csr_array:
    """The ranks of listed items alone; a stored 0 is a rank."""
    if rankings.sparse is not None:
        matrix = rankings.sparse
        ranked = ~np.isnan(matrix.data)
        if ranked.all():
            return matrix
        starts = np.concatenate([[0], np.cumsum(ranked)])[matrix.indptr]
        return sparse.csr_array(
            (matrix.data[ranked], matrix.indices[ranked], starts), rankings.shape
        )
    n_rows, n_items = rankings.shape
    counts, columns, ranks = [np.zeros(1, dtype=np.int64)], [], []
    step = max(1, _PIECE // n_items)
    for start in range(0, n_rows, step):
        piece = rankings.read(start, min(start + step, n_rows))
        ranked = ~np.isnan(piece)
        counts.append(ranked.sum(axis=1))
        columns.append(np.nonzero(ranked)[1].astype(np.int32))
        ranks.append(piece[ranked])
    starts = np.cumsum(np.concatenate(counts))
    return sparse.csr_array(
        (np.concatenate(ranks), np.concatenate(columns), starts), rankings.shape
    )


def _positions(listed: sparse.csr_array) -> NDArray[np.float64]:
    """(k + 1 − 2·rank)/(k − 1) for each of k listed items, tied ones at their mean; 0 if k = 1.

    >>> _positions(sparse.csr_array([[3.0, 1.0, 0.0, 1.0], [0.0, 2.0, 0.0, 0.0]]))
    array([-1. ,  0.5,  0.5,  0. ])
    """
    sizes = np.diff(listed.indptr)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((listed.data, rows))
    ranks, lists = listed.data[order], rows[order]
    new = np.ones(len(ranks), dtype=bool)
    new[1:] = (ranks[1:] != ranks[:-1]) | (lists[1:] != lists[:-1])
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(ranks)) - 1
    # Places count from 0 through all rankings; a group has the mean of its first and last.
    places = ((first + last) / 2.0)[np.cumsum(new) - 1] - listed.indptr[lists]
    positions = np.empty(len(ranks))
    lengths = sizes[lists] - 1
    positions[order] = np.where(lengths > 0, (lengths - 2.0 * places) / np.maximum(lengths, 1), 0.0)
    return positions
