"""Gaussian process regression over weights, against scikit-learn's over function values."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, WhiteKernel

from rankcut import GPRegressor
from rankcut.gp.regressor import _Arrow, fit_sums, sum_rows


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    y = 30 + X @ [3.0, -2.0, 0.0, 1.0] + rng.normal(0, 2.0, 60)
    return X, y


def oracle(X, y, model):
    """scikit-learn's regressor with the same kernel: σ²⟨φ, φ'⟩ + c², and noise τ²."""
    ratio = np.sqrt(model.constant_variance_ / model.kernel_variance_)
    kernel = ConstantKernel(model.kernel_variance_) * DotProduct(ratio)
    kernel += WhiteKernel(model.noise_variance_)
    # scikit-learn keeps logarithms of the parameters.
    with np.errstate(divide="ignore"):
        return GaussianProcessRegressor(kernel, optimizer=None, alpha=1e-10).fit(X, y)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"kernel_variance": 2.0, "noise_variance": 3.0},
        {"kernel_variance": 0.7, "noise_variance": 5.0, "constant_variance": 0.0},
        {"kernel_variance": 1e-6, "noise_variance": 1.0, "constant_variance": 1e4},
    ],
)
def test_it_is_scikit_learns_with_the_same_kernel(rows, given):
    X, y = rows
    # A constant column, and one that is the sum of others: no direction may be lost.
    X = np.column_stack([X, np.ones(60), X[:, 0] + X[:, 1]])
    model = GPRegressor(**given).fit(X, y)
    expected = oracle(X, y, model)
    assert model.log_evidence_ == pytest.approx(expected.log_marginal_likelihood_value_, rel=1e-8)
    new = np.random.default_rng(2).normal(size=(10, 6))
    mean, std = model.predict(new, return_std=True)
    known, deviation = expected.predict(new, return_std=True)
    np.testing.assert_allclose(mean, known, rtol=1e-6)
    np.testing.assert_allclose(std, deviation, rtol=1e-6)


def test_fewer_rows_than_features_are_the_same_problem():
    rng = np.random.default_rng(6)
    X, new = rng.normal(size=(25, 60)), rng.normal(size=(10, 60))
    X[3] = X[4]  # fewer directions than rows
    y, weight = 3 + X[:, 0] + rng.normal(size=25), rng.uniform(0.5, 3.0, 25)
    for given in ({}, {"kernel_variance": 0.3, "constant_variance": 0.0}):
        few = GPRegressor(**given).fit(X, y, sample_weight=weight)
        assert few._basis.shape == (60, 25)
        whole = GPRegressor(**given)._keep(sum_rows(X, y, weight, None))
        whole.n_features_in_ = 60
        assert few.log_evidence_ == pytest.approx(whole.log_evidence_, rel=1e-8)
        for name in ("coef_", "covariance_", "intercept_", "kernel_variance_", "noise_variance_"):
            found, expected = getattr(few, name), getattr(whole, name)
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
        both = (model.predict(new, return_std=True) for model in (few, whole))
        np.testing.assert_allclose(*both, rtol=1e-5)


def test_learned_variances_are_a_maximum_of_the_evidence(rows):
    X, y = rows
    sums = sum_rows(X, y, None, None)
    found = fit_sums(sums, None, None, None)
    at = np.log(found.variances)
    evidence = _Arrow(sums).evidence
    value, slope = evidence(at)
    assert value == pytest.approx(found.posterior.evidence, rel=1e-10)
    assert np.abs(slope).max() < 1e-5 * len(y)
    for move in np.vstack([np.eye(3), -np.eye(3)]):
        assert evidence(at + 0.1 * move)[0] < value
    # The slope is the change of the evidence.
    elsewhere = at + np.array([0.5, -0.3, 0.4])
    changes = approx_fprime(elsewhere, lambda logs: evidence(logs)[0])
    assert evidence(elsewhere)[1] == pytest.approx(changes, rel=1e-4, abs=1e-4)


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


def test_blocks_of_a_dask_array_add_up_to_the_same(rows):
    da = pytest.importorskip("dask.array")
    import rankcut.dask  # noqa: F401

    X, y = rows
    whole = GPRegressor().fit(X, y)
    blocks = da.from_array(X, chunks=(25, 4))
    parts = GPRegressor().fit(blocks, da.from_array(y, chunks=25), sample_weight=np.ones(60))
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-5)
    mean, std = whole.predict(blocks, return_std=True)
    np.testing.assert_allclose(mean.compute(), whole.predict(X), rtol=1e-12)
    assert std.compute().shape == (60,)
