"""The evidence of a linear model, by the density of its labels, and what its maximum tells."""

import numpy as np
import pytest
from oracles import is_at_the_maximum, log_evidence
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal

from rankcut.regression.evidence import (
    _SampleSpace,
    _WeightSpace,
    view_variances,
    view_variances_of_grams,
)


def sample_space(views, *arguments):
    return _SampleSpace([view @ view.T for view in views], *arguments)


@pytest.fixture
def data(rng):
    views = [rng.normal(size=(12, 4)), rng.normal(size=(12, 3))]
    return views, rng.choice([-1.0, 1.0], size=(12, 2))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("space", [_WeightSpace, sample_space])
def test_it_is_the_density_of_the_labels(space, data):
    views, targets = data
    variances, noise = np.array([0.3, 0.1]), 0.7
    covariance = sum(v * z @ z.T for v, z in zip(variances, views, strict=True))
    density = multivariate_normal(np.zeros(12), covariance + noise * np.eye(12))
    # But for the constant of the normal density.
    expected = -density.logpdf(targets.T).sum() - 12 * np.log(2 * np.pi)
    assert space(views, targets)(variances, noise).loss == pytest.approx(expected)


@pytest.mark.parametrize("space", [_WeightSpace, sample_space])
def test_its_slopes_are_those_of_differences(space, data):
    evidence = space(*data)
    logs = np.log([0.3, 0.1, 0.7])
    here = evidence(np.exp(logs[:2]), np.exp(logs[2]))
    found = [*here.slopes, here.noise_slope]
    by_differences = approx_fprime(logs, lambda x: evidence(np.exp(x[:2]), np.exp(x[2])).loss)
    assert found == pytest.approx(by_differences, rel=1e-4)


@pytest.mark.parametrize("n_samples", [30, 300])
def test_the_view_that_explains_the_labels_gets_the_variance(n_samples, rng):
    telling, silent = rng.normal(size=(2, n_samples, 20)) / np.sqrt(20)
    labels = np.sign(telling @ rng.normal(size=20))[:, None]
    one, other = view_variances([telling, silent], labels - labels.mean())
    assert one > 5 * other


@pytest.mark.parametrize("n_samples", [10, 40])
def test_variances_are_at_the_maximum_of_the_evidence(n_samples, rng):
    views = [rng.normal(size=(n_samples, width)) / np.sqrt(width) for width in (6, 4, 8)]
    targets = np.sign(rng.normal(size=(n_samples, 2)) + views[0][:, :2])
    targets -= targets.mean(axis=0)
    found = view_variances(views, targets)
    assert is_at_the_maximum(lambda variances: log_evidence(views, targets, variances), found)


@pytest.mark.parametrize("space", [_WeightSpace, sample_space])
def test_a_row_that_counts_is_that_many_rows(space, data):
    views, targets = data
    counts = np.arange(12) % 4 + 1
    repeated = space([np.repeat(z, counts, axis=0) for z in views], np.repeat(targets, counts, 0))
    roots = np.sqrt(counts)[:, None]
    counted = space([roots * z for z in views], roots * targets, float(counts.sum() - 12))
    one, other = (evidence(np.array([0.3, 0.1]), 0.7) for evidence in (repeated, counted))
    assert other.loss == pytest.approx(one.loss, rel=1e-12)
    assert other.slopes == pytest.approx(one.slopes, rel=1e-11)
    assert other.noise_slope == pytest.approx(one.noise_slope, rel=1e-11)


@pytest.mark.parametrize("counted", [False, True])
def test_inner_products_say_the_same_as_views(counted, rng):
    views = [rng.normal(size=(40, width)) / np.sqrt(width) for width in (6, 4)]
    targets = np.sign(rng.normal(size=(40, 1)) + views[0][:, :1])
    counts = np.arange(40) % 3 + 1.0 if counted else None
    found = view_variances_of_grams([view @ view.T for view in views], targets, counts)
    # As near as both are to the maximum.
    assert found == pytest.approx(view_variances(views, targets, counts), rel=1e-3)
