"""The ascent ends at the best point that it has seen."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError

from rankcut import GPClassifier
from rankcut.gp.ascent import best_along, climb
from rankcut.gp.gaussian import WeightPrior
from rankcut.gp.likelihoods import LIKELIHOODS
from rankcut.gp.weight_space import LabelledRows, WeightSpace, survey_rows


@pytest.mark.parametrize("seed", range(3))
def test_of_some_variances_the_one_with_the_highest_bound(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 3))
    y = X[:, 0] + rng.standard_normal(40) > 0
    survey = survey_rows(X, y, None)
    exponent = survey.exponent
    prior = WeightPrior(None, 0.0, survey.scale, 40.0, exponent=2 * exponent)
    problem = WeightSpace(LabelledRows(X, y, None, None, exponent), LIKELIHOODS["probit"], prior)
    variances = np.array([1e-3, 0.1, 10.0])
    bounds = [
        GPClassifier(kernel_variance=v, constant_variance=0.0, tol=1e-10).fit(X, y).elbo_
        for v in variances
    ]
    divided = np.log(variances) + 2 * exponent * np.log(2.0)
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        found = best_along(
            problem, problem.start().parameters, divided[order], tol=1e-10, max_iter=99
        )
        assert found.elbo == pytest.approx(max(bounds), rel=1e-9)
        assert found.parameters[0] == divided[np.argmax(bounds)]


@pytest.mark.parametrize("seed", range(3))
def test_the_bound_is_that_of_the_variances_it_ended_with(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((14, 6))
    y = X[:, 0] + 0.5 * rng.standard_normal(14) > 0.3
    model = GPClassifier().fit(X, y)
    there = GPClassifier(
        kernel_variance=model.kernel_variance_[0],
        constant_variance=model.constant_variance_[0],
        tol=1e-10,
    ).fit(X, y)
    assert model.elbo_ == pytest.approx(there.elbo_, abs=1e-6)


def test_where_no_step_can_be_taken_it_has_not_converged():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    survey = survey_rows(X, X[:, 0] > 0, None)
    exponent = survey.exponent
    prior = WeightPrior(1.0, 0.0, survey.scale, 40.0, exponent=2 * exponent)

    class Walled(WeightSpace):
        def evaluate(self, sites, parameters):
            raise LinAlgError

    rows = LabelledRows(X, X[:, 0] > 0, None, None, exponent)
    start = WeightSpace(rows, LIKELIHOODS["probit"], prior).start()
    walled = Walled(rows, LIKELIHOODS["probit"], prior)
    found = climb(walled, start, tol=1e-6, max_iter=50)
    assert found.state is start
    assert not found.converged
