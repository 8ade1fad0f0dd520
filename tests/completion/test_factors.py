"""Factors of large catalogues against dense conditioning, plain sums and planted tastes."""

import numpy as np
import pytest
from listed import lists_of
from numpy.testing import assert_allclose, assert_array_equal

from rankcut import ItemGraph, RankingCompleter
from rankcut.completion import population, recipe
from rankcut.completion.population import (
    OFFSET,
    FactorPopulation,
    Population,
    first_factors,
    learn_factors,
)


def planted(n_people=300, n_items=30, n_listed=10, seed=0):
    """Lists of people with two tastes; items come in pairs of the same loadings."""
    rng = np.random.default_rng(seed)
    loadings = np.repeat(rng.normal(size=(n_items // 2, 2)), 2, axis=0)
    utilities = rng.normal(size=(n_people, 2)) @ loadings.T
    utilities += 0.4 * rng.normal(size=utilities.shape)
    full = (-utilities).argsort(axis=1).argsort(axis=1) + 1.0
    hidden = rng.random(full.shape).argsort(axis=1) >= n_listed
    return full, np.where(hidden, np.nan, full)


FULL, LISTS = planted()
PAIRS = ItemGraph(np.kron(np.eye(15), 1 - np.eye(2)), 30)


def random_factors(*, spread, n_items=30, rank=3):
    rng = np.random.default_rng(4)
    roots = spread * rng.normal(size=(n_items, rank, rank))
    return FactorPopulation(
        rng.normal(size=n_items),
        rng.normal(size=(n_items, rank)),
        roots @ roots.transpose(0, 2, 1),
        0.4,
    )


def test_certain_loadings_are_a_covariance_of_low_rank():
    model = random_factors(spread=0.0)
    dense = Population(model.mean, model.loadings @ model.loadings.T, model.noise)
    lists = lists_of(LISTS[:5])
    assert_allclose(model.utilities(lists), dense.utilities(lists), rtol=1e-8, atol=1e-8)
    chosen = np.arange(2, 20)
    for person in range(5):
        one = lists.span(person, person + 1)
        found, expected = (each.posterior(one, chosen) for each in (model, dense))
        assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


def test_sums_over_people_are_those_of_plain_regressions():
    model = random_factors(spread=0.3)
    some = np.where(np.isnan(LISTS), np.nan, LISTS)[:6]
    lists = lists_of(some, counts=np.array([1.0, 2, 1, 3, 1, 1]), unranked="last")
    found = population._pass_over(lists, model, None)
    grams, pulls = np.zeros((30, 4, 4)), np.zeros((30, 4))
    squares = 0.0
    for person in range(6):
        place = lists.entries(person)
        items, scores, count = lists.items[place], lists.scores[place], lists.counts[person]
        weights = 1 / (model.noise + lists.blurs[place])
        loadings = np.hstack([model.loadings[items], np.ones((len(items), 1))])
        precision = (loadings.T * weights) @ loadings + np.diag([1, 1, 1, 1 / OFFSET])
        precision[:3, :3] += np.einsum("n,nde->de", weights, model.spreads[items])
        covariance = np.linalg.inv(precision)
        expected = covariance @ loadings.T @ (weights * (scores - model.mean[items]))
        # Regressors are (g, 1): what g explains, and c, which is not to be explained.
        draws = np.random.default_rng(0).multivariate_normal(expected, covariance, 20_000)
        residuals = scores - draws[:, 3:]
        for a, item in enumerate(items):
            regressors = np.hstack([expected[:3], 1.0])
            second = np.outer(regressors, regressors)
            second[:3, :3] += covariance[:3, :3]
            grams[item] += count * weights[a] * second
            crossed = expected[:3] * scores[a] - covariance[:3, 3] - expected[:3] * expected[3]
            pulls[item] += count * weights[a] * np.hstack([crossed, scores[a] - expected[3]])
            if lists.blurs[place][a] == 0:
                gaps = residuals[:, a] - model.mean[item] - draws[:, :3] @ model.loadings[item]
                own = np.einsum("sd,de,se->s", draws[:, :3], model.spreads[item], draws[:, :3])
                squares += count * (gaps**2 + own).mean()
    assert_allclose(np.tril(found.grams), np.tril(grams), rtol=1e-8, atol=1e-9)
    assert_allclose(found.pulls, pulls, rtol=1e-8, atol=1e-9)
    # By simulation: 20,000 draws.
    assert_allclose(found.squares, squares, rtol=0.03)


def test_planted_tastes_order_hidden_items():
    lists = lists_of(LISTS).distinct()
    start = first_factors(lists, np.random.default_rng(0))
    model, share = learn_factors(lists, start, None, n_rounds=15)
    assert share == 0.0
    full, shown = planted(200, seed=0)
    utilities = model.utilities(lists_of(shown))
    hidden = np.isnan(shown)
    pairs = hidden[:, :, None] & hidden[:, None, :] & (full[:, :, None] < full[:, None, :])
    assert (utilities[:, :, None] > utilities[:, None, :])[pairs].mean() > 0.8
    # Two directions are needed, and most others are dropped.
    sizes = np.append(np.zeros(3), np.sort((model.loadings**2).sum(axis=0)))
    assert sizes[-2] > 10 * sizes[-3]
    assert model.loadings.shape[1] < 20


def test_means_of_short_lists_keep_their_size():
    # The prior variance of the means counts how uncertain they are, or it would shrink to nothing.
    rng = np.random.default_rng(0)
    means = rng.normal(size=30)
    utilities = means + 2 * rng.normal(size=(100, 30))
    hidden = rng.random(utilities.shape).argsort(axis=1) >= 4
    ranks = (-utilities).argsort(axis=1).argsort(axis=1) + 1.0
    lists = lists_of(np.where(hidden, np.nan, ranks)).distinct()
    model, _ = learn_factors(lists, first_factors(lists, rng), None, n_rounds=15)
    # Scores have a deviation near 1, utilities one of √5.
    assert model.mean.std() > 0.5 * means.std() / np.sqrt(5)


def test_items_that_nobody_lists_take_after_their_neighbours():
    lists = LISTS.copy()
    lists[:, 1] = np.nan
    read = lists_of(lists).distinct()
    start = first_factors(read, np.random.default_rng(0))
    model, share = learn_factors(read, start, PAIRS, n_rounds=15)
    assert share > 0.5
    alike = np.corrcoef(model.loadings[0], model.loadings[1])[0, 1]
    assert alike > 0.95


def test_any_number_of_threads_gives_the_same_bits():
    lists = lists_of(LISTS[:40])
    start = first_factors(lists, np.random.default_rng(0))
    one, two = (learn_factors(lists, start, PAIRS, n_rounds=2, n_jobs=n)[0] for n in (1, 2))
    assert_array_equal(one.loadings, two.loadings)
    assert_array_equal(one.utilities(lists), two.utilities(lists, n_jobs=2))


@pytest.mark.parametrize("unranked", ["anywhere", "last"])
def test_a_catalogue_is_completed_by_factors(monkeypatch, unranked):
    monkeypatch.setattr(recipe, "FULL_ITEMS", 20)
    completer = RankingCompleter(unranked=unranked).fit(LISTS)
    assert isinstance(completer._population, FactorPopulation)
    found = completer.complete(LISTS[:20])
    for given, ranks in zip(LISTS, found, strict=False):
        listed = ~np.isnan(given)
        assert_array_equal(np.argsort(ranks[listed]), np.argsort(given[listed]))
        if unranked == "last":
            assert ranks[listed].max() < ranks[~listed].min()
    probabilities = completer.predict_pairs(LISTS[:2])
    assert_allclose(probabilities + probabilities.transpose(0, 2, 1), 1.0)
