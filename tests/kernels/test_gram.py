"""The machinery of Gram matrices, each block once; nearest rankings against the whole matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import rankcut.dask  # noqa: F401
from rankcut import GraphCutKernel, KendallKernel, SimilarityGraph, make_food
from rankcut._loops.lists import keep_best
from rankcut.kernels import nearest, spearman_kernel
from rankcut.kernels.gram import fill_gram
from rankcut.threads import in_order

RANKS = make_food(20, random_state=0).ranks


class Watched:
    """The inner product of numbers; it remembers what was compared."""

    side = 4
    blas = False

    def __init__(self, values):
        self.values = values
        self.compared = []

    def __len__(self):
        return len(self.values)

    def compare(self, rows, other, columns, pairs, out):
        self.compared.append((rows.start, columns.start))
        out[:] = np.outer(self.values[rows], other.values[columns])


def fill(left, right=None, n_jobs=None):
    return fill_gram(left, right, normalize=False, dtype=np.dtype(float), n_jobs=n_jobs)


@pytest.mark.parametrize("n_jobs", [None, 2, 5])
def test_each_block_is_compared_once(n_jobs):
    left, right = Watched(np.arange(10.0)), Watched(np.arange(6.0))
    assert_array_equal(fill(left, n_jobs=n_jobs), np.outer(left.values, left.values))
    assert sorted(left.compared) == [(0, 0), (0, 4), (0, 8), (4, 4), (4, 8), (8, 8)]
    left.compared.clear()
    assert_array_equal(fill(left, right, n_jobs), np.outer(left.values, right.values))
    assert len(left.compared) == len(set(left.compared)) == 6


def test_x_twice_is_x_with_itself():
    assert_array_equal(spearman_kernel(RANKS, RANKS), spearman_kernel(RANKS))


def test_an_error_in_a_thread_reaches_the_caller():
    def work(number):
        if number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(in_order(work, range(100), 2))


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
