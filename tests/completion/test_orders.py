"""The order of a list as evidence, against draws that have the order and SciPy's normal cdf."""

import numpy as np
import pytest
from listed import lists_of
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_ndtr
from scipy.stats import multivariate_normal

from rankcut._loops.orders import log_chance, order_of, solve_order
from rankcut._loops.utilities import LONGEST, ordered
from rankcut.completion.population import Population, TastePrior, learn, pass_over, share_ordered


def population(n_items, seed=0, *, exact=True):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n_items, n_items))
    return Population(0.7 * rng.normal(size=n_items), root @ root.T / n_items, 0.3, exact)


def one_list(order, n_items):
    ranks = np.full((1, n_items), np.nan)
    ranks[0, order] = np.arange(len(order)) + 1
    return lists_of(ranks)


def steps_of(order, n_items):
    """The matrix of u_1 − u_2, u_2 − u_3, …"""
    return np.eye(n_items)[order[:-1]] - np.eye(n_items)[order[1:]]


@pytest.mark.parametrize("z", [-60.0, -8.0, -5.0, -4.999, 0.0, 3.0, 9.0])
def test_small_chances(z):
    for function in (log_chance, log_chance.py_func):
        assert_allclose(function(z), log_ndtr(z), rtol=1e-9, atol=1e-15)


def test_two_items_are_exact():
    model = population(3)
    whole = model.covariance + model.noise * np.eye(3)
    step = steps_of([2, 0], 3)[0]
    mean, variance = step @ model.mean, step @ whole @ step
    lists = one_list([2, 0], 3)
    z = mean / np.sqrt(variance)
    assert_allclose(pass_over(lists, model).likelihood, log_ndtr(z), rtol=1e-10)
    hazard = np.exp(-0.5 * z * z - 0.5 * np.log(2 * np.pi) - log_ndtr(z))
    found = model.utilities(lists, keep=True)[0]
    assert_allclose(step @ found, mean + np.sqrt(variance) * hazard, rtol=1e-10)
    left = model.posterior(lists, np.arange(3), keep=True)
    assert_allclose(step @ left @ step, variance * (1 - hazard * (z + hazard)), rtol=1e-10)


@pytest.mark.parametrize("order", [[1, 0, 3], [4, 2, 0, 1]])
def test_utilities_are_those_of_draws_with_the_order(order):
    model, lists = population(5), one_list(order, 5)
    whole = model.covariance + model.noise * np.eye(5)
    steps = steps_of(order, 5)
    draws = np.random.default_rng(1).multivariate_normal(model.mean, whole, 400_000)
    draws = draws[(draws @ steps.T > 0).all(axis=1)]
    assert len(draws) > 3000
    # Expectation propagation is near, not exact.
    assert_allclose(model.utilities(lists, keep=True)[0], draws.mean(axis=0), atol=0.06)
    left = model.posterior(lists, np.arange(5), keep=True)
    assert_allclose(left, np.cov(draws.T), atol=0.08)
    assert_allclose(model.variances(lists), np.diag(left), rtol=1e-10)
    chance = multivariate_normal(cov=steps @ whole @ steps.T).cdf(steps @ model.mean)
    assert_allclose(pass_over(lists, model).likelihood, np.log(chance), atol=0.03)


def test_machine_code_is_the_plain_function():
    model, n = population(7), 7
    order = order_of(np.random.default_rng(3).normal(size=n))
    results = []
    for solve in (solve_order, solve_order.py_func):
        weights, taken = np.empty(n), np.empty((n, n))
        items = np.arange(n, dtype=np.uint32)
        value = solve(items, order, model.mean, model.covariance, model.noise, weights, taken)
        results.append((value, weights, taken))
    for one, other in zip(*results, strict=True):
        assert_allclose(one, other, rtol=1e-7, atol=1e-9)


def test_listed_items_keep_their_order_whatever_is_expected():
    # The lists contradict the population as much as they can.
    rng = np.random.default_rng(0)
    root = rng.normal(size=(12, 3))
    model = Population(np.linspace(6, -6, 12), root @ root.T, 0.01, True)
    ranks = np.tile(np.arange(12, 0, -1.0), (40, 1))
    ranks[rng.random(ranks.shape) < 0.3] = np.nan
    lists = lists_of(ranks)
    utilities = model.utilities(lists, keep=True)
    for given, found in zip(ranks, utilities, strict=True):
        listed = ~np.isnan(given)
        assert_array_equal(np.argsort(-found[listed]), np.argsort(given[listed]))


def test_ties_blurs_and_long_lists_go_by_scores():
    scores, clear = np.array([0.3, -0.1, 0.7]), np.zeros(3)
    assert_array_equal(ordered(scores, clear), [2, 0, 1])
    assert not len(ordered(scores, np.array([0.0, 0.2, 0.0])))
    assert not len(ordered(np.array([0.3, 0.3, 0.7]), clear))
    assert not len(ordered(np.arange(LONGEST + 1.0), np.zeros(LONGEST + 1)))
    ranks = np.array([[1.0, 2, 3], [1, 1, 2], [1, 2, np.nan]])
    lists = lists_of(ranks, counts=np.array([2.0, 1, 1]))
    assert share_ordered(lists) == 0.75
    exact, scored = population(3), population(3, exact=False)
    tied = lists.span(1, 2)
    assert_array_equal(exact.utilities(tied, keep=True), scored.utilities(tied, keep=True))
    sums = [pass_over(lists.span(a, a + 1), exact) for a in range(3)]
    assert_allclose(pass_over(lists, exact).gram, sum(each.gram for each in sums), rtol=1e-12)


def test_em_by_order_finds_planted_tastes():
    rng = np.random.default_rng(5)
    root = rng.normal(size=(6, 2))
    planted = root @ root.T + 0.3 * np.eye(6)
    ranks = (-rng.multivariate_normal(np.linspace(-1, 1, 6), planted, 800)).argsort(axis=1)
    lists = lists_of(ranks.argsort(axis=1) + 1.0).distinct()
    start = Population(np.zeros(6), 0.5 * np.eye(6), 0.3, True)
    prior = TastePrior(0.5 * np.eye(6), 5.0, np.eye(6))
    found = learn(lists, start, prior, max_iter=30)
    assert pass_over(lists, found).likelihood > pass_over(lists, start).likelihood + 100
    centre = np.eye(6) - 1 / 6
    shapes = [centre @ each @ centre for each in (planted, found.covariance)]
    assert np.corrcoef(*(shape[np.triu_indices(6, 1)] for shape in shapes))[0, 1] > 0.95
    assert (np.diff(found.mean) > 0).all()
