"""Statistics against formulas written out, and against SciPy."""

import numpy as np
from numpy.testing import assert_allclose
from scipy import stats

from rankcut.comparison.people import GroupedPeople, GroupVectors, places
from rankcut.comparison.statistics import (
    Moments,
    NormalDraws,
    Options,
    combine,
    holm,
    judge,
    normal_scores,
    pair_contrasts,
    step_down,
)
from rankcut.sample.grouped import read_grouped


def vectors_of(ranks, groups, *, more=4.0, **options):
    """The mean places of people, by group."""
    names = ("items", "strata", "people", "sample_weight", "counts")
    options = {"unranked": "error"} | dict.fromkeys(names) | options
    grouped, _ = read_grouped(ranks, groups, **options)
    people = GroupedPeople.of(grouped)
    return GroupVectors(people, places(people.sample.rankings), more=more)


def random_ranks(rng, n_rows, n_items=4):
    return rng.random((n_rows, n_items)).argsort(axis=1) + 1.0


def test_z_and_intervals_are_those_of_welch():
    rng = np.random.default_rng(0)
    ranks, groups = random_ranks(rng, 30), np.repeat([0, 1], [12, 18])
    moments = vectors_of(ranks, groups, more=0.0).moments()
    differences = Moments.of(*moments[:3], moments.contrasts).differences
    expected = stats.ttest_ind(ranks[:12], ranks[12:], equal_var=False)
    assert_allclose(differences.freedoms[0], expected.df)
    # Wallace's approximation of |z| is right to about a thousandth.
    assert_allclose(2 * stats.norm.sf(differences.z[0]), expected.pvalue, rtol=0.01)
    margins = differences.margins(stats.norm.isf(0.025))
    interval = expected.confidence_interval(0.95)
    assert_allclose(differences.gaps[0] - margins[0], interval.low, rtol=0.002)


def test_normal_scores_are_those_of_student():
    freedoms, t = np.array([[3.0], [8.0], [40.0], [np.inf]]), np.array([0.5, 2.0, 4.0])
    expected = stats.norm.isf(stats.t.sf(t, freedoms))
    assert_allclose(normal_scores(t**2, freedoms), expected, rtol=0.01)


def test_each_person_counts_once():
    """A person's mean of many rankings varies less: two rounds of the same people, by hand."""
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(40), np.where(np.arange(40) < 20, 30, 3))
    ranks, group = random_ranks(rng, len(person)), np.arange(40) // 20
    vectors = vectors_of(ranks, group[person], people=person)
    means = np.array([ranks[person == p].mean(axis=0) for p in range(40)])
    moments = vectors.moments()
    expected = [vectors.centre + mean for mean in moments.means]
    assert_allclose(expected, [means[:20].mean(axis=0), means[20:].mean(axis=0)])
    # Nothing differs between people here, so s² is that of single rankings by their number.
    often = vectors.people.n_rankings
    ratio = vectors.scale[often == 3].mean() ** 2 / vectors.scale[often == 30].mean() ** 2
    assert 5 < ratio < 10.01


def test_permutations_written_out():
    """Residuals change hands; groups, s and weights stay where they are."""
    rng = np.random.default_rng(2)
    person = np.repeat(np.arange(15), np.arange(15) % 4 + 1)
    ranks, group = random_ranks(rng, len(person)), np.arange(15) % 3
    weights = rng.exponential(size=15)[person]
    vectors = vectors_of(ranks, group[person], people=person, sample_weight=weights)
    units = vectors.drawn_units(7, 0, 1)[0]
    found = vectors.permuted(7, 0, 1)
    people = vectors.people
    for code, slots in enumerate(vectors._slots):
        w, s = slots.weights, slots.scale
        y = s[:, None] * vectors.residuals[units[slots.numbers]]
        mean = w @ y / w.sum()
        assert_allclose(found.means[0, code], mean)
        m = len(w)
        own = m / (m - 1) * (w**2 @ (y - mean) ** 2)
        target = (w * s) @ (w * s) * vectors.spread
        # Four more people are as spread as all.
        expected = ((m - 1) * own + 4 * target) / (m + 3) / w.sum() ** 2
        assert_allclose(found.variances[0, code], expected)
    assert sorted(units.tolist()) == sorted(people.sample.owners.tolist())


def test_normal_draws_have_the_moments_they_claim():
    rng = np.random.default_rng(3)
    covariances = [np.cov(rng.normal(size=(9, 3)), rowvar=False) for _ in range(2)]
    sides = np.triu_indices(3, 1)
    contrast = np.zeros((3, 3))
    contrast[np.arange(3), sides[0]], contrast[np.arange(3), sides[1]] = 1.0, -1.0
    for view, of_pairs in ((np.eye(3), None), (contrast, sides)):
        expected = np.array([np.diag(view @ each @ view.T) for each in covariances])
        data = Moments.of(np.zeros((2, 3)), expected, np.array([[6.0], [80.0]]), pair_contrasts(2))
        draws = NormalDraws(data, covariances, 0, of_pairs)(0, 20_000)
        for k, covariance in enumerate(covariances):
            drawn = np.cov(draws.means[:, k], rowvar=False)
            assert_allclose(drawn, view @ covariance @ view.T, atol=0.05 * expected[k].max())
        assert_allclose(draws.variances[:, 0].mean(axis=0), expected[0], rtol=0.03)
        # A χ² with six degrees of freedom has the variance 12, and the mean 6.
        spread = draws.variances[:, 0].var(axis=0) / expected[0] ** 2
        assert_allclose(spread, 2 / 6, rtol=0.1)
        assert_allclose(draws.variances[:, 1], np.broadcast_to(expected[1], (20_000, 3)))


def test_judged_by_their_share_of_draws():
    """Without correlations: Šidák's p-values, and intervals that reach as far."""
    variances = np.ones((2, 4)) / 2
    means = np.array([[2.8, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.1]])
    data = Moments.of(means, variances, np.full((2, 1), np.inf), pair_contrasts(2))
    draws = NormalDraws(data, [np.eye(4) / 2] * 2, 1)
    judged = judge(data, draws, 20_000, Options(20_000, 0.9, 0))
    one = 2 * stats.norm.sf(2.8)
    assert_allclose(judged.each[0], 1 - (1 - one) ** 4, rtol=0.15)
    assert_allclose(judged.each[1], 1 - (1 - 2 * stats.norm.sf(0.5)) ** 3, rtol=0.03)
    reach = stats.norm.isf((1 - 0.9 ** (1 / 4)) / 2)
    assert_allclose(judged.margins, np.full((1, 4), reach), rtol=0.02)
    squares = stats.chi2.sf((means[0] ** 2).sum() + 0.01, 4)
    assert min(one * 4, squares) / 2 < judged.overall < 2 * max(one * 4, squares)


def test_adjusted_p_values():
    rng = np.random.default_rng(4)
    draws, values = np.abs(rng.normal(size=(500, 6))), np.abs(rng.normal(size=6)) * 2
    found = step_down(values, draws)
    order = np.argsort(-values)
    running = 0.0
    for k, item in enumerate(order):
        largest = draws[:, order[k:]].max(axis=1)
        running = max(running, (1 + (largest >= values[item]).sum()) / 501)
        assert_allclose(found[item], running)
    p = rng.random(6)
    assert_allclose(holm(p).min(), min(1, 6 * p.min()))


def test_the_clearer_statistic_counts():
    rng = np.random.default_rng(5)
    z = np.abs(rng.normal(size=(20_001, 3)))
    z[0] = [3.5, 0.1, 0.1]
    largest, squares = z.max(axis=1)[:, None], (z**2).sum(axis=1)[:, None]
    combined = np.exp(-combine(largest, squares, 3))[:, 0]
    assert_allclose(combined[0], 1 - (1 - 2 * stats.norm.sf(3.5)) ** 3)
    of_largest = 1 - (1 - 2 * stats.norm.sf(largest[:, 0])) ** 3
    both = np.minimum(of_largest, stats.chi2.sf(squares[:, 0], 3))
    small = both < 0.2
    assert_allclose(combined[small], both[small], rtol=0.2)
