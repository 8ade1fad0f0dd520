"""The Lovász–Bregman divergence against its definition."""

from itertools import permutations

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from strategies import partitions, ranks_of, weight_matrices
from tolerances import assert_rounds_to

from rankcut.kernels import lovasz_bregman_divergence


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


def test_top_k_lists_tie_the_rest():
    nan = np.nan
    scores = np.random.default_rng(0).normal(size=(3, 4))
    got = lovasz_bregman_divergence(scores, [[1, nan, 2, nan]], unranked="last")
    assert_allclose(got, lovasz_bregman_divergence(scores, [[1, 3, 2, 3]]), rtol=1e-15)


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
