"""How the population is learned: basis, prior, strength of the prior, sharpness; nothing to tune.

1. The means of the items, by a few steps of EM.
2. The prior covariance a·K + b·I, K the kernel of a walk over the item graph: the steps of the
   walk, a and b by the marginal likelihood of some lists.
3. The strength ν of that prior, by the likelihood of people held out.
4. EM on all lists.
5. The sharpness of pair probabilities, by places hidden from the people held out.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_ndtr
from sklearn.utils.extmath import randomized_svd

from rankcut._loops.types import Floats
from rankcut.estimators.completion.lists import Lists
from rankcut.estimators.completion.model import Utilities, learn, pass_over
from rankcut.features.smoothing import Smoother
from rankcut.graphs import ItemGraph

# Up to this many items the covariance is a full matrix; beyond, it has this many directions.
FULL_ITEMS = 2000
RANK = 32

# Longer lists are learned from by this many of their items, drawn at random.
MOST_LISTED = 200

_STEPS = (2, 4, 8, 16)
_STRENGTHS = (20.0, 60.0, 200.0, 600.0)
_USUAL_STRENGTH = 100.0

# People that the choice of the prior, and of its strength, looks at.
_LOOKED_AT = 500
_HELD_OUT = 5000

# Pairs of a hidden and a listed item that tell how sharp probabilities are.
_PAIRS = 200_000


def learn_population(
    lists: Lists,
    graph: ItemGraph | None,
    rng: np.random.Generator,
    *,
    n_jobs: int | None = None,
    heard: Callable[[], None] = lambda: None,
) -> tuple[Utilities, float]:
    """The population behind lists, and the sharpness of its pair probabilities."""
    lists = lists.shortened(MOST_LISTED, rng)
    start = _start(lists, graph, rng)
    kernels = [np.eye(start.size)]
    if graph is not None:
        kernels = [_walk_kernel(graph, steps, start.basis) for steps in _STEPS]
    order = rng.permutation(len(lists))
    looked_at = lists.some(np.sort(order[:_LOOKED_AT]))
    prior, noise = _chosen_prior(looked_at, start, kernels)
    heard()
    start = replace(start, covariance=prior, noise=noise)
    some = order[:_HELD_OUT]
    n_judges = len(some) // 5
    if n_judges < 10:
        model = learn(lists, start, _USUAL_STRENGTH, n_jobs=n_jobs, heard=heard)
        return model, 1.0
    judges, others = lists.some(np.sort(some[:n_judges])), lists.some(np.sort(some[n_judges:]))
    trials = []
    for strength in _STRENGTHS:
        trial = learn(others, start, strength, max_iter=15, n_jobs=n_jobs, heard=heard)
        trials.append((pass_over(judges, trial, n_jobs).likelihood, strength, trial))
    _, strength, trial = max(trials, key=lambda each: each[0])
    model = learn(lists, start, strength, n_jobs=n_jobs, heard=heard)
    return model, _sharpness(judges, trial, rng)


def _start(lists: Lists, graph: ItemGraph | None, rng: np.random.Generator) -> Utilities:
    n_items = lists.n_items
    listed = np.bincount(lists.items, minlength=n_items)
    mean = np.bincount(lists.items, lists.scores, minlength=n_items) / (listed + 3.0)
    if n_items <= FULL_ITEMS:
        return Utilities(mean, np.empty((n_items, 0)), 0.5 * np.eye(n_items), 0.3)
    residuals = lists.matrix(mean)
    seed = int(rng.integers(1 << 31))
    rank = min(RANK, *residuals.shape)
    directions = [randomized_svd(residuals, rank, random_state=seed)[2]]
    if graph is not None:
        half = rank // 2
        smoothed = directions[0].copy()
        Smoother(graph, 4).smooth(smoothed)
        directions = [directions[0][: rank - half], smoothed[:half]]
    basis = np.linalg.qr(np.concatenate(directions).T)[0]
    return Utilities(mean, np.ascontiguousarray(basis), 0.5 * np.eye(basis.shape[1]), 0.5)


def _walk_kernel(graph: ItemGraph, steps: int, basis: Floats) -> Floats:
    """K of so many steps, with a unit diagonal; in the coordinates of the basis if there is one."""
    if basis.shape[1]:
        rows = np.ascontiguousarray(basis.T)
        Smoother(graph, steps).smooth(rows)
        kernel = rows @ basis
        return np.asarray(kernel * (basis.shape[1] / np.trace(kernel)))
    rows = np.eye(graph.n_items)
    Smoother(graph, steps).smooth(rows)
    scales = 1.0 / np.sqrt(np.diag(rows))
    return np.asarray(scales[:, None] * (rows + rows.T) / 2 * scales)


def _chosen_prior(
    lists: Lists, start: Utilities, kernels: list[Floats]
) -> tuple[Floats, float]:
    """The prior covariance, and the noise, that make these lists most likely."""
    best = (np.inf, start.covariance, start.noise)
    for kernel in kernels:

        def prior(logs: Floats, kernel: Floats = kernel) -> tuple[Floats, float]:
            shared, own = np.exp(np.clip(logs, -8.0, 4.0))
            return shared * kernel + own / 2 * np.eye(len(kernel)), own / 2

        def unlikely(logs: Floats, prior: Callable[..., tuple[Floats, float]] = prior) -> float:
            covariance, noise = prior(logs)
            trial = replace(start, covariance=covariance, noise=noise)
            return -pass_over(lists, trial).likelihood

        found = minimize(
            unlikely,
            np.log([0.5, 0.5]),
            method="Nelder-Mead",
            options={"maxiter": 30, "xatol": 0.05, "fatol": 0.1},
        )
        if found.fun < best[0]:
            best = (found.fun, *prior(found.x))
    return best[1], best[2]


def _sharpness(judges: Lists, model: Utilities, rng: np.random.Generator) -> float:
    """κ of P(i ≻ j) = Φ(κ·difference/deviation), by hiding each place of the judges in turn."""
    sums = pass_over(judges, model)
    hidden = np.repeat(np.arange(len(judges)), judges.lengths)
    expected = judges.scores - sums.weights / sums.precisions
    n_pairs = min(_PAIRS, 20 * len(judges.items))
    one = rng.integers(len(judges.items), size=n_pairs)
    person = hidden[one]
    other = judges.starts[person] + rng.integers(judges.lengths[person])
    truth = np.sign(judges.scores[one] - judges.scores[other])
    margins = (expected[one] - judges.scores[other]) * np.sqrt(sums.precisions[one])
    margins = (truth * margins)[truth != 0]
    if not margins.size:
        return 1.0
    found = minimize_scalar(
        lambda log: -log_ndtr(np.exp(log) * margins).sum(), bounds=(-3.0, 3.0), method="bounded"
    )
    return float(np.exp(found.x))
