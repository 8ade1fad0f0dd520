"""The rankings most like others: exactly, and by an index that knows its recall."""

import copy
import pickle
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from tolerances import assert_rounds_to

from rankcut import (
    DissimilarityGraph,
    GraphCutFeatures,
    NeighborGraph,
    SimilarRankings,
    Smoothing,
    graph_cut_kernel,
)
from rankcut.kernels import KendallFeatures
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
def test_exact_is_the_top_of_the_gram_matrix(normalize):
    search = SimilarRankings(GraphCutFeatures(GRAPH), normalize=normalize).fit(RANKS)
    assert search.recall_ == 1
    gram = graph_cut_kernel(QUERIES, RANKS, graph=GRAPH, normalize=normalize)
    values, rows = search.kneighbors(QUERIES, 7)
    expected_values, expected_rows = brute_force(gram, 7)
    assert_allclose(values, expected_values, rtol=1e-12)
    assert_array_equal(rows, expected_rows)


def test_of_the_fitted_rankings_each_is_left_out():
    gram = graph_cut_kernel(RANKS, graph=GRAPH, normalize=True)
    np.fill_diagonal(gram, -np.inf)
    expected = brute_force(gram, 5)
    for method in ("exact", "approximate"):
        search = SimilarRankings(GraphCutFeatures(GRAPH), method=method, n_candidates=200)
        values, rows = search.fit(RANKS).kneighbors(n_neighbors=5)
        assert (rows != np.arange(900)[:, None]).all()
        found = (values >= expected[0][:, -1:] - 1e-9).mean()
        assert found == 1 if method == "exact" else found > 0.98


@pytest.mark.parametrize("normalize", [False, True])
def test_approximate_values_are_kernel_values_and_recall_is_what_is_found(normalize):
    search = SimilarRankings(
        GraphCutFeatures(GRAPH), normalize=normalize, method="approximate", n_candidates=40
    ).fit(RANKS)
    gram = graph_cut_kernel(QUERIES, RANKS, graph=GRAPH, normalize=normalize)
    values, rows = search.kneighbors(QUERIES)
    assert_allclose(values, np.take_along_axis(gram, rows, axis=1), rtol=1e-10)
    assert (np.diff(values, axis=1) <= 0).all()
    assert all(len(set(row)) == 10 for row in rows.tolist())
    best = brute_force(gram, 10)[0]
    assert (values >= best[:, -1:] * (1 - 1e-9)).mean() > 0.95
    assert search.recall_ > 0.95


def test_recall_is_measured_not_promised(monkeypatch):
    search = SimilarRankings(GraphCutFeatures(GRAPH), method="approximate").fit(RANKS)
    index = search._index
    # An index that proposes rankings at random finds hardly any of the nearest.
    guess = np.random.default_rng(1)
    monkeypatch.setattr(
        index,
        "_candidates",
        lambda queries, count, n_jobs: np.array(
            [guess.choice(900, count, replace=False) for _ in range(queries.shape[0])]
        ),
    )
    assert search._measured_recall(index) < 0.3


def sparse_lists(n_rankings=400, n_items=600):
    rng = np.random.default_rng(3)
    topics = rng.integers(0, 20, n_rankings)
    rows = [np.sort(rng.choice(30, 8, replace=False)) + 30 * topic for topic in topics]
    places = [rng.permutation(8) + 1.0 for _ in rows]
    starts = np.arange(0, 8 * n_rankings + 1, 8)
    return sparse.csr_array(
        (np.concatenate(places), np.concatenate(rows), starts), shape=(n_rankings, n_items)
    )


def test_sparse_vectors_of_a_large_catalogue_are_searched_exactly():
    lists = sparse_lists()
    dense = np.where(lists.toarray() > 0, lists.toarray(), np.nan)
    near = NeighborGraph(np.random.default_rng(4).random((600, 3)), n_neighbors=4).build()
    for graph in (near, DissimilarityGraph(near).build()):
        features = GraphCutFeatures(graph, unranked="anywhere", completions="closed_form")
        gram = graph_cut_kernel(
            lists[:50],
            lists,
            graph=graph,
            unranked="anywhere",
            completions="closed_form",
            normalize=True,
        )
        expected = brute_force(gram, 6)[0]
        for method in ("exact", "approximate"):
            search = SimilarRankings(features, method=method).fit(lists)
            assert search.recall_ == 1
            for queries in (lists[:50], dense[:50]):
                values, rows = search.kneighbors(queries, 6)
                assert_allclose(values, expected, rtol=1e-8, atol=1e-10)
                chosen = np.take_along_axis(gram, rows, axis=1)
                assert_allclose(values, chosen, rtol=1e-8, atol=1e-10)
        search = SimilarRankings(features, method="approximate").fit(dense)
        assert_allclose(
            search.kneighbors(lists[:50], 6)[0], search.kneighbors(dense[:50], 6)[0], atol=1e-10
        )


def test_values_of_candidates_from_the_index_are_exact():
    search = SimilarRankings(KendallFeatures(), method="approximate").fit(RANKS)
    assert search.recall_ > 0.9
    exact = SimilarRankings(KendallFeatures()).fit(RANKS)
    vectors = exact.features_.transform(RANKS)
    values, rows = search.kneighbors(QUERIES)
    ours = exact.features_.transform(QUERIES)
    norms = np.linalg.norm(ours, axis=1)[:, None] * np.linalg.norm(vectors, axis=1)
    expected = np.take_along_axis(ours @ vectors.T / norms, rows, axis=1)
    assert_allclose(values, expected, rtol=1e-10)


def test_the_same_for_threads_batches_and_copies():
    search = SimilarRankings(GraphCutFeatures(GRAPH), method="approximate").fit(RANKS)
    values, rows = search.kneighbors(RANKS)
    again = SimilarRankings(GraphCutFeatures(GRAPH), method="approximate", n_jobs=2).fit(RANKS)
    for other in (again, copy.deepcopy(search), pickle.loads(pickle.dumps(search))):
        assert_array_equal(other.kneighbors(RANKS)[0], values)
        assert_array_equal(other.kneighbors(RANKS)[1], rows)
    # Products of unit vectors.
    some = search.kneighbors(RANKS[500:510])
    assert_rounds_to(some.values, values[500:510], n_terms=N, size=1.0)
    assert_array_equal(some.rows, rows[500:510])


def test_the_features_that_are_given_stay_as_they_are():
    features = GraphCutFeatures(GRAPH, smoothing=1.0)
    given = vars(features).copy()
    SimilarRankings(features).fit(RANKS[:20])
    assert vars(features) == given


def test_few_rankings():
    for method in ("exact", "approximate"):
        search = SimilarRankings(GraphCutFeatures(), n_neighbors=2, method=method).fit(
            [[1, 2, 3], [3, 2, 1], [1, 3, 2]]
        )
        values, rows = search.kneighbors()
        assert_array_equal(rows, [[2, 1], [2, 0], [0, 1]])
        assert_allclose(values, [[0.5, -1], [-0.5, -1], [0.5, -0.5]], atol=1e-15)
        with pytest.raises(ValueError, match=r"n_neighbors is 3, with 2 rankings to choose"):
            search.kneighbors(n_neighbors=3)
        with pytest.raises(ValueError, match=r"n_neighbors is 4, with 3 rankings"):
            search.kneighbors([[1, 2, 3]], 4)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_weights_of_any_scale(scale):
    found = [
        SimilarRankings(GraphCutFeatures(weights), normalize=False, method="approximate")
        .fit(RANKS)
        .kneighbors(QUERIES)
        for weights in (GRAPH.to_dense(), scale * GRAPH.to_dense())
    ]
    assert_allclose(found[1].values, scale**2 * found[0].values, rtol=1e-6)


def test_many_rankings_that_are_the_same():
    ranks = np.tile(CENTRES[:2], (300, 1))
    search = SimilarRankings(GraphCutFeatures(), method="approximate", n_candidates=300).fit(ranks)
    values, rows = search.kneighbors()
    assert_allclose(values, 1.0)
    assert (rows % 2 == np.arange(600)[:, None] % 2).all()


def test_rankings_that_tie_all_items():
    search = SimilarRankings(GraphCutFeatures(), n_neighbors=1, method="approximate")
    search.fit([[1, 1, 1], [1, 2, 3]])
    with pytest.warns(UserWarning, match="1 of 2 rankings, the first of them row 0, have nothing"):
        found = search.kneighbors([[1, 1, 1], [1, 2, 3]])
    assert_allclose(found.values, [[0], [1]], atol=1e-15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "fast"}, "method must be"),
        ({"n_neighbors": 0}, "n_neighbors must be"),
        ({"n_candidates": 1.5}, "n_candidates must be"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        SimilarRankings(**options).fit(RANKS)


def test_an_extra_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "hnswlib", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "rankcut\[neighbors\]"'):
        SimilarRankings(method="approximate").fit(RANKS)


@pytest.mark.parametrize("method", ["exact", "approximate"])
def test_smoothed_vectors_of_sparse_rankings_are_those_of_dense_ones(method):
    rng = np.random.default_rng(0)
    ranks = np.where(rng.random((60, N)) < 0.3, rng.random((60, N)), np.nan)
    stored = sparse.csr_array(np.nan_to_num(ranks))
    features = GraphCutFeatures(
        unranked="anywhere", completions="closed_form", smoothing=Smoothing(1.5, GRAPH)
    )
    vectors = features.fit_transform(ranks)
    gram = vectors @ vectors.T
    np.fill_diagonal(gram, -np.inf)
    for X in (ranks, stored):
        search = SimilarRankings(features, normalize=False, method=method, n_candidates=60).fit(X)
        assert_allclose(search.kneighbors(n_neighbors=4)[0], brute_force(gram, 4)[0], atol=1e-9)


@pytest.mark.parametrize("method", ["exact", "approximate"])
@pytest.mark.parametrize("scale", [1e-280, 1e-155, 1e155, 1e280])
def test_weights_of_any_scale_find_the_same_rankings(method, scale):
    weights = GRAPH.to_dense()
    places = RANKS[:60].argsort(axis=1).argsort(axis=1) + 1.0
    lists = sparse.csr_array(np.where(places <= 6, places, 0.0))
    for unranked, ranks in (("error", RANKS[:60]), ("anywhere", lists)):
        found = []
        for graph in (weights, weights * scale):
            features = GraphCutFeatures(graph, unranked=unranked)
            if unranked == "anywhere":
                features.set_params(completions="closed_form")
            search = SimilarRankings(features, n_neighbors=3, method=method).fit(ranks)
            found.append(search.kneighbors())
        assert_allclose(found[1].values, found[0].values, rtol=1e-12)
        assert_array_equal(found[1].rows, found[0].rows)


def test_kernel_values_beyond_a_float_are_an_error():
    plain = GraphCutFeatures(GRAPH.to_dense() * 1e200)
    search = SimilarRankings(plain, n_neighbors=3, normalize=False).fit(RANKS[:60])
    with pytest.raises(ValueError, match="too large for a float; pass normalize=True"):
        search.kneighbors()
    tiny = GraphCutFeatures(GRAPH.to_dense() * 1e-200)
    found = SimilarRankings(tiny, n_neighbors=3, normalize=False).fit(RANKS[:60]).kneighbors()
    usual = GraphCutFeatures(GRAPH)
    expected = SimilarRankings(usual, n_neighbors=3, normalize=False).fit(RANKS[:60]).kneighbors()
    assert_array_equal(found.rows, expected.rows)


@pytest.mark.parametrize("unranked", ["anywhere", "last"])
@pytest.mark.parametrize("method", ["exact", "approximate"])
def test_by_default_it_searches_likeness(unranked, method):
    lists = sparse_lists(200)
    vectors = LikenessFeatures(unranked=unranked).fit(lists).transform(lists).toarray()
    gram = vectors @ vectors.T
    np.fill_diagonal(gram, -np.inf)
    search = SimilarRankings(unranked=unranked, method=method, n_candidates=200).fit(lists)
    values, rows = search.kneighbors(n_neighbors=5)
    # Cosines of 620 coordinates.
    assert_allclose(values, brute_force(gram, 5)[0], atol=1e-12)
    assert_allclose(np.take_along_axis(gram, rows, axis=1), values, atol=1e-12)


def test_lists_that_share_nothing_have_arbitrary_neighbours_and_it_says_so():
    # Nobody else lists the last two items, and they are connected with nothing else.
    graph = np.zeros((5, 5))
    for one, other in ((0, 1), (1, 2), (3, 4)):
        graph[one, other] = graph[other, one] = 1.0
    features = GraphCutFeatures(graph, unranked="anywhere", completions="closed_form")
    nan = np.nan
    lists = [[1, 2, 3, nan, nan], [1, 2, 2, nan, nan], [nan, nan, nan, 1, 2]]
    search = SimilarRankings(features, n_neighbors=1).fit(lists)
    with pytest.warns(UserWarning, match="1 of 3 rankings, the first of them row 2, have nothing"):
        search.kneighbors()
    with pytest.warns(UserWarning, match="An item graph may connect what they list"):
        SimilarRankings(unranked="anywhere", n_neighbors=1).fit(lists).kneighbors(
            [[nan, nan, nan, nan, nan]]
        )


@pytest.mark.parametrize("stored", [False, True])
def test_default_vectors_of_lists_that_share_nothing_are_arbitrary(stored):
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
    graph = np.zeros((6, 6))
    graph[3, 4] = graph[4, 3] = 1
    SimilarRankings(unranked="last", graph=graph).fit(lists).kneighbors()


def test_options_of_the_default_features_are_not_for_others():
    with pytest.raises(ValueError, match="graph and unranked belong to the default features"):
        SimilarRankings(GraphCutFeatures(), unranked="last").fit(RANKS)
