"""Utilities of people against integrals, differences and enumeration; orders do not matter."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from best_worst import some_tasks
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rankcut import RankingSet
from rankcut._loops.respondents import draw_normals, temper
from rankcut._loops.tasks import add_task, task_value
from rankcut.rankings import read_rankings
from rankcut.strengths import mixed
from rankcut.strengths.factors import low_rank_plus_diagonal
from rankcut.strengths.mixed import Learner, Tastes, fit_tastes, posteriors
from rankcut.strengths.respondents import Respondents

UTILITIES = np.array([0.3, -1.1, 0.8, 0.2, -0.4])


def by_enumeration(utilities, n_chosen):
    """The chance of the first items in their order, from those that remain each time."""
    worths = np.exp(utilities)
    chances = [worths[i] / worths[i:].sum() for i in range(n_chosen)]
    return np.log(np.prod(chances))


def value(utilities, joined=(0, 0, 0, 0, 0), n_chosen=4, *, extremes=False):
    return task_value(np.asarray(utilities, float), np.array(joined, bool), n_chosen, extremes)


@pytest.mark.parametrize("n_chosen", [1, 2, 4])
def test_a_task_is_chosen_from_the_top(n_chosen):
    assert_allclose(value(UTILITIES, n_chosen=n_chosen), by_enumeration(UTILITIES, n_chosen))


def test_best_and_worst_are_a_pair_of_all_pairs():
    pairs = sum(np.exp(UTILITIES[i] - UTILITIES[j]) for i, j in permutations(range(5), 2))
    expected = UTILITIES[0] - UTILITIES[4] - np.log(pairs)
    assert_allclose(value(UTILITIES, extremes=True), expected)


def test_ties_leave_in_equal_parts():
    worths = np.exp(UTILITIES)
    total, tied = worths.sum(), worths[:2].sum()
    expected = UTILITIES[:2].sum() - np.log(total) - np.log(total - tied / 2)
    assert_allclose(value(UTILITIES, (0, 1, 0, 0, 0), 2), expected)


@pytest.mark.parametrize(
    ("joined", "n_chosen", "extremes"),
    [((0, 0, 0, 0, 0), 4, False), ((0, 1, 0, 0, 1), 5, False), ((0, 0, 1, 1, 0), 4, True)],
)
def test_derivatives_are_differences(joined, n_chosen, extremes):
    def slope(utilities):
        score, curvature = np.zeros(5), np.zeros((5, 5))
        add_task(utilities, np.array(joined, bool), n_chosen, extremes, score, curvature)
        return score, curvature

    step = 1e-5
    score, curvature = slope(UTILITIES)
    for i, unit in enumerate(step * np.eye(5)):
        moved = [
            value(UTILITIES + side * unit, joined, n_chosen, extremes=extremes) for side in (1, -1)
        ]
        assert_allclose(score[i], (moved[0] - moved[1]) / (2 * step), atol=1e-8)
        bend = (slope(UTILITIES + unit)[0] - slope(UTILITIES - unit)[0]) / (2 * step)
        assert_allclose(curvature[i], -bend, atol=1e-8)


def test_temper_flattens_only_where_draws_are_few():
    logs, weights = np.log([0.5, 0.3, 0.2]), np.empty(3)
    assert_allclose(temper(logs, 1.0, weights), 1 / 0.38)
    assert_allclose(weights, [0.5, 0.3, 0.2])
    logs = np.array([0.0, -50.0, -60.0])
    assert temper(logs, 2.0, weights) < 1.01
    assert_allclose(1 / (weights**2).sum(), 2.0, rtol=1e-3)


def test_draws_are_normal_and_come_with_their_opposites():
    normals = np.empty((4000, 3))
    draw_normals(np.uint64(7), normals)
    assert_allclose(normals[:2000], -normals[2000:])
    assert_allclose(normals.T @ normals / 4000, np.eye(3), atol=0.08)


def respondents(data, **options):
    return Respondents.of(read_rankings(data, unranked="anywhere", **options))


def integrated(ranks, mean, covariance):
    """Mean, covariance and marginal likelihood of three utilities, over a grid.

    Without their sum, of which tasks say nothing.
    """
    basis = np.linalg.svd(np.ones((1, 3)))[2][1:]
    line = np.linspace(-9, 9, 401)
    grid = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    utilities = grid @ basis
    about = grid - basis @ mean
    inverse = np.linalg.inv(basis @ covariance @ basis.T)
    logs = -0.5 * np.einsum("gi,ij,gj->g", about, inverse, about)
    logs += 0.5 * np.linalg.slogdet(inverse)[1] - np.log(2 * np.pi)
    for row in ranks:
        shown = np.flatnonzero(~np.isnan(row))
        order = shown[np.argsort(row[shown])]
        for k in range(len(order) - 1):
            rest = utilities[:, order[k:]]
            logs += rest[:, 0] - np.log(np.exp(rest).sum(axis=1))
    cell = (line[1] - line[0]) ** 2
    weights = np.exp(logs)
    total = weights.sum() * cell
    centre = weights @ utilities / weights.sum()
    spread = (utilities - centre).T @ ((utilities - centre) * weights[:, None]) / weights.sum()
    return np.log(total), centre, spread


def test_posteriors_are_integrals(monkeypatch):
    nan = np.nan
    ranks = np.array([[1, 2, 3], [1, 3, 2], [2, 1, nan]])
    people = respondents(ranks, people=[0, 0, 0])
    tastes = Tastes(np.zeros(3), np.eye(3), None, np.full((3, 1), 3**-0.5))
    mean = np.array([0.5, 0.1, -0.6])
    shape = np.array([[1.0, 0.25, 0.0], [0.25, 0.7, 0.1], [0.0, 0.1, 0.5]])
    along = np.eye(3) - 1 / 3
    tastes = tastes.moved(mean[people.order], shape[np.ix_(people.order, people.order)])
    expected = integrated(ranks, mean, along @ shape @ along)
    back = np.argsort(people.order)
    # Where the tails of the population are hardly wider than the posterior, weights are even, and
    # so many draws err by about a hundredth.
    monkeypatch.setattr(mixed, "FINAL_DRAWS", 1 << 15)
    (posterior,) = posteriors(people, tastes)
    assert_allclose(posterior.means[0][back], expected[1], atol=0.01)
    covariance = posterior.covariances[0][np.ix_(back, back)]
    assert_allclose(covariance, expected[2], atol=0.01)
    for n_draws, within in ((0, 0.1), (4096, 0.02)):
        assert abs(Learner(people).sums(tastes, n_draws).value - expected[0]) < within
    many = Learner(people).sums(tastes, 4096)
    assert_allclose(many.shift[back], expected[1] - mean, atol=0.03)


def test_items_listed_are_enough():
    """The same step where each person's part of Σ is factorised, and where all of it is."""
    data = some_tasks(n_items=12, n_tasks=1)
    people = respondents(data)
    n = people.n_items
    rng = np.random.default_rng(0)
    root = rng.normal(size=(n, n))
    tastes = Tastes(np.zeros(n), np.eye(n), None, np.full((n, 1), n**-0.5))
    tastes = tastes.moved(rng.normal(size=n), root @ root.T / n + np.eye(n))
    assert 2 * people.longest_list < n
    short = Learner(people).sums(tastes)
    dense = Tastes(tastes.mean, tastes.covariance, np.eye(n), tastes.constants)
    full = Learner(people).sums(dense)
    for one, other in zip(short, full, strict=True):
        assert_allclose(one, other, atol=1e-8)


def test_steps_climb_and_settle():
    people = respondents(some_tasks(60, n_tasks=6))
    fit = fit_tastes(people)
    assert fit.settled
    n = people.n_items
    start = Tastes(np.zeros(n), np.eye(n), None, np.full((n, 1), n**-0.5))
    start = start.moved(start.mean, 2 * np.eye(n))
    assert Learner(people).sums(fit.tastes).value > Learner(people).sums(start).value
    # Another step moves hardly.
    learner = Learner(people)
    again = mixed._step(learner, fit.tastes, fit.prior, 64)[1]
    assert np.abs(again.mean - fit.tastes.mean).max() < 0.05


@given(st.randoms(use_true_random=False))
def test_the_order_of_people_items_and_tasks_is_nothing(random):
    data = some_tasks(8)
    rows, items = list(range(len(data))), list(range(6))
    random.shuffle(rows)
    random.shuffle(items)
    other = RankingSet(
        data.ranks[rows][:, items],
        tuple(items),
        people=np.array([f"p{100 - person}" for person in data.people[rows]]),
        asked_ties=False,
    )
    one, two = respondents(data), respondents(other)
    for mine, theirs in zip(one.tasks, two.tasks, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(one.order, np.array(items)[two.order])


def test_extrapolated_steps_end_where_plain_steps_crawl_to():
    people = respondents(some_tasks(40, n_tasks=5))
    n = people.n_items
    blank = Tastes(np.zeros(n), np.eye(n), None, np.full((n, 1), n**-0.5))
    start = blank.moved(blank.mean, np.eye(n))
    prior = mixed.TastesPrior(np.eye(n), 5.0)
    learner = Learner(people)
    reached, n_steps, ended = mixed._climb(learner, start, prior, 0)
    plain = start
    for _ in range(300):
        _, plain = mixed._step(learner, plain, prior, 0)
    assert ended
    assert n_steps < 40
    assert abs(learner.sums(reached).value - learner.sums(plain).value) < 0.1
    assert_allclose(reached.mean, plain.mean, atol=0.01)
    assert_allclose(reached.covariance, plain.covariance, atol=0.02)


def test_errors_of_the_mean_are_told_by_people():
    """No person says more of μ than if their utilities were known; many tasks say nearly that."""
    people = respondents(some_tasks(50, n_tasks=30))
    n = people.n_items
    tastes = Tastes(np.zeros(n), np.eye(n), None, np.full((n, 1), n**-0.5))
    told = Learner(people).sums(tastes.moved(tastes.mean, np.eye(n))).told
    sizes = np.linalg.eigvalsh(told)
    # Along what no utility depends on nothing is told; elsewhere less than 50 people say.
    assert_allclose(sizes[0], 0.0, atol=1e-6)
    assert (sizes[1:] > 25).all()
    assert (sizes[1:] < 50).all()


def test_low_rank_plus_diagonal_is_factor_analysis():
    from sklearn.decomposition import FactorAnalysis

    rng = np.random.default_rng(0)
    data = rng.normal(size=(400, 3)) @ rng.normal(size=(3, 12)) + rng.normal(size=(400, 12))
    data -= data.mean(axis=0)
    theirs = FactorAnalysis(3, svd_method="lapack", tol=1e-8, max_iter=5000).fit(data)
    ours = low_rank_plus_diagonal(data.T @ data / 400, 3)
    assert_allclose(ours, theirs.get_covariance(), atol=0.01)
    assert_allclose(np.diag(ours), (data**2).mean(axis=0), rtol=0.01)


def many_items(loadings, spread, n_people=60, n_items=20, seed=0):
    """Rankings of five of many items by few people."""
    rng = np.random.default_rng(seed)
    tastes = rng.normal(size=(n_people, len(loadings))) @ loadings
    tastes += spread * rng.normal(size=tastes.shape)
    ranks = np.full((n_people * 10, n_items), np.nan)
    for number, row in enumerate(ranks):
        shown = rng.choice(n_items, 5, replace=False)
        worth = tastes[number // 10, shown] + rng.gumbel(size=5)
        row[shown] = (-worth).argsort().argsort() + 1
    return tastes - tastes.mean(axis=1, keepdims=True), ranks


def test_low_rank_is_chosen_where_tastes_have_it_and_people_are_few():
    loadings = 2.0 * np.random.default_rng(1).normal(size=(2, 20))
    tastes, ranks = many_items(loadings, 0.2)
    people = respondents(ranks, people=np.repeat(np.arange(60), 10))
    fit = fit_tastes(people)
    assert fit.prior.rank == 2
    full = mixed._climb(Learner(people), fit.tastes, replace(fit.prior, rank=None), 64)[0]
    truth = (tastes.T @ tastes / 60)[np.ix_(people.order, people.order)]
    apart = [np.linalg.norm(each.covariance - 1 / 20 - truth) for each in (fit.tastes, full)]
    assert apart[0] < apart[1]
    # Where there is nothing to find, or more people than entries, Σ is full.
    assert fit_tastes(respondents(some_tasks(40, n_tasks=4))).prior.rank is None
