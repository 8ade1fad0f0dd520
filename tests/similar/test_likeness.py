"""Vectors by which to find people of like taste."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import rankdata
from sklearn.feature_extraction.text import TfidfTransformer

from rankcut import AgreementGraph, CoListingGraph, NeighborGraph
from rankcut.similar import LikenessFeatures

N = 20


def random_lists(n_lists, seed):
    rng = np.random.default_rng(seed)
    ranks = np.full((n_lists, N), np.nan)
    for row in ranks:
        size = rng.integers(2, 8)
        row[rng.permutation(N)[:size]] = rng.integers(1, 5, size)
    return ranks


def lists_by_taste():
    """Random items, ordered by a taste that people have more or less of, or its opposite."""
    rng = np.random.default_rng(0)
    utilities = rng.normal(size=(60, 1)) * np.linspace(-2, 2, N) + rng.normal(size=(60, N))
    return np.where(rng.random(utilities.shape) < 0.4, -utilities, np.nan)


RANKS = random_lists(30, 1)


@pytest.fixture(params=["anywhere", "last"])
def unranked(request):
    return request.param


def stored(ranks):
    return sparse.csr_array(np.nan_to_num(ranks))


def unit(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def walk_on(weights):
    degrees = weights.sum(axis=1)
    assert (degrees > 0).all()
    return weights / np.sqrt(np.outer(degrees, degrees))


def columns(model, part):
    """Which coordinates belong to a part."""
    return [name.startswith(part) for name in model.get_feature_names_out()]


def positions(ranks):
    """From 1 for the first item of each list to −1 for its last; 0 where it is not listed."""
    found = np.zeros(ranks.shape)
    for own, row in zip(found, ranks, strict=True):
        listed = ~np.isnan(row)
        size = listed.sum()
        own[listed] = (size + 1 - 2 * rankdata(row[listed])) / max(size - 1, 1)
    return found


def listing(ranks):
    """TF-IDF as scikit-learn has it, in which first items count more."""
    listed = ~np.isnan(ranks) * 1.0
    rarity = TfidfTransformer().fit(listed).idf_
    return unit(listed * rarity * (1 + positions(ranks) / 2))


def parts_by_definition(ranks, unranked):
    """The parts, each of unit length."""
    listed = ~np.isnan(ranks)
    learned = CoListingGraph() if unranked == "last" else AgreementGraph()
    step = (np.eye(N) + walk_on(learned.build_from(ranks).to_dense())) / 2
    if unranked == "anywhere":
        order = positions(ranks)
        order = np.where(listed, order - order.sum(axis=0) / (listed.sum(axis=0) + 3), 0.0)
        return {"order of": unit(order @ step)}
    rows = listing(ranks)
    _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    shown = unit(rows @ (directions.T * (sizes**2 / (sizes**2 + (sizes**2).mean()))))
    return {"listing of": unit(rows @ step), "listing factors": unit(shown - shown.mean(axis=0))}


def test_parts_by_definition(unranked):
    ranks = lists_by_taste()
    model = LikenessFeatures(unranked=unranked).fit(ranks)
    vectors = model.transform(ranks)
    parts = parts_by_definition(ranks, unranked)
    for name, rows in parts.items():
        found = vectors[:, columns(model, name)]
        assert found.any()
        # Directions may point either way.
        np.testing.assert_allclose(found @ found.T, rows @ rows.T / len(parts), atol=1e-9)


def test_means_are_left_alone_if_not_centered():
    ranks = random_lists(30, 1)
    ranks[:, 0] = 0.0  # what everybody likes best
    for unranked, gap in (("anywhere", 0.0), ("last", 0.1)):
        centred, plain = (
            LikenessFeatures(unranked=unranked, centered=centered).fit(ranks).transform(ranks)
            for centered in (True, False)
        )
        assert (plain @ plain.T).mean() > (centred @ centred.T).mean() + gap


def test_lists_of_ties_say_what_they_list():
    tied = np.where(np.isnan(RANKS), np.nan, 1.0)
    model = LikenessFeatures(unranked="last").fit(tied)
    vectors = model.transform(tied)
    assert not vectors[:, columns(model, "order")].any()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)


def test_a_graph_and_its_recipe_are_the_same(unranked):
    recipe = NeighborGraph(np.random.default_rng(0).random((N, 2)), n_neighbors=3)
    one, other = (
        LikenessFeatures(graph, unranked=unranked).fit_transform(RANKS)
        for graph in (recipe, recipe.build())
    )
    np.testing.assert_array_equal(one, other)


def test_lists_are_smoothed_over_a_given_graph():
    weights = NeighborGraph(np.random.default_rng(0).random((N, 2)), n_neighbors=3).build()
    model = LikenessFeatures(weights, unranked="last").fit(RANKS)
    np.testing.assert_allclose(model.graph_.to_dense(), weights.to_dense())
    step = (np.eye(N) + walk_on(weights.to_dense())) / 2
    expected = unit(listing(RANKS) @ np.linalg.matrix_power(step, 4))
    found = unit(model.transform(RANKS)[:, columns(model, "listing of")])
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_mean_item_features(unranked):
    labels = [f"item {i}" for i in range(N)]
    points = np.random.default_rng(0).random((N, 2))
    table = pd.DataFrame(points, columns=["a", "b"], index=labels)
    frame = pd.DataFrame(RANKS, columns=labels)
    by_table = LikenessFeatures(item_features=table.iloc[::-1], unranked=unranked)
    plain = LikenessFeatures(item_features=NeighborGraph(points), unranked=unranked)
    vectors = plain.fit_transform(RANKS)
    np.testing.assert_allclose(by_table.fit_transform(frame), vectors, atol=1e-12)
    if unranked == "last":
        scaled = (points - points.mean(axis=0)) / points.std(axis=0)
        means = unit(listing(RANKS) @ scaled)
        found = unit(vectors[:, columns(plain, "features")])
        np.testing.assert_allclose(found, unit(means - means.mean(axis=0)), atol=1e-12)
    stored_points = sparse.csr_array(points)
    both = LikenessFeatures(item_features=stored_points, unranked=unranked)
    found = both.fit_transform(stored(RANKS))
    assert isinstance(found, sparse.csr_array)
    np.testing.assert_allclose(np.linalg.norm(found.toarray(), axis=1), 1.0)


def test_vectors_of_unit_length_and_their_names(unranked):
    ranks = random_lists(30, 2)
    dense = LikenessFeatures(unranked=unranked).fit_transform(ranks)
    np.testing.assert_allclose(np.linalg.norm(dense, axis=1), 1.0)
    items = [f"item {i}" for i in range(N)]
    model = LikenessFeatures(unranked=unranked, items=items).fit(stored(ranks))
    assert isinstance(model.transform(stored(ranks)), sparse.csr_array)
    names = model.get_feature_names_out()
    first = "listing" if unranked == "last" else "order"
    assert list(names[:2]) == [f"{first} of item 0", f"{first} of item 1"]
    assert len(names) == dense.shape[1]


def test_rows_do_not_depend_on_others(unranked):
    model = LikenessFeatures(unranked=unranked).fit(RANKS)
    assert (model.transform(RANKS[7:9]) == model.transform(RANKS)[7:9]).all()


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
    near = NeighborGraph(halves, n_neighbors=5)
    for options in ({}, {"graph": near}, {"item_features": halves}, {"graph": CoListingGraph()}):
        vectors = LikenessFeatures(**options, unranked="last").fit_transform(ranks)
        alike = vectors @ vectors.T
        one, other = alike[apart & same], alike[apart & ~same]
        # By chance, it would be a half.
        assert np.mean(one[:1000, None] > other[:1000]) > 0.65


def test_full_rankings_and_empty_lists():
    rng = np.random.default_rng(0)
    full = np.argsort(rng.random((20, 6)), axis=1) + 1.0
    vectors = LikenessFeatures().fit_transform(full)
    assert vectors.shape[1] == 6
    last = LikenessFeatures(unranked="last").fit(full)
    np.testing.assert_allclose(last.transform(full), vectors)
    empty = np.full((1, 6), np.nan)
    assert not last.transform(empty).any()
    assert not last.transform(stored(empty)).toarray().any()
    with pytest.raises(ValueError, match='unranked="last"'):
        LikenessFeatures().fit(np.vstack([full, empty]))
