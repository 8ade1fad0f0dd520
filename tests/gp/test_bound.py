"""The bound against oracles: dense matrices, general optimisers, quadrature over the posterior."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.gaussian_process.kernels import RBF

from rankcut import GPClassifier, MallowsKernel, make_food
from rankcut.gp.function_space import FunctionSpace, KernelRows
from rankcut.gp.gaussian import WeightPrior
from rankcut.gp.likelihoods import LIKELIHOODS
from rankcut.gp.weight_space import LabelledRows, WeightSpace
from rankcut.kernels import median_lambda

from .conftest import dense_elbo, log_likelihood

LINKS = ["probit", "logit"]
FIXED = {"kernel_variance": 0.7, "constant_variance": 0.3}


def linear(X, Y):
    return X @ Y.T


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("options", [FIXED, {}, {"constant_variance": 0.0}])
def test_weight_space_and_function_space_agree(link, options, noisy):
    X, y, weight = noisy
    new = np.random.default_rng(0).normal(size=(20, 3))
    options = {"link": link, "tol": 1e-12, **options}
    by_weights = GPClassifier(**options).fit(X, y, sample_weight=weight)
    by_values = GPClassifier(linear, **options).fit(X, y, sample_weight=weight)
    by_gram = GPClassifier("precomputed", **options).fit(X @ X.T, y, sample_weight=weight)
    for other, rows in [(by_values, new), (by_gram, new @ X.T)]:
        assert other.elbo_ == pytest.approx(by_weights.elbo_, rel=1e-6)
        np.testing.assert_allclose(other.kernel_variance_, by_weights.kernel_variance_, rtol=1e-3)
        if "kernel_variance" in options:
            ours, theirs = by_weights.predict_latent(new), other.predict_latent(rows)
            # A Gram matrix does not tell k(x, x) of new rows, on which variances depend.
            n_told = 1 if other is by_gram else 2
            np.testing.assert_allclose(theirs[:n_told], ours[:n_told], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        by_values.predict_proba(new), by_weights.predict_proba(new), atol=1e-6
    )


@pytest.mark.parametrize("link", LINKS)
def test_the_bound_is_that_of_dense_matrices(link, noisy):
    X, y, weight = (part[:12] for part in noisy)
    gram = RBF(1.3)(X)
    model = GPClassifier("precomputed", link=link, **FIXED).fit(gram, y, sample_weight=weight)
    # q(f) is the posterior of the latent function at the fitted rows; its covariance follows
    # from its variances along pairs of rows, here from the features of the Gram matrix.
    fitted = model._predictor.posteriors[0]
    cross = np.ldexp(gram[:, model._predictor.columns], -fitted.exponent)
    rows = np.column_stack([fitted.factor.features(cross), np.ones(12)])
    mean = rows @ fitted.posterior.mean
    spread = rows @ fitted.posterior.factor
    np.testing.assert_allclose(mean, model.predict_latent(gram)[0], rtol=1e-9)
    prior = 0.7 * gram + 0.3
    sign = np.where(y == 1, 1.0, -1.0)
    exact = dense_elbo(link, prior, sign, weight, mean, spread @ spread.T)
    assert model.elbo_ == pytest.approx(exact, abs=1e-7)


@pytest.mark.parametrize("link", LINKS)
def test_no_general_optimiser_finds_a_better_gaussian(link, noisy):
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
            return -dense_elbo(link, gram, sign, weight, root @ parameters[:6], spread @ spread.T)
        except np.linalg.LinAlgError:
            return 1e10

    start = np.concatenate([np.zeros(6), np.eye(6)[lower]])
    found = minimize(loss, start, method="L-BFGS-B", options={"maxfun": 4000, "ftol": 1e-12})
    model = GPClassifier(RBF(1.3, "fixed"), link=link, tol=1e-12, **FIXED)
    model.fit(X, y, sample_weight=weight)
    assert model.elbo_ >= -found.fun - 1e-9
    assert model.elbo_ == pytest.approx(-found.fun, abs=1e-4)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("n_dimensions", [1, 2])
def test_the_posterior_is_near_that_of_quadrature(link, n_dimensions):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, n_dimensions))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    model = GPClassifier(link=link, kernel_variance=1.0, constant_variance=0.0).fit(X, y)
    axis = np.linspace(-4, 4, 121)
    weights = np.stack(np.meshgrid(*[axis] * n_dimensions), axis=-1).reshape(-1, n_dimensions)
    sign = np.where(y == 1, 1.0, -1.0)
    logs = log_likelihood(link, (weights @ X.T) * sign).sum(axis=1) - 0.5 * (weights**2).sum(axis=1)
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


def problems(noisy, link):
    X, y, weight = noisy
    kernel = KernelRows(RBF(0.8), X)
    likelihood = LIKELIHOODS[link]
    yield WeightSpace(
        LabelledRows(X, y == 1, weight), likelihood, WeightPrior(None, None, 3.0, 1.0 * len(y))
    )
    prior = WeightPrior(None, None, 1.0, 1.0 * len(y), kernel.start, kernel.bounds)
    yield FunctionSpace(kernel, y == 1, weight, likelihood, prior)
    food = make_food(40, noise=0.5, random_state=0)
    kernel = KernelRows(MallowsKernel(0.1), food.ranks)
    prior = WeightPrior(None, None, 1.0, 40.0, kernel.start, kernel.bounds)
    yield FunctionSpace(kernel, food.target == 1, None, likelihood, prior)


@pytest.mark.parametrize("link", LINKS)
def test_gradients_are_those_of_differences(link, noisy):
    for problem in problems(noisy, link):
        state = problem.start()
        state = problem.evaluate(state.target, state.parameters)
        here = state.parameters + 0.3
        _, gradient = problem.evidence(state.target, here)
        for coordinate in range(len(here)):
            step = np.zeros(len(here))
            step[coordinate] = 1e-5
            above = problem.evidence(state.target, here + step)[0]
            below = problem.evidence(state.target, here - step)[0]
            assert gradient[coordinate] == pytest.approx((above - below) / 2e-5, abs=1e-6)


@pytest.mark.parametrize("link", LINKS)
def test_a_short_step_towards_the_target_raises_the_bound(link, noisy):
    for problem in problems(noisy, link):
        start = problem.start()
        state = problem.evaluate(start.target, start.parameters)
        rises = [
            problem.evaluate(state.sites.towards(state.target, share), state.parameters).elbo
            - state.elbo
            for share in (1e-4, 2e-4)
        ]
        assert rises[0] > 0
        assert rises[1] == pytest.approx(2 * rises[0], rel=1e-2)


@pytest.mark.parametrize("link", LINKS)
def test_learned_variances_are_where_the_bound_is_greatest(link, noisy):
    X, y, weight = noisy
    learned = GPClassifier(link=link).fit(X, y, sample_weight=weight)
    for factor, constant in [(1.3, 1.0), (1 / 1.3, 1.0), (1.0, 1.3), (1.0, 1 / 1.3)]:
        other = GPClassifier(
            link=link,
            kernel_variance=factor * learned.kernel_variance_[0],
            constant_variance=constant * learned.constant_variance_[0],
        ).fit(X, y, sample_weight=weight)
        assert other.elbo_ < learned.elbo_


@pytest.mark.parametrize("link", LINKS)
def test_lambda_of_mallows_is_learned_with_the_variances(link):
    food = make_food(40, noise=0.5, random_state=1)
    start = median_lambda(food.ranks)
    learned = GPClassifier(MallowsKernel(start), link=link).fit(food.ranks, food.target)
    (kernel,) = learned.kernel_
    assert kernel.lam != pytest.approx(start, rel=0.1)
    given = GPClassifier(MallowsKernel(start, "fixed"), link=link).fit(food.ranks, food.target)
    assert learned.elbo_ > given.elbo_
    # No λ close to it does better, whatever the variances are.
    for factor in (1.3, 1 / 1.3):
        beside = MallowsKernel(factor * kernel.lam, "fixed")
        assert GPClassifier(beside, link=link).fit(food.ranks, food.target).elbo_ < learned.elbo_
    # At the maximum over q, the slope of the bound by log λ is 0: differences of the bound.
    variances = {
        "kernel_variance": learned.kernel_variance_[0],
        "constant_variance": learned.constant_variance_[0],
    }
    sides = [
        GPClassifier(
            MallowsKernel(kernel.lam * np.exp(step), "fixed"), link=link, tol=1e-12, **variances
        )
        .fit(food.ranks, food.target)
        .elbo_
        for step in (-1e-3, 1e-3)
    ]
    assert (sides[1] - sides[0]) / 2e-3 == pytest.approx(0.0, abs=1e-3)
