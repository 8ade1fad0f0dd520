"""The machinery of Gram matrices: each block once, and the best of a row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from rankcut import make_food
from rankcut._loops.lists import keep_best
from rankcut.kernels import spearman_kernel
from rankcut.kernels.ranking_kernel import fill_gram
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
