"""The minimum-norm point of a base polytope, by Wolfe's algorithm.

The point is kept as an affine combination of a few vertices. A major step adds the vertex that
is farthest in the direction of the origin, which the greedy algorithm finds; minor steps walk
towards the minimum-norm point of the affine hull and drop vertices whose weight falls to 0.
"""

import numpy as np

from rankcut._loops.types import Floats
from rankcut.lovasz import lovasz_subgradient
from rankcut.setfunctions import SetFunction

# The point is optimal if no vertex is nearer to the origin by more than this part of the square
# of what vertices measure.
_OPTIMAL = 1e-14

# Weights below this are 0.
_VANISHED = 1e-12


def min_norm_base(function: SetFunction) -> Floats:
    """The x of smallest norm in the base polytope of a submodular function."""
    corners = lovasz_subgradient(function, np.zeros((1, function.n_items)))
    weights = np.ones(1)
    point: Floats = corners[0]
    while True:
        vertex = lovasz_subgradient(function, -point)
        largest = max(float((corners**2).sum(axis=1).max()), float(vertex @ vertex))
        known = (np.abs(corners - vertex).max(axis=1) <= _VANISHED * np.sqrt(largest)).any()
        if known or point @ point - point @ vertex <= _OPTIMAL * largest:
            return point
        corners = np.vstack([corners, vertex])
        weights = np.append(weights, 0.0)
        before = point @ point
        while True:
            target = _affine_minimum(corners)
            if target.min() > _VANISHED:
                weights = target
                break
            # As far towards the target as no weight becomes negative.
            falling = target <= _VANISHED
            drop = weights[falling] - target[falling]
            steps = np.divide(weights[falling], drop, out=np.zeros(len(drop)), where=drop > 0)
            weights = weights + steps.min() * (target - weights)
            keep = weights > _VANISHED
            corners, weights = corners[keep], weights[keep] / weights[keep].sum()
        shorter = weights @ corners
        if shorter @ shorter >= before:
            # Rounding ate the progress: this is as near as floating point gets.
            return point
        point = shorter


def _affine_minimum(corners: Floats) -> Floats:
    """Weights, adding up to 1, of the minimum-norm point of the corners' affine hull."""
    base, others = corners[0], corners[1:]
    rest = np.linalg.lstsq((others - base).T, -base, rcond=None)[0]
    return np.concatenate([[1.0 - rest.sum()], rest])
