import numpy as np
import pytest
from numpy.testing import assert_allclose

from rankcut import GPClassifier, make_food
from rankcut.errors import InputError
from rankcut.gp.fits import Settings
from rankcut.gp.gaussian import WeightPrior
from rankcut.gp.likelihoods import LIKELIHOODS
from rankcut.gp.weight_space import LabelledRows, WeightSpace


def unrelated(seed, n_rows=80, n_features=4):
    """Features and balanced labels that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n_rows, n_features)), np.arange(n_rows) % 2


class TestNestedModels:
    """The bound is never below that of a model that is nested in the one that is fitted."""

    @pytest.mark.parametrize("link", ["probit", "logit"])
    @pytest.mark.parametrize("seed", range(4))
    def test_without_a_constant_or_with_a_given_variance(self, seed, link):
        X, y = unrelated(seed)
        model = GPClassifier(link=link).fit(X, y)
        nested = GPClassifier(link=link, constant_variance=0, tol=1e-12).fit(X, y)
        given = [
            GPClassifier(link=link, kernel_variance=v, constant_variance=c).fit(X, y)
            for v in np.logspace(-5, 0, 6) / 4
            for c in (0.0, None)
        ]
        best = max(other.elbo_ for other in [nested, *given])
        assert model.elbo_ >= best - 1e-8
        assert (np.diff(model.elbo_trace_[0]) >= 0).all()
        assert model.elbo_trace_[0][-1] == model.elbo_

    def test_where_the_constant_seems_to_be_needed(self):
        """Alone, this ascent ends 4e-3 lower, in a maximum where the constant is large."""
        X = np.random.default_rng(14).standard_normal((500, 25)) + 30
        y = (np.arange(500) > 0).astype(int)
        model = GPClassifier(link="logit").fit(X, y)
        nested = GPClassifier(link="logit", constant_variance=0, tol=1e-12).fit(X, y)
        assert model.elbo_ >= nested.elbo_ - 1e-8

    def test_a_constant_that_is_not_needed_is_left_out(self):
        X, y = unrelated(1)
        model = GPClassifier().fit(X, y)
        assert model.constant_variance_ == 0
        assert model.intercept_ == 0
        assert model.covariance_.shape == (1, 5, 5)
        assert not model.covariance_[0, -1].any()
        nested = GPClassifier(constant_variance=0).fit(X, y)
        assert_allclose(model.predict_proba(X), nested.predict_proba(X), atol=1e-6)

    def test_through_a_kernel(self):
        X, y = unrelated(1, n_rows=40)
        gram = X @ X.T
        model = GPClassifier("precomputed").fit(gram, y)
        assert_allclose(model.elbo_, GPClassifier().fit(X, y).elbo_, rtol=1e-9)
        assert model.constant_variance_ == 0


def test_an_ascent_that_ends_where_nothing_is_learned_starts_again():
    """From a variance of nearly 0, each step gains less than ``tol``, and the ascent ends there."""
    X, y = make_food(60, random_state=0).ranks - 4.5, np.arange(60) % 2
    X[:, 0] += 9 * y
    settings = Settings(
        likelihood=LIKELIHOODS["probit"],
        kernel_variance=None,
        constant_variance=0.0,
        tol=1e-4,
        max_iter=200,
        n_jobs=None,
        classes=np.array([0, 1]),
    )
    prior = WeightPrior(None, 0.0, float((X**2).sum(axis=1).mean()), 60.0, exponent=0)
    problem = WeightSpace(LabelledRows(X, y == 1, None, None, 0), settings.likelihood, prior)
    start = problem.initial(np.array([np.log(1e-8 / prior.scale)]))
    assert prior.knows_nothing(start.parameters)
    found = settings._highest(problem, start)
    assert_allclose(found.state.elbo, GPClassifier(constant_variance=0).fit(X, y).elbo_, atol=1e-3)
    assert found.state.elbo > start.elbo + 10


class TestScale:
    """Features of any size have the same posterior, and weights of the inverse size."""

    @pytest.mark.parametrize("scale", [1e-280, 1e-150, 1e-20, 1e20, 1e150, 1e280])
    def test_of_features(self, scale):
        food = make_food(60, noise=0.5, random_state=0)
        X, y = food.ranks - 5.5, food.target
        plain, scaled = GPClassifier().fit(X, y), GPClassifier().fit(scale * X, y)
        assert_allclose(scaled.elbo_, plain.elbo_, rtol=1e-9)
        assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-5)
        assert_allclose(scaled.predict_proba(scale * X), plain.predict_proba(X), atol=1e-6)
        if 1e-150 <= scale <= 1e150:
            assert_allclose(
                scaled.kernel_variance_ * scale * scale, plain.kernel_variance_, rtol=1e-4
            )

    @pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e280])
    def test_of_a_gram_matrix(self, scale):
        food = make_food(40, noise=0.5, random_state=0)
        X = food.ranks - 5.5
        gram = X @ X.T
        plain = GPClassifier("precomputed").fit(gram, food.target)
        scaled = GPClassifier("precomputed").fit(scale * gram, food.target)
        assert_allclose(scaled.elbo_, plain.elbo_, rtol=1e-8)
        found, expected = scaled.predict_proba(scale * gram), plain.predict_proba(gram)
        assert_allclose(found, expected, atol=1e-5)

    def test_a_given_variance_is_that_of_the_features_as_they_are(self):
        X, y = unrelated(0)
        plain = GPClassifier(kernel_variance=0.3).fit(X, y)
        scaled = GPClassifier(kernel_variance=0.3e-8).fit(1e4 * X, y)
        assert_allclose(scaled.elbo_, plain.elbo_, rtol=1e-9)
        assert_allclose(scaled.kernel_variance_, 0.3e-8, rtol=1e-12)
        with pytest.raises(InputError, match="kernel_variance is 1, too large for features"):
            GPClassifier(kernel_variance=1).fit(1e200 * X, y)
        nothing = GPClassifier(kernel_variance=1, constant_variance=0).fit(1e-200 * X, y)
        assert_allclose(nothing.elbo_, 80 * np.log(0.5), rtol=1e-9)
