"""Bayesian ridge from sums, against scikit-learn's and its Gaussian process."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, WhiteKernel
from sklearn.linear_model import BayesianRidge

from rankcut import GPRegressor
from rankcut.gp.regressor import fit_ridge, sum_block


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    y = 30 + X @ [3.0, -2.0, 0.0, 1.0] + rng.normal(0, 2.0, 60)
    return X, y


def test_it_is_scikit_learns_bayesian_ridge(rows):
    """With learned variances, of data with a constant column and one that is a sum of others."""
    X, y = rows
    X = np.column_stack([X, np.ones(60), X[:, 0] + X[:, 1]])
    flat = dict.fromkeys(("alpha_1", "alpha_2", "lambda_1", "lambda_2"), 0.0)
    expected = BayesianRidge(tol=1e-13, max_iter=10_000, **flat).fit(X, y)
    model = GPRegressor().fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-9)
    assert model.intercept_ == pytest.approx(expected.intercept_, rel=1e-8)
    assert model.noise_variance_ == pytest.approx(1 / expected.alpha_, rel=1e-6)
    assert model.kernel_variance_ == pytest.approx(1 / expected.lambda_, rel=1e-6)
    new = np.random.default_rng(2).normal(size=(10, 6))
    mean, std = model.predict(new, return_std=True)
    theirs, deviation = expected.predict(new, return_std=True)
    np.testing.assert_allclose(mean, theirs, rtol=1e-8)
    # Ours includes that the mean of y is not known.
    level = model.noise_variance_ / len(y)
    np.testing.assert_allclose(std**2, deviation**2 + level, rtol=1e-6)


@pytest.mark.parametrize(
    "given",
    [
        {"kernel_variance": 2.0, "noise_variance": 3.0},
        {"kernel_variance": 1e-6, "noise_variance": 1.0},
        {"kernel_variance": 0.5},
        {"noise_variance": 4.0},
    ],
)
def test_variances_that_are_given_are_those_of_a_gaussian_process(rows, given):
    """scikit-learn's over function values, with a constant of nearly any size."""
    X, y = rows
    model = GPRegressor(**given).fit(X, y)
    assert {name: getattr(model, f"{name}_") for name in given} == given
    kernel = ConstantKernel(model.kernel_variance_) * DotProduct(1e4 / model.kernel_variance_**0.5)
    kernel += WhiteKernel(model.noise_variance_)
    expected = GaussianProcessRegressor(kernel, optimizer=None, alpha=1e-10).fit(X, y)
    new = np.random.default_rng(2).normal(size=(10, 4))
    mean, std = model.predict(new, return_std=True)
    theirs, deviation = expected.predict(new, return_std=True)
    np.testing.assert_allclose(mean, theirs, rtol=1e-4)
    np.testing.assert_allclose(std, deviation, rtol=1e-3)
    augmented = np.column_stack([new, np.ones(10)])
    spread = np.einsum("ij,jk,ik->i", augmented, model.covariance_, augmented)
    np.testing.assert_allclose(spread + model.noise_variance_, std**2, rtol=1e-9)


def test_fewer_rows_than_features_are_the_same_problem():
    rng = np.random.default_rng(6)
    X, new = rng.normal(size=(25, 60)), rng.normal(size=(10, 60))
    X[3] = X[4]  # fewer directions than rows
    y, weight = 3 + X[:, 0] + rng.normal(size=25), rng.uniform(0.5, 3.0, 25)
    for given in ({}, {"kernel_variance": 0.3}):
        few = GPRegressor(**given).fit(X, y, sample_weight=weight)
        assert few._basis.shape == (60, 25)
        whole = GPRegressor(**given).fit_sums(lambda part: part(X, y, weight))
        whole.n_features_in_ = 60
        assert few.log_evidence_ == pytest.approx(whole.log_evidence_, rel=1e-8)
        for name in ("coef_", "covariance_", "intercept_", "kernel_variance_", "noise_variance_"):
            found, expected = getattr(few, name), getattr(whole, name)
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
        both = (model.predict(new, return_std=True) for model in (few, whole))
        np.testing.assert_allclose(*both, rtol=1e-5)


def test_learned_variances_are_a_maximum_of_the_evidence(rows):
    X, y = rows
    sums = sum_block(X, y)
    best = fit_ridge(sums, None, None)
    centred = X - X.mean(axis=0)
    covariance = best.variances[0] * centred @ centred.T + best.variances[1] * np.eye(60)
    expected = multivariate_normal(np.zeros(60), covariance).logpdf(y - y.mean())
    assert best.log_evidence == pytest.approx(expected, rel=1e-9)
    for kernel, noise in ((1.1, 1.0), (0.9, 1.0), (1.0, 1.1), (1.0, 0.9)):
        moved = fit_ridge(sums, kernel * best.variances[0], noise * best.variances[1])
        assert moved.log_evidence < best.log_evidence


def test_weights_are_copies_to_the_last_bit(rows):
    X, y = rows
    counts = np.random.default_rng(3).integers(0, 4, 60)
    weighted = GPRegressor().fit(X, y, sample_weight=counts)
    repeated = GPRegressor().fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert (weighted.predict(X) == repeated.predict(X)).all()


def test_any_number_of_threads_gives_the_same_bits():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(3000, 20))
    y = X[:, 0] + rng.normal(size=3000)
    one, two = (GPRegressor(n_jobs=n).fit(X, y) for n in (1, 2))
    assert (one.coef_ == two.coef_).all()
    assert (one.predict(X) == two.predict(X)).all()


def test_intervals_hold():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 8))
    y = X @ rng.normal(size=8) + rng.normal(0, 3.0, 4000)
    model = GPRegressor().fit(X[:200], y[:200])
    mean, std = model.predict(X[200:], return_std=True)
    inside = (np.abs(y[200:] - mean) < 1.96 * std).mean()
    # 3,800 new rows: a standard error of 0.0035, beside that of the noise found from 200.
    assert 0.92 < inside < 0.98


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_of_features_and_targets_do_not_matter(rows, scale):
    X, y = rows
    plain = GPRegressor().fit(X, y).predict(X)
    np.testing.assert_allclose(GPRegressor().fit(X * scale, y).predict(X * scale), plain, rtol=1e-5)
    np.testing.assert_allclose(GPRegressor().fit(X, y * scale).predict(X) / scale, plain, rtol=1e-5)
    constant = GPRegressor().fit(np.eye(4), np.full(4, 7.0 * scale))
    np.testing.assert_allclose(constant.predict(np.eye(4)), 7.0 * scale, rtol=1e-3)
