"""How sharp pair probabilities are, against plain loops over the same hidden places."""

import numpy as np
import pytest
from listed import lists_of
from scipy.special import ndtr
from scipy.stats import norm

from rankcut.completion import prediction
from rankcut.completion.population import Population
from rankcut.completion.prediction import Sharpness, measure_sharpness, pair_probabilities

N = 8


def example():
    """Lists of six of eight items, and a population that they are not drawn from."""
    rng = np.random.default_rng(2)
    root = rng.normal(size=(N, 3))
    mean = np.linspace(1.0, -1.0, N)
    utilities = mean + rng.normal(size=(60, 3)) @ root.T + rng.normal(size=(60, N))
    ranks = (-utilities).argsort(axis=1).argsort(axis=1) + 1.0
    ranks[rng.random(ranks.shape).argsort(axis=1) >= 6] = np.nan
    return ranks, Population(mean, root @ root.T + 0.1 * np.eye(N), 0.2)


def likeliest(margins):
    """κ of the highest posterior on a fine grid of logarithms, whose precision is 20."""
    logs = np.linspace(-2, 2, 4001)
    values = [
        norm.logpdf(log, scale=20**-0.5) + norm.logcdf(np.exp(log) * margins).sum() for log in logs
    ]
    return np.exp(logs[np.argmax(values)])


def test_each_kind_of_pair_has_the_sharpness_that_makes_it_most_likely():
    ranks, model = example()
    lists = lists_of(ranks)
    hidden = np.zeros(ranks.shape, dtype=bool)
    drawn = prediction._hidden_entries(lists, np.random.default_rng(3), last=False)
    hidden[lists.owners[drawn], lists.items[drawn]] = True
    assert (hidden.sum(axis=1) == 2).all()
    margins = {1: [], 2: []}
    for row, out in zip(ranks, hidden, strict=True):
        shown = lists_of(np.where(out, np.nan, row)[None])
        worth = model.utilities(shown, keep=True)[0]
        spread = model.posterior(shown, np.arange(N), keep=True)
        for i in range(N):
            for j in range(N):
                if row[i] < row[j] and (out[i] or out[j]):
                    variance = spread[i, i] + spread[j, j] - 2 * spread[i, j]
                    margins[int(out[i]) + int(out[j])].append(
                        (worth[i] - worth[j]) / np.sqrt(variance)
                    )
    found = measure_sharpness([lists], [model], np.random.default_rng(3))
    assert found.mixed == pytest.approx(likeliest(np.array(margins[1])), rel=2e-3)
    assert found.unlisted == pytest.approx(likeliest(np.array(margins[2])), rel=2e-3)
    assert abs(found.mixed - found.unlisted) > 0.05


def test_probabilities_are_sharpened_by_the_kind_of_pair():
    ranks, model = example()
    lists = lists_of(ranks[:1])
    listed, free = np.flatnonzero(~np.isnan(ranks[0])), np.flatnonzero(np.isnan(ranks[0]))
    pairs = np.array([[listed[0], free[0]], [free[1], free[0]]])
    found = pair_probabilities(model, Sharpness(2.0, 0.5), lists, pairs, keep=True, last=False)
    worth = model.utilities(lists, keep=True)[0]
    spread = model.posterior(lists, np.arange(N), keep=True)
    for chance, (i, j), kappa in zip(found[0], pairs, (2.0, 0.5), strict=True):
        deviation = np.sqrt(spread[i, i] + spread[j, j] - 2 * spread[i, j])
        assert chance == pytest.approx(ndtr(kappa * (worth[i] - worth[j]) / deviation), rel=1e-9)
