"""Vectors by which to find people of like taste."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import rankdata

from rankcut import AgreementGraph, CoListingGraph, NeighborGraph
from rankcut.estimators import LikenessFeatures

N = 20


def random_lists(n_lists, seed):
    rng = np.random.default_rng(seed)
    ranks = np.full((n_lists, N), np.nan)
    for row in ranks:
        size = rng.integers(2, 8)
        row[rng.permutation(N)[:size]] = rng.integers(1, 5, size)
    return ranks


def stored(ranks):
    rows, columns = np.nonzero(~np.isnan(ranks))
    return sparse.csr_array((ranks[rows, columns], (rows, columns)), shape=ranks.shape)


def unit(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("unranked", ["anywhere", "last"])
def test_coordinates_of_items_by_definition(unranked, given):
    ranks = random_lists(30, 1)
    learned = CoListingGraph() if unranked == "last" else AgreementGraph()
    graphs = [learned.build_from(ranks).to_dense()]
    if given:
        points = np.random.default_rng(0).random((N, 2))
        graphs.append(NeighborGraph(points, n_neighbors=3).build().to_dense())
    model = LikenessFeatures(graphs[1] if given else None, unranked=unranked).fit(ranks)
    np.testing.assert_allclose(model.graph_.to_dense(), graphs[-1])
    listed = ~np.isnan(ranks)
    order, shown = np.zeros(ranks.shape), np.zeros(ranks.shape)
    for row, known in zip(range(30), listed, strict=True):
        places = len(ranks[row, known]) + 1 - 2 * rankdata(ranks[row, known])
        order[row, known] = places / (np.linalg.norm(places) or 1.0)
        shown[row, known] = 1 / np.sqrt(known.sum())
    order = np.where(listed, order - order.sum(axis=0) / (listed.sum(axis=0) + 5), 0.0)
    rare = (1 - listed.mean(axis=0)) * shown
    smoothed, nearby = np.zeros(ranks.shape), np.zeros(ranks.shape)
    for weights in graphs:
        degrees = weights.sum(axis=1)
        assert (degrees > 0).all()
        walk = weights / np.sqrt(np.outer(degrees, degrees))
        nearby += rare @ walk
        if unranked == "last":
            # Three quarters of a step, half of which stays.
            smoothed += (order + 4 * rare) @ (0.625 * np.eye(N) + 0.375 * walk)
        else:
            smoothed += order @ np.linalg.matrix_power((np.eye(N) + walk) / 2, 2)
    if unranked == "last":
        expected = np.sqrt(0.55) * unit(unit(smoothed) + 0.5 * unit(nearby))
    else:
        expected = np.sqrt(0.5) * unit(0.5 * unit(order) + unit(smoothed))
    np.testing.assert_allclose(model.transform(ranks)[:, :N], expected, atol=1e-14)


def test_factors_are_those_of_order_and_of_listing():
    ranks = random_lists(30, 1)
    shares = {"anywhere": [0.5], "last": [0.1, 0.35]}
    for unranked, parts in shares.items():
        vectors = LikenessFeatures(unranked=unranked).fit_transform(ranks)[:, N:]
        assert vectors.shape == (30, 10 * len(parts))
        for part, share in enumerate(parts):
            own = vectors[:, 10 * part : 10 * (part + 1)]
            np.testing.assert_allclose((own**2).sum(axis=1), share)
    # The first ten are the same lists' order, whatever unlisted items mean.
    first = [LikenessFeatures(unranked=u).fit_transform(ranks)[:, N : N + 10] for u in shares]
    np.testing.assert_allclose(first[1], first[0] * np.sqrt(0.1 / 0.5), atol=1e-12)
    # The others know nothing of the order of ties: lists of the same items are the same.
    tied = np.where(np.isnan(ranks), np.nan, 1.0)
    vectors = LikenessFeatures(unranked="last").fit(tied).transform(tied)
    assert not vectors[:, N : N + 10].any()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)


@pytest.mark.parametrize("unranked", ["anywhere", "last"])
def test_sparse_dense_and_frames_are_the_same(unranked):
    ranks = random_lists(30, 2)
    dense = LikenessFeatures(unranked=unranked).fit_transform(ranks)
    vectors = LikenessFeatures(unranked=unranked).fit_transform(stored(ranks))
    assert isinstance(vectors, sparse.csr_array)
    np.testing.assert_allclose(vectors.toarray(), dense, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(dense, axis=1), 1.0)
    frame = pd.DataFrame(ranks, columns=[f"item {i}" for i in range(N)])
    model = LikenessFeatures(unranked=unranked).fit(frame)
    np.testing.assert_allclose(model.transform(frame), dense, atol=1e-14)
    names = model.get_feature_names_out()
    assert list(names[:2]) == ["item 0", "item 1"]
    assert len(names) == dense.shape[1]


@pytest.mark.parametrize("unranked", ["anywhere", "last"])
def test_rows_do_not_depend_on_others(unranked):
    ranks = random_lists(40, 3)
    model = LikenessFeatures(unranked=unranked).fit(ranks)
    whole = model.transform(ranks)
    assert (model.transform(ranks[7:9]) == whole[7:9]).all()


@pytest.mark.parametrize("unranked", ["anywhere", "last"])
def test_counts_are_repeated_rows(unranked):
    ranks = random_lists(25, 4)
    counts = np.random.default_rng(5).integers(1, 4, 25)
    one = LikenessFeatures(unranked=unranked).fit(np.repeat(ranks, counts, axis=0))
    other = LikenessFeatures(unranked=unranked).fit(ranks, sample_weight=counts)
    np.testing.assert_allclose(other.transform(ranks), one.transform(ranks), atol=1e-6)


def two_tastes(n_lists, seed, n_items=60, k=4):
    """Short lists of one half of the items or the other; few share an item."""
    rng = np.random.default_rng(seed)
    tastes = rng.integers(0, 2, n_lists)
    ranks = np.full((n_lists, n_items), np.nan)
    for row, taste in zip(ranks, tastes, strict=True):
        row[rng.permutation(n_items // 2)[:k] + taste * n_items // 2] = np.arange(1.0, k + 1)
    return ranks, tastes


def test_lists_that_share_no_item_are_compared_by_the_graph_or_by_other_lists():
    rng = np.random.default_rng(0)
    ranks, tastes = two_tastes(150, 6)
    halves = np.repeat([0.0, 9.0], 30)[:, None] + rng.random((60, 1))
    apart = (np.nan_to_num(ranks) > 0).astype(float)
    apart = apart @ apart.T == 0
    same = tastes[:, None] == tastes
    for graph in (None, NeighborGraph(halves, n_neighbors=5), CoListingGraph()):
        vectors = LikenessFeatures(graph, unranked="last").fit_transform(ranks)
        likeness = vectors @ vectors.T
        one, other = likeness[apart & same], likeness[apart & ~same]
        # By chance, it would be a half.
        assert np.mean(one[:1000, None] > other[:1000]) > 0.65


def test_full_rankings_and_empty_lists():
    rng = np.random.default_rng(0)
    full = np.argsort(rng.random((20, 6)), axis=1) + 1.0
    vectors = LikenessFeatures().fit_transform(full)
    assert vectors.shape == (20, 9)
    last = LikenessFeatures(unranked="last").fit(full)
    np.testing.assert_allclose(last.transform(full), vectors)
    empty = np.full((1, 6), np.nan)
    assert not last.transform(empty).any()
    assert not last.transform(stored(empty)).toarray().any()
    with pytest.raises(ValueError, match='unranked="last"'):
        LikenessFeatures().fit(np.vstack([full, empty]))
