"""What is assumed of the population before any list is seen, as the lists themselves suggest.

K = (I + c·L)⁻¹ with a unit diagonal, L the normalised Laplacian of the item graph, is large for
items that are joined by many short paths; c is its *reach*. Tastes have the prior covariance
S₀ = a·K + b·I, and the means have a normal prior of the same form, with values of its own: what
everybody likes and who likes what with it need not follow the graph alike. Each reach, a and b
maximise a marginal likelihood. Without a graph, K is the identity.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import lu_factor, lu_solve
from scipy.optimize import minimize

from rankcut._loops.types import Floats
from rankcut.completion.lists import Lists
from rankcut.completion.population import Population, pass_over
from rankcut.graphs import ItemGraph
from rankcut.graphs.derived import degree_scales

_REACHES = (1.0, 4.0, 16.0, 64.0)

# Bounds of log a and log b.
_LEAST, _MOST = -8.0, 4.0


def graph_kernels(graph: ItemGraph | None, n_items: int) -> list[Floats]:
    """K of each reach; without a graph, only the identity."""
    identity = np.eye(n_items)
    if graph is None:
        return [identity]
    scales = degree_scales(graph)
    laplacian = identity - scales[:, None] * graph.to_dense() * scales
    # Approximate graphs may have eigenvalues a little below 0.
    values, vectors = np.linalg.eigh(laplacian)
    roots = [vectors / np.sqrt(1.0 + reach * np.maximum(values, 0.0)) for reach in _REACHES]
    rows = [root / np.linalg.norm(root, axis=1, keepdims=True) for root in roots]
    return [row @ row.T for row in rows]


def choose_covariance(
    lists: Lists, mean: Floats, kernels: list[Floats]
) -> tuple[Population, float]:
    """The population with a·K + b·I that makes lists most likely; also a/(a + b)."""
    identity = np.eye(lists.n_items)

    def population(kernel: Floats, shared: float, own: float) -> Population:
        return Population(mean, shared * kernel + own / 2 * identity, own / 2)

    def unlikely(kernel: Floats, shared: float, own: float) -> float:
        return -pass_over(lists, population(kernel, shared, own)).likelihood

    kernel, shared, own = _least(unlikely, kernels, (0.5, 0.5))
    return population(kernel, shared, own), shared / (shared + own)


def choose_precision(lists: Lists, start: Population, kernels: list[Floats]) -> Floats:
    """The precision of the means whose prior makes lists most likely, the means integrated out.

    With G the precision that the lists give to the means, and b = G times their best estimate, the
    log likelihood of a prior covariance V is ½·bᵀ(V⁻¹ + G)⁻¹b − ½·log det(I + V·G) + constant.
    """
    sums = pass_over(lists, start)
    pull = sums.gradient + sums.gram @ start.mean
    identity = np.eye(lists.n_items)

    def unlikely(kernel: Floats, shared: float, own: float) -> float:
        variance = shared * kernel + own * identity
        factor = lu_factor(identity + sums.gram @ variance)
        log_det = np.log(np.abs(np.diag(factor[0]))).sum()
        return float(0.5 * log_det - 0.5 * pull @ variance @ lu_solve(factor, pull))

    kernel, shared, own = _least(unlikely, kernels, (0.2, 0.2))
    return np.asarray(np.linalg.inv(shared * kernel + own * identity))


def _least(
    unlikely: Callable[[Floats, float, float], float],
    kernels: list[Floats],
    start: tuple[float, float],
) -> tuple[Floats, float, float]:
    """The kernel, a and b for which a function is least."""
    best, chosen = np.inf, (kernels[0], *start)
    for kernel in kernels:

        def cost(logs: Floats, kernel: Floats = kernel) -> float:
            return unlikely(kernel, *_positive(logs))

        found = minimize(
            cost,
            np.log(start),
            method="Nelder-Mead",
            options={"maxiter": 30, "xatol": 0.05, "fatol": 0.1},
        )
        if found.fun < best:
            best, chosen = found.fun, (kernel, *_positive(found.x))
    return chosen


def _positive(logs: Floats) -> tuple[float, float]:
    shared, own = np.exp(np.clip(logs, _LEAST, _MOST)).tolist()
    return shared, own
