"""The compiled loops against the plain Python they are compiled from."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.optimize import isotonic_regression
from tolerances import assert_rounds_to

from rankcut._loops import increments, partitions
from rankcut._loops.types import Chains
from rankcut.cuts.cut_functions import as_links, tabulate_cut
from rankcut.rankings.value import Partitions

N_ROWS, N_ITEMS = 25, 11


def run(function, compiled, *inputs):
    return (function if compiled else function.py_func)(*inputs)


def orders(ranks, compiled=True, close=True):
    n_rows, n_items = ranks.shape
    order = np.zeros((n_rows, n_items + 1), np.uint32)
    ends = np.zeros((n_rows, n_items + 1), np.int32)
    n_groups = np.zeros(n_rows, np.int32)
    chains = Chains(order, ends, n_groups)
    run(partitions.order_permutations, compiled, ranks, chains)
    run(partitions.order_other_rows, compiled, ranks, close, chains)
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
    assert got == compared(*orders(ranks, compiled=False, close=close))
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
@pytest.mark.parametrize("compiled", [True, False])
def test_only_rows_that_miss_their_first_or_last_rank_are_permutations(n_items, compiled):
    places = np.arange(n_items + 1.0)
    rows = [np.delete(places, missing) for missing in range(n_items + 1)]
    # The last two are wrong: one rank twice, or one that is not whole.
    for change in (lambda row: row[-1], lambda row: row[0] + 0.5):
        row = rows[-1].copy()
        row[0] = change(row)
        rows.append(row)
    ranks = np.random.default_rng(n_items).permuted(rows, axis=1)
    order = np.zeros((len(ranks), n_items + 1), np.uint32)
    ends, n_groups = np.zeros(order.shape, np.int32), np.zeros(len(ranks), np.int32)
    n_left = run(partitions.order_permutations, compiled, ranks, Chains(order, ends, n_groups))
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
@pytest.mark.parametrize("compiled", [True, False])
def test_order_sparse_rows(close, compiled):
    ranks = rank_rows("real")
    rows, columns = np.nonzero(~np.isnan(ranks))
    stored = sparse.csr_array((ranks[rows, columns], (rows, columns)), shape=ranks.shape)
    order = np.zeros((N_ROWS, N_ITEMS + 1), np.uint32)
    ends = np.zeros((N_ROWS, N_ITEMS + 1), np.int32)
    n_groups = np.zeros(N_ROWS, np.int32)
    run(
        partitions.order_sparse_rows,
        compiled,
        stored.indptr.astype(np.uint32),
        stored.indices.astype(np.uint32),
        stored.data,
        N_ITEMS,
        close,
        True,
        Chains(order, ends, n_groups),
    )
    assert compared(order, ends, n_groups) == compared(*orders(ranks, close=close))


@pytest.mark.parametrize("size", [0, 1, 16, 17, 100, 1000])
def test_sort_by_key_is_a_stable_sort(size):
    keys = np.random.default_rng(size).integers(0, 30, size).astype(float)
    for compiled in (True, False):
        sorted_keys, items = keys.copy(), np.arange(size, dtype=np.uint32)
        run(
            partitions.sort_by_key,
            compiled,
            sorted_keys,
            items,
            size,
            np.empty(size),
            np.empty(size, np.uint32),
        )
        assert_array_equal(items, np.argsort(keys, kind="stable"))
        assert_array_equal(sorted_keys, np.sort(keys))


@pytest.mark.parametrize("n_items", [1, 2, 5])
def test_tabulated_cuts_are_sums_over_edges(n_items):
    upper = np.triu(np.random.default_rng(n_items).random((n_items, n_items)), 1)
    table = tabulate_cut(upper + upper.T)
    assert len(table) == 1 << n_items
    for mask, value in enumerate(table):
        inside = np.array([bool(mask >> i & 1) for i in range(n_items)])
        cut = upper[inside][:, ~inside].sum() + upper[~inside][:, inside].sum()
        assert_rounds_to(value, cut, n_items**2, 2 * upper.sum())


@pytest.mark.parametrize("kind", KINDS)
def test_increments_and_pooling(kind):
    rng = np.random.default_rng(1)
    upper = np.triu(rng.random((N_ITEMS, N_ITEMS)), 1) * (rng.random((N_ITEMS, N_ITEMS)) < 0.5)
    weights = upper + upper.T
    chains = orders(rank_rows(kind))
    stored = sparse.csr_array(weights)
    links = as_links(2 * stored)
    degrees = weights.sum(axis=0)
    table = tabulate_cut(weights)
    calls = {
        increments.sparse_increments: (chains, 0.7, links, degrees),
        increments.table_increments: (chains, table),
        increments.dense_increments: (chains, *dense_tables(weights)),
    }
    for loop, inputs in calls.items():
        machine, plain = np.zeros((2, N_ROWS, N_ITEMS))
        run(loop, True, *inputs, machine)
        run(loop, False, *inputs, plain)
        # Differences of cuts, whose terms are all weights, and constants.
        size = 2 * (weights + 0.7).sum()
        assert_rounds_to(machine, plain, 2 * N_ITEMS, size)
        fast, slow = np.zeros((2, N_ROWS, N_ITEMS))
        for compiled, features in ((True, fast), (False, slow)):
            run(partitions.pool_rows, compiled, chains, machine, features)
        assert_rounds_to(fast, slow, N_ITEMS, size)


@pytest.mark.parametrize("kind", ["random", "falling", "rising", "zeros"])
@pytest.mark.parametrize("n_items", [1, 2, 7, 40])
def test_pooling_is_antitonic_regression(n_items, kind):
    rng = np.random.default_rng(n_items)
    n_rows = 11
    ranks = rng.permuted(np.tile(np.arange(n_items), (n_rows, 1)), axis=1).astype(float)
    ranks[8:] //= 2
    order, ends, n_groups = orders(ranks)
    # Whole numbers, whose sums are exact in any order.
    rises = rng.integers(-9, 10, (n_rows, n_items)).astype(float)
    if kind == "zeros":
        rises = np.where(rng.random(rises.shape) < 0.5, 0.0, -0.0)
    elif kind != "random":
        rises = np.sort(rises, axis=1)[:, :: -1 if kind == "falling" else 1].copy()
    pooled = np.full((2, n_rows, n_items), np.nan)
    for compiled in (0, 1):
        chains = Chains(order, ends, n_groups)
        run(partitions.pool_rows, compiled, chains, rises, pooled[compiled])
    for r in range(n_rows):
        sizes = np.diff(ends[r, : n_groups[r]], prepend=0)
        regression = isotonic_regression(
            rises[r, : n_groups[r]] / sizes, weights=sizes, increasing=False
        )
        expected = np.repeat(regression.x, sizes)
        size = np.abs(rises[r]).sum()
        for got in pooled[:, r]:
            assert_rounds_to(got[order[r, :n_items]], expected, 4 * n_items, size)


@pytest.mark.parametrize("compiled", [True, False])
def test_items_in_no_group_have_slope_zero(compiled):
    ranks = np.array([[1.0, np.nan, 2.0], [np.nan, np.nan, 1.0], [np.nan, np.nan, np.nan]])
    chains = orders(ranks, compiled, close=False)
    rises = np.array([[2.0, 4.0, 9.0], [-5.0, 9.0, 9.0], [9.0, 9.0, 9.0]])
    features = np.full((3, 3), np.nan)
    run(partitions.pool_rows, compiled, chains, rises, features)
    assert_array_equal(features, [[3.0, 0.0, 3.0], [0.0, 0.0, -5.0], [0.0, 0.0, 0.0]])


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-160, 1.0, 1e160, 1e307])
def test_unit_length_at_any_scale(scale, compiled):
    vectors = scale * np.array([[3.0, 0.0, -4.0], [0.0, -0.0, 0.0], [-1.0, 1.0, 0.0]])
    root = np.sqrt(0.5)
    expected = [[0.6, 0.0, -0.8], [0.0, 0.0, 0.0], [-root, root, 0.0]]
    for units in (np.empty((3, 3)), np.empty((3, 3), np.float32)):
        run(partitions.scale_to_unit_length, compiled, vectors, 0.0, units)
        assert_rounds_to(units, expected, 4, 1.0, units.dtype)
        # Negative zeros would be printed as such.
        assert not np.signbit(units[1]).any()
    run(partitions.scale_to_unit_length, compiled, vectors, scale, units)
    assert_array_equal(units[1:], 0.0)
    assert not np.signbit(units[1:]).any()
    assert units[0].any()
    run(partitions.scale_to_unit_length, compiled, vectors, 0.0, vectors)
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


def dense_tables(weights):
    degrees = weights.sum(axis=0)
    return 2 * weights, degrees


def increments_on_dense(chains, weights):
    n_rows = len(chains.order)
    # Room for more rankings, as for a block that is not full.
    out = np.full((n_rows + 2, len(weights)), np.nan)
    increments.dense_increments(chains, *dense_tables(weights), out)
    assert np.isnan(out[n_rows:]).all()
    return [row[:size] for row, size in zip(out, chains.n_groups, strict=False)]


# Few items, whose rankings are alone, and many, whose long rankings share weights.
@pytest.mark.parametrize("n_items", [1, 2, 3, 38, 161, 165])
def test_increments_on_a_dense_graph_are_differences_of_cuts(n_items):
    rng = np.random.default_rng(n_items)
    weights = dense_graph(n_items, rng)
    n_rows = increments.SHARING + 17
    order, ends, n_groups = orders(dense_rows(n_items, n_rows, rng))
    got = increments_on_dense(Chains(order, ends, n_groups), weights)
    for r in range(0, n_rows, 1 if n_items < 100 else 5):
        placed = np.zeros(n_items, bool)
        before, start = 0.0, 0
        for increment, end in zip(got[r], ends[r], strict=False):
            placed[order[r, start:end]] = True
            cut = weights[placed][:, ~placed].sum()
            assert_rounds_to(increment, cut - before, 4 * n_items, 2 * weights.sum())
            before, start = cut, end


def test_a_dense_graph_gives_a_ranking_the_same_bits_alone_and_among_others():
    rng = np.random.default_rng(3)
    n_rows = 3 * increments.SHARING + 5
    for n_items in (38, 167):
        weights = dense_graph(n_items, rng)
        block = orders(dense_rows(n_items, n_rows, rng))
        together = increments_on_dense(block, weights)
        for size in (1, 20, 64):
            for start in range(0, n_rows, size):
                part = Chains(*(array[start : start + size] for array in block))
                some = increments_on_dense(part, weights)
                for got, expected in zip(some, together[start : start + size], strict=True):
                    assert_array_equal(got, expected)


N = 7
RNG = np.random.default_rng(0)
CHAINS = [
    [[int(i)] for i in RNG.permutation(N)],
    [[3, 1], [0], [2, 6, 4], [5]],
    [[6], [0], [1, 2, 3, 4, 5]],
    [list(range(N))],
]
STARTS = np.array([0, 2, 3, 3, 5, 6, 8, 9], dtype=np.uint32)
ENTRIES = np.array([0, 3, 1, 0, 2, 1, 2, 3, 2], dtype=np.uint32)
FACTOR = RNG.standard_normal((N, N + 1))

LOOPS = {
    "by size": (partitions.increments_by_size, (np.arange(N + 1.0) ** 0.5,)),
    "modular": (increments.modular_increments, (RNG.random(N),)),
    "coverage": (increments.coverage_increments, (STARTS, ENTRIES, RNG.random(4), 2.0)),
    "log-determinant": (increments.log_determinant_increments, (FACTOR @ FACTOR.T, 1.0)),
}


@pytest.mark.parametrize("name", LOOPS)
def test_compiled_equals_plain(name):
    loop, inputs = LOOPS[name]
    block = Partitions.of_groups(CHAINS, N)
    machine, plain = np.zeros((2, len(CHAINS), N))
    loop(block.chains, *inputs, machine)
    loop.py_func(block.chains, *inputs, plain)
    assert np.count_nonzero(machine) > N
    # Sums of at most N·(N + 1) terms; a determinant by Cholesky's method as well.
    assert_rounds_to(machine, plain, N * (N + 1), np.abs(plain).sum())
