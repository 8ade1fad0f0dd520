"""Vectors by which to find people of like taste."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import rankdata

from rankcut import AgreementGraph, CoListingGraph, NeighborGraph
from rankcut.similar import LikenessFeatures
from rankcut.similar.likeness import _less

N = 20


def random_lists(n_lists, seed):
    rng = np.random.default_rng(seed)
    ranks = np.full((n_lists, N), np.nan)
    for row in ranks:
        size = rng.integers(2, 8)
        row[rng.permutation(N)[:size]] = rng.integers(1, 5, size)
    return ranks


def stored(ranks):
    return sparse.csr_array(np.nan_to_num(ranks))


def unit(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def walk_on(weights):
    degrees = weights.sum(axis=1)
    assert (degrees > 0).all()
    return weights / np.sqrt(np.outer(degrees, degrees))


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("unranked", ["anywhere", "last"])
def test_coordinates_of_items_by_definition(unranked, given):
    ranks = random_lists(30, 1)
    learned = CoListingGraph() if unranked == "last" else AgreementGraph()
    weights = learned.build_from(ranks).to_dense()
    own = (np.eye(N) + walk_on(weights)) / 2
    graph = None
    if given:
        points = np.random.default_rng(0).random((N, 2))
        graph = weights = NeighborGraph(points, n_neighbors=3).build().to_dense()
    model = LikenessFeatures(graph, unranked=unranked).fit(ranks)
    np.testing.assert_allclose(model.graph_.to_dense(), weights)
    listed = ~np.isnan(ranks)
    order, first = np.zeros(ranks.shape), np.zeros(ranks.shape)
    for row, known in enumerate(listed):
        size = known.sum()
        places = (size + 1 - 2 * rankdata(ranks[row, known])) / (size + 1)
        order[row, known] = places / (np.linalg.norm(places) or 1.0)
        first[row, known] = 1.2 + places
    order = np.where(listed, order - order.sum(axis=0) / (listed.sum(axis=0) + 5), 0.0)
    share = listed.mean(axis=0)
    rare = listed * (1 - share)

    def centred(rows):
        less = rows - rows.mean(axis=0)
        return unit(np.where((rows != 0) | (share >= 0.05), less, 0.0))

    if unranked == "last":
        parts = [(1.0, centred(unit(unit(first) @ own @ own))), (0.5, unit(order @ own @ own))]
        parts += [(0.5, centred(unit(unit(rare) @ walk_on(weights))))] if given else []
        factors = 0.75
    else:
        parts = [(0.25, unit(order @ own @ own))]
        other = (np.eye(N) + walk_on(weights)) / 2
        parts += [(0.5, unit(order @ other @ other))] if given else []
        factors = 1.0
    total = factors + sum(weight for weight, _ in parts)
    expected = np.hstack([np.sqrt(weight / total) * part for weight, part in parts])
    vectors = model.transform(ranks)
    np.testing.assert_allclose(vectors[:, : expected.shape[1]], expected, atol=1e-13)


def test_means_are_subtracted_at_common_items_and_where_rows_are_not_zero():
    rows = np.array([[1.0, 0.0, 0.0, 2.0], [0.0, 3.0, 0.0, 0.0]])
    mean, common = np.array([0.5, 0.25, 0.125, 0.0625]), np.array([True, False, False, True])
    expected = [[0.5, 0.0, 0.0, 1.9375], [-0.5, 2.75, 0.0, -0.0625]]
    np.testing.assert_array_equal(_less(rows, mean, common), expected)
    np.testing.assert_array_equal(_less(stored(rows), mean, common).toarray(), expected)
    nothing = np.zeros(4, dtype=bool)
    np.testing.assert_array_equal(
        _less(stored(rows), mean, nothing).toarray(), _less(rows, mean, nothing)
    )


def test_factors_of_order_are_expected_values():
    """Conditional means of a normal distribution, by its covariance over all items."""
    ranks = random_lists(60, 1)
    model = LikenessFeatures(unranked="anywhere").fit(ranks)
    items, noise = model._order.items, model._order._penalty
    positions = np.zeros(ranks.shape)
    listed = ~np.isnan(ranks)
    for row, known in enumerate(listed):
        size = known.sum()
        positions[row, known] = (size + 1 - 2 * rankdata(ranks[row, known])) / (size + 1)
    means = positions.sum(axis=0) / (listed.sum(axis=0) + 5)
    covariance = items @ items.T
    expected = np.zeros(ranks.shape)
    for row, known in enumerate(listed):
        inner = covariance[np.ix_(known, known)] + noise * np.eye(known.sum())
        values = np.linalg.solve(inner, (positions[row] - means)[known])
        expected[row] = covariance[:, known] @ values
    vectors = unit(model.transform(ranks)[:, N:])
    np.testing.assert_allclose(vectors @ vectors.T, unit(expected) @ unit(expected).T, atol=1e-8)
    # Whatever unlisted items mean, it is the same lists' order.
    last = LikenessFeatures(unranked="last").fit_transform(ranks)
    np.testing.assert_allclose(unit(last[:, 2 * N : 3 * N - 1]), vectors, atol=1e-12)


def test_lists_of_ties_say_what_they_list():
    ranks = random_lists(30, 1)
    tied = np.where(np.isnan(ranks), np.nan, 1.0)
    vectors = LikenessFeatures(unranked="last").fit(tied).transform(tied)
    assert not vectors[:, N : 3 * N - 1].any()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)


@pytest.mark.parametrize("unranked", ["anywhere", "last"])
def test_mean_item_features(unranked):
    ranks = random_lists(30, 1)
    labels = [f"item {i}" for i in range(N)]
    points = np.random.default_rng(0).random((N, 2))
    table = pd.DataFrame(points, columns=["a", "b"], index=labels)
    frame = pd.DataFrame(ranks, columns=labels)
    graph = NeighborGraph(table.iloc[::-1], n_neighbors=3, scale=False)
    vectors = LikenessFeatures(graph, unranked=unranked).fit_transform(frame)
    plain = LikenessFeatures(NeighborGraph(points, n_neighbors=3), unranked=unranked)
    np.testing.assert_allclose(vectors, plain.fit_transform(ranks), atol=1e-12)
    assert len(plain.get_feature_names_out()) == vectors.shape[1]
    if unranked == "last":
        scaled = (points - points.mean(axis=0)) / points.std(axis=0)
        means = unit((~np.isnan(ranks)).astype(float) @ scaled)
        expected = unit(means - means.mean(axis=0)) * np.sqrt(0.5 / 3.0)
        np.testing.assert_allclose(vectors[:, -2:], expected, atol=1e-13)
    sparse_points = NeighborGraph(sparse.csr_array(points), metric="cosine", n_neighbors=3)
    both = LikenessFeatures(sparse_points, unranked=unranked).fit_transform(stored(ranks))
    assert isinstance(both, sparse.csr_array)
    np.testing.assert_allclose(np.linalg.norm(both.toarray(), axis=1), 1.0)


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
    first = "listing" if unranked == "last" else "order"
    assert list(names[:2]) == [f"{first} of item 0", f"{first} of item 1"]
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
    assert vectors.shape == (20, 11)
    last = LikenessFeatures(unranked="last").fit(full)
    np.testing.assert_allclose(last.transform(full), vectors)
    empty = np.full((1, 6), np.nan)
    assert not last.transform(empty).any()
    assert not last.transform(stored(empty)).toarray().any()
    with pytest.raises(ValueError, match='unranked="last"'):
        LikenessFeatures().fit(np.vstack([full, empty]))


@pytest.mark.parametrize(
    ("n_listed", "share"), [(6, 0.5 / 1.75), (4, 1 / 2.25), (1, 1 / 1.5), (8, 0.0)]
)
def test_listing_counts_less_the_more_is_listed(n_listed, share):
    # Of 8 items: weights are halfway between those of whole and of short lists if 6 are listed.
    ranks = np.argsort(np.random.default_rng(0).random((40, 8)), axis=1) + 1.0
    ranks[ranks > n_listed] = np.nan
    model = LikenessFeatures(unranked="last").fit(ranks)
    names = model.get_feature_names_out()
    listing = [name.startswith("listing of") for name in names]
    squares = (model.transform(ranks)[:, listing] ** 2).sum(axis=1)
    np.testing.assert_allclose(squares, share, atol=1e-12)


def test_order_counts_less_where_lists_hardly_overlap():
    rng = np.random.default_rng(0)
    ranks = np.full((60, 100), np.nan)
    for row in ranks:
        row[rng.permutation(100)[:6]] = np.arange(1.0, 7)
    model = LikenessFeatures(unranked="last").fit(ranks)
    shares = (~np.isnan(ranks)).mean(axis=0)
    overlap = 4 * (shares**2).sum() / shares.sum()
    assert overlap < 0.4
    names = model.get_feature_names_out()
    order = [name.startswith("order of") for name in names]
    squares = (model.transform(ranks)[:, order] ** 2).sum(axis=1)
    expected = 0.5 * overlap / (1.5 + 0.75 * overlap)
    np.testing.assert_allclose(squares, expected, atol=1e-12)
