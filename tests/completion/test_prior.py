"""Priors of the population, against dense definitions and SciPy's normal densities."""

import numpy as np
import pytest
from listed import lists_of
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from rankcut.completion import population as prior
from rankcut.completion.population import OFFSET, Population
from rankcut.graphs import as_item_graph

# A path of four items, and one item without neighbours.
PATH = np.zeros((5, 5))
PATH[[0, 1, 2], [1, 2, 3]] = PATH[[1, 2, 3], [0, 1, 2]] = [1.0, 2.0, 1.0]


def test_kernels_are_inverses_with_a_unit_diagonal():
    degrees = PATH.sum(axis=1)
    laplacian = np.eye(5)
    laplacian[:4, :4] -= PATH[:4, :4] / np.sqrt(np.outer(degrees[:4], degrees[:4]))
    kernels = prior.graph_kernels(as_item_graph(PATH), 5)
    for reach, found in zip(prior._REACHES, kernels, strict=True):
        whole = np.linalg.inv(np.eye(5) + reach * laplacian)
        sizes = np.sqrt(np.diag(whole))
        assert_allclose(found, whole / np.outer(sizes, sizes), rtol=1e-9, atol=1e-12)
        assert (np.diff(found[0]) < 0).all()
    (alone,) = prior.graph_kernels(None, 3)
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

    monkeypatch.setattr(prior, "_least", compare)
    kernel = prior.graph_kernels(as_item_graph(PATH), 5)[1]
    prior.choose_precision(lists, start, [kernel])
    assert_allclose(np.diff(costs), np.diff(expected), rtol=1e-8)


def planted(n_people, share, seed=0):
    """Lists of five of twenty items in four groups, whose means agree as far as asked."""
    rng = np.random.default_rng(seed)
    groups = np.arange(20) // 5
    means = np.sqrt(share) * rng.normal(size=4)[groups] + np.sqrt(1 - share) * rng.normal(size=20)
    utilities = means + rng.normal(size=(n_people, 20))
    hidden = rng.random(utilities.shape).argsort(axis=1) >= 5
    ranks = (-utilities).argsort(axis=1).argsort(axis=1) + 1.0
    return lists_of(np.where(hidden, np.nan, ranks)), as_item_graph(
        (groups[:, None] == groups) * 1.0 - np.eye(20)
    )


@pytest.mark.parametrize(("share", "follows"), [(0.95, True), (0.0, False)])
def test_means_follow_the_graph_as_far_as_those_of_the_lists_do(share, follows):
    lists, graph = planted(150, share)
    start = Population(np.zeros(20), 0.25 * np.eye(20), 0.25)
    kernels = prior.graph_kernels(graph, 20)
    variance = np.linalg.inv(prior.choose_precision(lists, start, kernels))
    within = variance[0, 1] / variance[0, 0]
    assert (within > 0.6) if follows else (within < 0.3)
    # People differ by chance alone: tastes have nothing of the graph.
    population, _ = prior.choose_covariance(lists, start.mean, kernels)
    assert population.noise > 0.1
