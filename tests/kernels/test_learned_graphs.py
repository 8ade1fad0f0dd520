"""Parameters of the graph, learned by the evidence of a Gaussian process."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.base import clone

from rankcut import (
    DissimilarityGraph,
    GPClassifier,
    GraphCutKernel,
    SimilarityGraph,
    make_plackett_luce,
)
from rankcut.graphs import MixedGraph

N_ITEMS = 7
RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(N_ITEMS, 2))
FULL = make_plackett_luce(15, N_ITEMS, random_state=1).ranks
TOP = np.where(FULL <= 3, FULL, np.nan)
BOUNDS = (1e-2, 1e2)


def graph(lengthscale=1.0, **options):
    return SimilarityGraph(POINTS, lengthscale=lengthscale, lengthscale_bounds=BOUNDS, **options)


KERNELS = {
    "one": (GraphCutKernel(graph()), FULL),
    "each": (GraphCutKernel(graph([0.8, 1.7])), FULL),
    "unit length": (GraphCutKernel(graph([0.8, 1.7]), normalize=True), FULL),
    "unlike": (GraphCutKernel(DissimilarityGraph(graph(1.2))), FULL),
    "mixed": (
        GraphCutKernel(
            MixedGraph(
                [SimilarityGraph(POINTS[:, :1]), SimilarityGraph(POINTS[:, 1:])],
                weights=[1.0, 0.3],
                weights_bounds=BOUNDS,
            )
        ),
        FULL,
    ),
    "unlisted": (
        GraphCutKernel(
            graph(), unranked="last", unlisted_weight=0.4, unlisted_weight_bounds=BOUNDS
        ),
        TOP,
    ),
    "closed form": (
        GraphCutKernel(graph(), unranked="anywhere", completions="closed_form", normalize=True),
        TOP,
    ),
    "exact": (GraphCutKernel(graph(), unranked="anywhere", completions="exact"), TOP),
}


@pytest.mark.parametrize("name", KERNELS)
def test_gradients_are_finite_differences(name):
    kernel, ranks = KERNELS[name]
    gram, gradient = kernel(ranks, eval_gradient=True)
    assert gradient.shape == (*gram.shape, kernel.n_dims)
    step = 1e-5
    for number in range(kernel.n_dims):
        change = step * (np.arange(kernel.n_dims) == number)
        ahead = kernel.clone_with_theta(kernel.theta + change)(ranks)
        behind = kernel.clone_with_theta(kernel.theta - change)(ranks)
        expected = (ahead - behind) / (2 * step)
        assert_allclose(gradient[:, :, number], expected, atol=1e-7 * np.abs(expected).max())


def test_at_a_change_of_pooling_the_gradient_is_between_both_sides():
    # W_13 = W_23 = 1 and W_12 = a. The gains of 3 ≻ 1 ≻ 2 are 2, a − 1 and −1 − a: the first
    # two are pooled from a = 3 on.
    base = np.array([[0, 0, 1.0], [0, 0, 1.0], [1.0, 1.0, 0]])
    edge = np.array([[0, 1.0, 0], [1.0, 0, 0], [0, 0, 0]])
    ranks = np.array([[1, 2, 3.0], [1, 3, 2.0], [2, 1, 3.0], [3, 1, 2.0], [2, 3, 1.0]])

    def kernel(a):
        return GraphCutKernel(MixedGraph([base, edge], weights=[1.0, a], weights_bounds=BOUNDS))

    at = kernel(3.0)(ranks, eval_gradient=True)[1][:, :, 1]
    before, after = (kernel(a)(ranks, eval_gradient=True)[1][:, :, 1] for a in (2.9999, 3.0001))
    low, high = np.minimum(before, after), np.maximum(before, after)
    assert np.all((at >= low - 1e-2) & (at <= high + 1e-2))
    assert np.abs(before - after).max() > 0.1


def test_a_slope_too_small_for_a_number_is_zero():
    far = SimilarityGraph([[0.0], [38.5], [77.0]], lengthscale=1.0, lengthscale_bounds=(0.1, 10))
    slopes = GraphCutKernel(DissimilarityGraph(far))([[1, 2, 3], [2, 1, 3]], eval_gradient=True)[1]
    assert (slopes == 0).all()


def test_what_is_learned_is_seen_as_scikit_learn_sees_it():
    kernel = KERNELS["each"][0]
    assert [each.name for each in kernel.hyperparameters] == ["graph__lengthscale"]
    assert_allclose(np.exp(kernel.theta), [0.8, 1.7])
    assert_allclose(np.exp(kernel.bounds), [BOUNDS, BOUNDS])
    moved = kernel.clone_with_theta(np.log([2.0, 3.0]))
    assert_allclose(moved.graph.lengthscale, [2.0, 3.0])
    assert_allclose(kernel.graph.lengthscale, [0.8, 1.7])
    assert_allclose(clone(kernel)(FULL), kernel(FULL))
    assert GraphCutKernel(SimilarityGraph(POINTS)).n_dims == 0


@pytest.mark.slow
def test_a_planted_feature_is_found():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(10, 2))
    ranks = make_plackett_luce(100, 10, random_state=3).ranks
    truth = GraphCutKernel(SimilarityGraph(points[:, :1], lengthscale=0.5))(ranks)
    root = np.linalg.cholesky(truth / np.mean(np.diag(truth)) * 9 + 1e-6 * np.eye(100))
    y = norm.cdf(root @ rng.standard_normal(100)) > rng.random(100)
    learned = SimilarityGraph(points, lengthscale=[1.0, 1.0], lengthscale_bounds=(0.05, 50))
    model = GPClassifier(GraphCutKernel(learned), max_iter=40).fit(ranks, y)
    fixed = GPClassifier(GraphCutKernel(SimilarityGraph(points)), max_iter=40).fit(ranks, y)
    found = model.kernel_[0].graph.lengthscale
    assert found[0] < found[1]
    assert model.elbo_ > fixed.elbo_


def test_a_weight_that_is_learned_starts_from_a_number():
    kernel = GraphCutKernel(
        unranked="last", unlisted_weight="balanced", unlisted_weight_bounds=BOUNDS
    )
    with pytest.raises(ValueError, match="unlisted_weight is 'balanced'"):
        kernel(TOP, eval_gradient=True)
