"""Strengths over time against brute force: dense matrices, and the covariance of a random walk."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, optimize, special
from scipy.sparse import csr_array

from rankcut.graphs import as_item_graph
from rankcut.rankings import read_rankings
from rankcut.strengths import fit_over_time, fit_strengths
from rankcut.strengths import terms as terms_module
from rankcut.strengths.chains import ChainPrior
from rankcut.strengths.designs import contexts, feature, items, over
from rankcut.strengths.periods import Periods
from rankcut.strengths.prior import ItemPrior
from rankcut.strengths.sparse import SparseSystem
from rankcut.strengths.terms import fit_terms


def make_games(rng, n_items=4, n_periods=5, n_games=120):
    """Wins and losses of pairs, and the period of each game."""
    start = rng.normal(size=(n_items, 1))
    steps = 0.3 * rng.normal(size=(n_items, n_periods - 1))
    theta = np.cumsum(np.hstack([start, steps]), axis=1)
    when = rng.integers(0, n_periods, n_games)
    first = rng.integers(0, n_items, n_games)
    second = (first + rng.integers(1, n_items, n_games)) % n_items
    won = rng.random(n_games) < special.expit(theta[first, when] - theta[second, when])
    winner, loser = np.where(won, first, second), np.where(won, second, first)
    ranks = np.full((n_games, n_items), np.nan)
    ranks[np.arange(n_games), winner], ranks[np.arange(n_games), loser] = 1, 2
    return winner, loser, when, ranks


def walk_covariance(n_items, times, scale, drift, base=None):
    """Of strengths in all periods, item by item: a random walk from the first period on."""
    walk = drift * np.minimum.outer(times, times)
    base = scale * np.eye(n_items) if base is None else base
    return np.kron(np.eye(n_items), walk) + np.kron(base, np.ones((len(times),) * 2))


@pytest.mark.parametrize("with_graph", [False, True])
def test_strengths_are_those_of_a_dense_gaussian_prior(with_graph):
    rng = np.random.default_rng(0)
    winner, loser, when, ranks = make_games(rng)
    n_items, times = 4, np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    graph = as_item_graph(np.eye(4)[::-1]) if with_graph else None
    fit = fit_over_time(read_rankings(ranks, unranked="anywhere"), when, graph=graph)
    chosen = fit.prior
    base = linalg.inv(ItemPrior(n_items, graph).precision(chosen.first))
    covariance = walk_covariance(n_items, times, None, chosen.drift, base)
    precision = linalg.inv(covariance)
    one, other = winner * 5 + when, loser * 5 + when

    def loss(theta):
        gap = theta[one] - theta[other]
        slope = precision @ theta
        np.add.at(slope, one, -special.expit(-gap))
        np.add.at(slope, other, special.expit(-gap))
        return np.logaddexp(0, -gap).sum() + theta @ precision @ theta / 2, slope

    best = optimize.minimize(loss, np.zeros(20), jac=True, tol=1e-12, options={"maxiter": 10_000})
    theta = best.x.reshape(4, 5)
    np.testing.assert_allclose(fit.theta, theta - theta.mean(axis=0), atol=1e-5)
    # The evidence of what was chosen, by Laplace with dense matrices.
    gap = best.x[one] - best.x[other]
    design = np.zeros((len(one), 20))
    design[np.arange(len(one)), one], design[np.arange(len(one)), other] = 1, -1
    curvature = design.T @ ((special.expit(gap) * special.expit(-gap))[:, None] * design)
    expected = -best.fun - np.linalg.slogdet(np.eye(20) + covariance @ curvature)[1] / 2
    assert fit.evidence == pytest.approx(expected, abs=1e-4)
    # Errors, if the model is true: the inverse of the curvature of the posterior.
    trusting = fit_over_time(
        read_rankings(ranks, unranked="anywhere"), when, graph=graph, errors="information"
    )
    posterior = linalg.inv(curvature + precision)
    level = np.kron(np.eye(4) - 1 / 4, np.eye(5))
    errors = np.sqrt(np.diag(level @ posterior @ level.T)).reshape(4, 5)
    np.testing.assert_allclose(trusting.standard_errors, errors, rtol=0.2)


def test_an_item_that_is_not_seen_keeps_its_strength_and_is_less_sure():
    ranks = np.array([[1, 2, 3.0]] * 20 + [[1, 2, np.nan]] * 40)
    fit = fit_over_time(read_rankings(ranks, unranked="anywhere"), [0] * 20 + [1] * 20 + [5] * 20)
    assert fit.seen.tolist() == [[True] * 3, [True] * 3, [True, False, False]]
    moved = fit.theta[:, 2] - fit.theta[:, 0]
    assert fit.periods == (0, 1, 5)
    if fit.prior.drift > 2.0**-15:
        assert fit.standard_errors[2, 2] > fit.standard_errors[2, 0]
    assert moved.sum() == pytest.approx(0, abs=1e-9)
    strengths = fit.at(2)
    np.testing.assert_allclose(strengths.theta, fit.theta[:, 2])
    assert strengths.covariance.shape == (3, 3)


def test_one_period_is_a_fit_without_time():
    rng = np.random.default_rng(1)
    ranks = (-(rng.normal(size=5) + rng.gumbel(size=(60, 5)))).argsort(axis=1).argsort(axis=1) + 1.0
    rankings = read_rankings(ranks)
    fit, plain = fit_over_time(rankings, [2024] * 60), fit_strengths(rankings)
    assert fit.prior.first == plain.prior
    np.testing.assert_allclose(fit.theta[:, 0], plain.theta, atol=1e-6)


@given(st.integers(0, 1000))
@settings(max_examples=10)
def test_order_of_rankings_and_counts_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    _, _, when, ranks = make_games(rng, n_games=40)
    ranks[::7] = np.where(np.isnan(ranks[::7]), np.nan, 1.0)  # ties
    plain = fit_over_time(read_rankings(ranks, unranked="anywhere"), when)
    order = rng.permutation(40)
    turned = fit_over_time(read_rankings(ranks[order], unranked="anywhere"), when[order])
    np.testing.assert_allclose(turned.theta, plain.theta, atol=1e-8)
    twice = fit_over_time(
        read_rankings(np.vstack([ranks, ranks]), unranked="anywhere"), np.tile(when, 2)
    )
    counted = fit_over_time(read_rankings(ranks, unranked="anywhere", counts=np.full(40, 2)), when)
    np.testing.assert_allclose(counted.theta, twice.theta, atol=1e-8)
    assert counted.evidence == pytest.approx(twice.evidence, abs=1e-6)


def test_a_feature_beside_time_is_found():
    rng = np.random.default_rng(2)
    n_games = 4_000
    first, second = rng.integers(0, 3, n_games), rng.integers(3, 6, n_games)
    home = rng.integers(0, 2, n_games)
    won = rng.random(n_games) < special.expit(np.where(home, 0.7, -0.7))
    ranks, at_home = np.full((n_games, 6), np.nan), np.zeros((n_games, 6))
    rows = np.arange(n_games)
    ranks[rows, first], ranks[rows, second] = np.where(won, 1, 2), np.where(won, 2, 1)
    at_home[rows, first], at_home[rows, second] = home, 1 - home
    fit = fit_over_time(
        read_rankings(ranks, unranked="anywhere"),
        rng.integers(0, 4, n_games),
        beside=[feature("home", at_home)],
    )
    assert fit.fit.parameters[fit.fit.places[1]][0] == pytest.approx(0.7, abs=0.15)


@pytest.mark.parametrize("in_contexts", [False, True])
def test_many_coefficients_are_those_of_a_matrix(monkeypatch, in_contexts):
    """Sparse matrices, conjugate gradients and draws instead of a matrix."""
    rng = np.random.default_rng(4)
    _, _, when, ranks = make_games(rng, 6, 4, 600)
    slot = rng.integers(0, 2, (600, 6)).astype(float)
    terms = [over("strength", Periods.of(when)), feature("slot", slot)]
    if in_contexts:
        terms = [items(), feature("slot", slot), contexts("when", when, range(4))]
    rankings = read_rankings(ranks, unranked="anywhere")
    dense = fit_terms(rankings, terms, prior="evidence")
    monkeypatch.setattr(terms_module, "MOST_COEFFICIENTS", 0)
    monkeypatch.setattr(terms_module, "_MOST_IN_TIME", 0)
    drawn = fit_terms(rankings, terms, prior="evidence")
    assert drawn.errors.draws is not None
    assert drawn.priors == dense.priors
    np.testing.assert_allclose(drawn.parameters, dense.parameters, atol=1e-5)
    assert drawn.evidence == pytest.approx(dense.evidence, abs=1e-4)
    k = 1
    some = np.eye(len(dense.parameters))[dense.places[k]]
    errors = [fit.estimates(some)[1] for fit in (drawn, dense)]
    np.testing.assert_allclose(*errors, rtol=0.15)
    statistics = [fit.test([k]).statistic for fit in (drawn, dense)]
    np.testing.assert_allclose(*statistics, rtol=0.3)


def test_the_trace_by_random_signs_is_near_that_of_a_matrix():
    rng = np.random.default_rng(3)
    n_items, n_periods = 60, 12
    winner, loser, when, _ = make_games(rng, n_items, n_periods, 2_000)
    cells = np.arange(n_items * n_periods)
    chain = ChainPrior(ItemPrior(n_items), cells, np.arange(n_periods, dtype=float))
    chosen = chain.first
    curvature = np.zeros((len(cells),) * 2)
    one, other = winner * n_periods + when, loser * n_periods + when
    for a, b, sign in ((one, one, 1), (other, other, 1), (one, other, -1), (other, one, -1)):
        np.add.at(curvature, (a, b), sign / 4)
    matrix = csr_array(curvature + chain.precision(chosen))
    target = rng.normal(size=len(cells))
    system = SparseSystem(matrix, chain.links(chosen))
    exact = target @ linalg.solve(matrix.toarray(), target) / 2
    exact -= np.linalg.slogdet(matrix.toarray())[1] / 2
    assert system.log_evidence(target) == pytest.approx(exact, rel=0.01)
    np.testing.assert_allclose(
        system.solve(target[:, None], 1e-10)[:, 0], linalg.solve(matrix.toarray(), target)
    )
    assert chain.log_determinant(chosen) == pytest.approx(
        np.linalg.slogdet(chain.precision(chosen).toarray())[1]
    )
