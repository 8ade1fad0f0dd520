"""Slopes of weights against finite differences, and mixed graphs against sums."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone

from rankcut import DissimilarityGraph, ItemGraph, SimilarityGraph
from rankcut.graphs import MixedGraph
from rankcut.graphs.gradients import learnable, weight_slopes

POINTS = np.random.default_rng(0).normal(size=(7, 3))
BOUNDS = (1e-2, 1e2)


def recipe(lengthscale=1.3, kernel="squared_exponential", **options):
    return SimilarityGraph(
        POINTS, kernel=kernel, lengthscale=lengthscale, lengthscale_bounds=BOUNDS, **options
    )


RECIPES = {
    "one": recipe(),
    "each": recipe(np.array([0.7, 1.5, 3.0])),
    "exponential": recipe(kernel="exponential"),
    "exponential, each": recipe([0.7, 1.5, 3.0], kernel="exponential"),
    "sparse": recipe(keep=0.5),
    "unlike": DissimilarityGraph(recipe([0.7, 1.5, 3.0])),
    "mixed": MixedGraph(
        [recipe(), SimilarityGraph(POINTS[:, :1])], weights=[0.4, 2.0], weights_bounds=BOUNDS
    ),
}


@pytest.mark.parametrize("name", RECIPES)
def test_slopes_are_finite_differences(name):
    given = RECIPES[name]
    (found,) = learnable(given)
    value = np.atleast_1d(np.asarray(given.get_params()[found.name], dtype=float))
    slopes = weight_slopes(given)
    assert len(slopes) == found.n_elements == len(value)
    step = 1e-6
    for number, slope in enumerate(slopes):
        built = []
        for sign in (1, -1):
            changed = value.copy()
            changed[number] *= np.exp(sign * step)
            scalar = np.ndim(given.get_params()[found.name]) == 0
            moved = clone(given).set_params(**{found.name: changed[0] if scalar else changed})
            built.append(moved.build().to_dense())
        assert_allclose(slope, (built[0] - built[1]) / (2 * step), atol=1e-8)


def test_one_lengthscale_for_all_is_the_same_as_equal_ones():
    assert_allclose(
        recipe(1.3).build().to_dense(), recipe([1.3] * 3).build().to_dense(), rtol=1e-13
    )
    assert_allclose(
        weight_slopes(recipe(1.3))[0], sum(weight_slopes(recipe([1.3] * 3))), rtol=1e-12, atol=1e-15
    )


def test_nothing_is_learned_without_bounds():
    for given in (
        None,
        SimilarityGraph(POINTS),
        ItemGraph.complete(3),
        DissimilarityGraph(RECIPES["sparse"].build()),
    ):
        assert learnable(given) == []
        assert weight_slopes(given) == []


def test_mixed_graphs_are_sums():
    first, second = np.triu(POINTS[:3] ** 2, 1), np.triu(np.ones((3, 3)), 1)
    first, second = first + first.T, second + second.T
    mixed = MixedGraph([first, second], weights=[2, 0.5]).build()
    assert_allclose(mixed.to_dense(), 2 * first + 0.5 * second)
    both = MixedGraph([sparse.csr_array(first), sparse.csr_array(second)]).build()
    assert both.weights.kind == "sparse"
    assert_allclose(both.to_dense(), (first + second) / 2)


def test_mixed_graphs_match_items_by_name():
    weights = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0.0]])
    turned = weights[::-1, ::-1]
    mixed = MixedGraph(
        [ItemGraph(weights, 3, ("a", "b", "c")), ItemGraph(turned, 3, ("c", "b", "a"))]
    )
    assert_allclose(mixed.build().to_dense(), weights, rtol=1e-14)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (MixedGraph([]), "graphs must hold at least one graph"),
        (MixedGraph([np.zeros((2, 2))], weights=[1, 2]), "weights must be 1 numbers"),
        (MixedGraph([np.zeros((2, 2))], weights=[-1]), "weights must be"),
        (recipe([1.0, 2.0]), "lengthscale has 2 numbers, but there are 3 features"),
        (recipe([1.0, 2.0, -1.0]), "lengthscale must be above 0"),
    ],
)
def test_mistakes(given, message):
    with pytest.raises(ValueError, match=message):
        given.build()


def test_learning_starts_from_numbers():
    with pytest.raises(ValueError, match="lengthscale is 'median'"):
        learnable(recipe("median"))
    with pytest.raises(ValueError, match="ceiling must be a number"):
        weight_slopes(DissimilarityGraph(recipe(), ceiling="largest"))
