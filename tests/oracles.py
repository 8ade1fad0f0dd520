"""Slow, independent ways to compute what the library computes."""

from itertools import permutations, product

import numpy as np
from scipy.optimize import isotonic_regression, minimize, minimize_scalar
from scipy.stats import multivariate_normal, norm


def cut(weights, inside):
    """F(B) from its definition: the weights between B and the rest."""
    outside = [j for j in range(len(weights)) if j not in inside]
    return sum(weights[i, j] for i in inside for j in outside)


def values_along(value, groups):
    """F along the prefixes of an ordered partition, from F(∅) on."""
    prefixes = [frozenset().union(*groups[:t]) for t in range(len(groups) + 1)]
    return np.array([float(value(prefix)) for prefix in prefixes])


def cut_values(weights, groups):
    """The same for the cut function of a graph."""
    return values_along(lambda inside: cut(weights, inside), groups)


def spread(groups, values):
    """The vector that has a value for each group."""
    vector = np.zeros(sum(map(len, groups)))
    for group, one in zip(groups, values, strict=True):
        vector[list(group)] = one
    return vector


def pooled_slopes(values, groups, *, falling=True):
    """Slopes of F along a chain made monotone: regression by SciPy."""
    sizes = np.array([len(group) for group in groups], dtype=float)
    slopes = np.diff(values) / sizes
    return spread(groups, isotonic_regression(slopes, weights=sizes, increasing=not falling).x)


def features(weights, groups):
    """Pooled slopes of cuts from sets."""
    return pooled_slopes(cut_values(weights, groups), groups)


def prefix_rows(groups):
    """The indicator vectors of the prefixes of an ordered partition, as rows."""
    rows = np.zeros((len(groups), sum(map(len, groups))))
    for t, group in enumerate(groups):
        rows[t:, list(group)] = 1.0
    return rows


def shortest_in_cone(values, groups, side):
    """The minimum-norm point of {s : side·(s(B_t) − F(B_t)) ≥ 0, s(V) = F(V)}, by a QP solver."""
    return shortest(prefix_rows(groups)[:-1], values[1:-1], side, values[-1], sum(map(len, groups)))


def shortest(rows, limits, side, total, n):
    """argmin ‖s‖² subject to side·(rows @ s − limits) ≥ 0 and sum(s) = total, by a QP solver."""
    equal = {"type": "eq", "fun": lambda s: s.sum() - total, "jac": lambda s: np.ones(n)}
    inside = {"type": "ineq", "fun": lambda s: side * (rows @ s - limits)}
    solution = minimize(
        lambda s: 0.5 * s @ s,
        np.zeros(n),
        jac=lambda s: s,
        constraints=[equal, inside | {"jac": lambda s: side * rows}] if len(rows) else [equal],
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
    return spread(groups, np.diff(cut_values(weights, groups)) / [len(group) for group in groups])


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


def log_evidence(views, targets, variances):
    """log p(targets) + log p(log variances), at the best noise, by the normal density itself.

    Weights of view b have the variance ``variances[b]``; log variances are normal with the mean
    log 0.05 and the deviation 2.
    """
    n = len(targets)
    explained = sum(v * view @ view.T for v, view in zip(variances, views, strict=True))

    def unlikely(log_noise):
        density = multivariate_normal(np.zeros(n), explained + np.exp(log_noise) * np.eye(n))
        return -density.logpdf(targets.T).sum()

    best = minimize_scalar(unlikely, bounds=(-5, 3), method="bounded", options={"xatol": 1e-8})
    return norm(np.log(0.05), 2).logpdf(np.log(variances)).sum() - best.fun


def is_at_the_maximum(function, variances, step=0.1):
    """Whether a function of positive numbers falls with each of them, up or down by a tenth."""
    here = function(variances)
    changes = step * np.eye(len(variances))
    return all(function(variances * np.exp(by)) < here for by in [*changes, *-changes])
