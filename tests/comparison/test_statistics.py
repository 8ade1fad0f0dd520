"""Statistics of groups: shuffles are uniform, and each statistic is what its formula says."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import rankcut.comparison.vectors as vectors_module
from rankcut import RankingSet, compare_groups
from rankcut._loops import resamples
from rankcut.comparison.rows import ComparedRows, make_design
from rankcut.comparison.statistics import GroupDraws, Options, _arrangements, share_explained
from rankcut.comparison.vectors import Scores, stored
from rankcut.rankings import Rankings


def test_shuffles_are_uniform():
    sizes = np.array([[3, 1, 2], [1, 1, 0]])
    labels = np.empty((20_000, 8), np.uint8)
    resamples.shuffle_labels(sizes, np.array([0, 6, 8]), np.uint64(5), 0, labels)
    assert_array_equal(np.sort(labels[:, :6], axis=1), np.tile([0, 0, 0, 1, 2, 2], (20_000, 1)))
    assert_array_equal(np.sort(labels[:, 6:], axis=1), np.tile([0, 1], (20_000, 1)))
    counts = Counter(map(bytes, labels))
    assert len(counts) == 60 * 2
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3


def test_shuffled_rows_are_uniform():
    rows = np.empty((20_000, 6), np.int32)
    resamples.shuffle_rows(np.array([0, 4, 6]), np.uint64(5), 0, rows)
    counts = Counter(map(bytes, rows))
    assert len(counts) == 24 * 2
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3


def test_shuffles_do_not_depend_on_their_block():
    sizes = np.array([[5, 4]])
    whole, part = np.empty((10, 9), np.uint8), np.empty((3, 9), np.uint8)
    resamples.shuffle_labels(sizes, np.array([0, 9]), np.uint64(1), 0, whole)
    resamples.shuffle_labels(sizes, np.array([0, 9]), np.uint64(1), 6, part)
    assert_array_equal(whole[6:9], part)


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_plain_python_does_the_same():
    sizes = np.array([[3, 2], [1, 4]])
    starts = np.array([0, 5, 10])
    fast, slow = np.empty((4, 10), np.uint8), np.empty((4, 10), np.uint8)
    resamples.shuffle_labels(sizes, starts, np.uint64(3), 7, fast)
    resamples.shuffle_labels.py_func(sizes, starts, np.uint64(3), 7, slow)
    assert_array_equal(fast, slow)
    values, units = np.arange(12.0).reshape(4, 3), np.arange(10) % 4
    for add in (resamples.add_by_label, resamples.add_by_label.py_func):
        sums, squares = np.zeros((4, 2, 3)), np.zeros((4, 2, 2))
        add(fast, units, values, 1, sums, squares)
        for k in range(4):
            own = values[units[fast[k] == 0]]
            assert_allclose(sums[k, 0], own.sum(axis=0))
            assert_allclose(squares[k, 0], (own[:, :2] ** 2).sum(axis=0))
        assert (sums[:, 1] == 0).all()
    rows, again = np.empty((2, 10), np.int32), np.empty((2, 10), np.int32)
    resamples.shuffle_rows(starts, np.uint64(3), 0, rows)
    resamples.shuffle_rows.py_func(starts, np.uint64(3), 0, again)
    assert_array_equal(rows, again)


def test_all_arrangements():
    found = {tuple(labels) for labels in _arrangements([2, 1, 2])}
    assert found == set(itertools.permutations([0, 0, 1, 2, 2]))


OPTIONS = Options(199, 0)


def draws_of(values, group, weight=None, stratum=None, options=OPTIONS):
    """Each row is a ranking of its own, with these vectors."""
    n = len(values)
    rows = ComparedRows(
        Rankings(np.zeros((n, 3))),
        np.arange(n),
        np.asarray(group),
        np.zeros(n, np.int64) if stratum is None else np.asarray(stratum),
        None,
        np.ones(n, np.int64),
        np.ones(n) if weight is None else np.asarray(weight, float),
    )
    return GroupDraws(Scores(make_design(rows), {"items": stored(np.asarray(values))}), options)


def test_welch_and_its_normal_score():
    """Of two groups: t, its p-value by the t distribution, and Šidák's correction."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 4)) * [1.0, 3.0, 1.0, 1.0]
    values[:8, 1] *= 3.0
    group = np.repeat([0, 1], [8, 22])
    draws = draws_of(values, group)
    found = draws.look(draws.data(), draws.family("each", slice(0, 4)))
    x, y = values[:8], values[8:]
    t = (x.mean(axis=0) - y.mean(axis=0)) / np.sqrt(
        x.var(axis=0, ddof=1) / 8 + y.var(axis=0, ddof=1) / 22
    )
    assert_allclose(2 * stats.norm.sf(found.values[0]), 2 * stats.t.sf(np.abs(t), 7), rtol=0.02)


@pytest.mark.parametrize("weighted", [False, True])
def test_moments_of_exchanged_labels(weighted):
    """Means, and linearised variances of them, by their definition."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(9, 2))
    weight = rng.random(9) + 0.5 if weighted else np.ones(9)
    draws = draws_of(values, [0, 1, 1, 0, 2, 2, 1, 0, 1], weight, options=Options(2000, 0))
    labels = []
    # Units are in the order of their rankings; groups in that of their sizes.
    assert draws.method == "exact"
    for block in draws.blocks(lambda moments: moments):
        labels.append(block.means[:, :, 0])
        assert block.sizes.tolist() == [2, 3, 4]
    mean = np.average(values, axis=0, weights=weight)
    seen = draws.data().first()
    for g in range(3):
        own = np.array([0, 1, 1, 0, 2, 2, 1, 0, 1]) == g
        w, x = weight[own], values[own] - mean
        centre = w @ x / w.sum()
        assert_allclose(seen.means[g], centre, atol=1e-12)
        spread = ((w[:, None] * (x - centre)) ** 2).sum(axis=0) / w.sum() ** 2
        assert_allclose(seen.variances[g], spread * own.sum() / (own.sum() - 1), rtol=1e-9)
    # All arrangements, each once: the mean of a group of k is that of any k units.
    found = np.sort(np.concatenate(labels)[:, 0])
    expected = sorted(
        np.average(values[list(two), 0] - mean[0], weights=weight[list(two)])
        for two in itertools.combinations(range(9), 2)
        for _ in range(35)
    )
    assert_allclose(found, expected, atol=1e-9)


def normal_score(t2, nu):
    return np.sqrt(nu * np.log1p(t2 / nu)) * (8 * nu + 1) / (8 * nu + 3)


def satterthwaite(x, y):
    vx, vy = x.var(axis=0, ddof=1) / len(x), y.var(axis=0, ddof=1) / len(y)
    return (vx + vy) ** 2 / (vx**2 / (len(x) - 1) + vy**2 / (len(y) - 1))


def overall_by_hand(values, inside, shape, own=False):
    """The ANOVA-type statistic and the largest normal score, as one p-value."""
    x, y = values[inside], values[~inside]
    gap = x.mean(axis=0) - y.mean(axis=0)
    vx, vy = x.var(axis=0, ddof=1) / len(x), y.var(axis=0, ddof=1) / len(y)
    tx, ty = vx.sum(), vy.sum()
    below = (tx + ty) ** 2 / (tx**2 / (len(x) - 1) + ty**2 / (len(y) - 1))
    p = stats.f.sf((gap**2).sum() / (tx + ty), shape, below)
    nu = satterthwaite(x, y) if own else min(len(x), len(y)) - 1
    z = normal_score(gap**2 / (vx + vy), nu).max()
    q = 1 - (1 - 2 * stats.norm.sf(z)) ** values.shape[1]
    return 2 / (1 / p + 1 / q)


def test_the_overall_test_by_brute_force():
    rng = np.random.default_rng(2)
    shift = np.repeat([[0.0], [1.0]], [5, 7], axis=0)
    values = rng.normal(size=(12, 3)) * [1.0, 2.0, 0.5] + shift * [0.8, 0.0, 0.1]
    draws = draws_of(values, np.repeat([0, 1], [5, 7]))
    family = draws.family("whole", slice(0, 3), slice(0, 0))
    (got,) = draws.p_values([family])
    covariance = np.cov(values.T)
    shape = np.trace(covariance) ** 2 / (covariance**2).sum()
    p = [
        overall_by_hand(values, np.isin(np.arange(12), chosen), shape)
        for chosen in itertools.combinations(range(12), 5)
    ]
    permuted = np.mean(np.array(p) <= p[0] * (1 + 1e-9))
    own = np.cov(values[:5].T) / 5 + np.cov(values[5:].T) / 7
    shape = np.trace(own) ** 2 / (own**2).sum()
    welch = overall_by_hand(values, np.arange(12) < 5, shape, own=True)
    assert 0.02 < permuted < 0.9
    assert got.p_values[0] == pytest.approx(max(permuted, welch), rel=1e-9)


def test_adjusted_p_values_are_those_of_westfall_and_young():
    """Step-down maxima of Welch's t by brute force over all permutations."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(8, 3)) + np.repeat([[0.0], [1.0]], 4, axis=0) * [4.0, 1.0, 0.0]
    draws = draws_of(values, np.repeat([0, 1], 4))
    (got,) = draws.p_values([draws.family("each", slice(0, 3))])

    def squares(chosen):
        inside = np.isin(np.arange(8), chosen)
        x, y = values[inside], values[~inside]
        gap = x.mean(axis=0) - y.mean(axis=0)
        return gap**2 / (x.var(axis=0, ddof=1) / 4 + y.var(axis=0, ddof=1) / 4)

    seen = squares(range(4))
    drawn = np.array([squares(chosen) for chosen in itertools.combinations(range(8), 4)])
    order = np.argsort(-seen)
    expected, largest = np.empty(3), 0.0
    for step, k in enumerate(order):
        at_least = drawn[:, order[step:]].max(axis=1) >= seen[k] * (1 - 1e-9)
        largest = max(largest, at_least.mean())
        expected[k] = largest
    z = normal_score(seen, satterthwaite(values[:4], values[4:]))
    welch = 2 * stats.norm.sf(z)
    steps = np.maximum.accumulate(np.minimum(np.sort(welch) * [3, 2, 1], 1.0))
    holm = np.empty(3)
    holm[np.argsort(welch)] = steps
    assert_allclose(got.p_values, np.maximum(expected, holm), rtol=1e-9)


@pytest.mark.parametrize("n_extreme", [0, 3, 99])
def test_the_interval_of_a_p_value_is_that_of_a_binomial_share(n_extreme):
    draws = draws_of(np.zeros((40, 2)), np.repeat([0, 1], 20), options=Options(99, 0))
    found = draws._tested(np.array([n_extreme]), np.array([0]), np.zeros(1))
    assert found.p_values[0] == (n_extreme + 1) / 100
    expected = stats.binomtest(n_extreme, 99).proportion_ci(method="exact")
    assert_allclose(found.interval, expected, rtol=1e-9)
    # Where Welch's approximation is larger, permutations do not say how sure it is.
    larger = draws._tested(np.array([0]), np.array([0]), np.array([0.2]))
    assert larger.p_values[0] == 0.2
    assert larger.interval == (0.2, 0.2)


def test_the_interval_of_the_share_covers_it():
    """For normal vectors with a known share."""
    rng = np.random.default_rng(0)
    for shift, tries in ((0.0, 150), (0.5, 150)):
        share = shift**2 / 4 / (3 + shift**2 / 4)
        covered = 0
        for _ in range(tries):
            values = rng.normal(size=(120, 3))
            values[60:, 0] += shift
            draws = draws_of(values, np.repeat([0, 1], 60))
            family = draws.family("whole", slice(0, 3))
            total = float(draws.scores.total.sum())
            low, high = share_explained(draws.data().first(), family, total).interval
            covered += low <= share <= high
        # 95 % less three standard errors.
        assert covered >= 0.95 * tries - 3 * np.sqrt(0.95 * 0.05 * tries)


def test_scores_that_are_not_kept_are_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    values, group, stratum = rng.normal(size=(50, 4)), np.arange(50) % 2, np.arange(50) // 20
    kept = draws_of(values, group, rng.random(50), stratum).scores
    monkeypatch.setattr(vectors_module, "KEPT", 0)
    made = draws_of(values, group, kept.design.members.data, stratum).scores
    assert_allclose(made.own, kept.own, rtol=1e-12)
    for one, other in zip(made.blocks(), kept.blocks(), strict=True):
        assert_allclose(one[1], other[1], rtol=1e-9, atol=1e-12)


@st.composite
def comparisons(draw):
    """Some rankings of four items, one of them perhaps unanimous, of two or three groups."""
    n = draw(st.integers(8, 14))
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    ranks = rng.random((n, 4)).argsort(axis=1) + 1.0
    if draw(st.booleans()):
        ranks = np.column_stack([np.ones(n), rng.random((n, 3)).argsort(axis=1) + 2.0])
    ranks[rng.random(n) < 0.3] = ranks[0]
    groups = np.arange(n) % draw(st.integers(2, 3))
    return ranks, groups, rng


def answers(ranks, groups, **options):
    found = compare_groups(ranks, groups, n_permutations=49, **options)
    pairs = {frozenset((r["first"], r["second"])): r["p_value"] for r in found.pairs}
    items = {r["item"]: (r["p_value"], r["difference"]) for r in found.items}
    return found.p_value, found.effect_size, items, pairs


def assert_same(one, other):
    for x, y in zip(one, other, strict=True):
        if isinstance(x, dict):
            assert set(x) == set(y)
            for key in x:
                assert_allclose(x[key], y[key], rtol=1e-6, atol=1e-9)
        else:
            assert_allclose(x, y, rtol=1e-6, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(comparisons())
def test_neither_orders_nor_names_nor_counts_decide(case):
    ranks, groups, rng = case
    names = np.array(["uni", "ika", "ebi", "toro"])
    one = answers(ranks, groups, items=names.tolist())
    items = rng.permutation(4)
    assert_same(one, answers(ranks[:, items], groups, items=names[items].tolist()))
    rows = rng.permutation(len(ranks))
    assert_same(one, answers(ranks[rows], groups[rows], items=names.tolist()))
    other_names = np.array(["z", "y", "x"])[groups]
    assert_same(one, answers(ranks, other_names, items=names.tolist()))
    counts = rng.integers(1, 3, len(ranks))
    votes = RankingSet(ranks, tuple(names.tolist()), counts=counts)
    again = np.repeat(np.arange(len(ranks)), counts)
    assert_same(answers(votes, groups), answers(ranks[again], groups[again], items=names.tolist()))


def test_a_part_without_variance_does_not_depend_on_rounding():
    """48 rankings of four items, of which one is unanimous: each order of the columns."""
    rest = np.array(list(itertools.permutations([2.0, 3.0, 4.0])))
    ranks = np.column_stack([np.ones(48), np.tile(rest, (8, 1))])
    groups = np.random.default_rng(0).permutation(np.repeat([0, 1], 24))
    found = {
        compare_groups(ranks[:, order], groups, items=list(order), n_permutations=199).p_value
        for order in map(list, itertools.permutations(range(4)))
    }
    assert max(found) - min(found) < 1e-9
