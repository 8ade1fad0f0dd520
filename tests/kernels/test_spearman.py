"""Spearman's kernel against SciPy, the graph cut kernel and its completions."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import rankdata, spearmanr
from strategies import partitions, ranks_of

from rankcut import graph_cut_kernel, make_food
from rankcut.kernels import spearman_kernel


@pytest.mark.parametrize("kind", ["full", "top-k", "ties"])
def test_normalized_is_spearmans_correlation(kind):
    ranks = make_food(12, kind=kind, random_state=1).ranks
    expected = spearmanr(np.nan_to_num(ranks, nan=99), axis=1).statistic
    got = spearman_kernel(ranks, unranked="last", normalize=True)
    assert_allclose(got, expected, atol=1e-14)


@pytest.mark.parametrize("kind", ["full", "top-k", "ties"])
def test_is_the_graph_cut_kernel_of_the_complete_graph(kind):
    ranks = make_food(12, kind=kind, random_state=2).ranks
    got = spearman_kernel(ranks, unranked="last")
    assert_allclose(got, graph_cut_kernel(ranks, unranked="last"), rtol=1e-14)


def mean_positions(groups, n_items):
    """The mean of n + 1 − 2·(average rank) over all ways to put unranked items into gaps."""
    ranks = 2.0 * ranks_of(groups, n_items)
    unranked = np.flatnonzero(np.isnan(ranks))
    vectors = []
    for gaps in product(range(len(groups) + 1), repeat=len(unranked)):
        ranks[unranked] = 2.0 * np.array(gaps) + 1.0
        vectors.append(n_items + 1 - 2 * rankdata(ranks))
    return np.mean(vectors, axis=0)


@pytest.mark.parametrize("completions", ["exact", "closed_form"])
def test_so_it_is_on_incomplete_rankings(completions):
    ranks = make_food(12, kind="incomplete", dropped=2, random_state=2).ranks
    got = spearman_kernel(ranks, unranked="anywhere")
    expected = graph_cut_kernel(ranks, unranked="anywhere", completions=completions)
    assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


@given(st.data())
def test_incomplete_is_the_mean_over_gaps(data):
    groups = data.draw(partitions(5))
    dropped = data.draw(st.sets(st.integers(0, 4), max_size=4))
    kept = [[i for i in group if i not in dropped] for group in groups]
    kept = [group for group in kept if group]
    expected = mean_positions(kept, 5)
    # With full rankings, and only with a few of them, all coordinates are seen.
    probes = np.array([[1, 2, 3, 4, 5], [2, 1, 3, 4, 5], [1, 3, 2, 5, 4], [5, 4, 1, 2, 3]])
    got = spearman_kernel([ranks_of(kept, 5)], probes, unranked="anywhere")
    assert_allclose(got[0], (6 - 2 * probes) @ expected, atol=1e-12)
    own = spearman_kernel([ranks_of(kept, 5)], unranked="anywhere")
    assert_allclose(own[0, 0], expected @ expected, atol=1e-12)
