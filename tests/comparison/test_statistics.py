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
from rankcut._loops import random_streams
from rankcut.comparison.permutations import GroupDraws, Options, Question, by_means
from rankcut.comparison.rows import ComparedRows, make_design
from rankcut.comparison.statistics import (
    Moments,
    about_mean,
    holm,
    modified_anova_type,
    score_statistics,
    share_explained,
    two_sided,
    whitened,
    with_equal_weights,
)
from rankcut.comparison.vectors import Scores, pairs, places, stored
from rankcut.rankings import Rankings, read_rankings


def assert_uniform(shuffles, n_different):
    counts = Counter(map(bytes, shuffles))
    assert len(counts) == n_different
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3


def test_shuffles_are_uniform():
    sizes = np.array([[3, 1, 2], [1, 1, 0]])
    labels = np.empty((20_000, 8), np.uint8)
    random_streams.shuffle_labels(sizes, np.array([0, 6, 8]), np.uint64(5), 0, labels)
    assert_array_equal(np.sort(labels[:, :6], axis=1), np.tile([0, 0, 0, 1, 2, 2], (20_000, 1)))
    assert_array_equal(np.sort(labels[:, 6:], axis=1), np.tile([0, 1], (20_000, 1)))
    assert_uniform(labels, 60 * 2)
    rows = np.empty((20_000, 6), np.int32)
    random_streams.shuffle_rows(np.array([0, 4, 6]), np.uint64(5), 0, rows)
    assert_uniform(rows, 24 * 2)


def test_shuffles_do_not_depend_on_their_block():
    sizes = np.array([[5, 4]])
    whole, part = np.empty((10, 9), np.uint8), np.empty((3, 9), np.uint8)
    random_streams.shuffle_labels(sizes, np.array([0, 9]), np.uint64(1), 0, whole)
    random_streams.shuffle_labels(sizes, np.array([0, 9]), np.uint64(1), 6, part)
    assert_array_equal(whole[6:9], part)


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_plain_python_does_the_same():
    sizes = np.array([[3, 2], [1, 4]])
    starts = np.array([0, 5, 10])
    fast, slow = np.empty((4, 10), np.uint8), np.empty((4, 10), np.uint8)
    random_streams.shuffle_labels(sizes, starts, np.uint64(3), 7, fast)
    random_streams.shuffle_labels.py_func(sizes, starts, np.uint64(3), 7, slow)
    assert_array_equal(fast, slow)
    values, units = np.arange(12.0).reshape(4, 3), np.arange(10) % 4
    for add in (random_streams.add_by_label, random_streams.add_by_label.py_func):
        sums = np.zeros((4, 2, 3))
        add(fast, units, values, 1, sums)
        for k in range(4):
            assert_allclose(sums[k, 0], values[units[fast[k] == 0]].sum(axis=0))
        assert (sums[:, 1] == 0).all()
    rows, again = np.empty((2, 10), np.int32), np.empty((2, 10), np.int32)
    random_streams.shuffle_rows(starts, np.uint64(3), 0, rows)
    random_streams.shuffle_rows.py_func(starts, np.uint64(3), 0, again)
    assert_array_equal(rows, again)


@pytest.mark.parametrize(
    ("unranked", "mean_places", "shares"),
    [
        (
            "last",
            [[2, 1, 3.5, 3.5], [3, 3, 3, 1]],
            [[0, 1, 1, 1, 1, 0.5], [0.5, 0.5, 0, 0.5, 0, 0]],
        ),
        (
            "anywhere",
            # Two listed items divide the five steps from 0 to 5 into thirds.
            [[10 / 3, 5 / 3, 2.5, 2.5], [2.5, 2.5, 2.5, 2.5]],
            [[0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 0.5], [0.5] * 6],
        ),
    ],
)
def test_unlisted_items_are_tied_last_or_anywhere(unranked, mean_places, shares):
    lists = read_rankings([[2, 1, np.nan, np.nan], [np.nan] * 3 + [1]], unranked=unranked)
    rows = np.arange(2)
    assert_allclose(places(lists).vectors(rows), mean_places, rtol=1e-12)
    assert_allclose(pairs(lists).vectors(rows), shares, rtol=1e-12)


def draws_of(values, group, weight=None, stratum=None, n_permutations=199):
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
    scores = Scores(make_design(rows), {"items": stored(np.asarray(values))})
    return GroupDraws(scores, slice(0, scores.width), Options(n_permutations, 0))


def moments_of(*samples):
    """Means, and their variances and covariances, by NumPy."""
    covariances = np.array([np.cov(x.T) / len(x) for x in samples])
    means = np.array([x.mean(axis=0) for x in samples])
    sizes = np.array([len(x) for x in samples])
    variances = np.array([np.diag(each) for each in covariances])
    return Moments(means, variances, sizes.astype(float), sizes, covariances)


@pytest.mark.parametrize("weighted", [False, True])
def test_moments_of_exchanged_labels(weighted):
    """Means, and linearised variances of them, by their definition."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(9, 2))
    weight = rng.random(9) + 0.5 if weighted else np.ones(9)
    group = np.array([0, 1, 1, 0, 2, 2, 1, 0, 1])
    draws = draws_of(values, group, weight)
    mean = np.average(values, axis=0, weights=weight)
    scores = about_mean(draws.data())
    for g in range(3):
        # Score variances are about the mean of all groups.
        left = (weight[:, None] * (values - mean))[group == g]
        spread = left.T @ left / weight[group == g].sum() ** 2
        assert_allclose(scores.variances[0, g], np.diag(spread), rtol=1e-9)
        assert_allclose(scores.covariances[0, g], spread, rtol=1e-9)
    # Labels are numbers of groups in the order of their sizes; weights stay with the labels.
    if weighted:
        slots = rng.permutation(9)
        drawn, shuffled, moved = (
            draws._slotted(slots[np.newaxis].astype(np.int32)),
            group[slots],
            weight[slots],
        )
    else:
        shuffled, moved = rng.permutation(group), weight
        drawn = draws._labelled(np.argsort(draws._order)[shuffled][np.newaxis].astype(np.uint8))
    for seen, own_group, own_weight in ((draws.data(), group, weight), (drawn, shuffled, moved)):
        assert seen.sizes.tolist() == [3, 4, 2]
        for g in range(3):
            own = own_group == g
            w, x = own_weight[own], values[own] - mean
            centre = w @ x / w.sum()
            assert_allclose(seen.means[0, g], centre, atol=1e-12)
            left = w[:, None] * (x - centre)
            spread = left.T @ left / w.sum() ** 2 * own.sum() / (own.sum() - 1)
            assert_allclose(seen.variances[0, g], np.diag(spread), rtol=1e-9)
            assert_allclose(seen.covariances[0, g], spread, rtol=1e-9, atol=1e-12)
    exact = draws.scores.moments("items")
    assert_allclose(exact.covariances, draws.data().covariances[0], rtol=1e-9, atol=1e-12)


def test_mats_by_its_matrices():
    """Q = μᵀMμ with M = T(TDT)⁺T, T the contrasts and D the variances; F by tr MV and tr MVMV."""
    rng = np.random.default_rng(2)
    samples = [
        rng.normal(size=(m, 3)) @ rng.normal(size=(3, 3)) + rng.normal(size=3) for m in (5, 7, 9)
    ]
    found = moments_of(*samples)
    contrasts = np.kron(np.eye(3) - 1 / 3, np.eye(3))
    spread = np.zeros((9, 9))
    for g in range(3):
        spread[3 * g : 3 * g + 3, 3 * g : 3 * g + 3] = found.covariances[g]
    middle = contrasts @ np.diag(np.diag(spread)) @ contrasts
    matrix = contrasts @ np.linalg.pinv(middle, rcond=1e-10) @ contrasts
    means = found.means.ravel()
    form = modified_anova_type(found)
    assert form.square == pytest.approx(means @ matrix @ means, rel=1e-9)
    assert form.expected == pytest.approx(np.trace(matrix @ spread), rel=1e-9)
    assert form.squared == pytest.approx(np.trace(matrix @ spread @ matrix @ spread), rel=1e-9)
    # A coordinate that does not vary, and is all rounding, changes nothing.
    wider = moments_of(*(np.column_stack([x, np.full(len(x), 0.3)]) for x in samples))
    again = modified_anova_type(wider.varying(np.array([True] * 3 + [False])))
    assert_allclose(again, form, rtol=1e-12)


def test_hotellings_trace_by_its_matrices():
    """tr HG⁻¹ with H between groups and G its expectation, of which correlations are halved."""
    rng = np.random.default_rng(3)
    samples = [rng.normal(size=(m, 3)) @ rng.normal(size=(3, 3)) + 0.3 * m for m in (5, 7, 9)]
    found = moments_of(*samples)
    every, sizes = np.vstack(samples), found.sizes
    scores = [x - every.mean(axis=0) for x in samples]
    gaps = found.means - every.mean(axis=0)
    between = (gaps * sizes[:, None]).T @ gaps
    expected = sum((1 - m / 21) * x.T @ x / m for x, m in zip(scores, sizes, strict=True))
    halved = np.where(np.eye(3), expected, expected / 2)
    # Each variance is about the mean of all, with the divisor of one about its own.
    form = with_equal_weights(about_mean(whitened(found)))
    assert form.square == pytest.approx(np.trace(np.linalg.solve(halved, between)), rel=1e-9)
    assert form.expected == pytest.approx(np.trace(np.linalg.solve(halved, expected)), rel=1e-9)
    # Units of the coordinates do not matter; with whole correlations directions do not either.
    for kept, turn in ((0.5, np.diag([1.0, 20.0, 0.3])), (1 - 1e-9, rng.normal(size=(3, 3)))):
        forms = [
            with_equal_weights(about_mean(whitened(moments_of(*each), kept)))
            for each in (samples, [x @ turn for x in samples])
        ]
        assert_allclose(forms[0], forms[1], rtol=1e-6)


def test_the_score_statistic_of_shares_is_pearsons():
    """Of two groups of the same size; and it never exceeds √n where Welch's t is infinite."""
    rng = np.random.default_rng(0)
    x, y = (rng.random((30, 3)) < 0.3).astype(float), (rng.random((30, 3)) < 0.6).astype(float)
    found = score_statistics(moments_of(x, y), np.ones(3, bool))[0]
    for k in range(3):
        table = [[each[:, k].sum(), 30 - each[:, k].sum()] for each in (x, y)]
        expected = stats.chi2_contingency(table, correction=False).statistic
        assert found[k] ** 2 == pytest.approx(expected, rel=1e-9)
    apart = moments_of(np.zeros((10, 2)), np.ones((10, 2)))
    assert_allclose(score_statistics(apart, np.ones(2, bool)), np.sqrt(20), rtol=1e-9)


def by_brute_force(values, size, statistic):
    """The statistic of each way to choose the first group, the data first."""
    first = ways(len(values), size)
    return np.array([statistic(values[own], values[~own]) for own in first])


def ways(n, size):
    """Flags of each choice of so many of n, the first ones first."""
    return np.array([np.isin(range(n), w) for w in itertools.combinations(range(n), size)])


def p_values_of_all(draws, question, n, size):
    """Those of all permutations instead of random ones: the data are one of them."""
    labels = (~ways(n, size)[1:]).astype(np.uint8)
    draws.number = draws._step = len(labels)
    draws.drawn = lambda first, size: draws._labelled(labels)
    return draws.p_values({"": question}, draws.data())[""]


def test_the_overall_p_value_by_brute_force():
    """The share of permutations in which the combination of three p-values is as small."""
    rng = np.random.default_rng(2)
    shift = np.repeat([[0.0], [1.0]], [5, 7], axis=0)
    values = rng.normal(size=(12, 3)) * [1.0, 2.0, 0.5] + shift * [0.8, 0.0, 0.1]
    draws = draws_of(values, np.repeat([0, 1], [5, 7]))

    def box(gap, parts):
        """F of a difference by the trace of its covariances, and p by Box's degrees of freedom."""
        both, traces = sum(parts), [np.trace(part) for part in parts]
        above = np.trace(both) ** 2 / (both**2).sum()
        below = np.trace(both) ** 2 / (traces[0] ** 2 / 4 + traces[1] ** 2 / 6)
        return stats.f.sf(gap @ gap / np.trace(both), above, below)

    def combined(x, y):
        gap, middle = x.mean(axis=0) - y.mean(axis=0), np.vstack([x, y]).mean(axis=0)
        parts = [(g - middle).T @ (g - middle) / len(g) ** 2 for g in (x, y)]
        own = np.sqrt(np.diag(sum(parts)))
        halved = np.where(np.eye(3), sum(parts), sum(parts) / 2)
        root = np.linalg.inv(np.linalg.cholesky(halved))
        p = np.array(
            [
                1 - (1 - 2 * stats.norm.sf(np.abs(gap / own).max())) ** 3,
                box(gap / own, [part / np.outer(own, own) for part in parts]),
                box(root @ gap, [root @ part @ root.T for part in parts]),
            ]
        )
        return -np.mean(1 / np.tan(np.pi * np.minimum(p, 0.99)))

    every = slice(0, 3)
    question = by_means(every, every, draws.scores.varies, two=False)
    got = p_values_of_all(draws, question, 12, 5)
    found = by_brute_force(values, 5, combined)
    assert question.normal(-found[:1])[0] == pytest.approx(stats.cauchy.cdf(found[0]), rel=1e-9)
    assert 0.02 < got[0] < 0.9
    assert got[0] == pytest.approx(np.mean(found <= found[0] + 1e-9), abs=1e-9)


def test_adjusted_p_values_are_those_of_westfall_and_young():
    """Step-down maxima by brute force, and no smaller than normal ones with Holm's correction."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(8, 3)) + np.repeat([[0.0], [1.0]], 4, axis=0) * [4.0, 1.0, 0.0]
    draws = draws_of(values, np.repeat([0, 1], 4))

    def look(moments):
        return score_statistics(moments, draws.scores.varies).max(axis=-2)

    def z(x, y):
        middle = (x.mean(axis=0) + y.mean(axis=0)) / 2
        spread = (((x - middle) ** 2).sum(axis=0) + ((y - middle) ** 2).sum(axis=0)) / 16
        return np.abs(x.mean(axis=0) - y.mean(axis=0)) / np.sqrt(spread)

    seen = z(values[:4], values[4:])
    assert_allclose(look(draws.data())[0], seen, rtol=1e-9)
    normal = holm(two_sided(seen))
    got = p_values_of_all(draws, Question(look, lambda _: normal, bounded=True), 8, 4)
    drawn = by_brute_force(values, 4, z)
    order = np.argsort(-seen)
    expected, largest = np.empty(3), 0.0
    for step, k in enumerate(order):
        at_least = drawn[:, order[step:]].max(axis=1) >= seen[k] * (1 - 1e-9)
        expected[k] = largest = max(largest, at_least.mean())
    assert_allclose(got, np.maximum(expected, normal), rtol=1e-9)


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
            found = moments_of(values[:60], values[60:])
            low, high = share_explained(found, float(draws.scores.total.sum())).interval
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
    unranked = draw(st.sampled_from(["error", "last", "anywhere"]))
    if unranked != "error":
        ranks = np.where(ranks <= rng.integers(1, 4, n)[:, None], ranks, np.nan)
    return ranks, groups, rng, {"unranked": unranked}


def answers(ranks, groups, **options):
    found = compare_groups(ranks, groups, n_permutations=49, **options)
    pairs = {frozenset((r["first"], r["second"])): r["p_value"] for r in found.pairs}
    items = {("p", r["item"]): r["p_value"] for r in found.items}
    gaps = {("difference", r["item"]): r["difference"] for r in found.items}
    return {"p": found.p_value, "effect": found.effect_size, **items, **gaps, **pairs}


def assert_same(one, other):
    # Strengths are fitted to six digits.
    assert one == pytest.approx(other, rel=1e-4, abs=1e-5)


@settings(max_examples=25, deadline=None)
@given(comparisons())
def test_neither_orders_nor_names_nor_counts_decide(case):
    ranks, groups, rng, options = case
    names = np.array(["uni", "ika", "ebi", "toro"])
    one = answers(ranks, groups, items=names.tolist(), **options)
    items = rng.permutation(4)
    assert_same(one, answers(ranks[:, items], groups, items=names[items].tolist(), **options))
    rows = rng.permutation(len(ranks))
    assert_same(one, answers(ranks[rows], groups[rows], items=names.tolist(), **options))
    other_names = np.array(["z", "y", "x"])[groups]
    assert_same(one, answers(ranks, other_names, items=names.tolist(), **options))
    counts = rng.integers(1, 3, len(ranks))
    votes = RankingSet(ranks, tuple(names.tolist()), counts=counts)
    again = np.repeat(np.arange(len(ranks)), counts)
    repeated = answers(ranks[again], groups[again], items=names.tolist(), **options)
    assert_same(answers(votes, groups, **options), repeated)


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
