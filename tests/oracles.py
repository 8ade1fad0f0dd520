"""Slow, independent ways to compute what the library computes."""

from itertools import permutations, product

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


def agreeing_orders(row):
    """All full rankings, as positions from 1, that order no ranked pair of a row otherwise."""
    n = len(row)
    strict = [(i, j) for i in range(n) for j in range(n) if row[i] < row[j]]
    return [
        positions
        for positions in permutations(range(1, n + 1))
        if all(positions[i] < positions[j] for i, j in strict)
    ]


def discordant(x, y):
    """How many pairs two full rankings order oppositely."""
    return sum((x[i] < x[j]) != (y[i] < y[j]) for i in range(len(x)) for j in range(i))


def mean_over_orders(kernel, rows, others=None):
    """The mean of a kernel on full rankings over all that agree with each row."""
    values = {}

    def value(x, y):
        pair = (*x, *y)
        if pair not in values:
            values[pair] = kernel(x, y)
        return values[pair]

    left = [agreeing_orders(row) for row in rows]
    right = left if others is None else [agreeing_orders(row) for row in others]
    return np.array([[np.mean([value(x, y) for x in a for y in b]) for b in right] for a in left])


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
