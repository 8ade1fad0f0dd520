"""Sparse rows and constants against the dense vectors they stand for."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from tolerances import assert_rounds_to

from rankcut import GraphCutFeatures, NeighborGraph, Smoothing, graph_cut_kernel
from rankcut.cuts.offset_rows import (
    JoinedRows,
    OffsetRows,
    filled,
    inner_products,
    largest_entry,
    row_squares,
)

RNG = np.random.default_rng(0)
BASE = RNG.normal(size=7)


def rows(n_rows):
    stored = RNG.normal(size=(n_rows, 7)) * (RNG.random((n_rows, 7)) < 0.4)
    return OffsetRows(sparse.csr_array(stored), RNG.normal(size=n_rows), BASE)


LEFT, RIGHT = rows(4), rows(3)
SIZE = max(
    np.abs(side.sparse.data).max() + np.abs(np.outer(side.offsets, BASE)).max()
    for side in (LEFT, RIGHT)
)
FORMS = {
    "offset": lambda vectors: vectors,
    "dense": lambda vectors: vectors.toarray(),
    "sparse": lambda vectors: sparse.csr_array(vectors.toarray()),
}


@pytest.mark.parametrize("left", FORMS)
@pytest.mark.parametrize("right", FORMS)
def test_all_forms_have_the_same_inner_products(left, right):
    expected = LEFT.toarray() @ RIGHT.toarray().T
    got = inner_products(FORMS[left](LEFT), FORMS[right](RIGHT))
    # Four sums of 7 terms, none of them larger than the largest coordinates' product.
    assert_rounds_to(got, expected, n_terms=4 * 7, size=SIZE**2)


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_have_the_same_lengths_and_entries(form):
    vectors, dense = FORMS[form](LEFT), LEFT.toarray()
    assert_rounds_to(row_squares(vectors), (dense**2).sum(axis=1), n_terms=3 * 7, size=SIZE**2)
    assert_array_equal(filled(vectors), dense)
    assert_rounds_to(vectors[[2, 0]] @ np.eye(7), dense[[2, 0]], n_terms=2, size=SIZE)
    assert largest_entry(vectors) >= np.abs(dense).max()


def lists(n_rankings, n_items, n_ranked):
    rng = np.random.default_rng(n_rankings)
    ranks = np.full((n_rankings, n_items), np.nan)
    for row in ranks:
        row[rng.permutation(n_items)[:n_ranked]] = rng.integers(1, 4, n_ranked)
    places = np.nonzero(~np.isnan(ranks))
    return ranks, sparse.csr_array((ranks[places], places), shape=ranks.shape)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("steps", [0, 1.5])
@pytest.mark.parametrize("unlisted_weight", [1.0, "balanced"])
def test_sparse_rankings_mean_the_same_as_dense_ones(normalize, steps, unlisted_weight):
    rng = np.random.default_rng(0)
    graph = NeighborGraph(rng.normal(size=(40, 2)), n_neighbors=3)
    ranks, stored = lists(9, 40, 4)
    options = {
        "unranked": "anywhere",
        "completions": "closed_form",
        "normalize": normalize,
        "smoothing": Smoothing(steps),
        "unlisted_weight": unlisted_weight,
    }
    model = GraphCutFeatures(graph, **options).fit(ranks)
    dense = model.transform(ranks)
    compact = model.compact(stored)
    assert isinstance(compact, OffsetRows)
    # Smoothing takes two sums of 40 terms, and unit length another.
    assert_rounds_to(compact.toarray(), dense, n_terms=3 * 40)
    gram = graph_cut_kernel(stored, graph=graph, **options)
    # Both sides of a product are rounded so; its four sums have 40 terms each.
    assert_rounds_to(gram, dense @ dense.T, n_terms=2 * 3 * 40 + 4 * 40)


def test_joined_rows_mean_the_same_as_dense_ones():
    rng = np.random.default_rng(0)
    stored = sparse.csr_array(rng.normal(size=(5, 6)) * (rng.random((5, 6)) < 0.5))
    rows = JoinedRows(stored, rng.normal(size=(5, 2)))
    dense = rows.toarray()
    assert rows.shape == dense.shape
    size = np.abs(dense).max() ** 2
    for left, right in ((rows, rows[1:3]), (rows, dense[1:3]), (dense, rows[1:3])):
        assert_rounds_to(inner_products(left, right), dense @ dense[1:3].T, n_terms=8, size=size)
    assert_rounds_to(row_squares(rows), (dense**2).sum(axis=1), n_terms=8, size=size)
    assert_rounds_to(rows @ np.eye(8), dense, n_terms=2, size=size)
    assert_array_equal(rows.tocsr().toarray(), dense)
    assert_array_equal(filled(rows[[3, 0]]), dense[[3, 0]])
    assert largest_entry(rows) == np.abs(dense).max()
