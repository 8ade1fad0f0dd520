"""How the weights of a graph change with the parameters of its recipe, so that they can be learned.

A parameter of a recipe can be learned if the recipe has bounds for it, such as
``SimilarityGraph(features, lengthscale=1.0, lengthscale_bounds=(0.1, 10))``. Weights and slopes are
matrices over the items in the order of the recipe.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import squareform

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.graphs.derived import DissimilarityGraph, MixedGraph
from rankcut.graphs.item_features import item_points
from rankcut.graphs.recipes import SimilarityGraph, per_feature


class Learnable(NamedTuple):
    """A parameter of a recipe: its name, where to look for it, and how many numbers it has."""

    name: str
    bounds: Any
    n_elements: int


def learnable(recipe: Any) -> list[Learnable]:
    """The parameters of a recipe that have bounds.

    >>> learnable(SimilarityGraph([[0.0], [1.0]], lengthscale=2.0, lengthscale_bounds=(0.1, 10)))
    [Learnable(name='lengthscale', bounds=(0.1, 10), n_elements=1)]
    """
    if isinstance(recipe, DissimilarityGraph):
        return [each._replace(name=f"graph__{each.name}") for each in learnable(recipe.graph)]
    name = {SimilarityGraph: "lengthscale", MixedGraph: "weights"}.get(type(recipe))
    if name is None or _is_fixed(getattr(recipe, f"{name}_bounds")):
        return []
    value = getattr(recipe, name)
    if isinstance(value, str) or value is None:
        raise InputError(
            f"is {value!r}; a parameter that is learned needs numbers to start from",
            parameter=name,
        )
    return [Learnable(name, getattr(recipe, f"{name}_bounds"), np.size(value))]


def weight_slopes(recipe: Any) -> list[Floats]:
    """dW/d log θ for each number that is learned, in the order of :func:`learnable`."""
    if not learnable(recipe):
        return []
    if isinstance(recipe, DissimilarityGraph):
        if recipe.ceiling == "largest":
            raise InputError(
                "must be a number for a graph whose parameters are learned", parameter="ceiling"
            )
        return [-slope for slope in weight_slopes(recipe.graph)]
    if isinstance(recipe, MixedGraph):
        return [part.to_dense() for part in recipe.parts()]
    return _similarity_slopes(recipe)


def _similarity_slopes(recipe: SimilarityGraph) -> list[Floats]:
    """W·Δ²/ℓ² in all features, or in each; of exp(−d/ℓ), that is divided by the distance d/ℓ."""
    weights = recipe.build().to_dense()
    points, _ = item_points(recipe.features, recipe.items, recipe.scale)
    points = points / per_feature(recipe.lengthscale, points.shape[1])
    squares = [squareform(_squared_differences(column), checks=False) for column in points.T]
    if np.size(recipe.lengthscale) == 1:
        squares = [np.sum(squares, axis=0)]
    if recipe.kernel == "exponential":
        distances = np.sqrt(np.sum(squares, axis=0))
        squares = [
            np.divide(square, distances, out=np.zeros_like(square), where=distances > 0)
            for square in squares
        ]
    return [weights * square for square in squares]


def _squared_differences(values: Floats) -> Floats:
    first, second = np.triu_indices(len(values), 1)
    return np.asarray((values[first] - values[second]) ** 2)


def _is_fixed(bounds: Any) -> bool:
    return isinstance(bounds, str) and bounds == "fixed"
