"""The mean of slopes before pooling, in closed form."""

import tracemalloc

import numpy as np
import oracles
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.pipeline import make_pipeline
from strategies import incomplete_cases

from rankcut import (
    Completions,
    GraphCutFeatures,
    NeighborGraph,
    SimilarityGraph,
    SimilarRankings,
    graph_cut_features,
)
from rankcut.cuts import UncentredRows
from rankcut.errors import InputError

CLOSED = {"unranked": "anywhere", "completions": "closed_form"}


def mean(weights, row):
    return graph_cut_features(row[None], weights, **CLOSED)[0]


@given(case=incomplete_cases(most=5))
def test_equals_the_mean_of_features_on_the_complete_graph(case):
    _, row = case
    complete = 1.0 - np.eye(len(row))
    expected = oracles.mean_over_completions(complete, row, oracles.features)
    assert_allclose(mean(None, row), expected, rtol=0, atol=1e-12)
    assert_allclose(mean(complete, row), expected, rtol=0, atol=1e-12)


def random_catalogue(n_rankings, n_items, n_ranked, seed=0):
    rng = np.random.default_rng(seed)
    items = np.concatenate([rng.choice(n_items, n_ranked, False) for _ in range(n_rankings)])
    places = np.tile(np.arange(1.0, n_ranked + 1), n_rankings)
    rows = np.repeat(np.arange(n_rankings), n_ranked)
    ranks = sparse.csr_array((places, (rows, items)), shape=(n_rankings, n_items))
    graph = NeighborGraph(rng.random((n_items, 3)), n_neighbors=5).build()
    return ranks, graph


class TestSparse:
    @pytest.mark.parametrize("normalize", [False, True])
    @pytest.mark.parametrize("complete", [False, True])
    def test_is_the_dense_vector_up_to_a_constant(self, normalize, complete):
        ranks, graph = random_catalogue(60, 300, 7)
        graph = None if complete else graph
        options = {**CLOSED, "normalize": normalize}
        stored = graph_cut_features(ranks, graph, **options)
        dense = graph_cut_features(ranks, graph, sparse_output=False, **options)
        assert type(stored) is UncentredRows
        spread = stored.toarray()
        assert_allclose(spread - spread.mean(axis=1, keepdims=True), dense, rtol=0, atol=1e-12)
        # Entries for ranked items and their neighbours, none for the rest.
        assert stored.nnz < dense.size / 3

    def test_everything_else_is_dense(self):
        ranks, graph = random_catalogue(5, 50, 7)
        filled = ranks.toarray()
        filled[filled == 0] = np.nan
        dense = graph_cut_features(filled, graph, **CLOSED)
        assert type(dense) is np.ndarray
        forced = graph_cut_features(ranks, graph, sparse_output=False, **CLOSED)
        assert type(forced) is np.ndarray
        assert_array_equal(forced, dense)
        drawn = {"unranked": "anywhere", "completions": Completions("sampled", n_draws=8)}
        dense = SimilarityGraph(np.random.default_rng(0).random((50, 3)))
        last = {"unranked": "last"}
        for other, options in ((dense, last), (graph, drawn), (dense, CLOSED)):
            assert type(graph_cut_features(ranks, other, **options)) is np.ndarray

    def test_nothing_of_ours_compares_what_leaves_out_a_constant(self):
        ranks, graph = random_catalogue(5, 50, 7)
        chain = make_pipeline(GraphCutFeatures(graph, **CLOSED))
        with pytest.raises(InputError, match="use sparse_output=False"):
            SimilarRankings(chain, n_neighbors=1).fit(ranks).kneighbors()
        whole = SimilarRankings(GraphCutFeatures(graph, **CLOSED), n_neighbors=1).fit(ranks)
        chain.set_params(graphcutfeatures__sparse_output=False)
        dense = SimilarRankings(chain, n_neighbors=1).fit(ranks)
        assert_array_equal(whole.kneighbors()[1], dense.kneighbors()[1])

    def test_float32(self):
        ranks, graph = random_catalogue(5, 50, 7)
        single = graph_cut_features(ranks, graph, dtype=np.float32, **CLOSED)
        assert single.dtype == np.float32
        double = graph_cut_features(ranks, graph, **CLOSED)
        assert_allclose(single.toarray(), double.toarray(), rtol=1e-6)

    def test_one_long_row_among_short_ones(self):
        ranks, graph = random_catalogue(300, 400, 5)
        long = sparse.csr_array(np.arange(1.0, 401)[None])
        mixed = sparse.vstack([ranks[:150], long, ranks[150:]], format="csr")
        got = graph_cut_features(mixed, graph, **CLOSED)
        alone = [graph_cut_features(part, graph, **CLOSED) for part in (ranks, long)]
        expected = sparse.vstack([alone[0][:150], alone[1], alone[0][150:]]).toarray()
        assert_array_equal(got.toarray(), expected)

    def test_same_bits_for_threads_and_batches(self):
        ranks, graph = random_catalogue(6000, 40, 7)
        one = graph_cut_features(ranks, graph, **CLOSED)
        two = graph_cut_features(ranks, graph, n_jobs=2, **CLOSED)
        halves = [graph_cut_features(half, graph, **CLOSED) for half in (ranks[:777], ranks[777:])]
        for other in (two, sparse.vstack(halves, format="csr")):
            assert_array_equal(other.data, one.data)
            assert_array_equal(other.indices, one.indices)
            assert_array_equal(other.indptr, one.indptr)

    def test_memory_is_proportional_to_the_entries(self):
        ranks, graph = random_catalogue(2000, 20_000, 10)
        transformer = GraphCutFeatures(graph, **CLOSED).fit(ranks)
        transformer.transform(ranks[:2])
        tracemalloc.start()
        features = transformer.transform(ranks)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        stored = features.data.nbytes + features.indices.nbytes + features.indptr.nbytes
        # A dense matrix would be 320 MB; the entries are some 2 MB.
        assert peak < 4 * stored + 8 * 2**20
