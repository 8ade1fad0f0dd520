import numpy as np
import pytest

from rankcut import GPClassifier, graph_cut_features, make_food
from reproduction.stopping import Bound, lbfgs_path


@pytest.fixture(scope="module")
def food():
    food = make_food(80, noise=1.0, random_state=0)
    return graph_cut_features(food.ranks), food.target


def test_gradient_is_that_of_the_bound(food):
    features, target = food
    bound = Bound(features, target == 1)
    rng = np.random.default_rng(0)
    here = bound.start() + 0.1 * rng.normal(size=bound.start().shape)
    directions = rng.normal(size=(12, len(here)))
    steps = 1e-5 * directions
    numeric = [(bound(here + step)[0] - bound(here - step)[0]) / 2e-5 for step in steps]
    np.testing.assert_allclose(directions @ bound(here)[1], numeric, rtol=1e-5, atol=1e-5)


def test_the_path_starts_at_the_prior_and_rises_to_the_maximum_that_the_classifier_finds(food):
    features, target = food
    model = GPClassifier().fit(features, target)
    path = lbfgs_path(features, target == 1, 500)
    elbos = [stop.elbo for stop in path]
    assert elbos == sorted(elbos)
    assert elbos[-1] == pytest.approx(model.elbo_, abs=1e-4)
    np.testing.assert_allclose(path[-1].weights[:-1], model.coef_[0], atol=1e-4)
    assert not path[0].weights.any()
    # With variances of 1 the prior is N(0, ‖φ‖² + 1) at each row, and there is no divergence.
    draws = np.random.default_rng(0).normal(size=200_000)
    spread = np.sqrt((features[0] ** 2).sum() + 1.0)
    from scipy.special import ndtr

    expected = np.log(0.001 + 0.998 * ndtr(spread * draws)).mean()
    assert path[0].elbo / len(features) == pytest.approx(expected, rel=0.02)


def test_a_longer_path_begins_with_the_shorter_one(food):
    features, target = food
    short, long = (lbfgs_path(features, target == 1, steps) for steps in (5, 9))
    assert len(short) == 6
    assert [stop.elbo for stop in long[:6]] == [stop.elbo for stop in short]


def test_stopping_early_is_stopping_below_the_maximum(food):
    features, target = food
    model = GPClassifier().fit(features, target)
    assert lbfgs_path(features, target == 1, 3)[-1].elbo < model.elbo_ - 1.0
