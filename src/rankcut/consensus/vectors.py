"""Vectors of rankings whose means order the items: by places, by an item graph, by shares."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.closed_form import spread_rows
from rankcut._loops.partitions import NOWHERE, centred_positions, close_rows
from rankcut._loops.types import Floats, Indices
from rankcut.rankings import Rankings
from rankcut.rankings.partitions import FEW_ENTRIES
from rankcut.sample import ListEntries, Sample, Vectors

if TYPE_CHECKING:
    from rankcut.graphs import ItemGraph


def borda_vectors(groups: Indices) -> Floats:
    """Worse minus better items, for each item: the vectors of the complete graph.

    >>> borda_vectors(np.array([[0, 1, 1, 2]], dtype=np.uint32))
    array([[ 3.,  0.,  0., -3.]])
    """
    if groups.size * groups.shape[1] <= FEW_ENTRIES and not (groups == NOWHERE).any():
        places = groups.astype(np.int64)
        signs = np.sign(places[:, None, :] - places[:, :, None])
        return np.asarray(signs.sum(axis=2), dtype=np.float64)
    vectors = np.empty(groups.shape)
    centred_positions(groups, vectors)
    return vectors


def graph_vectors(graph: "ItemGraph") -> Vectors:
    """Σ_j W_ij·e_ij with e_ij the expected sign, for each item i: positive where i is better.

    Tied items do not count for or against each other, and each keeps its own sum. In the vectors of
    the kernel they share the mean of their group: an item with strong edges would gain more where
    it is listed than it loses where it is not, and come first although nobody prefers it.

    >>> from rankcut.graphs import as_item_graph
    >>> chain = as_item_graph([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    >>> graph_vectors(chain)(np.array([[0, 1, 1], [1, 1, 0]], dtype=np.uint32))
    array([[ 1., -1.,  0.],
           [ 0., -2.,  2.]])
    """
    # Imported here, because item graphs import scikit-learn, which other vectors do not need.
    from rankcut.cuts.cut_functions import ExpectedSlopes

    slopes = ExpectedSlopes(graph)

    def vectors(groups: Indices) -> Floats:
        ranks = np.where(groups == NOWHERE, np.nan, groups)
        rows = np.empty(groups.shape)
        for first, block in slopes.read(Rankings(ranks, unranked="anywhere"), 0, len(groups)):
            entries = slopes.entries(block, np.ones(len(block)), shared=False)
            spread_rows(entries, rows[first : first + len(block)])
        return rows

    return vectors


def ratio_vectors(sample: Sample) -> Vectors:
    """Vectors whose mean is n − 1 times what share of comparisons an item wins, minus loses.

    For incomplete rankings of more items than pairs can be looked at.
    """
    n_items = sample.n_items
    won, compared = listed_sums(sample)
    share = np.divide(won, compared, out=np.zeros(n_items), where=compared > 0)
    each = np.divide(sample.total, compared, out=np.zeros(n_items), where=compared > 0)

    def vectors(groups: Indices) -> Floats:
        wins, meetings = listed_wins(groups)
        return np.asarray((n_items - 1) * (share + each * (wins - share * meetings)))

    return vectors


def listed_sums(sample: Sample) -> tuple[Floats, Floats]:
    """How many comparisons with listed items each item wins minus loses, and how many it has."""
    if sample.rankings.sparse is not None:
        entries = ListEntries.of(sample.rankings)
        each = sample.ranking_weights[entries.row]
        others = each * (entries.lengths[entries.row] - 1)
        won = np.bincount(entries.item, each * entries.wins(), sample.n_items).astype(np.float64)
        return won, np.bincount(entries.item, others, sample.n_items).astype(np.float64)
    won, compared = np.zeros(sample.n_items), np.zeros(sample.n_items)
    for block in sample.blocks(sample.n_items):
        wins, meetings = listed_wins(block.groups)
        won += block.counts @ block.totals(wins)
        compared += block.counts @ block.totals(meetings)
    return won, compared


def listed_wins(groups: Indices) -> tuple[Floats, Floats]:
    """How many listed items each listed one beats minus how many beat it, and how many it meets.

    >>> nowhere = np.uint32(NOWHERE)
    >>> wins, meetings = listed_wins(np.array([[0, 0, 1, nowhere]], dtype=np.uint32))
    >>> wins.tolist(), meetings.tolist()
    ([[1.0, 1.0, -2.0, 0.0]], [[2.0, 2.0, 2.0, 0.0]])
    """
    unlisted = groups == NOWHERE
    n_unlisted = unlisted.sum(axis=1, keepdims=True)
    closed = groups.copy()
    # Tied after all others, unlisted items are beaten by each listed one.
    close_rows(closed)
    wins = np.where(unlisted, 0.0, borda_vectors(closed) - n_unlisted)
    return wins, np.where(unlisted, 0.0, groups.shape[1] - n_unlisted - 1.0)


def comparisons(groups: Indices) -> Floats:
    """1, −1 or 0 for each pair i < j: i is better, j is, or the ranking does not compare them.

    By NumPy, so that the first answer about full rankings does not wait for a loop to be compiled.
    """
    n_items = groups.shape[1]
    unranked = groups == NOWHERE
    signs = np.empty((len(groups), n_items * (n_items - 1) // 2))
    stop = 0
    for i in range(n_items - 1):
        start, stop = stop, stop + n_items - 1 - i
        first, others = groups[:, i : i + 1], groups[:, i + 1 :]
        np.subtract(first < others, first > others, out=signs[:, start:stop], dtype=np.float64)
        if unranked.any():
            signs[:, start:stop][unranked[:, i : i + 1] | unranked[:, i + 1 :]] = 0.0
    return signs


def pair_matrix(upper: NDArray[np.float64], n_items: int) -> Floats:
    """An antisymmetric matrix from its entries i < j, or one for each row of entries.

    >>> pair_matrix(np.array([1.0]), 2)
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    matrix = np.zeros((*upper.shape[:-1], n_items, n_items))
    first, second = np.triu_indices(n_items, 1)
    matrix[..., first, second] = upper
    return matrix - np.swapaxes(matrix, -1, -2)
