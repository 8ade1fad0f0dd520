"""The graph cut kernel, Spearman's and Lovász–Bregman divergences against their definitions."""

import pickle
from itertools import permutations

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from maps import grouped
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import spearmanr
from strategies import partitions, ranks_of, weight_matrices
from tolerances import assert_rounds_to

from rankcut import (
    Completions,
    GraphCutKernel,
    NeighborGraph,
    SimilarityGraph,
    Smoothing,
    graph_cut_features,
    make_food,
)
from rankcut.errors import InputError
from rankcut.kernels import SpearmanKernel, lovasz_bregman_divergence

FOOD = make_food(30, random_state=0)
GRAPH = SimilarityGraph(FOOD.item_features)


@pytest.mark.parametrize(
    "options",
    [
        {"n_draws": 8, "random_state": 3},
        {"n_draws": 8, "random_state": 4},
        {"n_draws": 80},
        {"tolerance": 0.1},
        {"completions": "exact"},
        {"completions": "closed_form"},
    ],
)
def test_incomplete_rankings_with_all_their_options(options):
    ranks = make_food(12, kind="incomplete", random_state=2).ranks
    options = grouped(**{"completions": "sampled", "unranked": "anywhere", **options})
    features = graph_cut_features(ranks, GRAPH, **options)
    expected = features @ features.T
    assert_allclose(GraphCutKernel(GRAPH, **options)(ranks), expected, atol=1e-10)
    # Other options make other features, so that none can be dropped on the way.
    others = graph_cut_features(
        ranks,
        GRAPH,
        unranked="anywhere",
        completions=Completions("sampled", n_draws=4, random_state=9),
    )
    assert np.abs(features - others).max() > 1e-3


def test_labels_of_one_side_hold_for_both():
    pd = pytest.importorskip("pandas")
    names = list("abc")
    graph = pd.DataFrame([[0, 4, 1], [4, 0, 2], [1, 2, 0]], index=names, columns=names)
    X = pd.DataFrame([[1, 2, 3], [2, 1, 3]], columns=list("cba"))
    expected = GraphCutKernel(graph)(X)
    assert_allclose(GraphCutKernel(graph)(X, X.to_numpy()), expected)
    assert_allclose(GraphCutKernel(graph)(X.to_numpy(), X), expected)
    assert np.abs(GraphCutKernel(graph)(X.to_numpy()) - expected).max() > 1


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("smoothing", [0.0, 1.5])
@pytest.mark.parametrize("scale", [2.0**-930, 2.0**-515, 2.0**515, 2.0**930])
def test_weights_of_any_scale(scale, smoothing, form):
    ranks = make_food(5, kind="incomplete", random_state=2).ranks
    options = {"unranked": "anywhere", "completions": "closed_form", "smoothing": smoothing}
    weights = NeighborGraph(FOOD.item_features, n_neighbors=2).build().to_dense()
    if form == "sparse":
        weights = sparse.csr_array(weights)
        ranks = sparse.csr_array(np.nan_to_num(ranks))
    expected = GraphCutKernel(weights, normalize=True, **options)(ranks)
    got = GraphCutKernel(weights * scale, normalize=True, **options)(ranks)
    # Unit vectors of 8 items; smoothing divides by roots of the weights.
    assert_rounds_to(got, expected, n_terms=8, size=1.0)
    size = "small" if scale < 1 else "large"
    with pytest.raises(InputError, match=rf"row 0: k\(A, A\) is too {size} for float64") as error:
        GraphCutKernel(weights * scale, **options)(ranks)
    assert "normalize=True" in str(error.value)


def test_values_that_just_fit_are_exact_and_zeros_are_zeros():
    ranks = [[1, 2, 3], [2, 2, 2]]
    for scale in (2.0**-510, 2.0**508):
        got = GraphCutKernel(scale * (1 - np.eye(3)))(ranks)
        assert (got == [[8 * scale**2, 0], [0, 0]]).all()
    with pytest.raises(InputError, match=r"row 0: k\(A, A\) is too small for float32"):
        GraphCutKernel(1e-25 * (1 - np.eye(3))).gram(np.float32(ranks))
    with pytest.raises(InputError, match=r"coordinates up to .* are too small"):
        GraphCutKernel(1e-60 * (1 - np.eye(3))).gram(np.float32(ranks))


def test_a_kernel_object_sees_what_changes():
    graph = NeighborGraph(FOOD.item_features, n_neighbors=2)
    kernel = GraphCutKernel(graph, smoothing=Smoothing(1.0))
    kernel(FOOD.ranks)
    graph.set_params(n_neighbors=3)
    expected = GraphCutKernel(graph, smoothing=Smoothing(1.0))(FOOD.ranks)
    assert_array_equal(kernel(FOOD.ranks), expected)
    copy = pickle.loads(pickle.dumps(kernel))
    assert_array_equal(copy(FOOD.ranks), expected)


@pytest.mark.parametrize("kind", ["full", "top-k", "ties"])
def test_normalized_is_spearmans_correlation(kind):
    ranks = make_food(12, kind=kind, random_state=1).ranks
    expected = spearmanr(np.nan_to_num(ranks, nan=99), axis=1).statistic
    got = SpearmanKernel(unranked="last", normalize=True)(ranks)
    assert_allclose(got, expected, atol=1e-14)


@pytest.mark.parametrize("completions", ["exact", "closed_form"])
def test_it_is_the_graph_cut_kernel_of_the_complete_graph(completions):
    ranks = make_food(12, kind="incomplete", dropped=2, random_state=2).ranks
    got = SpearmanKernel(unranked="anywhere")(ranks)
    expected = GraphCutKernel(unranked="anywhere", completions=completions)(ranks)
    assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def gains(weights, order):
    """φ° of a full ranking, listed best first: increments of the cut, from sets."""
    values = oracles.cut_values(weights, [[item] for item in order])
    slopes = np.empty(len(order))
    slopes[list(order)] = np.diff(values)
    return slopes


@given(st.data())
def test_is_the_mean_over_tie_breaks_of_the_definition(data):
    weights = data.draw(weight_matrices(4))
    groups = data.draw(partitions(4))
    scores = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=4, max_size=4)), float)
    extension = sum(weights[i, j] * abs(scores[i] - scores[j]) for i in range(4) for j in range(i))
    row = ranks_of(groups, 4)
    orders = [np.argsort(positions) for positions in oracles.agreeing_orders(row)]
    mean = np.mean([scores @ gains(weights, order) for order in orders])
    got = lovasz_bregman_divergence([scores], [row], graph=weights)
    scale = np.abs(weights).max() * np.abs(scores).max() + 1e-300
    assert_allclose(got / scale, [[(extension - mean) / scale]], atol=1e-12)


def test_is_smallest_for_the_ranking_of_the_scores():
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((5, 5)), 1)
    scores = rng.normal(size=(1, 5))
    ranks = np.array(list(permutations(range(5))))
    got = lovasz_bregman_divergence(scores, ranks, graph=upper + upper.T)[0]
    # f(x), a sum of five products, less another.
    size = 2 * np.abs(scores).max() * (upper + upper.T).sum()
    assert_rounds_to(got.min(), 0.0, n_terms=2 * 5, size=size)
    assert (ranks[got.argmin()] == np.argsort(np.argsort(-scores[0]))).all()
    assert (np.sort(got)[1:] > 0).all()


def test_of_top_k_lists_and_of_relabelled_items():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(9, 8))
    ranks = make_food(30, kind="top-k", k=4, random_state=1).ranks
    weights = GRAPH.build().to_dense()
    got = lovasz_bregman_divergence(scores, ranks, graph=weights, unranked="last")
    assert got.shape == (9, 30)
    closed = np.nan_to_num(ranks, nan=9)
    assert_allclose(got, lovasz_bregman_divergence(scores, closed, graph=weights), rtol=1e-15)
    order = rng.permutation(8)
    turned = weights[np.ix_(order, order)]
    relabelled = lovasz_bregman_divergence(scores[:, order], closed[:, order], graph=turned)
    assert_allclose(relabelled, got, rtol=1e-12, atol=1e-12)


def test_what_has_no_divergence():
    scores = np.random.default_rng(0).normal(size=(9, 8))
    with pytest.raises(ValueError, match="not defined for incomplete rankings"):
        lovasz_bregman_divergence(scores, FOOD.ranks, unranked="anywhere")
    with pytest.raises(ValueError, match="scores must be a dense matrix"):
        lovasz_bregman_divergence(sparse.csr_array(scores), FOOD.ranks)
    with pytest.raises(ValueError, match="X ranks 8 items and Y ranks 3"):
        lovasz_bregman_divergence(scores, [[1, 2, 3]])
    scores[4, 2] = np.nan
    with pytest.raises(ValueError, match="row 4: item 2 has score nan; scores must be finite"):
        lovasz_bregman_divergence(scores, FOOD.ranks)


def test_labels_are_matched_with_the_graph():
    pd = pytest.importorskip("pandas")
    weights = np.array([[0, 1, 2], [1, 0, 4], [2, 4, 0]], float)
    labels = ["a", "b", "c"]
    graph = pd.DataFrame(weights, index=labels, columns=labels)
    scores = pd.DataFrame([[0.3, 0.2, 0.9]], columns=labels)
    ranks = pd.DataFrame([[1, 2, 3]], columns=labels)
    expected = lovasz_bregman_divergence(scores.to_numpy(), ranks.to_numpy(), graph=weights)
    turned = ["c", "a", "b"]
    got = lovasz_bregman_divergence(scores[turned], ranks[turned], graph=graph)
    assert_allclose(got, expected, rtol=1e-14)
