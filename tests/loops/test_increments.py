"""Loops over ordered partitions, against sorts, sums over edges and regressions."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from ranking_sets import stored
from scipy.optimize import isotonic_regression
from tolerances import assert_rounds_to

from rankcut._loops import increments, partitions
from rankcut._loops.types import Chains

N_ROWS, N_ITEMS = 25, 11


def room(n_rows, n_items=N_ITEMS):
    shape = n_rows, n_items + 1
    return Chains(np.zeros(shape, np.uint32), np.zeros(shape, np.int32), np.zeros(n_rows, np.int32))


def orders(ranks, close=True):
    chains = room(*ranks.shape)
    partitions.order_permutations(ranks, chains)
    partitions.order_other_rows(ranks, close, chains)
    return chains


def compared(order, ends, n_groups):
    """What of a block is meant to be read."""
    return [
        (row[:-1].tolist(), end[:groups].tolist())
        for row, end, groups in zip(order, ends, n_groups, strict=True)
    ]


def rank_rows(kind):
    rng = np.random.default_rng(0)
    if kind == "permutations":
        return rng.permuted(np.tile(np.arange(N_ITEMS) + 1.0, (N_ROWS, 1)), axis=1)
    if kind == "from zero":
        return rng.permuted(np.tile(np.arange(N_ITEMS) * 1.0, (N_ROWS, 1)), axis=1)
    ranks = {
        "ties": rng.integers(0, 6, (N_ROWS, N_ITEMS)).astype(float),
        "almost permutations": rng.integers(0, N_ITEMS + 1, (N_ROWS, N_ITEMS)).astype(float),
        "real": rng.standard_normal((N_ROWS, N_ITEMS)).round(1),
        "large": rng.integers(-3, 1000, (N_ROWS, N_ITEMS)).astype(float),
    }[kind]
    ranks[rng.random(ranks.shape) < 0.2] = np.nan
    return ranks


KINDS = ["permutations", "from zero", "ties", "almost permutations", "real", "large"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("close", [True, False])
def test_order_rows(kind, close):
    ranks = rank_rows(kind)
    got = compared(*orders(ranks, close=close))
    for row, (order, ends) in zip(ranks, got, strict=True):
        # The oracle: NumPy sorts NaN last, and groups end where the rank changes.
        assert_array_equal(row[order], np.sort(row))
        ranked = np.sort(row[~np.isnan(row)])
        boundaries = [*(np.flatnonzero(np.diff(ranked)) + 1).tolist(), len(ranked)]
        expected = boundaries if len(ranked) else []
        if close and len(ranked) < N_ITEMS:
            expected = [*expected, N_ITEMS]
        assert ends == expected


@pytest.mark.parametrize("n_items", [1, 2, 3, 63, 64, 65])
def test_only_rows_that_miss_their_first_or_last_rank_are_permutations(n_items):
    places = np.arange(n_items + 1.0)
    rows = [np.delete(places, missing) for missing in range(n_items + 1)]
    # The last two are wrong: one rank twice, or one that is not whole.
    for change in (lambda row: row[-1], lambda row: row[0] + 0.5):
        row = rows[-1].copy()
        row[0] = change(row)
        rows.append(row)
    ranks = np.random.default_rng(n_items).permuted(rows, axis=1)
    order, ends, n_groups = chains = room(*ranks.shape)
    n_left = partitions.order_permutations(ranks, chains)
    # Of one item, the same rank twice is that of the first row.
    permutations = [
        r
        for r, row in enumerate(ranks)
        if sorted(row) in (rows[0].tolist(), rows[n_items].tolist())
    ]
    assert_array_equal(np.flatnonzero(n_groups == n_items), permutations)
    assert n_left == len(ranks) - len(permutations)
    for r in permutations:
        assert_array_equal(order[r, :n_items], np.argsort(ranks[r]))
        assert_array_equal(ends[r, :n_items], np.arange(n_items) + 1)


@pytest.mark.parametrize("close", [True, False])
def test_order_sparse_rows(close):
    ranks, chains = rank_rows("real"), room(N_ROWS)
    matrix = stored(ranks)
    starts, items = matrix.indptr.astype(np.uint32), matrix.indices.astype(np.uint32)
    partitions.order_sparse_rows(starts, items, matrix.data, N_ITEMS, close, True, chains)
    assert compared(*chains) == compared(*orders(ranks, close=close))


@pytest.mark.parametrize("size", [0, 1, 16, 17, 100, 1000])
def test_sort_by_key_is_a_stable_sort(size):
    keys = np.random.default_rng(size).integers(0, 30, size).astype(float)
    sorted_keys, items = keys.copy(), np.arange(size, dtype=np.uint32)
    partitions.sort_by_key(sorted_keys, items, size, np.empty(size), np.empty(size, np.uint32))
    assert_array_equal(items, np.argsort(keys, kind="stable"))
    assert_array_equal(sorted_keys, np.sort(keys))


@pytest.mark.parametrize("kind", ["random", "falling", "rising", "zeros"])
@pytest.mark.parametrize("n_items", [1, 2, 7, 40])
def test_pooling_is_antitonic_regression(n_items, kind):
    rng = np.random.default_rng(n_items)
    n_rows = 11
    ranks = rng.permuted(np.tile(np.arange(n_items), (n_rows, 1)), axis=1).astype(float)
    ranks[8:] //= 2
    order, ends, n_groups = chains = orders(ranks)
    # Whole numbers, whose sums are exact in any order.
    rises = rng.integers(-9, 10, (n_rows, n_items)).astype(float)
    if kind == "zeros":
        rises = np.where(rng.random(rises.shape) < 0.5, 0.0, -0.0)
    elif kind != "random":
        rises = np.sort(rises, axis=1)[:, :: -1 if kind == "falling" else 1].copy()
    pooled = np.full((n_rows, n_items), np.nan)
    partitions.pool_rows(chains, rises, pooled)
    for r in range(n_rows):
        sizes = np.diff(ends[r, : n_groups[r]], prepend=0)
        regression = isotonic_regression(
            rises[r, : n_groups[r]] / sizes, weights=sizes, increasing=False
        )
        expected = np.repeat(regression.x, sizes)
        size = np.abs(rises[r]).sum()
        assert_rounds_to(pooled[r, order[r, :n_items]], expected, 4 * n_items, size)


def test_items_in_no_group_have_slope_zero():
    ranks = np.array([[1.0, np.nan, 2.0], [np.nan, np.nan, 1.0], [np.nan, np.nan, np.nan]])
    chains = orders(ranks, close=False)
    rises = np.array([[2.0, 4.0, 9.0], [-5.0, 9.0, 9.0], [9.0, 9.0, 9.0]])
    features = np.full((3, 3), np.nan)
    partitions.pool_rows(chains, rises, features)
    assert_array_equal(features, [[3.0, 0.0, 3.0], [0.0, 0.0, -5.0], [0.0, 0.0, 0.0]])


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-160, 1.0, 1e160, 1e307])
def test_unit_length_at_any_scale(scale):
    vectors = scale * np.array([[3.0, 0.0, -4.0], [0.0, -0.0, 0.0], [-1.0, 1.0, 0.0]])
    root = np.sqrt(0.5)
    expected = [[0.6, 0.0, -0.8], [0.0, 0.0, 0.0], [-root, root, 0.0]]
    for units in (np.empty((3, 3)), np.empty((3, 3), np.float32)):
        partitions.scale_to_unit_length(vectors, 0.0, units)
        assert_rounds_to(units, expected, 4, 1.0, units.dtype)
        # Negative zeros would be printed as such.
        assert not np.signbit(units[1]).any()
    partitions.scale_to_unit_length(vectors, scale, units)
    assert_array_equal(units[1:], 0.0)
    assert not np.signbit(units[1:]).any()
    assert units[0].any()
    partitions.scale_to_unit_length(vectors, 0.0, vectors)
    assert_rounds_to(vectors, expected, 4, 1.0)


def dense_graph(n_items, rng):
    """Weights of which many are 0, and some items are equal."""
    upper = np.triu(rng.integers(0, 3, (n_items, n_items)) * rng.random((n_items, n_items)), 1)
    weights = upper + upper.T
    weights[:, ::5], weights[::5] = 0.0, 0.0
    return weights


def dense_rows(n_items, n_rows, rng):
    """From lists of few to full rankings, some with ties: those placed are in the first groups."""
    ranks = rng.permuted(np.tile(np.arange(n_items), (n_rows, 1)), axis=1).astype(float)
    ranks[1::3] = np.minimum(ranks[1::3], 5.0)
    ranks[2::3] //= 2
    return ranks


def increments_on_dense(chains, weights):
    n_rows = len(chains.order)
    # Room for more rankings, as for a block that is not full.
    out = np.full((n_rows + 2, len(weights)), np.nan)
    increments.dense_increments(chains, 2 * weights, weights.sum(axis=0), out)
    assert np.isnan(out[n_rows:]).all()
    return [row[:size] for row, size in zip(out, chains.n_groups, strict=False)]


# Few items, whose rankings are alone, and many, whose long rankings share weights.
@pytest.mark.parametrize("n_items", [1, 2, 3, 38, 161, 165])
def test_increments_on_a_dense_graph_are_differences_of_cuts(n_items):
    rng = np.random.default_rng(n_items)
    weights = dense_graph(n_items, rng)
    n_rows = increments.SHARING + 17
    order, ends, _ = chains = orders(dense_rows(n_items, n_rows, rng))
    got = increments_on_dense(chains, weights)
    for r in range(0, n_rows, 1 if n_items < 100 else 5):
        placed = np.zeros(n_items, bool)
        before, start = 0.0, 0
        for increment, end in zip(got[r], ends[r], strict=False):
            placed[order[r, start:end]] = True
            cut = weights[placed][:, ~placed].sum()
            assert_rounds_to(increment, cut - before, 4 * n_items, 2 * weights.sum())
            before, start = cut, end
