"""The graph cut kernel."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import spearmanr

from rankcut import SimilarityGraph, graph_cut_features, graph_cut_kernel, make_food

FOOD = make_food(30, random_state=0)
GRAPH = SimilarityGraph(FOOD.item_features)


@pytest.mark.parametrize("kind", ["full", "top-k", "ties"])
def test_normalized_on_the_complete_graph_is_spearmans_correlation(kind):
    ranks = make_food(12, kind=kind, random_state=1).ranks
    filled = np.nan_to_num(ranks, nan=99)
    expected = spearmanr(filled, axis=1).statistic
    assert_allclose(graph_cut_kernel(ranks, unranked="last", normalize=True), expected, atol=1e-12)


def test_is_the_inner_product_of_features():
    features = graph_cut_features(FOOD.ranks, GRAPH)
    got = graph_cut_kernel(FOOD.ranks[:10], FOOD.ranks[10:], GRAPH)
    assert got.shape == (10, 20)
    assert_allclose(got, features[:10] @ features[10:].T, rtol=1e-12)


def test_gram_matrix_is_symmetric_and_positive_semi_definite():
    gram = graph_cut_kernel(FOOD.ranks, graph=GRAPH)
    assert_allclose(gram, gram.T)
    assert np.linalg.eigvalsh(gram).min() > -1e-10 * np.trace(gram)


def test_other_numbers_of_items():
    with pytest.raises(ValueError, match="X ranks 8 items and Y ranks 3"):
        graph_cut_kernel(FOOD.ranks, [[1, 2, 3]])
