"""The ascent ends at the best point that it has seen, whatever the scale of the features."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import LinAlgError

from rankcut import GPClassifier, make_food
from rankcut.errors import InputError
from rankcut.gp.ascent import climb
from rankcut.gp.gaussian import WeightPrior
from rankcut.gp.weight_space import LabelledRows, WeightSpace, survey_rows


def test_where_no_step_can_be_taken_it_has_not_converged():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    survey = survey_rows(X, X[:, 0] > 0, None)
    prior = WeightPrior(1.0, 0.0, survey.scale)

    class Walled(WeightSpace):
        def evaluate(self, sites, parameters):
            raise LinAlgError

    rows = LabelledRows(X, X[:, 0] > 0, None)
    start = WeightSpace(rows, prior).start()
    walled = Walled(rows, prior)
    found = climb(walled, start, tol=1e-6, max_iter=50)
    assert found.state is start
    assert not found.converged


def unrelated(seed, n_rows=80, n_features=4):
    """Features and balanced labels that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n_rows, n_features)), np.arange(n_rows) % 2


class TestNestedModels:
    """The bound is never below that of a model that is nested in the one that is fitted."""

    @pytest.mark.parametrize("seed", range(4))
    def test_without_a_constant_or_with_a_given_variance(self, seed):
        X, y = unrelated(seed)
        model = GPClassifier().fit(X, y)
        nested = GPClassifier(constant_variance=0, tol=1e-12).fit(X, y)
        given = [
            GPClassifier(kernel_variance=v, constant_variance=c).fit(X, y)
            for v in np.logspace(-5, 0, 6) / 4
            for c in (0.0, None)
        ]
        best = max(other.elbo_ for other in [nested, *given])
        assert model.elbo_ >= best - 1e-8
        assert (np.diff(model.elbo_trace_[0]) >= 0).all()
        assert model.elbo_trace_[0][-1] == model.elbo_
        assert model.n_iter_ == len(model.elbo_trace_[0]) - 1

    def test_where_the_constant_seems_to_be_needed(self):
        """Alone, this ascent ends 4e-3 lower, in a maximum where the constant is large."""
        X = np.random.default_rng(14).standard_normal((500, 25)) + 30
        y = (np.arange(500) > 0).astype(int)
        model = GPClassifier().fit(X, y)
        nested = GPClassifier(constant_variance=0, tol=1e-12).fit(X, y)
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


class TestScale:
    """Features of any size have the same posterior, and weights of the inverse size."""

    @pytest.mark.parametrize("scale", [1e-100, 1e-20, 1e20, 1e100])
    def test_of_features(self, scale):
        food = make_food(60, noise=0.5, random_state=0)
        X, y = food.ranks - 5.5, food.target
        plain, scaled = GPClassifier().fit(X, y), GPClassifier().fit(scale * X, y)
        assert_allclose(scaled.elbo_, plain.elbo_, rtol=1e-9)
        assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-5)
        assert_allclose(scaled.predict_proba(scale * X), plain.predict_proba(X), atol=1e-6)
        assert_allclose(scaled.kernel_variance_ * scale * scale, plain.kernel_variance_, rtol=1e-4)

    @pytest.mark.parametrize(("scale", "size"), [(1e-200, "small"), (1e200, "large")])
    def test_of_features_whose_squares_are_no_numbers(self, scale, size):
        X, y = unrelated(0)
        with pytest.raises(InputError, match=f"the features are too {size}: .*; divide them by"):
            GPClassifier().fit(scale * X, y)

    def test_a_given_variance_is_that_of_the_features_as_they_are(self):
        X, y = unrelated(0)
        plain = GPClassifier(kernel_variance=0.3).fit(X, y)
        scaled = GPClassifier(kernel_variance=0.3e-8).fit(1e4 * X, y)
        assert_allclose(scaled.elbo_, plain.elbo_, rtol=1e-9)
        assert_allclose(scaled.kernel_variance_, 0.3e-8, rtol=1e-12)
        with pytest.raises(InputError, match="kernel_variance is 1, too large for features"):
            GPClassifier(kernel_variance=1).fit(1e80 * X, y)
        nothing = GPClassifier(kernel_variance=1, constant_variance=0).fit(1e-80 * X, y)
        assert_allclose(nothing.elbo_, 80 * np.log(0.5), rtol=1e-9)
