"""Nearest rankings against the whole Gram matrix, sorted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankcut.dask  # noqa: F401
from rankcut import GraphCutKernel, KendallKernel, SimilarityGraph, make_food
from rankcut._loops.lists import keep_best
from rankcut.kernels import nearest

FOOD = make_food(70, kind="full", random_state=0)
KERNELS = [
    GraphCutKernel(SimilarityGraph(FOOD.item_features), normalize=True),
    KendallKernel(normalize=True),
    KendallKernel(),
]


def by_sorting(gram, k):
    rows = np.argsort(-gram, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(gram, rows, axis=1), rows


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_best_of_the_gram_matrix(kernel, n_jobs, monkeypatch):
    monkeypatch.setattr(nearest, "ROWS_AT_ONCE", 16)
    kernel = kernel.clone_with_theta(kernel.theta).set_params(n_jobs=n_jobs)
    others, own = FOOD.ranks[:45], FOOD.ranks[45:]
    values, rows = kernel.nearest(own, others, k=4)
    expected = by_sorting(kernel(own, others), 4)
    # Kendall's values are often equal, and the first rows come first among equals.
    np.testing.assert_allclose(values, expected[0], atol=1e-12)
    assert (np.diff(rows, axis=1)[np.diff(values, axis=1) == 0] > 0).all()
    if isinstance(kernel, KendallKernel):
        np.testing.assert_array_equal(rows, expected[1])


@pytest.mark.parametrize("kernel", KERNELS[:2], ids=repr)
def test_a_ranking_is_not_its_own_neighbour(kernel):
    gram = kernel(FOOD.ranks)
    np.fill_diagonal(gram, -np.inf)
    values, rows = kernel.nearest(FOOD.ranks, k=3)
    np.testing.assert_allclose(values, by_sorting(gram, 3)[0], atol=1e-12)
    assert (rows != np.arange(70)[:, np.newaxis]).all()


def test_more_than_there_are_cannot_be_found():
    with pytest.raises(ValueError, match="k is 4, with 3 rankings"):
        KERNELS[1].nearest(FOOD.ranks[:4], k=4)
    with pytest.raises(ValueError, match=r"1 or more; got 2\.5"):
        KERNELS[1].nearest(FOOD.ranks[:4], k=2.5)
    with pytest.raises(ValueError, match="1 or more; got 0"):
        KERNELS[1].nearest(FOOD.ranks, k=0)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.integers(1, 4))
def test_the_loop_keeps_the_first_of_equals(values, k):
    row = np.array([values], dtype=float)
    numbers = np.arange(len(values))[np.newaxis]
    expected = sorted(range(len(values)), key=lambda i: (-values[i], i))[:k]
    for function in (keep_best, keep_best.py_func):
        best, rows = np.full((1, k), -np.inf), np.full((1, k), -1)
        function(row, numbers, best, rows)
        assert rows[0, : len(expected)].tolist() == expected
        assert (rows[0, len(expected) :] == -1).all()
