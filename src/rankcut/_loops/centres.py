"""Centres of points: the nearest one, and medoids."""

import numpy as np

from rankcut._loops.compilation import compiled, compiled_in_any_order
from rankcut._loops.types import Floats, Indices


@compiled_in_any_order
def squared_distance(point: Floats, centre: Floats) -> float:
    """‖point − centre‖²."""
    square = 0.0
    for d in range(point.shape[0]):
        step = point[d] - centre[d]
        square += step * step
    return square


@compiled
def squared_distances(points: Floats, centres: Floats, squares: Floats) -> None:
    """‖point − centre‖² of each point and centre."""
    for r in range(points.shape[0]):
        for c in range(centres.shape[0]):
            squares[r, c] = squared_distance(points[r], centres[c])


@compiled
def nearest_centres(points: Floats, centres: Floats, labels: Indices, squares: Floats) -> None:
    """The centre nearest to each point, the first of equals, and the squared distance to it."""
    for r in range(points.shape[0]):
        squares[r] = np.inf
        for c in range(centres.shape[0]):
            square = squared_distance(points[r], centres[c])
            if square < squares[r]:
                labels[r], squares[r] = c, square


@compiled
def swap_medoids(distances: Floats, weights: Floats, medoids: Indices) -> float:
    """Swap a medoid for a point as long as that brings points nearer; the sum of distances.

    ``distances`` is square; ``medoids`` is changed in place. Each round makes the best swap.
    """
    n = distances.shape[0]
    k = medoids.shape[0]
    nearest = np.empty(n, dtype=np.int64)
    first = np.empty(n)
    second = np.empty(n)
    change = np.empty(k)
    while True:
        total = 0.0
        for r in range(n):
            first[r] = np.inf
            second[r] = np.inf
            for c in range(k):
                distance = distances[r, medoids[c]]
                if distance < first[r]:
                    second[r] = first[r]
                    first[r] = distance
                    nearest[r] = c
                elif distance < second[r]:
                    second[r] = distance
            total += weights[r] * first[r]
        best = -1e-12 * (1.0 + total)
        old = -1
        new = -1
        for candidate in range(n):
            change[:] = 0.0
            shared = 0.0
            for r in range(n):
                distance = distances[r, candidate]
                if distance < first[r]:
                    shared += weights[r] * (distance - first[r])
                else:
                    change[nearest[r]] += weights[r] * (min(distance, second[r]) - first[r])
            for c in range(k):
                if shared + change[c] < best:
                    best = shared + change[c]
                    old = c
                    new = candidate
        if old < 0:
            return total
        medoids[old] = new
