"""Recipes for item graphs that are learned from rankings, for items without features.

Passed as a graph, as in ``GraphCutFeatures(CoListingGraph())``, such a recipe is learned in each
``fit`` from the rankings that are fitted; in cross-validation it sees the training folds only. To
learn from lists without labels as well, build the graph first and pass the result:
``RankingClassifier(CoListingGraph().build_from(all_lists))``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from rankcut._loops.lists import SparseEntries, search_lists
from rankcut.errors import InputError
from rankcut.graphs.item_graph import ItemGraph
from rankcut.graphs.weights import Weights
from rankcut.parameters import (
    MOST_COMPARED,
    ROUNDING,
    ROWS_AT_ONCE,
    WithParameters,
    check_count,
    check_number,
)
from rankcut.rankings import Rankings, read_rankings
from rankcut.rankings.partitions import block_rows
from rankcut.threads import in_order

# The listed items of some rankings, and how often each of these counts.
_Block: TypeAlias = tuple[sparse.csr_array, NDArray[np.float64]]


class _ProfileGraph(WithParameters, ABC):
    """Connect items with similar profiles: a number for each ranking that lists them.

    The weight of an edge is the cosine of two profiles, each lengthened as if it had
    ``shrinkage`` more entries of average size. Negative weights are dropped, and so are edges
    that are among the strongest of neither end.
    """

    def __init__(self, *, n_neighbors: int = 10, shrinkage: float = 10.0) -> None:
        self.n_neighbors = n_neighbors
        self.shrinkage = shrinkage

    @abstractmethod
    def _profiles(self, blocks: Callable[[], Iterator[_Block]], n_items: int) -> Iterator[_Block]:
        """The blocks with a number instead of each rank."""

    def build_from(
        self,
        X: Any,
        items: Sequence[Hashable] | None = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> ItemGraph:
        """Learn the graph from rankings, which need no labels.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        items : sequence or None
            Labels of the columns, if X is not a frame.
        sample_weight : array of shape (n_rankings,) or None
            How often each ranking counts, as if its row were repeated.
        """
        check_count(self.n_neighbors, "n_neighbors")
        check_number(self.shrinkage, "shrinkage")
        rankings = read_rankings(X, items, unranked="anywhere", sample_weight=sample_weight)
        if (rankings.counts == 0).any():
            rankings = rankings.rows(rankings.counts > 0)
        n_rows, n_items = rankings.shape
        # Products of few items are added up by blocks; of many, only those of neighbours are made.
        few = n_items**2 <= rankings.stored.size
        step = block_rows(n_items) if few else max(n_rows, 1)

        def blocks() -> Iterator[_Block]:
            for start in range(0, max(n_rows, 1), step):
                some = rankings.rows(slice(start, start + step))
                listed = listed_ranks(some)
                yield listed, np.repeat(some.counts, np.diff(listed.indptr))

        squares, total = np.zeros(n_items), 0.0
        products = np.zeros((n_items, n_items) if few else 0)
        for profiles, counts in self._profiles(blocks, n_items):
            # A row that counts c times adds c times its products.
            profiles.data *= np.sqrt(counts)
            squares += np.bincount(profiles.indices, profiles.data**2, minlength=n_items)
            total += float(counts.sum())
            if few:
                products += (profiles.T @ profiles).toarray()
        squares += self.shrinkage * (float(squares.sum()) / total if total else 0.0)
        scale = np.zeros(n_items)
        np.divide(1.0, np.sqrt(squares), out=scale, where=squares > 0)
        if few:
            left, right = products * np.outer(scale, scale), sparse.eye_array(n_items)
        else:
            profiles.data *= scale[profiles.indices]
            left, right = profiles.T, profiles
        strongest = strongest_products(left, right, int(self.n_neighbors))
        # An edge stays if either of its ends chose it.
        symmetric = sparse.csr_array(strongest.maximum(strongest.T))
        symmetric.sort_indices()
        return ItemGraph.trusted(Weights(symmetric), rankings.items)


class CoListingGraph(_ProfileGraph):
    """Connect items that the same rankings list: W_ij = c_ij/√((c_i + s)(c_j + s)).

    c_i rankings list item i, and c_ij list both. The shrinkage s keeps rarely listed items from
    being connected strongly. If each ranking lists all items, use :class:`AgreementGraph`.

    Parameters
    ----------
    n_neighbors : int
        Number of edges to keep for each item, strongest first, with all ties of the last one (if
        there are at most a thousand); an edge stays if either end keeps it.
    shrinkage : float
        s: each item counts as if this many more rankings listed only it.

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

    def _profiles(self, blocks: Callable[[], Iterator[_Block]], n_items: int) -> Iterator[_Block]:
        full = True
        for listed, counts in blocks():
            full = full and listed.nnz == listed.shape[0] * n_items
            yield with_entries(listed, np.ones(listed.nnz)), counts
        if full:
            raise InputError(
                "each ranking lists all items, so which items are listed together says nothing",
                remedy="use AgreementGraph, which connects items that people rank alike",
            )


class AgreementGraph(_ProfileGraph):
    """Connect items that the same rankings prefer: the correlation of their positions.

    The position x of an item goes from 1 (best) to −1 (worst) among the items that a ranking
    lists, minus its mean over the rankings that list the item. W_ij is the correlation
    Σ x_i x_j/√((Σ x_i² + s·v)(Σ x_j² + s·v)) if positive, with v the mean of all x².

    Parameters
    ----------
    n_neighbors, shrinkage
        As for :class:`CoListingGraph`.

    Examples
    --------
    >>> ranks = [[1, 2, 3, 4], [2, 1, 4, 3], [4, 3, 2, 1], [3, 4, 1, 2]]
    >>> AgreementGraph(shrinkage=0).build_from(ranks).to_dense().round(2)
    array([[0. , 0.6, 0. , 0. ],
           [0.6, 0. , 0. , 0. ],
           [0. , 0. , 0. , 0.6],
           [0. , 0. , 0.6, 0. ]])
    """

    def _profiles(self, blocks: Callable[[], Iterator[_Block]], n_items: int) -> Iterator[_Block]:
        totals, sums = np.zeros(n_items), np.zeros(n_items)
        for listed, counts in blocks():
            totals += np.bincount(listed.indices, counts, minlength=n_items)
            sums += np.bincount(listed.indices, counts * list_positions(listed), minlength=n_items)
        means = np.divide(sums, totals, out=np.zeros(n_items), where=totals > 0)
        for listed, counts in blocks():
            centred = list_positions(listed) - means[listed.indices]
            # What is left of equal numbers is rounding, not a preference.
            centred[np.abs(centred) < ROUNDING] = 0.0
            yield with_entries(listed, centred), counts


def listed_ranks(rankings: Rankings) -> sparse.csr_array:
    """Only the ranks of listed items; a stored 0 is a rank."""
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
    step = block_rows(n_items)
    for start in range(0, n_rows, step):
        block = rankings.read(start, min(start + step, n_rows))
        ranked = ~np.isnan(block)
        counts.append(ranked.sum(axis=1))
        columns.append(np.nonzero(ranked)[1].astype(np.int32))
        ranks.append(block[ranked])
    starts = np.cumsum(np.concatenate(counts))
    return sparse.csr_array(
        (np.concatenate(ranks), np.concatenate(columns), starts), rankings.shape
    )


def with_entries(listed: sparse.csr_array, entries: NDArray[np.float64]) -> sparse.csr_array:
    """A sparse matrix with other numbers at its places."""
    return sparse.csr_array((entries, listed.indices, listed.indptr), shape=listed.shape)


def list_positions(listed: sparse.csr_array) -> NDArray[np.float64]:
    """(k + 1 − 2·rank)/(k − 1) for each of k listed items, tied ones at their mean; 0 if k = 1.

    >>> list_positions(sparse.csr_array([[3.0, 1.0, 0.0, 1.0], [0.0, 2.0, 0.0, 0.0]]))
    array([-1. ,  0.5,  0.5,  0. ])
    """
    sizes = np.diff(listed.indptr)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    if len(sizes) and sizes[0] and (sizes == sizes[0]).all():
        # Lists of one length are sorted side by side, several times as fast.
        inner = np.argsort(listed.data.reshape(len(sizes), -1), axis=1)
        order = (inner + listed.indptr[:-1, None]).ravel()
    else:
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


def strongest_products(left: Any, right: Any, n_neighbors: int) -> sparse.csr_array:
    """The largest entries above 0 of each row of a product of cosines, without its diagonal.

    Only what two factors share is multiplied, and nothing is made dense. All entries as large as
    the last of them count, so that the order of the rows does not matter; a crowd of equal ones
    would fill the memory, and none of it is kept.
    """
    best, columns = _best_products(left, right, n_neighbors + 1)
    last = best[:, -2:].min(axis=1)
    tied = np.flatnonzero(last >= np.maximum((1.0 - ROUNDING) * best[:, -2:].max(axis=1), ROUNDING))
    strong = best > ROUNDING
    strong[:, -1] = strong[tied] = False
    parts = [(best[strong], np.nonzero(strong)[0], columns[strong])]
    left = sparse.csr_array(left)
    for start in range(0, len(tied), ROWS_AT_ONCE):
        rows = tied[start : start + ROWS_AT_ONCE]
        product = sparse.coo_array(left[rows] @ right)
        at, other = product.coords
        above = product.data / last[rows][at] - 1.0
        above[other == rows[at]] = -1.0
        crowds = np.bincount(at[np.abs(above) <= ROUNDING], minlength=len(rows)) > MOST_COMPARED
        strongest = above >= np.where(crowds, ROUNDING, -ROUNDING)[at]
        parts.append((product.data[strongest], rows[at[strongest]], other[strongest]))
    entries, one, other = (np.concatenate(part) for part in zip(*parts, strict=True))
    return sparse.csr_array((entries, (one, other)), shape=left.shape[:1] * 2)


def _best_products(
    left: Any, right: Any, n_best: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The largest entries of each row, largest first, and their columns; 0 if there are fewer."""
    n = left.shape[0]
    rows, lists = (SparseEntries.of(sparse.csr_array(factor)) for factor in (left, right))
    k = min(n_best, n)
    best, best_rows = np.zeros((n, k)), np.full((n, k), -1, dtype=np.int64)
    nothing, nobody = np.empty((n, 0)), np.empty(0, dtype=np.int64)

    def search(start: int) -> None:
        some = slice(start, min(start + ROWS_AT_ONCE, n))
        search_lists(
            rows._replace(starts=rows.starts[some.start : some.stop + 1]),
            nothing[some],
            np.arange(some.start, some.stop),
            lists,
            nothing,
            np.zeros(n),
            nobody,
            best[some],
            best_rows[some],
        )

    for _ in in_order(search, range(0, n, ROWS_AT_ONCE), None):
        pass
    return best, best_rows
