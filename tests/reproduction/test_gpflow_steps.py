"""Fits as published end where GPflow's own end."""

import json

import numpy as np
import pytest
from gpflow_paths import CASES, N_TEST, N_TRAIN, STORED, our_kernel, target_of
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

from rankcut import GPClassifier, graph_cut_features, make_food
from reproduction.gpflow_steps import Bound, Linear, expectations, path_of_steps

PATHS = json.loads(STORED.read_text())

# The fits that take a second; the others are slow.
QUICK = ("full, graph cut", "4 of 10, graph cut")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name not in QUICK else name for name in CASES],
)
def test_a_fit_ends_where_the_stored_path_of_gpflow_ends(name):
    elbos = {int(step): elbo for step, elbo in PATHS[name]["ELBO"].items()}
    packed = np.frombuffer(bytes.fromhex(PATHS[name]["labels"]), np.uint8)
    labels = np.unpackbits(packed)[:N_TEST] == 1
    chosen, target = CASES[name](), target_of(name)
    kernel = our_kernel(chosen)
    path = path_of_steps(kernel, target[:N_TRAIN], chosen.steps)
    assert path[0].elbo == pytest.approx(elbos[0], abs=0.1)
    assert path[1].elbo == pytest.approx(elbos[1], abs=0.5)
    assert path[-1].elbo == pytest.approx(elbos[max(elbos)], abs=1.0)
    ours = kernel.extend(path[-1].parameters, path[-1].mean) > 0
    assert (ours == labels).mean() >= 0.98
    # Labels of one class alone would be easy to agree on.
    assert 0.2 < labels.mean() < 0.8


@pytest.fixture(scope="module")
def food():
    return make_food(24, noise=1.0, random_state=0)


def test_gradients_are_those_of_the_bound(food):
    vectors = graph_cut_features(food.ranks)
    for constant in (False, True):
        kernel = Linear(vectors[:16], vectors[16:], constant=constant)
        bound = Bound(kernel, food.target[:16] == 1)
        rng = np.random.default_rng(0)
        here = bound.start() + 0.1 * rng.normal(size=bound.start().shape)
        # Along random directions, which miss no coordinate, not one at a time.
        directions = rng.normal(size=(12, len(here)))
        numeric = [
            (bound(here + 1e-5 * each)[0] - bound(here - 1e-5 * each)[0]) / 2e-5
            for each in directions
        ]
        np.testing.assert_allclose(directions @ bound(here)[1], numeric, rtol=1e-5, atol=1e-4)


def test_factors_are_roots_of_kernel_matrices(food):
    vectors = graph_cut_features(food.ranks)
    lower = Linear(vectors[:16], vectors[16:], constant=True).factor(np.array([2.0, 3.0])).lower
    expected = 2.0 * vectors[:16] @ vectors[:16].T + 3.0
    np.testing.assert_allclose(lower @ lower.T, expected, atol=1e-4)
    # As Cholesky's: nothing above the diagonal of the first rankings.
    assert np.allclose(np.triu(lower[: lower.shape[1]], 1), 0.0)
    # Rankings that repeat do not count twice.
    twice = np.repeat(vectors, 2, axis=0)
    rank = Linear(twice, twice).factor(np.ones(1)).lower.shape[1]
    assert rank == np.linalg.matrix_rank(twice)


def test_expectations_are_by_quadrature():
    """Near the integral where the variance is small."""
    mean, variance, sign = np.array([0.3, -0.2]), np.array([0.5, 0.1]), np.array([1.0, -1.0])
    found, by_mean, by_variance = expectations(mean, variance, sign)

    def density(f, m, v, s):
        return norm.pdf(f, m, np.sqrt(v)) * np.log(1e-3 + 0.998 * ndtr(s * f))

    rows = zip(mean, variance, sign, strict=True)
    exact = sum(quad(density, -9, 9, args=row)[0] for row in rows)
    assert found == pytest.approx(exact, abs=1e-6)
    for number, slope in ((0, by_mean), (1, by_variance)):
        up, down = ([mean.copy(), variance.copy()] for _ in range(2))
        up[number][0] += 1e-6
        down[number][0] -= 1e-6
        numeric = (expectations(*up, sign)[0] - expectations(*down, sign)[0]) / 2e-6
        assert slope[0] == pytest.approx(numeric, abs=1e-6)


def test_a_path_rises_to_the_maximum_that_the_classifier_finds(food):
    features = graph_cut_features(food.ranks)[:12]
    target = food.target[:12]
    model = GPClassifier(tol=1e-8).fit(features, target)
    path = path_of_steps(Linear(features, features, constant=True), target == 1, 300)
    elbos = [stop.elbo for stop in path]
    assert elbos == sorted(elbos)
    assert elbos[-1] == pytest.approx(model.elbo_, abs=0.02)
    short = path_of_steps(Linear(features, features, constant=True), target == 1, 3)
    assert [stop.elbo for stop in short] == elbos[:4]


def test_a_step_to_hardly_any_variance_has_a_factor_and_a_bound(food):
    features = graph_cut_features(food.ranks)
    kernel = Linear(features, features, constant=True)
    assert np.isfinite(kernel.factor(np.array([1e-12, 1.0])).lower).all()
    bound = Bound(Linear(features, features), food.target == 1)
    there = bound.start()
    there[-1] = -1e4
    elbo, gradient = bound(there)
    # Nothing is learned, and every label is a coin's.
    assert elbo == pytest.approx(-24 * np.log(2))
    assert np.isfinite(gradient).all()
