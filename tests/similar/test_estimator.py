"""The rankings most like others: the top of the Gram matrix."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import linalg, sparse
from tolerances import assert_rounds_to

from rankcut import (
    DissimilarityGraph,
    GraphCutFeatures,
    GraphCutKernel,
    NeighborGraph,
    SimilarRankings,
    Smoothing,
)
from rankcut.similar import LikenessFeatures

RNG = np.random.default_rng(0)
N = 30
# Noisy copies of a few orders, so that nearest rankings are near.
CENTRES = RNG.permuted(np.tile(np.arange(1.0, N + 1), (12, 1)), axis=1)
RANKS = CENTRES[RNG.integers(12, size=900)] + 4 * RNG.standard_normal((900, N))
QUERIES = CENTRES + RNG.standard_normal((12, N))
GRAPH = NeighborGraph(RNG.random((N, 3)), n_neighbors=4).build()


def brute_force(gram, k):
    order = np.lexsort((np.broadcast_to(np.arange(gram.shape[1]), gram.shape), -gram), axis=1)
    return np.take_along_axis(gram, order, axis=1)[:, :k], order[:, :k]


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("queries", [QUERIES, None], ids=["others", "fitted"])
def test_exact_is_the_top_of_the_gram_matrix(queries, normalize):
    search = SimilarRankings(GraphCutFeatures(GRAPH), normalize=normalize).fit(RANKS)
    asked = RANKS if queries is None else queries
    gram = GraphCutKernel(GRAPH, normalize=normalize)(asked, RANKS)
    if queries is None:  # each is left out
        np.fill_diagonal(gram, -np.inf)
    expected_values, expected_rows = brute_force(gram, 7)
    values, rows = search.kneighbors(queries, 7)
    assert_allclose(values, expected_values, rtol=1e-12)
    assert_array_equal(rows, expected_rows)


def sparse_lists(n_rankings=400, n_items=600):
    rng = np.random.default_rng(3)
    topics = rng.integers(0, 20, n_rankings)
    rows = [np.sort(rng.choice(30, 8, replace=False)) + 30 * topic for topic in topics]
    places = [rng.permutation(8) + 1.0 for _ in rows]
    starts = np.arange(0, 8 * n_rankings + 1, 8)
    return sparse.csr_array(
        (np.concatenate(places), np.concatenate(rows), starts), shape=(n_rankings, n_items)
    )


NEAR = NeighborGraph(np.random.default_rng(4).random((600, 3)), n_neighbors=4).build()
ANYWHERE = {"unranked": "anywhere", "completions": "closed_form"}


@pytest.mark.parametrize(
    "features",
    [
        GraphCutFeatures(unranked="last"),
        GraphCutFeatures(NEAR, **ANYWHERE),
        GraphCutFeatures(DissimilarityGraph(NEAR), **ANYWHERE),
        GraphCutFeatures(smoothing=Smoothing(1.5, NEAR), **ANYWHERE),
        LikenessFeatures(unranked="anywhere"),
        LikenessFeatures(unranked="last"),
    ],
)
def test_sparse_lists_of_a_large_catalogue_are_searched_exactly(features):
    lists = sparse_lists()
    dense = np.where(lists.toarray() > 0, lists.toarray(), np.nan)
    vectors = features.fit_transform(dense)
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    gram = vectors[:50] @ vectors.T
    for fitted in (lists, dense):
        search = SimilarRankings(features).fit(fitted)
        for queries in (lists[:50], dense[:50]):
            values, rows = search.kneighbors(queries, 6)
            assert_allclose(values, brute_force(gram, 6)[0], rtol=1e-8, atol=1e-10)
            assert_allclose(np.take_along_axis(gram, rows, axis=1), values, rtol=1e-8, atol=1e-10)
    search = SimilarRankings(unranked="last", n_neighbors=6).fit(lists)
    expected = SimilarRankings(LikenessFeatures(unranked="last"), n_neighbors=6).fit(lists)
    assert_array_equal(search.kneighbors().rows, expected.kneighbors().rows)


def test_the_same_for_threads_batches_and_copies():
    search = SimilarRankings(GraphCutFeatures(GRAPH)).fit(RANKS)
    values, rows = search.kneighbors(RANKS)
    again = SimilarRankings(GraphCutFeatures(GRAPH), n_jobs=2).fit(RANKS)
    for other in (again, copy.deepcopy(search), pickle.loads(pickle.dumps(search))):
        assert_array_equal(other.kneighbors(RANKS)[0], values)
        assert_array_equal(other.kneighbors(RANKS)[1], rows)
    # Products of unit vectors.
    some = search.kneighbors(RANKS[500:510])
    assert_rounds_to(some.values, values[500:510], n_terms=N, size=1.0)
    assert_array_equal(some.rows, rows[500:510])


def test_few_rankings():
    search = SimilarRankings(GraphCutFeatures(), n_neighbors=2)
    values, rows = search.fit([[1, 2, 3], [3, 2, 1], [1, 3, 2]]).kneighbors()
    assert_array_equal(rows, [[2, 1], [2, 0], [0, 1]])
    assert_allclose(values, [[0.5, -1], [-0.5, -1], [0.5, -0.5]], atol=1e-15)
    with pytest.raises(ValueError, match=r"n_neighbors is 3, with 2 rankings to choose"):
        search.kneighbors(n_neighbors=3)
    with pytest.raises(ValueError, match=r"n_neighbors is 4, with 3 rankings"):
        search.kneighbors([[1, 2, 3]], 4)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_weights_of_any_scale_find_the_same_rankings(scale):
    weights = GRAPH.to_dense()
    places = RANKS[:60].argsort(axis=1).argsort(axis=1) + 1.0
    lists = sparse.csr_array(np.where(places <= 6, places, 0.0))
    for ranks, options in ((RANKS[:60], {}), (lists, ANYWHERE)):
        one, other = (
            SimilarRankings(GraphCutFeatures(graph, **options), n_neighbors=3).fit(ranks)
            for graph in (weights, weights * scale)
        )
        assert_allclose(other.kneighbors().values, one.kneighbors().values, rtol=1e-12)
        assert_array_equal(other.kneighbors().rows, one.kneighbors().rows)


@pytest.mark.parametrize(("scale", "size"), [(1e-200, "small"), (1e200, "large")])
def test_vectors_whose_squares_are_no_numbers_are_refused(scale, size):
    features = GraphCutFeatures(GRAPH.to_dense() * scale)
    with pytest.raises(ValueError, match=f"the vectors are too {size}.*divide them"):
        SimilarRankings(features).fit(RANKS[:60])
    unit = GraphCutFeatures(GRAPH.to_dense() * scale, normalize=True)
    SimilarRankings(unit).fit(RANKS[:60])


@pytest.mark.parametrize("stored", [False, True])
def test_lists_that_share_nothing_have_arbitrary_neighbours_and_it_says_so(stored):
    # Nobody else lists the last two items.
    ranks = np.zeros((30, 6))
    for row, items in enumerate(np.argsort(np.random.default_rng(0).random((29, 4)), axis=1)):
        ranks[row, items[:3]] = [1, 2, 3]
    ranks[29, 4:] = [1, 2]
    lists = sparse.csr_array(ranks) if stored else np.where(ranks > 0, ranks, np.nan)
    search = SimilarRankings(unranked="last").fit(lists)
    with pytest.warns(
        UserWarning, match="1 of 30 rankings, the first of them row 29, have nothing"
    ):
        search.kneighbors()
    # The fitted list has what it lists in common with the same list, given anew.
    search.kneighbors(lists)
    with pytest.warns(UserWarning, match="An item graph may connect what they list"):
        search.kneighbors(np.full((1, 6), np.nan))
    graph = np.zeros((6, 6))
    graph[3, 4] = graph[4, 3] = 1
    SimilarRankings(unranked="last", graph=graph).fit(lists).kneighbors()
    # Vectors of any features that are orthogonal to all others.
    apart = linalg.block_diag(np.ones((4, 4)), np.ones((2, 2)))
    cuts = GraphCutFeatures(apart, **ANYWHERE)
    with pytest.warns(UserWarning, match="1 of 30 rankings"):
        SimilarRankings(cuts).fit(lists).kneighbors()


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="n_neighbors must be"):
        SimilarRankings(n_neighbors=0).fit(RANKS)
    with pytest.raises(ValueError, match="graph, item_features and unranked belong"):
        SimilarRankings(GraphCutFeatures(), unranked="last").fit(RANKS)
