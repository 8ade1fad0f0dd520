"""Expectations of the likelihood under Gaussians, against brute force."""

import numpy as np
import pytest

from rankcut._loops.likelihoods import expect as compiled
from rankcut.gp.gaussian import expect, probability, rules

from .conftest import NODES, SHARES, expected, log_likelihood

VARIANCES = np.array([1e-10, 1.9e-5, 4e-4, 4e-3, 0.02, 0.07, 0.081, 0.19, 0.8, 2.4, 11.0, 240, 4e3])


def grid():
    mean, variance = np.meshgrid(np.linspace(-7, 7, 15), VARIANCES)
    mean, variance = mean.ravel(), variance.ravel()
    sign = np.where(np.arange(len(mean)) % 2, 1.0, -1.0)
    return mean, variance, sign, np.ones(len(mean))


def level(mean, variance, sign, weight=1.0):
    """The expectation for one row."""
    return expect(*(np.array([number]) for number in (mean, variance, sign, weight))).total


def test_expectations_are_right_at_every_variance():
    mean, variance, sign, _ = grid()
    found = [level(*row) for row in zip(mean, variance, sign, strict=True)]
    np.testing.assert_allclose(found, expected(sign, mean, variance), rtol=0, atol=1e-11)


def test_derivatives_are_those_of_differences():
    mean, variance, sign, weight = grid()
    found = expect(mean, variance, sign, 2.5 * weight)
    for i in np.flatnonzero(variance > 1e-6):
        m, v, s = mean[i], variance[i], sign[i]
        h, k = 1e-4, 1e-3 * v
        by_mean = (level(m + h, v, s, 2.5) - level(m - h, v, s, 2.5)) / (2 * h)
        by_variance = (level(m, v + k, s, 2.5) - level(m, v - k, s, 2.5)) / (2 * k)
        assert found.slope[i] == pytest.approx(by_mean, rel=1e-5, abs=1e-7)
        tolerance = 1e-5 + 1e-13 / k
        assert found.curvature[i] == pytest.approx(-2 * by_variance, rel=1e-4, abs=tolerance)


def test_a_row_of_weight_two_is_two_rows():
    mean, variance, sign, weight = grid()
    once, twice = expect(mean, variance, sign, weight), expect(mean, variance, sign, 2 * weight)
    for one, other in zip(once, twice, strict=True):
        np.testing.assert_allclose(other, 2 * np.asarray(one), rtol=1e-14)


def test_the_score_has_the_averaged_probability():
    mean, variance, _, _ = grid()
    f = mean[:, None] + np.sqrt(variance)[:, None] * NODES
    averaged = np.exp(log_likelihood(f)) @ SHARES
    np.testing.assert_allclose(probability(mean / np.sqrt(1 + variance)), averaged, rtol=1e-9)


def test_means_beyond_whole_numbers():
    levels = [level(m, v, 1.0) for m, v in [(1e21, 1e3), (-1e21, 1e3), (0.0, 1e42)]]
    # The probability is 0.999, 0.001, or either of them.
    exact = np.log([0.999, 0.001, np.sqrt(0.999 * 0.001)])
    np.testing.assert_allclose(levels, exact, rtol=1e-9)


def test_the_compiled_loop_does_what_its_python_does():
    arrays = [array[::3].copy() for array in grid()]
    outputs = []
    for function in (compiled, compiled.py_func):
        slope, curvature = np.empty_like(arrays[0]), np.empty_like(arrays[0])
        total = function(*arrays, rules(), slope, curvature)
        outputs.append([total, slope, curvature])
    for machine, python in zip(*outputs, strict=True):
        np.testing.assert_allclose(machine, python, rtol=1e-9, atol=1e-9)
