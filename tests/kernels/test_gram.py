"""Gram matrices block by block, and the best of a row by inverted lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse
from tolerances import assert_rounds_to

from rankcut import make_food
from rankcut._loops import lists as loops
from rankcut._loops.lists import keep_best
from rankcut.cuts.offset_rows import JoinedRows, OffsetRows, UncentredRows
from rankcut.kernels import SpearmanKernel, nearest
from rankcut.kernels.nearest import InvertedLists
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
    assert_array_equal(SpearmanKernel()(RANKS, RANKS), SpearmanKernel()(RANKS))


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


N_ITEMS = 12


def vectors_of(form, n_rows, seed, density=0.2):
    """Sparse vectors with small whole numbers, so that products are exact and many are equal."""
    rng = np.random.default_rng(seed)
    kept = rng.random((n_rows, N_ITEMS)) < density
    stored = sparse.csr_array(np.where(kept, rng.integers(-3, 4, (n_rows, N_ITEMS)), 0.0))
    if form == "csr":
        return stored
    if form == "joined":
        # Of several lengths, some of them 0.
        sizes = rng.integers(0, 3, (n_rows, 1))
        return JoinedRows(stored, sizes * rng.integers(-2, 3, (n_rows, 2)).astype(float))
    base = np.random.default_rng(0).integers(-1, 2, N_ITEMS).astype(float)
    return OffsetRows(stored, rng.integers(-2, 3, n_rows).astype(float), base)


def brute_force(left, right, k, *, normalize, own=False):
    """All products of the dense vectors, sorted: the largest first, of equal ones the first row."""
    one, other = left.toarray(), right.toarray()
    if normalize:
        one, other = (
            x / np.where(np.linalg.norm(x, axis=1) > 0, np.linalg.norm(x, axis=1), 1.0)[:, None]
            for x in (one, other)
        )
    products = one @ other.T
    if own:
        np.fill_diagonal(products, -np.inf)
    order = np.lexsort((np.broadcast_to(np.arange(len(other)), products.shape), -products), axis=1)
    return np.take_along_axis(products, order, axis=1)[:, :k], order[:, :k]


@given(
    form=st.sampled_from(["csr", "joined", "offset"]),
    n_rows=st.integers(3, 40),
    k=st.integers(1, 3),
    seed=st.integers(0, 1000),
    density=st.sampled_from([0.0, 0.1, 0.6]),
)
def test_all_products_say_the_same(form, n_rows, k, seed, density):
    fitted = vectors_of(form, n_rows, seed, density)
    queries = vectors_of(form, 7, seed + 1, density)
    lists = InvertedLists(fitted, normalize=False)
    found = lists.nearest(queries, k)
    # Whole numbers: the same bits, and the same rows among equal values.
    expected = brute_force(queries, fitted, k, normalize=False)
    assert_array_equal(found.values, expected[0])
    assert_array_equal(found.rows, expected[1])
    k = min(k, n_rows - 1)
    found = lists.nearest(None, k)
    expected = brute_force(fitted, fitted, k, normalize=False, own=True)
    assert_array_equal(found.values, expected[0])
    assert_array_equal(found.rows, expected[1])


@pytest.mark.parametrize("form", ["csr", "joined", "offset"])
def test_unit_length_and_dense_queries(form):
    fitted, queries = vectors_of(form, 50, 3), vectors_of(form, 20, 4)
    lists = InvertedLists(fitted, normalize=True)
    expected = brute_force(queries, fitted, 5, normalize=True)
    for asked in (queries, queries.toarray()):
        found = lists.nearest(asked, 5)
        assert_rounds_to(found.values, expected[0], n_terms=N_ITEMS + 2, size=1.0)


@pytest.mark.parametrize("form", ["csr", "joined", "offset"])
def test_threads_and_batches_change_no_bit(monkeypatch, form):
    rng = np.random.default_rng(5)
    fitted = vectors_of(form, 300, 6)
    stored = fitted if form == "csr" else fitted.sparse
    stored.data[:] = rng.standard_normal(stored.nnz)
    whole = InvertedLists(fitted, normalize=True).nearest(None, 4)
    monkeypatch.setattr(nearest, "ROWS_AT_ONCE", 7)
    lists = InvertedLists(fitted, normalize=True)
    for n_jobs in (1, 3):
        found = lists.nearest(None, 4, n_jobs)
        assert_array_equal(found.values, whole.values)
        assert_array_equal(found.rows, whole.rows)
    some = lists.nearest(fitted[40:45], 4, itself=np.arange(40, 45))
    assert_array_equal(some.values, whole.values[40:45])
    assert_array_equal(some.rows, whole.rows[40:45])


def test_rows_that_share_nothing_are_skipped_by_the_bound(monkeypatch):
    # Dense parts are short, so two rows with a common item are ahead of all others: after the
    # bound, no row is looked at but those on the list of that item.
    looked_at = []
    insert_best = loops.insert_best.py_func

    def insert(value, number, best, best_numbers):
        looked_at.append(number)
        insert_best(value, number, best, best_numbers)

    stored = sparse.csr_array(np.repeat(np.eye(10), 2, axis=0))
    lists = InvertedLists(JoinedRows(stored, np.full((20, 1), 0.1)), normalize=False)
    monkeypatch.setattr(loops, "insert_best", insert)
    monkeypatch.setattr(nearest, "search_lists", loops.search_lists.py_func)
    found = lists.nearest(JoinedRows(stored[:1], np.full((1, 1), 0.1)), 2)
    assert_array_equal(found.rows, [[0, 1]])
    assert looked_at == [0, 1]


def test_plain_and_compiled_loops_agree(monkeypatch):
    fitted = vectors_of("joined", 60, 8)
    compiled = InvertedLists(fitted, normalize=False).nearest(None, 3)
    monkeypatch.setattr(loops, "insert_best", loops.insert_best.py_func)
    monkeypatch.setattr(nearest, "search_lists", loops.search_lists.py_func)
    plain = InvertedLists(fitted, normalize=False).nearest(None, 3)
    assert_array_equal(plain.values, compiled.values)
    assert_array_equal(plain.rows, compiled.rows)


def test_what_cannot_be_searched():
    with pytest.raises(ValueError, match="UncentredRows cannot be compared"):
        InvertedLists(UncentredRows([[1.0, 0.0]]), normalize=False)
    with pytest.raises(ValueError, match="k is 4, with 3 rankings to choose from"):
        InvertedLists(vectors_of("csr", 3, 0), normalize=False).nearest(vectors_of("csr", 1, 1), 4)
