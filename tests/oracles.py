"""Slow, independent ways to compute what the library computes."""

from itertools import product

import numpy as np
from scipy.optimize import isotonic_regression, minimize


def cut(weights, inside):
    """F(B) from its definition: the weights between B and the rest."""
    outside = [j for j in range(len(weights)) if j not in inside]
    return sum(weights[i, j] for i in inside for j in outside)


def cut_values(weights, groups):
    """F along the prefixes of an ordered partition, from F(∅) on."""
    inside = set()
    values = [0.0]
    for group in groups:
        inside |= set(group)
        values.append(cut(weights, inside))
    return np.array(values)


def features(weights, groups):
    """Pooled slopes: cuts from sets, regression by SciPy."""
    sizes = np.array([len(group) for group in groups], dtype=float)
    slopes = np.diff(cut_values(weights, groups)) / sizes
    pooled = isotonic_regression(slopes, weights=sizes, increasing=False).x
    phi = np.zeros(len(weights))
    for group, slope in zip(groups, pooled, strict=True):
        phi[list(group)] = slope
    return phi


def smallest_majorant(weights, groups):
    """The minimum-norm point of {s : s(B_t) ≥ F(B_t), s(V) = F(V)}, by a QP solver."""
    n = len(weights)
    values = cut_values(weights, groups)[1:]
    prefixes = np.zeros((len(groups), n))
    for t, group in enumerate(groups):
        prefixes[t:, list(group)] = 1.0
    constraints = [
        {
            "type": "eq" if t == len(groups) - 1 else "ineq",
            "fun": lambda s, t=t: prefixes[t] @ s - values[t],
            "jac": lambda s, t=t: prefixes[t],
        }
        for t in range(len(groups))
    ]
    solution = minimize(
        lambda s: 0.5 * s @ s,
        np.zeros(n),
        jac=lambda s: s,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert solution.success, solution.message
    return solution.x


def slopes(weights, groups):
    """Slopes before pooling."""
    phi = np.zeros(len(weights))
    for group, rise in zip(groups, np.diff(cut_values(weights, groups)), strict=True):
        phi[list(group)] = rise / len(group)
    return phi


def completions(row):
    """Every completion of a row of ranks as an ordered partition, by brute force."""
    levels = np.unique(row[~np.isnan(row)])
    groups = [np.flatnonzero(row == level).tolist() for level in levels]
    free = np.flatnonzero(np.isnan(row)).tolist()
    for gaps in product(range(len(groups) + 1), repeat=len(free)):
        chain = []
        for gap in range(len(groups) + 1):
            chain.append([item for item, where in zip(free, gaps, strict=True) if where == gap])
            if gap < len(groups):
                chain.append(groups[gap])
        yield [group for group in chain if group]


def mean_over_completions(weights, row, vector):
    """The mean of ``vector(weights, completion)``."""
    return np.mean([vector(weights, groups) for groups in completions(row)], axis=0)
