from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, special, stats
from tolerances import rounding

from rankcut._loops.likelihoods import average_logit, expect
from rankcut.gp.likelihoods import LIKELIHOODS, rules_of

from .conftest import NODES, SHARES, expected, log_likelihood

LINKS = ["probit", "logit"]
VARIANCES = np.array(
    [1e-10, 1.9e-5, 4e-4, 4e-3, 0.02, 0.07, 0.081, 0.19, 0.8, 2.4, 11.0, 55.0, 240.0, 4e3]
)


def grid():
    mean, variance = np.meshgrid(np.linspace(-7, 7, 15), VARIANCES)
    mean, variance = mean.ravel(), variance.ravel()
    sign = np.where(np.arange(len(mean)) % 2, 1.0, -1.0)
    return mean, variance, sign, np.ones(len(mean))


@pytest.mark.parametrize("link", LINKS)
def test_expectations_are_right_at_every_variance(link):
    mean, variance, sign, weight = grid()
    for i in range(len(mean)):
        row = slice(i, i + 1)
        found = LIKELIHOODS[link].expect(mean[row], variance[row], sign[row], weight[row])
        exact = expected(link, sign[row], mean[row], variance[row])[0]
        assert found.total == pytest.approx(exact, abs=1e-11)


@pytest.mark.parametrize("link", LINKS)
def test_derivatives_are_those_of_differences(link):
    mean, variance, sign, weight = grid()
    keep = variance > 1e-6
    mean, variance, sign, weight = mean[keep], variance[keep], sign[keep], 2.5 * weight[keep]
    likelihood = LIKELIHOODS[link]
    found = likelihood.expect(mean, variance, sign, weight)
    for i in range(len(mean)):
        row = slice(i, i + 1)

        def level(m, v, row=row):
            return likelihood.expect(np.array([m]), np.array([v]), sign[row], weight[row]).total

        h, k = 1e-4, 1e-3 * variance[i]
        by_mean = (level(mean[i] + h, variance[i]) - level(mean[i] - h, variance[i])) / (2 * h)
        by_variance = (level(mean[i], variance[i] + k) - level(mean[i], variance[i] - k)) / (2 * k)
        assert found.slope[i] == pytest.approx(by_mean, rel=1e-5, abs=1e-7)
        tolerance = 1e-5 + 1e-13 / k
        assert found.curvature[i] == pytest.approx(-2 * by_variance, rel=1e-4, abs=tolerance)


@pytest.mark.parametrize("link", LINKS)
def test_a_row_of_weight_two_is_two_rows(link):
    mean, variance, sign, weight = grid()
    once = LIKELIHOODS[link].expect(mean, variance, sign, weight)
    twice = LIKELIHOODS[link].expect(mean, variance, sign, 2 * weight)
    assert twice.total == pytest.approx(2 * once.total, rel=1e-14)
    np.testing.assert_allclose(twice.slope, 2 * once.slope, rtol=1e-14)
    np.testing.assert_allclose(twice.curvature, 2 * once.curvature, rtol=1e-14)


@pytest.mark.parametrize("link", LINKS)
def test_the_score_has_the_averaged_probability(link):
    mean, variance, _, _ = grid()
    f = mean[:, None] + np.sqrt(variance)[:, None] * NODES
    averaged = np.exp(log_likelihood(link, f)) @ SHARES
    likelihood = LIKELIHOODS[link]
    found = likelihood.probability(likelihood.score(mean, variance))
    np.testing.assert_allclose(found, averaged, rtol=1e-9)


def around_zero(function, mean, variance):
    """E[function(f)], by an adaptive rule for each side of 0 and the stretches beyond."""
    deviation = np.sqrt(variance)
    ends = [mean - 12 * deviation, -40.0, -4.0, 0.0, 4.0, 40.0, mean + 12 * deviation]
    density = stats.norm(mean, deviation).pdf
    ends = np.unique(np.clip(ends, ends[0], ends[-1]))
    return sum(
        integrate.quad(lambda f: function(f) * density(f), *span, epsabs=1e-14, limit=200)[0]
        for span in pairwise(ends)
    )


@pytest.mark.parametrize("variance", [5e3, 1.0001e4, 1e6, 1e8])
@pytest.mark.parametrize("mean", [0.0, 3.0, -700.0, 5000.0])
def test_logit_at_large_variances_and_far_means(mean, variance):
    logit = LIKELIHOODS["logit"]
    row = np.array([mean]), np.array([variance])
    level = around_zero(special.log_expit, mean, variance)
    found = logit.expect(*row, np.ones(1), np.ones(1))
    assert found.total == pytest.approx(level, rel=1e-9, abs=1e-11)
    share = around_zero(special.expit, mean, variance)
    assert found.slope[0] == pytest.approx(1 - share, abs=1e-11)
    assert logit.probability(logit.score(*row))[0] == pytest.approx(share, abs=1e-11)
    k = 1e-3 * variance
    up, down = (
        logit.expect(row[0], row[1] + step, np.ones(1), np.ones(1)).total for step in (k, -k)
    )
    assert found.curvature[0] == pytest.approx(-(up - down) / k, rel=1e-4, abs=1e-9)


def test_probit_beyond_whole_numbers():
    probit = LIKELIHOODS["probit"]
    mean = np.array([1e21, -1e21, 0.0])
    variance = np.array([1e3, 1e3, 1e42])
    levels = [
        probit.expect(mean[[i]], variance[[i]], np.ones(1), np.ones(1)).total for i in range(3)
    ]
    # The probability is 0.999, 0.001, or either of them.
    exact = np.log([0.999, 0.001, np.sqrt(0.999 * 0.001)])
    np.testing.assert_allclose(levels, exact, rtol=1e-9)


def test_log_odds_stay_finite_and_odd_far_from_zero():
    mean = np.array([-1e5, -800.0, -30.0, 0.0, 30.0, 800.0, 1e5])
    score = LIKELIHOODS["logit"].score(mean, np.full(7, 2.0))
    assert np.isfinite(score).all()
    np.testing.assert_allclose(score, -score[::-1], rtol=rounding(1))
    assert (np.diff(score[1:6]) > 0).all()


@pytest.mark.parametrize("link", LINKS)
def test_compiled_loops_do_what_their_python_does(link):
    arrays = [array[::3].copy() for array in grid()]
    outputs = []
    for function in (expect, expect.py_func):
        slope, curvature = np.empty_like(arrays[0]), np.empty_like(arrays[0])
        total = function(*arrays, rules_of(link), slope, curvature)
        outputs.append([total, slope, curvature])
    for machine, python in zip(*outputs, strict=True):
        np.testing.assert_allclose(machine, python, rtol=1e-9, atol=1e-9)


def test_compiled_averages_do_what_their_python_does():
    mean, variance, _, _ = grid()
    outputs = np.empty((2, len(mean)))
    average_logit(mean, variance, rules_of("logit"), outputs[0])
    average_logit.py_func(mean, variance, rules_of("logit"), outputs[1])
    np.testing.assert_allclose(outputs[0], outputs[1], rtol=1e-10, atol=1e-12)
