"""The model of utilities against dense Gaussian conditioning and SciPy's normal densities."""

import numpy as np
import pytest
from listed import lists_of
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from rankcut.completion import population as module
from rankcut.completion.population import OFFSET, Population, TastePrior, learn, pass_over
from rankcut.graphs import as_item_graph


def random_lists(n_people=12, n_items=6, *, last=False, seed=0):
    """Lists of three to six items; some people list the same items."""
    rng = np.random.default_rng(seed)
    ranks = np.argsort(rng.random((n_people, n_items)), axis=1) + 1.0
    hidden = rng.random((n_people, n_items)).argsort(axis=1)
    for row in range(0, n_people, 2):
        ranks[row, hidden[row, : rng.integers(1, n_items - 2)]] = np.nan
    counts = rng.integers(1, 4, n_people).astype(float)
    return lists_of(ranks, counts=counts, unranked="last" if last else "anywhere").distinct()


def random_population(n_items=6, seed=1):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n_items, n_items))
    return Population(rng.normal(size=n_items), root @ root.T / n_items, 0.3)


def spread_of(population, lists, person):
    """S of one list, from its definition."""
    place = lists.entries(person)
    items = lists.items[place]
    shared = population.covariance[np.ix_(items, items)]
    own = np.diag(population.noise + lists.blurs[place])
    return shared + own + OFFSET, items, lists.scores[place] - population.mean[items]


def log_likelihood(population, lists):
    """By SciPy's density, list by list."""
    found = 0.0
    for person in range(len(lists)):
        spread, _, residual = spread_of(population, lists, person)
        found += lists.counts[person] * multivariate_normal(cov=spread).logpdf(residual)
    return found


@pytest.mark.parametrize("last", [False, True])
def test_the_likelihood_is_that_of_normal_scores(last):
    lists, population = random_lists(last=last), random_population()
    expected = log_likelihood(population, lists)
    assert_allclose(pass_over(lists, population).likelihood, expected, rtol=1e-12)


def test_sums_are_those_of_inverse_matrices():
    lists, population = random_lists(last=True), random_population()
    (gram, outer), gradient = np.zeros((2, 6, 6)), np.zeros(6)
    for person in range(len(lists)):
        spread, items, residual = spread_of(population, lists, person)
        inverse = np.linalg.inv(spread)
        weights = inverse @ residual
        gram[np.ix_(items, items)] += lists.counts[person] * inverse
        outer[np.ix_(items, items)] += lists.counts[person] * np.outer(weights, weights)
        gradient[items] += lists.counts[person] * weights
    sums = pass_over(lists, population)
    assert_allclose(sums.gram, gram, rtol=1e-10, atol=1e-12)
    assert_allclose(sums.outer, outer, rtol=1e-10, atol=1e-12)
    assert_allclose(sums.gradient, gradient, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("last", [False, True])
def test_utilities_and_their_covariance_are_conditional_ones(last):
    lists, population = random_lists(last=last), random_population()
    utilities = population.utilities(lists)
    shared = population.covariance + population.noise * np.eye(6)
    for person in range(len(lists)):
        spread, items, residual = spread_of(population, lists, person)
        # What is asked for, and the scores, have a joint covariance; conditioning is a solve.
        cross = shared[:, items]
        expected = population.mean + cross @ np.linalg.solve(spread, residual)
        assert_allclose(utilities[person], expected, rtol=1e-9, atol=1e-10)
        covariance = shared - cross @ np.linalg.solve(spread, cross.T)
        found = population.posterior(lists.span(person, person + 1), np.arange(6))
        assert_allclose(found, covariance, rtol=1e-9, atol=1e-9)


def penalised(population, lists, prior):
    """What EM raises: likelihood, inverse Wishart prior and normal prior of the means."""
    _, log_det = np.linalg.slogdet(population.covariance)
    trace = np.trace(np.linalg.solve(population.covariance, prior.covariance))
    means = population.mean @ prior.precision @ population.mean
    return log_likelihood(population, lists) - 0.5 * (prior.strength * (log_det + trace) + means)


@pytest.mark.parametrize("last", [False, True])
def test_no_step_of_em_lowers_the_penalised_likelihood(last):
    lists, start = random_lists(30, last=last), random_population()
    prior = TastePrior(np.eye(6), 5.0, np.eye(6))
    path = [
        penalised(learn(lists, start, prior, max_iter=steps, tol=0.0), lists, prior)
        for steps in range(12)
    ]
    assert np.diff(path).min() > -1e-9
    assert path[-1] > path[0] + 1.0


def test_relabelled_items_relabel_what_is_learned():
    start, order = random_population(), np.array([3, 0, 5, 1, 4, 2])
    ranks = np.random.default_rng(0).random((30, 6)).argsort(axis=1) + 1.0
    ranks[ranks > 5] = np.nan
    square = np.ix_(order, order)
    moved = Population(start.mean[order], start.covariance[square], start.noise)
    one, other = (
        learn(lists_of(own), model, TastePrior(model.covariance, 5.0, np.eye(6)), max_iter=9)
        for own, model in ((ranks, start), (ranks[:, order], moved))
    )
    assert_allclose(other.covariance, one.covariance[square], rtol=1e-8, atol=1e-10)
    assert_allclose(other.mean, one.mean[order], rtol=1e-8, atol=1e-10)


# A path of four items, and one item without neighbours.
PATH = np.zeros((5, 5))
PATH[[0, 1, 2], [1, 2, 3]] = PATH[[1, 2, 3], [0, 1, 2]] = [1.0, 2.0, 1.0]


def test_kernels_are_inverses_with_a_unit_diagonal():
    degrees = PATH.sum(axis=1)
    laplacian = np.eye(5)
    laplacian[:4, :4] -= PATH[:4, :4] / np.sqrt(np.outer(degrees[:4], degrees[:4]))
    kernels = module.graph_kernels(as_item_graph(PATH), 5)
    for reach, found in zip(module._PATH_REACHES, kernels, strict=True):
        whole = np.linalg.inv(np.eye(5) + reach * laplacian)
        sizes = np.sqrt(np.diag(whole))
        assert_allclose(found, whole / np.outer(sizes, sizes), rtol=1e-9, atol=1e-12)
        assert (np.diff(found[0]) < 0).all()
    (alone,) = module.graph_kernels(None, 3)
    assert_allclose(alone, np.eye(3))


def test_the_evidence_of_means_is_that_of_all_scores_together(monkeypatch):
    """Scores of all people are jointly normal once the means are integrated out."""
    rng = np.random.default_rng(0)
    ranks = rng.random((4, 5)).argsort(axis=1) + 1.0
    ranks[1, 2] = ranks[3, 0] = np.nan
    lists = lists_of(ranks)
    start = Population(rng.normal(size=5), 0.5 * np.eye(5) + 0.2, 0.3)
    owners, items = lists.owners, lists.items
    together = owners[:, None] == owners
    spread = (start.covariance[np.ix_(items, items)] + OFFSET) * together
    spread += start.noise * np.eye(len(items))
    costs, expected = [], []

    def compare(unlikely, kernels, first):
        for shared, own in ((0.3, 0.1), (2.0, 0.5), (0.01, 0.02)):
            costs.append(unlikely(kernels[0], shared, own))
            means = (shared * kernels[0] + own * np.eye(5))[np.ix_(items, items)]
            density = multivariate_normal(cov=spread + means)
            expected.append(-density.logpdf(lists.scores))
        return kernels[0], *first

    monkeypatch.setattr(module, "_least", compare)
    kernel = module.graph_kernels(as_item_graph(PATH), 5)[1]
    module.choose_precision(lists, start, [kernel])
    assert_allclose(np.diff(costs), np.diff(expected), rtol=1e-8)
