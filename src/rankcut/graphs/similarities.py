"""Distances between items, and the similarities that fall with them."""

from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Similarity: TypeAlias = Literal["squared_exponential", "exponential"]

# Differences of so many numbers are taken at once.
_AT_ONCE = 1 << 22


def distances_between(
    points: NDArray[np.float64], first: NDArray[Any], second: NDArray[Any]
) -> NDArray[np.float64]:
    """Between some pairs of points, a part of them at a time.

    >>> distances_between(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([0, 1]), np.array([1, 1]))
    array([5., 0.])
    """
    step = max(1, _AT_ONCE // points.shape[1])
    found = np.empty(len(first))
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        found[part] = np.linalg.norm(points[first[part]] - points[second[part]], axis=1)
    return found


def check_finite(distances: NDArray[np.float64]) -> None:
    """Raise if the distance between some items is too large for a number."""
    if not np.isfinite(distances).all():
        raise ValueError("distances between items overflow: the item features are too large")


def similarity(
    distances: NDArray[np.float64],
    kernel: Similarity | Literal["constant"],
    lengthscale: float | Literal["median"],
) -> NDArray[np.float64]:
    """Weights of edges of these lengths."""
    check_finite(distances)
    if kernel == "constant":
        return np.ones_like(distances)
    if kernel not in ("squared_exponential", "exponential"):
        raise ValueError(
            f'kernel must be "squared_exponential" or "exponential", and it is {kernel!r}'
        )
    scale = median_lengthscale(distances, lengthscale)
    if kernel == "exponential":
        return np.exp(-distances / scale)
    return np.exp(-0.5 * (distances / scale) ** 2)


def median_lengthscale(
    distances: NDArray[np.float64], lengthscale: float | Literal["median"]
) -> float:
    """The lengthscale as a number.

    Where over half of the distances are 0, "median" means the median of the others.
    """
    if lengthscale == "median":
        scale = float(np.median(distances)) if distances.size else 1.0
        if scale == 0.0:
            apart = distances[distances > 0]
            scale = float(np.median(apart)) if apart.size else 1.0
        return scale
    if isinstance(lengthscale, Real) and 0 < lengthscale < np.inf:
        return float(lengthscale)
    raise ValueError(f'lengthscale must be "median" or above 0, and it is {lengthscale!r}')
