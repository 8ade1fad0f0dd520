"""The bound, its Gaussians and expectations against dense matrices and integrals."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtr
from sklearn.gaussian_process.kernels import RBF

from rankcut import GPClassifier
from rankcut.gp.gaussian import WeightPrior, expect, probability
from rankcut.gp.weight_space import LabelledRows, WeightSpace

FIXED = {"kernel_variance": 0.7, "constant_variance": 0.3}
FLIPPED = 1e-3
NODES = np.linspace(-9, 9, 6001)
SHARES = np.exp(-0.5 * NODES**2) / np.exp(-0.5 * NODES**2).sum()


def log_likelihood(f):
    """log p(y = 1 | f)."""
    return np.log(FLIPPED + (1 - 2 * FLIPPED) * ndtr(f))


def expected(sign, mean, variance):
    """E log p(y | f) by brute force, for each row."""
    f = mean[:, None] + np.sqrt(variance)[:, None] * NODES
    return log_likelihood(sign[:, None] * f) @ SHARES


def dense_elbo(gram, sign, weight, mean, covariance):
    """The ELBO of q(f) = N(mean, covariance) under the prior N(0, gram), all m × m."""
    size = len(sign)
    inverse = np.linalg.inv(gram)
    divergence = 0.5 * (
        np.trace(inverse @ covariance)
        + mean @ inverse @ mean
        - size
        + np.linalg.slogdet(gram)[1]
        - np.linalg.slogdet(covariance)[1]
    )
    return weight @ expected(sign, mean, np.diagonal(covariance)) - divergence


@pytest.fixture
def noisy():
    """Features of 60 rows in 3 dimensions, labels that overlap, weights."""
    rng = np.random.default_rng(5)
    features = rng.normal(size=(60, 3))
    labels = features @ [1.0, -0.5, 0.2] + rng.normal(size=60) > 0.2
    return features, labels.astype(int), rng.integers(1, 4, size=60).astype(float)


def test_the_bound_is_that_of_dense_matrices(noisy):
    X, y, weight = (part[:12] for part in noisy)
    gram = RBF(1.3)(X)
    # Vectors whose inner products are the kernel: as many as there are rows.
    rows = np.linalg.cholesky(gram)
    model = GPClassifier(**FIXED).fit(rows, y, sample_weight=weight)
    mean = model.predict_latent(rows)[0]
    rows = np.column_stack([rows, np.ones(12)])
    covariance = rows @ model.covariance_[0] @ rows.T
    sign = np.where(y == 1, 1.0, -1.0)
    exact = dense_elbo(0.7 * gram + 0.3, sign, weight, mean, covariance)
    assert model.elbo_ == pytest.approx(exact, abs=1e-7)


def test_no_general_optimiser_finds_a_better_gaussian(noisy):
    X, y, weight = (part[:6] for part in noisy)
    gram = 0.7 * RBF(1.3)(X) + 0.3
    sign = np.where(y == 1, 1.0, -1.0)
    root = np.linalg.cholesky(gram)
    lower = np.tril_indices(6)

    def loss(parameters):
        factor = np.zeros((6, 6))
        factor[lower] = parameters[6:]
        spread = root @ factor
        try:
            return -dense_elbo(gram, sign, weight, root @ parameters[:6], spread @ spread.T)
        except np.linalg.LinAlgError:
            return 1e10

    start = np.concatenate([np.zeros(6), np.eye(6)[lower]])
    found = minimize(loss, start, method="L-BFGS-B", options={"maxfun": 4000, "ftol": 1e-12})
    model = GPClassifier(tol=1e-12, **FIXED)
    model.fit(np.linalg.cholesky(RBF(1.3)(X)), y, sample_weight=weight)
    assert model.elbo_ >= -found.fun - 1e-9
    assert model.elbo_ == pytest.approx(-found.fun, abs=1e-4)


@pytest.mark.parametrize("n_dimensions", [1, 2])
def test_the_posterior_is_near_that_of_quadrature(n_dimensions):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, n_dimensions))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    model = GPClassifier(kernel_variance=1.0, constant_variance=0.0).fit(X, y)
    axis = np.linspace(-4, 4, 121)
    weights = np.stack(np.meshgrid(*[axis] * n_dimensions), axis=-1).reshape(-1, n_dimensions)
    sign = np.where(y == 1, 1.0, -1.0)
    logs = log_likelihood((weights @ X.T) * sign).sum(axis=1) - 0.5 * (weights**2).sum(axis=1)
    density = np.exp(logs - logs.max())
    cell = (axis[1] - axis[0]) ** n_dimensions
    evidence = np.log(density.sum() * cell) + logs.max() - 0.5 * n_dimensions * np.log(2 * np.pi)
    density /= density.sum()
    mean = density @ weights
    centred = weights - mean
    covariance = centred.T @ (centred * density[:, None])
    deviations = np.sqrt(np.diagonal(covariance))
    assert (np.abs(model.coef_[0] - mean) < 0.05 * deviations).all()
    np.testing.assert_allclose(
        model.covariance_[0], covariance, atol=0.05 * np.outer(deviations, deviations).max()
    )
    # A lower bound of the evidence, and close to it.
    assert evidence - 0.05 < model.elbo_ < evidence


def test_gradients_are_those_of_differences_and_short_steps_raise_the_bound(noisy):
    X, y, weight = noisy
    bound = WeightSpace(LabelledRows(X, y == 1, weight), WeightPrior(None, None, 3.0))
    start = bound.start()
    state = bound.evaluate(start.target, start.parameters)
    here = state.parameters + 0.3
    _, gradient = bound.evidence(state.target, here)
    for coordinate, step in enumerate(1e-5 * np.eye(len(here))):
        above = bound.evidence(state.target, here + step)[0]
        below = bound.evidence(state.target, here - step)[0]
        assert gradient[coordinate] == pytest.approx((above - below) / 2e-5, abs=1e-6)
    rises = [
        bound.evaluate(state.sites.towards(state.target, share), state.parameters).elbo - state.elbo
        for share in (1e-4, 2e-4)
    ]
    assert rises[0] > 0
    assert rises[1] == pytest.approx(2 * rises[0], rel=1e-2)


def test_learned_variances_are_where_the_bound_is_greatest(noisy):
    X, y, weight = noisy
    learned = GPClassifier().fit(X, y, sample_weight=weight)

    def bound(factor, constant):
        model = GPClassifier(
            kernel_variance=factor * learned.kernel_variance_[0],
            constant_variance=constant * learned.constant_variance_[0],
            tol=1e-10,
        )
        return model.fit(X, y, sample_weight=weight).elbo_

    assert bound(1.0, 1.0) == pytest.approx(learned.elbo_, abs=1e-6)
    for factors in [(1.3, 1.0), (1 / 1.3, 1.0), (1.0, 1.3), (1.0, 1 / 1.3)]:
        assert bound(*factors) < learned.elbo_


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
    # Means beyond whole numbers: the probability is 0.999, 0.001, or either of them.
    levels = [level(m, v, 1.0) for m, v in [(1e21, 1e3), (-1e21, 1e3), (0.0, 1e42)]]
    exact = np.log([0.999, 0.001, np.sqrt(0.999 * 0.001)])
    np.testing.assert_allclose(levels, exact, rtol=1e-9)


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


def test_the_score_has_the_averaged_probability():
    mean, variance, _, _ = grid()
    f = mean[:, None] + np.sqrt(variance)[:, None] * NODES
    averaged = np.exp(log_likelihood(f)) @ SHARES
    np.testing.assert_allclose(probability(mean / np.sqrt(1 + variance)), averaged, rtol=1e-9)
