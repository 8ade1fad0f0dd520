"""Sums over completions by labels, against the features of the same completions one by one."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from tolerances import assert_rounds_to

from rankcut import ItemGraph
from rankcut._loops.cut_completions import add_cut_completions
from rankcut._loops.gap_completions import add_tasks, draw_completions
from rankcut._loops.slopes import spread_slopes
from rankcut.cuts import FeatureMap, GraphCut, MapOptions
from rankcut.cuts.options import Completions
from rankcut.rankings import read_rankings
from rankcut.rankings.partitions import Partitions

RANKS = np.array(
    [
        [2, np.nan, 1, np.nan, np.nan, 2, np.nan, np.nan, 3],
        [np.nan, 1, np.nan, np.nan, 2, np.nan, 3, np.nan, np.nan],
        [1, 2, 3, 4, 5, 6, 7, 8, np.nan],
        [np.nan] * 9,
    ]
)
N_ITEMS = RANKS.shape[1]


def few_edges(seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((N_ITEMS, N_ITEMS)) * (rng.random((N_ITEMS, N_ITEMS)) < 0.4), 1)
    return GraphCut(ItemGraph(upper + upper.T, N_ITEMS))


@pytest.mark.parametrize("mirror", [True, False])
@pytest.mark.parametrize("compiled", [True, False])
def test_sums_over_completions(mirror, compiled):
    function = few_edges()
    ((_, base),) = read_rankings(RANKS, unranked="anywhere").blocks()
    base = (base.order, base.ends, base.n_groups)
    rankings = np.array([0, 0, 1, 2, 3], np.int32)
    targets = np.array([0, 0, 1, 2, 3], np.int32)
    exponents = np.array([2, 0, 4, 1, 2], np.int32)
    streams = np.arange(5, dtype=np.uint64) * np.uint64(12345)
    gaps = np.zeros((16, N_ITEMS), np.uint32)
    tasks = (rankings, streams, exponents, mirror, True)

    counts = (2 if mirror else 1) << exponents
    room = Partitions.empty(counts.sum(), N_ITEMS)
    draw_completions(*base, *tasks, gaps, room.order, room.ends, room.n_groups)
    increments, vectors = np.empty((2, len(room), N_ITEMS))
    function.increments(room, increments)
    expected = np.zeros((2, 4, N_ITEMS))
    ends = np.cumsum(counts).astype(np.int32)
    room.pool(increments, vectors)
    add_tasks(vectors, ends, targets, expected[0])
    spread_slopes(room.order, room.ends, room.n_groups, increments, vectors)
    add_tasks(vectors, ends, targets, expected[1])

    pooled, plain = np.zeros((2, 4, N_ITEMS))
    loop = add_cut_completions if compiled else add_cut_completions.py_func
    edges = function.few_edges()
    loop(*base, rankings, targets, *tasks[1:], *edges, gaps, pooled, plain)
    size = 32 * function.graph.degrees.sum()
    assert_rounds_to(pooled, expected[0], N_ITEMS**2, size)
    assert_rounds_to(plain, expected[1], N_ITEMS**2, size)
    alone = np.zeros((4, N_ITEMS))
    loop(*base, rankings, targets, *tasks[1:], *edges, gaps, alone, np.zeros((0, N_ITEMS)))
    assert_array_equal(alone, pooled)


def test_only_graphs_of_few_edges_are_gone_through():
    few = few_edges()
    starts, others, twice, degrees = few.few_edges()
    upper = sparse.csr_array((twice / 2, others, starts), shape=(N_ITEMS, N_ITEMS))
    assert_array_equal((upper + upper.T).toarray(), few.graph.to_dense())
    assert_array_equal(degrees, few.graph.degrees)
    assert GraphCut(ItemGraph(1.0 + np.eye(N_ITEMS), N_ITEMS)).few_edges() is None


def test_sampled_means_are_those_of_any_set_function(monkeypatch):
    options = MapOptions(
        unranked="anywhere", completions=Completions("sampled", n_draws=80, random_state=3)
    )
    function = few_edges()
    got, report = FeatureMap(function, options).with_report(
        read_rankings(RANKS, unranked="anywhere")
    )
    monkeypatch.setattr(GraphCut, "few_edges", lambda self: None)
    means, known = FeatureMap(function, options).with_report(
        read_rankings(RANKS, unranked="anywhere")
    )
    assert_rounds_to(got, means, N_ITEMS**2, function.graph.degrees.sum())
    assert_rounds_to(
        report.standard_error, known.standard_error, 80 * N_ITEMS, function.graph.degrees.sum()
    )
