"""Centres of points: the nearest one, k-means with its seeds, and medoids."""

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
def draw_point(weights: Floats, squares: Floats, draw: float) -> int:
    """A point drawn by its weight times its square; ``draw`` is a number from 0 to 1."""
    total = 0.0
    for r in range(weights.shape[0]):
        total += weights[r] * squares[r]
    left = draw * total
    chosen = int(weights.shape[0]) - 1
    for r in range(weights.shape[0]):
        left -= weights[r] * squares[r]
        if left < 0.0:
            chosen = r
            break
    return chosen


@compiled
def plant_centres(points: Floats, weights: Floats, draws: Floats, centres: Floats) -> None:
    """k-means++: each next centre is a point drawn by its squared distance from those before.

    ``draws`` has a number from 0 to 1 for each centre.
    """
    n = points.shape[0]
    nearest = np.ones(n)
    for c in range(centres.shape[0]):
        centres[c] = points[draw_point(weights, nearest, draws[c])]
        for r in range(n):
            square = squared_distance(points[r], centres[c])
            nearest[r] = square if c == 0 else min(nearest[r], square)


@compiled
def move_centres(
    points: Floats, weights: Floats, centres: Floats, labels: Indices, most_steps: int
) -> float:
    """Lloyd's steps in place, until no label changes; the weighted sum of squared distances.

    A centre that loses all its points stays where it is.
    """
    n, width = points.shape
    k = centres.shape[0]
    squares = np.empty(n)
    before = np.empty(n, dtype=labels.dtype)
    sums = np.empty((k, width))
    masses = np.empty(k)
    nearest_centres(points, centres, labels, squares)
    for _ in range(most_steps):
        sums[:] = 0.0
        masses[:] = 0.0
        for r in range(n):
            c = labels[r]
            masses[c] += weights[r]
            for d in range(width):
                sums[c, d] += weights[r] * points[r, d]
        for c in range(k):
            if masses[c] > 0.0:
                for d in range(width):
                    centres[c, d] = sums[c, d] / masses[c]
        before[:] = labels
        nearest_centres(points, centres, labels, squares)
        moved = False
        for r in range(n):
            if before[r] != labels[r]:
                moved = True
                break
        if not moved:
            break
    total = 0.0
    for r in range(n):
        total += weights[r] * squares[r]
    return total


@compiled
def grow_centres(
    points: Floats, weights: Floats, draws: Floats, centres: Floats, totals: Floats, steps: int
) -> None:
    """k-means for k = 1, 2, …: ``centres[k − 1, :k]``, and ``totals[k − 1]`` the sum of squares.

    Most starts add a point to the best k − 1 centres, drawn by its squared distance from them; the
    last one is new. ``draws`` has k numbers from 0 to 1 for each k and start.
    """
    n, width = points.shape
    labels = np.empty(n, dtype=np.uint32)
    squares = np.empty(n)
    centres[0, 0] = points[0]
    totals[0] = move_centres(points, weights, centres[0, :1], labels, 2)
    for k in range(2, centres.shape[0] + 1):
        before = centres[k - 2, : k - 1]
        trial = np.empty((k, width))
        best = np.inf
        nearest_centres(points, before, labels, squares)
        for start in range(draws.shape[1]):
            if start == draws.shape[1] - 1 and k > 2:
                plant_centres(points, weights, draws[k - 1, start], trial)
            else:
                trial[: k - 1] = before
                trial[k - 1] = points[draw_point(weights, squares, draws[k - 1, start, 0])]
            total = move_centres(points, weights, trial, labels, steps)
            if total < best:
                best = total
                centres[k - 1, :k] = trial
        totals[k - 1] = best


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
