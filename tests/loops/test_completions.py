"""Completions as the loops make them."""

import numpy as np
import oracles
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from rankcut._loops import completions, random_streams
from rankcut.cuts.completions import slopes_on_others

from .test_increments import orders, room


def base(ranks):
    return orders(ranks, close=False)


def groups_of(order, ends, n_groups):
    starts = [0, *ends[: n_groups - 1]]
    return [sorted(order[a:b].tolist()) for a, b in zip(starts, ends[:n_groups], strict=True)]


ROW = np.array([2, np.nan, 1, np.nan, np.nan, 2, np.nan, np.nan, 3])


def draw(exponents, row=ROW, seed=0):
    exponents = np.asarray(exponents, np.int32)
    rows = room(2 * int((1 << exponents).sum()), len(row))
    streams = np.random.default_rng(seed).integers(0, 2**63, len(exponents)).astype(np.uint64)
    gaps = np.zeros((16, len(row)), np.uint32)
    tasks = np.zeros(len(exponents), np.int32)
    completions.draw_completions(base(row[None]), tasks, streams, exponents, gaps, rows)
    return [groups_of(*row) for row in zip(*rows, strict=True)]


def gaps_of(groups, row=ROW):
    """Into which gap each unranked item fell, read off a completion."""
    where, gap = {}, 0
    for group in groups:
        if np.isnan(row[group]).all():
            where.update(dict.fromkeys(group, gap))
        else:
            assert not np.isnan(row[group]).any()
            gap += 1
    return [where[item] for item in np.flatnonzero(np.isnan(row))]


def test_scramble_is_the_finaliser_of_splitmix64():
    def reference(word):
        mask = 2**64 - 1
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & mask
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & mask
        return word ^ (word >> 31)

    for word in (0, 1, 0x9E3779B97F4A7C15, 2**64 - 1, 123456789):
        assert int(random_streams.scramble(np.uint64(word))) == reference(word)


def test_enumeration_makes_each_completion_once():
    row = np.array([1, np.nan, 2, np.nan, np.nan, 2])
    partition = base(row[None])
    rows = room(27, 6)
    gaps = np.zeros((1, 6), np.uint32)

    def task(first, end):
        return np.zeros(1, np.int32), np.array([first]), np.array([end], np.int32), gaps

    completions.enumerate_completions(partition, *task(0, 27), rows)
    got = sorted(groups_of(*row) for row in zip(*rows, strict=True))
    assert got == sorted([sorted(g) for g in groups] for groups in oracles.completions(row))
    # Started in the middle, it goes on from there.
    later = room(9, 6)
    completions.enumerate_completions(partition, *task(18, 9), later)
    for part, whole in zip(later, rows, strict=True):
        assert_array_equal(part, whole[18:])


def test_draws_are_completions_and_every_second_mirrors_the_first():
    every = {str([sorted(g) for g in groups]) for groups in oracles.completions(ROW)}
    drawn = draw([4, 0, 2, 1])
    assert len(drawn) == 2 * (16 + 1 + 4 + 2)
    assert {str(groups) for groups in drawn} <= every
    for one, other in zip(drawn[::2], drawn[1::2], strict=True):
        assert gaps_of(other) == [3 - gap for gap in gaps_of(one)]
    # Four gaps and sixteen draws: each item falls four times into each gap.
    gaps = np.array([gaps_of(groups) for groups in draw([4])[::2]])
    for item in gaps.T:
        assert np.bincount(item).tolist() == [4, 4, 4, 4]


def test_gaps_are_uniform_and_items_independent():
    """Fails by chance for one seed in 1,000."""
    # One draw of each of many tasks, because the draws of a task depend on each other.
    drawn = draw([2] * 4000, seed=1)[::8]
    gaps = np.array([gaps_of(groups) for groups in drawn])
    p_values = [stats.chisquare(np.bincount(item, minlength=4)).pvalue for item in gaps.T]
    for first, second in ((0, 1), (1, 4), (2, 3)):
        table = np.zeros((4, 4))
        np.add.at(table, (gaps[:, first], gaps[:, second]), 1)
        p_values.append(stats.chi2_contingency(table).pvalue)
    assert min(p_values) > 1e-3 / len(p_values)


def test_streams_tell_rankings_apart():
    rows = np.array(
        [
            [1, 2, 3, np.nan],
            [1, 2, 2, np.nan],
            [1, 1, 2, np.nan],
            [1, 2, np.nan, 3],
            [2, 1, 3, np.nan],
            [1, 2, np.nan, np.nan],
            [np.nan] * 4,
            [10, 20, 30, np.nan],
        ]
    )
    partition = base(rows)
    names = np.empty((2, 8), np.uint64)
    for seed in (0, 1):
        random_streams.name_streams(partition, np.uint64(seed), names[seed])
    assert len(set(names.ravel().tolist())) == 14
    assert_array_equal(names[:, 0], names[:, 7])


def test_tasks_share_out_all_draws():
    sizes, names = np.array([300, 8], np.int32), np.arange(2, dtype=np.uint64)
    stages = [
        completions.plan_tasks(np.arange(2, dtype=np.int32), names, sizes, 8, s) for s in (0, 1)
    ]
    _, targets, streams, exponents = stages[0]
    drawn = np.bincount(targets, 1 << exponents, minlength=16).reshape(2, 8)
    assert_array_equal(drawn[0], [38, 38, 38, 38, 37, 37, 37, 37])
    assert_array_equal(drawn[1], 1)
    # Each stage has streams of its own.
    assert len({*streams.tolist(), *stages[1].streams.tolist()}) == 2 * len(streams)


def test_regression_on_the_other_replicates():
    rng = np.random.default_rng(3)
    x, noise = rng.random((2, 6, 5))
    # Slopes in between, and beyond the bounds that pooling keeps.
    for y, bound in ((0.5 * x + 0.2 * noise, None), (3.0 * x, 1.0), (-x, 0.0)):
        factors = slopes_on_others(y[None], x[None])[0]
        for r in range(6):
            others = np.arange(6) != r
            centred_x = x[others] - x[others].mean(axis=0)
            centred_y = y[others] - y[others].mean(axis=0)
            slope = (centred_x * centred_y).sum() / (centred_x**2).sum()
            assert (0 < slope < 1) == (bound is None)
            assert factors[r] == pytest.approx(slope if bound is None else bound, rel=1e-12)


def test_a_replicate_that_differs_from_equal_ones_is_not_corrected():
    rng = np.random.default_rng(4)
    x, y = np.tile(rng.random((2, 1, 5)), (1, 6, 1))
    x[2] += 0.3
    y[2] += 0.2
    # As other sums of the same numbers would have it.
    x[4] *= 1 + 2**-52
    factors = slopes_on_others(y[None], x[None])[0]
    assert factors[2] == 0.0
    others = np.arange(6) != 2
    assert factors[others] == pytest.approx(2 / 3)
