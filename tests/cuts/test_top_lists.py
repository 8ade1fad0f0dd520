"""Sparse vectors of top-k lists against the dense ones, and their distances."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ranking_sets import stored
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.cluster import KMeans
from tolerances import assert_rounds_to

from rankcut import DissimilarityGraph, GraphCutFeatures, NeighborGraph
from rankcut._loops.closed_form import pool_top_lists
from rankcut.cuts import OffsetRows, UncentredRows
from rankcut.graphs import ItemGraph, Weights

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
)
@example(129, "near", 0.0, True)  # Two listed items that are no neighbours: the vector is 0.
def test_the_same_vectors_as_dense_ones(seed, graph, weight, normalize):
    ranks = random_lists(seed)
    features = GraphCutFeatures(
        GRAPHS[graph], unranked="last", unlisted_weight=weight, normalize=normalize
    )
    dense = features.fit_transform(ranks)
    compact = features.compact(stored(ranks))
    assert isinstance(compact, OffsetRows)
    # Two sums of at most N² edges, pooled.
    assert_rounds_to(compact.toarray(), dense, n_terms=2 * N * N, size=np.abs(dense).max() + 1)
    rows = features.transform(stored(ranks))
    assert isinstance(rows, UncentredRows)
    assert rows.nnz == (~np.isnan(ranks)).sum()
    assert (rows.toarray() == compact.sparse.toarray()).all()


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
