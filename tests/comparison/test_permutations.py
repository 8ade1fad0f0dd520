"""Exchanged labels: shuffles are uniform, and have the moments of the theory."""

import itertools
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import rankcut.comparison.vectors as vectors_module
from rankcut._loops import resamples
from rankcut.comparison.permutations import CovariateLabels, GroupLabels, _arrangements
from rankcut.comparison.rows import ComparedRows, make_design
from rankcut.comparison.statistics import Draws, Family, Options, run_tests, share_explained
from rankcut.comparison.vectors import Scores
from rankcut.rankings import Rankings


def rows_of(index, group, stratum=None, weight=None):
    index, group = np.array(index), np.array(group)
    n = len(index)
    return ComparedRows(
        Rankings(np.zeros((index.max() + 1, 3))),
        index,
        group,
        np.zeros(n, np.int64) if stratum is None else np.array(stratum),
        None,
        np.ones(n) if weight is None else np.array(weight, float),
        weight is None or all(w == int(w) for w in weight),
    )


def scores_of(design, values):
    return Scores(design, values.__getitem__, values.shape[1])


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
    cells = np.array([0, 3, 4, 10])
    one, other = np.empty((4, 1, 3)), np.empty((4, 1, 3))
    resamples.count_labels(fast, cells, one)
    resamples.count_labels.py_func(fast, cells, other)
    assert_array_equal(one, other)
    assert_array_equal(one[0, 0], [(fast[0, a:b] == 0).sum() for a, b in itertools.pairwise(cells)])
    rows, again = np.empty((2, 10), np.int32), np.empty((2, 10), np.int32)
    resamples.shuffle_rows(starts, np.uint64(3), 0, rows)
    resamples.shuffle_rows.py_func(starts, np.uint64(3), 0, again)
    assert_array_equal(rows, again)


def test_all_arrangements():
    found = {tuple(labels) for labels in _arrangements([2, 1, 2])}
    assert found == set(itertools.permutations([0, 0, 1, 2, 2]))


CASES = {
    "shuffled": ([0, 1, 2, 3, 4, 5, 6, 7] * 2, [0, 1, 1, 0, 2, 2, 1, 0] * 2, None, None),
    "strata": (
        [0, 1, 2, 3, 4, 5, 6, 7] * 2,
        [0, 1, 1, 0, 2, 2, 1, 0] * 2,
        [0] * 10 + [1] * 6,
        None,
    ),
    "drawn": ([0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 2, 2], None, [90, 70, 80, 100, 60, 40]),
    "weighted": ([0, 1, 2, 3, 4, 5], [0, 1, 0, 1, 0, 1], None, [0.5, 1.5, 1.0, 2.0, 0.3, 0.9]),
}


CASES["covariates"] = (range(12), [0] * 12, [0] * 7 + [1] * 5, [0.5] * 12)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("block", [8192, 3])
def test_sums_have_the_moments_of_the_limit(case, block, monkeypatch):
    """The limit has the exact mean and covariance of all permutations, whichever way."""
    monkeypatch.setattr(vectors_module.slices, "__defaults__", (block,))
    design = make_design(rows_of(*CASES[case]))
    rng = np.random.default_rng(0)
    scores = scores_of(design, rng.normal(size=(design.n_distinct, 2)))
    if case == "covariates":
        labels = CovariateLabels(design, rng.normal(size=(12, 2)))
    else:
        labels = GroupLabels(design)
    n = 20_000
    drawn = np.concatenate(list(labels.sampled(scores, n, 1))).reshape(n, -1)
    root = labels._root(scores)
    expected = root @ root.T
    error = np.sqrt((expected**2 + np.outer(np.diag(expected), np.diag(expected))) * 3 / n)
    assert (np.abs(drawn.mean(axis=0)) < 5 * np.sqrt(np.diag(expected) / n)).all()
    assert (np.abs(np.cov(drawn.T) - expected) < 5 * error).all()


def test_the_sum_of_squares_between_groups():
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=40)
    values = rng.normal(size=(40, 4))
    design = make_design(rows_of(np.arange(40), group))
    sums = GroupLabels(design).observed(scores_of(design, values))
    means = np.array([values[group == g].mean(axis=0) for g in range(3)])
    sizes = np.bincount(group)
    expected = (sizes[:, None] * (means - values.mean(axis=0)) ** 2).sum()
    assert (sums**2).sum() == pytest.approx(expected, rel=1e-12)


def test_adjusted_p_values_are_those_of_westfall_and_young():
    """Step-down max-T by brute force over all permutations."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(8, 3)) + np.repeat([[0.0], [1.0]], 4, axis=0) * [2.0, 0.5, 0.0]
    group = np.repeat([0, 1], 4)
    design = make_design(rows_of(np.arange(8), group))
    labels, scores = GroupLabels(design), scores_of(design, values)
    (got,) = run_tests(labels, scores, [Family(slice(0, 3), "each")], Draws(labels, Options(99, 0)))

    def shares(chosen):
        inside = np.isin(np.arange(8), chosen)
        gap = values[inside].mean(axis=0) - values[~inside].mean(axis=0)
        return gap**2 / values.var(axis=0)

    seen = shares(range(4))
    drawn = np.array([shares(chosen) for chosen in itertools.combinations(range(8), 4)])
    order = np.argsort(-seen)
    expected, largest = np.empty(3), 0.0
    for step, k in enumerate(order):
        at_least = drawn[:, order[step:]].max(axis=1) >= seen[k] - 1e-12
        largest = max(largest, at_least.mean())
        expected[k] = largest
    assert_allclose(got, expected, rtol=1e-12)


def test_the_combined_test_weighs_five_ways_to_look():
    """By brute force over all permutations, each way written out."""
    rng = np.random.default_rng(2)
    shift = np.repeat([[0.0], [1.0]], 6, axis=0)
    items = rng.normal(size=(12, 3)) * [1.0, 2.0, 0.5] + [3.0, 1.0, 2.0] + shift * [0.8, 0.0, 0.1]
    signs = rng.normal(size=(12, 2))
    design = make_design(rows_of(np.arange(12), np.repeat([0, 1], 6)))
    labels, scores = GroupLabels(design), scores_of(design, np.hstack([items, signs]))
    family = Family(slice(0, 3), "combined", (slice(0, 3), slice(3, 5)))
    (got,) = run_tests(labels, scores, [family], Draws(labels, Options(99, 0)))

    inverse = np.linalg.inv(np.cov(items.T))
    along = items.mean(axis=0) - items.mean()

    def ways(chosen):
        inside = np.isin(np.arange(12), chosen)
        gap = items[inside].mean(axis=0) - items[~inside].mean(axis=0)
        other = signs[inside].mean(axis=0) - signs[~inside].mean(axis=0)
        return [
            gap @ gap,
            gap @ inverse @ gap,
            (gap**2 / items.var(axis=0)).max(),
            (other**2 / signs.var(axis=0)).max(),
            (gap @ along) ** 2,
        ]

    found = np.array([ways(chosen) for chosen in itertools.combinations(range(12), 6)])
    p = (found[:, np.newaxis] >= found * (1 - 1e-9)).mean(axis=0)
    combined = np.tan(np.pi * (0.5 - p + 0.5 / len(found))) @ [4.0, 2.0, 3.0, 0.5, 0.2]
    expected = (combined >= combined[0] - 1e-9).mean()
    assert 0.05 < expected < 0.9
    assert got.value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_extreme", [0, 3, 99])
def test_the_interval_of_a_p_value_is_that_of_a_binomial_share(n_extreme):
    labels = GroupLabels(make_design(rows_of(np.arange(40), np.repeat([0, 1], 20))))
    found = Draws(labels, Options(99, 0)).probability(n_extreme)
    assert found.value == (n_extreme + 1) / 100
    expected = stats.binomtest(n_extreme, 99).proportion_ci(method="exact")
    assert_allclose(found.interval, expected, rtol=1e-9)


def test_the_limit_of_one_statistic_is_a_sum_of_chi_squares():
    """‖S‖² ~ Σ λ χ²: the tail by inverting its characteristic function (Imhof)."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 3)) * [3.0, 2.0, 1.0]
    design = make_design(rows_of(np.arange(500), rng.integers(2, size=500)))
    labels, scores = GroupLabels(design), scores_of(design, values)
    drawn = np.concatenate(list(labels.limit(scores, 40_000, 0)))
    squares = (drawn**2).sum(axis=(1, 2))
    weights = np.linalg.eigvalsh(np.cov(values.T))
    x = 2.0 * weights.sum()
    u = (np.arange(200_000) + 0.5) * 2e-3
    angle = 0.5 * (np.arctan(np.outer(u, weights)).sum(axis=1) - x * u)
    size = ((1 + np.outer(u, weights) ** 2) ** 0.25).prod(axis=1)
    tail = 0.5 + (np.sin(angle) / (u * size)).sum() * 2e-3 / np.pi
    assert 0.05 < tail < 0.2
    assert abs((squares > x).mean() - tail) < 5 * np.sqrt(tail / 40_000)


def test_the_interval_of_the_share_covers_it():
    """For normal vectors with a known share."""
    rng = np.random.default_rng(0)
    for shift, tries in ((0.0, 150), (0.5, 150)):
        share = shift**2 / 4 / (3 + shift**2 / 4)
        covered = 0
        for _ in range(tries):
            values = rng.normal(size=(120, 3))
            values[60:, 0] += shift
            design = make_design(rows_of(np.arange(120), np.repeat([0, 1], 60)))
            labels = GroupLabels(design)
            low, high = share_explained(labels, scores_of(design, values), slice(0, 3)).interval
            covered += low <= share <= high
        # 95 % less three standard errors.
        assert covered >= 0.95 * tries - 3 * np.sqrt(0.95 * 0.05 * tries)


def test_scores_that_are_not_kept_are_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    design = make_design(
        rows_of(rng.integers(9, size=50), rng.integers(2, size=50), rng.integers(3, size=50))
    )
    values = rng.normal(size=(9, 4))
    kept = scores_of(design, values)
    monkeypatch.setattr(vectors_module, "KEPT", 0)
    made = scores_of(design, values)
    assert_allclose(made.own, kept.own, rtol=1e-12)
    assert_allclose(made.means, kept.means, rtol=1e-12)
    assert_array_equal(
        np.concatenate([b for _, b in made.blocks()]), np.concatenate([b for _, b in kept.blocks()])
    )
