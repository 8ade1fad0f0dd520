"""Plain ways to predict the places of unlisted items, for benchmarks/completion/completion.py.

Each learns from lists and returns a function from lists to utilities of all items. All know the
order of what a person lists: a listed item has its own score, on the level of the listed items.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.optimize import minimize

from rankcut.completion.lists import Lists

Predictor: TypeAlias = Callable[[Lists], np.ndarray]
Baseline: TypeAlias = Callable[[Lists, np.ndarray | None], Predictor]

_SHRINKAGE = 3.0


def _means(lists: Lists) -> np.ndarray:
    sums = np.bincount(lists.items, lists.scores, minlength=lists.n_items)
    return sums / (np.bincount(lists.items, minlength=lists.n_items) + _SHRINKAGE)


def _with_own(lists: Lists, worth: np.ndarray) -> np.ndarray:
    """Own scores of listed items, on the level that they are expected to have."""
    owners, known = lists.owners, lists.blurs == 0
    gaps = worth[owners, lists.items] - lists.scores
    counts = np.maximum(np.bincount(owners[known], minlength=len(lists)), 1)
    level = np.bincount(owners[known], gaps[known], minlength=len(lists)) / counts
    found = worth.copy()
    found[owners[known], lists.items[known]] = (lists.scores + level[owners])[known]
    return found


def popularity(lists: Lists, features: np.ndarray | None) -> Predictor:
    """Mean scores, whatever a person lists."""
    mean = _means(lists)
    return lambda some: np.tile(mean, (len(some), 1))


def popularity_and_own(lists: Lists, features: np.ndarray | None) -> Predictor:
    """Mean scores, and own scores of listed items."""
    mean = _means(lists)
    return lambda some: _with_own(some, np.tile(mean, (len(some), 1)))


def _residuals(lists: Lists, mean: np.ndarray) -> np.ndarray:
    """Scores minus the items' means and the list's level, 0 where not listed."""
    values = lists.scores - mean[lists.items]
    level = np.bincount(lists.owners, values, minlength=len(lists)) / np.maximum(lists.lengths, 1)
    filled = np.zeros((len(lists), lists.n_items))
    filled[lists.owners, lists.items] = values - level[lists.owners]
    return filled


def neighbours(lists: Lists, features: np.ndarray | None) -> Predictor:
    """Item-item neighbours: mean residuals, weighed by shrunk correlations."""
    mean = _means(lists)
    residuals = _residuals(lists, mean)
    together = residuals.T @ residuals
    sizes = np.sqrt(np.diag(together))
    shared = (residuals != 0).astype(float)
    overlap = shared.T @ shared
    alike = together / (np.outer(sizes, sizes) + 1e-9) * overlap / (overlap + 10.0)
    np.fill_diagonal(alike, 0.0)

    def predict(some: Lists) -> np.ndarray:
        own = _residuals(some, mean)
        weights = (own != 0) @ np.abs(alike)
        return _with_own(some, mean + own @ alike / (weights + 0.5))

    return predict


def factors(lists: Lists, features: np.ndarray | None) -> Predictor:
    """Alternating least squares on observed residuals; rank and penalty by people held out."""
    mean = _means(lists)
    order = np.random.default_rng(0).permutation(len(lists))
    held = lists.some(order[: len(order) // 5])
    rest = lists.some(order[len(order) // 5 :])
    grid = [(rank, penalty) for rank in (2, 6, 12) for penalty in (1.0, 4.0, 16.0)]
    scores = [
        _masked_error(held, mean, _alternate(rest, mean, rank, penalty), penalty)
        for rank, penalty in grid
    ]
    rank, penalty = grid[int(np.argmin(scores))]
    loadings = _alternate(lists, mean, rank, penalty)

    def predict(some: Lists) -> np.ndarray:
        return _with_own(some, mean + _tastes(some, mean, loadings, penalty) @ loadings.T)

    return predict


def _tastes(lists: Lists, mean: np.ndarray, loadings: np.ndarray, penalty: float) -> np.ndarray:
    residuals = _residuals(lists, mean)
    listed = np.zeros(residuals.shape)
    listed[lists.owners, lists.items] = 1.0
    return _solved(listed, residuals, loadings, penalty)


def _solved(
    listed: np.ndarray, residuals: np.ndarray, others: np.ndarray, penalty: float
) -> np.ndarray:
    """Ridge regressions of all rows on the factors of the columns that are listed."""
    rank = others.shape[1]
    products = (others[:, :, None] * others[:, None, :]).reshape(len(others), -1)
    grams = (listed @ products).reshape(-1, rank, rank) + penalty * np.eye(rank)
    return np.linalg.solve(grams, (residuals @ others)[..., None])[..., 0]


def _alternate(lists: Lists, mean: np.ndarray, rank: int, penalty: float) -> np.ndarray:
    loadings = 0.1 * np.random.default_rng(0).normal(size=(lists.n_items, rank))
    residuals = _residuals(lists, mean)
    listed = np.zeros(residuals.shape)
    listed[lists.owners, lists.items] = 1.0
    for _ in range(10):
        tastes = _solved(listed, residuals, loadings, penalty)
        loadings = _solved(listed.T, residuals.T, tastes, penalty)
    return loadings


def _masked_error(held: Lists, mean: np.ndarray, loadings: np.ndarray, penalty: float) -> float:
    hidden = np.random.default_rng(1).random(len(held.items)) < 0.3
    tastes = _tastes(held.kept(~hidden), mean, loadings, penalty)
    truth = _residuals(held, mean)[held.owners, held.items]
    guesses = np.einsum("er,er->e", tastes[held.owners], loadings[held.items])
    return float(((truth - guesses)[hidden] ** 2).mean())


def plackett_luce(lists: Lists, features: np.ndarray | None) -> Predictor:
    """Plackett–Luce strengths, drawn to a linear function of the item features."""
    design = np.eye(lists.n_items)
    if features is not None:
        design = np.hstack([design, features / np.sqrt(features.shape[1])])
    orders = []
    for person in range(len(lists)):
        place = lists.entries(person)
        known = lists.blurs[place] == 0
        order = np.argsort(-lists.scores[place][known], kind="stable")
        orders.append(lists.items[place][known][order].astype(int))

    longest = max(map(len, orders))
    padded = np.full((len(orders), longest), -1)
    for row, order in enumerate(orders):
        padded[row, : len(order)] = order
    there = padded >= 0

    def cost(coefficients: np.ndarray) -> tuple[float, np.ndarray]:
        strengths = design @ coefficients
        values = np.where(there, strengths[padded], -np.inf)
        tails = np.logaddexp.accumulate(values[:, ::-1], axis=1)[:, ::-1]
        value = tails[there].sum() - values[there].sum() + 0.5 * coefficients @ coefficients
        ahead = np.logaddexp.accumulate(np.where(there, -tails, -np.inf), axis=1)
        chances = np.exp(np.where(there, values + ahead, -np.inf))
        slope = np.bincount(padded[there], chances[there] - 1.0, minlength=lists.n_items)
        return float(value), design.T @ slope + coefficients

    found = minimize(cost, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B")
    strengths = design @ found.x
    strengths = strengths / max(float(strengths.std()), 1e-9) * float(_means(lists).std())
    return lambda some: _with_own(some, np.tile(strengths, (len(some), 1)))


def kernel_ridge(lists: Lists, features: np.ndarray | None) -> Predictor:
    """Each person's residuals by kernel ridge regression on the item features."""
    assert features is not None
    mean = _means(lists)
    squares = ((features[:, None] - features[None]) ** 2).sum(axis=2)
    kernel = np.exp(-squares / (2.0 * np.median(squares)))
    some_held = lists.some(np.arange(0, len(lists), max(1, len(lists) // 100)))
    hidden = np.random.default_rng(1).random(len(some_held.items)) < 0.3

    def predict(some: Lists, penalty: float) -> np.ndarray:
        found = np.tile(mean, (len(some), 1))
        for person in range(len(some)):
            place = some.entries(person)
            items = some.items[place]
            if len(items):
                values = some.scores[place] - mean[items]
                gram = kernel[np.ix_(items, items)] + penalty * np.eye(len(items))
                found[person] += kernel[:, items] @ np.linalg.solve(gram, values - values.mean())
        return found

    def error(penalty: float) -> float:
        found = predict(some_held.kept(~hidden), penalty)
        gaps = some_held.scores - found[some_held.owners, some_held.items]
        return float((gaps[hidden] ** 2).mean())

    penalty = min((0.3, 1.0, 3.0, 10.0, 30.0), key=error)
    return lambda some: _with_own(some, predict(some, penalty))


BASELINES: dict[str, Baseline] = {
    "popularity": popularity,
    "popularity and own list": popularity_and_own,
    "item-item neighbours": neighbours,
    "factors (ALS)": factors,
    "Plackett–Luce": plackett_luce,
    "kernel ridge on features": kernel_ridge,
}
