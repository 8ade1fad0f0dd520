"""Lists of few items out of many: weights, closed forms, and vectors that stay sparse."""

import tracemalloc

import numpy as np
import oracles
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from maps import flat_vectors
from numpy.testing import assert_allclose, assert_array_equal
from ranking_sets import stored
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from strategies import incomplete_cases
from tolerances import assert_rounds_to

from rankcut import (
    Completions,
    DissimilarityGraph,
    GraphCutFeatures,
    GraphCutKernel,
    NeighborGraph,
    SimilarityGraph,
    SimilarRankings,
    graph_cut_features,
    make_food,
)
from rankcut._loops.closed_form import pool_top_lists
from rankcut.cuts import UncentredRows
from rankcut.cuts.offset_rows import (
    JoinedRows,
    OffsetRows,
    filled,
    inner_products,
    largest_entry,
    row_squares,
)
from rankcut.errors import InputError
from rankcut.graphs import ItemGraph, Weights

WEIGHTS = st.sampled_from([0, 0.3, 1, 2.5, "balanced"])


def weighted(weights, row, unlisted_weight):
    """W with the weight on all pairs but the listed ones."""
    listed = ~np.isnan(row)
    factor = listed.mean() if unlisted_weight == "balanced" else unlisted_weight
    return np.where(np.outer(listed, listed), weights, factor * weights)


def tied_last(row):
    levels = np.unique(row[~np.isnan(row)])
    groups = [np.flatnonzero(row == level).tolist() for level in levels]
    others = np.flatnonzero(np.isnan(row)).tolist()
    return [*groups, others] if others else groups


def rounding(weights):
    return 1e-11 * max(weights.sum(), np.finfo(float).tiny)


@pytest.mark.parametrize("algorithm", ["complete", "table", "dense", "sparse"])
@given(case=incomplete_cases(most=7), unlisted_weight=WEIGHTS)
def test_tied_last(algorithm, case, unlisted_weight):
    weights, row = case
    graph = None if algorithm == "complete" else weights
    weights = 1.0 - np.eye(len(row)) if graph is None else weights
    got = flat_vectors(
        row[None], graph, unranked="last", unlisted_weight=unlisted_weight, algorithm=algorithm
    )
    expected = oracles.features(weighted(weights, row, unlisted_weight), tied_last(row))
    assert_allclose(got[0], expected, rtol=0, atol=rounding(weights))


@given(case=incomplete_cases(most=5), unlisted_weight=WEIGHTS, complete=st.booleans())
def test_closed_form(case, unlisted_weight, complete):
    weights, row = case
    graph = None if complete else weights
    weights = 1.0 - np.eye(len(row)) if complete else weights
    options = {"unranked": "anywhere", "unlisted_weight": unlisted_weight}
    got = flat_vectors(row[None], graph, completions="closed_form", **options)[0]
    expected = oracles.mean_over_completions(
        weighted(weights, row, unlisted_weight), row, oracles.slopes
    )
    assert_allclose(got, expected, rtol=0, atol=rounding(weights))


def test_means_over_completions_have_none():
    for method in ("exact", "sampled"):
        with pytest.raises(
            ValueError, match=r'unlisted_weight is for lists.* completions="closed_'
        ):
            flat_vectors(
                [[1, 2, np.nan]], unranked="anywhere", unlisted_weight=2, completions=method
            )


def test_weight_one_and_complete_rankings_change_no_bit():
    food = make_food(50, random_state=0)
    graph = np.random.default_rng(0).random((8, 8))
    graph += graph.T
    for unranked in ("last", "anywhere"):
        plain = flat_vectors(food.ranks, graph, unranked=unranked)
        for weight in (1, 1.0, 0.2, "balanced"):
            got = flat_vectors(food.ranks, graph, unranked=unranked, unlisted_weight=weight)
            assert_array_equal(got, plain)


def test_the_order_of_a_short_list_counts():
    ranks = np.full((2, 1000), np.nan)
    ranks[0, :5], ranks[1, :5] = [1, 2, 3, 4, 5], [5, 4, 3, 2, 1]

    def likeness(unlisted_weight):
        options = {"unranked": "last", "normalize": True, "unlisted_weight": unlisted_weight}
        return GraphCutKernel(**options)(ranks)[0, 1]

    assert likeness(1) > 0.999
    assert likeness("balanced") < 0.6
    # Then the lower half of a list is no better than what is not listed, and pooled with it.
    assert abs(likeness(0)) < 0.01


def test_balanced_keeps_the_last_of_a_list_above_the_unlisted():
    for k, n in ((1, 5), (3, 4), (10, 100)):
        row = np.full((1, n), np.nan)
        row[0, :k] = np.arange(k)
        features = flat_vectors(row, unranked="last", unlisted_weight="balanced")[0]
        assert (np.diff(features[: k + 1]) < 0).all()


@pytest.mark.parametrize("weight", [-1, np.nan, np.inf, "even", None, True, np.ones(2)])
def test_what_is_no_weight(weight):
    with pytest.raises(ValueError, match="unlisted_weight must be"):
        flat_vectors([[1, 2]], unlisted_weight=weight)


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

    def test_one_long_row_among_short_ones(self):
        ranks, graph = random_catalogue(300, 400, 5)
        long = sparse.csr_array(np.arange(1.0, 401)[None])
        mixed = sparse.vstack([ranks[:150], long, ranks[150:]], format="csr")
        got = graph_cut_features(mixed, graph, **CLOSED)
        alone = [graph_cut_features(part, graph, **CLOSED) for part in (ranks, long)]
        expected = sparse.vstack([alone[0][:150], alone[1], alone[0][150:]]).toarray()
        assert_array_equal(got.toarray(), expected)

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


N = 12
RNG = np.random.default_rng(0)
NEAR = NeighborGraph(RNG.random((N, 2)), n_neighbors=3).build()
GRAPHS = {"complete": None, "near": NEAR, "dissimilarity": DissimilarityGraph(NEAR).build()}


def random_lists(seed, n_rankings=12):
    """Ties, empty lists and full ones among them."""
    rng = np.random.default_rng(seed)
    ranks = np.full((n_rankings, N), np.nan)
    for row, size in zip(ranks, rng.integers(0, N + 1, n_rankings), strict=True):
        row[rng.permutation(N)[:size]] = rng.integers(1, 5, size)
    return ranks


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(sorted(GRAPHS)),
    st.sampled_from([1.0, 0.0, 3.0, "balanced"]),
    st.booleans(),
    st.sampled_from([{"unranked": "last"}, CLOSED]),
    st.sampled_from([0, 1.5]),
)
# Two listed items that are no neighbours: the vector is 0.
@example(129, "near", 0.0, True, {"unranked": "last"}, 0)
def test_the_same_vectors_as_dense_ones(seed, graph, weight, normalize, meant, steps):
    ranks = random_lists(seed)
    options = {"unlisted_weight": weight, "normalize": normalize, "smoothing": steps, **meant}
    if steps:
        graph = "near"  # on which smoothed vectors stay sparse
    features = GraphCutFeatures(GRAPHS[graph], **options)
    dense = features.fit_transform(ranks)
    compact = features.compact(stored(ranks))
    assert isinstance(compact, OffsetRows)
    # Two sums of at most N² edges, pooled or smoothed.
    size = np.abs(dense).max() + 1
    assert_rounds_to(compact.toarray(), dense, n_terms=2 * N * N, size=size)
    gram = GraphCutKernel(GRAPHS[graph], **options)(stored(ranks))
    assert_rounds_to(gram, dense @ dense.T, n_terms=4 * N * N, size=N * size**2)
    rows = features.transform(stored(ranks))
    assert isinstance(rows, UncentredRows)
    assert (rows.toarray() == compact.sparse.toarray()).all()
    forced = features.set_params(sparse_output=False).fit_transform(stored(ranks))
    assert_rounds_to(forced, dense, n_terms=2 * N * N, size=size)
    single = features.set_params(dtype=np.float32, sparse_output=True).fit_transform(stored(ranks))
    assert single.dtype == np.float32
    assert_allclose(single.toarray(), rows.toarray(), rtol=1e-6, atol=1e-6 * size)


@pytest.mark.parametrize("unranked", ["last", "anywhere"])
def test_rounding_is_no_direction(unranked):
    # Twelve listed items that are all alike: parts of weights cancel, 0.1 − 0.1, up to rounding.
    alike = np.zeros((24, 24))
    alike[:12, :12] = 0.1 * (1 - np.eye(12))
    weights = Weights(sparse.csr_array(-alike), 0.1)
    graph = ItemGraph(weights, 24)
    ranks = np.full((3, 24), np.nan)
    ranks[:, :12] = np.argsort(np.random.default_rng(0).random((3, 12)), axis=1)
    options = {"unranked": unranked, "unlisted_weight": 0.0, "completions": "closed_form"}
    plain = GraphCutFeatures(graph, **options).fit(ranks)
    assert plain.compact(stored(ranks)).toarray().any()
    units = GraphCutFeatures(graph, normalize=True, **options).fit(ranks)
    assert not units.compact(stored(ranks)).toarray().any()
    assert not units.transform(ranks).any()


def test_plain_and_compiled():
    ranks = stored(random_lists(3))
    features = GraphCutFeatures(NEAR, unranked="last", unlisted_weight="balanced").fit(ranks)
    found = features.compact(ranks).toarray()
    loop = pool_top_lists.py_func
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankcut.cuts.cut_functions.pool_top_lists", loop)
        # Sums of at most N² edges, pooled.
        assert_rounds_to(features.compact(ranks).toarray(), found, n_terms=N * N)


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(GRAPHS)))
def test_distances_of_uncentred_rows_are_too_long_by_a_known_share(seed, graph):
    ranks = random_lists(seed)
    features = GraphCutFeatures(GRAPHS[graph], unranked="last")
    exact = pdist(features.fit_transform(ranks), "sqeuclidean")
    rows = features.transform(stored(ranks)).toarray()
    found = pdist(rows, "sqeuclidean")
    # Rows differ in the items that either of them lists.
    sizes = (~np.isnan(ranks)).sum(axis=1)
    i, j = np.triu_indices(len(ranks), 1)
    listed = np.minimum(sizes[i] + sizes[j], N)
    rounding = 1e-12 * (found.max() + 1)
    assert (exact <= found + rounding).all()
    assert (exact >= found * (1 - listed / N) - rounding).all()


def test_kmeans_takes_them():
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1], 40)
    ranks = np.zeros((80, 1000))
    for row, group in zip(ranks, groups, strict=True):
        row[rng.permutation(20)[:8] + 500 * group] = rng.permutation(8) + 1
    lists = sparse.csr_array(ranks)
    vectors = GraphCutFeatures(unranked="last").fit_transform(lists)
    found = KMeans(2, n_init=3, random_state=0).fit_predict(vectors)
    assert (found == groups).all() or (found == 1 - groups).all()


SOURCE = np.random.default_rng(0)
BASE = SOURCE.normal(size=7)


def rows(n_rows):
    stored = SOURCE.normal(size=(n_rows, 7)) * (SOURCE.random((n_rows, 7)) < 0.4)
    return OffsetRows(sparse.csr_array(stored), SOURCE.normal(size=n_rows), BASE)


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
